"""Formulas in MathML are laid out, or written in one line with a warning; what is read back says what was written."""

from __future__ import annotations

import re
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.engine import report
from tests.engine.html.pages import rendered

_Box = tuple[float, float, float, float]


def _tag(name: str, *parts: str, **attributes: str) -> str:
    given_ = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{given_}>{''.join(parts)}</{name}>"


def _tokens(text: str) -> str:
    """A row of the letters, numbers and signs of a text."""
    kinds = [("mn" if part[0].isdigit() else "mi" if part[0].isalpha() else "mo", part) for part in text.split()]
    return _tag("mrow", *(_tag(kind, part.replace("<", "&lt;")) for kind, part in kinds))


def _printed(folder: Path, *content: str, **attributes: str) -> tuple[str, list[tuple[str, _Box]], list[str]]:
    """A formula's text as it is copied from the page, its signs and where they stand, and what was warned of."""
    with report.collected() as warnings:
        path = rendered(folder, f"<p>Take {_tag('math', *content, **attributes)} more.</p>")
    with pypdfium2.PdfDocument(path) as pdf:
        page = pdf[0].get_textpage()
        text = page.get_text_range()
        places = [(page.get_text_range(at, 1), page.get_charbox(at)) for at in range(page.count_chars())]
    inner = [(sign, box) for sign, box in places if sign.strip()][len("Take") : -len("more.")]
    words = " ".join(text.split())
    return words.removeprefix("Take ").removesuffix(" more."), inner, list(warnings)


def _at(places: list[tuple[str, _Box]], sign: str) -> _Box:
    return next(box for found, box in places if found == sign)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (_tag("mfrac", _tag("mn", "1"), _tag("mn", "2")), "1⁄2"),
        (_tag("mn", "3") + _tag("mfrac", _tag("mn", "1"), _tag("mn", "4")) + _tag("mtext", " cups"), "3 1⁄4 cups"),
        (_tag("msup", _tag("mi", "x"), _tag("mfrac", _tokens("a + b"), _tag("mn", "2"))), "x(a+b)/2"),
        (_tag("mrow", _tag("mi", "sin"), _tag("mi", "x")), "sin x"),
        (_tag("mi", "R", mathvariant="double-struck") + _tag("mo", "&isin;") + _tag("mi", "𝑥"), "ℝ ∈ x"),
        (_tag("mfenced", _tokens("a"), _tokens("b"), _tokens("c"), open="[", separators=";,"), "[a; b, c)"),
        (_tag("mtext", "if &lt;b&gt; ", _tag("b", "or so")), "if <b> or so"),
        (_tag("semantics", _tokens("a = 7"), _tag("annotation", "a=7", encoding="TeX")), "a = 7"),
        (_tokens("x - 1 < 4"), "x − 1 < 4"),
    ],
)
def test_formulas_within_a_line_are_read_as_they_are_written(tmp_path: Path, content: str, text: str) -> None:
    found, _places, warnings = _printed(tmp_path, content)
    assert (found, warnings) == (text, [])


def test_the_parts_of_a_fraction_stand_above_each_other(tmp_path: Path) -> None:
    content = _tokens("y =") + _tag("mfrac", _tokens("a + b"), _tag("mfrac", _tag("mn", "7"), _tokens("c")))
    for attributes in ({}, {"display": "block"}):
        _text, places, _warnings = _printed(tmp_path, content, **attributes)
        equals, upper, seven, lower = (_at(places, sign) for sign in "=a7c")
        assert upper[1] > equals[3] > seven[3]
        assert seven[1] > lower[3]


def test_scripts_limits_and_roots_have_their_places(tmp_path: Path) -> None:
    total = _tag("munderover", _tag("mo", "∑"), _tokens("k = 1"), _tag("mi", "n"))
    power = _tag("msubsup", _tag("mi", "x"), _tag("mn", "2"), _tag("mn", "3"))
    content = total + power + _tag("mroot", _tokens("9"), _tokens("5"))
    text, places, _warnings = _printed(tmp_path, content, display="block")
    total_at, below, above = _at(places, "∑"), _at(places, "k"), _at(places, "n")
    assert below[3] < total_at[1]
    assert total_at[3] < above[1]
    base, lower, upper = _at(places, "x"), _at(places, "2"), _at(places, "3")
    assert lower[0] > base[2] - 1
    assert lower[1] < base[1] < upper[1]
    assert "√" in text
    assert _at(places, "5")[2] < _at(places, "9")[0]


def test_brackets_are_as_high_as_what_they_hold(tmp_path: Path) -> None:
    rows = [_tag("mtr", *(_tag("mtd", _tag("mn", sign)) for sign in row)) for row in ("123", "456", "789")]
    _text, places, _warnings = _printed(tmp_path, _tag("mrow", _tag("mo", "("), _tag("mtable", *rows), _tag("mo", ")")))
    with pypdfium2.PdfDocument(tmp_path / "page.pdf") as pdf:
        picture = pdf[0].render(scale=4).to_pil().convert("L")
    height = picture.height / 4

    def dark(left: float, right: float) -> tuple[float, float]:
        box = (
            picture.crop((int(4 * left), 0, int(4 * right), picture.height)).point(lambda v: 255 * (v < 128)).getbbox()
        )
        assert box is not None
        return height - box[3] / 4, height - box[1] / 4

    one, nine = _at(places, "1"), _at(places, "9")
    for left, right in ((_at(places, "(")[0], one[0] - 2), (nine[2] + 2, _at(places, ")")[2])):
        low, high = dark(left, right)
        assert low <= nine[1]
        assert high >= one[3]


@pytest.mark.parametrize(
    ("content", "text", "named"),
    [
        (_tag("mstack", _tag("mn", "424"), _tag("mn", "33")), "424; 33", "mstack"),
        (_tag("mfrac", _tokens("a + b"), _tag("mlongdiv", _tokens("3"), _tokens("435"))), "(a+b)/(3; 435)", "mlongdiv"),
        (_tag("apply", "<plus/>", _tag("ci", "a"), _tag("cn", "1")), "plus(a, 1)", "apply"),
        (_tag("menclose", _tokens("435"), notation="longdiv"), "435", "menclose (longdiv)"),
    ],
)
def test_what_is_not_laid_out_is_written_in_a_line_and_told(
    tmp_path: Path, content: str, text: str, named: str
) -> None:
    found, _places, warnings = _printed(tmp_path, content)
    assert found == text
    assert [named in warning for warning in warnings] == [True]


@pytest.mark.parametrize("depth", [3, 30, 300])
def test_deep_and_wide_formulas_lose_nothing(tmp_path: Path, depth: int) -> None:
    deep = "<mfrac><mn>1</mn><mrow><mn>1</mn><mo>+</mo>" * depth + "<mi>z</mi>" + "</mrow></mfrac>" * depth
    found, _places, warnings = _printed(tmp_path, deep)
    assert "z" in found
    assert len(warnings) == (depth > 16)
    wide = _tag("mfrac", "<mi>x</mi><mo>+</mo>" * 100 + "<mi>z</mi>", "<mi>y</mi>")
    found, places, warnings = _printed(tmp_path, wide)
    assert (found.count("x"), found.count("z"), len(warnings)) == (100, 1, 1)
    assert max(box[2] for _sign, box in places) < 595


def test_a_heading_with_a_formula_is_in_the_outline_as_it_reads(tmp_path: Path) -> None:
    half = _tag("math", _tag("mfrac", _tokens("a"), _tokens("b")), _tag("msup", _tag("mi", "x"), _tag("mn", "2")))
    path = rendered(tmp_path, f"<h1>The {half} rule</h1>")
    with pikepdf.open(path) as pdf, pdf.open_outline() as outline:
        assert [item.title for item in outline.root] == ["The a/bx^2 rule"]


def test_formulas_in_comments_and_scripts_are_none(tmp_path: Path) -> None:
    html = "<p>a<!-- <math><mn>1</mn> --><script>'<math><mi>q</mi>'</script></p><p>b <math><mi>c"
    with pypdfium2.PdfDocument(rendered(tmp_path, html)) as pdf:
        assert pdf[0].get_textpage().get_text_range().split() == ["a", "b", "c"]


_LEAVES = st.builds(_tag, st.sampled_from(["mi", "mn", "mtext"]), st.text("bcxyz0123456789", min_size=1, max_size=3))
_FORMULAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(st.one_of(inner, st.sampled_from([_tag("mo", sign) for sign in "+=()|"])), min_size=1, max_size=4).map(
            lambda parts: _tag("mrow", *parts)
        ),
        *(
            st.builds(_tag, st.just(name), *[inner] * count)
            for name, count in (
                *(("mfrac", 2), ("msqrt", 1), ("mroot", 2), ("msub", 2), ("msup", 2), ("msubsup", 3), ("mtable", 0)),
                *(("munder", 2), ("mover", 2), ("munderover", 3), ("mmultiscripts", 3), ("mfenced", 2), ("mstack", 2)),
            )
        ),
        st.lists(inner.map(lambda part: _tag("mtr", _tag("mtd", part))), max_size=3).map(
            lambda rows: _tag("mtable", *rows)
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=_FORMULAS, is_display=st.booleans())
def test_every_letter_and_figure_of_a_formula_is_on_the_page(tmp_path: Path, content: str, is_display: bool) -> None:
    found, _places, _warnings = _printed(tmp_path, content, display="block" if is_display else "inline")
    drawn = re.sub("<[^>]*>", "", content)
    assert sorted(re.sub("[^bcxyz0-9]", "", found)) == sorted(re.sub("[^bcxyz0-9]", "", drawn))
