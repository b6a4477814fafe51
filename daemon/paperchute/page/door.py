"""The way in from this user's own programs: files of the state folder, which nobody else can read.

A ticket in an address would stand in the arguments of the browser, where every user of the machine can read it, so the
browser is given a file that leads on.
"""

from __future__ import annotations

import html
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

from paperchute.app.places import State
from paperchute.errors import PaperchuteError
from paperchute.files.placement import place_over, remove
from paperchute.invocation import command
from paperchute.language import _

HOST = "127.0.0.1"
_ASK_SECONDS = 5.0
_LEADING_ON = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={address}">
<title>Paperchute</title>
<p><a href="{address}">Paperchute</a>
"""


@dataclass(frozen=True)
class Door:
    """Where the page listens, and what gives a ticket there."""

    port: int
    key: str

    def address(self, ticket: str, view: str = "") -> str:
        """The address that lets in once. The ticket stands behind the #, which a browser sends to nobody."""
        return f"http://{HOST}:{self.port}/#{ticket}" + (f".{view}" if view else "")


def keep(state: State, door: Door) -> None:
    """Write it down for other processes. Raises OSError."""
    _write(state.page, json.dumps(asdict(door)))


def close(state: State) -> None:
    """The page listens no more. Raises OSError."""
    remove(state.page)
    remove(state.door)


def address_asked(state: State) -> str:
    """An address of the page that lets in once, from the running daemon. Raises PaperchuteError when none answers."""
    try:
        door = Door(**json.loads(state.page.read_text("utf-8")))
        answer = httpx.post(
            f"http://{HOST}:{door.port}/api/ticket",
            headers={"Authorization": f"Bearer {door.key}"},
            timeout=_ASK_SECONDS,
            trust_env=False,
        )
        return door.address(str(answer.raise_for_status().json()["ticket"]))
    except (OSError, httpx.HTTPError, httpx.InvalidURL, KeyError, ValueError, TypeError) as error:
        raise PaperchuteError(
            _("Paperchute is not running here, so there is no page to open."),
            _("Start it: {command}", command=command("run")),
        ) from error


def leading_to(state: State, address: str) -> Path:
    """A file that leads a browser to an address. Raises OSError."""
    _write(state.door, _LEADING_ON.format(address=html.escape(address)))
    return state.door


def _write(path: Path, text: str) -> None:
    """For the owner's eyes alone, whole, over what was there."""
    new = path.with_name(f".{secrets.token_hex(8)}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    place_over(new, path)
