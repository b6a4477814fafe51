"""Undoing a job: results out of sight, originals back, and only then results to the trash.

The plan stands in the journal, with the mark that keeps the originals from being taken again, before the first move.
Up to the commit every move can be taken back, and is where one fails; after it nothing is left that fails for good.
Each step can be entered again after a crash and goes on from what it finds.
"""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

from loguru import logger

from paperchute.files import beneath, copies, placement
from paperchute.files.identity import FileKey
from paperchute.jobs import delivery, error_texts, relocation
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import FilingPlan, Job, Member
from paperchute.jobs.undo.assessment import CannotUndo, Undo, is_just, unusable
from paperchute.jobs.undo.plan import Removal, Return, UndoPlan
from paperchute.jobs.undo.trash import Trash
from paperchute.language import _


def carry_out(journal: Journal, undo: Undo, trash: Trash) -> None:
    """Undo what was assessed, whole or not at all. Raises CannotUndo; then everything is as it was.

    Raises OSError where neither can be finished just now, as on a share that has gone; `carry_on` does it later.
    """
    if not journal.undos.begin(undo.plan):
        raise CannotUndo(_("Something else has happened to it in the meantime."))
    _Undoing(journal, undo.plan, trash).go_on()


def carry_on(journal: Journal, trash: Trash) -> None:
    """Finish what a crash has interrupted, forward where that is possible."""
    for plan in journal.undos.pending():
        try:
            _Undoing(journal, plan, trash).go_on()
        except CannotUndo as error:
            logger.bind(job=plan.id).warning("not undone: {}", error)
        except OSError as error:
            logger.bind(job=plan.id).warning("the undoing waits for the next start: {}", error)


class _Undoing:
    def __init__(self, journal: Journal, plan: UndoPlan, trash: Trash) -> None:
        self._journal = journal
        self._plan = plan
        self._trash = trash
        self._jobs = {one.job: self._job(one.job) for one in plan.marked}

    def go_on(self) -> None:
        """From whatever was reached to the end. Raises as `carry_out`."""
        if not self._plan.committed and not self._plan.why_not:
            try:
                for removal in self._plan.removals:
                    self._set_aside(removal)
                for index in range(len(self._plan.returns)):
                    self._bring_back(index)
                self._plan = self._journal.undos.commit(self._plan)
            except CannotUndo as error:
                self._plan = self._journal.undos.give_up(self._plan, error.what)
            except OSError as error:
                path = next(iter(self._jobs.values())).path
                self._plan = self._journal.undos.give_up(self._plan, unusable(error, path))
        if self._plan.why_not:
            for one in reversed(self._plan.returns):
                self._file_again(one)
            for removal in reversed(self._plan.removals):
                self._put_back(removal)
            self._journal.undos.restore(self._plan)
            raise CannotUndo(self._plan.why_not)
        for removal in self._plan.removals:
            self._discard(removal)
        for one in self._plan.returns:
            self._remove_source(one)
        for job in self._jobs.values():
            error_texts.remove_warnings(self._journal, job)
        self._journal.undos.finish(self._plan)

    def _job(self, number: int) -> Job:
        job = self._journal.queries.job(number)
        assert job is not None
        return job

    # ---------- results ----------

    def _holding(self, removal: Removal) -> beneath.Holding:
        job = self._jobs[removal.job]
        return beneath.holder(delivery.root_of_results(job, removal.path.parent), removal.path)

    def _is_at(self, removal: Removal, place: Path) -> bool:
        """Decide whether just the result, unchanged, is at a place beside its own."""
        return is_just(delivery.root_of_results(self._jobs[removal.job], place.parent), place, removal.hashes)

    def _set_aside(self, removal: Removal) -> None:
        """Out of sight, where nobody changes it between the look at it and what comes of it."""
        hidden = removal.hidden.name
        with self._holding(removal) as (folder, name):
            if folder.status(hidden) is None:
                if folder.status(name) is None:
                    raise CannotUndo(_("{name} is no longer there.", name=removal.path))
                folder.place_new(name, folder, hidden)
        if not self._is_at(removal, removal.hidden):
            raise CannotUndo(_("{name} was changed since it was delivered.", name=removal.path))

    def _put_back(self, removal: Removal) -> None:
        hidden = removal.hidden.name
        with self._holding(removal) as (folder, name):
            if folder.status(hidden) is not None:
                places = placement.numbered(Path(name))
                next(place for place in places if folder.place_new(hidden, folder, place.name))

    def _discard(self, removal: Removal) -> None:
        """To the trash, from its own place, so that the trash can give it back there."""
        hidden = removal.hidden.name
        try:
            with self._holding(removal) as (folder, name):
                if folder.status(hidden) is not None:
                    places = placement.numbered(Path(name))
                    name = next(place.name for place in places if folder.place_new(hidden, folder, place.name))
                elif not self._is_at(removal, removal.path):
                    return  # a crash came after it had gone
                self._trash.take(folder, name, f"{removal.hidden.name}-trash")
        except (FileNotFoundError, NotADirectoryError):
            return  # somebody has taken away the folder that it was in

    # ---------- originals ----------

    def _bring_back(self, index: int) -> None:
        one = self._plan.returns[index]
        job = self._jobs[one.job]
        with relocation.holding(job, one.home, make=True) as (home, name):
            if home.status(name) is not None:
                if not self._is_back(one):
                    raise CannotUndo(_("Another file of the name {name} is in {folder}.", name=name, folder=home.path))
                return
            if not one.copied:
                if not is_just(relocation.root_of(job, one.source), one.source, one.hashes):
                    raise CannotUndo(_("The original {name} has been changed or removed since.", name=one.source))
                with relocation.holding(job, one.source) as (source, old):
                    try:
                        if source.place_new(old, home, name):
                            return
                    except OSError as error:
                        if error.errno != errno.EXDEV:
                            raise
                        home.remove(one.hidden.name)
                        copies.copy(source, old, home, one.hidden.name)
                one = self._note_copy(index)
            if not home.place_new(one.hidden.name, home, name):
                raise CannotUndo(_("Another file of the name {name} is in {folder}.", name=name, folder=home.path))

    def _note_copy(self, index: int) -> Return:
        """The copy is another file, by which its job is known from now on, before it can be seen."""
        one = replace(self._plan.returns[index], copied=True)
        root = self._jobs[one.job].rule.folder
        if not is_just(root, one.hidden, one.hashes):
            raise CannotUndo(_("The original {name} has been changed or removed since.", name=one.source))

        def key(member: Member) -> FileKey:
            if not member.path.is_relative_to(one.home):
                return member.key
            place = one.hidden / member.path.relative_to(one.home)
            return beneath.key_of(root, place) or member.key

        marked = tuple(
            replace(mark, present=tuple(replace(member, key=key(member)) for member in mark.present))
            for mark in self._plan.marked
        )
        returns = (*self._plan.returns[:index], one, *self._plan.returns[index + 1 :])
        self._plan = replace(self._plan, marked=marked, returns=returns)
        self._journal.undos.change(self._plan)
        return one

    def _is_back(self, one: Return) -> bool:
        return is_just(self._jobs[one.job].rule.folder, one.home, one.hashes)

    def _file_again(self, one: Return) -> None:
        """Take back what `_bring_back` did; what somebody has changed in the hot folder meanwhile stays there."""
        job = self._jobs[one.job]
        with relocation.holding(job, one.home, make=True) as (home, name):
            home.remove(one.hidden.name)
            is_filed = relocation.is_there(job, one.source)
            if not self._is_back(one) or (is_filed and not one.copied):
                return
            if is_filed:
                if is_just(relocation.root_of(job, one.source), one.source, one.hashes):
                    home.remove(name)
                return
            with relocation.holding(job, one.source, make=True) as (folder, old):
                for place in placement.numbered(Path(old)):
                    target = one.source.with_name(place.name)
                    if target != one.source:
                        self._journal.plans.plan_filing(job, FilingPlan(one.home, target), one.index)
                    if copies.move_across(home, name, folder, place.name, f"{job.token}-undo"):
                        return

    def _remove_source(self, one: Return) -> None:
        """What was copied back need not lie where it was filed any more, unless somebody has changed it."""
        job = self._jobs[one.job]
        if one.copied and is_just(relocation.root_of(job, one.source), one.source, one.hashes):
            with relocation.holding(job, one.source) as (folder, name):
                folder.remove(name)
