"""Publishing: what lies ready under a hidden name appears, over nothing but our own unchanged results.

Each name is in the journal before the rename to it, so that a crash at any moment is completed by the next start.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from paperchute.files import beneath, copies, placement
from paperchute.files.folder import Folder
from paperchute.files.names import listed
from paperchute.jobs import delivery, folder_merge
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import DeliveryPlan, Job, Move, Written
from paperchute.language import _, ngettext

_NAMED = 5  # of many paths in a warning, which is one line


@dataclass(frozen=True)
class Delivered:
    """What a publication has put in place."""

    written: tuple[Written, ...] = ()
    """The files, as the journal remembers them."""
    note: str | None = None
    """For the job's history."""

    @property
    def outputs(self) -> list[Path]:
        """The files in place."""
        return [one.path for one in self.written]


def publish(journal: Journal, job: Job, plan: DeliveryPlan) -> Delivered:
    """Put the planned outputs in place; also completes a plan that a crash interrupted.

    Raises OSError; the plan then stands and is taken up again.
    """
    publisher = _Publisher(journal, job, plan)
    return publisher.folder() if plan.is_folder else publisher.file()


class _Publisher:
    def __init__(self, journal: Journal, job: Job, plan: DeliveryPlan) -> None:
        self._journal = journal
        self._job = job
        self._plan = plan
        self._conflict = job.rule.on_conflict
        self._wanted = plan.wanted or plan.final

    # ---------- one file ----------

    def file(self) -> Delivered:
        plan = self._plan
        with delivery.target(self._job, plan) as (folder, hidden):
            if folder.status(hidden) is None:
                self._make_sure()
                return self._delivered({plan.final: ("", self._wanted)})  # published just before a crash
            for candidate in placement.numbered(self._wanted):
                there = folder.status(candidate.name) is not None
                taken = there or self._is_alike(candidate)
                if taken and candidate == self._wanted and self._conflict == "skip":
                    return self._skipped([candidate])
                over = there and self._conflict == "replace" and self._is_own(folder, candidate, self._wanted)
                if taken and not over:
                    continue
                if self._conflict == "replace" and candidate != self._wanted:
                    self._warn_beside([(self._wanted, candidate)])
                self._plan_again(replace(self._plan, final=candidate))
                if over:
                    folder.place_over(hidden, folder, candidate.name)
                elif not folder.place_new(hidden, folder, candidate.name):
                    continue  # taken this very moment
                return self._delivered({candidate: ("", self._wanted)})
        raise AssertionError("numbered() never ends")

    # ---------- several ----------

    def folder(self) -> Delivered:
        with delivery.target(self._job, self._plan) as (folder, hidden):
            if folder.status(hidden) is None:
                self._make_sure()
                return self._published()
            if self._plan.moves is not None:
                return self._merged(folder, hidden)
            if self._plan.is_pair:
                return self._paired(folder, hidden)
            for candidate in placement.numbered(self._wanted):
                self._plan_again(replace(self._plan, final=candidate))
                if folder.place_new(hidden, folder, candidate.name):
                    if self._conflict == "replace" and candidate != self._wanted:
                        self._warn_beside([(self._wanted, candidate)])
                    return self._delivered(self._whole(candidate))
                if (decision := self._decided(folder, candidate)) is not None:
                    self._tell(candidate, decision)
                    self._plan_again(replace(self._plan, moves=tuple(decision.moves)))
                    return self._merged(folder, hidden)
                if self._conflict == "skip":
                    return self._skipped([candidate])
        raise AssertionError("numbered() never ends")

    def _paired(self, folder: Folder, hidden: str) -> Delivered:
        """Put a result and the file about it into a folder side by side: one number, where either name is taken."""
        first, about = self._plan.hashes
        names = {first: self._wanted / first, about: self._wanted / about}
        for candidate in placement.numbered(names[first]):
            places = {first: candidate, about: candidate.with_name(candidate.stem + ".json")}
            taken = {name for name, place in places.items() if self._is_taken(folder, place)}
            if taken and candidate == names[first] and self._conflict == "skip":
                return self._skipped([places[name] for name in names if name in taken])
            is_ours = self._conflict == "replace" and all(
                self._is_own(folder, places[name], names[name]) for name in taken
            )
            if taken and not is_ours:
                continue
            if self._conflict == "replace" and candidate != names[first]:
                self._warn_beside([(names[first], candidate)])
            moves = tuple(Move(name, place.name, name in taken) for name, place in places.items())
            self._plan_again(replace(self._plan, moves=moves))
            return self._merged(folder, hidden)
        raise AssertionError("numbered() never ends")

    def _is_taken(self, folder: Folder, place: Path) -> bool:
        return folder.status(place.name) is not None or self._is_alike(place)

    def _make_sure(self) -> None:
        """Raise OSError where nothing lies ready and nothing was published: a share has gone in between."""
        if not delivery.is_whole(self._job, self._plan):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._plan.temporary))

    def _published(self) -> Delivered:
        """Return what a crash interrupted after the last rename, or somebody took away the rest of."""
        plan = self._plan
        if plan.moves is None:
            return self._delivered(self._whole(plan.final))
        places = {plan.final / move.target: (move.name, self._wanted / move.name) for move in plan.moves}
        return self._delivered({place: one for place, one in places.items() if os.path.lexists(place)})

    def _decided(self, folder: Folder, candidate: Path) -> folder_merge.Decision | None:
        """How the results go into what is at `candidate`; None when they cannot."""
        plan = self._plan
        try:
            with self._entered(folder, candidate) as top:

                def is_own(place: PurePosixPath, name: PurePosixPath) -> bool:
                    try:
                        with top.below(place.parts[:-1]) as inner:
                            return self._is_own(inner, candidate / place, self._wanted / name)
                    except (FileNotFoundError, NotADirectoryError):
                        return False

                return folder_merge.decide(top, list(plan.hashes), plan.documents, self._conflict, is_own)
        except NotADirectoryError:
            return None

    def _entered(self, folder: Folder, place: Path) -> AbstractContextManager[Folder]:
        """The folder at `place`, in `folder`; made where somebody has just taken it away.

        One that the rule's author named may be a link, as all folders that are configured.
        """
        if self._plan.is_pair:
            return nullcontext(folder)
        if delivery.is_configured(self._job, place):
            return beneath.opened(place, make=True)
        return folder.child(place.name, make=True, mode=delivery.privacy(self._job).folder_mode)

    def _merged(self, folder: Folder, hidden: str) -> Delivered:
        """Carry out the moves of the plan, of which some may have been carried out before a crash."""
        found: dict[Path, tuple[str, Path]] = {}
        left = []
        mode = delivery.privacy(self._job).folder_mode
        assert self._plan.moves is not None
        with (
            folder.child(hidden) as source,
            self._entered(folder, self._plan.final) as target,
        ):
            for index, move in enumerate(self._plan.moves):
                place = self._moved(source, target, index, move, mode)
                if place is None:
                    left.append(self._plan.final / move.target)
                else:
                    found[place] = (move.name, self._wanted / move.name)
        if left:
            self._warn_skipped(left)
        return self._delivered(found)

    def _moved(self, source: Folder, target: Folder, index: int, move: Move, mode: int) -> Path | None:
        """Carry out one move; where its result is. None when somebody has taken the name and the rule says skip."""
        parts = PurePosixPath(move.name).parts
        with source.below(parts[:-1]) as old:
            if old.status(parts[-1]) is None:
                return self._plan.final / move.target  # before a crash
            place = PurePosixPath(move.target)
            with target.room_for(place.parts[:-1], mode) as new:
                if move.copied and delivery.is_file(new, place.name, self._plan.hashes[move.name]):
                    old.unlink(parts[-1])  # in place before a crash
                    return new.path / place.name
                for candidate in placement.numbered(new.path / place.name):
                    own = move.over and self._is_own(new, candidate, self._wanted / move.name)
                    if not own and new.status(candidate.name) is not None:
                        if self._conflict == "skip":
                            return None
                        continue
                    if candidate != self._plan.final / move.target:
                        move = self._plan_move(index, move, candidate)
                    try:
                        placed = _put(old, parts[-1], new, candidate.name, over=own)
                    except OSError as error:
                        if error.errno != errno.EXDEV:
                            raise
                        self._change_move(index, replace(move, copied=True))
                        placed = self._copied(old, parts[-1], new, candidate.name, over=own)
                    if placed:
                        return candidate
        raise AssertionError("numbered() never ends")

    def _copied(self, old: Folder, name: str, new: Folder, target: str, *, over: bool) -> bool:
        """Put a result into a folder on another file system: by a hidden copy. False for a name taken."""
        copy = placement.temporary_name(f"{self._job.token}-copy")
        new.remove(copy)
        copies.copy(old, name, new, copy)
        if not _put(new, copy, new, target, over=over):
            new.remove(copy)
            return False
        old.unlink(name)
        return True

    def _plan_move(self, index: int, move: Move, candidate: Path) -> Move:
        """Another name for one result: its own was taken after all moves had been planned."""
        if self._conflict == "replace":
            self._warn_beside([(self._plan.final / move.target, candidate)])
        move = replace(move, target=candidate.relative_to(self._plan.final).as_posix())
        self._change_move(index, move)
        return move

    def _change_move(self, index: int, move: Move) -> None:
        assert self._plan.moves is not None
        moves = (*self._plan.moves[:index], move, *self._plan.moves[index + 1 :])
        self._plan_again(replace(self._plan, moves=moves))

    # ---------- what is ours, what is said, what is written down ----------

    def _is_own(self, folder: Folder, path: Path, wanted: Path) -> bool:
        """Tell whether the file at `path` is what this rule wrote there for the very output `wanted`, and unchanged."""
        written = self._journal.plans.written(path)
        if written is None or (written.rule, written.wanted) != (self._job.rule.name, wanted):
            return False
        before = folder.key(path.name)
        return before is not None and folder.hash(path.name) == written.sha256 and folder.key(path.name) == before

    def _is_alike(self, path: Path) -> bool:
        """Decide whether a result of ours and one at `path` would be one file where letter case does not count."""
        return any(os.path.lexists(other) for other in self._journal.plans.written_alike(path))

    def _plan_again(self, plan: DeliveryPlan) -> None:
        if plan != self._plan:
            self._journal.plans.plan_delivery(self._job, plan)
            self._plan = plan

    def _whole(self, final: Path) -> dict[Path, tuple[str, Path]]:
        return {final / name: (name, self._wanted / name) for name in self._plan.hashes}

    def _delivered(self, places: Mapping[Path, tuple[str, Path]]) -> Delivered:
        """places: by path which result is there, and where it was asked for.

        A document comes before the pictures in the folders below it, and a result before the file about it: the first
        one is what is opened and shown.
        """
        job, order = self._job, list(self._plan.hashes) if self._plan.is_pair else []

        def rank(place: tuple[Path, tuple[str, Path]]) -> tuple[int, int, Path]:
            return len(place[0].parts), order.index(place[1][0]) if order else 0, place[0]

        return Delivered(
            tuple(
                Written(path, self._plan.hashes.get(name, ""), job.rule.name, wanted, job.id, _size(path))
                for path, (name, wanted) in sorted(places.items(), key=rank)
            )
        )

    def _tell(self, candidate: Path, decision: folder_merge.Decision) -> None:
        if decision.skipped:
            self._warn_skipped([candidate / place for place in decision.skipped])
        if decision.beside:
            self._warn_beside([(candidate / place, candidate / beside) for place, beside in decision.beside])

    def _skipped(self, places: Sequence[Path]) -> Delivered:
        # What was built goes when the job ends: as long as it is there, it is known not to be published.
        self._warn_skipped(places)
        return Delivered(note=_("skipped: {name} is there already", name=places[0].name))

    def _warn_skipped(self, places: Sequence[Path]) -> None:
        names = listed(places, _NAMED)
        sentence = ngettext(
            "The result was left out, since this is there already: {names}.",
            "{n} results were left out, since these are there already: {names}.",
            len(places),
            names=names,
        )
        self._journal.completion.warn(self._job, sentence)

    def _warn_beside(self, pairs: Sequence[tuple[Path, Path]]) -> None:
        names = listed(
            [_("{place} (the new one is {name})", place=place, name=beside.name) for place, beside in pairs], _NAMED
        )
        self._journal.completion.warn(
            self._job,
            _("Not replaced, since this rule did not write it, or it was changed since: {names}.", names=names),
        )


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except OSError:  # somebody was quick
        return None


def _put(old: Folder, name: str, new: Folder, target: str, *, over: bool) -> bool:
    if over:
        old.place_over(name, new, target)
        return True
    return old.place_new(name, new, target)
