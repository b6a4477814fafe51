"""What a result must have of the pages that an operation was given, and what it leaves out on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from paperchute.engine import ledger
from paperchute.engine.document.flow import repeated_head
from paperchute.engine.document.model import Block, Page, Table
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.readback import Expected, plain_markdown, with_equal_months
from paperchute.engine.word_count import flowed_texts
from paperchute.engine.work import Work

Reason = Literal["", "running_head", "page_number", "in_picture", "not_asked_for"]


def watched(pages: Iterator[Page], work: Work) -> Iterator[Page]:
    """The pages as they are; what the operation has to write of them is remembered, what it leaves out is counted."""
    expected = ledger.expected()
    if expected is None:
        yield from pages
        return
    once, heads = KeptOnce(), _Heads()
    for page in pages:
        if work.flag("isOutputDocumentPerPage"):
            once, heads = KeptOnce(), _Heads()
        expected.page = page.number
        for block in page.blocks:
            reason = _left_out(block, page, work, once)
            if reason:
                ledger.leave_out(reason, _count(block))
            elif _joins_tables(work):
                rest = heads.without(block)
                ledger.leave_out("table_head", _count(block) - _count(rest))
                expected.add(rest)
            else:
                expected.add(block)
        yield page


@dataclass(slots=True)
class _Heads:
    """Knows the head of the table that may go on."""

    _first: Table | None = None

    def without(self, block: Block) -> Block:
        """A block without the rows of a table's head that is printed again."""
        table = block.table
        if table is None:
            return block
        if self._first is None or not block.continues:
            self._first = table
            return block
        again = repeated_head(self._first, table)
        return replace(block, table=replace(table, cells=tuple(cell for cell in table.cells if cell.row >= again)))


def _joins_tables(work: Work) -> bool:
    """Whether what a page end broke of a table is one in the result."""
    return work.operation != "document-parsing" and work.text("pageLayoutMode") != "e_Box"


def _count(block: Block) -> int:
    return sum(len(text.split()) for text in flowed_texts(block))


def expected_of(work: Work) -> Expected | None:
    """What the result of an operation is held against; None where it is no text that was read."""
    operation = work.operation
    if operation in ("document-extract", "pdf-to-editable", "magic-color") or not _reads(operation):
        return None
    if operation.endswith("-markdown"):
        return Expected(plain_markdown)
    if operation.endswith("-xlsx"):
        return Expected(with_equal_months, figures=False)
    return Expected(str, numbers=operation.endswith(("-docx", "-rtf")), spaced=not operation.endswith("-pptx"))


def _reads(operation: str) -> bool:
    return operation == "document-parsing" or operation.startswith(("pdf-to-", "img-to-"))


def _left_out(block: Block, page: Page, work: Work, once: KeptOnce) -> Reason:
    """Why a block is not to be in the result; empty where it is."""
    operation = work.operation
    if operation == "document-parsing":
        return "" if work.text("content_filter") in ("", "all") else "not_asked_for"
    if operation.endswith("-csv") or (operation.endswith("-xlsx") and not work.parameters.get("excelAllContent", True)):
        return "" if block.table is not None else "not_asked_for"
    if operation.endswith(("-xlsx", "-rtf")) and block.image is not None:
        return "in_picture"  # others say them in words too
    if work.text("pageLayoutMode") == "e_Box" or block.kind not in ("header", "footer", "number"):
        return ""
    if once.is_new(block, page):
        return ""
    return "page_number" if block.kind == "number" else "running_head"
