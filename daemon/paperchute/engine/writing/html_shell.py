"""What is around the body of an HTML file: head, style, bookmarks, the way to the pages before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from paperchute.engine.document.headings import nested
from paperchute.engine.writing.html_text import text_html

_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"


def _style(name: str) -> str:
    return resources.files(__package__).joinpath(f"{name}.css").read_text("utf-8")


_COMMON = _style("html_common")

FLOW_STYLE = _style("html_flow")

BOX_STYLE = _style("html_box")


@dataclass(frozen=True, slots=True)
class Entry:
    """A bookmark: its level from 1, its words, the address it leads to."""

    level: int
    title: str
    address: str


def head(title: str, language: str, styles: str, name: str = "") -> str:
    """From the doctype to the beginning of the body. name: a class of the body."""
    lang = f' lang="{text_html(language)}"' if language else ""
    kind = f' class="{name}"' if name else ""
    return (
        f'<!DOCTYPE html>\n<html{lang}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{text_html(title)}</title>\n'
        f"<style>{_COMMON}{styles}</style>\n</head>\n<body{kind}>\n"
    )


TAIL = "</body>\n</html>\n"


def bookmarks(entries: Sequence[Entry]) -> str:
    """The document's outline as nested links."""
    items = "\n".join(nested(entries, _item))
    return f'<nav class="bookmarks" role="doc-toc">\n<ol>\n{items}\n</ol>\n</nav>\n'


def pages_bar(before: str, contents: str, after: str, label: str) -> str:
    """The way to the pages before and after; empty addresses are left out."""
    links = [
        f'<a href="{text_html(address)}" rel="{rel}" aria-label="{rel}">{text}</a>'
        for address, rel, text in ((before, "prev", "←"), (contents, "contents", "☰"), (after, "next", "→"))
        if address
    ]
    return f'<nav class="pages">{" ".join(links)}<span>{text_html(label)}</span></nav>\n'


def _item(entry: Entry, children: list[str]) -> str:
    below = f"\n<ol>\n{chr(10).join(children)}\n</ol>" if children else ""
    return f'<li><a href="{text_html(entry.address)}">{text_html(entry.title)}</a>{below}</li>'
