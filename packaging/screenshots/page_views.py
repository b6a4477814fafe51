"""Draws docs/images/{page,history,use}.png: the page of a Paperchute that runs and has something to show.

paperchute demo FOLDER --stay                                   # in another terminal
python packaging/screenshots/page_views.py "$(paperchute --state FOLDER/state open --address)" docs/images PDF PDF ...

The PDFs are dropped, so that something is at work; they need some seconds each.
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
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(one) for one in sys.argv[3:]])
