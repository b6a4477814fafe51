"""Letters that no font of the machine has: the PDF shows nothing of them, and that is said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.engine import fonts

_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""
_PROGRAM = """
import json, sys
from pathlib import Path
import plutoprint, pypdfium2
from paperchute.engine import report
from paperchute.engine.html.fetch import FetchPolicy
from paperchute.engine.html.render import Page, render
plutoprint.plutobook_set_fontconfig_path(sys.argv[1])
output = Path(sys.argv[1], "page.pdf")
with report.collected() as told:
    render(Page(sys.argv[2]), output, FetchPolicy())
with pypdfium2.PdfDocument(output) as pdf:
    text = pdf[0].get_textpage().get_text_bounded()
print(json.dumps([told, text]))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="PlutoBook takes the system's fonts there")


CARRIED = Path(fonts.__file__).parent
OPENTYPE = Path("/usr/share/fonts/opentype/urw-base35")  # of Debian's fonts-urw-base35; with outlines as PostScript has


def printed(folder: Path, html: str, only: Path = CARRIED) -> tuple[list[str], str]:
    """What is told where the machine has no font but those of the folder `only`, and the text of the PDF."""
    (folder / "fonts.conf").write_text(_FONTS.format(fonts=only, cache=folder), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, folder, html], capture_output=True, encoding="utf-8", check=True
    )
    told, text = json.loads(done.stdout)
    return told, text


def test_letters_that_no_font_has_are_told_and_become_no_others(tmp_path: Path) -> None:
    told, text = printed(tmp_path, "<p>Rechnung 中文的發票 für Po\ufb06en, ab 5\u202f€")
    assert told == [
        "No font of this machine has 中 文 的 發 票 ﬆ, so they are not shown. Install a font that has them."
    ]
    assert "Rechnung" in text
    assert "st" not in text, "they are one glyph, which is none of them"


def test_one_letter_that_no_font_has_is_found_as_it_is_typed(tmp_path: Path) -> None:
    told, text = printed(tmp_path, "<p>Po\ufb06en")
    assert [one.partition(",")[0] for one in told] == ["No font of this machine has ﬆ"]
    assert "\ufb06" not in text


@pytest.mark.parametrize(
    "html", ["<p>Größe «5 €» – “½”", "<p>a\u200bb\u2009c\u00add\u2060e\ufe0f x\u2011y \u2066z\u2069", "<p>cafe\u0301"]
)
def test_nothing_is_told_of_what_is_printed_or_shows_nothing(html: str, tmp_path: Path) -> None:
    assert printed(tmp_path, html)[0] == []


@pytest.mark.skipif(not OPENTYPE.is_dir(), reason="needs the Debian package fonts-urw-base35")
def test_fonts_with_outlines_of_postscript_are_looked_into_as_well(tmp_path: Path) -> None:
    told, text = printed(tmp_path, "<p>Rechnung 中文 für 5 € an Ελλάδα", OPENTYPE)
    assert told == ["No font of this machine has 中 文, so they are not shown. Install a font that has them."]
    assert "Rechnung" in text
    assert "中" not in text
