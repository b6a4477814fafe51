"""Undoing: the tree is as it was before the drop, whole or not at all, wherever it is cut off."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paperchute
from paperchute.files.names import OWN_TEMPORARY
from paperchute.jobs.model import Job, NewJob
from paperchute.jobs.undo import trash as trash_module
from paperchute.jobs.undo.assessment import CannotUndo, assess
from paperchute.jobs.undo.execution import carry_on, carry_out
from paperchute.jobs.undo.trash import Trash
from tests.jobs.bench import Bench
from tests.jobs.conftest import made_bench
from tests.jobs.interrupted import Crash
from tests.jobs.makers import make_rule, new_job, set_job
from tests.systems import largest_file, posix

TWO = (("1.md", b"one"), ("2.md", b"two"))


@pytest.fixture(autouse=True)
def bin_(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The desktop's trash."""
    place = tmp_path_factory.mktemp("bin")

    def send(path: str) -> None:
        old = Path(path)
        old.rename(place / f"{len(list(place.iterdir()))}-{old.name}")

    monkeypatch.setattr(trash_module, "send2trash", send)
    return place


def done(bench: Bench, path: Path, **rule: Any) -> Job:
    return finished(bench, bench.run(path, **rule).job)


def finished(bench: Bench, job: Job) -> Job:
    found = bench.journal.queries.job(job.id)
    assert found is not None
    return found


def undo(bench: Bench, job: Job) -> None:
    carry_out(bench.journal, assess(bench.journal, finished(bench, job)), trash(bench))


def trash(bench: Bench) -> Trash:
    return Trash(bench.hot.parent / "state" / "trash")


def taken_again(bench: Bench, job: Job) -> bool:
    """Whether the watcher's report of what came back makes a job."""
    new = new_job(job.rule, job.path)
    return bench.journal.inserts.open_job(new) is not None


def test_the_tree_is_as_before_and_nothing_is_taken_again(bench: Bench, bin_: Path) -> None:
    path = bench.drop("sub/a.pdf", b"%PDF one")
    before = bench.tree()
    job = done(bench, path, recursive=True)
    undo(bench, job)
    assert bench.tree() == before
    assert [one.read_bytes() for one in bin_.iterdir()] == [b"# result"]
    assert finished(bench, job).state == "undone"
    assert not taken_again(bench, job)
    other = make_rule(bench.hot, name="Other", recursive=True)
    assert bench.journal.inserts.open_job(new_job(other, path)) is None, "nor by another rule"


def test_what_was_undone_is_taken_when_it_is_changed_or_asked_for(bench: Bench) -> None:
    path = bench.drop()
    job = done(bench, path)
    undo(bench, job)
    assert bench.journal.undos.release(job)
    assert not bench.journal.undos.release(job)
    assert taken_again(bench, job)
    other = done(bench, bench.drop("b.pdf"))
    undo(bench, other)
    other.path.write_bytes(b"%PDF changed")
    assert taken_again(bench, other)


def test_an_original_that_stays_is_not_done_again(bench: Bench) -> None:
    path = bench.drop()
    before = bench.tree()
    job = done(bench, path, original="keep")
    undo(bench, job)
    assert bench.tree() == before
    assert not taken_again(bench, job)


def test_results_in_a_folder_of_their_own_go_with_it(bench: Bench, bin_: Path) -> None:
    bench.service.outputs = TWO
    path = bench.drop()
    before = bench.tree()
    job = done(bench, path)
    undo(bench, job)
    assert bench.tree() == before
    assert not (bench.hot.parent / "hot.out" / "a").exists()
    (folder,) = bin_.iterdir()
    assert sorted(one.name for one in folder.iterdir()) == ["1.md", "2.md"]


def test_a_set_comes_back_whole(bench: Bench) -> None:
    for name in ("1.pdf", "2.pdf"):
        bench.drop(f"set/{name}", name.encode())
    before = bench.tree()
    job = bench.runner.run(set_job(bench.journal, bench.hot, gather="folder")).job
    assert bench.tree() != before
    undo(bench, job)
    assert bench.tree() == before
    found = finished(bench, job)
    new = NewJob(found.rule, found.path, found.relative, found.members, is_set=True)
    assert bench.journal.inserts.open_job(new) is None


@pytest.mark.parametrize("across", [False, True], ids=["renamed", "copied"])
def test_what_came_back_is_known_however_it_came(bench: Bench, monkeypatch: pytest.MonkeyPatch, across: bool) -> None:
    path = bench.drop()
    before = bench.tree()
    job = done(bench, path)
    if across:
        forbid_renames(monkeypatch, "hot.done", "hot")
    undo(bench, job)
    assert bench.tree() == before
    assert not taken_again(bench, job)


def forbid_renames(monkeypatch: pytest.MonkeyPatch, source: str, target: str) -> None:
    """Two folders on different file systems."""
    import errno
    import os

    from paperchute.files.folder import Folder

    place_new = Folder.place_new

    def refuse(folder: Folder, name: str, other: Folder, new: str) -> bool:
        if (folder.path.name, other.path.name) == (source, target):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return place_new(folder, name, other, new)

    monkeypatch.setattr(Folder, "place_new", refuse)


def test_without_a_trash_results_go_to_a_folder_of_ours(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "no trash", path)

    monkeypatch.setattr(trash_module, "send2trash", refuse)
    job = done(bench, bench.drop())
    undo(bench, job)
    assert (bench.hot.parent / "state/trash/a.md").read_bytes() == b"# result"


def change_result(bench: Bench, job: Job) -> None:
    job.outputs[0].write_bytes(b"mine")


def move_result(bench: Bench, job: Job) -> None:
    job.outputs[0].rename(bench.hot.parent / "elsewhere.md")


def change_original(bench: Bench, job: Job) -> None:
    (bench.hot.parent / "hot.done" / "a.pdf").write_bytes(b"%PDF with notes of mine")


def move_original(bench: Bench, job: Job) -> None:
    (bench.hot.parent / "hot.done" / "a.pdf").rename(bench.hot.parent / "mine.pdf")


def take_its_place(bench: Bench, job: Job) -> None:
    bench.drop("a.pdf", b"%PDF another")


def replace_result(bench: Bench, job: Job) -> None:
    done(bench, bench.drop("a.pdf", b"%PDF later"), on_conflict="replace")


def add_to_results(bench: Bench, job: Job) -> None:
    (job.outputs[0].parent / "notes.txt").write_bytes(b"mine")
    job.outputs[1].unlink()


REFUSALS: dict[Callable[[Bench, Job], None], str] = {
    change_result: "was changed since it was delivered",
    move_result: "is no longer there",
    change_original: "has been changed or removed",
    move_original: "is no longer where it was put",
    take_its_place: "Another file of the name a.pdf",
    replace_result: "Job 2 has replaced",
    add_to_results: "is no longer there",
}


@pytest.mark.parametrize("act", REFUSALS, ids=lambda act: act.__name__)
def test_what_others_changed_is_left_alone_with_the_reason(bench: Bench, act: Callable[[Bench, Job], None]) -> None:
    if act is add_to_results:
        bench.service.outputs = TWO
    job = done(bench, bench.drop(), on_conflict="replace")
    act(bench, job)
    before = bench.tree()
    with pytest.raises(CannotUndo, match=REFUSALS[act]):
        undo(bench, job)
    assert bench.tree() == before
    assert finished(bench, job).state == "done"


@pytest.mark.parametrize(
    ("rule", "reason"),
    [({"original": "delete"}, "deletes originals"), ({"shared": True}, "is shared")],
    ids=["deleted", "shared"],
)
def test_what_cannot_come_back_is_told(bench: Bench, rule: dict[str, Any], reason: str) -> None:
    job = done(bench, bench.drop(), **rule)
    with pytest.raises(CannotUndo, match=reason):
        undo(bench, job)
    assert len([name for name in bench.tree() if name.startswith("hot.out/")]) == 1


def test_others_files_among_the_results_stay(bench: Bench) -> None:
    bench.service.outputs = TWO
    path = bench.drop()
    before = bench.tree()
    job = done(bench, path)
    (job.outputs[0].parent / "notes.txt").write_bytes(b"mine")
    undo(bench, job)
    assert bench.tree() == {**before, "hot.out/a/notes.txt": b"mine"}


def test_a_chain_is_undone_from_its_end(bench: Bench) -> None:
    from paperchute.app.undoing import preview

    path = bench.drop()
    before = bench.tree()
    first = done(bench, path)
    second_hot = first.outputs[0].parent
    rule = make_rule(second_hot, name="Next")
    number = bench.journal.inserts.open_job(new_job(rule, first.outputs[0]))
    assert number is not None
    second = finished(bench, bench.again().job)
    assert second.state == "done"
    with pytest.raises(CannotUndo, match=f"Job {second.id} has taken"):
        undo(bench, first)
    found = preview(bench.journal, bench.journal.undos.candidates())
    assert [one.jobs[0].id for one in found.undos] == [second.id, first.id]
    assert not found.left
    undo(bench, second)
    undo(bench, first)
    assert bench.tree() == before


def test_rules_on_one_file_are_undone_together(bench: Bench) -> None:
    path = bench.drop()
    before = bench.tree()
    rules = [
        make_rule(bench.hot, name=name, also=True, output=f"{bench.hot}.out/{name}/{{name}}") for name in ("One", "Two")
    ]
    news = [new_job(rule, path) for rule in rules]
    assert all(bench.journal.inserts.open_jobs(news))
    one, two = (bench.again().job for _ in rules)
    assert len(bench.tree()) == 3
    undo(bench, one)
    assert bench.tree() == before
    assert {finished(bench, job).state for job in (one, two)} == {"undone"}
    assert bench.journal.inserts.open_jobs(news) == [None, None]


# ---------- cut off anywhere ----------

_ROOM = str(Path(paperchute.__file__).parent / "jobs")


class Cut:
    """Ends the work before the n-th line of this room. tests/crash kills a process at those of others, too."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.lines = 0

    def __enter__(self) -> Cut:
        sys.settrace(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        return self._line if frame.f_code.co_filename.startswith(_ROOM) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        self.lines += event == "line"
        if self.lines == self.at and event == "line":
            sys.settrace(None)
            raise Crash
        return self._line


def cut_off(at: int, act: Callable[[], object]) -> bool:
    """Whether it came to its end before."""
    try:
        with Cut(at):
            act()
    except Crash:
        return False
    return True


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Bench]]:
    with pytest.MonkeyPatch.context():
        yield lambda: made_bench(tmp_path_factory.mktemp("world"))


_LINES = 480
"""Of the longest undoing, about; a cut behind the last line is none."""


@given(first=st.integers(1, _LINES), second=st.integers(1, _LINES), several=st.booleans(), copied=st.booleans())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_off_anywhere_it_ends_before_or_after(
    worlds: Callable[[], Bench], first: int, second: int, several: bool, copied: bool
) -> None:
    bench = worlds()
    if several:
        bench.service.outputs = TWO
    path = bench.drop()
    before = bench.tree()
    job = done(bench, path)
    after = bench.tree()
    with pytest.MonkeyPatch.context() as patch:
        if copied:
            forbid_renames(patch, "hot.done", "hot")
        found = assess(bench.journal, job)
        cut_off(first, lambda: carry_out(bench.journal, found, trash(bench)))
        cut_off(second, lambda: carry_on(bench.journal, trash(bench)))
        carry_on(bench.journal, trash(bench))
    assert bench.journal.undos.pending() == []
    events = [(one.kind, one.text) for one in bench.journal.history.events(job.id)]
    assert "not undone" not in dict(events), events
    state = finished(bench, job).state
    assert bench.tree() == (before if state == "undone" else after)
    assert not [one for one in bench.hot.parent.rglob("*") if OWN_TEMPORARY in one.name]
    if state == "undone":
        assert not taken_again(bench, job)


def test_where_it_fails_in_the_middle_everything_goes_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.service.outputs = TWO
    job = done(bench, bench.drop())
    before = bench.tree()
    found = assess(bench.journal, job)
    broken = replace(found.plan.returns[0], hashes={"": "0" * 64})
    with pytest.raises(CannotUndo, match="has been changed or removed"):
        carry_out(bench.journal, replace(found, plan=replace(found.plan, returns=(broken,))), trash(bench))
    assert bench.tree() == before
    assert (finished(bench, job).state, finished(bench, job).outputs) == ("done", job.outputs)
    assert bench.journal.history.events(job.id)[-1].kind == "not undone"
    undo(bench, job)


@posix
def test_an_original_that_finds_no_room_stays_where_it_was_put(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, bin_: Path
) -> None:
    """The copy from another disk is larger than the journal gets, so that the limit meets it alone."""
    job = done(bench, bench.drop(content=b"%PDF-1.7 %%EOF" + bytes(12_000_000)))
    before = bench.tree()
    with monkeypatch.context() as patch:
        forbid_renames(patch, "hot.done", "hot")
        with largest_file(10_000_000), pytest.raises(CannotUndo) as raised:
            undo(bench, job)
    assert raised.value.what == f"{bench.hot} cannot be used (File too large)."
    assert bench.tree() == before
    assert not list(bin_.iterdir())
    undo(bench, job)
    assert len(list(bin_.iterdir())) == 1
    assert not taken_again(bench, job)
