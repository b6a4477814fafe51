"""Links and folders that somebody planted where Paperchute writes: nothing goes through them, and work goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperchute.files import beneath
from paperchute.files.folder import Folder
from paperchute.files.names import CLAIM
from paperchute.jobs.claims import Claims
from paperchute.rules.tables import Step
from tests.jobs.bench import Bench, failing
from tests.jobs.test_claims import silence

pytestmark = pytest.mark.skipif(not hasattr(os, "symlink") or sys.platform == "win32", reason="needs symbolic links")

SOURCES = (Path(beneath.__file__).parents[2], Path(__file__).parents[2])


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of the user that nobody else may touch."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "profile").write_bytes(b"mine")
    return folder


def untouched(victim: Path) -> bool:
    return {path.name: path.read_bytes() for path in victim.iterdir()} == {"profile": b"mine"}


@pytest.mark.parametrize("sibling", ["out", "done", "failed"])
def test_a_link_in_a_sibling_is_not_followed(bench: Bench, victim: Path, sibling: str) -> None:
    beside = bench.hot.parent / f"hot.{sibling}"
    beside.mkdir()
    (beside / "sub").symlink_to(victim)
    if sibling == "failed":
        bench.service.on_call = failing("bad-input")
    outcome = bench.run(bench.drop("sub/evil.sh"), recursive=True)
    assert untouched(victim)
    assert (beside / "sub").is_symlink()
    assert outcome.kind == ("failed" if sibling == "failed" else "done")
    name = "evil.md" if sibling == "out" else "evil.sh"
    assert (beside / "sub (2)" / name).is_file()
    if sibling == "out":
        assert outcome.job.state == "warned"
        assert str(beside / "sub") in outcome.job.warnings[0]


def test_an_original_is_found_again_beside_the_link_it_did_not_go_through(bench: Bench, victim: Path) -> None:
    (bench.hot.parent / "hot.failed").mkdir()
    (bench.hot.parent / "hot.failed" / "sub").symlink_to(victim)
    bench.service.on_call = failing("bad-input")
    outcome = bench.run(bench.drop("sub/a.pdf"), recursive=True)
    bench.bring_back(outcome.job)
    assert (bench.hot / "sub" / "a.pdf").is_file()
    assert list((bench.hot.parent / "hot.failed" / "sub (2)").iterdir()) == []


def test_the_text_of_a_failure_is_not_written_through_a_link(bench: Bench, victim: Path) -> None:
    failed = bench.hot.parent / "hot.failed"
    failed.mkdir()
    for name in (".a.pdf.error.txt.paperchute~", "a.pdf.error.txt", "a.pdf.warnings.txt"):
        (failed / name).symlink_to(victim / "profile")
    bench.service.on_call = failing("bad-input")
    assert bench.run(bench.drop()).kind == "failed"
    assert untouched(victim)
    assert (failed / "a.pdf.error (2).txt").read_text().startswith("a.pdf could not be done.")


def test_a_result_does_not_go_through_what_takes_its_hidden_name(
    bench: Bench, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write to the target folder sees the hidden folder while it fills, and swaps it."""
    create = Folder.create

    def swapped(folder: Folder, name: str, mode: int = 0o666) -> object:
        if folder.path.name.endswith(".paperchute~"):
            if folder.path.is_symlink():
                folder.path.unlink()
            else:
                folder.path.rename(folder.path.with_name(f"aside-{folder.path.stat().st_ino}"))
            folder.path.symlink_to(victim)
        return create(folder, name, mode)

    monkeypatch.setattr(Folder, "create", swapped)
    bench.service.outputs = (("1.pdf", b"1"), ("profile", b"evil"), ("deep/3.pdf", b"3"))
    bench.run(bench.drop())
    assert untouched(victim)


def test_nothing_goes_through_a_folder_that_is_swapped_all_the_time(bench: Bench, victim: Path) -> None:
    out = bench.hot.parent / "hot.out"
    (out / "sub").mkdir(parents=True)
    (out / "link").symlink_to(victim)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for one, other in (("sub", "was"), ("link", "sub"), ("sub", "link"), ("was", "sub")):
                if not (out / other).is_symlink() and not (out / other).exists():
                    with contextlib.suppress(OSError):  # what is in the way, a delivery has just made
                        (out / one).rename(out / other)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(60):
            bench.service.outputs = ((f"{number}.md", b"1"), ("profile", b"evil"))[: 1 + number % 2]
            bench.run(bench.drop(f"sub/{number}.pdf", b"%%PDF %d" % number), recursive=True)
    finally:
        over.set()
        thread.join()
    assert untouched(victim)


# ---------- claims ----------


@pytest.mark.parametrize("name", [f"{CLAIM}w.back-y", f"{CLAIM}dead-00000004", f"{CLAIM}dead-00000004.back-w-00000001"])
def test_what_only_looks_like_claims_is_left_alone(bench: Bench, victim: Path, name: str) -> None:
    (bench.hot / name).symlink_to(victim)
    claims = Claims("mine-0000000a")
    for _ in range(3):
        claims.tend(bench.hot)
    assert untouched(victim)
    assert {path.name for path in bench.hot.iterdir()} == {name, f"{CLAIM}mine-0000000a"}


@pytest.mark.parametrize("heartbeat", ["none", "a link", "a folder"])
def test_a_folder_of_claims_needs_a_heartbeat_of_its_own(bench: Bench, victim: Path, heartbeat: str) -> None:
    place = bench.hot / f"{CLAIM}dead-00000004"
    place.mkdir()
    (place / "a.pdf").write_bytes(b"theirs")
    if heartbeat == "a link":
        (place / ".heartbeat").symlink_to(victim / "profile")
    elif heartbeat == "a folder":
        (place / ".heartbeat").mkdir()
    os.utime(place, (1, 1))
    os.utime(victim / "profile", (1, 1))
    Claims("mine-0000000a").tend(bench.hot)
    assert (place / "a.pdf").is_file()
    assert untouched(victim)


def test_a_link_among_the_claims_of_the_dead_is_not_followed(bench: Bench, victim: Path) -> None:
    dead = Claims("dead-00000004")
    path = bench.drop("sub/a.pdf")
    assert dead.take(bench.hot, path) is not None
    (dead.place(bench.hot) / "deep").symlink_to(victim)
    silence(dead.place(bench.hot))
    Claims("mine-0000000a").tend(bench.hot)
    assert path.is_file()
    assert untouched(victim)


def test_the_heartbeat_overwrites_nothing(bench: Bench, victim: Path) -> None:
    claims = Claims("mine-0000000a")
    place = claims.place(bench.hot)
    place.mkdir()
    (place / ".heartbeat").symlink_to(victim / "profile")
    claims.beat(bench.hot)
    claims.tend(bench.hot)
    assert untouched(victim)
    assert not (place / ".heartbeat").is_symlink()


def test_a_claim_does_not_go_through_a_link(bench: Bench, victim: Path) -> None:
    claims = Claims("mine-0000000a")
    claims.beat(bench.hot)
    (claims.place(bench.hot) / "sub").symlink_to(victim)
    with pytest.raises(OSError, match="link"):
        claims.take(bench.hot, bench.drop("sub/a.pdf"))
    (bench.hot / "other").symlink_to(victim)
    assert claims.take(bench.hot, bench.hot / "other" / "profile") is None
    assert untouched(victim)


# ---------- other users ----------


@pytest.fixture
def common(victim: Path) -> Iterator[Path]:
    """A folder that everybody can write to, without the sticky bit."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to be two other users")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    if act(1001, "link", folder / "probe", folder).returncode:
        shutil.rmtree(folder)
        pytest.skip("another user cannot run this Python")
    yield folder
    shutil.rmtree(folder)


def act(user: int, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.jobs.as_user", *map(str, words)],
        user=user,
        group=user,
        extra_groups=[],
        env={"PYTHONPATH": os.pathsep.join(map(str, SOURCES)), "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_sibling_that_another_user_planted_is_refused_with_a_sentence(common: Path) -> None:
    (common / "home").mkdir()
    os.chown(common / "home", 1000, 1000)
    assert act(1001, "link", common / "hot.failed", common / "home").returncode == 0
    refused = act(1000, "write", common / "hot.failed")
    assert "belongs to another user (number 1001)" in refused.stderr
    assert list((common / "home").iterdir()) == []


def test_a_job_whose_results_would_go_through_a_planted_sibling_fails_with_that_sentence(bench: Bench) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to give a link to another user")
    (bench.hot.parent / "home").mkdir()
    (bench.hot.parent / "hot.out").symlink_to("home")
    os.chown(bench.hot.parent / "hot.out", 1001, 1001, follow_symlinks=False)
    bench.hot.parent.chmod(0o777)
    outcome = bench.run(bench.drop())
    assert outcome.kind == "failed"
    assert "belongs to another user (number 1001)" in (outcome.job.error or "")
    assert list((bench.hot.parent / "home").iterdir()) == []


@pytest.mark.parametrize("owner", [0, 1000])
def test_a_link_of_one_s_own_or_of_root_leads_on(common: Path, owner: int) -> None:
    (common / "home").mkdir()
    os.chown(common / "home", 1000, 1000)
    assert act(owner, "link", common / "hot.failed", common / "home").returncode == 0
    done = act(1000, "write", common / "hot.failed")
    assert (common / "home" / "text").is_file(), done.stderr


def test_another_user_s_folder_under_our_name_gets_no_heartbeat(common: Path) -> None:
    hot, mine = common / "hot", common / "mine"
    for folder in (hot, mine):
        folder.mkdir()
        folder.chmod(0o777)
    (mine / "profile").write_bytes(b"mine")
    os.chown(mine / "profile", 1000, 1000)
    assert act(1001, "claims", hot / f"{CLAIM}mine-0000000a", mine / "profile").returncode == 0
    assert "another user's folder" in act(1000, "tend", hot).stderr
    assert (mine / "profile").read_bytes() == b"mine"


def test_no_private_folder_is_emptied_into_a_shared_one(common: Path) -> None:
    hot, private = common / "hot", common / "private"
    hot.mkdir()
    hot.chmod(0o777)
    private.mkdir(mode=0o700)
    (private / "secret.pdf").write_bytes(b"mine")
    os.utime(private, (1, 1))
    for path in (private, private / "secret.pdf"):
        os.chown(path, 1000, 1000)
    for name in (f"{CLAIM}w.back-y", f"{CLAIM}dead-00000004.back-w-00000001"):
        assert act(1001, "link", hot / name, private).returncode == 0
    assert act(1000, "tend", hot).returncode == 0
    assert (private / "secret.pdf").is_file()
    assert not (hot / "secret.pdf").exists()


def test_a_link_that_the_rule_s_author_made_is_the_folder_of_results(bench: Bench, tmp_path: Path) -> None:
    """The folder itself, or the one above it; what lies below is another matter."""
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "Invoices").symlink_to(disk)
    table = bench.drop("May.csv", b"number\n1\n2\n")
    rule = {"gather": "rows", "steps": (Step("pdf-generate", {"template": "<p>"}),), "match": ("*.csv",)}
    bench.service.outputs = (("result.pdf", b"%PDF"),)
    assert bench.run(table, output="Invoices/{row.number}.{ext}", **rule).job.state == "done"
    assert bench.run(bench.drop("a.csv", b"number\n3\n4\n"), output="Invoices/{date:%Y}/{row.number}.{ext}", **rule)
    found = sorted(path.relative_to(disk).as_posix() for path in disk.rglob("*.pdf"))
    assert [Path(name).name for name in found] == ["1.pdf", "2.pdf", "3.pdf", "4.pdf"]
    assert (tmp_path / "Invoices").is_symlink()
