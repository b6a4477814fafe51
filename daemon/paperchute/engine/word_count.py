"""How many words are missing where letters may be parted or joined otherwise, which is no loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block, Line
from paperchute.engine.reading.layout.marks import Word


def lost_words(words: Sequence[Word], blocks: Iterable[Block]) -> int:
    """How many of the words seen on a page stand in none of its blocks. No other order or parting counts as a loss."""
    seen = "".join([word.text for word in words])
    placed = "".join("".join(texts(blocks)).split())
    if len(seen) == len(placed) and (seen == placed or Counter(seen) == Counter(placed)):
        return 0
    missing = Counter("".join(seen.split())) - Counter(placed)
    if not missing:
        return 0
    there = Counter(text for line in texts(blocks) for text in line.split())
    return len(_lost((text for text in printed(words) if not _taken(there, text)), missing))


def missing(words: Counter[str], there: Counter[str]) -> list[str]:
    """Name the words that are not there; letters that are there in other words make up for them.

    The last one is empty where letters are missing, but no whole word.
    """
    gone = words - there
    if not gone:
        return []
    more = Counter("".join((there - words).elements()))
    return _lost(gone.elements(), Counter("".join(gone.elements())) - more)


def joined(words: Counter[str], there: Counter[str]) -> list[str]:
    """Name the words that are not there, each of which makes one word with another that is not."""
    gone, more = words - there, there - words
    found: list[str] = []
    for text in more.elements() if gone else ():
        for place in range(1, len(text)):
            first, second = text[:place], text[place:]
            if gone[first] and gone[second] and (first != second or gone[first] > 1):
                found += [first, second]
                gone.subtract((first, second))
                break
    return found


def _lost(gone: Iterable[str], missing: Counter[str]) -> list[str]:
    """The words that make up the missing letters: one that is only parted otherwise, or joined, lacks none."""
    lost = []
    for text in sorted(gone, key=len, reverse=True):
        letters = Counter(text)
        if missing and letters <= missing:
            missing = missing - letters
            lost.append(text)
    return [*lost, ""] if missing else lost


def printed(words: Sequence[Word]) -> list[str]:
    """Words as they are printed: pieces without a space between them are one."""
    found: list[str] = []
    for word in words:
        if word.glued and found:
            found[-1] += word.text
        else:
            found.append(word.text)
    return found


def texts(blocks: Iterable[Block]) -> Iterator[str]:
    """The printed lines of blocks, markers of lists among them."""
    for block in blocks:
        yield from (line.text for line in lines_of(block))
        yield from (item.marker for item in block.items)


def lines_of(block: Block) -> Iterator[Line]:
    """All printed lines of a block."""
    yield from block.lines
    for item in block.items:
        yield from item.lines
    if block.table is not None:
        for cell in block.table.cells:
            yield from cell.lines


def flowed_texts(block: Block) -> Iterator[str]:
    """The words of a block as they flow, without the markers of lists, which writers count anew."""
    yield flowed_text(block.lines)
    for item in block.items:
        yield flowed_text(item.lines)
    if block.table is not None:
        for cell in block.table.cells:
            yield flowed_text(cell.lines)


def _taken(there: Counter[str], text: str) -> bool:
    if there[text] <= 0:
        return False
    there[text] -= 1
    return True
