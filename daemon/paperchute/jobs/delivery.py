"""Delivery: finished outputs into place, all of a job's or none, and never over what somebody else made or changed.

What was received lies in the daemon's own work folder. It is copied under a hidden name into the target folder, and
appears from there: a file, or a folder where there is none of that name, by one atomic rename; several results in a
folder that exists file by file, after all moves stand in the journal. Nothing but publishing takes a name out of what
is hidden, so a restart knows from there what has happened, and completes it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from paperchute.files import beneath, placing
from paperchute.files.beneath import Folder, PlantedLinkError
from paperchute.jobs import merging
from paperchute.jobs.journal import Journal
from paperchute.jobs.privacy import Privacy, privacy_of
from paperchute.jobs.records import DeliveryPlan, Job, Move, Written
from paperchute.rules.model import Target
from paperchute.rules.output import configured_folder

STEM_BYTES = 200
"""Most bytes of the name of one of several results: room for a number, an extension and a hidden name's ending."""

_BLOCK = 1 << 20
_NAMED = 5


@dataclass(frozen=True)
class Delivered:
    """What is in place: the files, and all that the journal must remember of them. note: for the job's history."""

    written: tuple[Written, ...] = ()
    note: str | None = None

    @property
    def outputs(self) -> list[Path]:
        """The files in place."""
        return [one.path for one in self.written]


def draft(job: Job, target: Target) -> DeliveryPlan:
    """Where the job's result is going to be built and, but for its extension and number, to appear."""
    extension = f".{target.extension}" if target.extension else ""
    return DeliveryPlan(
        temporary=target.folder / placing.temporary_name(job.token),
        final=target.folder / (target.stem + extension),
        extension=target.extension,
    )


def prepare_file(journal: Journal, job: Job, draft: DeliveryPlan, source: Path, suffix: str) -> DeliveryPlan:
    """Copy a result to its hidden name in the target folder; nothing is visible yet.

    suffix: of the result, for a name that does not fix one. Raises OSError; then nothing is left behind.
    """
    draft = _with_room(journal, job, draft)
    privacy = _privacy(job)
    with _target(job, draft) as (folder, name):
        folder.remove(name)
        try:
            sha256 = _copied(source, folder, name, privacy)
        except BaseException:
            folder.remove(name)
            raise
    final = draft.final if draft.extension is not None else draft.final.with_name(draft.final.name + suffix)
    return replace(draft, final=final, wanted=final, hashes={"": sha256})


def prepare_folder(
    journal: Journal, job: Job, draft: DeliveryPlan, source: Path, names: Sequence[str], documents: Sequence[str]
) -> DeliveryPlan:
    """The same for several results, `names` below `source`: they become a folder that bears the result's name.

    documents: folders among them whose files belong together; empty text for all.
    """
    draft = _with_room(journal, job, draft)
    privacy = _privacy(job)
    hashes = {}
    with _target(job, draft) as (folder, hidden):
        folder.remove(hidden)
        try:
            with folder.child(hidden, make=True, mode=privacy.folder_mode) as top:
                for name in names:
                    parts = PurePosixPath(name).parts
                    with top.below(parts[:-1], make=True, mode=privacy.folder_mode) as inner:
                        hashes[name] = _copied(source / name, inner, parts[-1], privacy)
        except BaseException:
            folder.remove(hidden)
            raise
    name = draft.final.name.removesuffix(f".{draft.extension}") if draft.extension else draft.final.name
    final = draft.final.with_name(name)
    return replace(draft, final=final, wanted=final, is_folder=True, hashes=hashes, documents=tuple(documents))


def is_whole(job: Job, plan: DeliveryPlan) -> bool:
    """Whether a planned delivery still lies ready, or has been published; False when it was taken away before that.

    What lies under the final name tells it by its bytes: another's file may bear that name. Raises OSError when the
    target folder is away.
    """
    plan.final.parent.stat()
    root = _root(job, plan)
    if beneath.status_of(root, plan.temporary) is not None:
        return True
    if not plan.hashes:  # planned by an earlier version
        return beneath.status_of(root, plan.final) is not None
    if plan.moves is None:
        return any(_holds(job, plan, plan.final / name, sha256) for name, sha256 in plan.hashes.items())
    return all(_holds(job, plan, plan.final / move.target, plan.hashes[move.name]) for move in plan.moves)


def publish(journal: Journal, job: Job, plan: DeliveryPlan) -> Delivered:
    """Put the planned outputs in place; also completes a plan that a crash interrupted.

    Raises OSError; the plan then stands and is taken up again.
    """
    publisher = _Publisher(journal, job, plan)
    return publisher.folder() if plan.is_folder else publisher.file()


def discard(job: Job, plan: DeliveryPlan) -> None:
    """Remove what was built, in part or whole, and not published. Raises OSError."""
    root = _root(job, plan)
    with contextlib.suppress(PlantedLinkError):  # then nothing was built
        if beneath.status_of(root, plan.temporary) is not None:
            with beneath.holder(root, plan.temporary) as (folder, name):
                folder.remove(name)


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
        with _target(self._job, plan) as (folder, hidden):
            if folder.status(hidden) is None:
                self._make_sure()
                return self._delivered({plan.final: ("", self._wanted)})  # published just before a crash
            for candidate in placing.numbered(self._wanted):
                there = folder.status(candidate.name) is not None
                if there and candidate == self._wanted and self._conflict == "skip":
                    return self._skipped([candidate])
                over = there and self._conflict == "replace" and self._is_own(folder, candidate, self._wanted)
                if there and not over:
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
        with _target(self._job, self._plan) as (folder, hidden):
            if folder.status(hidden) is None:
                self._make_sure()
                return self._published()
            if self._plan.moves is not None:
                return self._merged(folder, hidden)
            for candidate in placing.numbered(self._wanted):
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

    def _make_sure(self) -> None:
        """Raise OSError where nothing lies ready and nothing was published: a share has gone in between."""
        if not is_whole(self._job, self._plan):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._plan.temporary))

    def _published(self) -> Delivered:
        """What a crash interrupted after the last rename, or somebody took away the rest of."""
        plan = self._plan
        if plan.moves is None:
            return self._delivered(self._whole(plan.final))
        places = {plan.final / move.target: (move.name, self._wanted / move.name) for move in plan.moves}
        return self._delivered({place: one for place, one in places.items() if os.path.lexists(place)})

    def _decided(self, folder: Folder, candidate: Path) -> merging.Decision | None:
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

                return merging.decide(top, list(plan.hashes), plan.documents, self._conflict, is_own)
        except NotADirectoryError:
            return None

    def _entered(self, folder: Folder, place: Path) -> Folder:
        """The folder at `place`, in `folder`; made where somebody has just taken it away.

        One that the rule's author named may be a link, as all folders that are configured.
        """
        if _is_configured(self._job, place):
            return beneath.opened(place, make=True)
        return folder.child(place.name, make=True, mode=_privacy(self._job).folder_mode)

    def _merged(self, folder: Folder, hidden: str) -> Delivered:
        """Carry out the moves of the plan, of which some may have been carried out before a crash."""
        found: dict[Path, tuple[str, Path]] = {}
        left = []
        mode = _privacy(self._job).folder_mode
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
                if _is_file(new, place.name, self._plan.hashes[move.name]):
                    old.unlink(parts[-1])  # copied to another file system, and in place before a crash
                    return new.path / place.name
                for candidate in placing.numbered(new.path / place.name):
                    own = move.over and self._is_own(new, candidate, self._wanted / move.name)
                    if not own and new.status(candidate.name) is not None:
                        if self._conflict == "skip":
                            return None
                        continue
                    if candidate != self._plan.final / move.target:
                        move = self._plan_move(index, move, candidate)
                    if self._renamed(old, parts[-1], new, candidate.name, over=own):
                        return candidate
        raise AssertionError("numbered() never ends")

    def _renamed(self, old: Folder, name: str, new: Folder, target: str, *, over: bool) -> bool:
        """Rename, or where the folder of results lies on another file system, copy first. False for a name taken."""
        try:
            return _put(old, name, new, target, over=over)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        copy = placing.temporary_name(f"{self._job.token}-copy")
        new.remove(copy)
        old.copy(name, new, copy)
        if not _put(new, copy, new, target, over=over):
            new.remove(copy)
            return False
        old.unlink(name)
        return True

    def _plan_move(self, index: int, move: Move, candidate: Path) -> Move:
        """Another name for one result: its own was taken after all moves had been planned."""
        assert self._plan.moves is not None
        if self._conflict == "replace":
            self._warn_beside([(self._plan.final / move.target, candidate)])
        move = replace(move, target=candidate.relative_to(self._plan.final).as_posix())
        moves = (*self._plan.moves[:index], move, *self._plan.moves[index + 1 :])
        self._plan_again(replace(self._plan, moves=moves))
        return move

    # ---------- what is ours, what is said, what is written down ----------

    def _is_own(self, folder: Folder, path: Path, wanted: Path) -> bool:
        """Whether the file at `path` is what this rule wrote there for the very output `wanted`, and unchanged."""
        written = self._journal.written(path)
        if written is None or (written.rule, written.wanted) != (self._job.rule.name, wanted):
            return False
        before = folder.key(path.name)
        return before is not None and folder.hash(path.name) == written.sha256 and folder.key(path.name) == before

    def _plan_again(self, plan: DeliveryPlan) -> None:
        if plan != self._plan:
            self._journal.plan_delivery(self._job, plan)
            self._plan = plan

    def _whole(self, final: Path) -> dict[Path, tuple[str, Path]]:
        return {final / name: (name, self._wanted / name) for name in self._plan.hashes}

    def _delivered(self, places: Mapping[Path, tuple[str, Path]]) -> Delivered:
        """places: by path which result is there, and where it was asked for."""
        job = self._job
        return Delivered(
            tuple(
                Written(path, self._plan.hashes.get(name, ""), job.rule.name, wanted, job.id)
                for path, (name, wanted) in sorted(places.items())
            )
        )

    def _tell(self, candidate: Path, decision: merging.Decision) -> None:
        if decision.skipped:
            self._warn_skipped([candidate / place for place in decision.skipped])
        if decision.beside:
            self._warn_beside([(candidate / place, candidate / beside) for place, beside in decision.beside])

    def _skipped(self, places: Sequence[Path]) -> Delivered:
        # What was built goes when the job ends: as long as it is there, it is known not to be published.
        self._warn_skipped(places)
        return Delivered(note=f"skipped: {places[0].name} is there already")

    def _warn_skipped(self, places: Sequence[Path]) -> None:
        names = _listed([str(place) for place in places])
        many = "results were" if len(places) > 1 else "result was"
        self._journal.warn(self._job, f"The {many} left out, since there already is: {names}.")

    def _warn_beside(self, pairs: Sequence[tuple[Path, Path]]) -> None:
        names = _listed([f"{place} (the new one is {beside.name})" for place, beside in pairs])
        self._journal.warn(
            self._job, f"Not replaced, since this rule did not write it or it was changed since: {names}."
        )


def _privacy(job: Job) -> Privacy:
    return privacy_of(member.path for member in job.members)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _root(job: Job, plan: DeliveryPlan) -> Path:
    """The folder of the target's path that the rule's author wrote; nothing below it may be a link."""
    root = configured_folder(job.rule)
    folder = plan.final.parent
    return root if folder.is_relative_to(root) else Path(os.path.commonpath([root, folder]))


def _is_configured(job: Job, folder: Path) -> bool:
    """Whether the rule's author named this very folder, or it lies above one."""
    return configured_folder(job.rule).is_relative_to(folder)


def _put(old: Folder, name: str, new: Folder, target: str, *, over: bool) -> bool:
    if over:
        old.place_over(name, new, target)
        return True
    return old.place_new(name, new, target)


def _is_file(folder: Folder, name: str, sha256: str) -> bool:
    return folder.key(name) is not None and folder.hash(name) == sha256


def _holds(job: Job, plan: DeliveryPlan, path: Path, sha256: str) -> bool:
    """Whether a file with just these bytes is at `path`."""
    root = plan.final if plan.is_folder and _is_configured(job, plan.final) else _root(job, plan)
    try:
        with beneath.holder(root, path) as (folder, name):
            return _is_file(folder, name, sha256)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _target(job: Job, plan: DeliveryPlan) -> beneath.Holding:
    """The open target folder, and the hidden name in it. Raises OSError when it is away."""
    return beneath.holder(_root(job, plan), plan.temporary)


def _with_room(journal: Journal, job: Job, draft: DeliveryPlan) -> DeliveryPlan:
    """The draft with its folder made; where a link or file is in the way of that, it is another, and noted as such."""
    root = _root(job, draft)
    parts = draft.temporary.parent.relative_to(root).parts
    with beneath.opened(root, make=True) as top, top.room_for(parts) as folder:
        if folder.path == draft.temporary.parent:
            return draft
        moved = replace(draft, temporary=folder.path / draft.temporary.name, final=folder.path / draft.final.name)
    journal.draft_delivery(job, moved)
    journal.warn(
        job, f"{draft.temporary.parent} is reached through a link or file, so the result is in {folder.path} instead."
    )
    return moved


def _copied(source: Path, folder: Folder, name: str, privacy: Privacy) -> str:
    """Copy a received file into a new one; its sha256."""
    sha256 = hashlib.sha256()
    with (
        source.open("rb") as reader,
        placing.naming(folder.path / name),
        folder.create(name, privacy.file_mode) as file,
    ):
        privacy.narrow(file.fileno())
        while block := reader.read(_BLOCK):
            sha256.update(block)
            file.write(block)
    return sha256.hexdigest()
