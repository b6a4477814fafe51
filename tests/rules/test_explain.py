"""Why a rule takes a file or does not: every condition with what was seen."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from paperchute.rules.explain import explain
from paperchute.rules.file import load
from paperchute.rules.match import FileFacts
from paperchute.rules.settings import RuleFile

NOW = datetime(2026, 11, 21, 12, 0).timestamp()  # a Saturday
RULES = r"""
version = 1
[[rule]]
name = "Off"
folder = "hot"
operation = "pdf-to-markdown"
enabled = "off"
[[rule]]
name = "Elsewhere"
folder = "other"
operation = "pdf-to-markdown"
[[rule]]
name = "Short"
folder = "hot"
operation = "pdf-to-markdown"
pages = 1
[[rule]]
name = "Copy"
folder = "hot"
operation = "pdf-encrypt"
parameters = { userPassword = "env:MY_PASSWORD" }
pattern = '^(?P<who>\w+) \d+'
output = "copies/{who}/{stem}, {pages} pages.{ext}"
also = true
[[rule]]
name = "Rest"
folder = "hot"
except = "draft*"
operation = "pdf-to-markdown"
between = "22-6"
[[rule]]
name = "Last"
folder = "hot"
match = "*"
operation = "pdf-to-markdown"
original = "trash"
"""


def rules(tmp_path: Path) -> RuleFile:
    path = tmp_path / "rules.toml"
    path.write_text(RULES, "utf-8")
    return load(path)


def test_each_rule_each_condition_and_what_would_happen(tmp_path: Path) -> None:
    path = tmp_path / "hot" / "Anna 12.pdf"
    found = explain(rules(tmp_path), path, FileFacts(5000, "pdf", 3), NOW)
    assert [rule.name for rule in found.takers] == ["Copy", "Rest"]
    text, base = found.text().replace("\\", "/"), tmp_path.as_posix()
    for line in (
        "rule 'Off' (line 3): no",
        "  NO   enabled: off",
        f"  NO   folder: {base}/other",
        "  NO   pages: 3 (asked: 1)",
        "rule 'Copy' (line 17): takes it",
        "  yes  pattern: who = 'Anna'",
        "  step 1: pdf-encrypt userPassword = env:MY_PASSWORD, algorithm = aes256",
        f"  result: {base}/copies/Anna/Anna 12, 3 pages.pdf",
        "  original: left to the next rule",
        "  begins: Saturday 22:00 (22:00-06:00)",
        f"  result: {base}/hot.out/Anna 12.md",
        f"  original: goes to {base}/hot.done/Anna 12.pdf",
        "rule 'Last' (line 31): would take it, if rule 'Rest' did not",
    ):
        assert line in text.splitlines(), f"{line}\n\n{text}"


def test_what_hangs_on_a_content_that_is_not_there_is_said(tmp_path: Path) -> None:
    found = explain(rules(tmp_path), tmp_path / "hot" / "draft.pdf", FileFacts(), NOW)
    text = found.text()
    assert "rule 'Short' (line 12): may take it; that depends on what is in it" in text
    assert "  ?    pages: there is no such file (asked: 1)" in text
    assert "  NO   except: draft*" in text
    assert [rule.name for rule in found.takers] == ["Last"]
    assert "goes to the desktop's trash" in text


def test_a_temporary_file_is_taken_by_nobody(tmp_path: Path) -> None:
    found = explain(rules(tmp_path), tmp_path / "hot" / "~$a.pdf", FileFacts(), NOW)
    assert found.takers == ()
    assert "never taken" in found.text()
    assert "No rule takes it." in found.text()


def test_a_single_file_is_no_set(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        'version = 1\n[[rule]]\nname = "Sets"\nfolder = "hot"\ngather = "folder"\noperation = "pdf-merge"\n', "utf-8"
    )
    found = explain(load(path), tmp_path / "hot" / "a.pdf", FileFacts(5000, "pdf", 3), NOW)
    assert found.takers == ()
    assert "  NO   gather: a single file; only sub-folders become jobs" in found.text().splitlines()
    assert explain(load(path), tmp_path / "hot" / "set", FileFacts(), NOW).takers == load(path).rules


def test_the_pages_that_would_be_recognised_are_named_where_the_rule_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    rule = 'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\noperation = "pdf-to-markdown"\n'
    path.write_text(rule, "utf-8")

    def told(*unread: int, pictured: tuple[int, ...] = ()) -> list[str]:
        facts = FileFacts(5000, "pdf", 9, unread=unread, pictured=pictured)
        text = explain(load(path), tmp_path / "hot" / "a.pdf", facts, NOW).text()
        return [line.strip() for line in text.splitlines() if "recognition" in line]

    assert told(2, 3, 4, 7) == ["recognition: of pages 2-4, 7"]
    assert told() == ["recognition: none, every page has text"]
    of_pictures = "recognition: of pictures that look like text on pages 5-6"
    assert told(pictured=(5, 6)) == [of_pictures]
    assert told(2, pictured=(5, 6)) == [f"recognition: of page 2; {of_pictures}"]
    path.write_text(rule + "parameters = { enableOcr = false }\n", "utf-8")
    assert told(2) == []


def test_signatures_that_would_be_broken_are_told(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    rule = 'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\noperation = '

    def told(operation: str, signed: bool | None) -> list[str]:
        path.write_text(rule + operation, "utf-8")
        text = explain(load(path), tmp_path / "hot" / "a.pdf", FileFacts(5000, "pdf", 9, signed=signed), NOW).text()
        return [line.strip() for line in text.splitlines() if "signed:" in line]

    compress = '"pdf-compress"\n'
    assert told(compress, True) == [
        "signed: pdf-compress changes the documents, so their signatures do not hold in the results; "
        "the originals stay the proof"
    ]
    assert "leaves no proof" in told(f'{compress}original = "trash"\n', True)[0]
    assert told(compress, False) == told(compress, None) == told('"pdf-to-txt"\n', True) == []
