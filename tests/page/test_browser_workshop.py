"""The workshop in a real browser when others write, when the session ends, and when a service counts."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tests.journeys.daemon import Paperchute
from tests.journeys.documents import write_pdf
from tests.page.test_browser import (  # noqa: F401 -- fixtures
    PATIENCE,
    RULES,
    _browser,
    _daemon,
    _page,
    enter,
    press,
    pytestmark,
    violations,
)
from tests.service.script import Asked, Reply, envelope, scripted

if TYPE_CHECKING:
    from playwright import sync_api as playwright


def edit(page: playwright.Page, rule: str) -> None:
    """Open the editor of a rule."""
    page.get_by_role("link", name="Rules").click()
    press(page, f"Edit: {rule}")
    page.get_by_label("Name", exact=True).wait_for()


def test_news_that_come_while_the_rules_are_asked_for_end_nothing(page: playwright.Page) -> None:
    asked: list[playwright.Route] = []
    page.route("**/api/workshop/form", lambda route: asked.append(route))
    with page.expect_request("**/api/workshop/form"):
        page.get_by_role("link", name="Rules").click()
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Resume").wait_for()  # the news are drawn
    page.wait_for_timeout(100)  # and whatever else comes of that
    asked[0].continue_()
    page.get_by_role("button", name="New rule").wait_for()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    assert violations(page) == []


def test_of_two_tabs_the_second_is_shown_what_changed_and_loses_nothing(
    daemon: Paperchute, page: playwright.Page
) -> None:
    other = page.context.new_page()
    enter(daemon, other)
    edit(page, "Read PDFs")
    page.get_by_label("Where results go").fill("Mine/{stem}.{ext}")
    edit(other, "Read PDFs")
    other.get_by_label("Which files").fill("a*.pdf")
    other.get_by_label("What they are").fill("pdf")
    press(other, "Save")
    other.get_by_text("The rule Read PDFs is saved").wait_for()
    press(page, "Save")
    page.get_by_role("heading", name="What has changed in the file").wait_for()
    page.get_by_role("region", name="What has changed in the file").get_by_text("a*.pdf").wait_for()
    assert page.get_by_label("Where results go").input_value() == "Mine/{stem}.{ext}"
    assert page.get_by_label("Which files").input_value() == "a*.pdf"
    assert violations(page) == []
    assert "Mine/" not in daemon.rules.read_text("utf-8")
    press(page, "Save")
    page.get_by_text("The rule Read PDFs is saved").wait_for()
    text = daemon.rules.read_text("utf-8")
    assert "Mine/{stem}" in text
    assert "a*.pdf" in text
    daemon.rules.write_text(RULES, "utf-8")
    other.close()


def test_what_stands_beside_the_rules_is_changed_by_keyboard(daemon: Paperchute, page: playwright.Page) -> None:
    page.get_by_role("link", name="Rules").click()
    press(page, "Edit: [notify]")
    page.get_by_label("digest", exact=True).fill("sometimes")
    page.get_by_label("ntfy_url", exact=True).fill("http://127.0.0.1:9/topic")
    assert violations(page) == []
    press(page, "Save")
    page.get_by_text("not 'sometimes'").wait_for()
    others = '[notify]\ngather = 90\nntfy_url = "http://127.0.0.1:9/other"\n'
    daemon.rules.write_text(RULES.replace("[[rule]]", f"{others}[[rule]]", 1), "utf-8")
    page.keyboard.press("Control+a")  # the field that is wrong has the focus
    page.keyboard.type("daily 08:00")
    press(page, "Save")
    page.get_by_role("heading", name="What has changed in the file").wait_for()
    assert page.get_by_label("gather", exact=True).input_value() == "90"
    assert violations(page) == []
    press(page, "Save")
    page.get_by_text("[notify] is saved.").wait_for()
    told = others.replace("/other", "/topic") + 'digest = "daily 08:00"\n'
    assert daemon.rules.read_text("utf-8") == RULES.replace("[[rule]]", f"{told}[[rule]]", 1)
    daemon.rules.write_text(RULES, "utf-8")


def test_a_further_service_is_added_by_its_name(daemon: Paperchute, page: playwright.Page) -> None:
    page.get_by_role("link", name="Rules").click()
    press(page, "Add service")
    page.get_by_text("Write a name for the service first.").wait_for()
    page.get_by_label("Name of one more service").fill("archive")
    assert violations(page) == []
    press(page, "Add service")
    page.get_by_role("heading", name="[services.archive]").wait_for()
    page.get_by_label("base_url", exact=True).fill("http://127.0.0.1:9")
    page.get_by_label("api_key", exact=True).fill("env:PAPERCHUTE_TEST_KEY")
    assert violations(page) == []
    press(page, "Save")
    page.get_by_text("[services.archive] is saved.").wait_for()
    page.get_by_role("button", name="Edit: [services.archive]").wait_for()
    told = '\n[services.archive]\nbase_url = "http://127.0.0.1:9"\napi_key = "env:PAPERCHUTE_TEST_KEY"\n\n'
    assert daemon.rules.read_text("utf-8") == RULES.replace("[[rule]]", f"{told}[[rule]]", 1)
    daemon.rules.write_text(RULES, "utf-8")


def test_a_double_click_is_one(daemon: Paperchute, page: playwright.Page) -> None:
    page.get_by_role("link", name="Rules").click()
    switch = page.get_by_role("button", name="On: Read PDFs")
    switch.dblclick()
    page.locator('[aria-pressed="false"]', has_text="On").wait_for()
    page.wait_for_load_state("load")
    page.get_by_role("button", name="Pause", exact=True).dblclick()
    page.get_by_text("Paused", exact=True).wait_for()
    page.get_by_role("button", name="Resume").dblclick()
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    switch.dblclick()
    page.locator('[aria-pressed="false"]', has_text="On").wait_for(state="detached")
    assert page.get_by_text("That did not work").count() == 0
    assert daemon.rules.read_text("utf-8") == RULES
    page.get_by_role("link", name="History").dispatch_event("click", {"detail": 2})  # it has come under the pointer
    assert page.url.endswith("#rules")


def test_a_rule_that_is_gone_meanwhile_is_added_anew(daemon: Paperchute, page: playwright.Page) -> None:
    edit(page, "Recognise nothing")
    page.get_by_label("What they are").fill("pdf")
    first, second, _gone, fourth = RULES.split("[[rule]]")
    daemon.rules.write_text("[[rule]]".join([first, second, fourth]), "utf-8")
    press(page, "Save")
    page.get_by_text("saving adds it again").wait_for()
    press(page, "Save")
    page.get_by_text("The rule Recognise nothing is saved").wait_for()
    text = daemon.rules.read_text("utf-8")
    assert text.index("Join") < text.index("Recognise nothing")
    assert "enableOcr = false" in text
    daemon.rules.write_text(RULES, "utf-8")


def test_a_sample_goes_to_a_service_that_counts_only_when_somebody_says_so(
    daemon: Paperchute, page: playwright.Page, tmp_path: Path
) -> None:
    write_pdf(tmp_path / "letter.pdf", "Dear reader")
    told = threading.Event()
    with scripted() as script:

        def answer(asked: Asked) -> Reply:
            if asked.path == "/result":
                return Reply(b"# Dear reader")
            if "/process/" in asked.path:
                told.wait(PATIENCE / 1000)
            return envelope([script.record(convertSize=13)])

        script.answer = answer
        service = f'[service]\nbase_url = "{script.url}"\napi_key = "env:PAPERCHUTE_TEST_KEY"\nmode = "sync"\n'
        daemon.rules.write_text(RULES.replace("[[rule]]", f"{service}[[rule]]", 1), "utf-8")
        daemon.run("status")
        page.get_by_role("link", name="Rules").click()
        page.reload()
        edit(page, "Read PDFs")
        page.get_by_label("Drop a sample here").set_input_files(tmp_path / "letter.pdf")
        page.get_by_text("Pages of this file: 1.").wait_for()
        assert not [asked for asked in script.asked if "/process/" in asked.path]
        assert violations(page) == []
        press(page, "Run it there, where it counts")
        page.get_by_text("Trying letter.pdf …").wait_for()
        told.set()
        page.get_by_role("region", name="Text of the result").get_by_text("Dear reader").wait_for()
        assert len([asked for asked in script.asked if "/process/" in asked.path]) == 1
    daemon.rules.write_text(RULES, "utf-8")


def test_what_was_typed_is_still_to_be_read_when_the_daemon_ends(daemon: Paperchute, page: playwright.Page) -> None:
    edit(page, "Read PDFs")
    page.get_by_label("Where results go").fill("Mine/{stem}.{ext}")
    daemon.stop()
    page.get_by_text("This page is no longer connected").wait_for()
    page.get_by_role("region", name="Not saved").get_by_text("Mine/{stem}.{ext}").wait_for()
    assert page.get_by_role("textbox").count() == 0
    assert violations(page) == []
    daemon.start()
    daemon.until_it_runs()
