"""Picture files cleaned: the same format, size, resolution, colour profile and metadata come out.

HEIC comes out as JPEG: no library writes it whose licence would suit.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageCms, JpegImagePlugin
from PIL.TiffImagePlugin import AppendingTiffWriter

from paperchute.engine.imaging.cleanup import cleaned
from paperchute.engine.imaging.decoder import as_rgb, dpi_of, stored_frames
from paperchute.engine.imaging.depths import eight_bits, used_bits
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.report import counted

_DEEP: Final = ("I;16", "I;16L", "I;16B", "I;16N")
_SAFE_COMPRESSION: Final = ("tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits")
_ORIENTATION: Final = 0x0112


def clean_file(path: Path, name: str, target: Path, chosen: Sequence[int] | None = None) -> Path:
    """Clean pages of a picture file into `target`, and return that. chosen: 0-based, in their order; all by default.

    Raises Refused as `open_picture`, OSError.
    """
    frames = counted(stored_frames(path, name, chosen), len(chosen) if chosen else 1)
    frame: Image.Image | None = next(frames)
    assert frame is not None
    if _format(frame) != "TIFF":
        _save(clean_picture(frame), frame, target, _format(frame))
        return target
    with target.open("w+b") as file, AppendingTiffWriter(file) as pages:
        while frame is not None:
            _save(clean_picture(frame), frame, pages, "TIFF")
            pages.newFrame()
            frame = next(frames, None)
    return target


def clean_frames(path: Path, name: str, chosen: Sequence[int], targets: Sequence[Path]) -> None:
    """Clean the 0-based `chosen` pages of a picture file, each into a file of its own. Raises as `clean_file`."""
    frames = counted(stored_frames(path, name, chosen), len(chosen))
    for frame, target in zip(frames, targets, strict=True):
        _save(clean_picture(frame), frame, target, _format(frame))


def clean_picture(picture: Image.Image) -> Image.Image:
    """A picture cleaned, in the mode it has: depth, palette, CMYK and transparency stay what they are.

    Black-and-white pictures have no tint to take away and come back as they are. Of 16-bit colour Pillow reads 8 bits.
    """
    mode = picture.mode
    if mode == "1":
        return picture.copy()  # without the tags of its file, which may be broken
    if mode in _DEEP:
        values = np.asarray(picture).astype(np.uint16)
        return Image.fromarray(cleaned(eight_bits(values), values << np.uint16(16 - used_bits(values))))
    if mode in ("I", "F"):
        return Image.fromarray(cleaned(eight_bits(np.asarray(picture))))
    if mode == "L" and "transparency" not in picture.info:
        return Image.fromarray(cleaned(np.asarray(picture)))
    profile = _profile(picture) if mode == "CMYK" else None
    seen = _converted(picture, profile) if profile else as_rgb(picture)
    result = Image.fromarray(cleaned(np.asarray(seen)))
    if mode == "CMYK":
        return _to_cmyk(result, profile) if profile else result.convert("CMYK")
    if "A" in mode or "transparency" in picture.info:
        alpha = picture.convert("RGBA").getchannel("A")
        result.putalpha(alpha)
        return result.convert("LA") if mode in ("L", "LA") else result
    if mode == "P":
        return result.quantize(256, dither=Image.Dither.NONE)
    return result.convert(mode) if mode != "RGB" and mode in ("YCbCr", "LAB") else result


def _save(result: Image.Image, source: Image.Image, target: Any, kind: str) -> None:
    """Write with what the source says about itself."""
    if kind == "JPEG" and "A" in result.getbands():
        result = as_rgb(result)
    options: dict[str, Any] = {}
    dpi = dpi_of(source)
    if dpi[0]:
        options["dpi"] = dpi
    icc = source.info.get("icc_profile")
    if icc and fits_profile(icc, result):
        options["icc_profile"] = icc
    if kind in ("JPEG", "PNG", "WEBP") and (exif := _exif(source)):
        options["exif"] = exif
    if kind == "JPEG":
        options |= _jpeg_options(source, result)
    elif kind == "TIFF":
        compression = str(source.info.get("compression", "raw"))
        if (result.mode == "1" and compression.startswith(("group", "tiff_ccitt"))) or compression in _SAFE_COMPRESSION:
            options["compression"] = compression
        elif compression != "raw":  # JPEG in TIFF, old fax schemes: nothing is lost with this
            options["compression"] = "tiff_adobe_deflate"
    result.save(target, kind, **options)


def _jpeg_options(source: Image.Image, result: Image.Image) -> dict[str, Any]:
    """As finely quantised as the source was."""
    tables = getattr(source, "quantization", None)
    if not tables:
        return {"quality": PRINT.quality}
    options: dict[str, Any] = {"qtables": list(tables.values())[:4]}
    sampling = JpegImagePlugin.get_sampling(source)
    if result.mode == "RGB" and sampling >= 0:
        options["subsampling"] = sampling
    if source.info.get("progressive"):
        options["progressive"] = True
    return options


def _exif(source: Image.Image) -> bytes:
    """The metadata as it is, its orientation too: the pixels are not turned. Broken metadata is left out."""
    try:
        exif = source.getexif()
        return exif.tobytes() if len(exif) else b""
    except Exception:  # noqa: BLE001 -- metadata of foreign files breaks Pillow in every way
        return b""


def _format(frame: Image.Image) -> str:
    return "JPEG" if frame.format in ("MPO", "HEIF", None) else frame.format


def _profile(picture: Image.Image) -> ImageCms.ImageCmsProfile | None:
    data = picture.info.get("icc_profile")
    if not data:
        return None
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(data))
        return profile if profile.profile.xcolor_space.strip() == "CMYK" else None
    except (OSError, ValueError, TypeError):
        return None


def _converted(picture: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    """CMYK as it prints."""
    result = ImageCms.profileToProfile(picture, profile, ImageCms.createProfile("sRGB"), outputMode="RGB")
    return result if result is not None else picture.convert("RGB")


def _to_cmyk(picture: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    result = ImageCms.profileToProfile(picture, ImageCms.createProfile("sRGB"), profile, outputMode="CMYK")
    return result if result is not None else picture.convert("CMYK")


def fits_profile(icc: bytes, result: Image.Image) -> bool:
    """Decide whether a profile (ICC.1, header bytes 16 to 19) is for the colours the result has."""
    space = icc[16:20].strip()
    return {b"RGB": "RGB", b"GRAY": "L", b"CMYK": "CMYK"}.get(space, "") == _space(result)


def _space(picture: Image.Image) -> str:
    if picture.mode in ("RGB", "RGBA", "P"):
        return "RGB"
    return "CMYK" if picture.mode == "CMYK" else "L"
