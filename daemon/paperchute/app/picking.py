"""A word that somebody picked on a sample's page, as entries of `find` that would find it on other documents too."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, takewhile
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from paperchute.app.rule_form import as_toml
from paperchute.app.workshop import Filled
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.rules.document_fields import FIELDS, OWN_NAME, PREFIX
from paperchute.rules.edit import value_of
from paperchute.rules.output import DEFAULT

_MOST_WORDS = 6
"""Of a label: more are a sentence, as in the labels of forms."""
_LONGEST = 120
"""Characters of a word, as the page gets them."""
_MOST = 200
"""Pieces of a row, and words of a piece: a bound on work."""
_NAME = "field"
_EXTENSION = ".{ext}"
_SPECIAL = frozenset(r"\.+*?()[]{}|^$")
"""What stands for something else in a pattern (RE2)."""

Word = tuple[Annotated[str, Field(max_length=_LONGEST)], int, int, int, int]
"""Its text, and left, top, right and bottom on the page, in pixels of 144 dpi."""
Piece = Annotated[list[Word], Field(min_length=1, max_length=_MOST)]
How = Literal["beside", "above", "pattern", "place"]


class Pick(BaseModel):
    """A word of a page: the last of `rows` is its own, and before that stand the rows above it."""

    page: Annotated[int, Field(ge=1)]
    rows: Annotated[
        list[Annotated[list[Piece], Field(min_length=1, max_length=_MOST)]], Field(min_length=1, max_length=9)
    ]
    piece: Annotated[int, Field(ge=0)]
    word: Annotated[int, Field(ge=0)]

    @property
    def picked(self) -> tuple[Sequence[Word], Word]:
        """The words of its piece, and itself. Raises PaperchuteError where there is none."""
        row = self.rows[-1]
        if self.piece >= len(row) or self.word >= len(row[self.piece]):
            raise PaperchuteError(_("There is no such word on the page."))
        return row[self.piece], row[self.piece][self.word]


Entry = dict[Literal["label", "pattern", "place"], Annotated[str, Field(max_length=_MOST_WORDS * _LONGEST)]]
"""What an entry of `find` says."""


class Chosen(BaseModel):
    """An entry that somebody wants in `find`, and where what it finds is used."""

    name: str
    find: Entry
    use: Literal["name", "file", ""] = "name"
    """In the names of results; in the `NAME.json` beside them; or as somebody writes it into the rule."""


def proposals(pick: Pick, taken: Sequence[str]) -> dict[str, Any]:
    """Entries of `find` for a word, likeliest first, and a name for them, as JSON's values. Raises PaperchuteError.

    taken: names that other entries have. Whether an entry finds the word is not decided here: documents decide that.
    """
    _piece, (text, *_box) = pick.picked
    entries: list[tuple[How, Mapping[str, str]]] = [
        *(("beside", {"label": label}) for label in _labels_beside(pick)),
        *(("above", {"label": label}) for label in _labels_above(pick)),
    ]
    if pattern := _pattern(text):
        entries.append(("pattern", {"pattern": pattern}))
    entries.append(("place", {"pattern": r"\S+", "place": _place(pick)}))
    return {
        "text": text,
        "name": _name(next((find["label"] for _how, find in entries if "label" in find), ""), taken),
        "entries": [{"how": how, "find": find} for how, find in entries],
    }


def _labels_beside(pick: Pick) -> Iterator[str]:
    """Yield what stands before the word in its piece, or else the piece left of it."""
    piece, _word = pick.picked
    before = _last_label([word[0] for word in piece[: pick.word]])
    if not before and pick.piece:
        before = _last_label([word[0] for word in pick.rows[-1][pick.piece - 1]])
    if before:
        yield before


def _last_label(words: Sequence[str]) -> str:
    """The words at the end that may be a label: behind the last one with a figure or a colon of another label."""
    *others, last = words or [""]
    behind = [*takewhile(lambda word: not (_has_figure(word) or word.endswith((":", "："))), reversed(others))]
    label = [*reversed(behind), last]
    text = " ".join(label).strip(" :：")
    is_label = len(label) <= _MOST_WORDS and not _has_figure(last) and any(map(str.isalpha, text))
    return text if is_label else ""


def _labels_above(pick: Pick) -> Iterator[str]:
    """The nearest piece above the word's own, where it is words alone."""
    piece, _word = pick.picked
    left, right = min(word[1] for word in piece), max(word[3] for word in piece)
    for row in reversed(pick.rows[:-1]):
        for above in row:
            if min(right, max(word[3] for word in above)) > max(left, min(word[1] for word in above)):
                if label := _last_label([word[0] for word in above]):
                    yield label
                return


def _has_figure(text: str) -> bool:
    return any(map(str.isdecimal, text))


def _pattern(text: str) -> str:
    """Return what looks like the word: as many figures in the same places; empty where it has none."""
    if not _has_figure(text):
        return ""
    parts = re.findall(r"\d+|\D", text)
    body = "".join(_figures(part) if part.isdecimal() else _literal(part) for part in parts)
    return rf"{_edge(text[0])}{body}{_edge(text[-1])}"


def _figures(part: str) -> str:
    return r"\d" if len(part) == 1 else rf"\d{{{len(part)}}}"


def _literal(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character


def _edge(character: str) -> str:
    r"""`\b`, where a word of ASCII ends there: RE2 knows no other."""
    return r"\b" if character.isascii() and character.isalnum() else ""


def _place(pick: Pick) -> str:
    """A place around the word: as much wider to each side as it is high, and half of that above and below."""
    _piece, (_text, left, top, right, bottom) = pick.picked
    high = max(bottom - top, 2)
    sides = (left - high, top - high / 2, right + high, bottom + high / 2)
    return f"{pick.page}: " + ",".join(str(round(max(side, 0) * 72 / 144)) for side in sides)


def _name(label: str, taken: Sequence[str]) -> str:
    """A name for what a label names, that nothing else has."""
    plain = unicodedata.normalize("NFKD", label.lower().replace("ß", "ss")).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:36].rstrip("_")
    first = slug if OWN_NAME.fullmatch(slug) else _NAME
    known = {*FIELDS, "folder", *taken}
    return next(name for name in chain([first], (f"{first}_{number}" for number in count(2))) if name not in known)


def entries_of(find: Filled | None) -> dict[str, Any]:
    """Return what stands in the field `find` of a draft. Raises PaperchuteError where that is no table."""
    value = value_of(find.text) if find is not None and find.text.strip() else {}
    if not isinstance(value, dict):
        raise PaperchuteError(
            _("What stands in `find` is no table, so nothing was added to it."), _("Correct it there first.")
        )
    return value


def added(find: Filled | None, output: str, chosen: Chosen) -> dict[str, dict[str, str]]:
    """The fields of the form that change where an entry is added to `find`. Raises PaperchuteError.

    output: where the rule's results go.
    """
    entries = entries_of(find)
    if chosen.name in entries:
        raise PaperchuteError(_("`find` has {name} already; give it another name.", name=chosen.name))
    changed = {"find": {"kind": "toml", "text": as_toml({**entries, chosen.name: chosen.find})}}
    if chosen.use == "name":
        changed["output"] = {"kind": "text", "text": _with_name(output, chosen.name)}
    elif chosen.use == "file":
        changed["write_fields"] = {"kind": "switch", "text": "on"}
    return changed


def _with_name(output: str, name: str) -> str:
    """A template of results with the field behind what their names are already."""
    placeholder = f"{{{PREFIX}{name}}}"
    begin, dot, end = output.rpartition(_EXTENSION)
    return f"{begin} {placeholder}{dot}{end}" if dot else f"{output} {placeholder}"


def usual_output(text: str) -> str:
    """Return where the results of a rule go that does not say so. text: of the rule file."""
    return str(tomllib.loads(text).get("defaults", {}).get("output", DEFAULT))
