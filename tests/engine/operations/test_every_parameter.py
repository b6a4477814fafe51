"""Every parameter of every operation that the engine does: its effect is seen, or it is refused, or it is reported.

What each comes to stands in parameters.toml; here it is tried on an engine.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docx
import numpy as np
import openpyxl
import pikepdf
import PIL.Image
import PIL.ImageCms
import PIL.ImageDraw
import PIL.ImageFont
import pptx
import pypdfium2
import pytest
import zxingcpp
from pikepdf import Array, Dictionary, Name

from paperchute.contract import contract
from paperchute.engine.operations import implemented
from tests.engine.e_invoice.samples import CII
from tests.engine.operations import page_stacks, parameter_rows, stacks
from tests.engine.operations.papers import paper
from tests.engine.operations.parameter_rows import Row
from tests.engine.operations.pictures import letter, photo, scan
from tests.engine.reading.printing import LOREM, picture, printed
from tests.engine.service.outer import Outer
from tests.engine.service.running import PLAIN, ROOT, RunningEngine

PASSWORD = "open sesame"
_TIMES = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")  # when Word's comments were written
Files = list[tuple[str, str, bytes]]

_REPORT = f"""
<h1>Harbours of the north</h1><p>{LOREM}</p><img src='{picture()}' width=200>
<p style='margin-left:80pt'>∑ α + β = ∫ γ ≤ ∞</p><ul><li>brick</li><li>timber</li></ul>
<table border=1 style='border-collapse:collapse'>
<tr><th>Port</th><th>Ships</th></tr><tr><td>Leith</td><td>3</td></tr></table>
"""
_BACKED = f"""
<style>@page{{margin:0}} img{{position:absolute;left:0;top:0;width:210mm;height:296mm}}
p,table{{position:relative;margin:80pt}}</style><img src='{picture(210, 297)}'><p>{LOREM * 2}</p>
<table border=1 style='border-collapse:collapse'>
<tr><th>Quay</th><th>Cranes</th></tr><tr><td>East</td><td>8</td></tr></table>
"""


@dataclass(frozen=True)
class Outcome:
    """What a call came to. looks: of its result, in a form that does not change from call to call."""

    code: str
    message: str
    looks: Any
    warnings: tuple[str, ...]
    asks: tuple[str, ...] = ()


@pytest.fixture(scope="session")
def outer() -> Iterator[Outer]:
    with Outer() as running:
        yield running


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    flags = ("--allow-host", "127.0.0.1", "--inner-host", "127.0.0.1")
    with RunningEngine(tmp_path_factory.mktemp("engine"), *flags, workers=2, real=True) as running:
        yield running


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory, outer: Outer) -> Callable[[str], Files]:
    """The files that a row names, made once."""
    folder = tmp_path_factory.mktemp("documents")
    outer.pages |= {
        "/page.html": (200, {"Content-Type": "text/html"}, b"<p>Quay</p>"),
        "/red.png": (200, {"Content-Type": "image/png"}, _png(PIL.Image.new("RGB", (60, 40), "red"))),
        "/a.pdf": (200, {"Content-Type": "application/pdf"}, paper(folder / "a.pdf", "one", "two").read_bytes()),
        "/b.pdf": (200, {"Content-Type": "application/pdf"}, paper(folder / "b.pdf", "three", "four").read_bytes()),
    }
    known: dict[str, Files] = {}

    def made(name: str) -> Files:
        if name not in known:
            known[name] = _made(name, folder)
        return known[name]

    return made


def _made(name: str, folder: Path) -> Files:
    pdfs: dict[str, Callable[[], bytes]] = {
        "report": lambda: _report(folder).read_bytes(),
        "plain": lambda: printed(folder / "plain.pdf", f"<p>{LOREM}</p>").read_bytes(),
        "numbered": lambda: printed(folder / "numbered.pdf", f"<p>{LOREM * 60}</p>", _NUMBERED).read_bytes(),
        "scan": lambda: _scan(_words("Port: Leith harbour\nQuays: timber")),
        "hyphens": lambda: _scan(_words("The northern har-\nbours were small")),
        "table_scan": lambda: _scan(_table("Port", "Ships", "Leith", "3")),
    }
    match name:
        case "nothing":
            return []
        case "e_invoice":
            return [("file", "invoice.xml", CII.encode())]
        case "locked" | "target_locked":
            files = _locked(folder)
            return files if name == "locked" else files[::-1]
        case "five":
            return [("file", "five.pdf", paper(folder / "five.pdf", *"abcde", outline=True).read_bytes())]
        case "marked":
            return [*_made("five", folder), ("imageFile", "mark.png", _png(PIL.Image.new("RGBA", (60, 40), "red")))]
        case "watermarked":
            with pikepdf.open(paper(folder / "watermarked.pdf", *"abcde"), allow_overwriting_input=True) as pdf:
                for page in pdf.pages:
                    for place in (0, 20):
                        mark = b"/Artifact <</Subtype /Watermark>> BDC q %d 0 9 9 re f Q EMC" % place
                        page.contents_add(mark)
                pdf.save(folder / "watermarked.pdf")
            return [("file", "watermarked.pdf", (folder / "watermarked.pdf").read_bytes())]
        case "profiled":
            profile = PIL.ImageCms.ImageCmsProfile(PIL.ImageCms.createProfile("sRGB")).tobytes()
            return [*_made("five", folder), ("iccFile", "own.icc", profile)]
        case "pictures":
            shown = photo((900, 600)), photo((900, 600)).convert("L"), letter((1000, 600)).convert("1")
            return [("file", "pictures.pdf", scan(folder / "pictures.pdf", *shown, jpeg=0, dpi=400).read_bytes())]
        case "stack":
            code = np.array(zxingcpp.create_barcode("PATCHT", zxingcpp.BarcodeFormat.Code128).to_image(scale=3))
            sheet, blank = (PIL.Image.new("L", (1000, 1400), 255) for _page in range(2))
            sheet.paste(PIL.Image.fromarray(code), (200, 200))
            pages = letter((1000, 1400)), sheet, photo((1000, 1400)), blank, letter((1000, 1400))
            return [("file", "stack.pdf", scan(folder / "stack.pdf", *pages, dpi=120).read_bytes())]
        case "two":
            names = (("a.pdf", ("one", "two")), ("b.pdf", ("three", "four")))
            return [("file", one, paper(folder / f"two-{one}", *words).read_bytes()) for one, words in names]
        case "four_sides":
            sides = [PIL.Image.new("L", (60, 40), grey) for grey in (40, 80, 120, 160)]
            return [("file", "sides.pdf", scan(folder / "sides.pdf", *sides).read_bytes())]
        case "on_bed":
            bed = PIL.Image.new("L", (stacks.SIZE[0] + 200, stacks.SIZE[1] + 200), 15)
            bed.paste(stacks.blank(), (0, 0))
            return [("file", "bed.pdf", stacks.stack(folder / "bed.pdf", bed).read_bytes())]
        case "worn":
            sheet = stacks.scanned(stacks.blank(), random.Random(3), worn=True)
            return [("file", "worn.pdf", stacks.stack(folder / "worn.pdf", sheet).read_bytes())]
        case "feeder":
            chance = random.Random(3)
            sheets = (
                stacks.scanned(stacks.printed(chance, 5), chance, turn=90, skew=2),
                stacks.scanned(stacks.blank(), chance),
            )
            return [("file", "feeder.pdf", stacks.stack(folder / "feeder.pdf", *sheets).read_bytes())]
        case "doubtful":
            sheets = page_stacks.faint(), stacks.printed(random.Random(3), 5)
            return [("file", "doubtful.pdf", stacks.stack(folder / "doubtful.pdf", *sheets).read_bytes())]
        case "letters":
            return [("file", "letters.pdf", page_stacks.letters(folder / "letters.pdf", 2, 1).read_bytes())]
        case "longer":
            return [
                ("file", f"{n}.pdf", paper(folder / f"longer-{n}.pdf", "one", "two", *more).read_bytes())
                for n, more in enumerate(((), ("three",)))
            ]
        case "table_png":
            return [("file", "table.png", _png(_table("Port", "Ships", "Leith", "3")))]
        case "lines_png":
            return [("file", "lines.png", _png(_words("The northern quays\nwere built of brick")))]
        case "tables_png":
            both = PIL.Image.new("RGB", (700, 1000), "white")
            both.paste(_table("Port", "Ships", "Leith", "3"), (0, 0))
            both.paste(_table("Quay", "Cranes", "East", "8"), (0, 600))
            PIL.ImageDraw.Draw(both).text((60, 480), "Another table of quays", "black", PIL.ImageFont.load_default(40))
            return [("file", "tables.png", _png(both))]
        case "shadow_tiff":
            frames = [_words(word).convert("L").point(lambda grey: grey * 7 // 10) for word in ("Leith", "Quay")]
            out = io.BytesIO()
            frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:], dpi=(150, 150))
            return [("file", "shadow.tiff", out.getvalue())]
        case "html":
            return [("file", "page.html", b"<!doctype html><p>Leith</p>")]
        case "word" | "workbook" | "slides":
            return [_office_file(name)]
        case "rtf":
            return [("file", "port.rtf", rb"{\rtf1\ansi Leith\par}")]
        case "txt" | "csv":
            return [("file", f"port.{name}", b"Port;Ships\nLeith;3\n")]
        case "html_file":
            return [("htmlFile", "page.html", b"<!doctype html><p>Leith</p>")]
        case "template_file":
            return [("templateFile", "letter.html", b"<!doctype html><p>{{ 1 + 1 }}</p>")]
        case "data_file":
            return [("dataFile", "data.json", b'{"port": "Leith"}')]
        case _:
            return [("file", "report.pdf", pdfs[name]())]


def _office_file(name: str) -> tuple[str, str, bytes]:
    out = io.BytesIO()
    match name:
        case "word":
            word = docx.Document()
            word.add_paragraph("Leith")
            word.save(out)
            return "file", "port.docx", out.getvalue()
        case "workbook":
            workbook = openpyxl.Workbook()
            workbook.worksheets[0].append(["Leith", 3])
            workbook.save(out)
            return "file", "port.xlsx", out.getvalue()
    slides = pptx.Presentation()
    title = slides.slides.add_slide(slides.slide_layouts[5]).shapes.title
    assert title is not None
    title.text = "Leith"
    slides.save(out)
    return "file", "port.pptx", out.getvalue()


_NUMBERED = "@page{@bottom-center{content:counter(page);font-size:9pt}}"


def _locked(folder: Path) -> Files:
    """Two PDFs, the second of which is locked; operations that take one get the last."""
    locked = folder / "locked.pdf"
    with pikepdf.open(_report(folder)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="o", user=PASSWORD, R=6))
    first = paper(folder / "first.pdf", "one", "two").read_bytes()
    return [("file", "first.pdf", first), ("file", "locked.pdf", locked.read_bytes())]


def _report(folder: Path) -> Path:
    """Two pages: a heading, text, a picture, a formula, a list, a table, a note; and one with a page background."""
    path = folder / "report.pdf"
    if path.exists():
        return path
    first = printed(folder / "first-page.pdf", _REPORT)
    second = printed(folder / "second-page.pdf", _BACKED)
    with pikepdf.open(first) as pdf, pikepdf.open(second) as last:
        pdf.pages.extend(last.pages)
        note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([500, 780, 520, 800]), Contents="Check", T="A")
        pdf.pages[0].Annots = Array([*pdf.pages[0].get("/Annots", []), pdf.make_indirect(note)])
        pdf.save(path)
    return path


def _words(text: str) -> PIL.Image.Image:
    shown = PIL.Image.new("RGB", (620, 240), "white")
    PIL.ImageDraw.Draw(shown).multiline_text((40, 40), text, "black", PIL.ImageFont.load_default(54), spacing=20)
    return shown


def _table(*cells: str) -> PIL.Image.Image:
    shown = PIL.Image.new("RGB", (700, 400), "white")
    draw = PIL.ImageDraw.Draw(shown)
    for number, cell in enumerate(cells):
        left, top = 50 + 300 * (number % 2), 50 + 140 * (number // 2)
        draw.rectangle((left, top, left + 300, top + 140), outline="black", width=4)
        draw.text((left + 40, top + 40), cell, "black", PIL.ImageFont.load_default(48))
    return shown


def _scan(shown: PIL.Image.Image) -> bytes:
    out = io.BytesIO()
    shown.save(out, "PDF", resolution=150)
    return out.getvalue()


def _png(shown: PIL.Image.Image) -> bytes:
    out = io.BytesIO()
    shown.save(out, "PNG", dpi=(150, 150))
    return out.getvalue()


# ---------- calls ----------


@dataclass
class Calls:
    """Calls of the engine; what is asked again is known already."""

    engine: RunningEngine
    documents: Callable[[str], Files]
    site: str

    def __post_init__(self) -> None:
        self._known: dict[str, Outcome] = {}

    def __call__(self, operation: str, on: str, texts: Mapping[str, str]) -> Outcome:
        key = json.dumps([operation, on, dict(texts)])
        if key not in self._known:
            self._known[key] = self.anew(operation, on, texts)
        return self._known[key]

    def anew(self, operation: str, on: str, texts: Mapping[str, str]) -> Outcome:
        known = contract().operations[operation]
        files = self.documents(on)
        if known.max_files == 1 and known.takes_file_part:
            files = [
                *[file for file in files if file[0] == "file"][-1:],
                *[file for file in files if file[0] != "file"],
            ]
        elif texts.get("actionType") == "BLANK":
            files = files[:1]
        parts = [(part, (name, content)) for part, name, content in files]
        parts += [(name, (None, value.replace("{site}", self.site).encode())) for name, value in texts.items()]  # type: ignore[misc]
        answer = self.engine.client.post(known.path, files=parts or [("parameter", (None, ""))]).json()
        data = answer["data"]
        if data is None:
            return Outcome(answer["code"], answer["msg"], None, ())
        record = data[0] if isinstance(data, list) else data
        if record["status"] != "success":
            return Outcome(record["failureCode"], record["failureReason"], None, tuple(record["warnings"]))
        content = PLAIN.get(record["downloadUrl"]).content
        password = texts.get("userPassword", "") or PASSWORD  # with which a result of a locked file is locked too
        looks = [record["downFileName"], _looks(record["downFileName"], content, password)]
        asks = tuple(question["parameter"] for question in record["questions"])
        return Outcome("", "", looks, tuple(record["warnings"]), asks)


@pytest.fixture(scope="session")
def calls(engine: RunningEngine, documents: Callable[[str], Files], outer: Outer) -> Calls:
    return Calls(engine, documents, outer.url)


def _looks(name: str, content: bytes, password: str) -> Any:
    if content.startswith(b"%PDF"):
        return _looks_of_pdf(content, password)
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = sorted(n for n in archive.namelist() if not n.startswith("docProps/"))
            return {n: _looks(n, archive.read(n), password) for n in names}
    if name.endswith(".json"):
        return _timeless(json.loads(content))
    return hashlib.sha256(_TIMES.sub(b"", content)).hexdigest()


def _looks_of_pdf(content: bytes, password: str) -> Any:
    document = pypdfium2.PdfDocument(content, password=password)
    try:
        shown = [hashlib.sha256(page.render(scale=0.5).to_numpy().tobytes()).hexdigest() for page in document]
        texts = [page.get_textpage().get_text_bounded() for page in document]
        sizes = [page.get_size() for page in document]
    finally:
        document.close()
    with pikepdf.open(io.BytesIO(content), password=password) as pdf:
        lock = (
            {"R": pdf.encryption.R, "P": pdf.encryption.P, "user": pdf.user_password_matched}
            if pdf.is_encrypted
            else None
        )
        owner = pdf.is_encrypted and _opens(content, "Heron-7")
        notes = [len(page.get("/Annots", [])) for page in pdf.pages]
        drawn = [_drawn(page) for page in pdf.pages]
        said = {key: str(pdf.docinfo.get(key, "")) for key in ("/Title", "/Author", "/Subject", "/Keywords")}
        said["attached"] = " ".join(sorted(pdf.attachments))
        return [shown, texts, sizes, lock, owner, notes, Name.StructTreeRoot in pdf.Root, drawn, said]


def _drawn(page: pikepdf.Page) -> list[Any]:
    """What is drawn and how; the names of fonts and pictures are chosen anew each time."""
    return [
        (str(one.operator), [str(operand) for operand in one.operands if not isinstance(operand, Name)])
        for one in pikepdf.parse_content_stream(page)
    ]


def _opens(content: bytes, password: str) -> bool:
    try:
        pikepdf.open(io.BytesIO(content), password=password).close()
    except pikepdf.PasswordError:
        return False
    return True


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if k not in ("durations", "duration", "cost_time")}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


# ---------- the tests ----------


def test_every_parameter_of_the_contract_has_a_row() -> None:
    known = {(row.operation, row.parameter) for row in parameter_rows.rows()}
    wanted = {
        (operation.id, parameter.name)
        for operation in contract().operations.values()
        if operation.id in implemented()
        for parameter in operation.parameters
    }
    assert known == wanted


def test_the_page_about_parameters_is_the_one_of_the_rows() -> None:
    committed = (ROOT / "docs" / "parameters.md").read_text("utf-8")
    assert committed == parameter_rows.page(), "python -m tests.engine.operations.parameter_rows > docs/parameters.md"


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_is_looked_at_does_not_change_from_call_to_call(calls: Calls, slow: bool) -> None:
    rows = {row.operation: row for row in parameter_rows.rows() if row.effect == "output" and row.slow == slow}
    for row in rows.values():
        assert calls.anew(row.operation, row.on, row.beside) == calls(row.operation, row.on, row.beside), row


def _rows() -> list[Any]:
    return [pytest.param(r, id=str(r), marks=[pytest.mark.slow] if r.slow else []) for r in parameter_rows.rows()]


@pytest.mark.parametrize("row", _rows())
def test_a_parameter_comes_to_what_its_row_says(calls: Calls, row: Row) -> None:
    known = contract().operations[row.operation].parameter(row.parameter)
    assert known is not None
    if known.type == "file":
        _try_file(calls, row)
        return
    before = calls(row.operation, row.on, row.beside)
    after = calls(row.operation, row.on, {**row.beside, row.parameter: row.value})
    match row.effect:
        case "output":
            assert after.code == "", after.message
            assert after.looks != before.looks
        case "asked":
            assert after.code == "", after.message
            assert after.asks != before.asks
        case "refused":
            assert before.code != after.code == row.code, after.message
        case "message":
            assert before.code == after.code != ""
            assert before.message.isascii()
            assert not after.message.isascii()
        case "warned":
            assert after.code == "", after.message
            assert any(row.warning in warning for warning in after.warnings), after.warnings
            assert not any(row.warning in warning for warning in before.warnings)
            assert row.differs or after.looks == before.looks


def _try_file(calls: Calls, row: Row) -> None:
    without = calls(row.operation, "nothing", row.beside)
    if row.effect == "refused":
        assert without.code == row.code
        return
    given = calls(row.operation, row.on, row.beside)
    assert given.code == "", given.message
    assert given.looks != without.looks
