"""What a result lacks of what was asked for is in the record's warnings: text, formulas, files that a page names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import PIL.Image
import pytest

from paperchute.contract import told_of_pages as told
from tests.contract.compound import compound
from tests.engine.operations.papers import paper
from tests.engine.reading.ocr.scanning import LETTER, scan_pdf, scanned, upper
from tests.engine.reading.printing import LOREM, printed
from tests.engine.service.outer import Outer
from tests.engine.service.running import RunningEngine, record_of, refusal_of


@pytest.fixture(scope="module")
def outer() -> Iterator[Outer]:
    with Outer() as running:
        yield running


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """It may fetch from two names of this machine, one of which is an inner host too."""
    flags = ("--allow-host", "127.0.0.1", "--allow-host", "localhost", "--inner-host", "127.0.0.1")
    with RunningEngine(tmp_path_factory.mktemp("engine"), *flags, real=True) as running:
        yield running


def _warnings(engine: RunningEngine, path: str, name: str, content: bytes, **texts: str) -> list[str]:
    record = record_of(engine.post(path, ("file", name, content), data=texts))
    assert record["status"] == "success", record
    return list(record["warnings"])


def _scan(pages: int) -> bytes:
    out = io.BytesIO()
    shown = [PIL.Image.effect_noise((200, 280), 90).convert("RGB") for _ in range(pages)]
    shown[0].save(out, "PDF", resolution=72, save_all=True, append_images=shown[1:])
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("a.docx", compound("EncryptionInfo", "EncryptedPackage"), "02201", "is locked with a password"),
        ("a.xlsx", compound("EncryptionInfo", "EncryptedPackage"), "02201", "is locked with a password"),
        ("a.docx", b"PK\x03\x04" + bytes(900), "02207", "it is damaged"),
    ],
)
def test_why_an_office_file_cannot_be_opened(
    engine: RunningEngine, name: str, content: bytes, code: str, said: str
) -> None:
    record = record_of(engine.post("idp/documentParsing", ("file", name, content)))
    assert record["failureCode"] == code
    assert said in record["failureReason"]


def test_the_record_says_what_became_of_the_words(engine: RunningEngine, tmp_path: Path) -> None:
    pdf = printed(
        tmp_path / "a.pdf", f"<p>{LOREM * 60}</p>", "@page{@bottom-center{content:counter(page);font-size:9pt}}"
    )
    record = record_of(engine.post("pdf/markdown", ("file", "a.pdf", pdf.read_bytes())))
    words = record["words"]
    assert words["written"] == len((LOREM * 60).split())
    assert words["shown"] == words["written"] + words["page_number"]
    assert words["page_number"] > 1
    assert words["unaccounted"] == 0
    assert record["warnings"] == []


@pytest.mark.parametrize("path", ["pdf/markdown", "pdf/html", "pdf/docx", "pdf/rtf", "pdf/xlsx", "idp/documentParsing"])
def test_a_scan_read_without_recognition_says_so(engine: RunningEngine, path: str) -> None:
    (warning,) = _warnings(engine, path, "scan.pdf", _scan(2), enableOcr="0")
    assert warning == "No text was found on pages 1-2. If this is a scan, set enableOcr = 1."


@pytest.mark.parametrize("path", ["pdf/markdown", "pdf/docx", "pdf/encrypt", "pdf/editable", "documentAI/magicColor"])
def test_a_pdf_that_came_cut_off_is_never_plainly_done(engine: RunningEngine, tmp_path: Path, path: str) -> None:
    file = io.BytesIO()
    with pikepdf.open(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>")) as pdf:
        pdf.save(file, object_stream_mode=pikepdf.ObjectStreamMode.disable)  # so that qpdf finds its pages as well
    whole = file.getvalue()
    texts = {"userPassword": "pw"} if path == "pdf/encrypt" else {}
    warnings = _warnings(engine, path, "a.pdf", whole[:-60], **texts)
    assert "a.pdf is damaged or cut off. 1 page was found in it: check whether any are missing." in warnings
    assert not any("damaged" in warning for warning in _warnings(engine, path, "a.pdf", whole, **texts))


def test_a_scan_among_printed_pages_is_named_and_a_blank_page_is_not(engine: RunningEngine, tmp_path: Path) -> None:
    path = printed(tmp_path / "mixed.pdf", f"<p>{LOREM}</p>")
    assert _warnings(engine, "pdf/markdown", "a.pdf", path.read_bytes()) == []
    with pikepdf.open(path, allow_overwriting_input=True) as pdf, pikepdf.open(io.BytesIO(_scan(1))) as scan:
        pdf.add_blank_page()
        pdf.pages.extend(scan.pages)
        pdf.save(path)
    (unsaid,) = _warnings(engine, "pdf/markdown", "a.pdf", path.read_bytes())
    assert unsaid == "No text was recognised on page 3."
    (warning,) = _warnings(engine, "pdf/markdown", "a.pdf", path.read_bytes(), enableOcr="0")
    assert warning.startswith("No text was found on page 3. If this is a scan")
    (blank,) = _warnings(engine, "pdf/markdown", "a.pdf", path.read_bytes(), pageRanges="2", enableOcr="0")
    assert blank == "No text was found on page 2."


def test_the_record_says_which_pages_were_recognised(engine: RunningEngine, tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "a.pdf", upper(scanned(tmp_path, LETTER)))
    record = record_of(engine.post("pdf/markdown", ("file", "a.pdf", path.read_bytes()), data={}))
    assert record["warnings"] == []
    assert record["notes"][0] == "Text was recognised on page 1."


def test_a_truncated_file_whose_pages_are_lost_is_not_plainly_done(engine: RunningEngine, tmp_path: Path) -> None:
    whole = paper(tmp_path / "a.pdf", "one", "two").read_bytes()
    record = record_of(engine.post("pdf/markdown", ("file", "a.pdf", whole[:200])))
    assert record["status"] == "failed" or record["warnings"], record


def test_a_filter_that_leaves_nothing_says_so(engine: RunningEngine, tmp_path: Path) -> None:
    content = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>").read_bytes()
    found = _warnings(engine, "idp/documentParsing", "a.pdf", content, content_filter="formula")
    assert found == ["content_filter formula: there are none on these pages."]


def test_equal_passwords_of_owner_and_user_are_told(engine: RunningEngine, tmp_path: Path) -> None:
    content = paper(tmp_path / "a.pdf", "one").read_bytes()
    texts = {"userPassword": "Kestrel-9", "ownerPassword": "Kestrel-9"}
    (warning,) = _warnings(engine, "pdf/encrypt", "a.pdf", content, **texts)
    assert "restrict nobody" in warning
    assert "Kestrel" not in warning


# ---------- what pages name ----------


def test_what_was_left_out_is_told_by_name_and_reason(engine: RunningEngine, outer: Outer) -> None:
    outer.pages["/there.png"] = (200, {"Content-Type": "image/png"}, _png())
    html = (
        f"<p>x<img src='logo.png'><img src='{outer.url}/gone.png?key=s3cret'><img src='{outer.url}/there.png'>"
        "<img src='http://elsewhere.example/a.png'><link rel=stylesheet href='style.css'>"
    )
    (warning,) = _warnings(engine, "html/pdf", "a.html", b"<!doctype html>" + html.encode())
    assert warning.startswith("4 files that the document names were left out: ")
    assert " logo.png (it did not come with the document)" in warning
    assert "style.css (it did not come with the document)" in warning
    assert "/gone.png (it answers with HTTP 404)" in warning
    assert "this engine may not fetch from the host elsewhere.example" in warning
    assert "s3cret" not in warning
    assert "there.png" not in warning


def test_of_very_many_the_first_are_named(engine: RunningEngine) -> None:
    html = "<!doctype html>" + "".join(f"<img src='{n}-{'x' * 300}.png'>" for n in range(40))
    (warning,) = _warnings(engine, "html/pdf", "a.html", html.encode())
    assert warning.startswith("40 files")
    named = warning.count("did not come with the document")
    assert 1 <= named <= 5
    assert warning.endswith(f"and {40 - named} more.")
    assert len(warning) <= 500


def test_a_page_that_has_all_it_names_has_no_warning(engine: RunningEngine) -> None:
    assert _warnings(engine, "html/pdf", "a.html", b"<!doctype html><p>x") == []


def _png() -> bytes:
    out = io.BytesIO()
    PIL.Image.new("RGB", (6, 4), "red").save(out, "PNG")
    return out.getvalue()


def _generated(engine: RunningEngine, **texts: str) -> Any:
    return engine.client.post("/v2/process/pdf/generate", files=[(n, (None, t.encode())) for n, t in texts.items()])


def test_an_inner_host_is_printed_where_the_owner_has_named_it(engine: RunningEngine, outer: Outer) -> None:
    outer.pages["/page.html"] = (200, {"Content-Type": "text/html"}, b"<p>Quay<img src='there.png'>")
    outer.pages["/there.png"] = (200, {"Content-Type": "image/png"}, _png())
    record = record_of(_generated(engine, htmlUrl=f"{outer.url}/page.html"))
    assert record["status"] == "success", record
    assert record["warnings"] == []
    assert outer.asked.count("/there.png") >= 1


def test_a_listed_host_that_is_no_inner_one_stays_closed(engine: RunningEngine, outer: Outer) -> None:
    record = record_of(_generated(engine, htmlUrl=outer.url.replace("127.0.0.1", "localhost") + "/page.html"))
    assert (record["status"], record["failureCode"]) == ("failed", "03000")  # which nobody tries again
    assert "not at a public address" in record["failureReason"]


@pytest.mark.parametrize(
    "there", ["http://[::1]:{port}/x", "http://localhost:{port}/x", "http://10.0.0.1/x", "file:///etc"]
)
def test_an_inner_host_leads_nowhere_else(engine: RunningEngine, outer: Outer, there: str) -> None:
    port = outer.url.rpartition(":")[2]
    outer.pages["/away"] = (302, {"Location": there.format(port=port)}, b"")
    before = outer.asked.count("/x")
    record = record_of(_generated(engine, htmlUrl=f"{outer.url}/away"))
    assert record["status"] == "failed", record
    assert outer.asked.count("/x") == before


def test_an_inner_host_alone_is_not_open_to_documents(tmp_path: Path, outer: Outer) -> None:
    with RunningEngine(tmp_path / "engine", "--inner-host", "127.0.0.1", real=True) as engine:
        assert refusal_of(_generated(engine, htmlUrl=f"{outer.url}/page.html")) == (400, "03000")
        html = f"<!doctype html><img src='{outer.url}/private.png'>"
        (warning,) = _warnings(engine, "html/pdf", "a.html", html.encode())
        assert "this engine may not fetch from the host" in warning
    assert "/private.png" not in outer.asked


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([3], "page 3"), ([1, 2, 3, 7], "pages 1-3, 7"), ([2, 1, 2], "pages 1-2"), ([1, 2, 4, 5], "pages 1-2, 4-5")],
)
def test_pages_are_named_in_spans(numbers: list[int], text: str) -> None:
    assert told(numbers) == text


def test_of_many_spans_the_first_are_named() -> None:
    assert told(range(1, 100, 2)).endswith("and others, 50 in all")
