"""Displayed formulas: one block each, with its number; formulas inside of lines and lists stay there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from paperchute.engine.document.model import Block
from tests.engine.reading.printing import LOREM, blocks, convert, printed


def _at(left: float, top: float, html: str) -> str:
    return f'<div style="position:absolute;white-space:nowrap;left:{left}pt;top:{top}pt">{html}</div>'


def _read(path: Path, *boxes: str) -> list[Block]:
    """A page with a paragraph above and below the boxes."""
    above, below = (f'<div style="position:absolute;left:0;width:480pt;top:{top}pt">{LOREM}</div>' for top in (0, 300))
    css = "body{font-size:10pt;line-height:12pt} sup,sub{font-size:7pt} @page{margin:50pt}"
    return blocks(printed(path, above + "".join(boxes) + below, css))


def _words(block: Block) -> list[str]:
    return sorted(" ".join(line.text for line in block.lines).split())


_FRACTION = [
    _at(180, 100, "<i>f</i>(<i>x</i>) ="),
    _at(222, 92, "<i>a</i> + <i>b</i>"),
    _at(230, 106, "<i>c</i>"),
]


def test_a_displayed_formula_is_one_block_with_its_number(tmp_path: Path) -> None:
    found = _read(tmp_path / "a.pdf", *_FRACTION, _at(465, 100, "(7)"))
    assert [block.kind for block in found] == ["text", "formula", "text"]
    assert _words(found[1]) == sorted(["f(x)", "=", "a", "+", "b", "c", "(7)"])


def test_lines_of_equations_with_numbers_are_one_formula_and_no_table(tmp_path: Path) -> None:
    lines = [("<i>a</i> =", "<i>b</i> + <i>c</i>"), ("<i>d</i> =", "<i>e</i> − <i>f</i>"), ("<i>g</i> =", "0")]
    boxes = [_at(200, 100 + 15 * n, f"{left} {right}") for n, (left, right) in enumerate(lines)]
    boxes += [_at(465, 100 + 15 * n, f"({n + 1})") for n in range(3)]
    found = _read(tmp_path / "a.pdf", *boxes)
    assert [block.kind for block in found] == ["text", "formula", "text"]
    assert [line.text.split()[-1] for line in found[1].lines] == ["(1)", "(2)", "(3)"]


def test_cases_with_their_words_are_one_formula(tmp_path: Path) -> None:
    boxes = [
        _at(160, 107, "<i>f</i>(<i>x</i>) ="),
        _at(205, 100, "<i>x</i> + 1"),
        _at(255, 100, "if <i>x</i> &gt; 0"),
        _at(205, 115, "0"),
        _at(255, 115, "otherwise."),
    ]
    found = _read(tmp_path / "a.pdf", *boxes)
    assert [block.kind for block in found] == ["text", "formula", "text"]
    assert _words(found[1]) == sorted(["f(x)", "=", "x", "+", "1", "if", "x", ">", "0", "0", "otherwise."])


@pytest.mark.parametrize(
    ("html", "latex"),
    [
        ("<i>E</i> = <i>mc</i><sup>2</sup>", "E = m c^{2}"),
        ("<i>y</i><sub><i>t</i></sub> = <i>β</i><sub>0</sub> + 3<i>x</i>", r"y_{t} = \beta_{0} + 3 x"),
        ("<i>S</i> = <i>k</i> ln <i>Ω</i> ≤ 1", r"S = k \ln \Omega \le 1"),
        ("<b>F</b> = <i>q</i> <b>E</b> if <i>q</i> &gt; 0", r"\mathbf{F} = q \mathbf{E} \text{ if } q > 0"),
        ("<i>a</i> = <i>b</i> ☃ <i>c</i>", ""),
        ("<i>a</i> = <i>x</i><sup>2<sup style='font-size:5pt'>3</sup></sup>", ""),
    ],
)
def test_lines_of_signs_are_latex_and_what_is_not_sure_is_none(tmp_path: Path, html: str, latex: str) -> None:
    found = _read(tmp_path / "a.pdf", _at(200, 100, html), _at(465, 100, "(4)"))
    assert [block.kind for block in found] == ["text", "formula", "text"]
    assert found[1].latex == (latex and latex + r" \tag{4}")


def test_fractions_are_no_latex(tmp_path: Path) -> None:
    found = _read(tmp_path / "a.pdf", *_FRACTION, '<hr style="position:absolute;left:222pt;width:24pt;top:98pt">')
    assert [block.latex for block in found if block.kind == "formula"] == [""]


def test_markdown_has_sure_formulas_in_latex(tmp_path: Path) -> None:
    _read(tmp_path / "a.pdf", _at(200, 100, "<i>a</i> = <i>b</i>"), _at(200, 115, "<i>c</i> = <i>d</i>"))
    text = convert(tmp_path / "a.pdf", tmp_path / "out")[0].read_text("utf-8")
    assert "\n\n$$\n\\begin{aligned}\na & = b \\\\\nc & = d\n\\end{aligned}\n$$\n\n" in text


def test_a_formula_that_ends_a_paragraph_stays_in_it(tmp_path: Path) -> None:
    html = f"<div style='width:300pt'>{LOREM}{LOREM} so that the result is then</div><div><i>x</i> = 0.</div>"
    found = blocks(printed(tmp_path / "a.pdf", html, "div{margin:0}"))
    assert {block.kind for block in found} == {"text"}


def test_numbered_exercises_stay_a_list(tmp_path: Path) -> None:
    items = "".join(f"<div>{n}. <i>s</i>(<i>t</i>) = {n} <i>t</i> − 8</div>" for n in range(1, 5))
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{items}"))
    assert "formula" not in {block.kind for block in found}


def test_figures_of_a_table_with_symbols_are_no_formula(tmp_path: Path) -> None:
    head = [_at(200 + 60 * n, 100, f"<i>{sign}</i> = {n}") for n, sign in enumerate("abc")]
    cells = [_at(200 + 60 * c, 115 + 14 * r, f"{17 * r + c}.{c + 3}8") for r in range(4) for c in range(3)]
    found = _read(tmp_path / "a.pdf", *head, *cells)
    assert "formula" not in {block.kind for block in found}


def named(path: Path, codes: Sequence[str]) -> Path:
    """A page with one letter for each of these UTF-16 codes, by which its font names them."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(300, 200))
    names = "".join(f"<{number:02x}> <{code}>\n" for number, code in enumerate(codes, 0x41))
    unicode = pdf.make_stream(
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n"
        + f"{len(codes)} beginbfchar\n{names}endbfchar endcmap end".encode()
    )
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name.Helvetica,
        FirstChar=0x41,
        LastChar=0x40 + len(codes),
        Widths=Array([600] * len(codes)),
        ToUnicode=unicode,
    )
    pdf.pages[0].obj.Resources = Dictionary(Font=Dictionary(F=font))
    letters = bytes(range(0x41, 0x41 + len(codes)))
    pdf.pages[0].obj.Contents = pdf.make_stream(b"BT /F 12 Tf 50 100 Td (" + letters + b") Tj ET")
    pdf.save(path)
    return path


def test_letters_of_formula_alphabets_are_read(tmp_path: Path) -> None:
    """TeX's newer fonts have mathematical letters, beyond U+FFFF: the italic ones are letters like any other."""
    page = named(tmp_path / "a.pdf", [letter.encode("utf-16-be").hex() for letter in "𝐿𝜃𝔼x"])
    assert [block.text for block in blocks(page)] == ["Lθ𝔼x"]


@pytest.mark.parametrize(("code", "read"), [("2f4a", "木"), ("d835", "\ufffd"), ("fb01", "fi")])
def test_radicals_are_the_characters_they_look_like(tmp_path: Path, code: str, read: str) -> None:
    """Fonts that have one shape for both often name the radical; half of a character is unreadable."""
    assert [block.text for block in blocks(named(tmp_path / "a.pdf", [code]))] == [read]


def test_a_number_that_is_written_after_the_formula_but_stands_before_it_is_a_word_of_its_own(tmp_path: Path) -> None:
    """So TeX sets numbers at the left: the text goes back inside of one string."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(400, 200))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    pdf.pages[0].obj.Resources = Dictionary(Font=Dictionary(F=font))
    pdf.pages[0].obj.Contents = pdf.make_stream(b"BT /F 10 Tf 200 100 Td [(a = 20) 18000 (\\(3\\))] TJ ET")
    pdf.save(tmp_path / "a.pdf")
    (block,) = blocks(tmp_path / "a.pdf")
    assert block.text.split() == ["(3)", "a", "=", "20"]
