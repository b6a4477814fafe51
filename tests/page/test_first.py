"""Who has no rules yet chooses some on the page, and they are at work."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from paperchute.app.daemon import Daemon
from paperchute.app.first_rules import FIRST, ON_PAGE, write_first
from paperchute.app.places import State
from paperchute.errors import PaperchuteError
from paperchute.page import door
from paperchute.page.picture import picture
from paperchute.page.server import Page
from paperchute.rules.file import load
from paperchute.rules.settings import RuleFile, ServiceSettings

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class New:
    """A page over a daemon without a rule file, in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.rules = folder / "config" / "rules.toml"
        self.state = State(folder / "state")
        self.page = Page(self.state)
        self.daemon = self.page.shown(Daemon(RuleFile(self.rules, ServiceSettings(), ()), self.state, (self.page,)))

    def end(self) -> None:
        self.page.stop()
        self.daemon.stop()


@pytest.fixture(name="new")
def _new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[New]:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    new = New(tmp_path)
    yield new
    new.end()


def test_what_is_chosen_is_written_and_nothing_over_a_file(new: New) -> None:
    assert [one["name"] for one in picture(new.daemon, [])["first"]] == [one.name for one in ON_PAGE]
    address, _, ticket = door.address_asked(new.state).partition("#")
    with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
        session = client.post("/api/session", content=ticket).json()["session"]
        client.headers["Authorization"] = f"Bearer {session}"
        for nothing in ([], ["../x"], "scans", 3):
            assert client.post("/api/first", content=json.dumps(nothing)).status_code == 409
        assert client.post("/api/first", content="{").status_code == 400
        assert not new.rules.exists()
        assert client.post("/api/first", content='["word", "scans"]').status_code == 200
        written = new.rules.read_bytes()
        assert [rule.folder.name for rule in load(new.rules).rules] == ["scans", "word"]
        again = client.post("/api/first", content='["excel"]')
        assert (again.status_code, new.rules.read_bytes()) == (409, written)
    assert picture(new.daemon, [])["first"] == []
    new.daemon._rulebook.read_again()
    assert [rule.folder.name for rule in new.daemon.rules.rules] == ["scans", "word"]


@pytest.mark.parametrize("first", FIRST, ids=lambda first: first.name)
def test_each_is_a_rule_that_works_as_it_is(first: object, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    write_first(path, tmp_path / "Hot", [one for one in FIRST if one is first])
    (rule,) = load(path).rules
    assert not load(path).warnings
    assert rule.enabled
    with pytest.raises(PaperchuteError, match="already"):
        write_first(path, tmp_path / "Hot", FIRST)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_three_clicks_lead_to_the_first_folder(new: New) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(door.address_asked(new.state))
        box = page.get_by_label("PDF to Word")
        box.focus()
        page.keyboard.press("Space")
        assert box.is_checked()
        found = axe.Axe().run(page).response["violations"]
        assert found == []
        page.get_by_role("button", name="Make the folders").press("Enter")
        page.get_by_text("Done.").wait_for()
        browser.close()
    assert [rule.folder.name for rule in load(new.rules).rules] == ["word"]
