"""The way in over the network, in a real browser: for everybody, in each language, and back to what was being typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paperchute.language import current, use
from tests.page.test_browser import (  # noqa: F401 -- a fixture, and when it can be had
    PATIENCE,
    _browser,
    press,
    pytestmark,
    violations,
)
from tests.page.test_log_in import SECRET, Remote

if TYPE_CHECKING:
    from playwright import sync_api as playwright


@pytest.fixture(name="remote", params=["en", "de", "fr", "es", "zh_Hans"])
def _remote(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Remote]:
    use(request.param)
    remote = Remote(tmp_path, rules=True)
    yield remote
    remote.close()
    use("en")


@pytest.fixture(name="page")
def _page(remote: Remote, browser: playwright.Browser) -> Iterator[playwright.Page]:
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"http://127.0.0.1:{remote.port}/")
    page.locator("#password").wait_for()
    yield page
    context.close()


def test_everybody_can_log_in(page: playwright.Page) -> None:
    for scheme in ("light", "dark"):
        for width in (320, 1000):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 640})
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("html").get_attribute("lang") == current()
    page.locator("#password").fill("wrong")
    page.keyboard.press("Enter")
    page.locator("#said").filter(has_text=re.compile(r"\S")).wait_for()
    assert page.locator("#password").evaluate("one => one === document.activeElement")
    assert violations(page) == []
    page.keyboard.type(SECRET)
    page.keyboard.press("Enter")
    page.locator("#password").wait_for(state="detached")
    page.get_by_role("heading", level=2).first.wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("remote", ["en"], indirect=True)
def test_what_is_being_typed_outlives_the_session(remote: Remote, page: playwright.Page) -> None:
    page.locator("#password").fill(SECRET)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Rules").click()
    press(page, "Edit: Read PDFs")
    page.get_by_label("Where results go").fill("Mine/{stem}.{ext}")
    remote.page._sessions._sessions.clear()
    press(page, "Save")
    page.locator("#password").wait_for()
    page.locator("#password").fill(SECRET)
    page.keyboard.press("Enter")
    page.get_by_label("Where results go").wait_for()
    assert page.get_by_label("Where results go").input_value() == "Mine/{stem}.{ext}"


@pytest.mark.parametrize("remote", ["en"], indirect=True)
def test_a_session_that_is_over_is_told_in_words(remote: Remote, page: playwright.Page) -> None:
    page.locator("#password").fill(SECRET)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Rules").wait_for()
    remote.page._sessions._sessions.clear()
    told = page.evaluate("import('/session.js').then((its) => its.call('/api/needs')).catch((error) => error.message)")
    assert told == "You are no longer logged in. Reload the page."
