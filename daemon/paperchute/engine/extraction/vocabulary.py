"""What documents call things, by language: the tables in `labels/`, and finding their phrases among printed words."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from paperchute.engine.extraction.measures import LENGTHS
from paperchute.notation.document_kinds import KINDS


@dataclass(frozen=True, slots=True)
class VocabularySettings:
    """How phrases are compared. Chosen by eye where nothing else is said."""

    told_language: float = 1.5
    """Times as many words must speak for a language as for the next one."""

    fewest_words: int = 3
    """Words of a language that tell it at all: one or two stand in documents of others too."""


VOCABULARY = VocabularySettings()


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase can mean. roles: `number`, `date` ... of the tables; kinds: of a document that it names."""

    roles: frozenset[str]
    kinds: frozenset[str]
    languages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Label:
    """A phrase found in a piece of a line, from its word `first` up to `after`."""

    phrase: Phrase
    first: int
    after: int

    def means(self, *roles: str) -> bool:
        """Decide whether it has one of the roles."""
        return any(role in self.phrase.roles for role in roles)


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """A text as it is compared: small letters and digits, without accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
    return "".join(c for c in kept if c.isalnum() or c in "#%")


@cache
def phrases() -> Mapping[str, Phrase]:
    """All phrases of all languages, by their plain text."""
    roles: dict[str, set[str]] = {}
    kinds: dict[str, set[str]] = {}
    languages: dict[str, set[str]] = {}
    for table in _tables():
        for found, group in ((roles, "labels"), (kinds, "kinds")):
            for name, texts in table[group].items():
                for text in texts:
                    found.setdefault(plain(text), set()).add(name)
                    languages.setdefault(plain(text), set()).add(table["language"])
    return {
        text: Phrase(frozenset(roles.get(text, ())), frozenset(kinds.get(text, ())), frozenset(spoken))
        for text, spoken in languages.items()
    }


@lru_cache(maxsize=8_192)
def _compound(key: str) -> Phrase | None:
    """What a word that is in no table means by its ending: a `Beitragsrechnung` is a `Rechnung`, a `Berechnung` none.

    The longest ending of the tables decides.
    """
    for ending, kind, language in _endings():
        if key.endswith(ending):
            return Phrase(frozenset(), frozenset({kind}), frozenset({language})) if kind else None
    return None


@cache
def _endings() -> tuple[tuple[str, str, str], ...]:
    """Endings of compounds with the kind of document that they name, empty for none, and their language."""
    found = [
        (plain(ending), "" if kind == "none" else kind, table["language"])
        for table in _tables()
        for kind, texts in table.get("endings", {}).items()
        for ending in texts
    ]
    return tuple(sorted(found, key=lambda item: -len(item[0])))


@cache
def _words() -> Mapping[str, frozenset[str]]:
    """The common words of each language."""
    return {table["language"]: frozenset(map(plain, table["words"])) for table in _tables()}


def languages() -> tuple[str, ...]:
    """Return the languages of documents that there is a table of, as their codes."""
    return tuple(table["language"] for table in _tables())


@cache
def _tables() -> tuple[dict[str, Any], ...]:
    folder = files("paperchute.engine.extraction") / "labels"
    tables = [tomllib.loads(file.read_text("utf-8")) for file in sorted(folder.iterdir(), key=lambda file: file.name)]
    assert all(name in (*KINDS, "none") for table in tables for name in (*table["kinds"], *table.get("endings", ())))
    return tuple(tables)


def labels(keys: Sequence[str]) -> Iterator[Label]:
    """The phrases among words, given as `plain` texts; the longest at each place, and none over another."""
    known, first = phrases(), 0
    while first < len(keys):
        joined, found = "", None
        for after in range(first + 1, min(len(keys), first + LENGTHS.phrase) + 1):
            joined += keys[after - 1]
            phrase = known.get(joined) if keys[after - 1] or after == first + 1 else None
            if phrase is not None and joined:
                found = Label(phrase, first, after)
        if found is None and (compound := _compound(keys[first])) is not None:
            found = Label(compound, first, first + 1)
        if found is not None:
            yield found
        first = found.after if found is not None else first + 1


def words_in(keys: Sequence[str], wanted: str) -> tuple[int, int] | None:
    """Words, given as `plain` texts, that make a text: from the first up to the one behind the last."""
    for first, start in enumerate(keys):
        joined = ""
        if not start or not wanted.startswith(start):
            continue
        for after, key in enumerate(keys[first:], first + 1):
            joined += key
            if joined == wanted:
                return first, after
            if not wanted.startswith(joined):
                break
    return None


def language_of(keys: Sequence[str], named: Sequence[Label]) -> str:
    """The language that most words and labels are of, empty where none stands out."""
    counts = {language: 2.0 * sum(key in words for key in keys) for language, words in _words().items()}
    for label in named:
        for language in label.phrase.languages:
            counts[language] += 1 / len(label.phrase.languages) * (label.after - label.first)
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    best, second = ranked[0], ranked[1]
    enough = best[1] >= VOCABULARY.fewest_words and best[1] >= VOCABULARY.told_language * second[1]
    return best[0] if enough else ""
