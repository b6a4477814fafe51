"""The verb `serve`: the engine alone, for other programs."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from typing import Annotated

import typer

from paperchute.cli.context import given, need_engine
from paperchute.contract.engine_options import ENGINE_OPTIONS, ROLES, flag
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    flags = " ".join(flag(option) for option in ENGINE_OPTIONS)
    epilog = _(
        "The engine takes further flags, each with its value: {flags}; --hosts-by-call and --log too.", flags=flags
    )
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, epilog=epilog)(serve)


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help=N_("Address to listen on."))] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help=N_("0 = any free port."))] = 0,
    api_key_env: Annotated[str, typer.Option(help=N_("Variable that holds the key."))] = "PAPERCHUTE_API_KEY",
) -> None:
    """Run the engine alone, for other programs; prints one JSON line with its address when ready."""
    need_engine()
    role = _role(context.args)
    if not any(os.environ.get(name) for name in (api_key_env, f"{api_key_env}_FILE")) and role != "worker":
        raise PaperchuteError(
            _("The variable {name} holds no key.", name=api_key_env), _("Set it to a long random text.")
        )
    state = given(context).state.folder / ("serve" if role == "all" else f"serve-{role}")
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


def _role(flags: list[str]) -> str:
    """What the engine is told to be: engines of different roles on one machine have folders of their own."""
    for name, after in itertools.zip_longest(flags, flags[1:], fillvalue=""):
        if name == "--role" or name.startswith("--role="):
            role = name.partition("=")[2] or after
            return role if role in ROLES else "all"
    return "all"
