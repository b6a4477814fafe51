"""Common ground for all tests: a home of their own, bounded property tests, no leftovers."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import paperchute
from paperchute import redaction
from paperchute.invocation import told_with

SOURCE = Path(paperchute.__file__).parents[1]

if sys.dont_write_bytecode:
    # Hundreds of processes are started here. Where nothing may be written beside the sources, what they compile is kept
    # beside pytest's own cache, or each would compile all of it again.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

gc.set_threshold(50_000, 20, 20)
"""As in the engine's workers: looking for cycles among the tests themselves and the words of documents, again and
again, took a tenth of a run."""

settings.register_profile(
    "paperchute",
    deadline=None,
    derandomize=False,  # which Hypothesis would do by itself in CI
    max_examples=60,
    # How busy the machine is fails no test.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("paperchute")  # `start.py test` draws a seed and prints it


FIRST = (
    "tests/journeys/",
    "tests/crash/",
    "tests/engine/service/",
    "tests/page/",
    "tests/watch/",
    "tests/engine/reading/ocr/",
)
"""Where the long files are. With several processes these come first, so that none is left for the end alone."""

COMPUTING = tuple(
    f"tests/engine/{folder}/"
    for folder in ("conservation", "extraction", "html", "imaging", "operations", "reading", "writing")
)
"""Tests that work on documents themselves. All others wait, most of the time, for processes, clocks and folders."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long files first, and files that wait among those that compute: together they leave no processor idle.

    Each file's tests stay together and in their order.
    """
    files = list(dict.fromkeys(_file_of(item) for item in items))
    place: dict[str, float] = {}
    for computing in (True, False):
        kind = [file for file in files if file.startswith(COMPUTING) == computing]
        kind.sort(key=lambda file: next((n for n, part in enumerate(FIRST) if file.startswith(part)), len(FIRST)))
        place |= {file: number / len(kind) for number, file in enumerate(kind)}
    items.sort(key=lambda item: place[_file_of(item)])


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def pytest_collection_finish() -> None:
    """The tests stay to the end: they need not be looked through each time."""
    gc.freeze()


HOMES = itertools.count()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for those of all tests: beside the tests' own folders they would be looked through for each new one."""
    return tmp_path_factory.mktemp("homes")


OF_THE_PERSON = (
    *("PAPERCHUTE_RULES", "PAPERCHUTE_STATE"),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP"),
    *(name for proxy in ("http_proxy", "https_proxy", "all_proxy", "no_proxy") for name in (proxy, proxy.upper())),
)
"""What would lead from a test to the desktop, keyring, files or network of whoever runs it."""


@pytest.fixture(scope="session", autouse=True)
def away_from_the_person(homes: Path) -> Iterator[None]:
    """No window opens, no notification is sent and no keyring asked where the tests run on somebody's desktop.

    Of the whole session, since what a file's tests share is made before any of them has its own home.
    """
    with pytest.MonkeyPatch.context() as environment:
        for name in OF_THE_PERSON:
            environment.delenv(name, raising=False)
        _live_in(homes / "shared", environment)
        yield


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test meets the user's own rules, state, keyring or language; child processes find this source."""
    _live_in(homes / str(next(HOMES)), monkeypatch)


def _live_in(home: Path, environment: pytest.MonkeyPatch) -> None:
    home.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment.setenv(name, str(home))
    environment.setenv("PYTHONPATH", str(SOURCE))
    environment.setenv("PAPERCHUTE_LANGUAGE", "en")
    told_with([])  # as a test of the command line may have left it


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Where CI has made a screen, a test that needs one or a browser and is left out is a failure and not a skip."""
    if (
        report.skipped
        and {"screen", "browser"} & set(report.keywords)
        and os.environ.get("PAPERCHUTE_TEST_SCREEN") == "required"
    ):
        report.outcome = "failed"


@pytest.fixture(autouse=True)
def no_secret_of_another_test() -> None:
    """Secrets in use are a process's own, and here many tests share one."""
    for known in (redaction._passing, redaction._lasting, redaction._spelled, redaction._uses, redaction._short):
        known.clear()
