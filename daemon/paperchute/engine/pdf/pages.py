"""Page operations: one document rewritten in place, or parted into documents of some of its pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pikepdf

from paperchute.engine import report
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.work import Work, output_name

_PARTS = 16
"""Parts that are taken straight out of a document; of 1,000 pages a part each, 8 to 32 cost much the same."""


def rewrite(work: Work, change: Callable[[pikepdf.Pdf], None]) -> list[Path]:
    """Change the only source and save it whole, with all that it has, and locked as it was.

    Args:
        work: The task; its result is named `outputFileName`, else as the source is.
        change: Does to the open document what was asked for.

    Raises Refused 02201, 120002, 02207, and what `change` raises.
    """
    source, password = work.sources[0], work.text("password")
    output = work.folder / output_name(work, "pdf", source.name)
    with open_pdf(source.path, source.name, password) as pdf:
        how = lock_for([protection_of(pdf, source.name, password)], work.protection)
        report.handles(len(pdf.pages))
        change(pdf)
        make_passable(pdf, source.name)
        pdf.save(output, fix_metadata_version=False)
    lock([output], how)
    return [output]


def take_pages(work: Work, choose: Callable[[pikepdf.Pdf], Sequence[tuple[str, Sequence[int]]]]) -> list[Path]:
    """Write documents of some pages of the only source, each with what belongs to its pages, locked as it was.

    Args:
        work: The task.
        choose: Gives of the open document each result's file name and its 0-based pages, in order.

    Raises Refused 02201, 120002, 02207, and what `choose` raises.
    """
    source, password = work.sources[0], work.text("password")
    with open_pdf(source.path, source.name, password) as pdf:
        how = lock_for([protection_of(pdf, source.name, password)], work.protection)
        parts = choose(pdf)
    outputs = [work.folder / name for name, _ in parts]
    _write_parts(
        source.path, source.name, password, [(output, part[1]) for output, part in zip(outputs, parts, strict=True)]
    )
    lock(outputs, how)
    return outputs


def parted(whole: Path, chosen: Sequence[int]) -> list[Path]:
    """A file for each page of `whole`, which goes; chosen: the pages' indices in the source, which name the files."""
    paths = page_names(whole, chosen)
    _write_parts(whole, whole.name, "", [(path, [place]) for place, path in enumerate(paths)])
    whole.unlink()
    return list(dict.fromkeys(paths))


def _write_parts(path: Path, name: str, password: str, parts: Sequence[tuple[Path, Sequence[int]]]) -> None:
    """Write each part, 0-based pages of a document.

    Each part costs as much as its source has of what pages share: bookmarks, fields, tags. So many parts are first
    taken out of it by bundles, and then out of these.
    """
    with open_pdf(path, name, password) as pdf:
        if len(parts) <= _PARTS:
            for output, indices in parts:
                _write_part(pdf, name, output, indices)
            return
        size = -(-len(parts) // _PARTS)
        for number, first in enumerate(range(0, len(parts), size)):
            some = parts[first : first + size]
            pages = sorted({index for _, indices in some for index in indices})
            bundle = some[0][0].with_name(f"{path.stem}-{number}.tmp")
            _write_part(pdf, name, bundle, pages)
            place = {index: at for at, index in enumerate(pages)}
            _write_parts(bundle, name, "", [(output, [place[index] for index in indices]) for output, indices in some])
            bundle.unlink()


def _write_part(pdf: pikepdf.Pdf, name: str, output: Path, indices: Sequence[int]) -> None:
    joiner = Joiner()
    taken = joiner.take(pdf, indices, name)
    joiner.save(output, taken.pages, taken.shown)
    with pikepdf.open(output) as written:
        if len(written.pages) != len(indices):
            raise RuntimeError(f"{len(written.pages)} pages were written, of {len(indices)}")


def page_names(whole: Path, chosen: Sequence[int]) -> list[Path]:
    """`report-01.pdf`, ...: the file's name with each page's number in the source."""
    digits = len(str(max(chosen) + 1))
    return [whole.with_name(f"{whole.stem}-{index + 1:0{digits}}{whole.suffix}") for index in chosen]
