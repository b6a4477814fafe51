"""A document of the model as an RTF file; flow and box as in the Word writer."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from itertools import chain
from locale import windows_locale
from pathlib import Path

from paperchute.engine.document.model import Facts, Page, Style
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.fonts import MONO, SERIF
from paperchute.engine.writing.office.pages import fitted, with_seen_words
from paperchute.engine.writing.office.styles import HEADINGS, Looks, StyleBook
from paperchute.engine.writing.rtf.body import Body, Boxes, Lists, scratch
from paperchute.engine.writing.rtf.text import TITLE, Text, escaped

_ENGLISH = 0x0409  # US English, by the numbers of Windows


def write_rtf(facts: Facts, pages: Iterable[Page], path: Path, *, boxed: bool) -> Path:
    """Write the pages, and return the path. boxed: keep every block at its place. Raises OSError.

    RTF names its fonts, styles and lists first, so the text waits in a scratch file until they are known.
    """
    walk = iter(pages)
    first = next(walk, None)
    looks = Looks.of(facts, first)
    flow = Flow(facts.page_count, looks)
    text = Text(looks.family, flow.notes.found)
    text.font(looks.family)
    styles = StyleBook(Style(size=looks.size, font=looks.family))
    lists = Lists()
    sheets = (with_seen_words(fitted(page)) for page in (chain([first], walk) if first is not None else ()))
    with scratch() as waiting:
        even = False
        if boxed:
            boxes = Boxes(waiting, text, styles, looks.family)
            for page in sheets:
                boxes.page(page)
        else:
            body = Body(waiting, text, styles, lists)
            for part in flow.parts(sheets):
                body.add(part)
            body.finish()
            even = body.even
        style_table = _styles(styles, text)
        waiting.seek(0)
        with path.open("w", encoding="ascii", newline="\n") as file:
            file.write(f"{{\\rtf1\\ansi\\ansicpg1252\\uc1\\deff0\\deflang{_language(facts.spoken)}\n")
            file.write(_fonts(text) + _colors(text) + style_table + lists.tables())
            file.write(f"{{\\info{{\\title {escaped(facts.title)}}}}}\n")
            file.write(
                ("\\facingp" if even else "") + f"\\widowctrl\\viewkind1\\fet0\\ftnstart{flow.notes.start}\\ftnbj\n"
            )
            shutil.copyfileobj(waiting, file)
            file.write("}\n")
    return path


def _language(name: str) -> int:
    """The number that Windows has for a language, US English where it has none."""
    wanted = name.replace("-", "_").lower()
    for exact in (True, False):
        for number, known in windows_locale.items():
            if wanted and (known.lower() == wanted if exact else known.lower().split("_")[0] == wanted.split("_")[0]):
                return number
    return _ENGLISH


def _fonts(text: Text) -> str:
    kinds = {SERIF: "\\froman", MONO: "\\fmodern"}
    fonts = ""
    for name, number in text.fonts.items():
        kind = kinds.get(name, "\\fnil")
        fonts += f"{{\\f{number}{kind}\\fcharset0 {escaped(name.replace(';', ''))};}}"
    return f"{{\\fonttbl{fonts}}}\n"


def _colors(text: Text) -> str:
    parts = ([int(color[place : place + 2], 16) for place in (1, 3, 5)] for color in text.colors)
    table = "".join(f"\\red{red}\\green{green}\\blue{blue};" for red, green, blue in parts)
    return f"{{\\colortbl;{table}}}\n"


def _styles(styles: StyleBook, text: Text) -> str:
    """The style sheet. Every paragraph repeats its style's look, as RTF readers do not apply it by themselves."""
    body = styles.body
    found = f"{{\\s0{text.look(body, body)} Normal;}}"
    for level in range(1, HEADINGS + 1):
        look = styles.heading(level)
        found += f"{{\\s{level}\\outlinelevel{level - 1}\\keepn{text.look(look, look)}\\sbasedon0 heading {level};}}"
    title = styles.heading(0)
    return f"{{\\stylesheet{found}{{\\s{TITLE}\\keepn{text.look(title, title)}\\sbasedon0 Title;}}}}\n"
