"""Delivery: finished outputs into place, all of a job's or none, and never over what somebody else made or changed.

What was received lies in the daemon's own work folder. It is copied under a hidden name into the target folder, and
appears from there: a file, or a folder where there is none of that name, by one atomic rename; several results in a
folder that exists file by file, after all moves stand in the journal. Nothing but publishing takes a name out of what
is hidden, so a restart knows from there what has happened, and completes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from paperchute.files import beneath, placement
from paperchute.files.beneath import PlantedLinkError
from paperchute.files.folder import Folder
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import DeliveryPlan, Job
from paperchute.jobs.privacy import Privacy, privacy_of
from paperchute.language import _
from paperchute.rules.output import Target, configured_folder

STEM_BYTES = 200
"""Most bytes of the name of one of several results: room for a number, an extension and a hidden name's ending."""

_BLOCK = 1 << 20


def draft(job: Job, target: Target) -> DeliveryPlan:
    """Return where the job's result is going to be built and, but for its extension and number, to appear."""
    extension = f".{target.extension}" if target.extension else ""
    return DeliveryPlan(
        temporary=target.folder / placement.temporary_name(job.token),
        final=target.folder / (target.stem + extension),
        extension=target.extension,
    )


def prepare_file(journal: Journal, job: Job, draft: DeliveryPlan, source: Path, suffix: str) -> DeliveryPlan:
    """Copy a result to its hidden name in the target folder; nothing is visible yet.

    suffix: of the result, for a name that does not fix one. Raises OSError; then nothing is left behind.
    """
    rights = privacy(job)
    with _room(journal, job, draft) as (draft, folder):
        name = draft.temporary.name
        folder.remove(name)
        try:
            sha256 = _copied(source, folder, name, rights)
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
    rights = privacy(job)
    hashes = {}
    with _room(journal, job, draft) as (draft, folder):
        hidden = draft.temporary.name
        folder.remove(hidden)
        try:
            with folder.child(hidden, make=True, mode=rights.folder_mode) as top:
                for name in names:
                    parts = PurePosixPath(name).parts
                    with top.below(parts[:-1], make=True, mode=rights.folder_mode) as inner:
                        placed = _free_name(inner, parts[-1])
                        sha256 = _copied(source / name, inner, placed, rights)
                    hashes[PurePosixPath(name).with_name(placed).as_posix()] = sha256
        except BaseException:
            folder.remove(hidden)
            raise
    name = draft.final.name.removesuffix(f".{draft.extension}") if draft.extension else draft.final.name
    final = draft.final.with_name(name)
    return replace(draft, final=final, wanted=final, is_folder=True, hashes=hashes, documents=tuple(documents))


def prepare_pair(
    journal: Journal, job: Job, draft: DeliveryPlan, source: Path, suffix: str, about: Path
) -> DeliveryPlan:
    """The same for a result and `about`, a JSON file that goes beside it under the result's name."""
    rights = privacy(job)
    name = draft.final.name if draft.extension is not None else draft.final.name + suffix
    names = {name: source, Path(name).stem + ".json": about}
    hashes = {}
    with _room(journal, job, draft) as (draft, folder):
        hidden = draft.temporary.name
        folder.remove(hidden)
        try:
            with folder.child(hidden, make=True, mode=rights.folder_mode) as top:
                for each, path in names.items():
                    hashes[each] = _copied(path, top, each, rights)
        except BaseException:
            folder.remove(hidden)
            raise
    place = draft.final.parent
    return replace(draft, final=place, wanted=place, is_folder=True, hashes=hashes)


def is_whole(job: Job, plan: DeliveryPlan) -> bool:
    """Tell if a planned delivery still lies ready, or has been published; False when it was taken away before that.

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


def discard(job: Job, plan: DeliveryPlan) -> None:
    """Remove what was built, in part or whole, and not published. Raises OSError."""
    root = _root(job, plan)
    with contextlib.suppress(PlantedLinkError):  # then nothing was built
        if beneath.status_of(root, plan.temporary) is not None:
            with beneath.holder(root, plan.temporary) as (folder, name):
                folder.remove(name)


def privacy(job: Job) -> Privacy:
    """Who may not read what is made for a job."""
    return privacy_of(member.path for member in job.members)


def _root(job: Job, plan: DeliveryPlan) -> Path:
    """The folder of the target's path that the rule's author wrote; nothing below it may be a link."""
    return root_of_results(job, plan.final.parent)


def root_of_results(job: Job, folder: Path) -> Path:
    """The same for any folder that results of the job lie in."""
    root = configured_folder(job.rule)
    return root if folder.is_relative_to(root) else Path(os.path.commonpath([root, folder]))


def is_configured(job: Job, folder: Path) -> bool:
    """Decide whether the rule's author named this very folder, or it lies above one."""
    return configured_folder(job.rule).is_relative_to(folder)


def is_file(folder: Folder, name: str, sha256: str) -> bool:
    """Decide whether `name` is a file with just these bytes."""
    return folder.key(name) is not None and folder.hash(name) == sha256


def _holds(job: Job, plan: DeliveryPlan, path: Path, sha256: str) -> bool:
    """Decide whether a file with just these bytes is at `path`."""
    root = plan.final if plan.is_folder and is_configured(job, plan.final) else _root(job, plan)
    try:
        with beneath.holder(root, path) as (folder, name):
            return is_file(folder, name, sha256)
    except (FileNotFoundError, NotADirectoryError):
        return False


def target(job: Job, plan: DeliveryPlan) -> beneath.Holding:
    """The open target folder, and the hidden name in it. Raises OSError when it is away."""
    return beneath.holder(_root(job, plan), plan.temporary)


@contextlib.contextmanager
def _room(journal: Journal, job: Job, draft: DeliveryPlan) -> Iterator[tuple[DeliveryPlan, Folder]]:
    """The draft with its folder, made and open; where a link or file is in the way of that, it is another."""
    root = _root(job, draft)
    parts = draft.temporary.parent.relative_to(root).parts
    with beneath.opened(root, make=True) as top, top.room_for(parts) as folder:
        if folder.path != draft.temporary.parent:
            draft = _moved(journal, job, draft, folder.path)
        yield draft, folder


def _moved(journal: Journal, job: Job, draft: DeliveryPlan, place: Path) -> DeliveryPlan:
    """The draft in another folder, `place`, and noted as such."""
    moved = replace(draft, temporary=place / draft.temporary.name, final=place / draft.final.name)
    journal.plans.draft_delivery(job, moved)
    journal.completion.warn(
        job,
        _(
            "{folder} is a file, or a link leads to it, so the result is in {place} instead.",
            folder=draft.temporary.parent,
            place=place,
        ),
    )
    return moved


def _free_name(folder: Folder, name: str) -> str:
    """The name, with a number where the target's system takes it for that of another result, as many shares do."""
    return next(path.name for path in placement.numbered(Path(name)) if folder.status(path.name) is None)


def _copied(source: Path, folder: Folder, name: str, rights: Privacy) -> str:
    """Copy a received file into a new one; its sha256."""
    sha256 = hashlib.sha256()
    with (
        source.open("rb") as reader,
        placement.naming(folder.path / name),
        folder.create(name, rights.file_mode) as file,
    ):
        rights.narrow(file.fileno())
        while block := reader.read(_BLOCK):
            sha256.update(block)
            file.write(block)
    return sha256.hexdigest()
