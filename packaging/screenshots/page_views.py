"""Draws docs/images/{page,history,use,workshop}.png: the page of a Paperchute that runs and has something to show.

paperchute demo FOLDER --stay                                   # in another terminal
python packaging/screenshots/page_views.py "$(paperchute --state FOLDER/state open --address)" docs/images PDF PDF ...

The PDFs are dropped, so that something is at work; they need some seconds each. The first is the workshop's sample.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

VIEWS = ("history", "use")
PATIENCE = 120_000
"""Milliseconds that the sample may take."""
HOT = "markdown"
"""The hot folder of the demo into which the PDFs are dropped."""
RECIPE = "Scans: upright, straight, without blank pages, searchable"
WIDTH, HEIGHT = 1000, 760
SETTLED = 4000
"""Milliseconds in which the pictures of a view are there."""


def main(address: str, folder: Path, documents: list[Path]) -> None:
    """Look at each view, and keep the picture. address: one that lets in, which it does once."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.get_by_role("heading", level=2).first.wait_for()
        for view in VIEWS:
            page.locator(f"a[href='#{view}']").click()
            page.locator(f"a[href='#{view}'][aria-current]").wait_for()
            page.wait_for_timeout(SETTLED)  # the news never end, so no state of the network says that all is drawn
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=folder / f"{view}.png")
        page.locator("a[href='#now']").click()
        page.get_by_label(f"Put files into {HOT}").set_input_files(documents)
        page.locator("progress").first.wait_for()
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=folder / "page.png")
        page.locator("progress").first.wait_for(state="detached")
        page.locator("a[href='#rules']").click()
        page.get_by_label("Begin with").select_option(label=RECIPE)
        page.get_by_role("button", name="New rule").click()
        page.get_by_label("Name", exact=True).fill("Scans by month")
        page.get_by_label("Where results go").fill("Archive/{date:%Y-%m}/{stem}.{ext}")
        page.locator("[data-sample]").set_input_files(documents[0])
        page.locator("img[data-drawn]").nth(1).wait_for()
        page.wait_for_timeout(SETTLED)
        page.screenshot(path=folder / "workshop.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(one) for one in sys.argv[3:]])
