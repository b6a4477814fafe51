"""The verb `run`: the daemon with its tray, headless, or once."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from loguru import logger

from paperchute import telemetry
from paperchute.app import log
from paperchute.app.daemon import Daemon
from paperchute.app.preview import rehearse
from paperchute.cli.autostart import AtLogin
from paperchute.cli.context import EXIT_FAILED, EXIT_NO_SERVICE, Context, given, readings
from paperchute.cli.endings import stopping_signals
from paperchute.cli.handover import Handover
from paperchute.cli.terminal import out
from paperchute.desktop.menu import Command, told
from paperchute.desktop.opener import open_path
from paperchute.desktop.progress import TerminalProgress
from paperchute.errors import JournalDamagedError, PaperchuteError
from paperchute.events import Event, Failed, Trouble
from paperchute.files.open_files import ignore_lease_signal
from paperchute.invocation import command
from paperchute.language import N_, _, ngettext
from paperchute.moments import end_after
from paperchute.rules.page import PageKeys
from paperchute.rules.settings import RuleFile, ServiceSettings

if TYPE_CHECKING:
    from paperchute.page.server import Page


class Menu:
    """Answers the tray's commands."""

    def __init__(
        self,
        daemon: Daemon,
        page: Page,
        commands: queue.SimpleQueue[Command],
        quit_: Callable[[], None],
        at_login: AtLogin,
    ) -> None:
        self._daemon = daemon
        self._page = page
        self._commands = commands
        self._quit = quit_
        self._at_login = at_login

    def answer(self) -> None:
        """Carry out what has been asked for since the last call."""
        while not self._commands.empty():
            command = self._commands.get()
            try:
                self._do(command)
            except (PaperchuteError, OSError) as error:
                logger.warning("{}", error)

    def _do(self, command: Command) -> None:
        match command.verb:
            case "pause":
                self._daemon.pause(True, end_after(command.argument, datetime.now()))
            case "resume":
                self._daemon.pause(False)
            case "retry":
                for problem in self._daemon.retry(int(command.argument) if command.argument else None):
                    logger.warning("{}", problem)
            case "seen":
                self._daemon.see_warnings(int(command.argument) if command.argument else None)
            case "open" if not os.path.lexists(command.argument):
                self._open_page("history")  # where a result that is gone can be made again
            case "open":
                open_path(Path(command.argument))
            case "show":
                open_path(self._daemon.what_to_show(int(command.argument) if command.argument else None))
            case "edit-rules":
                open_path(self._daemon.rules.path)
            case "page":
                self._open_page(command.argument)
            case "autostart":
                self._at_login.switch(on=not self._at_login.is_on())
            case "quit":
                self._quit()

    def _open_page(self, view: str) -> None:
        """The page; where there is none, a file that says what is wrong."""
        try:
            open_path(self._page.open(view))
        except PaperchuteError:
            open_path(self._daemon.what_to_show(None))


_TICK_SECONDS = 0.25
_RESTING_SECONDS = 1.0
"""Between two looks whether anything has happened, while nothing does."""
_RESTING_LOOKS = 5
"""So many of them make a tick then: one each second takes a twentieth of a per cent of a core."""
_ONCE_TICK_SECONDS = 0.1
_AFTER_DAMAGE_SECONDS = 2.0
_ONCE_WAITS_SECONDS = 60.0


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(run)


def run(
    context: typer.Context,
    headless: Annotated[bool, typer.Option("--headless", help=N_("No tray icon."))] = False,
    once: Annotated[bool, typer.Option("--once", help=N_("Process what is there, then exit."))] = False,
    dry: Annotated[bool, typer.Option("--dry", help=N_("Say what would be done, and touch nothing."))] = False,
    log_json: Annotated[bool, typer.Option("--log-json", help=N_("Log as JSON, one object a line."))] = False,
) -> None:
    """Watch the hot folders and do what the rules say."""
    chosen = given(context)
    if dry or once or not _is_first(chosen):
        rules = chosen.rules()  # what is wrong with them is said before anything starts
    if dry:
        _rehearse(rules, chosen)
        return
    log.set_up(chosen.state.log, as_json=log_json, to_terminal=headless and not once)
    with chosen.state.lock(), _traced():
        if once:
            raise typer.Exit(run_once(chosen))
        handover = Handover(chosen)
        if headless:
            run_headless(chosen, handover)
        else:
            run_with_tray(chosen, handover)
    if handover.is_due:
        handover.go()


@contextlib.contextmanager
def _traced() -> Iterator[None]:
    try:
        telemetry.set_up("paperchute")
    except telemetry.TelemetryError as error:
        raise PaperchuteError(f"{error}.") from None
    try:
        yield
    finally:
        telemetry.end()


def _rehearse(rules: RuleFile, chosen: Context) -> None:
    with readings(chosen, rules.rules) as known:
        found = rehearse(rules, known)
    for line in found.lines:
        out.print(line)
    jobs = ngettext("{n} job would be done", "{n} jobs would be done", found.jobs)
    files = ngettext("{n} file would stay", "{n} files would stay", found.left)
    out.print(_("{jobs}, {files}. Nothing was touched.", jobs=jobs, files=files))


def run_headless(chosen: Context, handover: Handover) -> None:
    """Run until SIGINT, SIGTERM or an upgrade. Raises PaperchuteError when it cannot start."""
    stop = threading.Event()

    def look(daemon: Daemon) -> None:
        if handover.look(daemon):
            stop.set()

    with stopping_signals(stop.set), _page(chosen, stop.set) as page:
        serve_until(lambda: page.shown(Daemon(_rules(chosen), chosen.state, (page,))), stop, look)


def _is_first(chosen: Context) -> bool:
    """Whether nobody has made rules yet. A file that is named and not there is a mistake, and told."""
    is_named = chosen.rules_option is not None or os.environ.get("PAPERCHUTE_RULES")
    return not is_named and not chosen.rules_path.exists()


def _rules(chosen: Context) -> RuleFile:
    """The checked rule file; none at all where there is no file yet, since the page offers a first one."""
    if not _is_first(chosen):
        return chosen.rules()
    out.print(_("There are no rules yet: choose some on the page ({command}).", command=command("open")))
    return RuleFile(chosen.rules_path, ServiceSettings(), ())


@contextlib.contextmanager
def _page(chosen: Context, quit_: Callable[[], None]) -> Iterator[Page]:
    from paperchute.page.access import access, own_port
    from paperchute.page.controls import Controls
    from paperchute.page.server import Page  # takes a third of a second, which `run --once` saves

    at_login = AtLogin(chosen)
    keys = PageKeys() if _is_first(chosen) else chosen.rules().page
    page = Page(
        chosen.state, Controls(quit_, at_login.is_on, lambda on: at_login.switch(on=on)), access(keys), own_port(keys)
    )
    try:
        yield page
    finally:
        page.stop()


def run_with_tray(chosen: Context, handover: Handover | None = None) -> None:
    """Run with a tray icon; where there can be none, say so in one line and go on without.

    handover: looks after an upgrade, where this can be started again with the same words.
    """
    from paperchute.desktop.notify import Notifier  # what draws and notifies takes memory that headless runs save
    from paperchute.desktop.tray import Tray, TrayUnavailable

    commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
    at_login = AtLogin(chosen)
    tray = Tray(commands, at_login.is_on)
    notifier = Notifier(commands.put)

    stop = threading.Event()
    problem: list[BaseException] = []
    said = ""

    def end() -> None:
        stop.set()
        tray.stop()

    def work() -> None:
        try:
            with _page(chosen, end) as page:
                serve_until(
                    lambda: page.shown(Daemon(_rules(chosen), chosen.state, (tray, notifier, _Lines(), page))),
                    stop,
                    lambda daemon: each_round(daemon, page),
                )
        except BaseException as error:  # noqa: BLE001 -- handed to the main thread: it must not end in silence
            problem.append(error)
        finally:
            stop.set()
            tray.stop()

    def each_round(daemon: Daemon, page: Page) -> None:
        nonlocal said
        if (trouble := tray.trouble) != said:
            daemon.tell(Trouble("tray", "icon", trouble or _("The tray icon is shown again."), over=not trouble))
            said = trouble
        if handover is not None and handover.look(daemon):
            stop.set()
        if not commands.empty():
            Menu(daemon, page, commands, stop.set, at_login).answer()
            tray.show(daemon.shown)  # what was switched is said in the menu

    if _is_first(chosen):
        commands.put(Command("page"))  # who starts it for the first time sees what it offers
    worker = threading.Thread(target=work, name="daemon")

    ignore_lease_signal()
    with stopping_signals(end):
        worker.start()
        try:
            tray.run(lambda: None)
        except TrayUnavailable as error:
            logger.warning("{}", error)
            out.print(f"{error} " + _("Press Ctrl-C to stop."))
            stop.wait()
        else:
            stop.set()
        worker.join()
        notifier.close()
    if problem:
        raise problem[0]


def serve_until(
    make: Callable[[], Daemon], stop: threading.Event, each_round: Callable[[Daemon], None] = lambda daemon: None
) -> None:
    """Keep a daemon going until `stop`, and stop it in order; one whose journal breaks is followed by another.

    Raises PaperchuteError when the first one cannot start.
    """
    while not stop.is_set():
        daemon = make()
        try:
            daemon.start()
            looks, pause = 0, _TICK_SECONDS
            while not stop.wait(pause):
                looks += 1
                stirs = daemon.stirs()
                if stirs or looks >= _RESTING_LOOKS:
                    looks = 0
                    daemon.tick()
                each_round(daemon)
                pause = _TICK_SECONDS if stirs else _RESTING_SECONDS
        except JournalDamagedError as error:
            logger.error("{}", error)
            stop.wait(_AFTER_DAMAGE_SECONDS)
        finally:
            if stop.is_set():
                daemon.state.tell_ending()
            daemon.stop()


def run_once(chosen: Context, started: Callable[[], None] = lambda: None) -> int:
    """Work off what is there; its exit code (docs/cli.md#exit-codes). `started` is called once everything runs.

    Raises PaperchuteError.
    """
    with TerminalProgress(out) as shown:
        failures = _Failures()
        daemon = Daemon(chosen.rules(), chosen.state, (shown, failures))
        stop = threading.Event()
        with stopping_signals(stop.set):
            try:
                daemon.start()
                started()
                daemon.look_again()  # what `started` has dropped may be told by the system a second later
                reason = _work_off(daemon, stop)
                later, held = daemon.postponed(), daemon.held()
            finally:
                chosen.state.tell_ending()
                daemon.stop()
    for line in held:
        out.print(line)
    if reason:
        out.print(reason)
        return EXIT_NO_SERVICE if daemon.service_problem() else EXIT_FAILED
    if later:
        out.print(later)
    return EXIT_FAILED if failures.count else 0


class _Lines:
    """A subscriber: what stops the work, as lines of the terminal."""

    def hear(self, event: Event, /) -> None:
        if text := told(event):
            out.print(text)


class _Failures:
    """A subscriber: how many jobs have failed."""

    def __init__(self) -> None:
        self.count = 0

    def hear(self, event: Event, /) -> None:
        self.count += isinstance(event, Failed)


def _work_off(daemon: Daemon, stop: threading.Event) -> str:
    """Tick until nothing is left; a sentence when it ended with work undone, else empty."""
    moved = time.monotonic()
    while not stop.wait(_ONCE_TICK_SECONDS):
        daemon.tick()
        if daemon.idle():
            return ""
        if daemon.moving():
            moved = time.monotonic()
        elif time.monotonic() - moved > _ONCE_WAITS_SECONDS:
            return " ".join(daemon.status().troubles) or _why_it_waits(daemon)
    return _("Stopped before everything was done; the next run continues.")


def _why_it_waits(daemon: Daemon) -> str:
    if daemon.shown.activity == "paused":
        return _("Paperchute is paused; `{command}` resumes work.", command=command("resume"))
    waiting = daemon.journal.queries.jobs(["waiting"], limit=3)
    reasons = [_("{name} waits to be tried again: {reason}", name=job.path.name, reason=job.error) for job in waiting]
    return " ".join([*reasons, _("The next run continues.")])
