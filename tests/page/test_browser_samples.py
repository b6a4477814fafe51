"""Samples of the workshop in a real browser: what was found on their pages, and a word picked there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engine.reading.sheets import Said, written
from tests.journeys.daemon import Paperchute
from tests.page.test_browser import (  # noqa: F401 -- fixtures
    _browser,
    _page,
    press,
    pytestmark,
    reach,
    violations,
)
from tests.page.test_browser_workshop import edit

if TYPE_CHECKING:
    from playwright import sync_api as playwright

RULES = """version = 1
# of the house
[[rule]]
name = "Mail" # mine
folder = "in"
operation = "pdf-to-txt"
when = { kind = "invoice", total = ">=100" } # the dear ones
output = "Mail/{doc.number}.{ext}"
"""
HOSTILE = "<img/src=x>"
CUSTOMER = (60, 180)
"""Where the customer's number stands, in points."""


@pytest.fixture(name="daemon", scope="module")
def _daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paperchute]:
    daemon = Paperchute(tmp_path_factory.mktemp("samples"), RULES)
    daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
    daemon.start()
    daemon.until_it_runs()
    yield daemon
    daemon.close()


def invoice(path: Path, number: str, customer: str, total: str = "119.00") -> Path:
    """An invoice of one page; without a customer's number where that is empty."""
    lines = [
        Said("Invoice", 60, 80, 20),
        Said(f"Invoice number: {number}", 60, 120),
        Said("Invoice date: 12 March 2026", 60, 140),
        *([Said(f"Customer no.: {customer}", *CUSTOMER)] if customer else []),
        Said(f"Notes: {HOSTILE}", 60, 220),
        Said("Net amount: 100.00 EUR", 60, 300),
        Said("VAT 19%: 19.00 EUR", 60, 320),
        Said(f"Total amount: {total} EUR", 60, 340),
    ]
    written(path, [lines])
    return path


def attempt(page: playwright.Page, sample: Path) -> None:
    """Have the rule tried on a sample, and wait for its pages."""
    edit(page, "Mail")
    page.get_by_label("Drop a sample here").set_input_files(sample)
    page.get_by_role("heading", name="What was found in it").wait_for()


def test_a_sample_shows_what_was_found_and_which_condition_holds(page: playwright.Page, tmp_path: Path) -> None:
    attempt(page, invoice(tmp_path / "a.pdf", "R-17", "77-1234"))
    page.get_by_text("This rule takes a.pdf.").first.wait_for()
    page.get_by_text("Mail/R-17.txt").wait_for()
    found = page.locator(".found li").all_text_contents()
    assert {"✓ Number of the document: R-17", "✓ Date of the document: 2026-03-12", "✓ Total: 119.00"} <= set(found)
    page.get_by_text("Why", exact=True).click()
    page.get_by_text("✓ when total: 119.00 EUR (asked: >=100)").wait_for()
    frame = page.locator(".sheet .sure", has_text="Number of the document").locator("rect")
    box, sheet = frame.bounding_box(), page.get_by_role("img", name="page 1").bounding_box()
    assert box is not None
    assert sheet is not None
    scale = sheet["width"] / 595
    assert abs(box["y"] - sheet["y"] - 110 * scale) < 20 * scale  # the line of the number
    assert page.locator(".sheet img").evaluate("one => one.naturalWidth") > 900
    assert violations(page) == []


def test_a_condition_that_fails_is_told_and_nothing_is_made(page: playwright.Page, tmp_path: Path) -> None:
    sample = tmp_path / "a.pdf"
    lines = [Said("Invoice", 60, 80, 20), Said("Invoice number: R-1", 60, 120), Said("Total amount: 9.00 EUR", 60, 300)]
    written(sample, [lines])
    attempt(page, sample)
    page.get_by_text("No rule takes a.pdf.").first.wait_for()
    page.get_by_text("✗ when total: 9.00 EUR (asked: >=100)").wait_for()
    assert page.get_by_text("Text of the result").count() == 0
    assert violations(page) == []


def test_what_is_not_sure_is_asked_for_and_marked(page: playwright.Page, tmp_path: Path) -> None:
    attempt(page, invoice(tmp_path / "a.pdf", "R-17", "1", total="129.00"))  # the amounts contradict each other
    page.get_by_text("a.pdf would wait for your answer: its total is not sure.").first.wait_for()
    assert page.locator(".found .warn", has_text="? Total: not sure").count() == 1
    assert page.locator(".sheet .unsure", has_text="? Total").count() > 0
    assert violations(page) == []


def test_a_word_that_is_clicked_becomes_a_field_of_the_rule(
    daemon: Paperchute, page: playwright.Page, tmp_path: Path
) -> None:
    attempt(page, invoice(tmp_path / "a.pdf", "R-17", "77-1234"))
    further = [
        invoice(tmp_path / f"{HOSTILE.replace('/', ' ')}.pdf", "R-18", "78-9999"),
        invoice(tmp_path / "c.pdf", "R-19", ""),
    ]
    page.get_by_label("Drop further samples here").set_input_files(further)
    sheet = page.locator("svg[data-sheet]")
    box = sheet.bounding_box()
    assert box is not None
    scale = box["width"] / 595
    sheet.click(position={"x": (CUSTOMER[0] + 100) * scale, "y": (CUSTOMER[1] - 3) * scale})
    page.get_by_text("77-1234: tried on 3 of your samples.").wait_for()
    label = page.get_by_role("radio", name="by the label before it: Customer no.")
    assert label.is_checked()
    told = page.locator(".entry", has=label).get_by_role("listitem").all_text_contents()
    assert told == ["✓ a.pdf: 77-1234", f"✓ {further[0].name}: 78-9999", "✗ c.pdf: nothing"]
    assert violations(page) == []
    page.get_by_label("Name of the field").fill("customer")
    page.get_by_role("button", name="Add to the rule").click()
    page.get_by_text("customer stands in `find` now.").wait_for()
    assert page.get_by_label("Where results go").input_value() == "Mail/{doc.number} {doc.customer}.{ext}"
    assert page.locator(".sheet .sure", has_text="✓ customer").count() == 1
    assert violations(page) == []
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The rule Mail is saved").wait_for()
    text = daemon.rules.read_text("utf-8")
    (rule,) = tomllib.loads(text)["rule"]
    assert rule["find"] == {"customer": {"label": "Customer no."}}
    kept = [line for line in RULES.splitlines() if not line.startswith("output")]
    assert [line for line in text.splitlines() if line in kept] == kept
    assert page.locator("img[src='x']").count() == 0
    daemon.rules.write_text(RULES, "utf-8")


def test_a_word_is_picked_by_keyboard_alone(page: playwright.Page, tmp_path: Path) -> None:
    attempt(page, invoice(tmp_path / "a.pdf", "R-17", "77-1234"))
    reach(page, page.get_by_label("Line", exact=True))
    page.keyboard.type("page 1: Customer")
    reach(page, page.get_by_label("Word", exact=True))
    page.keyboard.type("77")
    press(page, "Find this word")
    page.get_by_text("77-1234: tried on 1 of your samples.").wait_for()
    reach(page, page.get_by_role("radio", name="by the label before it: Customer no."))
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("radio", name=r"by what it looks like: \b\d{2}-\d{4}\b").is_checked()
    reach(page, page.get_by_label("What it is for"))
    page.keyboard.type("It stands in a NAME")
    press(page, "Add to the rule")
    page.get_by_text("customer_no stands in `find` now.").wait_for()
    page.get_by_text("More (3 set)").click()
    assert page.get_by_label("write_fields", exact=True).input_value() == "on"
    assert page.get_by_label("find", exact=True).input_value() == (
        r'{ "customer_no" = { "pattern" = "\\b\\d{2}-\\d{4}\\b" } }'
    )
    assert violations(page) == []
