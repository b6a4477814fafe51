"""Sentences, titles, names and figures by chance, the same for the same seed."""

from __future__ import annotations

from random import Random

from benchmarks.sets.languages import ENGLISH, LANGUAGES, Language


class Prose:
    """Writes in one language."""

    def __init__(self, chance: Random, language: Language | None = None) -> None:
        self.chance = chance
        self.language = language or (ENGLISH if chance.random() < 0.6 else chance.choice(LANGUAGES[1:]))

    def sentence(self) -> str:
        """One sentence."""
        return self._filled(self.chance.choice(self.language.sentences))

    def sentences(self, fewest: int, most: int) -> str:
        """A paragraph's worth."""
        return " ".join(self.sentence() for _ in range(self.chance.randint(fewest, most)))

    def title(self) -> str:
        """A title; it fits on two lines."""
        return self._filled(self.chance.choice(self.language.titles))

    def phrase(self) -> str:
        """A few words for a label, without an article's capital."""
        noun = self.chance.choice(self.language.nouns)
        return _capital(_bare(noun))

    def headings(self, count: int) -> list[str]:
        """Different ones; more than the usual are made of phrases."""
        usual = list(self.language.headings)
        self.chance.shuffle(usual)
        made: list[str] = []
        while len(made) < count:
            new = usual.pop() if usual and self.chance.random() < 0.7 else self.phrase()
            if new not in made:
                made.append(new)
        return made

    def name(self) -> str:
        """A person's."""
        return f"{self.chance.choice(self.language.names)} {self.chance.choice(self.language.families)}"

    def names(self, count: int) -> tuple[str, ...]:
        """Different persons'."""
        made: dict[str, None] = {}
        while len(made) < count:
            made[self.name()] = None
        return tuple(made)

    def date(self) -> str:
        """A day of a month of a year."""
        day, month = self.chance.randint(1, 28), self.chance.choice(self.language.months)
        year = self.chance.randint(1990, 2025)
        return f"{day}{'.' if self.language.code == 'de' else ''} {month} {year}"

    def entry(self) -> str:
        """One of a list of literature."""
        chance, pages = self.chance, self.chance.randint(1, 400)
        return (
            f"{self.name()} and {self.name()}. {self.title()}. {_capital(_bare(chance.choice(self.language.nouns)))} "
            f"{chance.randint(2, 90)}, {pages}–{pages + chance.randint(4, 30)}, {chance.randint(1970, 2024)}."
        )

    def _filled(self, form: str) -> str:
        chance, words = self.chance, self.language
        a, b, c, d = chance.sample(words.nouns, 4)
        verb, verb2 = chance.sample(words.verbs, 2)
        place, year = chance.choice(words.places), chance.randint(1950, 2015)
        return form.format(
            a=a,
            b=b,
            c=c,
            d=d,
            A=_capital(a),
            B=_capital(b),
            verb=verb,
            verb2=verb2,
            place=place,
            Place=_capital(place),
            family=chance.choice(words.families),
            year=year,
            later=year + chance.randint(2, 10),
            number=chance.randint(60, 900),
            small=chance.randint(2, 40),
            digit=chance.randint(0, 9),
        )


def _bare(noun: str) -> str:
    """Without its article."""
    first, _, rest = noun.partition(" ")
    return (
        rest
        if first.lower() in {"the", "these", "our", "die", "les", "nos", "las", "los", "unsere", "nuestras"}
        else noun
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
