"""What stands at a fixed place of the page: pictures and text boxes; and pictures as RTF holds them."""

from __future__ import annotations

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.writing.rtf.text import twips

_LINE = 128


def picture(image: Image, width: float, height: float) -> str:
    """`\\pict`, shown in the given size in points."""
    digits = image.data.hex()
    lines = "\n".join(digits[place : place + _LINE] for place in range(0, len(digits), _LINE))
    kind = "\\jpegblip" if image.kind == "jpg" else "\\pngblip"
    shown = f"\\picwgoal{max(twips(width), 1)}\\pichgoal{max(twips(height), 1)}"
    return f"{{\\pict{kind}\\picw{image.width}\\pich{image.height}{shown}\n{lines}}}"


def placed(image: Image, box: Box, *, behind: bool) -> str:
    """A picture at its place on the page, behind the text or over it."""
    return _shape(box, behind, ("shapeType", "75"), ("pib", picture(image, box.width, box.height)))


def text_box(content: str, box: Box, *, angle: int = 0, stacked: bool = False) -> str:
    """Paragraphs and tables in a box without a frame, at its place on the page. angle and stacked: as in
    `PrintedBlock`."""
    margins = tuple((f"dx{side}", "0") for side in ("TextLeft", "TextRight"))
    margins += tuple((f"dy{side}", "0") for side in ("TextTop", "TextBottom"))
    flow = "1" if stacked else {90: "3", 270: "2"}.get(angle, "")
    turn = (("txflTextFlow", flow),) if flow else ()
    return _shape(box, False, ("shapeType", "202"), *margins, *turn, text=f"{{\\shptxt {content}}}")


def _shape(box: Box, behind: bool, *properties: tuple[str, str], text: str = "") -> str:
    """A shape that no text gives way to (section "Word 97 through Word 2007 RTF for Drawing Objects")."""
    edges = "".join(
        f"\\shp{side}{twips(value)}"
        for side, value in (("left", box.left), ("top", box.top), ("right", box.right), ("bottom", box.bottom))
    )
    named = (*properties, ("fBehindDocument", str(int(behind))), ("fLine", "0"), ("fFilled", "0"))
    values = "".join(f"{{\\sp{{\\sn {name}}}{{\\sv {value}}}}}" for name, value in named)
    place = "\\shpbxpage\\shpbxignore\\shpbypage\\shpbyignore"
    return f"{{\\shp{{\\*\\shpinst{edges}{place}\\shpwr3\\shpfblwtxt{int(behind)}{values}{text}}}}}"
