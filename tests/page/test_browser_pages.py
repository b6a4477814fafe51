"""Pages that a step is not sure of are shown as pictures and answered in a real browser, by keyboard alone."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pypdfium2
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright import sync_api as playwright

from tests.engine.operations.page_stacks import faint, letters
from tests.engine.operations.stacks import printed, scanned, stack
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.page.test_browser import CHROMIUM, PATIENCE, QUIET, enter, reach, violations

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")]

RULES = """version = 1
[[rule]]
name = "Post"
folder = "post"
operation = "pdf-split"
parameters = { firstPages = "auto" }
output = "Filed/{stem} {part}.{ext}"
[[rule]]
name = "Scanner"
folder = "scanner"
operation = "scan"
parameters = { upright = 0, straight = 0, searchable = 0 }
output = "Clean/{stem}.{ext}"
"""


def _pages(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    try:
        return len(document)
    finally:
        document.close()


def test_pages_are_looked_at_and_answered_by_keyboard_alone(tmp_path: Path) -> None:
    daemon = Paperchute(tmp_path, RULES)
    daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
    for folder in ("post", "scanner"):
        (tmp_path / folder).mkdir()
    letters(tmp_path / "post" / "stack.pdf", 2, 1, 2)
    chance = random.Random(3)
    stack(tmp_path / "scanner" / "scan.pdf", scanned(printed(chance, 3), chance), faint())
    daemon.start()
    try:
        wait_until(lambda: len(names(tmp_path / "post.failed")) == 2 and len(names(tmp_path / "scanner.failed")) == 2)
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            enter(daemon, page)
            page.get_by_role("link", name=re.compile("Needs you 2")).click()
            begins = page.get_by_role("button", name=re.compile("A document begins here"))
            playwright.expect(begins).to_have_count(5)
            playwright.expect(page.get_by_role("heading", name="Waiting for your answer")).to_have_count(1)
            playwright.expect(page.get_by_role("heading", name="Failed", exact=True)).to_have_count(0)
            pressed = [one.get_attribute("aria-pressed") == "true" for one in begins.all()]
            assert pressed == [True, False, True, True, False]
            picture = begins.nth(2).locator("img")
            picture.scroll_into_view_if_needed()
            page.wait_for_function("one => one.naturalWidth > 100", arg=picture.element_handle())
            assert violations(page) == []
            field = page.get_by_role("textbox", name="First pages of documents")
            assert field.input_value() == "1,3-4"
            reach(page, begins.nth(2))  # page 3 belongs to what is before it
            page.keyboard.press("Space")
            assert field.input_value() == "1,4"
            page.keyboard.press("Space")
            page.keyboard.press("Space")
            assert begins.nth(2).get_attribute("aria-pressed") == "false"
            reach(page, field)
            page.keyboard.press("Enter")
            field.wait_for(state="detached")
            out = page.get_by_role("textbox", name="Pages to take out")
            reach(page, page.get_by_role("button", name="page 2: Take out"))
            page.keyboard.press("Enter")
            assert out.input_value() == "2"
            reach(page, out)
            page.keyboard.press("Enter")
            out.wait_for(state="detached")
            browser.close()
        wait_until(lambda: names(tmp_path / "post.done") and names(tmp_path / "scanner.done"))
        filed = tmp_path / "Filed"
        assert sorted(_pages(path) for path in filed.rglob("*.pdf")) == [2, 3]
        assert sorted(_pages(path) for path in (tmp_path / "Clean").rglob("*.pdf")) == [1, 1]
    finally:
        daemon.close()
