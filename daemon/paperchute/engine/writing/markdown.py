"""The Markdown writer: GitHub-flavoured, images in files next to the text.

Flow: paragraphs reflow, divided words are closed, page furniture (running heads, feet, page numbers) is left out, what
a column or page end broke is joined. Box: every printed line stays a line of its own, ended by a hard break, words
stay divided as printed, and page furniture stays in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from paperchute.engine.document.flow import flowed
from paperchute.engine.document.model import FURNITURE, Block, Image, Line, ListItem, Note, Page, Span
from paperchute.engine.writing.markdown_inline import escaped, inline, line_start_escaped, target, without_common_bold
from paperchute.engine.writing.markdown_tables import joined_tables, table_markdown

_NUMBERED = re.compile(r"^\(?(\d{1,9})([.)])$")
_MOST_LEVELS = 6


@dataclass(slots=True)
class MarkdownWriter:
    """Writes pages into one Markdown file; `images` lists the image files written so far.

    folder: where the file and its `images` folder go. name: the file's name without `.md`, which image names begin
    with. boxed: keep printed lines (see the module). Use as a context manager; raises OSError.
    """

    folder: Path
    name: str
    boxed: bool = False
    images: list[Path] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The Markdown file."""
        return self.folder / f"{self.name}.md"

    def write(self, pages: Iterable[Page]) -> Path:
        """Write the pages as they come and return the file's path."""
        with self.path.open("w", encoding="utf-8", newline="\n") as file:
            first = True
            for text in self._pieces(pages):
                file.write(text if first else "\n\n" + text)
                first = False
            if not first:
                file.write("\n")
        return self.path

    def _pieces(self, pages: Iterable[Page]) -> Iterator[str]:
        """Markdown blocks. A text or table is held back until it is known not to go on."""
        levels = _Levels()
        held: Block | None = None
        for page in pages:
            for block in page.blocks:
                if block.kind in FURNITURE and not self.boxed:
                    continue
                if held is not None and block.continues and not self.boxed and block.kind == held.kind:
                    held = _joined(held, block)
                    continue
                if held is not None:
                    yield self._text(held, levels)
                    held = None
                if block.image is not None:
                    yield f"![]({self._store(block.image, page.number)})"
                else:
                    held = block
            if page.notes:
                if held is not None:
                    yield self._text(held, levels)
                    held = None
                yield from map(_note, page.notes)
        if held is not None:
            yield self._text(held, levels)

    def _text(self, block: Block, levels: _Levels) -> str:
        """One block without a picture."""
        if block.kind == "list":
            return "\n".join(self._item(item, levels) for item in block.items).lstrip("\n")
        levels.close()
        if block.table is not None:
            return table_markdown(block.table)
        if block.kind == "code":
            return _fenced(block.lines)
        spans = self._spans(block.lines)
        if block.level:
            text = " ".join(inline(without_common_bold(spans), starts_line=False).split("  \n"))
            text = re.sub(r"(#+)$", r"\\\1", text)  # trailing number signs would close the heading
            return f"{'#' * min(block.level, _MOST_LEVELS)} {text}"
        return inline(spans)

    def _item(self, item: ListItem, levels: _Levels) -> str:
        number = _NUMBERED.match(item.marker) if item.ordered else None
        marker = f"{number[1]}{number[2]}" if number else "-"
        indent, opens = levels.indent(item.level, len(marker) + 1)
        spans = self._spans(item.lines)
        if item.ordered and not number:  # Markdown counts in digits only: letters stay part of the text
            spans = (Span(item.marker + " "), *spans)
        text = inline(spans).replace("\n", "\n" + " " * (indent + len(marker) + 1))
        # A nested list may follow its item's text without an empty line only when it has text and starts at 1.
        space = "\n" if opens and (not text or (number and number[1] != "1")) else ""
        return f"{space}{' ' * indent}{marker} {text}"

    def _spans(self, lines: Sequence[Line]) -> tuple[Span, ...]:
        if not self.boxed:
            return flowed(lines)
        return flowed([replace(line, ends="hard") for line in lines])

    def _store(self, image: Image, page: int) -> str:
        """Write an image file; its address seen from the Markdown file."""
        folder = self.folder / "images"
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.name}-{page}-{len(self.images) + 1}.{image.kind}"
        path.write_bytes(image.data)
        self.images.append(path)
        return target(f"images/{path.name}")


@dataclass(slots=True)
class _Levels:
    """How far the items of the list being written are indented, level by level."""

    _indents: list[tuple[int, int]] = field(default_factory=list)

    def indent(self, level: int, width: int) -> tuple[int, bool]:
        """Spaces before the marker of an item of `level`, whose own marker takes `width`; whether it opens a list."""
        opens = True
        while self._indents and self._indents[-1][0] >= level:
            self._indents.pop()
            opens = False
        indent = self._indents[-1][1] if self._indents else 0
        self._indents.append((level, indent + width))
        return indent, opens

    def close(self) -> None:
        """The list has ended."""
        self._indents.clear()


def _joined(first: Block, more: Block) -> Block:
    if first.table is not None and more.table is not None:
        return replace(first, table=joined_tables(first.table, more.table))
    return replace(first, lines=first.lines + more.lines)


def _fenced(lines: Sequence[Line]) -> str:
    text = "\n".join(line.text for line in lines)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _note(note: Note) -> str:
    """An annotation as a quote: who, then what."""
    who = f"{escaped(note.author)}: " if note.author else ""
    lines = [line_start_escaped(escaped(line)) for line in note.text.split("\n")]
    return "\n".join(f"> {line}" for line in [f"**Note** {who}{lines[0]}", *lines[1:]])
