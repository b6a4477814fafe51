"""The system's time zone changes while the daemon runs."""

from __future__ import annotations

import importlib.util
import sys
import time
import zoneinfo
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from paperchute.app import zone
from paperchute.app.clocks import Clocks
from paperchute.app.notices import Notices
from paperchute.app.zone import Zone
from paperchute.jobs import pause
from paperchute.jobs.journal import Journal
from paperchute.rules.notify import NotifyKeys
from tests.halves import unmade
from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import write_pdf
from tests.observers import Told

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file, and needs no look at it")

_NOON = 1_795_780_800.0  # 2026-11-28 00:00 UTC


def zone_file(name: str) -> bytes:
    """The file of a zone, of the system or of the package tzdata."""
    package = importlib.util.find_spec("tzdata")
    places = [Path(place) for place in zoneinfo.TZPATH]
    if package is not None and package.origin is not None:
        places.append(Path(package.origin).parent / "zoneinfo")
    for place in places:
        if (place / name).is_file():
            return (place / name).read_bytes()
    pytest.skip("this system has no files of time zones")


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the zone as a system does: another file takes the place of the one that says it."""
    path = tmp_path / "localtime"

    def change(name: str) -> None:
        new = tmp_path / "new"
        new.write_bytes(zone_file(name))
        new.replace(path)

    change("UTC")
    monkeypatch.setenv("TZ", f":{path}")
    monkeypatch.setattr(zone, "_LOOK_SECONDS", 0.0)
    time.tzset()
    yield change
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("name", "hours"), [("Asia/Tokyo", 9), ("America/Los_Angeles", -8), ("Asia/Kolkata", 5.5)])
def test_another_zone_is_taken_over_and_a_time_on_the_wall_stays_one(
    name: str, hours: float, local: Callable[[str], None]
) -> None:
    own = Zone()
    assert own.has_changed(_NOON) == (False, _NOON)
    local(name)
    assert own.has_changed(_NOON) == (True, _NOON - hours * 3600.0)
    assert datetime.fromtimestamp(_NOON).timestamp() == _NOON
    assert time.localtime(_NOON).tm_gmtoff == hours * 3600
    assert own.has_changed(0.0) == (False, 0.0)


def test_the_same_zone_written_anew_changes_nothing(local: Callable[[str], None]) -> None:
    own = Zone()
    local("Etc/UTC")
    assert own.has_changed(_NOON) == (False, _NOON)


def test_hours_go_by_the_zone_as_it_is(tmp_path: Path, local: Callable[[str], None]) -> None:
    """Closed here and now, open in another zone: what waits is done once the zone has changed, and not before."""
    with counting_service() as service:
        closed = datetime.now().hour + 6
        between = f"{closed % 24:02}:00-{(closed + 5) % 24:02}:00"
        paperchute = Paperchute(
            tmp_path,
            f'version = 1\n[service]\nbase_url = "{service.url}"\napi_key = "env:PAPERCHUTE_TEST_KEY"\n[[rule]]\n'
            f'name = "Read"\nfolder = "hot"\noperation = "pdf-to-markdown"\nbetween = ["{between}"]\n',
        )
        paperchute.start()
        try:
            paperchute.until_it_runs()
            write_pdf(tmp_path / "hot" / "a.pdf", "Hello")
            wait_until(lambda: paperchute.said()["postponed"]["jobs"] == 1)
            local("Asia/Tokyo")
            wait_until(lambda: names(tmp_path / "hot.out") == ["a.md"])
        finally:
            paperchute.close()


def test_a_pause_until_the_morning_ends_in_the_morning_of_the_new_zone(
    tmp_path: Path, local: Callable[[str], None]
) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    clocks = unmade(Clocks)
    clocks._journal, clocks._zone = journal, Zone()
    clocks._notices = Notices(NotifyKeys, journal, Told(), lambda: 0)
    ends = [datetime(2026, 11, 28, 8).timestamp(), datetime(2026, 11, 28, 9, 17, 3).timestamp()]
    local("Asia/Tokyo")
    for end, moved in zip(ends, (9 * 3600.0, 0.0), strict=True):
        journal.settings.set(pause.SETTING, pause.text_of(end))
        clocks._mind_the_zone()
        assert pause.end_of(journal.settings.get(pause.SETTING)) == end - moved
        clocks._zone._stamp = None  # it looks again
    journal.close()
