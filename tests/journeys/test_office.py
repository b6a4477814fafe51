"""What office people do: drop things in, look at what comes out, put right what failed."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import PIL.Image
import pytest

from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import page_count, write_pdf

RULES = """
version = 1
[[rule]]
name = "Read"
folder = "read"
operation = "pdf-to-markdown"
recursive = true
[[rule]]
name = "Bundle"
folder = "bundles"
gather = "folder"
operation = "pdf-merge"
[[rule]]
name = "Two steps"
folder = "steps"
steps = [
  { operation = "html-to-pdf" },
  { operation = "pdf-encrypt", parameters = { userPassword = "env:PAPERCHUTE_TEST_KEY" } },
]
output = "{folder.name}.out/{stem} (locked).{ext}"
[[rule]]
name = "Clean"
folder = "photos"
operation = "magic-color"
"""
PHOTO = Path(__file__).parents[1] / "engine" / "imaging" / "heic" / "page.heic"


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    for name in ("read", "bundles", "steps", "photos"):
        (tmp_path / name).mkdir()
    yield paperchute
    paperchute.close()


def test_a_folder_of_mixed_files_comes_out_whole(office: Paperchute, tmp_path: Path) -> None:
    read = tmp_path / "read"
    long_name = "long " + "x" * 190 + ".pdf"
    good = [
        "plain.pdf",
        "with spaces.pdf",
        "ünïcödé 漢字 🙂.pdf",
        "UPPER.PDF",
        "-dash.pdf",
        "it's (1) [x].pdf",
        long_name,
    ]
    for name in good:
        write_pdf(read / name, "Mixed")
    write_pdf(read / "deep" / "er" / "plain.pdf", "Deeper")
    write_pdf(read / "new\nline.pdf", "Line")
    (read / "empty.pdf").touch()
    (read / "not really.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 200 + b"IEND0000")
    (read / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of worth\n%%EOF\n")
    with pikepdf.new() as locked:
        locked.add_blank_page()
        locked.save(read / "locked.pdf", encryption=pikepdf.Encryption(user="u", owner="o"))
    (read / "notes.docx").write_bytes(b"PK\x03\x04 not for this rule")
    (read / "half.pdf.part").write_bytes(b"%PDF-1.7 half")

    done = office.run("run", "--once")
    assert done.returncode == 1, done.stdout + done.stderr

    expected = sorted([n.rsplit(".", 1)[0] + ".md" for n in good] + ["deep/er/plain.md", "new_line.md"])
    assert names(tmp_path / "read.out") == expected
    assert "Mixed" in (tmp_path / "read.out" / "plain.md").read_text("utf-8")
    assert names(tmp_path / "read.done") == sorted([*good, "deep/er/plain.pdf", "new\nline.pdf"])
    assert "empty.pdf: not taken yet, it is empty so far" in done.stdout
    failures = ["broken.pdf", "locked.pdf", "not really.pdf"]
    assert names(tmp_path / "read.failed") == sorted(failures + [f"{name}.error.txt" for name in failures])
    for name, code in (("broken", "02207"), ("locked", "02201"), ("not really", "02002")):
        text = (tmp_path / "read.failed" / f"{name}.pdf.error.txt").read_text("utf-8")
        assert code in text
        assert re.search(r"paperchute --rules \S.* retry \d+$", text, re.MULTILINE)
        assert "Traceback" not in text
    assert names(read) == ["empty.pdf", "half.pdf.part", "notes.docx"], (
        "what no rule takes, and what is not finished, stays"
    )


def test_two_files_of_the_same_name_both_arrive(office: Paperchute, tmp_path: Path) -> None:
    write_pdf(tmp_path / "read" / "a.pdf", "First")
    assert office.run("run", "--once").returncode == 0
    write_pdf(tmp_path / "read" / "a.pdf", "Second")
    assert office.run("run", "--once").returncode == 0
    assert names(tmp_path / "read.out") == ["a (2).md", "a.md"]
    assert "Second" in (tmp_path / "read.out" / "a (2).md").read_text("utf-8")
    assert names(tmp_path / "read.done") == ["a (2).pdf", "a.pdf"]


def test_a_dropped_folder_becomes_one_pdf_in_natural_order(office: Paperchute, tmp_path: Path) -> None:
    outside = tmp_path / "My bundle"
    for number in (10, 2, 1):
        write_pdf(outside / f"part {number}.pdf", f"Part {number}")
    (outside / ".DS_Store").write_bytes(b"x")
    (outside / "notes.txt").write_text("not a PDF")
    outside.rename(tmp_path / "bundles" / "My bundle")
    assert office.run("run", "--once").returncode == 0
    merged = tmp_path / "bundles.out" / "My bundle.pdf"
    assert page_count(merged) == 3
    assert names(tmp_path / "bundles.done" / "My bundle")[-3:] == ["part 1.pdf", "part 10.pdf", "part 2.pdf"]
    assert names(tmp_path / "bundles") == []


def test_pictures_of_every_kind_that_is_read_are_taken(office: Paperchute, tmp_path: Path) -> None:
    shutil.copy(PHOTO, tmp_path / "photos" / "IMG_0017.HEIC")
    PIL.Image.new("RGB", (120, 80), (250, 240, 210)).save(tmp_path / "photos" / "b.webp")
    done = office.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert names(tmp_path / "photos.out") == ["IMG_0017.jpg", "b.webp"]


def test_steps_hand_over_and_secrets_stay_secret(office: Paperchute, tmp_path: Path) -> None:
    (tmp_path / "steps" / "page.html").write_text("<h1>Secret page</h1>")
    assert office.run("run", "--once").returncode == 0
    assert page_count(tmp_path / "steps.out" / "page (locked).pdf", password="key-of-the-test") == 1
    with pytest.raises(pikepdf.PasswordError):
        page_count(tmp_path / "steps.out" / "page (locked).pdf")
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"key-of-the-test" not in path.read_bytes(), path


def test_a_running_daemon_takes_files_shows_itself_and_obeys(office: Paperchute, tmp_path: Path) -> None:
    office.start()
    office.until_it_runs()
    write_pdf(tmp_path / "read" / "a.pdf", "While running")
    wait_until(lambda: names(tmp_path / "read.out") == ["a.md"])

    second = office.run("run", "--headless")
    assert second.returncode == 2
    assert "already running" in second.stderr

    assert office.run("pause").returncode == 0
    wait_until(lambda: office.said()["paused"])
    write_pdf(tmp_path / "read" / "b.pdf", "While paused")
    wait_until(lambda: office.said()["jobs"]["queued"] == 1)
    assert office.json("status")["jobs"]["queued"] == 1
    assert names(tmp_path / "read.out") == ["a.md"]
    assert office.run("resume").returncode == 0
    wait_until(lambda: names(tmp_path / "read.out") == ["a.md", "b.md"])

    shutil.rmtree(tmp_path / "read")
    wait_until(lambda: any("is missing" in trouble for trouble in office.said()["troubles"]))
    assert office.stop() == 0
    assert not office.json("status")["running"]


def test_a_failed_file_that_is_taken_away_needs_no_more_attention(office: Paperchute, tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / "read" / name).write_bytes(b"%PDF-1.7 broken %%EOF")
    assert office.run("run", "--once").returncode == 1
    (tmp_path / "read.failed" / "a.pdf").unlink()
    write_pdf(tmp_path / "read" / "b.pdf", "A better one")
    office.start()
    wait_until(lambda: names(tmp_path / "read.out") == ["b.md"])
    wait_until(lambda: office.said()["jobs"]["failed"] == 0)
    assert office.json("jobs", "--state", "failed") == []
    assert office.stop() == 0


def test_a_failed_file_is_tried_again_from_the_command_line(office: Paperchute, tmp_path: Path) -> None:
    (tmp_path / "read" / "a.pdf").write_bytes(b"%PDF-1.7 broken %%EOF")
    assert office.run("run", "--once").returncode == 1
    (failed,) = office.json("jobs", "--state", "failed")
    assert failed["error_code"] == "02207"
    write_pdf(tmp_path / "good.pdf", "Mended")
    shutil.copyfile(tmp_path / "good.pdf", tmp_path / "read.failed" / "a.pdf")
    assert office.run("retry", str(failed["job"])).returncode == 0
    assert office.run("run", "--once").returncode == 0
    assert names(tmp_path / "read.out") == ["a.md"]
    assert names(tmp_path / "read.failed") == []
    assert office.run("retry", "999").returncode == 2


def test_rules_are_read_again_while_running_and_a_broken_edit_changes_nothing(
    office: Paperchute, tmp_path: Path
) -> None:
    office.start()
    office.until_it_runs()
    office.rules.write_text(RULES + "nonsense = 1\n", "utf-8")
    wait_until(lambda: bool(office.said()["rules"]["errors"]))
    assert "nonsense" in office.said()["rules"]["errors"][0]
    write_pdf(tmp_path / "read" / "a.pdf", "Old rules")
    wait_until(lambda: names(tmp_path / "read.out") == ["a.md"])
    more = '[[rule]]\nname = "New"\nfolder = "new"\noperation = "html-to-pdf"\n'
    office.rules.write_text(RULES + more, "utf-8")
    wait_until(lambda: (tmp_path / "new").is_dir())
    (tmp_path / "new" / "x.html").write_text("<p>new</p>")
    wait_until(lambda: names(tmp_path / "new.out") == ["x.pdf"])
    wait_until(lambda: office.said()["rules"]["errors"] == [])
    assert office.stop() == 0


def test_a_dead_service_makes_jobs_wait_and_they_go_on_by_themselves(tmp_path: Path) -> None:
    with counting_service() as service:
        port = service.server.server_port
        rules = (
            f'version = 1\n[service]\nbase_url = "http://127.0.0.1:{port}"\napi_key = "env:PAPERCHUTE_TEST_KEY"\n'
            '[[rule]]\nname = "Read"\nfolder = "hot"\noperation = "pdf-to-markdown"\nretries = 0\n'
        )
    paperchute = Paperchute(tmp_path, rules)
    (tmp_path / "hot").mkdir()
    write_pdf(tmp_path / "hot" / "a.pdf", "Patience")
    paperchute.start()
    try:
        wait_until(lambda: paperchute.said()["service"]["state"] == "down")
        assert paperchute.json("status")["jobs"]["queued"] == 1
        with counting_service(port):
            wait_until(lambda: names(tmp_path / "hot.out") == ["a.md"])
        assert paperchute.stop() == 0
    finally:
        paperchute.close()


def test_an_engine_that_dies_is_started_again_and_work_goes_on(office: Paperchute, tmp_path: Path) -> None:
    office.start()
    try:
        office.until_it_runs()
        for process in _engines(tmp_path):
            os.kill(process, signal.SIGKILL)
        write_pdf(tmp_path / "read" / "a.pdf", "After a crash")
        wait_until(lambda: names(tmp_path / "read.out") == ["a.md"])
        assert office.stop() == 0
    finally:
        office.close()


def test_the_engine_ends_with_a_killed_daemon(office: Paperchute, tmp_path: Path) -> None:
    office.start()
    office.until_it_runs()
    office.kill()
    wait_until(lambda: not _engines(tmp_path))


def _engines(state: Path) -> list[int]:
    """Processes that work on this test's state folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(state) in command and b"paperchute.engine" in command:
                found.append(int(entry.name))
    return found
