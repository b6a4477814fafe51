"""From "complete" to "written down": which rule takes a file, and its job in the journal."""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePath

from loguru import logger

from paperchute.app.begun_jobs import without_begun
from paperchute.app.facts import Inspector, Looked, ReadyQueue, why_not
from paperchute.app.rulebook import Rulebook
from paperchute.app.selection import asking, claimed, concerned, is_held_elsewhere, new_jobs, shared_folders
from paperchute.app.sets import Gathering, NotWholeError, Orphans, waits_for_others, with_sidecars
from paperchute.events import Found, Observer, Queued
from paperchute.jobs.claims import BEAT_SECONDS, Claims
from paperchute.jobs.journal import Journal
from paperchute.jobs.lineage import why_round
from paperchute.jobs.marks import Marks, told_of_others
from paperchute.jobs.model import Job, NewJob
from paperchute.rules.match import needs
from paperchute.rules.sidecar import is_sidecar
from paperchute.watch.interface import Ready, Troubles
from paperchute.watch.watcher import Watcher

_TAKEN_AT_ONCE = 100
_HELD_AT_ONCE = 8
_TURN_SECONDS = 0.05
_PAUSE_SECONDS = 2.0
_SETS_SECONDS = 0.2


class Intake:
    """The thread that writes down what is ready. Under a backlog many files share one transaction.

    In a shared hot folder no more is claimed than is about to be worked on, so that others get their share; nothing
    while work rests.
    """

    def __init__(
        self,
        journal: Journal,
        claims: Claims,
        rulebook: Rulebook,
        watcher: Watcher,
        ready: ReadyQueue,
        observer: Observer,
        rests: Callable[[], bool],
    ) -> None:
        """ready: what the watcher reports. rests: whether no new job starts just now."""
        self.ready = ready
        self.inspector = Inspector(ready)
        self.gathering = Gathering(journal)
        self.orphans = Orphans()
        self._journal = journal
        self._claims = claims
        self._rulebook = rulebook
        self._watcher = watcher
        self._observer = observer
        self._rests = rests
        self._later: deque[tuple[float, Path]] = deque()  # what could not be taken, and when to ask for it again
        self._unclaimed: deque[Sequence[NewJob]] = deque()  # of each input in shared folders, until we claim more
        self._held: set[int] = set()  # jobs on claimed inputs that have not ended
        self._restored: set[Path] = set()
        self._thread = threading.Thread()
        self._stopping = False

    def start(self) -> None:
        """Start the thread, or start it again after it died; what waits is kept."""
        self._thread = threading.Thread(target=self._run, name="intake", daemon=True)
        self._thread.start()

    def revive(self) -> bool:
        """Start the thread again if it has died; False when it had not."""
        if self._thread.is_alive() or self._stopping:
            return False
        self.start()
        return True

    def rules_changed(self) -> None:
        """Ask again for what no rule took so far, and for what waits. Called on any thread."""
        self.gathering.look_now()
        for path in self.inspector.forget_untaken():
            self._watcher.again(path)

    def stop(self, timeout: float) -> None:
        """Write down what was reported, and end; wait at most `timeout` seconds for it."""
        self._stopping = True
        if self._thread.ident is not None:
            self.ready.put(None)
            self._thread.join(timeout)

    def idle(self) -> bool:
        """Decide whether everything reported was written down."""
        waits = self._later or self._unclaimed or self.gathering.is_about_to_close()
        return self.inspector.idle() and not self.ready.unfinished_tasks and not waits

    def let_go(self, job: Job) -> None:
        """A job on a claimed input has ended: another one may be claimed. Called on any thread."""
        self._held.discard(job.id)

    def _run(self) -> None:
        self._restore()
        while True:
            items = self._next()
            try:
                self._take([item for item in items if isinstance(item, Ready | Looked)])
            except BaseException:
                for item in items:
                    if isinstance(item, Ready | Looked):
                        self._not_yet(item.path)
                raise
            finally:
                for _ in items:
                    self.ready.task_done()
            if None in items:
                return

    def _next(self) -> list[Ready | Looked | None]:
        """Give what has been reported, once there is anything. What could not be taken is asked for again meanwhile."""
        while True:
            while self._later and self._later[0][0] <= time.monotonic():
                self._watcher.again(self._later.popleft()[1])
            self._claim()
            self._write_down_sets()
            with contextlib.suppress(queue.Empty):
                items = [self.ready.get(timeout=self._pause())]
                with contextlib.suppress(queue.Empty):
                    while len(items) < _TAKEN_AT_ONCE:
                        items.append(self.ready.get_nowait())
                return items

    def _pause(self) -> float | None:
        """Seconds after which something must be seen to, whatever is reported."""
        if self._unclaimed and not self._rests():
            return _TURN_SECONDS
        if not self.gathering.is_empty():
            return _SETS_SECONDS
        return _PAUSE_SECONDS if self._later or self._unclaimed else None

    def _take(self, items: Sequence[Ready | Looked]) -> None:
        self._restore()
        wanted: list[NewJob] = []
        for item in items:
            if isinstance(item, Ready):
                self._observer.publish(Found(item.path))
            news = self._new_jobs(item)
            if news and news[0].rule.shared:
                self._unclaimed.append(news)
            elif news and waits_for_others(news[0].rule):
                self.gathering.add(news[0])
            else:
                wanted += news
        try:
            self._write_down(wanted)
        except OSError:
            by_path: dict[Path, list[NewJob]] = {}
            for new in wanted:
                by_path.setdefault(new.path, []).append(new)
            for group in by_path.values():  # one is in a folder that is out of reach; the others need not wait for it
                self._write_down_alone(group)

    def _new_jobs(self, item: Ready | Looked) -> list[NewJob]:
        """Ask for these jobs of what is ready; it is looked into first where a rule wants to know its content."""
        ready = item.ready if isinstance(item, Looked) else item
        rules = asking(self._rulebook.rules, ready)
        if not rules and not ready.is_set and is_sidecar(PurePath(ready.path.name)):
            self.orphans.add(ready.path)
            return []
        need = needs(rules)
        if need and not (isinstance(item, Looked) and need <= item.need):
            self.inspector.look(ready, need, (path for path, _ in concerned(rules, ready)), rules)
            return []
        facts = item.facts if isinstance(item, Looked) else {}
        found = new_jobs(rules, ready, facts)
        try:
            found = [with_sidecars(new, ready) for new in found]
        except (NotWholeError, OSError):
            self._not_yet(ready.path)
            return []
        if not found and rules:
            self.inspector.untaken(ready.path, why_not(rules, ready, facts))
        return self._without_done(found, ready)

    def _without_done(self, found: list[NewJob], ready: Ready) -> list[NewJob]:
        """Leave out the jobs of rules that have made what is ready; of what nobody takes then it is told why.

        What a job of another rule goes on with is left to it.
        """
        kept = []
        why = ""
        try:
            if found and any(path.name in ready.path.parts for path in self._journal.plans.arriving()):
                self._not_yet(ready.path)  # what is just being delivered is written down in a moment
                return []
            found = without_begun(self._journal, self._rulebook, found)
            for new in found:
                told = why_round(self._journal, new)
                why = why or told
                if not told:
                    kept.append(new)
        except (OSError, sqlite3.Error) as error:
            logger.debug("whether {} is a result of ours, or at work, cannot be told ({})", ready.path, error)
            self._not_yet(ready.path)
            return []
        if why and not kept:
            self.inspector.untaken(ready.path, why)
        return kept

    def _write_down_sets(self) -> None:
        """Write down the jobs of sets that are whole, unless more has been reported and not been looked at."""
        if not self.gathering.is_due() or not self.ready.empty() or not self.inspector.idle():
            return
        try:
            found, anew = self.gathering.whole(self._rulebook.rules, self._expected_now)
        except OSError as error:
            logger.warning("what waits for others cannot be looked at ({})", error)
            return
        for path in anew:
            self._not_yet(path)
        for new in found:
            try:
                written = self._write_down([new])
            except OSError as error:
                logger.warning("{} cannot be taken yet ({})", new.path, error)
                written = []
            for member in new.members if not written else ():
                self._not_yet(member.path)

    def _expected_now(self, folder: Path) -> Collection[Path] | None:
        """Return what is about to be ready. None when something has become ready while that was asked."""
        found = self._watcher.expected(folder)
        return found if self.ready.empty() and self.inspector.idle() else None

    def _claim(self) -> None:
        """Claim what there is room for."""
        while self._unclaimed and len(self._held) < _HELD_AT_ONCE and not (self._stopping or self._rests()):
            news = self._unclaimed[0]  # stays there until it is written down, so that nobody takes us for idle
            try:
                if is_held_elsewhere(news[0]):
                    self._not_yet(news[0].path)  # more of a set that another Paperchute has, and will look for
                else:
                    self._held.update(self._write_down(claimed(news, self._claims)))
            except OSError as error:
                logger.warning("{} cannot be claimed yet ({})", news[0].path, error)
                self._not_yet(news[0].path)
            self._unclaimed.popleft()

    def _write_down_alone(self, group: Sequence[NewJob]) -> None:
        try:
            self._write_down(group)
        except OSError as error:
            new = group[0]
            logger.warning("{} cannot be taken yet ({})", new.path, error)
            self._not_yet(new.rule.folder / Path(new.relative))

    def _write_down(self, news: Sequence[NewJob]) -> list[int]:
        """The new jobs. Raises OSError when an input's folder cannot be looked at; then nothing is written down."""
        while news:
            try:
                with self._journal.alone():  # so that nobody begins with a job before it was told that there is one
                    numbers = self._journal.inserts.open_jobs(news)
                    for number, new in zip(numbers, news, strict=True):
                        if number is None and new.ladder and (why := self._journal.decisions.why_left(new)):
                            self.inspector.untaken(new.path, why)
                        if number is not None:
                            self.inspector.taken(new.path)
                            self._observer.publish(Queued(number, new.path.name, new.rule.name, new.path))
            except sqlite3.Error as error:
                logger.error("The journal cannot be written ({}); new files wait for its disk.", error)
                time.sleep(_PAUSE_SECONDS)
                continue
            return [number for number in numbers if number is not None]
        return []

    def _not_yet(self, path: Path) -> None:
        self._later.append((time.monotonic() + _PAUSE_SECONDS, path))

    def _restore(self) -> None:
        """Before anything new is claimed in a shared folder: what a crash left there without a job goes back."""
        for hot in shared_folders(self._rulebook.rules) - self._restored:
            try:
                self._claims.restore(hot, self._journal.queries.open_paths())
                self._held.update(self._journal.queries.open_in(hot))
            except OSError as error:
                logger.warning("the claims in {} cannot be looked through ({})", hot, error)
                continue
            self._restored.add(hot)


class Sharing:
    """A thread of its own, since a share may hang."""

    def __init__(self, claims: Claims, rulebook: Rulebook) -> None:
        self._claims = claims
        self._rulebook = rulebook
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sharing", daemon=True)

    def start(self) -> None:
        """Begin, once there is anything shared; called again when the rules have changed."""
        if self._thread.ident is None and shared_folders(self._rulebook.rules):
            self._thread.start()

    def stop(self) -> None:
        """End; a hung share is not waited for beyond two seconds."""
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def _run(self) -> None:
        while not self._end.is_set():
            for hot in shared_folders(self._rulebook.rules):
                try:
                    self._claims.tend(hot)
                except OSError as error:
                    logger.warning("the claims in {} cannot be looked after just now ({})", hot, error)
            self._end.wait(BEAT_SECONDS)


class Marking:
    """Leaves marks in hot folders and tells of other Paperchutes there; a thread of its own, since a share may hang."""

    def __init__(self, marks: Marks, rulebook: Rulebook, troubles: Troubles) -> None:
        self._marks = marks
        self._rulebook = rulebook
        self._troubles = troubles
        self._marked: set[Path] = set()
        self._go = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="marks", daemon=True)

    def start(self) -> None:
        """Begin with the first round."""
        self._thread.start()

    def stop(self) -> None:
        """Take the marks away and end; a hung share is not waited for beyond two seconds."""
        self._stopping = True
        self._go.set()
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def look_now(self) -> None:
        """The rules have changed, so begin another round."""
        self._go.set()

    def _run(self) -> None:
        while not self._stopping:
            self._go.clear()
            rules = self._rulebook.rules
            folders = {rule.folder for rule in rules if rule.enabled and not rule.schedule}
            self._withdraw(self._marked - folders)
            for hot in folders:
                self._tend(hot, shared=hot in shared_folders(rules))
            self._go.wait(BEAT_SECONDS)
        self._withdraw(set(self._marked))

    def _tend(self, hot: Path, *, shared: bool) -> None:
        if self._stopping:
            return
        try:
            others = self._marks.tend(hot, shared=shared)
        except OSError as error:  # the watcher says what is wrong with it
            logger.debug("who else watches {} cannot be told ({})", hot, error)
            return
        self._marked.add(hot)
        if others:
            self._troubles.tell(hot, "watched", told_of_others(hot, others))
        else:
            self._troubles.over(hot, "watched")

    def _withdraw(self, folders: set[Path]) -> None:
        for hot in folders:
            self._marked.discard(hot)
            self._troubles.over(hot, "watched")
            with contextlib.suppress(OSError):
                self._marks.withdraw(hot)
