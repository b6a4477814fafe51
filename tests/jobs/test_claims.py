"""Claims in shared hot folders: one owner for each file, and nothing stays with the dead."""

from __future__ import annotations

import multiprocessing
import os
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from paperchute.files.names import CLAIM, is_private
from paperchute.jobs.claims import LEASE_SECONDS, Claims, node_of
from paperchute.jobs.journal import Journal
from tests.jobs.makers import make_rule, new_job


@pytest.fixture
def hot(tmp_path: Path) -> Path:
    folder = tmp_path / "hot"
    folder.mkdir()
    return folder


def drop(hot: Path, name: str) -> Path:
    path = hot / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode())
    return path


def silence(place: Path) -> None:
    """As if the owner's last heartbeat were long ago."""
    long_ago = time.time() - 2 * LEASE_SECONDS
    os.utime(place / ".heartbeat", (long_ago, long_ago))


def test_a_claimed_file_is_out_of_everybodys_sight(hot: Path) -> None:
    one, other = Claims("one-00000001"), Claims("other-00000002")
    path = drop(hot, "sub/a.pdf")
    claimed = one.take(hot, path)
    assert claimed is not None
    assert claimed.read_bytes() == b"sub/a.pdf"
    assert not path.exists()
    assert other.take(hot, path) is None
    assert is_private(claimed.relative_to(hot).parts[0])


def test_a_second_file_of_the_name_waits_until_the_first_is_done(hot: Path) -> None:
    claims = Claims("one-00000001")
    assert claims.take(hot, drop(hot, "a.pdf")) is not None
    assert claims.take(hot, drop(hot, "a.pdf")) is None
    assert (hot / "a.pdf").exists()


def test_the_living_keep_their_claims_and_the_dead_lose_theirs(hot: Path) -> None:
    living, dead, survivor = Claims("living-00000003"), Claims("dead-00000004"), Claims("survivor-00000005")
    for claims, name in ((living, "kept.pdf"), (dead, "a.pdf"), (dead, "deep/b.pdf")):
        assert claims.take(hot, drop(hot, name)) is not None
    (dead.place(hot) / "set").mkdir()
    drop(dead.place(hot), "set/1.pdf")
    drop(hot, "a.pdf")  # a new one has come meanwhile: neither replaces the other
    silence(dead.place(hot))
    survivor.tend(hot)
    assert living.place(hot).is_dir()
    assert not list(hot.glob(f"{CLAIM}dead*"))
    back = {path.relative_to(hot).as_posix() for path in hot.rglob("*.pdf") if CLAIM not in str(path)}
    assert back == {"a.pdf", "a (2).pdf", "deep/b.pdf", "set/1.pdf"}


def test_a_late_riser_finds_its_inputs_gone(hot: Path) -> None:
    sleeper, survivor = Claims("sleeper-00000006"), Claims("survivor-00000005")
    claimed = sleeper.take(hot, drop(hot, "a.pdf"))
    assert claimed is not None
    silence(sleeper.place(hot))
    survivor.tend(hot)
    assert not claimed.exists()
    assert survivor.take(hot, hot / "a.pdf") is not None
    sleeper.tend(hot)  # and it goes on as before, with a folder of its own
    assert sleeper.take(hot, drop(hot, "b.pdf")) is not None


def test_a_return_that_was_cut_off_is_completed_by_whoever_comes(hot: Path) -> None:
    half = hot / f"{CLAIM}dead-00000004.back-survivor-00000005"
    drop(half, "a.pdf")
    drop(half, ".heartbeat")
    Claims("another-00000007").tend(hot)
    assert (hot / "a.pdf").exists()
    assert not half.exists()


def test_after_a_crash_only_what_no_job_knows_goes_back(tmp_path: Path, hot: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    claims = Claims(node_of(journal))
    assert node_of(journal) == node_of(journal)
    known, unknown = (claims.take(hot, drop(hot, name)) for name in ("known.pdf", "unknown.pdf"))
    assert known is not None
    assert unknown is not None
    rule = make_rule(hot, shared=True)
    assert journal.inserts.open_job(new_job(rule, known)) is not None
    claims.restore(hot, journal.queries.open_paths())
    assert known.exists()
    assert (hot / "unknown.pdf").exists()


def test_a_folder_without_claims_is_left_as_it_is(hot: Path) -> None:
    Claims("one-00000001").tend(hot)
    assert list(hot.iterdir()) == []


def _grab(hot: Path, node: str, start: Barrier, won: multiprocessing.Queue[tuple[str, list[str]]]) -> None:
    claims = Claims(node)
    start.wait()
    mine = [path.name for path in sorted(hot.glob("*.pdf")) if claims.take(hot, path) is not None]
    won.put((node, mine))


def test_of_many_processes_exactly_one_gets_each_file(hot: Path) -> None:
    names = [f"{number:03}.pdf" for number in range(300)]
    for name in names:
        drop(hot, name)
    context = multiprocessing.get_context("spawn")
    won: multiprocessing.Queue[tuple[str, list[str]]] = context.Queue()
    start = context.Barrier(4)
    processes = [context.Process(target=_grab, args=(hot, f"node-{number:08}", start, won)) for number in range(4)]
    for process in processes:
        process.start()
    taken = [name for _ in processes for name in won.get(timeout=120)[1]]
    for process in processes:
        process.join(120)
    assert sorted(taken) == names
