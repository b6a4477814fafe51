"""The verbs of `keys`: add, limit, list, revoke. They look after the API keys of a service that `serve` runs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Annotated, Any

import typer
from rich.table import Table

from paperchute.cli.context import AsJson, given, need_engine, say, say_json
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _

_MOST = 2**31 - 1

Name = Annotated[str, typer.Argument(help=N_("The key's name: who it is for."))]
Database = Annotated[
    str, typer.Option(help=N_("The database of a service of several engines. Default: $PAPERCHUTE_DATABASE."))
]
MostOpen = Annotated[
    int | None, typer.Option(min=0, max=_MOST, help=N_("Most tasks that have not ended. 0 = as many as there may be."))
]
Pages = Annotated[
    int | None, typer.Option(min=0, max=_MOST, help=N_("Most pages in a calendar month. 0 = any number."))
]
Rate = Annotated[
    int | None, typer.Option(min=0, max=_MOST, help=N_("Most requests for work in a minute. 0 = any number."))
]


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    group = typer.Typer(help=N_("API keys of the service that `serve` runs: add, limit, list, revoke."))
    for name, verb, text in (
        ("add", add, N_("Make a key. It is shown once; the service keeps only a hash of it.")),
        ("limit", limit, N_("Change the limits of a key, from its next call on.")),
        ("list", list_, N_("List the keys with their limits and what they have used this month (UTC).")),
        ("revoke", revoke, N_("Revoke a key. What it has already started continues.")),
    ):
        group.command(name, help=text)(verb)
    app.add_typer(group, name="keys")


def add(
    context: typer.Context,
    name: Name,
    most_open: MostOpen = None,
    pages: Pages = None,
    rate: Rate = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Make a key, which is shown once."""
    made = _asked(context, database, {"do": "add", "name": name, "limits": _limits(most_open, pages, rate)})
    if as_json:
        say_json({"name": name, **made})
        return
    typer.echo(made["key"])
    typer.echo(_("This is the key named {name}. It cannot be shown again.", name=name), err=True)
    typer.echo(_("Webhooks to its holder carry the token {token}.", token=made["webhook_token"]), err=True)


def limit(
    context: typer.Context,
    name: Name,
    most_open: MostOpen = None,
    pages: Pages = None,
    rate: Rate = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Change what a key may ask for."""
    limits = _limits(most_open, pages, rate)
    if not limits:
        raise PaperchuteError(
            _("Which limit?"),
            _("Give one of {options}.", options="--most-open, --pages, --rate"),
        )
    _show(_asked(context, database, {"do": "limit", "name": name, "limits": limits})["keys"], as_json=as_json)


def list_(context: typer.Context, database: Database = "", as_json: AsJson = False) -> None:
    """List the keys."""
    _show(_asked(context, database, {"do": "list"})["keys"], as_json=as_json)


def revoke(context: typer.Context, name: Name, database: Database = "", as_json: AsJson = False) -> None:
    """Let a key open nothing any more."""
    _show(_asked(context, database, {"do": "revoke", "name": name})["keys"], as_json=as_json)


def _limits(most_open: int | None, pages: int | None, rate: int | None) -> dict[str, int]:
    given_ones = {"most_open": most_open, "pages": pages, "rate": rate}
    return {name: most for name, most in given_ones.items() if most is not None}


def _asked(context: typer.Context, database: str, request: dict[str, Any]) -> dict[str, Any]:
    """What the engine's side of it answers, in a process of its own as everything of the engine's is."""
    need_engine()
    command = [
        sys.executable,
        "-P",
        "-m",
        "paperchute.engine.keys",
        "--state",
        str(given(context).state.folder / "serve"),
    ]
    command += [f"--database={database}"] if database else []
    done = subprocess.run(command, input=json.dumps(request), stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if done.returncode:
        raise PaperchuteError(_("The keys cannot be managed."), _("The message above says why."))
    answer: dict[str, Any] = json.loads(done.stdout)
    if "trouble" in answer:
        raise PaperchuteError(_sentence(answer["trouble"]))
    return answer


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}".rstrip(".") + "."


def _show(keys: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        say_json(keys)
        return
    if not keys:
        say(_("There are no keys but the service's own."))
        return
    from paperchute.cli.terminal import out

    table = Table(
        _("name"), _("open tasks"), _("pages this month"), _("requests a minute"), _("last used"), "", box=None,
        pad_edge=False,
    )  # fmt: skip
    for key in keys:
        table.add_row(
            key["name"],
            _of(key["open"], key["most_open"]),
            _of(key["pages_this_month"], key["pages"]),
            str(key["rate"] or ""),
            time.strftime("%Y-%m-%d %H:00", time.localtime(key["last_used"])) if key["last_used"] else _("never"),
            _("revoked") if key["revoked"] else "",
        )
    out.print(table)


def _of(count: int, most: int) -> str:
    return _("{count} of {most}", count=count, most=most) if most else str(count)
