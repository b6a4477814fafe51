"""Text recognition through a real engine: its worker, its limits, its flag for further models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from paperchute.contract.built_in import MODELS
from paperchute.contract.tesseract import trained
from tests.engine.reading.ocr.scanning import scan_pdf, scanned
from tests.engine.service.running import RunningEngine


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scan")
    return scan_pdf(folder / "scan.pdf", scanned(folder, "<p>Harbour survey</p>", dpi=100), dpi=100)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    models = tmp_path_factory.mktemp("models")
    (models / "th_PP-OCRv5_rec_mobile.onnx").write_bytes(b"no network")
    with RunningEngine(tmp_path_factory.mktemp("state"), "--ocr-models", str(models), real=True) as running:
        yield running


def _post(engine: RunningEngine, scan: Path, **fields: str) -> dict[str, object]:
    files = {"file": (scan.name, scan.read_bytes())}
    answer = engine.client.post(f"{engine.base_url}/v2/process/pdf/editable", files=files, data=fields).json()
    assert isinstance(answer, dict)
    return answer


def test_a_scan_becomes_searchable(engine: RunningEngine, scan: Path, tmp_path: Path) -> None:
    answer = _post(engine, scan)
    record = answer["data"]
    assert isinstance(record, dict)
    assert record["status"] == "success", record
    made = tmp_path / "made.pdf"
    made.write_bytes(engine.client.get(record["downloadUrl"]).content)
    document = pypdfium2.PdfDocument(made)
    assert "Harbour survey" in document[0].get_textpage().get_text_bounded()
    document.close()


def test_a_language_that_is_not_installed_is_a_wrong_request(engine: RunningEngine, scan: Path) -> None:
    missing = next((language for language in ("KANNADA", "TELUGU", "TAMIL") if not trained(language)), "")
    if not missing:
        pytest.skip("Tesseract reads them all here")
    answer = _post(engine, scan, ocrRecognitionLang=missing)
    assert answer["code"] == "03000"
    assert MODELS[missing] in str(answer["msg"])


def test_a_model_that_is_none_fails_the_file_with_a_reason(engine: RunningEngine, scan: Path) -> None:
    record = _post(engine, scan, ocrRecognitionLang="THAI")["data"]
    assert isinstance(record, dict)
    assert (record["status"], record["failureCode"]) == ("failed", "190005")
    assert "th_PP-OCRv5_rec_mobile.onnx" in record["failureReason"]


@pytest.mark.skipif(not trained("CYRILLIC"), reason="needs the Debian packages tesseract-ocr and tesseract-ocr-rus")
def test_another_script_is_read_inside_of_the_fence(engine: RunningEngine, tmp_path: Path) -> None:
    page = scanned(tmp_path, "<p>Осмотр северных гаваней 1250</p>", dpi=100).crop((0, 0, 827, 200))
    answer = _post(engine, scan_pdf(tmp_path / "a.pdf", page, dpi=100), ocrRecognitionLang="CYRILLIC")
    record = answer["data"]
    assert isinstance(record, dict)
    assert record["status"] == "success", record
    made = tmp_path / "made.pdf"
    made.write_bytes(engine.client.get(record["downloadUrl"]).content)
    document = pypdfium2.PdfDocument(made)
    assert "Осмотр северных гаваней 1250" in document[0].get_textpage().get_text_bounded()
    document.close()
