"""Fonts that do not say what their glyphs mean: TeX's large signs, and the type of unseen text."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Dictionary, Name

from paperchute.engine.reading.pdf.large_signs import large_sign
from tests.engine.reading.printing import blocks, printed
from tests.engine.reading.sheets import Said, written


def _with_large_signs(path: Path) -> Path:
    """The document with its typewriter font as TeX's of large signs, its glyphs by names that no list has."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for item in pdf.objects:
            if isinstance(item, pikepdf.Dictionary) and "Mono" in str(item.get("/BaseFont", "")):
                del item["/ToUnicode"]
                item.BaseFont = Name("/ABCDEF+CMEX10")
                names = (Name(f"/{large}display") for large in range(256))
                item.Encoding = Dictionary(Differences=pikepdf.Array([0, *names]))
        pdf.save(path)
    return path


@pytest.mark.parametrize(
    ("code", "sign"),
    [
        ("X", "∑"),
        ("P", "∑"),
        ("Z", "∫"),
        ("q", "√"),
        ("\x00", "("),
        ("\x21", ")"),
        ("8", "⎧"),
        ("\xa1", "("),
        ("é", "é"),
    ],
)
def test_codes_of_tex_s_large_signs(code: str, sign: str) -> None:
    assert large_sign(code) == sign


def test_large_signs_are_read_as_what_they_show_and_other_fonts_keep_their_letters(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", "<p>Zone X holds <code>X a P</code> of q</p>")
    assert blocks(path)[0].text == "Zone X holds X a P of q"
    assert blocks(_with_large_signs(path))[0].text == "Zone X holds ∑(∐(∑ of q"  # 0x20 is a bracket there


@pytest.mark.parametrize(("mode", "kind"), [(0, "code"), (3, "text")])
def test_a_recognising_programs_type_makes_no_code_of_a_scan(mode: int, kind: str, tmp_path: Path) -> None:
    lines = [
        Said(f"The survey of the harbours showed that quay {n} was of brick", 72, 90 + 11 * n, 9, "M") for n in range(4)
    ]
    path = written(tmp_path / "a.pdf", [lines])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0].obj
        page.Contents = pdf.make_stream(b"%d Tr " % mode + page.Contents.read_bytes())
        pdf.save(path)
    assert [block.kind for block in blocks(path)] == [kind]
