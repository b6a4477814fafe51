"""What a PDF does by itself or starts, and where its links may lead (ISO 32000-1, 12.6): an allow-list of both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import unquote

from pikepdf import Array, Dictionary, Name, Object, Stream, String

from paperchute.engine.pdf.trees import entry

SCHEMES = frozenset({"http", "https", "ftp", "mailto", "tel", "sms"})
_SENDING = frozenset({"http", "https", "mailto"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"www\.[^/?#]*:\d+(?:[/?#]|$)", re.IGNORECASE)  # written without its scheme
_HEAD = re.compile(r"[/?#]")
_MARKS = {b"\xfe\xff": "utf-16", b"\xff\xfe": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_MOST_LAYERS = 8  # of percent signs; more are no address
_FILE_NAMES = (Name.F, Name.UF, Name.DOS, Name.Mac, Name.Unix)


def leads_to_web(address: object) -> bool:
    """Decide whether a link may stay: one of `SCHEMES`, or relative to the place where the PDF is read."""
    return isinstance(address, String | str) and all(_is_safe(text) for text in _readings(address))


def takes_forms(target: object) -> bool:
    """Tell if a form may be sent there (ISO 32000-1, 12.7.5.2): a file specification that is an address of the web."""
    names = _names(target)
    return bool(names) and all(
        isinstance(name, String)
        and leads_to_web(name)
        and all(_scheme(_seen(text)) in _SENDING for text in _readings(name))
        for name in names
    )


def is_beside(file: object) -> bool:
    """Tell if a file specification (ISO 32000-1, 7.11) names a file by a path that starts from the PDF's folder."""
    if isinstance(file, Dictionary | Stream) and Name.FS in file:
        return False
    names = _names(file)
    return bool(names) and all(isinstance(name, String) and all(map(_is_near, _readings(name))) for name in names)


def _names(file: object) -> list[object]:
    """Return what a file specification says, however it is written."""
    if isinstance(file, Dictionary | Stream):
        return [file[key] for key in _FILE_NAMES if key in file]
    return [file]


def _readings(text: String | str) -> list[str]:
    """A text as it is meant, and as a reader takes it that knows no encodings."""
    if isinstance(text, str):
        return [text]
    raw = bytes(text)
    for mark, encoding in _MARKS.items():
        if raw.startswith(mark):
            return [raw.decode(encoding, "replace")]
    return [str(text), raw.decode("latin-1")]


def _is_safe(text: str) -> bool:
    seen = _seen(text)
    scheme = _scheme(seen)
    if scheme == "mailto" and re.search(r"[?&]attach", _undone(seen) or "?attach", re.IGNORECASE):
        return False  # some programs put a file of their user's into the mail
    if scheme:
        return scheme in SCHEMES or _HOST_AND_PORT.match(seen) is not None
    plain = _undone(seen)
    return plain is not None and not plain.startswith("/") and "\\" not in plain and ":" not in _HEAD.split(plain)[0]


def _is_near(text: str) -> bool:
    plain = _undone(_seen(text))
    return plain is not None and plain != "" and not plain.startswith("/") and not set(plain) & {"\\", ":"}


def _scheme(seen: str) -> str:
    found = _SCHEME.match(seen)
    return found[1].lower() if found else ""


def _seen(text: str) -> str:
    """Without what readers pass over, letters of full width as plain ones."""
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] not in "CZ")


def _undone(seen: str) -> str | None:
    """Percent signs undone until there are no more; None where there is no end of them."""
    for _ in range(_MOST_LAYERS):
        plain = _seen(unquote(seen))
        if plain == seen:
            return plain
        seen = plain
    return None


_MOST_STEPS = 1000  # of a chain; what comes behind is cut off
_MOST_SCRIPT = 100_000  # bytes
_QUOTED = r"""(?:"[^"\\]*+"|'[^'\\]*+')"""
_ARRAY = rf"new\s++Array\s*+\(\s*+(?:{_QUOTED}(?:\s*+,\s*+{_QUOTED})*+)?+\s*+\)"
_ARGUMENT = rf"(?:{_QUOTED}|-?+\d++(?:\.\d++)?+|true|false|{_ARRAY}|\[[\d\s.,-]*+\])"
_CALL = rf"AF[A-Z]\w*+\s*+\(\s*+(?:{_ARGUMENT}(?:\s*+,\s*+{_ARGUMENT})*+)?+\s*+\)"
_FORM_SCRIPT = re.compile(rf"\s*+(?:{_CALL}\s*+;?+\s*+)++")  # possessive throughout: hostile scripts cost no time

_TURNING = frozenset({"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"})
_NAMED = _TURNING | {"/GoBack", "/GoForward", "/GoToPage", "/Find", "/Print"}
"""Commands by name: those of table 211, and others of Acrobat's menu that leave the document as it is."""


def _always(_: Object) -> bool:
    return True


_BY_ITSELF: dict[str, Callable[[Object], bool]] = {
    "/GoTo": _always,
    "/GoToDp": _always,
    "/Named": lambda action: str(action.get(Name.N, "")) in _TURNING,
    "/SetOCGState": _always,
    "/Trans": _always,
    "/Thread": lambda action: Name.F not in action,
    "/JavaScript": lambda action: _FORM_SCRIPT.fullmatch(_script(action)) is not None,
}
_BY_CLICK: dict[str, Callable[[Object], bool]] = {
    **_BY_ITSELF,
    "/Named": lambda action: str(action.get(Name.N, "")) in _NAMED,
    "/GoToR": lambda action: is_beside(action.get(Name.F)),
    "/GoToE": lambda action: Name.F not in action,
    "/GoTo3DView": _always,
    "/URI": lambda action: leads_to_web(action.get(Name.URI)),
    "/SubmitForm": lambda action: takes_forms(action.get(Name.F)),
    "/ResetForm": _always,
    "/Hide": _always,
    "/Sound": _always,
    "/Movie": _always,
    "/Rendition": lambda action: Name.JS not in action,
}
"""What may stay, by its kind, and of that kind if this is true of it."""

KINDS = frozenset({*_BY_CLICK, "/Launch", "/ImportData", "/RichMediaExecute"})
"""All kinds that readers know."""


def kind_of(action: Object) -> str:
    """The kind of an action, empty where it has none."""
    kind = entry(action, "/S")
    return str(kind) if isinstance(kind, Name) else ""


def may_stay(action: Object, *, by_itself: bool) -> bool:
    """Decide whether an action may stay where it runs by itself, or where it is clicked."""
    allowed = (_BY_ITSELF if by_itself else _BY_CLICK).get(kind_of(action))
    return allowed is not None and allowed(action)


_ACTING = {"/A", "/PA", "/AA"}


def clean_owner(owner: Object) -> int:
    """Leave the actions of an annotation, field or outline item that may stay; how many were taken out."""
    if not _ACTING & owner.keys():
        return 0
    taken = clean(owner, Name.A, by_itself=False) + clean(owner, Name.PA, by_itself=False)
    return taken + clean_events(owner)


def clean_events(owner: Object) -> int:
    """Leave the additional actions that may stay, all of which run by themselves; how many were taken out."""
    events = entry(owner, "/AA")
    if not isinstance(events, Dictionary | Stream):
        return 0
    taken = sum(clean(events, Name(key), by_itself=True) for key in list(events.keys()))
    if taken and len(events.keys()) == 0:
        del owner.AA
    return taken


def clean(owner: Object, key: Name, *, by_itself: bool) -> int:
    """Leave of the action under `key` what may stay, with the allowed ones that follow; how many were taken out."""
    action = entry(owner, key)
    if not isinstance(action, Dictionary | Stream) or "/S" not in action:
        return 0
    if "/Next" not in action and may_stay(action, by_itself=by_itself):
        return 0
    chain, cut = _chain(action)
    kept = [step for step in chain if may_stay(step, by_itself=by_itself)]
    if len(kept) == len(chain) and not cut:
        return 0
    for step in kept:
        if "/Next" in step:
            del step.Next
    for step, following in pairwise(kept):
        step.Next = following
    if kept:
        owner[key] = kept[0]
    else:
        del owner[key]
    return len(chain) - len(kept) + cut


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


def named_in(action: Object) -> set[str]:
    """Find the fields that a form function names; Acrobat takes several in one text, with commas between them."""
    quoted = re.findall(_QUOTED, _script(action))
    return {name.strip() for text in quoted for name in text[1:-1].split(",")}


def _renamed(quoted: str, names: dict[str, str]) -> str:
    first, dot, rest = quoted[1:-1].partition(".")
    return quoted[0] + names.get(first, first) + dot + rest + quoted[-1]


def _chain(action: Object) -> tuple[list[Object], bool]:
    """An action with those that follow it, each once; and whether there are more than are looked at."""
    stack: list[object] = [action]
    found: list[Object] = []
    seen = set()
    for _ in range(_MOST_STEPS):
        if not stack:
            break
        step = stack.pop()
        if isinstance(step, Array):
            stack.extend(reversed(list(step)))
            continue
        if not isinstance(step, Dictionary | Stream) or (step.is_indirect and step.objgen in seen):
            continue
        seen.add(step.objgen)
        found.append(step)
        following = step.get(Name.Next)
        if following is not None:
            stack.append(following)
    return found, bool(stack)


def _script(action: Object) -> str:
    code = action.get(Name.JS)
    if isinstance(code, String):
        return str(code)
    if isinstance(code, Stream):
        raw = code.read_raw_bytes()
        if len(raw) <= _MOST_SCRIPT and Name.Filter not in code:
            return raw.decode("latin-1")
    return ""
