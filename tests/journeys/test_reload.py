"""Editing the rules while the daemon runs: what is good takes effect, what is broken changes nothing and is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import write_pdf

RULES = 'version = 1\n[[rule]]\nname = "Read"\nfolder = "a"\noperation = "pdf-to-markdown"\n'
SECOND = '[[rule]]\nname = "Second"\nfolder = "b"\noperation = "pdf-to-markdown"\n'


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    paperchute.start()
    paperchute.until_it_runs()
    yield paperchute
    paperchute.close()


def errors(daemon: Paperchute) -> str:
    return " ".join(daemon.said()["rules"]["errors"])


def works(daemon: Paperchute, folder: str, name: str) -> None:
    """A file dropped there is done."""
    write_pdf(daemon.folder / folder / f"{name}.pdf", name)
    wait_until(lambda: f"{name}.md" in names(daemon.folder / f"{folder}.out"))


def test_no_broken_file_changes_anything_and_each_is_shown(daemon: Paperchute) -> None:
    rules = daemon.rules
    broken: list[tuple[bytes, str]] = [
        (RULES.replace("operation", "operatoin").encode(), "rules.toml:5:1: rule 'Read': there is no key 'operatoin'"),
        (RULES.encode() + b"# caf\xe9\n", "rules.toml:6:6: this is not UTF-8 text"),
        (b"#" * (1 << 20) + b"\n" + RULES.encode(), "larger than 1 MB"),
        (b'[[rule]\nname = "', "rules.toml:1:"),
        (b"", "`version = 1` must stand at the top"),
    ]
    for content, words in broken:
        rules.write_bytes(content)
        wait_until(lambda words=words: words in errors(daemon))  # type: ignore[misc]
    assert errors(daemon) in " ".join(daemon.said()["troubles"]), "the tray and `status` show it"
    first, second, third, *_ = daemon.run("status").stdout.splitlines()
    assert first.startswith("Paperchute is running")
    assert second == "  ! The rule file has mistakes, so the previous rules stay in force:"
    assert "`version = 1` must stand at the top" in third
    works(daemon, "a", "after mistakes")
    rules.unlink()
    wait_until(lambda: "there is no such file" in errors(daemon))
    os.mkfifo(rules)
    wait_until(lambda: "must be a file" in errors(daemon))
    works(daemon, "a", "after it had gone")
    rules.unlink()
    rules.write_text(RULES, "utf-8")
    wait_until(lambda: errors(daemon) == "")


def test_good_edits_take_effect_however_the_file_is_written(daemon: Paperchute) -> None:
    new = daemon.folder / "new.toml"
    new.write_text(RULES + SECOND, "utf-8")
    new.replace(daemon.rules)
    wait_until((daemon.folder / "b").is_dir)
    works(daemon, "b", "in the new folder")
    daemon.rules.write_text(SECOND.replace("[[rule]]", "version = 1\n[[rule]]"), "utf-8")
    wait_until(lambda: [rule["name"] for rule in daemon.said()["rules"]["rules"]] == ["Second"])
    write_pdf(daemon.folder / "a" / "too late.pdf", "Nobody watches")
    works(daemon, "b", "in the folder that stayed")
    assert names(daemon.folder / "a") == ["too late.pdf"]


def rule(name: str, folder: str, more: str = "") -> str:
    return f'[[rule]]\nname = "{name}"\nfolder = "{folder}"\noperation = "pdf-to-markdown"\n{more}\n'


def test_what_waits_without_a_call_goes_by_the_rules_as_they_stand(tmp_path: Path) -> None:
    """Corrected, renamed, moved to another folder, switched off, removed: nothing is paid for under the old rules."""
    with counting_service() as service:
        head = f'version = 1\n[service]\nbase_url = "{service.url}"\napi_key = "env:PAPERCHUTE_TEST_KEY"\n'
        before = {name: rule(name.title(), name) for name in ("corrected", "renamed", "moved", "off", "removed")}
        daemon = Paperchute(tmp_path, head + "".join(before.values()))
        daemon.run("pause")
        for folder in before:
            write_pdf(tmp_path / folder / f"{folder}.pdf", folder)
        daemon.start()
        try:
            wait_until(lambda: daemon.said()["jobs"]["queued"] == 5)
            after = [
                rule("Corrected", "corrected", 'output = "else/{stem}-x.{ext}"'),
                rule("Another name", "renamed"),
                rule("Moved", "place"),
                rule("Off", "off", "enabled = false"),
            ]
            daemon.rules.write_text(head + "".join(after), "utf-8")
            wait_until(lambda: len(daemon.said()["rules"]["rules"]) == 4)
            daemon.run("resume")
            wait_until(lambda: names(tmp_path / "else") == ["corrected-x.md"])
            wait_until(lambda: names(tmp_path / "renamed.out") == ["renamed.md"])
            wait_until(lambda: daemon.said()["jobs"]["waiting"] == 3)
            why = {job["rule"]: job["error"] for job in daemon.json("jobs") if job["state"] == "waiting"}
            assert why["Off"].startswith("Rule 'Off' is off. The work waits until it is on again:")
            assert "rule on" in why["Off"]
            for name in ("Moved", "Removed"):
                assert why[name].startswith(f"Rule '{name}' is no longer in the rule file, and no other rule watches")
            assert service.total() == 2
            (tmp_path / "removed" / "removed.pdf").rename(tmp_path / "renamed" / "removed.pdf")
            daemon.rules.write_text(head + "".join(after[:2]) + before["moved"] + before["off"], "utf-8")
            for folder, name in (("renamed", "removed.md"), ("moved", "moved.md"), ("off", "off.md")):
                wait_until(lambda folder=folder, name=name: name in names(tmp_path / f"{folder}.out"))  # type: ignore[misc]
            wait_until(lambda: not daemon.said()["jobs"]["waiting"])
            assert service.total() == 5, "each of them once"
        finally:
            daemon.close()


@pytest.mark.parametrize(("original", "also"), [("done", False), ("keep", True)])
def test_what_has_made_a_call_is_not_done_again_by_the_rule_under_its_new_name(
    tmp_path: Path, original: str, *, also: bool
) -> None:
    """It was renamed, and does something else, while Paperchute was dead."""
    with counting_service() as service:
        head = f'version = 1\n[service]\nbase_url = "{service.url}"\napi_key = "env:PAPERCHUTE_TEST_KEY"\n'
        fate = f'original = "{original}"'
        second = rule("Second", "a", f'output = "second/{{stem}}.{{ext}}"\n{fate}') if also else ""
        begun = rule("Before", "a", f"retries = 3\n{fate}\nalso = {str(also).lower()}")
        daemon = Paperchute(tmp_path, head + begun + second)
        write_pdf(tmp_path / "a" / "letter.pdf", "Dear Ada")
        service.slow = 20.0
        daemon.start()
        try:
            wait_until(lambda: service.total() == 1 + also)
            daemon.kill()
            service.slow = 0.0
            renamed = begun.replace("Before", "After").replace("pdf-to-markdown", "pdf-to-txt")
            daemon.rules.write_text(head + renamed + second, "utf-8")
            for _ in range(1 + (original == "keep")):  # what is kept is looked at again by the next one
                done = daemon.run("run", "--once")
                assert done.returncode == 0, done.stdout + done.stderr
        finally:
            daemon.close()
        assert names(tmp_path / "a.out") == ["letter.md"]
        assert names(tmp_path / "second") == ["letter.md"] * also
        assert service.total() == 2 + 2 * also, "what had no answer is asked for once more"
        assert names(tmp_path / ("a.done" if original == "done" else "a")) == ["letter.pdf"]
        assert [job["rule"] for job in daemon.json("jobs")] == ["Second", "Before"][1 - also :]


def test_a_missing_template_is_a_mistake_of_its_rule_alone_and_its_work_waits(daemon: Paperchute) -> None:
    template = daemon.folder / "page.html"
    rule = '[[rule]]\nname = "Page"\nfolder = "c"\noperation = "pdf-generate"\n'
    rule += 'parameters = { templateFile = "page.html" }\n'
    daemon.rules.write_text(RULES + rule + SECOND, "utf-8")
    wait_until(lambda: f"rule 'Page': there is no file {template}" in errors(daemon))
    works(daemon, "b", "of the rule behind it")
    (daemon.folder / "c" / "data.json").write_text('{"name": "Ada"}', "utf-8")
    wait_until(lambda: daemon.said()["jobs"]["waiting"] == 1)
    assert names(daemon.folder / "c") == ["data.json"]
    template.write_text("<p>{{ name }}</p>", "utf-8")
    wait_until(lambda: names(daemon.folder / "c.out") == ["data.pdf"])
    wait_until(lambda: errors(daemon) == "")
    template.rename(daemon.folder / "renamed.html")
    (daemon.folder / "c" / "more.json").write_text('{"name": "Bob"}', "utf-8")
    wait_until(lambda: daemon.said()["jobs"]["waiting"] == 1)
    daemon.rules.write_text(RULES + rule.replace("page.html", "renamed.html"), "utf-8")
    wait_until(lambda: "more.pdf" in names(daemon.folder / "c.out"))
