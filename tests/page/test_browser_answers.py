"""Documents that ask are answered in a real browser by keyboard alone, one behind the other."""

from __future__ import annotations

import re
from pathlib import Path

import plutoprint
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright import sync_api as playwright

from paperchute.engine.fonts import use_carried_fonts
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.page.test_browser import CHROMIUM, PATIENCE, QUIET, enter, reach, violations

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")]

RULES = """version = 1
[[rule]]
name = "Mail"
folder = "mail"
operation = "pdf-to-markdown"
output = "Post/{doc.total} {doc.due} {stem}.{ext}"
"""
_ASKS = "<h1>Rechnung</h1><p>Gesamtbetrag: 1.190,00 €</p><p>Gesamtbetrag: 1.290,00 €</p>"
"""An invoice with two totals, and no day by which to pay."""

use_carried_fonts()


def test_one_document_behind_the_other_is_answered_by_keyboard_alone(tmp_path: Path) -> None:
    daemon = Paperchute(tmp_path, RULES)
    daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
    (tmp_path / "mail").mkdir()
    for number in range(3):
        book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
        book.load_html(_ASKS)
        book.write_to_pdf(str(tmp_path / "mail" / f"{number}.pdf"))
    daemon.start()
    try:
        wait_until(lambda: len(names(tmp_path / "mail.failed")) == 6)
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            enter(daemon, page)
            page.get_by_role("link", name=re.compile("Needs you 3")).click()
            fields = page.locator("form[data-answer] input")
            reach(page, fields.first)
            assert violations(page) == []
            for _document in range(3):
                (focused,) = [one for one in fields.all() if one.evaluate("one => one === document.activeElement")]
                form = focused.locator("xpath=ancestor::form")
                page.keyboard.press("ArrowDown")
                page.keyboard.press("ArrowDown")
                page.keyboard.press("Enter")
                page.keyboard.type("2026-03-12")
                answered = form.get_attribute("data-answer")
                page.keyboard.press("Enter")
                page.locator(f"form[data-answer='{answered}']").wait_for(state="detached")
            browser.close()
        wait_until(lambda: len(names(tmp_path / "Post")) == 3)
        assert names(tmp_path / "Post") == [f"1290.00 2026-03-12 {number}.md" for number in range(3)]
    finally:
        daemon.close()
