"""HTML that office files and texts are printed from."""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt

from paperchute.engine.work import Refused
from paperchute.language import _

TAB = "\u2003"
"""What stands in the place of a tabulator, which HTML takes for a space."""
_PICTURES = {"image/png", "image/jpeg", "image/gif", "image/bmp", "image/webp", "image/tiff"}
_STYLE = """
body{font:10.5pt/1.35 sans-serif}
h1{font-size:19pt}h2{font-size:16pt}h3{font-size:14pt}h4{font-size:12.5pt}h5,h6{font-size:11.5pt}
h1,h2,h3,h4,h5,h6{break-after:avoid}
table{border-collapse:collapse;margin:8pt 0}
td,th{border:0.75pt solid #000;padding:3pt 5pt;text-align:left;vertical-align:top}
td p,th p{margin:0}
tr{break-inside:avoid}
ul{list-style-type:disc}
img{max-width:100%}
pre{white-space:pre-wrap;font-family:monospace}
p.as-typed{white-space:pre-line}
section{break-after:page}
section:last-child{break-after:auto}
"""

MOST_CELLS = 500_000  # of a workbook, or of a table of text: a bound on time and memory
WIDEST = 14_000.0  # points: PDF readers show no page beyond 14,400 (ISO 32000-1, annex C)
_LETTER = 7.0  # points that a letter takes, at most mostly
_ROOM = 450.0  # points of a line on A4
_BREAKING = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
"""Scripts whose lines end between any characters, or by a dictionary."""
_WHOLE_WORD = re.compile(f"<[^<>]*>|[^\\s<>{_BREAKING}]+")
_LONGEST = 1800  # letters in a line
_PIECE = re.compile(f"<[^<>]*>|(?:[^\\s<>&{_BREAKING}]|&[^\\s<>&;]{{1,10}};){{1,{_LONGEST}}}")
_ENTITY = re.compile("&[^;]*;")


def _broken(piece: re.Match[str]) -> str:
    """A tag as it is; a piece of a word with a place behind it where the word may end a line, if it is a long one."""
    text = piece[0]
    if len(text) < _LONGEST or text.startswith("<") or len(_ENTITY.sub(" ", text)) < _LONGEST:
        return text
    return f"{text}<wbr>"


class Cell(NamedTuple):
    """A table cell: its content as HTML, the columns and rows it covers."""

    html: str
    columns: int = 1
    rows: int = 1


def page(body: str, title: str = "", width: float = 0.0, height: float = 0.0) -> str:
    """A whole document. width and height: of its pages in points, where they are not A4.

    They are wider where a word would not fit: what is too wide for its page has the whole of it printed smaller, until
    nobody can read it. A word that fits on no page goes on in the next line.
    """
    texts = _WHOLE_WORD.finditer(body)
    need = _LETTER * max((len(found[0]) for found in texts if not found[0].startswith("<")), default=0)
    if need > _ROOM:
        body = _PIECE.sub(_broken, body)
        width, height = min(max(width, 595.0) + need, WIDEST), height or 842.0
    size = f"@page{{size:{width:.0f}pt {height:.0f}pt;margin:36pt}}" if width and height else ""
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}{size}</style>'
        f"</head><body>{body}</body></html>"
    )


def table(rows: Iterable[Sequence[Cell]], heads: int = 0) -> str:
    """A ruled table. heads: how many of its rows are its head."""
    made = []
    for number, row in enumerate(rows):
        tag = "th" if number < heads else "td"
        cells = "".join(f'<{tag} colspan="{cell.columns}" rowspan="{cell.rows}">{cell.html}</{tag}>' for cell in row)
        made.append(f"<tr>{cells}</tr>")
    if not made:
        return ""
    head = f"<thead>{''.join(made[:heads])}</thead>" if heads else ""
    return f"<table>{head}<tbody>{''.join(made[heads:])}</tbody></table>"


def picture(data: bytes, kind: str, width: float = 0.0) -> str:
    """An inline picture, `width` points wide where that is known; nothing for kinds that cannot be shown."""
    if kind not in _PICTURES:
        return ""
    size = f' style="width:{width:.1f}pt"' if width > 0 else ""
    return f'<img src="data:{kind};base64,{base64.b64encode(data).decode()}"{size}>'


_LOOKED_AT = 20_000  # characters
_DELIMITERS = ",;\t|"
_NAMED_DELIMITER = re.compile(r"sep=(.)[ \t]*(?:\r\n?|\n)", re.IGNORECASE)
_MARGINS = 72.0  # points of a page
_WIDE = 6  # columns; more of them need wider paper
_COLUMN = 85.0  # points


_WRAPPED = 50  # characters: in narrower paragraphs, as those of addresses, no line end comes from a margin


def text_html(text: str) -> str:
    """Plain text: blank lines part paragraphs, line ends stay; those that somebody meant are breaks."""
    parts = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    return page("".join(f'<p class="as-typed">{_typed(part.strip())}</p>' for part in parts if part.strip()))


def _typed(paragraph: str) -> str:
    """A paragraph, with a break behind each line into which the next line's first word would have fitted."""
    lines = paragraph.split("\n")
    width = max(map(len, lines))
    made = escape(lines[0])
    for before, line in pairwise(lines):
        word = next(iter(line.split()), "")
        is_meant = width < _WRAPPED or len(before.rstrip()) + 1 + len(word) <= width
        made += ("<br>" if is_meant else "\n") + escape(line)
    return made


def markdown_html(text: str) -> str:
    """CommonMark with tables and strikethrough; of HTML in it what formats text, other tags are shown as text."""
    writer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for kind in ("html_block", "html_inline"):
        writer.add_render_rule(kind, lambda _, tokens, at, *_rest: _formatting(tokens[at].content))
    return page(writer.render(text))


def _formatting(html: str) -> str:
    """HTML without comments, and with all but formatting as text: `<folder>` is a word that people see."""

    def tag(found: re.Match[str]) -> str:
        return found[0] if (found[1] or "").lower() in _FORMATTING else escape(found[0])

    made, at = "", 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start)) >= 0:
        made += html[at:start]
        at = end + len("-->")
    return _TAG.sub(tag, made + html[at:])


_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?/?>|<")
_FORMATTING = frozenset(
    {
        *("a", "abbr", "b", "big", "blockquote", "br", "caption", "center", "code", "col", "colgroup", "dd", "del"),
        *(
            "details",
            "div",
            "dl",
            "dt",
            "em",
            "font",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "i",
            "img",
            "ins",
            "kbd",
        ),
        *(
            "li",
            "mark",
            "ol",
            "p",
            "pre",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strike",
            "strong",
            "sub",
            "summary",
            "sup",
        ),
        *("table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul"),
    }
)


def csv_html(text: str) -> str:
    """One table, as wide as it has columns.

    Its delimiter is the one that the first line names as Excel does, else the one that parts the first lines most
    evenly. Raises Refused 02209: too many cells.
    """
    named = _NAMED_DELIMITER.match(text)
    delimiter = named[1] if named else _delimiter(text[:_LOOKED_AT])
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # it is the process's, never to be less
    lines = io.StringIO(text[named.end() :] if named else text, newline="")
    rows = [row for row in csv.reader(lines, delimiter=delimiter) if any(row)]
    columns = max(map(len, rows), default=0)
    if columns * len(rows) > MOST_CELLS:  # short rows are filled up
        raise Refused("02209", _("A table has more than {most} cells; split it first.", most=f"{MOST_CELLS:,}"))
    cells = ([Cell(escape(value)) for value in row + [""] * (columns - len(row))] for row in rows)
    width = min(_COLUMN * columns + _MARGINS, WIDEST) if columns > _WIDE else 0.0
    return page(table(cells, heads=1 if len(rows) > 1 else 0), width=width, height=842.0)


def _delimiter(start: str) -> str:
    lines = [line for line in start.splitlines() if line.strip()][:50]
    counts = {sign: [line.count(sign) for line in lines] for sign in _DELIMITERS}
    return max(_DELIMITERS, key=lambda sign: (min(counts[sign], default=0), sum(counts[sign])))
