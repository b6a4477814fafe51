"""The verb `autostart`: whether Paperchute starts when its person logs in."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from paperchute.cli.context import Context, given, say
from paperchute.desktop.autostart import Autostart, autostart, switch_off, switch_on
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import N_, _


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command("autostart")(set_autostart)


def set_autostart(
    context: typer.Context,
    wish: Annotated[Literal["on", "off", "status"], typer.Argument(help=N_("on, off or status."))] = "status",
) -> None:
    """Start Paperchute when you log in, or no longer; alone: say which."""
    its = autostart()
    try:
        if wish == "on":
            chosen = given(context)
            chosen.rules()  # a program that stops at once is no help to who logs in
            switch_on(its, words_of(chosen, headless=its.headless))
        elif wish == "off":
            switch_off(its)
        _say(its)
    except OSError as error:
        raise PaperchuteError(
            _("{path} cannot be changed ({reason}).", path=its.where, reason=error.strerror or error),
            _("Look at its permissions."),
        ) from error
    except ValueError as error:
        raise PaperchuteError(
            _("{path} is not as Paperchute wrote it, so it is left alone.", path=its.where),
            _(
                "Change it by hand, or remove it; then `{command}` writes a new one.",
                command=command("autostart on"),
            ),
        ) from error


class AtLogin:
    """Whether this Paperchute starts at log-in, for those who show a switch."""

    def __init__(self, chosen: Context) -> None:
        self._chosen = chosen

    def is_on(self) -> bool | None:
        """None where nothing starts programs at log-in, or what stands there cannot be read."""
        try:
            return autostart().words() is not None
        except (PaperchuteError, OSError, ValueError):
            return None

    def switch(self, *, on: bool) -> None:
        """Raises PaperchuteError where somebody has put something of their own, and OSError."""
        its = autostart()
        if on:
            switch_on(its, words_of(self._chosen, headless=its.headless))
        else:
            switch_off(its)


def words_of(chosen: Context, *, headless: bool) -> list[str]:
    """What starts this Paperchute at log-in."""
    return [*program(chosen), "run", *(["--headless"] if headless else [])]


def program(chosen: Context) -> list[str]:
    """This Paperchute, with the rules and state that are used now: a desktop has no variables of a shell."""
    python = Path(sys.executable)
    windowless = python.with_name(f"{python.stem}w.exe")  # pythonw.exe; in the Windows folder paperchutew.exe
    words = [str(windowless if windowless.exists() else python), "-P", "-m", "paperchute"]
    if chosen.rules_option is not None or os.environ.get("PAPERCHUTE_RULES"):
        words += ["--rules", str(chosen.rules_path)]
    if chosen.state_option is not None or os.environ.get("PAPERCHUTE_STATE"):
        words += ["--state", str(chosen.state.folder)]
    return words


def _say(its: Autostart) -> None:
    words = its.words()
    if words is None:
        say(_("Paperchute does not start when you log in; `{command}` changes that.", command=command("autostart on")))
        return
    say(_("Paperchute starts when you log in: {path}", path=its.where))
    say("  " + " ".join(words))
    if its.headless:
        say("  " + _("`loginctl enable-linger` starts it with the machine, before anybody logs in."))
    if missing := _missing(words):
        say(
            "  ! "
            + _(
                "{path} is no longer there; `{command}` sets it right.",
                path=missing,
                command=command("autostart on"),
            )
        )


def _missing(words: Sequence[str]) -> str:
    """What the command names and is gone, as after a move of the program; empty when all is there."""
    named = [Path(word) for word in words if Path(word).is_absolute()]
    return next((str(path) for path in named if not path.exists()), "")
