"""pdf-compress: the same document in fewer bytes, never in more (docs/contract.md#page-operations).

- level says how far pictures may change; `same` is measured picture by picture. The interface's own parameters for
  pictures take the place of what a level says.
- maxSize: levels from the gentlest on, until the result fits; a failure says how small it became.
- optimizeFlags: what is left out. Without BCOMPRESSIMAGE among them pictures stay as they are.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pikepdf

from paperchute.engine import report
from paperchute.engine.imaging.recoding import LEVELS, LOSSLESS, SAME, SMALL, Wish
from paperchute.engine.pdf.compression import is_done, join_equal, leave_out, recode_pictures
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.pdf.sanitize import defuse, make_passable
from paperchute.engine.work import Refused, Work, output_name
from paperchute.language import _
from paperchute.notation.sizes import format_size, parse_size

_LADDER = (LOSSLESS, SAME, replace(SAME, qualities=(50,), measured=False), SMALL,
           replace(SMALL, upper=85, target=72, grey_upper=85, grey_target=72, bilevel_upper=220, bilevel_target=200,
                   qualities=(30,), layered=False))  # fmt: skip
"""From the gentlest on, for a size that has to be reached."""


def run(work: Work) -> list[Path]:
    """The document. Raises Refused 02201, 120002, 02207, and 130001 where it does not become as small as asked."""
    source = work.sources[0]
    output = work.folder / output_name(work, "pdf", source.name)
    _say_not_done(work)
    most = parse_size(work.text("maxSize")) if work.text("maxSize") else None
    best = source.path.stat().st_size
    for wish in _LADDER if most is not None else [_wish(work)]:
        _write(work, wish, output)
        if output.stat().st_size >= source.path.stat().st_size and _may_stay(work):
            shutil.copyfile(source.path, output)
        best = min(best, output.stat().st_size)
        if most is None or best <= most:
            break
    else:
        raise Refused(
            "130001",
            _(
                "{name} does not become smaller than {best} with its pages still readable, and maxSize is {most}",
                name=source.name,
                best=format_size(best),
                most=format_size(most or 0),
            ),
        )
    if output.stat().st_size >= source.path.stat().st_size:
        work.note(_("{name} did not become smaller: it is packed well already.", name=source.name))
    return [output]


def _write(work: Work, wish: Wish, output: Path) -> None:
    source, password = work.sources[0], work.text("password")
    flags = work.texts("optimizeFlags")
    with open_pdf(source.path, source.name, password) as pdf:
        how = lock_for([protection_of(pdf, source.name, password)], work.protection)
        report.handles(len(pdf.pages))
        for flag in flags:
            leave_out(pdf, flag)
        if not flags or "BCOMPRESSIMAGE" in flags:
            recode_pictures(pdf, wish)
        pdf.remove_unreferenced_resources()
        join_equal(pdf)
        make_passable(pdf, source.name)
        pdf.save(
            output,
            compress_streams=True,
            recompress_flate=True,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            linearize="OPTIMIZEPDFFASTWEBVIEW" in flags,
            fix_metadata_version=False,
        )
    lock([output], how)


def _may_stay(work: Work) -> bool:
    """Decide whether the source itself can be the result: it runs nothing, and its lock is to stay."""
    source, password = work.sources[0], work.text("password")
    if work.texts("optimizeFlags"):
        return False
    with open_pdf(source.path, source.name, password) as pdf:
        return (not pdf.is_encrypted or work.protection == "keep") and defuse(pdf) == 0


def _wish(work: Work) -> Wish:
    """The level's, with what the interface's own parameters say in its place."""
    wish = LEVELS[work.text("level") or "same"]
    own: dict[str, int] = {}
    for prefix, name in (("colorImage", ""), ("grayscaleImage", "grey_"), ("monochromeImage", "bilevel_")):
        for edge in ("Upper", "Target"):
            if value := work.integer(f"{prefix}{edge}Ppi"):
                own[f"{name}{edge.lower()}"] = value
    quality = work.integer("colorImageQuality") or work.integer("imageQuality")
    if own or quality:
        qualities = (quality,) if quality else wish.qualities or (75,)
        wish = replace(wish, **own, qualities=qualities, measured=False)  # type: ignore[arg-type]
    return replace(wish, codec="flate") if work.text("colorImageCompressAlgorithm") == "flate" else wish


def _say_not_done(work: Work) -> None:
    if undone := [flag for flag in work.texts("optimizeFlags") if not is_done(flag)]:
        work.warn(
            _(
                "optimizeFlags: {flags} are not done here; the document keeps what they would take.",
                flags=", ".join(undone),
            )
        )
    if work.text("monochromeImageCompressAlgorithm") == "jbig2":
        work.warn(_("monochromeImageCompressAlgorithm: JBIG2 is not written here; Group 4 is."))
