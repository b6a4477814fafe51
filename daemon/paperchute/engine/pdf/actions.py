"""What a PDF does by itself or starts (ISO 32000-1, 12.6): taken out of every PDF that the page operations write.

A dropped file comes from anybody, and what the engine gives back is passed on as the user's own. So scripts, the
starting of programs and the import of data go, wherever they hang; what runs without a click may only show a place.
Scripts that do nothing but call Acrobat's own form functions (formats and sums of fields) stay: forms need them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from loguru import logger
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.pdf.outlines import outline_items
from paperchute.engine.pdf.trees import fields_of

_SHOWS = frozenset({"/GoTo", "/GoToDp", "/Named", "/SetOCGState", "/Trans", "/Thread"})
_STARTS = frozenset({"/JavaScript", "/Launch", "/ImportData", "/RichMediaExecute"})
_MOST_STEPS = 1000  # an action that follows itself ends here
_MOST_SCRIPT = 100_000  # bytes
_QUOTED = r"""(?:"[^"\\]*+"|'[^'\\]*+')"""
_ARRAY = rf"new\s++Array\s*+\(\s*+(?:{_QUOTED}(?:\s*+,\s*+{_QUOTED})*+)?+\s*+\)"
_ARGUMENT = rf"(?:{_QUOTED}|-?+\d++(?:\.\d++)?+|true|false|{_ARRAY}|\[[\d\s.,-]*+\])"
_CALL = rf"AF[A-Z]\w*+\s*+\(\s*+(?:{_ARGUMENT}(?:\s*+,\s*+{_ARGUMENT})*+)?+\s*+\)"
_FORM_SCRIPT = re.compile(rf"\s*+(?:{_CALL}\s*+;?+\s*+)++")  # possessive throughout: hostile scripts cost no time


def defuse(pdf: Pdf) -> None:
    """Take out of a whole document what runs or starts something; says in the log how much that was."""
    taken = _without_names(pdf.Root)
    taken += _clean(pdf.Root, Name.OpenAction, by_itself=True) + _clean_events(pdf.Root)
    for page in pdf.pages:
        taken += _clean_events(page.obj)
        notes = page.obj.get(Name.Annots)
        if isinstance(notes, Array):
            for note in notes:
                if isinstance(note, Dictionary):
                    taken += _clean_owner(note)
    for field in fields_of(pdf.Root.get(Name.AcroForm)):
        taken += _clean_owner(field)
    for item in outline_items(pdf.Root.get(Name.Outlines)):
        taken += _clean(item, Name.A, by_itself=False)
    if taken:
        logger.info("{} actions that run or start something were taken out", taken)


def renamed_in_scripts(field: Object, names: dict[str, str]) -> None:
    """Let a field's form functions mean the fields that were renamed (old root name to new)."""
    events = field.get(Name.AA)
    if not isinstance(events, Dictionary):
        return
    for key in list(events.keys()):
        action = events[key]
        if not isinstance(action, Dictionary) or action.get(Name.S) != Name.JavaScript:
            continue
        script = _script(action)
        changed = re.sub(_QUOTED, lambda found: _renamed(found[0], names), script)
        if changed != script:
            action.JS = String(changed)


def _renamed(quoted: str, names: dict[str, str]) -> str:
    first, dot, rest = quoted[1:-1].partition(".")
    return quoted[0] + names.get(first, first) + dot + rest + quoted[-1]


def _without_names(root: Object) -> int:
    names = root.get(Name.Names)
    if isinstance(names, Dictionary) and Name.JavaScript in names:
        del names.JavaScript
        return 1
    return 0


def _clean_owner(owner: Object) -> int:
    taken = _clean(owner, Name.A, by_itself=False) + _clean(owner, Name.PA, by_itself=False)
    return taken + _clean_events(owner)


def _clean_events(owner: Object) -> int:
    """Additional actions: all of them run by themselves."""
    events = owner.get(Name.AA)
    if not isinstance(events, Dictionary):
        return 0
    taken = sum(_clean(events, Name(key), by_itself=True) for key in list(events.keys()))
    if len(events.keys()) == 0:
        del owner.AA
    return taken


def _clean(owner: Object, key: Name, *, by_itself: bool) -> int:
    """Leave of the action under `key` what may stay, with the allowed ones that follow; how many were taken out."""
    action = owner.get(key)
    if not isinstance(action, Dictionary) or (Name.Next not in action and _may_stay(action, by_itself)):
        return 0
    chain = list(_chain(action))
    kept = [step for step in chain if _may_stay(step, by_itself)]
    if len(kept) == len(chain):
        return 0
    for step in kept:
        if Name.Next in step:
            del step.Next
    for step, following in pairwise(kept):
        step.Next = following
    if kept:
        owner[key] = kept[0]
    else:
        del owner[key]
    return len(chain) - len(kept)


def _chain(action: Object) -> Iterator[Object]:
    stack: list[object] = [action]
    seen = set()
    for _ in range(_MOST_STEPS):
        if not stack:
            return
        step = stack.pop()
        if isinstance(step, Array):
            stack.extend(reversed(list(step)))
            continue
        if not isinstance(step, Dictionary) or (step.is_indirect and step.objgen in seen):
            continue
        seen.add(step.objgen)
        yield step
        following = step.get(Name.Next)
        if following is not None:
            stack.append(following)


def _may_stay(action: Object, by_itself: bool) -> bool:
    kind = str(action.get(Name.S, ""))
    if kind == "/JavaScript":
        return _FORM_SCRIPT.fullmatch(_script(action)) is not None
    if by_itself:
        return kind in _SHOWS
    if kind == "/URI":
        return not str(action.get(Name.URI, "")).strip().lower().startswith(("javascript:", "vbscript:"))
    if kind == "/Rendition" and Name.JS in action:
        return False
    return kind not in _STARTS


def _script(action: Object) -> str:
    code = action.get(Name.JS)
    if isinstance(code, String):
        return str(code)
    if isinstance(code, Stream):
        raw = code.read_raw_bytes()
        if len(raw) <= _MOST_SCRIPT and Name.Filter not in code:
            return raw.decode("latin-1")
    return ""
