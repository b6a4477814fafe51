"""A mistake in the rule file is shown with what stands there, beside what stood there, and without secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paperchute.page.slips import slips
from paperchute.rules.file import load
from paperchute.rules.problems import RuleFileError
from tests.page.conftest import RULES


def _slips(path: Path, text: str) -> list[dict[str, Any]]:
    """Of a file that was good, and is this now."""
    path.write_text(RULES, "utf-8")
    good = load(path)
    path.write_text(text, "utf-8")
    with pytest.raises(RuleFileError) as error:
        load(path)
    return slips(good, error.value.lines())


def test_the_old_line_stands_beside_the_new(tmp_path: Path) -> None:
    (found,) = _slips(tmp_path / "rules.toml", RULES.replace('folder = "in"', "folder = 5"))
    assert (found["line"], found["now"], found["before"]) == (4, ["folder = 5"], ['folder = "in"'])
    assert found["told"].startswith(f"{tmp_path / 'rules.toml'}:4:")


def test_what_is_new_had_nothing_there(tmp_path: Path) -> None:
    found = _slips(tmp_path / "rules.toml", RULES + "[[rule]]\nname = 'Read PDFs\n")
    assert all(one["before"] in ([], [""]) for one in found)
    assert any("name = 'Read PDFs" in one["now"] for one in found)


def test_what_stands_there_unchanged_is_shown_once(tmp_path: Path) -> None:
    (found, *_more) = _slips(tmp_path / "rules.toml", RULES.replace('operation = "pdf-to-markdown"\n', "", 1))
    assert found["now"] == ["[[rule]]"]
    assert found["before"] is None


def test_a_secret_that_stands_there_by_mistake_is_not_shown(tmp_path: Path) -> None:
    text = RULES.replace('folder = "in"', 'folder = "in"\npasswords = ["hunter2-hunter2"]')
    assert "hunter2" not in str([(one["now"], one["before"]) for one in _slips(tmp_path / "rules.toml", text)])


def test_a_file_that_is_gone_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(RULES, "utf-8")
    good = load(path)
    path.unlink()
    (found,) = slips(good, [f"{path}: there is no such file."])
    assert (found["line"], found["now"], found["before"]) == (0, [], None)
