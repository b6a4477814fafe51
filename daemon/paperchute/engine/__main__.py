"""`python -m paperchute.engine`: run the engine as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from loguru import logger

from paperchute.engine.server import Engine
from paperchute.engine.settings import Settings
from paperchute.engine.work import FetchPolicy

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def main() -> None:
    """Serve until told to stop; exits with 2 when it cannot start."""
    options = _options()
    key = os.environ.pop(options.api_key_env, "")
    if not key:
        sys.exit(f"the variable {options.api_key_env} holds no API key")
    _set_up_log(options.log)
    options.state.mkdir(parents=True, exist_ok=True)
    options.state.chmod(0o700)
    with _lock(options.state):
        settings = Settings(
            options.state.resolve(), key, options.workers, FetchPolicy(tuple(options.allow_host)), **_limits(options)
        )
        engine = Engine(settings, loopback=options.host in _LOOPBACK)
        asyncio.run(_serve(engine, options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="paperchute.engine", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="folder for tasks and results")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--api-key-env", required=True, help="environment variable that holds the API key")
    parser.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument("--allow-host", action="append", default=[], help="host that HTML may fetch from, repeatable")
    parser.add_argument("--task-seconds", type=float, help="longest time for one task")
    parser.add_argument("--memory", type=int, help="most memory for one task, in bytes")
    parser.add_argument("--max-output", type=int, help="largest result of one task, in bytes")
    parser.add_argument("--max-file", type=int, help="largest file, in bytes")
    parser.add_argument("--max-files", type=int, help="most files to merge")
    parser.add_argument("--log", type=Path, help="log file")
    parser.add_argument("--stop-with-stdin", action="store_true", help="end when standard input closes")
    return parser.parse_args()


def _limits(options: argparse.Namespace) -> dict[str, int]:
    names = ("task_seconds", "memory", "max_output", "max_file", "max_files")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def _set_up_log(path: Path | None) -> None:
    logger.remove()
    line = "{time:YYYY-MM-DD HH:mm:ss.SSS} {level:<7} {message}"
    if path is not None:
        logger.add(path, format=line, rotation="10 MB", retention=5, diagnose=False, backtrace=False)
    else:
        logger.add(sys.stderr, format=line, diagnose=False, backtrace=False)


@contextlib.contextmanager
def _lock(state: Path) -> Iterator[None]:
    """One engine per state folder."""
    with (state / "engine.lock").open("a") as file:
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(f"another engine is running on the state folder {state}")
        yield


async def _serve(engine: Engine, options: argparse.Namespace) -> None:
    with socket.create_server((options.host, options.port), reuse_port=False) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            engine.app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=5
        )
        server = uvicorn.Server(config)
        if options.stop_with_stdin:
            threading.Thread(target=_stop_when_closed, args=(server,), daemon=True).start()
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if not serving.done():
            host = f"[{options.host}]" if ":" in options.host else options.host
            address = {"base_url": f"http://{host}:{port}/server", "pid": os.getpid()}
            sys.stdout.write(json.dumps(address) + "\n")
            sys.stdout.flush()
        await serving


def _stop_when_closed(server: uvicorn.Server) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    server.should_exit = True


if __name__ == "__main__":
    main()
