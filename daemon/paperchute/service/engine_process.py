"""The embedded engine's process: started on a free loopback port with a random key, ended with the daemon."""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from paperchute import telemetry
from paperchute.children import apart
from paperchute.contract.engine_libraries import absent_library, without_engine
from paperchute.contract.engine_options import ENGINE_OPTIONS, flag
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.sandbox import plain_environment
from paperchute.service.model import ServiceAddress

_START_SECONDS = 60.0
_STOP_SECONDS = 10.0


class EngineError(PaperchuteError):
    """The engine does not come up."""

    exit_code = 3


class EngineProcess:
    """One engine. It ends when its standard input closes, so it cannot outlive the daemon, even one that is killed."""

    def __init__(
        self, state: Path, options: Mapping[str, Any] = MappingProxyType({}), command: Sequence[str] | None = None
    ) -> None:
        """state: the engine's own folder. options: by name, as `contract.engine_options` has them, secrets themselves.

        command: what to run instead of our engine (for tests).
        """
        flags, self._secrets = _as_flags(options)
        self._log = state / "engine.log"
        self._state = state
        self._command = list(command) if command else [
            sys.executable, "-P", "-m", "paperchute.engine",
            "--state", str(state), "--port", "0",
            "--secrets-from-stdin", "--stop-with-stdin", "--hosts-by-call", "--log", str(self._log), *flags,
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> ServiceAddress:
        """Start it and wait until it answers. Raises EngineError."""
        if absent_library():
            raise EngineError(*without_engine())
        self._state.mkdir(parents=True, exist_ok=True)
        key = secrets.token_urlsafe(32)
        errors = (self._state / "engine.err").open("wb")
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=plain_environment(
                    **telemetry.own_variables()
                ),  # nothing of what rules and other programs keep in the daemon's
                **apart(),  # Ctrl-C in the terminal is for the daemon, which ends the engine in order
            )
            self._tell({"api_key": key, **self._secrets})
        except OSError as error:
            raise EngineError(
                _("The engine cannot be started ({why}).", why=error.strerror), _("Reinstall Paperchute.")
            ) from error
        finally:
            errors.close()
        try:
            line = self._first_line()
            address = str(json.loads(line)["base_url"])
        except (queue.Empty, ValueError, KeyError, TypeError) as error:
            self.stop()
            raise EngineError(
                _("The engine did not start: {words}", words=self._last_words()), _("Its log: {log}", log=self._log)
            ) from error
        return ServiceAddress(address, key, local=True)

    def alive(self) -> bool:
        """Decide whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End it: first by closing its input, then by force."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        for end in (process.stdin.close, process.terminate, process.kill):
            with contextlib.suppress(OSError):  # it has ended before it had read what it was told
                end()
            try:
                process.wait(_STOP_SECONDS)
                break
            except subprocess.TimeoutExpired:
                continue
        if process.stdout is not None:
            process.stdout.close()

    def _tell(self, secrets: Mapping[str, str]) -> None:
        """Neither a list of processes nor /proc shows what goes through a pipe."""
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended already, and its last words say why; EINVAL on Windows
            self._process.stdin.write(json.dumps(secrets).encode() + b"\n")
            self._process.stdin.flush()

    def _first_line(self) -> bytes:
        """The engine's one line, or queue.Empty when it does not come in time; empty when the process has ended."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(
            target=lambda: lines.put(process.stdout.readline()),  # type: ignore[union-attr]
            name="first-line",
            daemon=True,
        ).start()
        return lines.get(timeout=_START_SECONDS)

    def _last_words(self) -> str:
        try:
            lines = (self._state / "engine.err").read_text("utf-8", "replace").strip().splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else _("it ended without a word.")


def _as_flags(options: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """(flags, secrets by their option's name): secrets go another way, since every list of processes shows flags."""
    flags: list[str] = []
    hidden: dict[str, str] = {}
    for option in ENGINE_OPTIONS:
        value = options.get(option.name, option.default)
        if option.metadata.get("form") == "secret":
            hidden[option.name] = str(value)
        elif value != option.default:
            flags += [f"{flag(option)}={one}" for one in (value if isinstance(value, list | tuple) else [value])]
    return flags, hidden
