"""A slip in a command line is told in the language of whoever made it, with what to do."""

from __future__ import annotations

import pytest

from paperchute.cli import front
from paperchute.language import use

SLIPS = {
    ("chekc",): "Es gibt keinen Befehl chekc. Meinten Sie check? `paperchute --help` zeigt, wie es geht.",
    ("jobs", "--limi", "3"): "Es gibt keine Option --limi. Meinten Sie --limit? `paperchute jobs --help` zeigt,",
    ("jobs", "--limit"): "--limit braucht einen Wert dahinter. ",
    ("jobs", "--limit", "x"): "Die Angabe für --limit kann nicht verwendet werden. `paperchute jobs --help` zeigt,",
    ("do",): "operation fehlt. `paperchute do --help` zeigt,",
    ("rule",): "Es fehlt ein Befehl. `paperchute rule --help` zeigt,",
    ("rule", "ad"): "Es gibt keinen Befehl ad. Meinten Sie add? `paperchute rule --help` zeigt,",
    ("rule", "add", "X"): "--folder fehlt. `paperchute rule add --help` zeigt,",
    ("status", "a", "b"): "Das ist mehr, als der Befehl nimmt: a b. `paperchute status --help` zeigt,",
}


@pytest.mark.parametrize("arguments", SLIPS, ids=" ".join)
def test_a_slip_is_told_in_the_person_s_language(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPERCHUTE_LANGUAGE", "de")
    monkeypatch.setattr("sys.argv", ["paperchute", *arguments])
    monkeypatch.setattr("paperchute.cli.usage.command", lambda text: f"paperchute {text}")
    try:
        with pytest.raises(SystemExit) as ended:
            front.main()
    finally:
        use("en")
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(SLIPS[arguments])


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["--version"], 0), (["operations"], 0), ([], 2)])
def test_what_is_no_slip_ends_as_before(
    arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPERCHUTE_LANGUAGE", "en")
    monkeypatch.setattr("sys.argv", ["paperchute", *arguments])
    with pytest.raises(SystemExit) as ended:
        front.main()
    assert ended.value.code == code
    assert "is used" not in "".join(capsys.readouterr())
