"""Bates numbers: pages are counted on from file to file in the order of jobs, and a job tried again keeps its own."""

from __future__ import annotations

import threading
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
import pytest

from paperchute.app.facts import page_count_of
from paperchute.jobs.model import Job
from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.makers import runner_over
from tests.journeys.daemon import Paperchute, names
from tests.journeys.documents import write_pdf
from tests.rules.test_file import problems

HEAD = 'version = 1\n[[rule]]\nname = "Court"\nfolder = "court"\noperation = "{}"\nparameters = {{ {} }}\n'
NUMBER = Step("pdf-number", {"text": "A{bates:04}", "start": 10})


def printed(path: Path) -> list[str]:
    """The last word of each page."""
    with pdfium.PdfDocument(path) as pdf:
        return [page.get_textpage().get_text_bounded().split()[-1] for page in pdf]


def test_numbers_go_on_over_files_and_after_a_restart(tmp_path: Path) -> None:
    office = Paperchute(tmp_path, HEAD.format("pdf-number", 'text = "A{bates:04}", start = 10'))
    (tmp_path / "court").mkdir()
    for name, pages in (("a", 3), ("b", 1), ("c", 2)):
        write_pdf(tmp_path / "court" / f"{name}.pdf", "Dear reader", pages)
    assert office.run("run", "--once").returncode == 0
    made = {name: printed(tmp_path / "court.out" / name) for name in names(tmp_path / "court.out")}
    numbers = [word for words in made.values() for word in words]
    assert [len(words) for words in made.values()] == [3, 1, 2]
    assert sorted(numbers) == [f"A{number:04}" for number in range(10, 16)]
    assert all(words == sorted(words) for words in made.values())
    write_pdf(tmp_path / "court" / "d.pdf", "Dear reader")
    assert office.run("run", "--once").returncode == 0
    assert printed(tmp_path / "court.out" / "d.pdf") == ["A0016"]


def test_a_file_that_says_it_has_fewer_pages_takes_no_numbers_of_the_next(tmp_path: Path) -> None:
    office = Paperchute(tmp_path, HEAD.format("pdf-number", 'text = "A{bates:04}"'))
    (tmp_path / "court").mkdir()
    with pikepdf.new() as pdf:
        for _ in range(3):
            pdf.add_blank_page()
        pdf.save(tmp_path / "plain.pdf")
    lying = (tmp_path / "plain.pdf").read_bytes().replace(b"/Count 3", b"/Count 1")
    (tmp_path / "court" / "a.pdf").write_bytes(lying)
    office.run("run", "--once")
    (job,) = office.json("jobs")
    assert "has 3 pages, and says that it has 1" in str(job["warnings"])
    write_pdf(tmp_path / "court" / "b.pdf", "Dear reader")
    office.run("run", "--once")
    with pdfium.PdfDocument(tmp_path / "court.out" / "a.pdf") as result:
        said = " ".join(page.get_textpage().get_text_bounded() for page in result)
    assert said.split() == ["A0001"]
    assert printed(tmp_path / "court.out" / "b.pdf") == ["A0002"]


@pytest.fixture(name="counted")
def _counted(bench: Bench) -> Bench:
    work = bench.hot.parent / "state" / "work"
    bench.runner = runner_over(bench.journal, lambda: bench.service, work, page_count=page_count_of)
    return bench


def started(bench: Bench) -> list[tuple[str, int]]:
    return [(str(call.parameters["text"]), int(str(call.parameters["start"]))) for call in bench.service.calls]


def test_a_job_tried_again_keeps_its_numbers_and_the_next_one_goes_on_behind_them(counted: Bench) -> None:
    failing = [ServiceError("no", kind="input")]

    def fail(call: Call) -> None:
        if failing:
            raise failing.pop()

    counted.service.on_call = fail
    write_pdf(counted.hot / "a.pdf", "one", 2)
    write_pdf(counted.hot / "b.pdf", "one", 3)
    job = counted.run(counted.hot / "a.pdf", steps=(NUMBER,)).job
    assert job.state == "failed"
    assert counted.run(counted.hot / "b.pdf", steps=(NUMBER,)).job.state == "done"
    counted.bring_back(job)
    again = counted.run(counted.hot / "a.pdf", steps=(NUMBER,)).job
    assert (again.id, again.state) == (job.id, "done")
    assert started(counted) == [("A{number:04}", 10), ("A{number:04}", 12), ("A{number:04}", 10)]


def test_only_the_pages_that_get_the_line_are_counted(counted: Bench) -> None:
    step = Step("pdf-number", {"text": "{bates}", "pages": "2-9,2"})
    for name in ("a.pdf", "b.pdf"):
        write_pdf(counted.hot / name, "one", 3)
        assert counted.run(counted.hot / name, steps=(step,)).job.state == "done"
    assert started(counted) == [("{number}", 1), ("{number}", 3)]


def test_a_file_whose_pages_cannot_be_counted_takes_no_numbers(counted: Bench) -> None:
    job = counted.run(counted.drop(content=b"%PDF-1.7 broken"), steps=(NUMBER,)).job
    assert job.state == "failed"
    assert "cannot be counted" in str(job.error)
    assert not counted.service.calls


def test_jobs_at_work_at_the_same_time_take_their_numbers_in_the_order_in_which_they_came(counted: Bench) -> None:
    jobs: list[Job] = []
    for name, pages in (("a.pdf", 2), ("b.pdf", 1)):
        write_pdf(counted.hot / name, "one", pages)
        jobs.append(counted.queue(counted.hot / name, steps=(NUMBER,)))
    waiting = threading.Thread(target=counted.runner.run, args=(jobs[1],))
    waiting.start()
    waiting.join(1)
    assert waiting.is_alive(), "the one before has no numbers yet"
    counted.runner.run(jobs[0])
    waiting.join()
    assert sorted(start for _, start in started(counted)) == [10, 12]
    assert counted.journal.bates_numbers.before(jobs[0], 0, "") == 0


@pytest.mark.parametrize(
    ("operation", "parameters", "said"),
    [
        ("pdf-number", 'text = "{bates} {number}"', "there is no placeholder {number}"),
        ("pdf-number", 'text = "{bates:x}"', "{bates:x} cannot be filled in"),
        ("pdf-add-watermark", 'type = "text", text = "{bates}"', "there is no placeholder {bates}"),
    ],
)
def test_where_it_counts_nothing_it_is_refused(tmp_path: Path, operation: str, parameters: str, said: str) -> None:
    assert any(said in problem for problem in problems(tmp_path, HEAD.format(operation, parameters)))


def test_one_call_alone_has_no_count(tmp_path: Path) -> None:
    office = Paperchute(tmp_path, "version = 1\n")
    write_pdf(tmp_path / "a.pdf", "Dear reader")
    done = office.run("do", "pdf-number", str(tmp_path / "a.pdf"), "-p", "text={bates}")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "{bates} counts pages over the files of a rule" in done.stderr
