"""The page in a real browser, with a real daemon and engine behind it."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pypdfium2
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

from axe_playwright_python import sync_playwright as axe
from playwright import sync_api as playwright

from tests.journeys.daemon import Paperchute
from tests.journeys.documents import write_pdf

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
]

PATIENCE = 120_000.0
"""Milliseconds after which a test that waits has failed."""
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
RULES = """version = 1
[[rule]]
name = "Read PDFs"
folder = "in"
operation = "pdf-to-markdown"
[[rule]]
name = "Recognise nothing"
folder = "plain"
operation = "pdf-to-markdown"
parameters = { enableOcr = false }
[[rule]]
name = "Join"
folder = "sets"
gather = "folder"
operation = "pdf-merge"
"""
NEXT_LINE = RULES.count("\n") + 1


@pytest.fixture(name="daemon", scope="module")
def _daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paperchute]:
    daemon = Paperchute(tmp_path_factory.mktemp("page"), RULES)
    daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
    daemon.environment["XDG_DATA_HOME"] = str(daemon.folder / "data")  # where the desktop's trash is
    daemon.start()
    daemon.until_it_runs()
    yield daemon
    daemon.close()


@pytest.fixture(name="browser", scope="module")
def _browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as driver:
        # Under LC_ALL=C Chromium itself cannot name a file with an umlaut; no desktop runs it so.
        utf8: dict[str, str | float | bool] = {**os.environ, "LC_ALL": "C.UTF-8"}
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET), env=utf8)
        yield browser
        browser.close()


@pytest.fixture(name="page")
def _page(daemon: Paperchute, browser: playwright.Browser) -> Iterator[playwright.Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.extend([message.text] if message.type == "error" else []))
    enter(daemon, page)
    yield page
    context.close()
    assert [fault for fault in faults if "404" not in fault and "409" not in fault] == []


def enter(daemon: Paperchute, page: playwright.Page) -> None:
    """Open the page as `paperchute open` does."""
    page.goto(daemon.run("open", "--address").stdout.strip())
    page.get_by_role("heading", level=2).first.wait_for()


def drop(page: playwright.Page, *paths: Path, folder: str = "in") -> None:
    """Choose files for a hot folder."""
    page.get_by_label(f"Put files into {folder}").set_input_files(paths)


def violations(page: playwright.Page) -> list[str]:
    """What axe finds against WCAG and its best practices."""
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in axe.Axe().run(page).response["violations"]]


def test_what_is_dropped_is_worked_on_and_its_result_is_there(
    daemon: Paperchute, page: playwright.Page, tmp_path: Path
) -> None:
    write_pdf(tmp_path / "letter ü.pdf", "Dear reader")
    drop(page, tmp_path / "letter ü.pdf")
    page.get_by_text("letter ü.pdf is in in.").wait_for()
    page.get_by_role("heading", name="letter ü.md").wait_for()
    assert "Dear reader" in (daemon.folder / "in.out/letter ü.md").read_text("utf-8")
    assert violations(page) == []


def scan(path: Path, text: str) -> None:
    """A page of print, as a picture alone."""
    picture = PIL.Image.new("L", (1240, 1754), "white")
    PIL.ImageDraw.Draw(picture).text((120, 150), text, "black", PIL.ImageFont.load_default(54))
    picture.save(path, resolution=150)


def press(page: playwright.Page, name: str) -> None:
    """Reach a button by the tab key, and press it."""
    reach(page, page.get_by_role("button", name=name))
    page.keyboard.press("Enter")


def reach(page: playwright.Page, element: playwright.Locator) -> None:
    """Reach an element by the tab key; what goes and comes again while the page is drawn anew is waited for."""
    element.wait_for()
    end = time.monotonic() + PATIENCE / 1000
    while not element.evaluate("one => one === document.activeElement"):
        assert time.monotonic() < end, ("out of the tab key's reach", page.locator("body").aria_snapshot())
        page.keyboard.press("Tab")


def test_what_was_done_is_found_by_its_text_and_taken_back(
    daemon: Paperchute, page: playwright.Page, tmp_path: Path
) -> None:
    write_pdf(tmp_path / "telegram.pdf", "Arrived on Sunday, stop")
    drop(page, tmp_path / "telegram.pdf")
    page.get_by_role("heading", name="telegram.md").wait_for()
    page.get_by_role("link", name="History").click()
    page.get_by_role("heading", name="telegram.pdf").wait_for()
    words = page.get_by_label("Search names")
    for _ in range(600):  # the index follows the work when there is time
        words.fill("")
        words.fill("sund arrived")
        page.get_by_text(re.compile("1 found|Nothing found"), exact=True).first.wait_for()
        if page.get_by_text("1 found").count():
            break
    assert violations(page) == []
    press(page, "Take back: telegram.pdf")
    page.get_by_role("group", name="Take back telegram.pdf?").wait_for()
    assert violations(page) == []
    press(page, "Leave as it is: telegram.pdf")
    assert (daemon.folder / "in.out/telegram.md").exists()
    press(page, "Take back: telegram.pdf")
    page.get_by_role("group", name="Take back telegram.pdf?").wait_for()  # a press before it is asked is none
    press(page, "Take back: telegram.pdf")
    page.get_by_text("telegram.pdf was taken back.").wait_for()
    assert (daemon.folder / "in/telegram.pdf").exists()
    assert not (daemon.folder / "in.out/telegram.md").exists()


def test_a_failure_can_be_tried_again_from_the_keyboard(page: playwright.Page, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    drop(page, tmp_path / "broken.pdf")
    page.get_by_role("link", name=re.compile("Needs you [1-9]")).wait_for()
    page.get_by_role("link", name=re.compile("Needs you")).focus()
    page.keyboard.press("Enter")
    page.get_by_text("broken.pdf cannot be opened").wait_for()
    press(page, "Try again: broken.pdf")
    page.get_by_text("Done.", exact=True).wait_for()
    page.get_by_text("broken.pdf cannot be opened").wait_for()
    assert violations(page) == []


def test_each_failure_has_its_cure(daemon: Paperchute, page: playwright.Page, tmp_path: Path) -> None:
    write_pdf(tmp_path / "open.pdf", "Dear locked reader")
    with pikepdf.open(tmp_path / "open.pdf") as pdf:
        pdf.save(tmp_path / "locked.pdf", encryption=pikepdf.Encryption(user="sesame 12", owner="sesame 12"))
    scan(tmp_path / "scan.pdf", "Seen by eyes alone")
    (tmp_path / "damaged.pdf").write_bytes(b"%PDF-1.7 and no more")
    drop(page, *(tmp_path / f"{name}.pdf" for name in ("locked", "scan", "damaged")), folder="plain")
    page.get_by_role("link", name=re.compile("Needs you")).click()
    for name in ("locked", "scan", "damaged"):
        page.get_by_role("heading", name=f"{name}.pdf").wait_for()
    assert violations(page) == []
    page.get_by_label("Password of locked.pdf").fill("not this one")
    page.keyboard.press("Enter")
    page.get_by_text("The password that was typed does not open it.").wait_for()
    page.get_by_label("Password of locked.pdf").fill("sesame 12")
    page.keyboard.press("Enter")
    page.get_by_text("locked.pdf is locked with a password, but the result cannot be").wait_for()
    assert page.get_by_role("button", name="Recognise it").count() == 1  # the scan alone is one
    assert "Dear locked reader" in (daemon.folder / "plain.out/locked.md").read_text("utf-8")
    press(page, "Dismiss: locked.pdf")
    press(page, "Recognise it: scan.pdf")
    page.get_by_role("heading", name="scan.pdf").wait_for(state="detached")
    press(page, "Dismiss: damaged.pdf")
    page.get_by_role("heading", name="damaged.pdf").wait_for(state="detached")
    page.get_by_role("link", name="Now").click()
    page.get_by_role("heading", name="scan.md").wait_for()
    assert "eyes" in (daemon.folder / "plain.out/scan.md").read_text("utf-8")
    kept = [path for path in daemon.folder.rglob("*") if path.is_file() and b"sesame 12" in path.read_bytes()]
    assert kept == []


def test_a_folder_that_is_chosen_is_one_job(daemon: Paperchute, page: playwright.Page, tmp_path: Path) -> None:
    for name in ("page 10.pdf", "page 2.pdf", "annex/page 1.pdf"):
        (tmp_path / "Letters" / name).parent.mkdir(parents=True, exist_ok=True)
        write_pdf(tmp_path / "Letters" / name, name)
    (tmp_path / "Letters/.DS_Store").write_bytes(b"x")
    page.get_by_label("Put a whole folder into sets").set_input_files(tmp_path / "Letters")
    page.get_by_text("Letters is in sets. Hidden and temporary files in it were left out.").wait_for()
    page.get_by_role("heading", name="Letters.pdf").wait_for()
    assert violations(page) == []
    with pypdfium2.PdfDocument(daemon.folder / "sets.out/Letters.pdf") as merged:
        assert len(merged) == 3


def test_folders_and_files_that_are_dropped_together_all_come(daemon: Paperchute, page: playwright.Page) -> None:
    page.get_by_label("Put a whole folder into sets").wait_for(state="attached")
    page.evaluate("""() => {
      const file = (name) => ({ name, isDirectory: false, file: (take) => take(new File([name], name)) });
      const folder = (name, ...inside) => ({ name, isDirectory: true, createReader: () => {
        const parts = [inside, []];
        return { readEntries: (take) => take(parts.shift()) };
      } });
      const deep = folder("deep", file("b.txt"));
      const entries = [file("one.txt"), folder("Set A", file("a.txt"), deep), folder("Set B", file("c.txt"))];
      const event = new Event("drop", { bubbles: true, cancelable: true });
      const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
      event.dataTransfer = { items, files: entries.map(({ name }) => new File(["x"], name)) };
      document.querySelector("[webkitdirectory]").closest("[data-drop]").dispatchEvent(event);
    }""")
    page.get_by_text("Set B is in sets.").wait_for()
    hot = daemon.folder / "sets"
    found = {path.relative_to(hot).as_posix() for path in hot.rglob("*") if path.is_file()}
    assert found >= {"Set A/a.txt", "Set A/deep/b.txt", "Set B/c.txt"}
    assert "one.txt" not in found, "no rule takes it, so it is refused at the drop"


def test_scans_searchable_by_month_are_made_from_nothing_by_keyboard(
    daemon: Paperchute, page: playwright.Page, tmp_path: Path
) -> None:
    page.get_by_role("link", name="Rules").focus()
    page.keyboard.press("Enter")
    press(page, "New rule")
    for label, words in (
        ("Name", "Scans by month"),
        ("Folder", "scans"),
        ("Where results go", "By/{date:%Y-%m/{stem}"),
    ):
        reach(page, page.get_by_label(label, exact=True))
        page.keyboard.type(words)
    assert violations(page) == []
    press(page, "Save")
    page.get_by_text("a brace is not closed").wait_for()
    assert violations(page) == []
    assert daemon.rules.read_text("utf-8") == RULES
    page.keyboard.press("End")  # the field that is wrong has the focus
    for _ in "/{stem}":
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("}")
    write_pdf(tmp_path / "scan.pdf", "Dear reader")
    page.get_by_label("Drop a sample here").set_input_files(tmp_path / "scan.pdf")
    page.get_by_role("group", name="This rule takes scan.pdf.").wait_for()
    page.get_by_role("region", name="Text of the result").get_by_text("Dear reader").wait_for()
    both = "[...document.querySelectorAll('img[data-drawn]')].filter((one) => one.naturalWidth).length === 2"
    page.wait_for_function(both)
    assert violations(page) == []
    assert not (daemon.folder / "scans").exists()
    press(page, "Save")
    page.get_by_text("The rule Scans by month is saved").wait_for()
    page.set_viewport_size({"width": 320, "height": 640})
    press(page, "Edit: Scans by month")
    reach(page, page.get_by_text(re.compile("More")))
    page.keyboard.press("Enter")
    page.get_by_label("on_conflict").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert violations(page) == []
    press(page, "Leave without saving")
    page.set_viewport_size({"width": 1000, "height": 800})
    page.get_by_role("link", name="Now").click()
    page.get_by_label("Put files into scans").set_input_files(tmp_path / "scan.pdf")
    page.get_by_role("button", name="Open: scan.pdf").wait_for()
    (made,) = (daemon.folder / "By").glob("20??-??/scan.pdf")
    page.get_by_role("link", name="Rules").click()
    press(page, "Remove: Scans by month")
    page.get_by_role("group", name="Remove the rule Scans by month?").wait_for()
    assert violations(page) == []
    press(page, "Remove: Scans by month")
    page.get_by_text("Done.", exact=True).wait_for()
    assert daemon.rules.read_text("utf-8") == RULES
    assert made.exists()


def test_what_cannot_be_shown_here_is_said(page: playwright.Page) -> None:
    page.get_by_role("button", name="Open: in").click()
    page.get_by_text("That did not work").wait_for()


def test_pause_is_a_button_that_says_what_it_does(page: playwright.Page) -> None:
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_text("Paused", exact=True).wait_for()
    page.get_by_role("button", name="Resume").click()
    press(page, "Pause until tomorrow")
    page.get_by_text(re.compile("Paused until .* 08:00")).wait_for()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Pause", exact=True).wait_for()


def test_a_mistake_in_the_rules_is_shown_with_its_line(daemon: Paperchute, page: playwright.Page) -> None:
    page.get_by_role("link", name=re.compile("Needs you")).click()
    daemon.rules.write_text(RULES + "[[rule]]\nname = 'Read PDFs\n", "utf-8")
    page.get_by_text(f"rules.toml:{NEXT_LINE + 1}").first.wait_for()
    page.get_by_text("(nothing)").first.wait_for()
    assert violations(page) == []
    daemon.rules.write_text(RULES, "utf-8")
    page.get_by_text(f"rules.toml:{NEXT_LINE + 1}").first.wait_for(state="detached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it_on_a_telephone(page: playwright.Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": 320, "height": 640})
    for view in ("Now", "Needs you", "History", "Use", "Rules"):
        page.get_by_role("link", name=re.compile(view)).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert violations(page) == []


def test_a_ticket_that_was_used_opens_nothing(
    daemon: Paperchute, browser: playwright.Browser, page: playwright.Page
) -> None:
    address = daemon.run("open", "--address").stdout.strip()
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("heading", level=2).first.wait_for()
    assert address.partition("#")[2] not in page.url
    with browser.new_context() as other:
        second = other.new_page()
        second.goto(address)
        second.get_by_text("This page is no longer connected").wait_for()
        assert second.get_by_role("heading", level=2).count() == 0


def test_the_page_ends_with_the_daemon(daemon: Paperchute, page: playwright.Page) -> None:
    daemon.stop()
    page.get_by_text("This page is no longer connected").wait_for()
    assert page.evaluate("sessionStorage.length") == 0
    assert page.get_by_role("heading", level=2).count() == 0
    daemon.start()
    daemon.until_it_runs()
