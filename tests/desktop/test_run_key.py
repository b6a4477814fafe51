"""The registry's key for programs that start at log-in, with a key of the tests' own in its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.desktop import autostart
from paperchute.desktop.autostart import switch_off, switch_on
from paperchute.errors import PaperchuteError

if sys.platform != "win32":
    pytest.skip("a matter of Windows", allow_module_level=True)
else:
    import winreg

    from paperchute.desktop.autostart import RunKey

assert sys.platform == "win32"  # what follows is for mypy to check there alone
KEY = r"Software\Paperchute's tests"
WORDS = ["C:\\My Programs\\paperchutew.exe", "-P", "-m", "paperchute", "--rules", 'C:\\a "b" %PATH%\\ü 文.toml', "run"]


@pytest.fixture(autouse=True)
def _own_key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(autostart, "_RUN_KEY", KEY)
    yield
    winreg.DeleteKey(winreg.CreateKey(winreg.HKEY_CURRENT_USER, KEY), "")


def line() -> str:
    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, KEY) as key:
        return str(winreg.QueryValueEx(key, "Paperchute")[0])


def test_on_and_off_twice() -> None:
    key = RunKey()
    assert key.words() is None
    for _ in range(2):
        switch_on(key, WORDS)
        assert key.words() == WORDS
    for _ in range(2):
        switch_off(key)
        assert key.words() is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1, max_size=4))
def test_a_word_comes_back_otherwise_than_it_went(words: list[str]) -> None:
    program = "C:\\paperchutew.exe"  # which Windows takes apart by other rules than the rest
    RunKey().put([program, *words])
    assert RunKey().words() == [program, *words]


def test_what_somebody_changed_is_written_over() -> None:
    switch_on(RunKey(), WORDS)
    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, KEY, 0, winreg.KEY_SET_VALUE) as key:
        winreg.SetValueEx(key, "Paperchute", 0, winreg.REG_SZ, "C:\\something.exe else")
    for switch in (lambda: switch_off(RunKey()), lambda: switch_on(RunKey(), WORDS)):
        with pytest.raises(PaperchuteError, match="left alone"):
            switch()
    assert line() == "C:\\something.exe else"
