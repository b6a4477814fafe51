"""Shapes of text: columns, notes at the foot and in the margin, heads that vary, signs of markup, other scripts."""

from __future__ import annotations

from tests.engine.conservation.documents import Document, lines, shown, spelled, width_of

_SIGNS = (
    *("Ärger", "naïve", "Straße", "œuvre", "£12.50", "€99.00", "50%", "§12", "½", "±5", "×3", "«quoi»", "„so“"),
    *("O’Neill", "a_b", "x*y*z", "<tag>", "&amp&;", "#1", "|pipe|", "[link](url)", "`code`", "~~no~~", "$x$"),
    *("\\back", "1. one", "- dash", "+ plus", "==", "---", "***", "C:\\temp\\a_b", "user@ex.org", "{b}", "\\u65?"),
)
_SCRIPTS = {
    "абвгдежзийклмнопрстуфхцчшщ": 0.6,
    "αβγδεζηθικλμνξοπρστυφχψω": 0.6,
    "אבגדהוזחטילמנסעפצקרשת": 0.6,
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي": 0.6,
    "漢字文書頁表圖館東京大學山川海陸空天地人日月火水木金土": 1.0,
    "กขคงจฉชซญดตถทธนบปผพฟมยรลวสหอ": 0.6,
}
_RIGHT_TO_LEFT = ("א", "ا")


def columns(document: Document) -> None:
    """Two to four columns, their last ones short."""
    chance = document.chance
    count = chance.choice((2, 3, 4))
    document.ordered = False
    for _ in range(chance.randint(1, 2)):
        content: list[bytes] = []
        for n in range(count):
            words = (2, 4) if count == 2 else (0, 1)
            lines(document, content, chance.randint(5, 50), 45 + n * 500 / count, words=words, size=8)
        document.page(content)


def noted(document: Document) -> None:
    """Notes at the foot, their numbers raised in the text, with and without a rule."""
    document.ordered = False
    chance = document.chance
    for _ in range(chance.randint(1, 4)):
        content: list[bytes] = []
        y = lines(document, content, chance.randint(3, 20))
        count = chance.randint(1, 4)
        for n in range(count):
            number = str(n + 1)
            document.counted += [number, number]
            content.append(shown(number, 60 + chance.randint(20, 200), y + document.size * 1.3 + 4, 5))
            content.append(shown(number, 60, 90 - 11 * n, 5))
            content.append(shown(document.line(2, 8), 66, 87 - 11 * n, 7.5))
        if chance.random() < 0.6:
            content.append(b"60 102 m 200 102 l S")
        document.page(content)


def clauses(document: Document) -> None:
    """Numbered clauses of up to four levels, some numbers left out or said again, over page ends."""
    chance = document.chance
    document.size = 10
    dot, hang, step = chance.choice(("", ".")), chance.choice((0, 30, 40)), chance.choice((0, 20, 26))
    looks = chance.choice(((1, 1, 1, "(a)"), (1, 1, "(a)", "(i)"), ("I.", "A.", 1, "a)")))
    counts = [0, 0, 0, 0]
    for _ in range(chance.randint(1, 3)):
        content: list[bytes] = []
        y = 780.0
        while y > 120:
            depth = chance.choice((0, 1, 1, 1, 2, 2, 3)) if counts[0] else 0
            depth = min(depth, next((n for n, count in enumerate(counts) if not count), 3))
            counts[depth] += chance.choice((1, 1, 1, 1, 1, 1, 1, 2, 0))
            counts[depth] = max(counts[depth], 1)
            counts[depth + 1 :] = [0] * (3 - depth)
            number = document.note(_numbered(looks[depth], counts, depth, dot))
            x = 60 + step * depth
            content.append(shown(f"{number} {document.line(3, 8)}" if not hang else number, x, y))
            for row in range(chance.choice((1, 1, 2, 3))):
                if row or hang:
                    y -= 13 * bool(row)
                    content.append(shown(document.line(3, 6), x + hang, y))
            y -= chance.choice((13, 19, 26))
        document.page(content)


def _numbered(look: int | str, counts: list[int], depth: int, dot: str) -> str:
    """The number of a clause, of one part or of several."""
    if isinstance(look, int):
        return ".".join(map(str, counts[: depth + 1])) + (dot if depth else ".")
    count = counts[depth]
    roman = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")[(count - 1) % 10]
    letter = chr(ord("a") + (count - 1) % 26)
    named = {"a": letter, "A": letter.upper(), "i": roman, "I": roman.upper()}
    return "".join(named.get(sign, sign) for sign in look)


def margins(document: Document) -> None:
    """Notes beside the text, left or right of it."""
    document.ordered = False
    chance = document.chance
    for _ in range(chance.randint(1, 3)):
        content: list[bytes] = []
        left = chance.random() < 0.5
        lines(document, content, chance.randint(10, 50), 170 if left else 60, words=(4, 7))
        for n in range(chance.randint(1, 5)):
            lines(document, content, chance.randint(1, 3), 30 if left else 470, 760 - 140 * n, (0, 1), 7)
        document.page(content)


def varying_heads(document: Document) -> None:
    """Heads with the first and last entry of each page, or with the chapter, and a number, even and odd apart."""
    chance = document.chance
    document.ordered = False
    number, gap = chance.randint(1, 400), chance.choice((16, 30))
    for n in range(chance.randint(2, 9)):
        head, count = document.line(0, 1), document.note(str(number + n))
        sides = (60, 520) if n % 2 else (520 - width_of(head, 9), 60)
        content = [shown(head, sides[0], 810, 9), shown(count, sides[1], 810, 9)]
        lines(document, content, chance.randint(3, 45), y=810 - gap)
        document.page(content)


def hyphens(document: Document) -> None:
    """Words that the ends of lines part."""
    content: list[bytes] = []
    y = 780.0
    for _ in range(document.chance.randint(3, 20)):
        content.append(shown(f"{document.line(3, 5)} {document.note('har-')}", 60, y))
        document.said[-1] = "harbour"
        content.append(shown(f"bour {document.line(3, 5)}", 60, y - 13))
        y -= 26
    document.page(content)


def signs(document: Document) -> None:
    """What means something to Markdown, HTML and RTF, and letters beyond English."""
    content: list[bytes] = []
    y = 780.0
    for _ in range(document.chance.randint(3, 30)):
        text = f"{document.line(1, 3)} {document.note(document.chance.choice(_SIGNS))}"
        content.append(shown(text, 60, y))
        y -= document.chance.choice((13, 26))
    document.page(content)


def scripts(document: Document) -> None:
    """Lines of one other script, with amounts and codes between the words; from right to left as it is printed."""
    chance = document.chance
    document.ordered = False
    own = chance.choice(list(_SCRIPTS))
    letters, wide = own + " 0123456789.,'’-−()CREUINV", _SCRIPTS[own]
    font, backwards = document.script(letters, wide), own[0] in _RIGHT_TO_LEFT
    content: list[bytes] = []
    y = 780.0
    for _ in range(chance.randint(2, 25)):
        words = []
        for _ in range(chance.randint(2, 5)):
            kind = chance.random()
            if kind < 0.15:
                words.append(document.amount(chance.choice(("", "-{}", "({})", "{}-", "−{}"))))
            elif kind < 0.25:
                words.append(document.note(chance.choice(("EUR", "INV"))))
            else:
                words.append(document.note("".join(chance.choice(own) for _ in range(chance.randint(2, 7)))))
        printed = [word[::-1] if word[0] in own else word for word in reversed(words)] if backwards else words
        text = " ".join(printed)
        x = 560 - len(text) * document.size * wide if backwards else 40
        content.append(spelled(letters, font, text, x, y, document.size))
        y -= document.size * 1.5
    document.page(content)


SHAPES = (columns, noted, clauses, margins, varying_heads, hyphens, signs, scripts)
