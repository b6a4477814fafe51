"""The HTML writer: one file or one for each page, flowing or with fixed pages, and what stands around their bodies."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import IO
from urllib.parse import quote

from paperchute.engine.document.headings import nested
from paperchute.engine.document.model import Bookmark, Facts, Page
from paperchute.engine.writing.html.box import BoxBody
from paperchute.engine.writing.html.flow import Anchor, FlowBody
from paperchute.engine.writing.html.text import text_html
from paperchute.engine.writing.pictures import PictureData, PictureFiles, Pictures

_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"


def _style(name: str) -> str:
    return resources.files(__package__).joinpath(f"{name}.css").read_text("utf-8")


_COMMON = _style("common")

FLOW_STYLE = _style("flow")

BOX_STYLE = _style("box")


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


@dataclass(slots=True)
class HtmlWriter:
    """Writes a document into `folder`, its files named after `name`.

    boxed: fixed pages (e_Box) instead of flowing text (e_Flow). marked: with bookmarks. facts: those of the document.
    Raises OSError.
    """

    folder: Path
    name: str
    facts: Facts
    boxed: bool = False
    marked: bool = False
    _anchors: list[tuple[Anchor, str]] = field(default_factory=list)  # with the file each stands in

    def write_one(self, pages: Iterable[Page]) -> list[Path]:
        """Everything in one file."""
        path = self.folder / f"{self.name}.html"
        numbers: list[int] = []
        with _Spool(self.folder / f"{self.name}.part") as spool:
            styles = self._body(spool, _numbered(pages, numbers), PictureData(), "")
            with path.open("w", encoding="utf-8", newline="\n") as out:
                out.write(head(self._title(), self.facts.spoken, styles, "with-bookmarks" if self.marked else ""))
                if self.marked:
                    out.write(bookmarks(self._entries(dict.fromkeys(numbers, ""))))
                spool.move_to(out)
                out.write(TAIL)
        return [path]

    def write_many(self, pages: Iterable[Page]) -> list[Path]:
        """One file a page; with bookmarks an index.html in front, and the way from page to page in each."""
        pictures = PictureFiles(self.folder, self.name)
        files: dict[int, str] = {}
        for page, follows in _with_next(pages):
            path = self.folder / self._file(page.number)
            files[page.number] = path.name
            with _Spool(self.folder / f"{self.name}.part") as spool:
                styles = self._body(spool, [page], pictures, path.name)
                with path.open("w", encoding="utf-8", newline="\n") as out:
                    out.write(head(f"{self._title()} – {page.number}", self.facts.spoken, styles))
                    bar = self._bar(list(files), follows) if self.marked else ""
                    out.write(bar)
                    spool.move_to(out)
                    out.write(bar + TAIL)
        outputs = [self.folder / name for name in dict.fromkeys(files.values())]
        if self.marked:
            outputs.insert(0, self._index(files))
        return outputs + pictures.files

    def _body(self, spool: _Spool, pages: Iterable[Page], pictures: Pictures, file: str) -> str:
        """The body into `spool`; its styles."""
        spool.file.write("<main>\n")
        body = BoxBody(pictures) if self.boxed else FlowBody(pictures, spool.keep_note)
        for text in body.texts(pages):
            spool.file.write(text)
        spool.notes.flush()
        if spool.notes.tell():
            spool.file.write('<section class="footnotes" role="doc-endnotes">\n')
            spool.add_notes()
            spool.file.write("</section>\n")
        spool.file.write("</main>\n")
        self._anchors += [(anchor, file) for anchor in body.anchors]
        return f"{BOX_STYLE}{body.styles}\n" if isinstance(body, BoxBody) else FLOW_STYLE

    def _index(self, files: dict[int, str]) -> Path:
        path = self.folder / "index.html"
        with path.open("w", encoding="utf-8", newline="\n") as out:
            out.write(head(self._title(), self.facts.spoken, FLOW_STYLE))
            out.write(f'<header class="cover"><h1>{text_html(self._title())}</h1></header>\n')
            out.write(bookmarks(self._entries(files)))
            out.write(TAIL)
        return path

    def _entries(self, files: dict[int, str]) -> list[Entry]:
        """The document's own outline, else its headings, else its pages. files: of each page that was written."""
        found: list[Entry] = []
        if self.facts.outline:
            by_title = {(anchor.page, _plain(anchor.title)): (anchor, file) for anchor, file in self._anchors}
            for mark in self.facts.outline:
                if mark.page in files:
                    found.append(_entry(mark, by_title.get((mark.page, _plain(mark.title))), files))
        if not found:
            found = [Entry(anchor.level, anchor.title, f"{quote(file)}#{anchor.id}") for anchor, file in self._anchors]
        return found or [Entry(1, str(page), f"{quote(file)}#page-{page}") for page, file in files.items()]

    def _bar(self, numbers: Sequence[int], follows: int | None) -> str:
        before = quote(self._file(numbers[-2])) if len(numbers) > 1 else ""
        after = quote(self._file(follows)) if follows is not None else ""
        return pages_bar(before, "index.html", after, f"{numbers[-1]} / {self.facts.page_count}")

    def _file(self, page: int) -> str:
        return f"{self.name}-{page:0{len(str(self.facts.page_count))}}.html"

    def _title(self) -> str:
        return self.facts.title or self.name


class _Spool:
    """A body and its footnotes in scratch files, as what stands in front of them is known only afterwards."""

    def __init__(self, path: Path) -> None:
        self._paths = path, path.with_suffix(".notes")
        self.file: IO[str] = self._paths[0].open("w+", encoding="utf-8", newline="\n")
        self.notes: IO[str] = self._paths[1].open("w+", encoding="utf-8", newline="\n")

    def __enter__(self) -> _Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.notes.close()
        for path in self._paths:
            path.unlink()

    def keep_note(self, text: str) -> None:
        """One footnote."""
        self.notes.write(text)

    def add_notes(self) -> None:
        """The footnotes go behind the body."""
        self.notes.seek(0)
        shutil.copyfileobj(self.notes, self.file)

    def move_to(self, out: IO[str]) -> None:
        """All of it into the file it was made for."""
        self.file.seek(0)
        shutil.copyfileobj(self.file, out)


def _entry(mark: Bookmark, heading: tuple[Anchor, str] | None, files: dict[int, str]) -> Entry:
    if heading is not None:
        return Entry(mark.level, mark.title, f"{quote(heading[1])}#{heading[0].id}")
    return Entry(mark.level, mark.title, f"{quote(files[mark.page])}#page-{mark.page}")


def _numbered(pages: Iterable[Page], numbers: list[int]) -> Iterator[Page]:
    for page in pages:
        numbers.append(page.number)
        yield page


def _with_next(pages: Iterable[Page]) -> Iterator[tuple[Page, int | None]]:
    """Each page once, with the number of the one that follows it."""
    seen: set[int] = set()

    def once() -> Iterator[Page | None]:
        for page in pages:
            if page.number not in seen:
                seen.add(page.number)
                yield page
        yield None

    for page, following in pairwise(once()):
        assert page is not None
        yield page, following.number if following is not None else None


def _plain(title: str) -> str:
    return "".join(c for c in title.casefold() if c.isalnum())
