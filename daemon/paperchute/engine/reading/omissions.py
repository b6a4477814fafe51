"""What pages do not hold though somebody expects it of them: text, and formulas where they were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from paperchute.engine.document.model import Block, Page
from paperchute.engine.work import Work

_MOSTLY = 0.5
"""Of a page's area: a picture that covers more of it is taken for a scan; printed photographs are mostly smaller."""

_FEW = 12
"""Spans of pages that are named; a warning is one line."""


def watched(pages: Iterator[Page], work: Work) -> Iterator[Page]:
    """The pages as they are; once all were walked, `work.warn` is told what they lack."""
    silent: list[int] = []
    scans: list[int] = []
    bare: list[int] = []
    count = 0
    for page in pages:
        count += 1
        if not any(map(_has_text, page.blocks)):
            silent.append(page.number)
            if _is_picture(page):
                scans.append(page.number)
        if not any(block.kind == "formula" for block in page.blocks):
            bare.append(page.number)
        yield page
    if count == 0:
        work.warn(f"{work.sources[0].name} has no pages.", "文档没有页面。")
    _tell_of_text(work, silent if len(silent) == count else scans, scans)
    if work.flag("formulaToImage"):
        tell_of_formulas(work, bare)


def tell_of_formulas(work: Work, bare: Sequence[int]) -> None:
    """Formulas are to be pictures, and on these pages there are none that are recognised as such."""
    if bare:
        stays = "what stands there stays text"
        work.warn(f"No formula was recognised on {told(bare)}; {stays}.", "部分页面未识别出公式，保留为文本。")


def told(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 1-4, 7`; of very many the first, and how many there are."""
    numbers = sorted(set(numbers))
    cuts = [0, *(at for at, (one, other) in enumerate(pairwise(numbers), start=1) if other != one + 1), len(numbers)]
    spans = [(numbers[begin], numbers[end - 1]) for begin, end in pairwise(cuts)]
    named = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans[:_FEW])
    more = f" and others, {len(numbers)} in all" if len(spans) > _FEW else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {named}{more}"


def _tell_of_text(work: Work, silent: Sequence[int], scans: Sequence[int]) -> None:
    if not silent:
        return
    if work.flag("enableOcr"):
        work.warn(f"No text was recognised on {told(silent)}.", "部分页面未识别出文本。")
    elif not work.operation.startswith("img-"):  # there the contract's default asks for the picture alone
        advice = "; if this is a scan, set enableOcr = 1" if scans else ""
        work.warn(
            f"No text was found on {told(silent)}{advice}.", "部分页面没有文本，如为扫描件请设置 enableOcr 为 1。"
        )


def _has_text(block: Block) -> bool:
    lines = [*block.lines, *(line for item in block.items for line in item.lines)]
    if block.table is not None:
        lines += [line for cell in block.table.cells for line in cell.lines]
    return any(line.text.strip() for line in lines)


def _is_picture(page: Page) -> bool:
    if page.backdrop is not None:
        return True
    area = page.width * page.height
    boxes = (block.quad.box for block in page.blocks if block.image is not None)
    return any(box.width * box.height > _MOSTLY * area for box in boxes)
