"""Verbs for beginning: init, demo, serve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from paperchute.cli import demo as demo_run
from paperchute.cli.context import given, out
from paperchute.cli.first_rules import choices, first_file
from paperchute.contract.engine_options import ENGINE_OPTIONS, flag
from paperchute.errors import PaperchuteError
from paperchute.files.placement import write_whole
from paperchute.rules.file import load, parse


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    for verb in (init, demo):
        app.command()(verb)
    flags = " ".join(flag(option) for option in ENGINE_OPTIONS)
    epilog = f"The engine takes further flags, each with its value: {flags}; --hosts-by-call and --log too."
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, epilog=epilog)(serve)


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Option(help="Where the hot folders are to be.")] = Path("~/Hot"),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
) -> None:
    """Make a first rule file and its hot folders; asks a few questions where somebody is there to answer."""
    path = given(context).rules_path
    if path.exists():
        raise PaperchuteError(f"There is a rule file already: {path}.", "Edit that one; nothing was changed.")
    hot, chosen = choices(folder, ask=not yes)
    text = first_file(hot, chosen)
    parse(text, path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise PaperchuteError(
            f"{path} cannot be written ({error.strerror}).", "Choose another with --rules."
        ) from error
    rules = load(path)
    for rule in rules.rules:
        rule.folder.mkdir(parents=True, exist_ok=True)
        out.print(f"{rule.folder}: {rule.name}")
    out.print(f"Rules: {path}")
    out.print("Start with: paperchute run")


def demo(
    folder: Annotated[Path | None, typer.Argument(help="Where to set it up. Default: ~/Paperchute Demo.")] = None,
    stay: Annotated[bool, typer.Option("--stay", help="Leave it running, with the tray icon.")] = False,
) -> None:
    """Set up hot folders with rules, drop real documents in, and show what comes out."""
    code = demo_run.demo(folder, stay=stay)
    if code:
        raise typer.Exit(code)


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
