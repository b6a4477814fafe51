"""The verb `serve`: the engine alone, for other programs."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated

import typer

from paperchute.cli.context import given
from paperchute.contract.engine_options import ENGINE_OPTIONS, flag
from paperchute.errors import PaperchuteError


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    flags = " ".join(flag(option) for option in ENGINE_OPTIONS)
    epilog = f"The engine takes further flags, each with its value: {flags}; --hosts-by-call and --log too."
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, epilog=epilog)(serve)


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = a free one.")] = 0,
    api_key_env: Annotated[str, typer.Option(help="Environment variable that holds the key.")] = "PAPERCHUTE_API_KEY",
) -> None:
    """Run the engine alone, for other programs; prints one JSON line with its address when ready."""
    if not os.environ.get(api_key_env):
        raise PaperchuteError(f"The variable {api_key_env} holds no key.", "Set it to a long random text.")
    state = given(context).state.folder / "serve"
    command = [
        sys.executable,
        "-P",
        "-m",
        "paperchute.engine",
        "--state",
        str(state),
        "--host",
        host,
        "--port",
        str(port),
    ]
    command += ["--api-key-env", api_key_env, *context.args]
    if sys.platform == "win32":
        raise typer.Exit(subprocess.call(command))
    os.execv(sys.executable, command)
