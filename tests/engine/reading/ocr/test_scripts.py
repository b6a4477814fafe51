"""Other scripts: what the system's Tesseract reads, and how its reading and the built-in model's become one."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from paperchute.contract.built_in import MODELS, not_installed
from paperchute.contract.tesseract import DATA_VARIABLE, TRAINED, install_command, shared_library, trained, unfit
from paperchute.engine import report
from paperchute.engine.reading.ocr import page, scripts, tesseract
from paperchute.engine.reading.ocr.models import built_in_reader
from paperchute.engine.reading.ocr.page import see
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.recognition import LineReading, Reading
from paperchute.engine.work import Refused
from tests.engine.reading.ocr.scanning import noisy, scanned

LINES = {
    "CYRILLIC": "Быстрый осмотр северных гаваней, 37 % больше",
    "GREEK": "Η γρήγορη επιθεώρηση των λιμανιών",
    "KOREAN": "북쪽 항구에 대한 빠른 조사에 따르면",
    "ARABIC": "أظهر المسح السريع للموانئ الشمالية",
    "DEVANAGARI": "उत्तरी बंदरगाहों के त्वरित सर्वेक्षण",
    "THAI": "การสำรวจอย่างรวดเร็วของท่าเรือ",
}


def _reading(text: str, score: float = 0.95, *, at: tuple[float, float] = (0.0, 1.0)) -> Reading:
    """A reading whose characters stand at even steps."""
    return Reading(text, np.linspace(*at, len(text), dtype=np.float32), np.full(len(text), score, np.float32))


def _line(characters: int) -> Pixels:
    return np.full((40, 20 * characters, 3), 255, np.uint8)


@pytest.mark.parametrize(
    ("added", "own", "wanted"),
    [
        ("итого 4250 руб", "  x o 1250 py6", "итого 1250 руб"),
        ("итого 42 руб ..", "итого 1250 py6", "итого 1250 руб .."),  # a figure was not seen
        ("αύξηση 37 90", "aunon 37  %", "αύξηση 37 %"),
        ("итого ٤٥٦ руб", "итого 4 0 py6", "итого ٤٥٦ руб"),  # figures of the script are its own
        ("ВОРОНЕЖ", "BOPOHEK", "ВОРОНЕЖ"),
    ],
)
def test_numbers_are_the_built_in_models(added: str, own: str, wanted: str) -> None:
    length = max(len(added), len(own))
    first, second = (_reading(text, at=(0.0, (len(text) - 1) / length)) for text in (added, own))
    together = scripts._with_numbers(first, second, 1.2 / length)
    assert together.text == wanted
    assert len(together.places) == len(together.scores) == len(wanted)


@pytest.mark.parametrize(
    ("added", "score", "own", "own_score", "wanted"),
    [
        ("1 0", 0.9, "1 250,00", 0.99, "1 250,00"),  # a line of figures
        ("Е-тай: ойсе", 0.7, "E-mail: office", 0.99, "E-mail: office"),
        ("СССР, ВОРОНЕЖ", 0.92, "CCCP, BOPOHE", 0.98, "СССР, ВОРОНЕЖ"),
        ("осмотр гаваней", 0.7, " ,   ", 0.98, "осмотр гаваней"),  # of which the network knows the spaces only
        ("๒ทฉ่ตู6 ปทา0อ", 0.9, "bridge tar", 0.99, "bridge tar"),  # Latin letters have no such shapes
        ("๒ทฉ่ตู6 ราคา", 0.9, "bridge ", 0.99, "๒ทฉ่ตู6 ราคา"),  # a word that the network does not know
        ("ยอดรวม ๕๐๐", 0.9, "total 500", 0.99, "ยอดรวม ๕๐๐"),
    ],
)
def test_a_line_is_the_surer_models(added: str, score: float, own: str, own_score: float, wanted: str) -> None:
    line = _line(max(len(added), len(own)))
    assert scripts._together(_reading(added, score), _reading(own, own_score), line).any.text == wanted


@pytest.mark.skipif(not trained("THAI"), reason="needs the Debian packages tesseract-ocr and tesseract-ocr-tha")
def test_latin_lines_among_those_of_no_known_script_are_read(tmp_path: Path) -> None:
    """Thai was a little surer of the Greek than the built-in network, and took the English lines too."""
    english = "The quay was rebuilt in brick and timber"
    lines = [LINES["GREEK"] + " " + LINES["GREEK"], english] * 3
    page = scanned(tmp_path, "".join(f"<p>{line}</p>" for line in lines))
    with report.noted():
        seen = see(np.asarray(page.crop((0, 0, page.width, 450))), "AUTO")
    assert " ".join(word.text for word in seen.words).count(english) == 3
    assert seen.unsure > 0.3


def test_a_language_is_there_where_library_and_data_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.contract.tesseract.shared_library", lambda: tmp_path)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert trained("CYRILLIC") == ()
    for name in ("bel", "rus", "bul", "ukr"):
        (tmp_path / f"{name}.traineddata").touch()
    assert trained("CYRILLIC") == ("rus", "ukr", "bul")
    (tmp_path / "script").mkdir()
    (tmp_path / "script" / "Cyrillic.traineddata").touch()
    assert trained("CYRILLIC") == ("script/Cyrillic",)
    assert trained("THAI") == trained("ENGLISH") == ()


def test_the_script_that_was_taken_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.contract.tesseract.shared_library", lambda: tmp_path)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    (tmp_path / "ell.traineddata").touch()
    with report.noted() as notes:
        scripts.note_choice(built_in_reader())
        assert notes == []
        scripts.note_choice(tesseract.TrainedData("ell"))
    assert notes == ["Text was recognised with ocrRecognitionLang = GREEK."]


def test_no_script_is_noted_of_a_page_without_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.contract.tesseract.shared_library", lambda: tmp_path)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    (tmp_path / "ell.traineddata").touch()
    monkeypatch.setattr(page, "best_model", lambda lines: (tesseract.TrainedData("ell"), 0.4))
    with report.noted() as notes:
        assert see(np.full((300, 200, 3), 255, np.uint8), "AUTO").words == []
    assert notes == []


def test_data_that_cannot_be_used_is_named_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.contract.tesseract.shared_library", lambda: tmp_path)
    monkeypatch.setattr("shutil.which", lambda program: None)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    file = tmp_path / "tha.traineddata"
    whole = struct.pack("<Iqqq", 3, 28, -1, 30) + b"data"
    for content, trouble in (
        (whole, ""),
        (b"", "it is empty"),
        (whole[:29], "it is damaged"),
        (struct.pack("<Iqqq", 3, 28, -1, 1 << 60) + b"data", "it is damaged"),  # ends the process that loads it
        (b"<html>404 Not Found</html>" * 9, "it is damaged"),
        (b"\0" * 999, "it is damaged"),
    ):
        file.write_bytes(content)
        wanted = f"Tesseract's data tha.traineddata cannot be used: {trouble}. Replace it, or remove it."
        assert unfit("THAI") == (wanted if trouble else "")
    file.unlink()
    file.mkdir()
    (tmp_path / "rus.traineddata").write_bytes(whole)  # so that it is a folder of data
    assert "it is a folder" in not_installed("THAI", "")
    with pytest.raises(Refused, match=r"tha\.traineddata cannot be used"):
        tesseract.trained_data("THAI")
    monkeypatch.setattr("shutil.which", lambda program: "/bin/apt-get" if program == "apt-get" else None)
    assert unfit("THAI").endswith("Reinstall it: sudo apt-get install --reinstall tesseract-ocr-tha.")


def test_the_command_is_the_systems_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program: "/bin/dnf" if program == "dnf" else None)
    assert install_command("DEVANAGARI") == "sudo dnf install tesseract tesseract-langpack-hin"
    monkeypatch.setattr("shutil.which", lambda program: None)
    assert {install_command(language) for language in TRAINED} == {""}


@pytest.mark.skipif(shared_library() is None, reason="needs the Debian package tesseract-ocr")
@pytest.mark.parametrize("language", LINES)
def test_a_line_of_another_script_is_read(language: str, tmp_path: Path) -> None:
    data = tesseract.trained_data(language)
    if data is None:
        pytest.skip("needs the trained data of Tesseract")
    page = np.asarray(noisy(scanned(tmp_path, f"<p>{LINES[language]}</p>", dpi=200), 6.0))
    ink = np.nonzero((page[:, 100:-100, 0] < page[:, 100:-100, 0].mean(axis=0) - 90).any(axis=1))[0]
    line = np.ascontiguousarray(page[ink.min() - 6 : ink.max() + 6, 100:-100])
    read = tesseract.read_line(data, line)
    text = read.text
    if language == "ARABIC":  # as it looks, from left to right
        text = " ".join(word[::-1] for word in reversed(text.split()))
    assert text == LINES[language]
    assert read.confidence > scripts.SCRIPTS.sure


@pytest.mark.skipif(not trained("CYRILLIC"), reason="needs the Debian packages tesseract-ocr and tesseract-ocr-rus")
@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (3000, 1), (1500, 4000)])
def test_a_picture_of_any_shape_is_no_work_without_end(shape: tuple[int, int]) -> None:
    data = tesseract.trained_data("CYRILLIC")
    assert data is not None
    read = tesseract.read_line(data, np.zeros((*shape, 3), np.uint8))
    assert len(read.text) == len(read.places) == len(read.scores)


@pytest.mark.skipif(not trained("CYRILLIC"), reason="needs the Debian packages tesseract-ocr and tesseract-ocr-rus")
def test_nobody_has_to_name_the_script(tmp_path: Path) -> None:
    page = scanned(tmp_path, f"<p>{LINES['CYRILLIC']}. {LINES['CYRILLIC']}.</p>", dpi=150)
    seen = see(np.asarray(page.crop((0, 0, page.width, 250))), "AUTO", 150)
    assert " ".join(word.text for word in seen.words).startswith(LINES["CYRILLIC"])
    assert seen.unsure == 0


@pytest.mark.skipif(not trained("THAI"), reason="needs the Debian packages tesseract-ocr and tesseract-ocr-tha")
@pytest.mark.parametrize("dpi", [150, 200])
def test_a_script_that_no_model_knows_is_not_read_surely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dpi: int
) -> None:
    monkeypatch.setattr(scripts, "MODELS", [language for language in MODELS if language != "GREEK"])
    lines = ["Η εταιρεία πλήρωσε το τιμολόγιο πριν από το τέλος", "Οι παλιές αποβάθρες ξαναχτίστηκαν με τούβλα"]
    page = scanned(tmp_path, "".join(f"<p>{line}</p>" for line in lines), dpi=dpi)
    assert see(np.asarray(page.crop((0, 0, page.width, 3 * dpi))), "AUTO", float(dpi)).unsure == 1


def test_a_damaged_model_that_nobody_named_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "cyrillic_PP-OCRv5_rec_mobile.onnx"
    damaged.write_bytes(b"no network")
    monkeypatch.setattr(scripts, "model_for", lambda language: damaged)
    assert scripts.best_model([np.full((40, 400, 3), 255, np.uint8)])[0] == built_in_reader()


def test_latin_lines_are_not_tried_in_other_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(language: str) -> LineReading:
        raise AssertionError(language)

    monkeypatch.setattr(scripts, "model_for", never)
    page = scanned(tmp_path, "<p>The quick survey of the northern harbours</p>", dpi=100)
    see(np.asarray(page.crop((0, 0, page.width, 200))), "AUTO", 100)
