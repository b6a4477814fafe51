"""A remote service is asked for recognition where the rule says nothing and the file needs it."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pikepdf
import PIL.Image
import pytest

from paperchute.app.facts import unread_of
from paperchute.rules.tables import Step
from tests.engine.reading.ocr.scanning import TABLE, scan_pdf, scanned
from tests.engine.reading.printing import LOREM, printed
from tests.jobs.bench import Bench
from tests.jobs.makers import runner_over

SCAN = Step("pdf-to-markdown", {})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("files")
    page = PIL.Image.new("RGB", (200, 280), (240, 240, 230))
    printed(folder / "text.pdf", "<p>" + "All of this is text that can be read. " * 20 + "</p>")
    scan_pdf(folder / "scan.pdf", page)
    page.save(folder / "photo.png")
    scanned(folder, TABLE, dpi=110).crop((60, 60, 480, 280)).save(folder / "table.png")
    data = b64encode((folder / "table.png").read_bytes()).decode()
    printed(folder / "pasted.pdf", f"<p>{LOREM}</p><img style='width:270pt' src='data:image/png;base64,{data}'>")
    with pikepdf.open(folder / "text.pdf") as pdf, pikepdf.open(folder / "scan.pdf") as more:
        pdf.pages.extend(more.pages)
        pdf.save(folder / "locked.pdf", encryption=pikepdf.Encryption(user="pw", owner="pw"))
    (folder / "notes.txt").write_text("words")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _asked(bench: Bench, name: str, content: bytes, step: Step, *, repeatable: bool = False) -> dict[str, object]:
    bench.service.repeatable = repeatable
    work = bench.hot.parent / "state" / "work"
    bench.runner = runner_over(bench.journal, lambda: bench.service, work, unread=unread_of)
    assert bench.run(bench.drop(name, content), steps=(step,)).kind == "done"
    return {key: value for key, value in bench.service.calls[-1].parameters.items() if key.endswith(("Ocr", "Option"))}


WHERE_NEEDED = {"enableOcr": 1, "ocrOption": "INVALID_CHARACTER_AND_SCAN_PAGE"}


def test_only_a_file_that_needs_it(bench: Bench, files: dict[str, bytes]) -> None:
    assert _asked(bench, "scan.pdf", files["scan.pdf"], SCAN) == WHERE_NEEDED
    assert _asked(bench, "text.pdf", files["text.pdf"], SCAN) == {}
    assert _asked(bench, "photo.png", files["photo.png"], Step("document-parsing", {})) == WHERE_NEEDED


def test_of_a_picture_among_text_recognition_is_asked_for_everywhere(bench: Bench, files: dict[str, bytes]) -> None:
    assert _asked(bench, "pasted.pdf", files["pasted.pdf"], SCAN) == {"enableOcr": 1, "ocrOption": "ALL"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scan.pdf", "Text recognition was requested: page 1 of scan.pdf cannot be read completely without it."),
        ("pasted.pdf", "Text recognition was requested: pictures on page 1 of pasted.pdf look like text."),
    ],
)
def test_the_job_s_history_says_of_which_pages(bench: Bench, files: dict[str, bytes], name: str, said: str) -> None:
    _asked(bench, name, files[name], SCAN)
    assert [event.text for event in bench.journal.history.events(1) if event.kind == "noted"] == [said]


@pytest.mark.parametrize("said", [0, 1])
def test_the_rule_s_word_stands(bench: Bench, files: dict[str, bytes], said: int) -> None:
    step = Step("pdf-to-markdown", {"enableOcr": said})
    assert _asked(bench, "scan.pdf", files["scan.pdf"], step) == {"enableOcr": said}
    assert _asked(bench, "text.pdf", files["text.pdf"], step) == {"enableOcr": said}


def test_a_rule_s_choice_of_pages_goes_along(bench: Bench, files: dict[str, bytes]) -> None:
    step = Step("pdf-to-markdown", {"ocrOption": "ALL"})
    assert _asked(bench, "scan.pdf", files["scan.pdf"], step) == {"enableOcr": 1, "ocrOption": "ALL"}


def test_our_own_engine_and_operations_without_text_are_told_nothing(bench: Bench, files: dict[str, bytes]) -> None:
    assert _asked(bench, "scan.pdf", files["scan.pdf"], SCAN, repeatable=True) == {}
    assert _asked(bench, "scan.pdf", files["scan.pdf"], Step("magic-color", {})) == {}


def test_what_cannot_be_told_needs_nothing(files: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert not unread_of(tmp_path / "locked.pdf", "").scope
    assert unread_of(tmp_path / "locked.pdf", "pw").scope
    assert not unread_of(tmp_path / "notes.txt", "").scope
    assert not unread_of(tmp_path / "nowhere.pdf", "").scope


def test_which_pages_were_recognised_is_in_the_job_s_history_and_no_warning(bench: Bench) -> None:
    bench.service.notes = ("Text was recognised on page 2.",)
    outcome = bench.run(bench.drop())
    assert (outcome.job.state, outcome.job.warnings) == ("done", ())
    noted = [event.text for event in bench.journal.history.events(outcome.job.id) if event.kind == "noted"]
    assert len(noted) == 1
    assert noted[0].endswith("Text was recognised on page 2.")
