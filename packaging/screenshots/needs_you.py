"""Draws docs/images/pages.png: a stack without sheets that waits in *Needs you*, with its pages as pictures.

PYTHONPATH=. python packaging/screenshots/needs_you.py [OUTPUT.png]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.stacks.documents import Maker
from playwright.sync_api import sync_playwright
from tests.journeys.daemon import Paperchute, names, wait_until

from paperchute.engine.fonts import use_carried_fonts

SEED = 25
"""Of a stack in English, with documents of several pages."""
WIDTH, HEIGHT = 1000, 860
SETTLED = 4000
"""Milliseconds in which the pictures are there."""
RULES = """version = 1
[[rule]]
name = "Post without sheets"
folder = "post"
operation = "pdf-split"
parameters = { firstPages = "auto" }
"""


def main(target: Path) -> None:
    """Have a stack wait, and keep the picture of what is asked."""
    use_carried_fonts()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        daemon = Paperchute(folder, RULES)
        daemon.environment["PAPERCHUTE_LANGUAGE"] = "en"
        (folder / "post").mkdir()
        stack = Maker(SEED).write(folder)
        stack.path.rename(folder / "post" / "Monday.pdf")
        daemon.start()
        try:
            wait_until(lambda: len(names(folder / "post.failed")) == 2)
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                page.goto(daemon.run("open", "--address").stdout.strip())
                page.locator("a[href='#needs']").click()
                page.locator("[data-leaf]").first.wait_for()
                page.wait_for_timeout(SETTLED)  # the news never end, so no state of the network says that all is drawn
                page.evaluate("scrollTo(0, 0)")
                page.screenshot(path=target)
                browser.close()
        finally:
            daemon.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/pages.png"))
