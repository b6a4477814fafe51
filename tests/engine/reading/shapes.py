"""Documents of many shapes, drawn by chance: what stands in them is known word by word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.engine.reading.sheets import Said

_TEXT = """harbour quay timber brick winter repair storm ledger account crane pilot vessel cargo lantern signal bridge
the of and to in was with for that which had been from by on at Leith Graz Oslo Turin EUR net due paid open"""
_WORDS = _TEXT.split()
_BOTTOM = 770.0


@dataclass
class Draft:
    """Pages as they are written. Every line has a word of its own (`k0001`, ...), which tells the order."""

    chance: Random
    shape: str
    size: float
    left: float
    top: float
    pages: list[list[Said]] = field(default_factory=list)
    marks: int = 0
    y: float = 0.0

    def page(self) -> None:
        """Begin a page."""
        self.pages.append([])
        self.y = self.top

    def words(self, fewest: int, most: int) -> str:
        """A few words and the line's own."""
        self.marks += 1
        chosen = [self.chance.choice(_WORDS) for _ in range(self.chance.randint(fewest, most))]
        return " ".join([*chosen, f"k{self.marks:04}"])

    def put(self, text: str, x: float = 0.0, size: float = 0.0, font: str = "R", gap: float = 1.3) -> None:
        """A line under the last one, on a new page where there is no room."""
        size = size or self.size
        if not self.pages or self.y + gap * size > _BOTTOM:
            self.page()
        self.y += gap * size
        self.beside(text, x, size, font)

    def beside(self, text: str, x: float, size: float = 0.0, font: str = "R") -> None:
        """More text at the height of the last line."""
        self.pages[-1].append(Said(text, self.left + x, self.y, size or self.size, font))

    def number(self, most: int = 9999) -> int:
        """Any number."""
        return self.chance.randint(1, most)


def _paragraphs(draft: Draft, count: int) -> None:
    for _ in range(count):
        for line in range(draft.chance.randint(1, 6)):
            draft.put(draft.words(5, 9), gap=1.3 if line else 2.2)


def _log(draft: Draft) -> None:
    gap = draft.chance.choice((1.1, 1.3, 1.8, 2.4))
    first = draft.number()
    for n in range(draft.chance.randint(30, 200)):
        draft.put(f"{first + n} 10:{n % 60:02}:07 GET {draft.words(0, 3)} 200", font="M", gap=gap)


def _list(draft: Draft) -> None:
    gap, first = draft.chance.choice((1.2, 1.5, 2.5)), draft.chance.choice((1, 1000, 4711))
    for n in range(draft.chance.randint(20, 150)):
        draft.put(f"{draft.chance.choice(('Part', 'Item'))} {first + n} was sent {draft.words(0, 2)}.", gap=gap)


def _letters(draft: Draft) -> None:
    opening, same = draft.words(1, 2).rpartition(" ")[0], draft.chance.random() < 0.5
    for n in range(draft.chance.randint(2, 6)):
        draft.page()
        draft.put("Reminder", size=draft.chance.choice((draft.size, 18)), font=draft.chance.choice("RB"))
        draft.put(f"Dear {opening}," if same else f"Dear {draft.words(1, 2)},", gap=2.5)
        draft.put(f"your invoice {4100 + draft.chance.choice((1, 37)) * n} {draft.words(3, 6)}", gap=2.5)
        draft.put("Please pay within ten days.")
        _paragraphs(draft, draft.chance.randint(0, 3))
        draft.put("Yours sincerely,", gap=3)


def _chapters(draft: Draft) -> None:
    for n in range(draft.chance.randint(2, 6)):
        draft.page()
        draft.put(f"{n + 1} {draft.words(1, 2).title()}", size=draft.chance.choice((draft.size, 16)), font="B")
        draft.put("This chapter says what counts.", gap=2.5)
        _paragraphs(draft, draft.chance.randint(1, 6))


def _dictionary(draft: Draft) -> None:
    for _ in range(draft.chance.randint(30, 90)):
        draft.put(draft.words(0, 1), font="B", gap=1.8)
        draft.put(draft.words(4, 8), x=12)


def _timetable(draft: Draft) -> None:
    stops = draft.chance.randint(3, 6)
    for _ in range(draft.chance.randint(10, 80)):
        draft.put(draft.words(1, 1), gap=1.5)
        for stop in range(stops):
            draft.beside(f"{draft.number(23):02}:{draft.number(59):02}", 170 + 50 * stop)


def _code(draft: Draft) -> None:
    for n in range(draft.chance.randint(30, 160)):
        text = draft.words(1, 3).replace(" ", "(", 1)
        draft.put(
            f"{text});" if "(" in text else text, x=15.0 * (n % 4), font="M", gap=draft.chance.choice((1.2, 1.2, 2.4))
        )


def _invoices(draft: Draft) -> None:
    for n in range(draft.chance.randint(1, 5)):
        draft.page()
        small = draft.chance.random() < 0.4
        draft.put(f"Invoice {1001 + n}", size=draft.size - 2 if small else 16, font="R" if small else "B")
        draft.put(draft.words(2, 3), gap=3)
        for row in range(draft.chance.randint(1, 12)):
            draft.put(f"{row + 1}", gap=1.6)
            draft.beside(draft.words(1, 3), 40)
            draft.beside(f"{draft.number()}.{draft.number(99):02}", 380)
        draft.put("Total", gap=2.5)
        draft.beside(f"{draft.number(99999)}.00", 380)


def _script(draft: Draft) -> None:
    for _ in range(draft.chance.randint(15, 60)):
        draft.put(draft.chance.choice(("ANNA", "BRUNO", "PILOT")), x=170, gap=2.4)
        for _ in range(draft.chance.randint(1, 3)):
            draft.put(draft.words(2, 5), x=90)


def _form(draft: Draft) -> None:
    for _ in range(draft.chance.randint(1, 4)):
        draft.page()
        for label in ("Name", "Street", "Town", "Born on", "Signature"):
            draft.put(f"{label}:", gap=draft.chance.choice((2.2, 3.0)))
            draft.beside(draft.words(1, 2), 130)


def _footnotes(draft: Draft) -> None:
    """One note a page, at one height, numbered through."""
    for n in range(draft.chance.randint(2, 6)):
        draft.page()
        _paragraphs(draft, draft.chance.randint(1, 4))
        draft.y = 760.0
        draft.beside(f"{n + 1}", 0, draft.size - draft.chance.choice((2, 4)))
        draft.beside(f"See {draft.words(2, 4)}.", 9, draft.size - 2)


SHAPES: dict[str, Callable[[Draft], None]] = {
    "log": _log,
    "list": _list,
    "letters": _letters,
    "chapters": _chapters,
    "dictionary": _dictionary,
    "timetable": _timetable,
    "code": _code,
    "invoices": _invoices,
    "script": _script,
    "form": _form,
    "footnotes": _footnotes,
}


def drawn(shape: str, seed: int) -> list[list[Said]]:
    """A document of a shape, its pages the same for the same seed."""
    chance = Random(f"{shape} {seed}")
    draft = Draft(chance, shape, chance.choice((9.0, 10.0, 11.0, 12.0)), chance.choice((45.0, 57.0, 72.0)), 0.0)
    draft.top = chance.choice((30.0, 50.0, 70.0, 90.0))
    SHAPES[shape](draft)
    return draft.pages


def with_margins(pages: list[list[Said]], head: str, first: int) -> list[list[Said]]:
    """The pages with a running head and page numbers, well apart from the text."""
    return [
        [Said(head, 72, 18, 7), *lines, Said(str(first + number), 300, 825, 8)] for number, lines in enumerate(pages)
    ]
