"""`python -m paperchute.engine`: run the engine as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import Field, fields
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp

from paperchute import telemetry
from paperchute.children import own_input
from paperchute.contract.built_in import MODELS_VARIABLE
from paperchute.contract.engine_options import ENGINE_OPTIONS, choices, flag
from paperchute.contract.libreoffice import CHOICE_VARIABLE
from paperchute.engine.http.access import LOOPBACK, Connections, bounded, open_files
from paperchute.engine.http.monitoring import monitored
from paperchute.engine.http.server import Backing, Engine
from paperchute.engine.log import set_up_log
from paperchute.engine.settings import SECRETS_KEY, Limits, Settings
from paperchute.engine.tasks.alone import Alone
from paperchute.engine.work import FetchPolicy
from paperchute.file_lock import try_lock
from paperchute.language import _, preferred, speaking
from paperchute.redaction import in_use
from paperchute.sandbox import take

Labour = Callable[[], Coroutine[Any, Any, None]]
_DATABASE, _FILES = "PAPERCHUTE_DATABASE", "PAPERCHUTE_FILES"
_SWITCH_SECONDS = 0.0005
"""How long one thread keeps the others waiting for the interpreter. A small call goes through several, and by default
each may wait for 5 ms."""
_WAITING_THREADS = 64
"""Of what waits for the database and the storage of a cluster: those who wait for one hold up nobody at the other."""
_LOOK_SECONDS = 0.5
"""Between two looks whether the server is to end; also how old the date in an answer can be."""
_PREDECESSOR_SECONDS = 30.0
"""How long the engine of a daemon that was killed may take to end: it does so by itself, after its workers."""
_LOCK_LOOK_SECONDS = 0.1


def main() -> None:
    """Serve until told to stop. Exits with 0 then, with 2 for a wrong command line, with 1 when it cannot start."""
    with speaking(preferred()):
        parser = _parser()
        options = parser.parse_args()
    try:
        secrets = _told_secrets() if options.secrets_from_stdin else _secrets_of_environment(options)
    except OSError as error:
        sys.exit(f"the engine cannot start: {error}")
    key, webhook_token = secrets.get("api_key", ""), secrets.get("webhook_token", "")
    if not key and options.role != "worker":
        parser.error(f"the variable {options.api_key_env} holds no API key")
    in_use(key, lasting=True)
    in_use(webhook_token, lasting=True)
    if options.ocr_models:
        os.environ[MODELS_VARIABLE] = str(Path(options.ocr_models).resolve())  # the workers inherit it
    os.environ[CHOICE_VARIABLE] = options.office
    set_up_log(options.log)
    try:
        telemetry.set_up("paperchute-engine")
        options.state.mkdir(parents=True, exist_ok=True)
        options.state.chmod(0o700)
        # A daemon alone has its folder, so who still holds the engine's there is the one of a daemon that was killed.
        patience = _PREDECESSOR_SECONDS if options.stop_with_stdin else 0.0
        with _lock(options.state, patience), _listener(options.host, options.metrics_port or options.port) as listener:
            limits = Limits(**{limit.name: getattr(options, limit.name) for limit in fields(Limits)})
            inner = frozenset(host.lower() for host in options.inner_host)
            fetch = FetchPolicy(tuple(options.allow_host), tuple(sorted(inner)))
            settings = Settings(
                options.state.resolve(),
                key,
                inner,
                options.webhook_url,
                webhook_token,
                options.workers or Settings.workers,
                fetch,
                limits,
                options.hosts_by_call,
            )
            backing, labour = _backing(settings, options)
            sys.setswitchinterval(_SWITCH_SECONDS)
            # Not Windows' own event loop, which the library for PostgreSQL does not go with.
            with (
                contextlib.closing(backing.store),
                asyncio.Runner(loop_factory=asyncio.SelectorEventLoop if labour is not None else None) as runner,
            ):
                runner.run(_work(settings, backing, labour, listener, options))
    except (OSError, sqlite3.Error, ClusterTrouble, telemetry.TelemetryError) as error:
        sys.exit(f"the engine cannot start: {error}")
    finally:
        telemetry.end()


class ClusterTrouble(Exception):
    """What engines share cannot be had."""


def _backing(settings: Settings, options: argparse.Namespace) -> tuple[Backing, Labour | None]:
    """What stands behind the routes, and how to do the work of others where there are others."""
    if options.metrics_port and options.role != "worker":
        raise ClusterTrouble(_("`metrics_port` is for the role worker; others answer where they answer calls"))
    database = options.database or take(_DATABASE)
    files = options.files or os.environ.get(_FILES, "")
    secret = take(SECRETS_KEY)
    if not database and not files:
        if options.role != "all":
            raise ClusterTrouble(_("an engine alone has the role all; others need `database` and `files` to share"))
        return Alone(settings), None
    if not database or not files:
        raise ClusterTrouble(_("`database` and `files` go together"))
    if urlsplit(options.database).password:
        raise ClusterTrouble(
            _("a password on the command line is seen by everybody: give it in {name} or PGPASSWORD", name=_DATABASE)
        )
    try:
        from paperchute.engine.cluster.roles import TROUBLE, Member, Place
        from paperchute.engine.cluster.sealing import LEAST_KEY
    except ImportError as error:
        raise ClusterTrouble(_("install paperchute[scale] for this ({name} is missing)", name=error.name)) from error
    if len(secret) < LEAST_KEY:
        raise ClusterTrouble(
            _(
                "the variable {name} must hold at least {least} characters, the same for all",
                name=SECRETS_KEY,
                least=LEAST_KEY,
            )
        )
    password = take("PGPASSWORD")
    for hidden in (secret, password, urlsplit(database).password or ""):
        in_use(hidden, lasting=True)
    try:
        member = Member(settings, Place(database, files, secret, password, options.drain_seconds))
    except TROUBLE as error:
        raise ClusterTrouble(str(error).strip().partition("\n")[0]) from error
    return member, member.work


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="paperchute.engine", description=_("Run the engine as a process of its own."))
    parser.add_argument("--state", type=Path, required=True, help=_("folder for tasks and results"))
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help=_("0: a free one"))
    parser.add_argument("--api-key-env", default="", help=_("environment variable that holds the API key"))
    parser.add_argument(
        "--secrets-from-stdin",
        action="store_true",
        help=_(
            "the first line of standard input gives the secrets instead, as {example}",
            example='{"api_key": ..., "webhook_token": ...}',
        ),
    )
    parser.add_argument(
        "--hosts-by-call",
        action="store_true",
        help=_(
            "a call may name further hosts for its HTML, by commas, in the header {header}", header="Paperchute-Hosts"
        ),
    )
    parser.add_argument("--log", type=Path, help=_("log file; default: standard error"))
    parser.add_argument("--stop-with-stdin", action="store_true", help=_("end when standard input closes"))
    for option in ENGINE_OPTIONS:
        _add_option(parser, option)
    return parser


def _secrets_of_environment(options: argparse.Namespace) -> dict[str, str]:
    named = {"api_key": options.api_key_env, "webhook_token": options.webhook_token_env}
    return {secret: take(name) for secret, name in named.items() if name}


def _told_secrets() -> dict[str, str]:
    """Not through sys.stdin, which would keep what comes after the line."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return dict(json.loads(line or b"{}"))


def _add_option(parser: argparse.ArgumentParser, option: Field[Any]) -> None:
    about = _(option.metadata["help"])
    match option.metadata.get("form"):
        case "bytes":
            about = _("{option}, in bytes", option=about)
        case "secret":
            about = _("name of the environment variable with this: {option}", option=about)
    if isinstance(option.default, tuple):
        parser.add_argument(flag(option), action="append", default=[], help=_("{option}; repeatable", option=about))
    else:
        kind = str if isinstance(option.default, str) else partial(_number, option)
        parser.add_argument(flag(option), type=kind, default=option.default, choices=choices(option), help=about)


def _number(option: Field[Any], text: str) -> float:
    """What a flag says: more than 0, which only those take that have it by themselves."""
    value = float(text) if isinstance(option.default, float) else int(text)
    if not (0 < value < math.inf or value == option.default):
        raise argparse.ArgumentTypeError(_("{value} is not greater than 0", value=text))
    return value


@contextlib.contextmanager
def _lock(state: Path, patience: float) -> Iterator[None]:
    """Hold the state folder, which one engine has at a time.

    patience: seconds to wait for another engine to end; after them the process exits with 1.
    """
    end = time.monotonic() + patience
    with (state / "engine.lock").open("a") as file:
        while not try_lock(file):
            if time.monotonic() >= end:
                sys.exit(f"another engine is running on the state folder {state}")
            time.sleep(_LOCK_LOOK_SECONDS)
        yield


def _listener(host: str, port: int) -> socket.socket:
    """A bound socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where the protocol is named; else each answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":  # there it would let two engines share the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


class _Server(uvicorn.Server):
    """Ends the engine's work before it waits for those who wait for it."""

    def __init__(self, config: uvicorn.Config, engine: Engine) -> None:
        super().__init__(config)
        self._engine = engine

    async def main_loop(self) -> None:
        """As uvicorn's, which wakes up ten times a second: for most of what an idle engine did."""
        while not await self.on_tick(0):
            await asyncio.sleep(_LOOK_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._engine.stop()
        await super().shutdown(sockets)


class _Beside(uvicorn.Server):
    """Answers beside the work, which decides when the process ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves them to the work."""
        yield


async def _work(
    settings: Settings, backing: Backing, labour: Labour | None, listener: socket.socket, options: argparse.Namespace
) -> None:
    """What the role says, until told to stop."""
    if backing.store.remote:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_WAITING_THREADS, "waiting"))
    working = asyncio.create_task(labour()) if labour is not None and options.role != "api" else None
    if working is None or options.role == "all":
        await _serve(settings, backing, listener, options)
    else:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
        stopping = asyncio.create_task(stop.wait())
        async with _watched(settings, backing, listener, options):
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            await _ended(working)
    if working is not None:
        await _ended(working)


async def _ended(working: asyncio.Task[Any]) -> None:
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working


@contextlib.asynccontextmanager
async def _watched(
    settings: Settings, backing: Backing, listener: socket.socket, options: argparse.Namespace
) -> AsyncIterator[None]:
    """Say that the work has begun, and answer beside it until it has ended, where that is asked for."""
    told: dict[str, object] = {"role": options.role, "pid": os.getpid()}
    server = serving = None
    if options.metrics_port:
        loopback = options.host in LOOPBACK
        app = monitored(backing.metrics, backing.check, backing.check_alive, key=settings.key, loopback=loopback)
        server = _Beside(_config(app, lambda _headers: False))
        serving = asyncio.create_task(server.serve([listener]))
        told["metrics_url"] = f"{_address(options.host, listener)}/metrics"
    else:
        listener.close()
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    try:
        yield
    finally:
        if server is not None and serving is not None:
            server.should_exit = True
            await serving


async def _serve(settings: Settings, backing: Backing, listener: socket.socket, options: argparse.Namespace) -> None:
    engine = Engine(settings, backing, loopback=options.host in LOOPBACK)
    server = _Server(_config(engine.app, engine.doors.knows), engine)

    def stop(*_: object) -> None:
        server.should_exit = True

    # uvicorn raises a signal again once it has stopped for it; being told to stop is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    if options.stop_with_stdin:
        caller = own_input()
        threading.Thread(target=_stop_when_closed, args=(server, caller), name="standard-input", daemon=True).start()
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        address = {"base_url": f"{_address(options.host, listener)}/server", "pid": os.getpid()}
        sys.stdout.write(json.dumps(address) + "\n")
        sys.stdout.flush()
    await serving


def _config(app: ASGIApp, knows: Callable[[Headers], bool]) -> uvicorn.Config:
    """knows: who has shown a key; see `Doorkeeper.knows`."""
    connections = Connections(lambda headers: knows(Headers(raw=headers)), open_files())
    return uvicorn.Config(
        app,
        http=bounded(connections),
        ws="none",
        backlog=connections.backlog,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,  # longer than clients keep idle connections, so that no call meets one being closed
        timeout_graceful_shutdown=5,
    )


def _address(host: str, listener: socket.socket) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def _stop_when_closed(server: uvicorn.Server, caller: int) -> None:
    # Not through sys.stdin: its lock, held by this thread at the end of the process, would abort Python.
    while os.read(caller, 4096):
        pass
    server.should_exit = True


if __name__ == "__main__":
    main()
