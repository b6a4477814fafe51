"""The daemon: watching, intake, workers and the service, from start to stop."""

from __future__ import annotations

import contextlib
import json
import queue
import sqlite3
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from loguru import logger

from paperchute.app import failures
from paperchute.app.announcer import Announcer
from paperchute.app.clocks import Clocks
from paperchute.app.cures import TypedPasswords
from paperchute.app.empty_folders import EmptyFolders
from paperchute.app.ended_jobs import EndedJobs
from paperchute.app.facts import ReadyQueue, ladder_of, opening_of, page_count_of, pages_of, signed_of, unread_of
from paperchute.app.indexer import Indexer
from paperchute.app.intake import Intake, Marking, Sharing
from paperchute.app.log import EventLog
from paperchute.app.model_endpoint import endpoint_of
from paperchute.app.notices import Notices
from paperchute.app.places import State
from paperchute.app.remote_control import RemoteControl
from paperchute.app.rulebook import Rulebook
from paperchute.app.schedules import Schedules
from paperchute.app.selection import hot_folders
from paperchute.app.services import Services
from paperchute.app.status import Board, Surroundings, held
from paperchute.app.tally import Tally
from paperchute.app.untaken import Rounds
from paperchute.errors import JournalDamagedError
from paperchute.events import Event, Health, Queued, Status, Stream, Subscriber, Trouble, Waiting
from paperchute.files.open_files import ignore_lease_signal
from paperchute.files.placement import remove, remove_others
from paperchute.files.reader import readers
from paperchute.jobs.claims import Claims, node_of
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.marks import Marks, own_mark
from paperchute.jobs.overview import SERVICE_PROBLEM
from paperchute.jobs.pruner import Pruner
from paperchute.jobs.runner import Runner
from paperchute.jobs.switchboard import Circuits
from paperchute.jobs.undo import execution as undo
from paperchute.jobs.undo.trash import Trash
from paperchute.jobs.work import Settings
from paperchute.language import _
from paperchute.redaction import clean
from paperchute.rules.settings import RuleFile
from paperchute.watch.interface import Troubles
from paperchute.watch.watcher import Watcher, learned_before

_LOOK_SECONDS = 5.0  # between two looks at threads and failed files
_STOP_SECONDS = 10.0
_LAST_WORDS_SECONDS = 5.0  # for whoever is told what happens to hear the last of it
_READY_AT_ONCE = 1000  # of what is complete; more waits in the watcher's own table


class Daemon:
    """One running Paperchute. `start`, then `tick` until told to stop, then `stop`; all from one thread."""

    def __init__(self, rule_file: RuleFile, state: State, subscribers: Sequence[Subscriber] = ()) -> None:
        """Must be made on the main thread, with the state folder's lock held. Raises JournalError.

        Args:
            rule_file: The rules to begin with.
            state: Where the journal and everything else lies.
            subscribers: Who is told what happens, each on a thread of its own.
        """
        ignore_lease_signal()
        self._state, self._journal = state, Journal(state.journal, owner=True)
        self._events, self.typed = Stream(), TypedPasswords()
        self._rulebook = Rulebook(rule_file, self._events)
        self._circuits = Circuits(self._events, lambda: self._rulebook.file.in_use)
        self._services = Services(state, rule_file, self._events)
        self.client_of = self._services.client_of
        settings = self._job_settings()
        runner = Runner(self._journal, self._services.client, settings, self._events)
        self._dispatcher = Dispatcher(self._journal, runner, self._circuits, settings, self._events)
        claims = Claims(node := node_of(self._journal))
        self._learned = learned_before(self._journal.settings.get("learned"))
        ready: ReadyQueue = queue.Queue(_READY_AT_ONCE)
        self._watcher = Watcher(hot_folders(rule_file.rules), self._rulebook, ready, self._events, self._learned)
        rests = self._dispatcher.rests
        self._intake = Intake(self._journal, claims, self._rulebook, self._watcher, ready, self._events, rests)
        self._ended = EndedJobs(self._dispatcher.outcomes, self._journal, claims, self._watcher, self._intake)
        self._control = RemoteControl(self._journal, self._dispatcher, self._circuits, self._watcher)
        self._marking = Marking(Marks(own_mark(state.folder, node)), self._rulebook, Troubles(self._events))
        self._sharing = Sharing(claims, self._rulebook)
        self._rounds = Rounds(self._rulebook, EmptyFolders(self._journal))
        self._schedules = Schedules(self._journal, self._rulebook, self._events)
        self._pruner = Pruner(self._journal, lambda: self._rulebook.rules, self._events)
        self._indexer = Indexer(self._journal, state.search_index, self._dispatcher.is_busy)
        self._board = Board(self._journal, self._circuits, self._rulebook, tally := Tally())
        self._announcer = Announcer(self._board, state.status, self._events)
        self._version, self._next_look = self._journal.version(), 0.0
        self._notices = Notices(
            lambda: self._rulebook.file.notify, self._journal, self._events, lambda: self.shown.attention
        )
        self._clocks = Clocks(self._journal, self._dispatcher, self._circuits, self._notices)
        hearing: Sequence[Subscriber] = (tally, EventLog(), self, self._notices, *subscribers)
        for subscriber in hearing:
            self._events.subscribe(subscriber)

    @property
    def rules(self) -> RuleFile:
        """The rules in force."""
        return self._rulebook.file

    @property
    def journal(self) -> Journal:
        """The journal, for reading."""
        return self._journal

    @property
    def state(self) -> State:
        """The state folder."""
        return self._state

    @property
    def shown(self) -> Status:
        """The picture for people that was told last. Any thread may ask."""
        return self._announcer.shown

    @property
    def told(self) -> Mapping[str, Any]:
        """What was last said for other processes (`State.status`). Any thread may ask."""
        return self._announcer.told

    def _job_settings(self) -> Settings:
        """Tell jobs what they go by: the rules as they stand, and which services may be asked."""
        return Settings(
            work=self._state.work,
            workers=(lanes := max(1, self._rulebook.file.service.concurrency)),
            lanes=lanes,
            rules=self._rulebook.enabled,
            resolved=lambda name: self._rulebook.file.resolved(name),
            not_asked=self._circuits.not_asked,
            away=self._circuits.away,
            monthly_calls=self._rulebook.monthly_calls,
            in_force=self._rulebook.is_in_force,
            ladder=lambda job: ladder_of(self._rulebook.rules, job),
            standing=self._rulebook.standing,
            not_before=self._rulebook.opens,
            pages=pages_of,
            page_count=page_count_of,
            unread=unread_of,
            signed=signed_of,
            opener=opening_of,
            model=lambda: endpoint_of(self._rulebook.file.model),
            typed=self.typed.of,
        )

    # ---------- start and stop ----------

    def start(self) -> None:
        """Arm the watchers, start the service and the workers. Raises PaperchuteError when the engine cannot start."""
        sys.setswitchinterval(0.0005)  # docs/watching.md#the-interpreter-lock
        self._rulebook.make_folders(self._journal)
        remove_others(self._state.work, self._journal.queries.open_tokens())  # leftovers of a crash
        with self._state.undoing() as alone:
            if alone:
                undo.carry_on(self._journal, Trash(self._state.trash))
        self._control.start()  # while it is paused nothing is claimed
        self._watcher.start()
        self._intake.start()
        self._sharing.start()
        self._marking.start()
        self._rounds.start()
        self._services.start()
        self._journal.settings.set(SERVICE_PROBLEM, None)  # whether it is so still, is found out
        self._apply_rules()
        self._dispatcher.start()
        self._pruner.start()
        self._notices.start()
        self._indexer.start()
        logger.info("started with {} rules from {}", len(self._rulebook.rules), self._rulebook.file.path)
        if self._journal.salvage is not None:
            self._events.publish(Trouble("journal", str(self._state.journal), str(self._journal.salvage)))

    def stop(self) -> None:
        """Stop taking files, let running jobs end for some seconds, and close. What is cut off goes on next time."""
        self._watcher.stop()
        self._intake.stop(5.0)
        self._sharing.stop()
        self._marking.stop()
        self._rounds.stop()
        self._pruner.stop(1.0)
        self._indexer.stop(1.0)
        ended = self._dispatcher.stop(_STOP_SECONDS)
        self._services.stop()
        if not ended:
            self._dispatcher.stop(2.0)
        with contextlib.suppress(sqlite3.Error):
            self._ended.mind()
        if not self._events.close(_LAST_WORDS_SECONDS):
            logger.warning("somebody who is told what happens has not heard everything")
        self._notices.close()
        remove(self._state.status)
        self._journal.close()
        logger.info("stopped")

    # ---------- the daemon's own thread ----------

    def tick(self) -> None:
        """One round of what must be seen to regularly. Call it a few times a second.

        Raises JournalDamagedError; then stop this one and start another.
        """
        if self._journal.damaged:
            raise JournalDamagedError(
                _("The journal is damaged."), _("It is set aside, and what can be read of it is kept.")
            )
        try:
            self._round()
        except sqlite3.Error as error:  # its disk is full or away: whoever has something to write waits for it
            logger.error("The journal cannot be used just now ({}).", error)

    def _round(self) -> None:
        self._version = self._journal.version()
        self._clocks.look()
        self._ended.mind()
        if self._control.read():
            self._announcer.stirred = True
        self._reload_rules()
        self._control.answer()
        self._schedules.look(datetime.now())
        self._services.keep_alive()
        self._services.look_at_assets()
        self._clocks.begin_month()
        self._circuits.probe(self._services.check)
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + _LOOK_SECONDS
            self._supervise()
            failures.settle_those_taken_away(self._journal)
        readers.end_idle()
        self._tell_status()

    def stirs(self) -> bool:
        """Tell if anything has happened that was not told yet, or is at work; else the next round may take its time."""
        moves = self._announcer.stirred or self._dispatcher.is_busy() or bool(self.told.get("settling"))
        return moves or self._rulebook.is_written_anew() or self._journal.version() != self._version

    def idle(self) -> bool:
        """Nothing is left to do: everything that appeared was taken, and every job has ended."""
        return (
            self._watcher.settled()
            and self._intake.idle()
            and not self._journal.queries.has_open_jobs()
            and self._ended.are_minded()
        )

    def moving(self) -> bool:
        """Something is being settled or worked on just now; False while everything left can only wait."""
        busy = self._dispatcher.is_busy() or self._intake.gathering.is_about_to_close()
        return bool(busy) or not self._watcher.settled()

    def look_again(self) -> None:
        """Have all hot folders looked through, whatever the system has told of them; not `idle` until that is done."""
        self._watcher.rescan()

    def postponed(self) -> str:
        """Return how much waits for its rules' hours, and until when, in a sentence; empty when nothing does."""
        return self._board.postponed()

    def held(self) -> tuple[str, ...]:
        """Return what has appeared and is not taken yet, and why, a line each."""
        return held(self._waiting())

    def _waiting(self) -> list[Waiting]:
        return [*self._watcher.waiting(), *self._intake.gathering.waiting(), *self._intake.orphans.waiting()]

    def service_problem(self) -> str:
        """Return why the service does no work, in a sentence; empty when it answers."""
        return self._circuits.problem()

    def what_to_show(self, number: int | None) -> Path:
        """Give what tells a person most: a failed job's error text; without a number the latest one's, else the log."""
        return failures.what_to_show(self._journal, number) or self._state.log

    def pause(self, on: bool, until: float = 0.0) -> None:
        """Pause or resume, and remember it over restarts. until: Unix time at which work goes on by itself."""
        self._control.pause(on, until)
        self._announcer.stirred = True

    def tell(self, trouble: Trouble) -> None:
        """Whoever runs the daemon has something to say."""
        self._events.publish(trouble)

    def drain(self, on: bool) -> bool:
        """Begin no new job until told otherwise; whether none is at work."""
        self._dispatcher.drain(on)
        return not self._dispatcher.is_busy()

    def retry(self, number: int | None) -> list[str]:
        """Try one failed job again, or all. Returns sentences about those that cannot be."""
        self._announcer.stirred = True
        problems = failures.retry(self._journal, number)
        self._dispatcher.wake()
        return problems

    def see_warnings(self, number: int | None) -> None:
        """Put away the warnings of one job, or of all."""
        failures.put_away(self._journal, number)
        self._announcer.stirred = True

    def status(self) -> Status:
        """The present picture for people."""
        return self._board.status(self._surroundings())

    def hear(self, event: Event, /) -> None:
        """What the service's health means for the work, and for whoever asks while no daemon runs."""
        self._announcer.stirred = True
        if isinstance(event, Queued):
            self._circuits.probe_soon()
        if isinstance(event, Health):
            with contextlib.suppress(sqlite3.Error):  # it is for people, and the jobs themselves are safe
                self._journal.settings.set(SERVICE_PROBLEM, clean(self._circuits.problem()) or None)
                if event.state == "closed":
                    self._journal.queue.ask_services_again()

    def _supervise(self) -> None:
        """Whatever thread has died by a fault of ours is started again, and said."""
        revived = self._watcher.supervise()
        revived += [
            name for name, revive in (("intake", self._intake.revive), ("worker", self._dispatcher.revive)) if revive()
        ]
        for name in revived:
            logger.error("the thread {!r} had died and was started again", name)

    def _reload_rules(self) -> None:
        if not self._rulebook.read_again():
            return
        new = self._rulebook.file
        self._announcer.stirred = True
        self._rulebook.make_folders(self._journal)
        self._watcher.replace(hot_folders(new.rules))
        self._intake.rules_changed()
        self._rounds.look_now()
        self._apply_rules()
        self._marking.look_now()
        self._sharing.start()
        self._services.replace(new)
        self._circuits.close()
        self._dispatcher.resume_folders()
        logger.info("rules read again: {} rules", len(new.rules))

    def _apply_rules(self) -> None:
        """Have what waits go by the rules as they are now."""
        self._journal.inserts.renew_rules(self._rulebook.rules)
        self._journal.queue.ask_rules_again()

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            self._control.paused,
            self._control.paused_until(),
            self._waiting(),
            self._intake.inspector.left(),
            self._rounds.now(),
            self._services.assets(),
        )

    def _tell_status(self) -> None:
        if not self._announcer.is_due(self.stirs()):
            return
        if (learned := self._watcher.learned()) != self._learned:
            self._learned = learned
            self._journal.settings.set("learned", json.dumps(learned))
        self._announcer.announce(self._surroundings())
