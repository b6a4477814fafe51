"""Starting Paperchute when its person logs in, in the way of each system."""

from __future__ import annotations

import contextlib
import os
import plistlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from xml.parsers.expat import ExpatError

from paperchute.errors import PaperchuteError
from paperchute.files.placement import remove, write_whole
from paperchute.invocation import command
from paperchute.language import _

_NAME = "paperchute"
_LABEL = "io.paperchute.daemon"
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_STOP_SECONDS = 30
"""Until a service that is told to stop is killed: the daemon lets running jobs end for some seconds."""


_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_WORD = re.compile(r'"((?:\\.|[^"\\])*)"')
"""As `_quoted` writes it."""
_OFF = {"Hidden=true", "X-GNOME-Autostart-enabled=false"}
_BY_DESKTOP = ("Hidden=", "X-GNOME-Autostart-enabled=")
"""How desktops write their own switch of an entry into it."""
_OUR_WORDS = {"paperchute", "run"}
"""Every command that we write has them."""


class Autostart(Protocol):
    """One system's way to start a program at log-in."""

    @property
    def headless(self) -> bool:
        """Whether it starts without a desktop, so that no tray icon can be shown."""

    @property
    def where(self) -> str:
        """The file or registry value that says so."""

    def put(self, words: Sequence[str]) -> None:
        """Have the command of these words started from now on. Raises OSError."""

    def words(self) -> list[str] | None:
        """The command that is started; None when there is none. Raises OSError; ValueError when it is not ours."""

    def changed(self) -> bool:
        """Tell if something stands there that `put` has not written so: somebody's own, or changed. Raises OSError."""

    def take_away(self) -> None:
        """Start nothing any more. Raises OSError."""


@dataclass(frozen=True)
class DesktopEntry:
    """Of a Linux desktop (freedesktop.org, "Desktop Application Autostart Specification" 0.5)."""

    path: Path
    headless: bool = False

    @property
    def where(self) -> str:
        """The entry's file."""
        return str(self.path)

    def put(self, words: Sequence[str]) -> None:
        """See `Autostart`."""
        text = self._text(words)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, text)

    def words(self) -> list[str] | None:
        """See `Autostart`."""
        words = _words_after("Exec=", self.path, _of_exec)
        off = words is not None and _OFF & set(self.path.read_text("utf-8").split("\n"))
        return None if off else words

    def changed(self) -> bool:
        """See `Autostart`. The switch in the desktop's own settings changes nothing that would be lost."""
        return _changed(self.path, lambda: _words_after("Exec=", self.path, _of_exec), self._text, _BY_DESKTOP)

    def _text(self, words: Sequence[str]) -> str:
        lines = [
            "[Desktop Entry]",
            "Type=Application",
            "Name=Paperchute",
            f"Exec={exec_key(words)}",
            "Terminal=false",
            "StartupNotify=false",
        ]
        return "\n".join(lines) + "\n"

    def take_away(self) -> None:
        """See `Autostart`."""
        remove(self.path)


@dataclass(frozen=True)
class UserUnit:
    """A unit of systemd for one user (systemd.service(5)): where there is no desktop, as on a server."""

    path: Path
    headless: bool = True

    @property
    def where(self) -> str:
        """The unit's file."""
        return str(self.path)

    @property
    def _wanted(self) -> Path:
        return self.path.parent / "default.target.wants" / self.path.name

    def put(self, words: Sequence[str]) -> None:
        """See `Autostart`."""
        text = self._text(words)
        self._wanted.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, text)
        remove(self._wanted)
        self._wanted.symlink_to(self.path)
        _tell_systemd()

    def words(self) -> list[str] | None:
        """See `Autostart`."""
        return self._written() if self._wanted.is_symlink() else None

    def changed(self) -> bool:
        """See `Autostart`."""
        return _changed(self.path, self._written, self._text)

    def take_away(self) -> None:
        """See `Autostart`."""
        remove(self._wanted)
        remove(self.path)
        _tell_systemd()

    def _written(self) -> list[str] | None:
        return _words_after("ExecStart=", self.path, _of_exec_start)

    def _text(self, words: Sequence[str]) -> str:
        lines = [
            "[Unit]",
            "Description=Paperchute, hot folders for documents",
            "",
            "[Service]",
            f"ExecStart={_exec_start(words)}",
            "Restart=on-failure",
            "RestartSec=10",
            "RestartPreventExitStatus=2",  # the rule file is wrong, or another one runs: trying again changes nothing
            f"TimeoutStopSec={_STOP_SECONDS}",
            "",
            "[Install]",
            "WantedBy=default.target",
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class LaunchAgent:
    """Of macOS (launchd.plist(5))."""

    path: Path
    headless: bool = False

    @property
    def where(self) -> str:
        """The agent's file."""
        return str(self.path)

    def put(self, words: Sequence[str]) -> None:
        """See `Autostart`."""
        text = self._text(words)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, text)

    def words(self) -> list[str] | None:
        """See `Autostart`."""
        try:
            words = plistlib.loads(self.path.read_bytes())["ProgramArguments"]
        except FileNotFoundError:
            return None
        except (plistlib.InvalidFileException, ExpatError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(self.where) from error
        return list(map(str, words))

    def changed(self) -> bool:
        """See `Autostart`."""
        return _changed(self.path, self.words, self._text)

    def take_away(self) -> None:
        """See `Autostart`."""
        remove(self.path)

    def _text(self, words: Sequence[str]) -> str:
        agent = {
            "Label": _LABEL,
            "ProgramArguments": list(words),
            "RunAtLoad": True,
            "KeepAlive": False,  # who quits it from the menu wants it gone
            "ProcessType": "Interactive",  # or the system slows it down as work that nobody waits for
            "ExitTimeOut": _STOP_SECONDS,
        }
        return plistlib.dumps(agent).decode("utf-8")


def autostart(home: Path | None = None) -> Autostart:
    """This system's. home: default, the user's. Raises PaperchuteError where nothing starts programs at log-in."""
    if sys.platform == "win32":
        return RunKey()
    home = home or Path.home()
    if sys.platform == "darwin":
        return LaunchAgent(home / "Library" / "LaunchAgents" / f"{_LABEL}.plist")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    unit = UserUnit(settings / "systemd" / "user" / f"{_NAME}.service")
    entry = DesktopEntry(settings / "autostart" / f"{_NAME}.desktop")
    if unit.path.exists() or entry.path.exists():
        return entry if entry.path.exists() else unit
    if any(os.environ.get(name) for name in ("XDG_CURRENT_DESKTOP", "WAYLAND_DISPLAY", "DISPLAY")):
        return entry
    if shutil.which("systemctl"):
        return unit
    raise PaperchuteError(
        _("There is neither a desktop nor systemd here, so nothing starts programs at log-in."),
        _("Have the system's own start-up run Paperchute with `run --headless`."),
    )


if sys.platform == "win32":
    import ctypes
    import winreg
    from ctypes import wintypes

    def _split(line: str) -> list[str]:
        """A command line in words, as the system takes it apart."""
        count = ctypes.c_int()
        take_apart = ctypes.windll.shell32.CommandLineToArgvW
        take_apart.restype = ctypes.POINTER(wintypes.LPWSTR)
        words = take_apart(wintypes.LPCWSTR(line), ctypes.byref(count))
        if not words:
            raise ctypes.WinError()
        try:
            return [words[number] for number in range(count.value)]
        finally:
            ctypes.windll.kernel32.LocalFree(words)

    @dataclass(frozen=True)
    class RunKey:
        """Of Windows: a value of the registry's key for programs that start with the user's session."""

        headless: bool = False

        @property
        def where(self) -> str:
            """The registry's key and the value's name."""
            return rf"HKEY_CURRENT_USER\{_RUN_KEY}\{_NAME}"

        def put(self, words: Sequence[str]) -> None:
            """See `Autostart`."""
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                winreg.SetValueEx(key, _NAME, 0, winreg.REG_SZ, subprocess.list2cmdline(words))

        def words(self) -> list[str] | None:
            """See `Autostart`."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                    return _split(str(winreg.QueryValueEx(key, _NAME)[0]))
            except FileNotFoundError:
                return None

        def changed(self) -> bool:
            """See `Autostart`."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                    line = str(winreg.QueryValueEx(key, _NAME)[0])
            except FileNotFoundError:
                return False
            words = _split(line)
            return line != subprocess.list2cmdline(words) or not _OUR_WORDS.issubset(words)

        def take_away(self) -> None:
            """See `Autostart`."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY, 0, winreg.KEY_SET_VALUE) as key:
                    winreg.DeleteValue(key, _NAME)
            except FileNotFoundError:
                return


def switch_on(its: Autostart, words: Sequence[str]) -> None:
    """Have it started from now on. Raises PaperchuteError where somebody has put something of their own; OSError."""
    _keep_what_is_changed(its)
    its.put(words)


def switch_off(its: Autostart) -> None:
    """Take away what `switch_on` wrote, and nothing else. Raises as that does."""
    _keep_what_is_changed(its)
    its.take_away()


def _keep_what_is_changed(its: Autostart) -> None:
    if its.changed():
        raise PaperchuteError(
            _("{path} is not as Paperchute wrote it, so it is left alone.", path=its.where),
            _(
                "Change it by hand, or remove it; then `{command}` writes a new one.",
                command=command("autostart on"),
            ),
        )


def _changed(
    path: Path, read: Callable[[], list[str] | None], write: Callable[[list[str]], str], others: tuple[str, ...] = ()
) -> bool:
    """Tell if the file is another than `write` makes of the words in it; lines that begin as one of `others` aside."""
    try:
        words = read()
        lines = path.read_text("utf-8").split("\n")
        return words is not None and [line for line in lines if not line.startswith(others)] != write(words).split("\n")
    except FileNotFoundError:
        return False
    except (ValueError, PaperchuteError):
        return True


def _words_after(key: str, path: Path, read: Callable[[str], list[str]]) -> list[str] | None:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return None
    lines = [line.removeprefix(key) for line in text.split("\n") if line.startswith(key)]
    words = read(lines[0]) if len(lines) == 1 else []
    if not words:
        raise ValueError(str(path))
    return words


def exec_key(words: Sequence[str]) -> str:
    """The value of an entry's Exec key ("Desktop Entry Specification" 1.5, "The Exec key")."""
    quoted = (_quoted(word.replace("%", "%%"), '"`$\\') for word in words)
    return " ".join(quoted).replace("\\", "\\\\")


def _of_exec(text: str) -> list[str]:
    return [word.replace("%%", "%") for word in _unquoted(text.replace("\\\\", "\\"))]


def _exec_start(words: Sequence[str]) -> str:
    """The value of a unit's ExecStart (systemd.service(5), "Command lines")."""
    return " ".join(_quoted(word.replace("%", "%%").replace("$", "$$"), '"\\') for word in words)


def _of_exec_start(text: str) -> list[str]:
    return [word.replace("$$", "$").replace("%%", "%") for word in _unquoted(text)]


def _quoted(word: str, special: str) -> str:
    if _UNFIT.search(word):
        raise PaperchuteError(
            _("A path with a line break, or that is no text, cannot be started at log-in: {path}", path=repr(word)),
            _("Move it elsewhere."),
        )
    return '"' + "".join(f"\\{letter}" if letter in special else letter for letter in word) + '"'


def _unquoted(text: str) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", word) for word in _WORD.findall(text)]


def _tell_systemd() -> None:
    """Where the user's systemd does not run just now, or has gone, it reads its units when it starts."""
    with contextlib.suppress(FileNotFoundError):
        subprocess.run(
            ["systemctl", "--user", "daemon-reload"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_STOP_SECONDS,
        )
