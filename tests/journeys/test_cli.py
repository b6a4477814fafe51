"""The command line: exit codes, sentences, JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pikepdf
import pytest

from paperchute.contract import contract
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import page_count, words_of, write_pdf

RULES = 'version = 1\n[[rule]]\nname = "Read"\nfolder = "hot"\noperation = "pdf-to-markdown"\n'


@pytest.fixture
def cli(tmp_path: Path) -> Paperchute:
    return Paperchute(tmp_path, RULES)


def test_check_is_content_with_a_good_file_and_2_with_a_bad_one(cli: Paperchute) -> None:
    assert cli.run("check").returncode == 0
    cli.rules.write_text(RULES.replace("operation", "operatoin"), "utf-8")
    for verb in (["check"], ["run", "--once"], ["run", "--headless"]):
        done = cli.run(*verb)
        assert done.returncode == 2
        assert "rules.toml:5:1: rule 'Read': there is no key 'operatoin' here. Did you mean operation?" in done.stderr
        assert "Traceback" not in done.stderr


def test_an_unknown_verb_or_option_is_2(cli: Paperchute) -> None:
    assert cli.run("nonsense").returncode == 2
    assert cli.run("run", "--nonsense").returncode == 2


def test_explain_says_why(cli: Paperchute, tmp_path: Path) -> None:
    taken = cli.run("explain", str(tmp_path / "hot" / "a.pdf"))
    assert taken.returncode == 0
    assert "takes it" in taken.stdout
    assert str(tmp_path / "hot.out" / "a") in taken.stdout
    assert "No rule takes it." in cli.run("explain", str(tmp_path / "hot" / "a.doc")).stdout


def test_status_and_jobs_before_anything_ran(cli: Paperchute) -> None:
    assert cli.json("status")["running"] is False
    assert cli.json("jobs") == []
    assert "not running" in cli.run("status").stdout


def test_jobs_show_a_results_whole_path_however_narrow_the_terminal(cli: Paperchute, tmp_path: Path) -> None:
    cli.environment["COLUMNS"] = "40"
    (tmp_path / "hot").mkdir()
    write_pdf(tmp_path / "hot" / "a.pdf", "One")
    assert cli.run("run", "--once").returncode == 0
    assert f"    {tmp_path / 'hot.out' / 'a'}" in cli.run("jobs").stdout


def test_operations_come_from_the_contract(cli: Paperchute) -> None:
    known = {operation["id"] for operation in cli.json("operations")}
    ours = {operation.id for operation in contract().all_operations if operation.is_ours}
    assert len(known - ours) == 46, "45 of the processing interface and the upload interface"
    assert ours <= known
    assert "document-upload" in known
    found = json.loads(cli.run("operations", "pdf-merge", "--json").stdout)
    assert "filePageRanges" in [p["name"] for p in found["parameters"]]
    assert "Did you mean pdf-merge?" in cli.run("operations", "pdf-merg").stderr


def test_do_works_on_files_at_once(cli: Paperchute, tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "One")
    write_pdf(tmp_path / "b.pdf", "Two")
    done = cli.run("do", "pdf-merge", str(tmp_path / "a.pdf"), str(tmp_path / "b.pdf"), "-o", str(tmp_path / "c.pdf"))
    assert done.returncode == 0, done.stderr
    assert page_count(tmp_path / "c.pdf") == 2
    assert cli.run("do", "pdf-to-markdown", str(tmp_path / "a.pdf"), "-p", "pageRanges=9").returncode == 1
    assert cli.run("do", "pdf-to-markdown", str(tmp_path / "a.pdf"), "-p", "pageRnges=9").returncode == 2
    assert cli.run("do", "pdf-to-markdown", str(tmp_path / "none.pdf")).returncode == 2
    refused = cli.run("do", "pdf-encrypt", str(tmp_path / "a.pdf"), "-p", "userPassword=hunter2-secret")
    assert refused.returncode == 2
    assert "hunter2-secret" not in refused.stderr
    locked = cli.run("do", "pdf-encrypt", str(tmp_path / "a.pdf"), "-p", "userPassword=env:PAPERCHUTE_TEST_KEY")
    assert locked.returncode == 0
    with pytest.raises(pikepdf.PasswordError):
        page_count(tmp_path / "a (2).pdf")


def test_init_makes_a_first_rule_file_and_never_overwrites(cli: Paperchute, tmp_path: Path) -> None:
    cli.rules.unlink()
    done = cli.run("init", "--folder", str(tmp_path / "Hot"))
    assert done.returncode == 0, done.stderr
    assert cli.run("check").returncode == 0
    assert (tmp_path / "Hot" / "markdown").is_dir()
    before = cli.rules.read_bytes()
    assert cli.run("init").returncode == 2
    assert cli.rules.read_bytes() == before


def test_init_asks_a_person_little_and_a_program_nothing(cli: Paperchute, tmp_path: Path) -> None:
    cli.rules.unlink()
    terminal, answers = pytest.importorskip("pty").openpty()
    process = subprocess.Popen(
        cli.command("init"), env=cli.environment, stdin=answers, stdout=subprocess.PIPE, text=True
    )
    os.write(terminal, f"{tmp_path}/My Hot\nn\nn\nn\nn\nn\n\nn\ny\n\n".encode())
    said = process.communicate(timeout=120)[0]
    os.close(terminal)
    os.close(answers)
    assert process.returncode == 0, said
    text = cli.rules.read_text("utf-8")
    assert [line["name"] for line in tomllib.loads(text)["rule"]] == ["Web pages to PDF", "Lock"]
    assert '# name = "Read PDFs"' in text
    assert (tmp_path / "My Hot" / "lock").is_dir()
    cli.rules.unlink()
    assert cli.run("init", "--yes", "--folder", str(tmp_path / "Hot")).returncode == 0
    assert len(tomllib.loads(cli.rules.read_text("utf-8"))["rule"]) == 7


def test_rules_are_added_switched_and_removed_with_all_else_as_it_was(cli: Paperchute) -> None:
    before = "# mine\n" + RULES.replace("\n", "\r\n")
    real = cli.folder / "dotfiles.toml"
    cli.rules.unlink()
    real.write_text(before, "utf-8", newline="")
    cli.rules.symlink_to(real)
    done = cli.run(
        "rule", "add", "Lock", "--folder", "lock", "--operation", "html-to-pdf", "--operation", "pdf-encrypt",
        "-p", "userPassword=env:PW", "--set", "retries=2", "--set", "match=*.html",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    added = real.read_bytes().decode()
    assert added.startswith(before)
    assert cli.rules.is_symlink()
    assert "Lock" in cli.run("rule", "list").stdout
    assert cli.run("check").returncode == 0
    for wrong, said in (
        (["Lock", "--folder", "x", "--operation", "html-to-pdf"], "already has this name"),
        (["X", "--folder", "x", "--operation", "html-to-pfd"], "Did you mean html-to-pdf?"),
        (["X", "--folder", "x", "--operation", "html-to-pdf", "--set", "retires=2"], "Did you mean retries?"),
        (["X", "--folder", "x", "--operation", "pdf-encrypt", "-p", "userPassword=hunter2"], "must not be written"),
        (["X", "--folder", "x", "--operation", "html-to-pdf", "--operation", "pdf-encrypt", "-p", "a=1"], "Which step"),
        (["X", "--folder", "x", "--operation", "pdf-to-ofd"], "engine does not do pdf-to-ofd yet"),
        (["X", "--folder", "x", "--operation", "pdf-generate", "-p", "templateFile=t.html"], "there is no file"),
        (["X", "--folder", "x", "--operation", "pdf-to-word"], "Did you mean pdf-to-docx?"),
    ):
        refused = cli.run("rule", "add", *wrong)
        assert refused.returncode == 2
        assert said in refused.stderr
        assert "hunter2" not in refused.stderr
        assert real.read_bytes().decode() == added
    assert cli.run("rule", "off", "Read").returncode == 0
    assert "off" in cli.run("rule", "list").stdout
    assert cli.run("rule", "on", "Read").returncode == 0
    assert cli.run("rule", "remove", "Lock").returncode == 0
    assert real.read_text("utf-8").rstrip("\n") == before.replace("\r\n", "\n").rstrip("\n")
    assert cli.run("rule", "remove", "Lock").returncode == 2


def test_an_unreachable_service_is_3(cli: Paperchute, tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "One")
    service = '[service]\nbase_url = "http://127.0.0.1:9"\napi_key = "env:PAPERCHUTE_TEST_KEY"\n'
    cli.rules.write_text(RULES.replace("[[rule]]", service + "[[rule]]"), "utf-8")
    assert cli.run("do", "pdf-to-markdown", str(tmp_path / "a.pdf")).returncode == 3


def test_serve_prints_its_address_and_wants_a_key(cli: Paperchute) -> None:
    assert cli.run("serve").returncode == 2
    environment = {**cli.environment, "PAPERCHUTE_API_KEY": "k"}
    process = subprocess.Popen(cli.command("serve"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["base_url"].startswith("http://127.0.0.1:")
    finally:
        process.terminate()
        process.wait(120)
        process.stdout.close()  # type: ignore[union-attr]


def test_the_demo_does_what_it_says(cli: Paperchute, tmp_path: Path) -> None:
    done = cli.run("demo", str(tmp_path / "Demo here"))
    assert re.search(r"opens with: [\w-]{10,}", done.stdout), "it is there to be tried"
    assert done.returncode == 0, done.stdout + done.stderr
    demo = tmp_path / "Demo here"
    report = demo / "markdown.out" / "quarterly-report"
    assert names(report) == ["images/quarterly-report-1-1.png", "quarterly-report.md"]
    assert "Revenue by region" in (report / "quarterly-report.md").read_text("utf-8")
    assert page_count(demo / "bundles.out" / "Offer 2026-17.pdf") == 3
    assert names(demo / "invoices.out") == ["invoice-data.pdf"]
    assert names(demo / "excel.out") == ["quarterly-report.xlsx"]
    assert "the prices hold until the end of january" in words_of(demo / "scans.out" / "scan.pdf").lower()
    assert names(demo / "lock.out") == ["contract (locked).pdf"]
    assert names(demo / "markdown.failed") == ["damaged.pdf", "damaged.pdf.error.txt"]
    assert "markdown.out/" in done.stdout
    assert "images" not in done.stdout  # the folder is the result


def test_without_a_screen_the_daemon_says_so_in_one_line_and_works(cli: Paperchute, tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    write_pdf(tmp_path / "hot" / "a.pdf", "No screen")
    environment = {k: v for k, v in cli.environment.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
    process = subprocess.Popen(
        cli.command("run"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "runs without a tray icon" in line
        wait_until(lambda: names(tmp_path / "hot.out") == ["a.md"])
        process.terminate()
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
