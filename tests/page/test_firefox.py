"""The page in Firefox as in Chromium: dropped on, watched, cured, searched, taken back, and a rule made by keyboard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")

from tests.journeys.daemon import Paperchute, wait_until
from tests.journeys.documents import write_pdf
from tests.page.firefox import PROGRAM, Firefox

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Firefox")]

RULES = """version = 1
[[rule]]
name = "Read PDFs"
folder = "in"
operation = "pdf-to-markdown"
"""


@pytest.fixture(name="daemon", scope="module")
def _daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paperchute]:
    daemon = Paperchute(tmp_path_factory.mktemp("page"), RULES)
    daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
    daemon.environment["XDG_DATA_HOME"] = str(daemon.folder / "data")  # where the desktop's trash is
    daemon.start()
    daemon.until_it_runs()
    yield daemon
    daemon.close()


@pytest.fixture(name="firefox", scope="module")
def _firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    firefox = Firefox(tmp_path_factory.mktemp("profile"))
    yield firefox
    firefox.close()


@pytest.fixture(autouse=True)
def _inside(daemon: Paperchute, firefox: Firefox) -> None:
    firefox.go("about:blank")
    firefox.go(daemon.run("open", "--address").stdout.strip())
    firefox.until("return document.querySelector('h2')")


def test_what_is_dropped_is_worked_on_found_and_taken_back(
    daemon: Paperchute, firefox: Firefox, tmp_path: Path
) -> None:
    write_pdf(tmp_path / "telegram ü.pdf", "Arrived on Sunday, stop")
    firefox.choose("Put files into in", tmp_path / "telegram ü.pdf")
    firefox.element("telegram ü.md", "h3")
    assert firefox.violations() == []
    firefox.press("History")
    firefox.element("telegram ü.pdf", "h3")
    firefox.reach("Search names, rules, results and their text", "input")
    firefox.keys("sund arrived")
    end = time.monotonic() + 120
    while not firefox.run("return document.body.innerText.includes('1 found')"):  # the index follows the work
        assert time.monotonic() < end
        firefox.keys(" ")
        time.sleep(0.2)
    assert firefox.violations() == []
    firefox.press("Take back: telegram ü.pdf")
    firefox.element("Take back telegram ü.pdf?", "h4")
    firefox.press("Take back: telegram ü.pdf")
    firefox.until_said("telegram ü.pdf was taken back.")
    assert (daemon.folder / "in/telegram ü.pdf").exists()
    assert not (daemon.folder / "in.out/telegram ü.md").exists()


def test_a_failure_is_cured_by_keyboard(daemon: Paperchute, firefox: Firefox, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    firefox.choose("Put files into in", tmp_path / "broken.pdf")
    firefox.until("return document.title.startsWith('(1)')")
    firefox.press("Needs you 1")
    firefox.until_said("broken.pdf cannot be opened")
    assert firefox.violations() == []
    (failed,) = daemon.json("jobs", "--state", "failed")
    firefox.press("Try again: broken.pdf")
    firefox.until_said("Done.")  # the card of the first failure may still stand there
    wait_until(
        lambda: [one for one in daemon.json("jobs", "--state", "failed") if one["finished"] != failed["finished"]]
    )
    firefox.press("Dismiss: broken.pdf")
    firefox.until("return !document.title.startsWith('(')")


def test_a_rule_is_made_and_tried_by_keyboard(daemon: Paperchute, firefox: Firefox, tmp_path: Path) -> None:
    firefox.press("Rules")
    firefox.press("New rule")
    for label, words in (("Name", "Scans"), ("Folder", "scans"), ("Where results go", "By/{date:%Y-%m/{stem}")):
        firefox.reach(label)
        firefox.keys(words)
    firefox.press("Save")
    firefox.until_said("a brace is not closed")
    assert firefox.violations() == []
    assert firefox.run("return document.activeElement.getAttribute('aria-invalid')") == "true"
    firefox.keys("\ue010" + "\ue012" * len("/{stem}") + "}")  # End, and back by arrows
    write_pdf(tmp_path / "scan.pdf", "Dear reader")
    firefox.choose("Drop a sample here, or choose one", tmp_path / "scan.pdf")
    firefox.until_said("This rule takes scan.pdf.")
    firefox.until(
        "return [...document.querySelectorAll('img[data-drawn]')].filter((one) => one.naturalWidth).length === 2"
    )
    firefox.press("Save")
    firefox.until_said("The rule Scans is saved")
    assert 'name = "Scans"' in daemon.rules.read_text("utf-8")
    firefox.press("Now")
    firefox.choose("Put files into scans", tmp_path / "scan.pdf")
    firefox.element("Open: scan.pdf", "button")
    assert list((daemon.folder / "By").glob("20??-??/scan.pdf"))


def test_the_page_ends_with_the_daemon(daemon: Paperchute, firefox: Firefox) -> None:
    daemon.stop()
    firefox.until_said("This page is no longer connected")
    assert firefox.run("return sessionStorage.length") == 0
    daemon.start()
    daemon.until_it_runs()
