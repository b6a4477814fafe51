"""A PDF with a bit of everything, and what reading operations make of it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from pikepdf import Array, Dictionary, Name, OutlineItem

from paperchute.contract import contract
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused, Source, Work
from tests.engine.reading.printing import LOREM, picture, printed

PASSWORD = "open sesame"
_TIMES = {"durations", "duration", "cost_time", "excel_base64"}

_CSS = """
@page{size:A4;margin:60pt;@bottom-center{content:'Page ' counter(page);font-size:9pt}}
table{border-collapse:collapse} td,th{border:1px solid #000;padding:3px}
"""
_BACK_CSS = (
    "@page{margin:0} img{position:absolute;left:0;top:0;width:210mm;height:296mm} p{position:relative;margin:80pt}"
)
_ROWS = "".join(f"<tr><td>port {n}</td><td>{n * 3},{n:03}</td><td>{n} %</td></tr>" for n in range(1, 71))
_HTML = f"""
<h1>Harbours of the north</h1><p>{LOREM * 2}</p>
<h2>Quays</h2><p>Repairs<sup>1</sup> are due. {LOREM}</p><img src='{picture()}' width=200>
<p style='margin-left:80pt'>∑ α + β = ∫ γ ≤ ∞</p><ul><li>brick</li><li>timber</li></ul>
<h2>Ships</h2><p>{LOREM}</p>
<table><thead><tr><th>Port</th><th>Ships</th><th>Share</th></tr></thead><tbody>{_ROWS}</tbody></table>
<h3>Deep water</h3><p>{LOREM * 24}</p>
"""


def rich_pdf(folder: Path) -> Path:
    """A document with something of everything; locked with PASSWORD.

    Headings, an outline with a gap in its levels, a list, a formula, a picture, a table over a page end, a paragraph
    broken by one, a page background and annotations.
    """
    path = printed(folder / "plain.pdf", _HTML, _CSS)
    back = printed(folder / "back.pdf", f"<img src='{picture(210, 297)}'><p>{LOREM}</p>", _BACK_CSS)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf, pikepdf.open(back) as last:
        pdf.pages.extend(last.pages)
        note = Dictionary(
            Type=Name.Annot, Subtype=Name.Text, Rect=Array([500, 780, 520, 800]), Contents="Check this", T="Ada"
        )
        pdf.pages[0].Annots = Array([*pdf.pages[0].get("/Annots", []), pdf.make_indirect(note)])
        with pdf.open_outline() as outline:
            harbours, gap = OutlineItem("Harbours of the north", 0), OutlineItem("Not printed", 0)
            gap.children.append(OutlineItem("Quays", 0))
            harbours.children.append(gap)
            outline.root.append(harbours)
        pdf.Root.Lang = pikepdf.String("en-GB")
        pdf.save(path)
        locked = folder / "rich.pdf"
        pdf.save(locked, encryption=pikepdf.Encryption(owner="o", user=PASSWORD, R=6))
    return locked


def scan_pdf(folder: Path) -> Path:
    """A small page that is only a picture of words."""
    picture = PIL.Image.new("RGB", (620, 240), "white")
    font = PIL.ImageFont.load_default(54)
    PIL.ImageDraw.Draw(picture).multiline_text(
        (40, 40), "Port: Leith harbour\nQuays: timber", "black", font, spacing=20
    )
    path = folder / "scan.pdf"
    picture.save(path, resolution=150)
    return path


def work(operation: str, source: Path, folder: Path, **parameters: Any) -> Work:
    """Work as the server hands it over: the contract's defaults filled in, then `parameters`; checked."""
    defaults = {p.name: p.default for p in contract().operations[operation].parameters if p.default is not None}
    folder.mkdir(parents=True)
    given = {name: value for name, value in (defaults | parameters).items() if value != ""}
    found = Work(operation, (Source("file", source, source.name, "pdf"),), given, folder)
    implementation(operation).check(found)
    return found


def outputs(operation: str, source: Path, folder: Path, **parameters: Any) -> list[Path]:
    """What an operation writes."""
    return implementation(operation).run(work(operation, source, folder, **parameters))


def outcome(operation: str, source: Path, folder: Path, **parameters: Any) -> dict[str, str]:
    """What an operation writes, as digests by name, times left out; or its refusal."""
    try:
        paths = outputs(operation, source, folder, **parameters)
    except Refused as refused:
        return {"refused": refused.code, "reason": refused.reason}
    return {path.relative_to(folder).as_posix(): _digest(path) for path in paths}


def _digest(path: Path) -> str:
    if path.suffix == ".json":
        data = json.dumps(_timeless(json.loads(path.read_text("utf-8")))).encode()
    elif path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as archive:
            data = b"".join(archive.read(n) for n in sorted(archive.namelist()) if "docProps" not in n)
    else:
        data = path.read_bytes()
    return hashlib.sha256(data).hexdigest()


def _timeless(value: Any) -> Any:
    """Parsed JSON without what differs from run to run: seconds, and the time within a workbook."""
    if isinstance(value, dict):
        left = {key: _timeless(found) for key, found in value.items() if key not in _TIMES}
        return left | {"excel_base64": bool(value["excel_base64"])} if "excel_base64" in value else left
    return [_timeless(item) for item in value] if isinstance(value, list) else value
