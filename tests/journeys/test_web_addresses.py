"""Web pages are printed from their address: a dropped link, a rule on a schedule, a command without a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from tests.engine.service.outer import Outer
from tests.journeys.daemon import Paperchute, names

RULES = """version = 1
[engine]
inner_host = ["127.0.0.1"]

[[rule]]
name      = "Pages"
folder    = "pages"
operation = "pdf-generate"
hosts     = ["127.0.0.1"]

[[rule]]
name       = "Prices"
folder     = "prices"
schedule   = "hourly"
operation  = "pdf-generate"
parameters = {{ htmlUrl = "{site}/prices.html", outputFileName = "Prices today" }}
"""


@pytest.fixture
def site() -> Iterator[Outer]:
    with Outer() as running:
        for name in ("prices", "news"):
            running.pages[f"/{name}.html"] = (200, {"Content-Type": "text/html"}, f"<p>The {name} page".encode())
        yield running


@pytest.fixture
def paperchute(tmp_path: Path, site: Outer) -> Iterator[Paperchute]:
    made = Paperchute(tmp_path, RULES.format(site=site.url))
    yield made
    made.close()


def _text(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return document[0].get_textpage().get_text_bounded().strip()
    finally:
        document.close()


def test_links_are_printed_from_their_address_and_schedules_once(
    tmp_path: Path, paperchute: Paperchute, site: Outer
) -> None:
    checked = paperchute.run("check")
    assert checked.returncode == 0, checked.stdout
    assert "all good" in checked.stdout
    assert "next on" in paperchute.run("run", "--dry").stdout
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "news.url").write_text(f"[InternetShortcut]\r\nURL={site.url}/news.html\r\n", newline="")
    (tmp_path / "pages" / "bad.url").write_text("[InternetShortcut]\nURL=file:///etc/passwd\n")
    page = f"<!doctype html><p>here<img src='gone.png'><img src='{site.url}/gone.png'>"
    (tmp_path / "pages" / "page.html").write_text(page)
    done = paperchute.run("run", "--once")
    assert done.returncode == 1, done.stdout + done.stderr
    assert names(tmp_path / "pages.out") == ["news.pdf", "page.pdf"]
    assert _text(tmp_path / "pages.out" / "news.pdf") == "The news page"
    assert "no web address" in (tmp_path / "pages.failed" / "bad.url.error.txt").read_text("utf-8")
    warned = (tmp_path / "pages.failed" / "page.html.warnings.txt").read_text("utf-8")
    assert "gone.png (it did not come with the document)" in warned
    assert "it answers with HTTP 404" in warned
    assert names(tmp_path / "prices.out") == []  # a new rule begins with its next time

    _as_if_an_hour_ago(tmp_path / "state")
    for _ in range(2):
        assert paperchute.run("run", "--once").returncode == 0
    assert names(tmp_path / "prices.out") == ["Prices today.pdf"]
    assert _text(tmp_path / "prices.out" / "Prices today.pdf") == "The prices page"
    prices = [job for job in paperchute.json("jobs") if job["rule"] == "Prices"]
    assert [job["state"] for job in prices] == ["done"]


def test_a_command_needs_no_file_for_an_address(tmp_path: Path, paperchute: Paperchute, site: Outer) -> None:
    target = tmp_path / "made" / "news.pdf"
    target.parent.mkdir()
    done = paperchute.run("do", "pdf-generate", "-p", f"htmlUrl={site.url}/news.html", "-o", str(target))
    assert done.returncode == 0, done.stdout + done.stderr
    assert _text(target) == "The news page"
    lacking = paperchute.run("do", "pdf-generate")
    assert lacking.returncode != 0
    assert "needs a file to work on" in lacking.stdout + lacking.stderr
    assert site.asked == ["/news.html"]


def _as_if_an_hour_ago(state: Path) -> None:
    """The rule was seen to last before the present hour began."""
    (journal,) = state.glob("journal.sqlite")
    with sqlite3.connect(journal) as db:
        changed = db.execute("update setting set value = '2026-01-01T00:00:00' where name like 'schedule %'")
        assert changed.rowcount == 1
    db.close()
