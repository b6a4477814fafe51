"""Draws docs/images/workshop.png: a rule for mail that is tried on an invoice, of which a word is picked.

PYTHONPATH=. python packaging/screenshots/workshop.py [OUTPUT.png]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import plutoprint
from playwright.sync_api import sync_playwright
from tests.journeys.daemon import Paperchute

from paperchute.engine.fonts import use_carried_fonts

WIDTH, HEIGHT = 1000, 860
PATIENCE = 120_000
"""Milliseconds that a sample may take."""
SETTLED = 2000
"""Milliseconds in which the pictures are there."""
RULES = """version = 1
[[rule]]
name = "Mail"
folder = "mail"
operation = "pdf-to-editable"
when = { kind = "invoice", total = ">=100" }
output = "Mail/{doc.sender}/{doc.date} {doc.number}.{ext}"
"""
CUSTOMERS = {"March.pdf": ("R-2026-17", "77-1234"), "April.pdf": ("R-2026-31", "78-9920"), "May.pdf": ("R-2026-44", "")}
STYLE = """
@page { size: 210mm 120mm; margin: 12mm } body { font: 10.5pt sans-serif } h1 { font-size: 15pt; margin: 14pt 0 8pt }
table { border-collapse: collapse; width: 100%; margin-top: 8pt } td, th { text-align: left; padding: 3pt 0 }
td:last-child, th:last-child { text-align: right } th { border-bottom: 1px solid #555 } p { margin: 2pt 0 }
"""


def invoice(path: Path, number: str, customer: str) -> None:
    """An invoice of one page; without a customer's number where that is empty."""
    named = f"<p>Customer no.: {customer}</p>" if customer else ""
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.load_html(
        f"<style>{STYLE}</style><p><b>Alder & Finch Ltd</b></p><p>12 Harbour Road, Leith EH6 6JH</p>"
        f"<h1>Invoice</h1><p>Invoice number: {number}</p><p>Invoice date: 12 March 2026</p>{named}"
        "<table><tr><th>Description<th>Quantity<th>Price<th>Amount</tr>"
        "<tr><td>Oak shelf<td>2<td>50.00<td>100.00</tr></table>"
        "<table><tr><td>Net amount<td>100.00 EUR</tr><tr><td>VAT 19%<td>19.00 EUR</tr>"
        "<tr><td><b>Total amount</b><td><b>119.00 EUR</b></tr></table>"
    )
    book.write_to_pdf(str(path))


def main(target: Path) -> None:
    """Have a rule tried, pick the customer's number, and keep the picture of what is said of it."""
    use_carried_fonts()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        daemon = Paperchute(folder, RULES)
        daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
        for name, (number, customer) in CUSTOMERS.items():
            invoice(folder / name, number, customer)
        daemon.start()
        try:
            daemon.until_it_runs()
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                page.set_default_timeout(PATIENCE)
                page.goto(daemon.run("open", "--address").stdout.strip())
                page.locator("a[href='#rules']").click()
                page.get_by_role("button", name="Edit: Mail").click()
                first, *others = CUSTOMERS
                page.get_by_label("Drop a sample here").set_input_files(folder / first)
                page.get_by_role("heading", name="What was found in it").wait_for()
                page.get_by_label("Drop further samples here").set_input_files([folder / name for name in others])
                page.get_by_text("Why", exact=True).click()
                page.get_by_label("Line", exact=True).select_option(label="page 1: Customer no.: 77-1234")
                page.get_by_label("Word", exact=True).select_option(label="77-1234")
                page.get_by_role("button", name="Find this word").click()
                page.get_by_role("radio").first.wait_for()
                page.wait_for_timeout(SETTLED)
                page.locator("[data-key='trial']").screenshot(path=target)
                browser.close()
        finally:
            daemon.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/workshop.png"))
