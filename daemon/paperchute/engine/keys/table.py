"""API keys beside the service's own: whose tasks are whose, how much each key may ask for, and what it has used.

A key is 256 random bits, so its SHA-256 is kept as it is: there is nothing to guess that a slow or salted hash would
make slower, and who has the hash has not the key. Limits are counted from the tasks themselves, so that no counter can
drift; pages are booked in the transaction that ends a run well, which happens once.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from paperchute.engine.work import AskLater, Refused
from paperchute.language import _

MOST = 2**31 - 1
"""Of any limit."""
_MARK = "pc_"  # by which a key is told from other text, in a log or in a repository
_KEY = re.compile(_MARK + r"[A-Za-z0-9_-]{43}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # so that it can stand in logs and metrics as it is
_USED_SECONDS = 3600.0  # how exactly it is known when a key was last used
_MINUTE = 60.0
_ROUNDING_SECONDS = 0.001  # that sums of moments and steps may be off
_CLOCK_SECONDS = 120.0
"""A key whose minute ends so much later than it can has seen the clock set back, and begins a new minute."""
_OPEN_SECONDS = 5  # until a task may have ended
_TOO_MANY = 429

SCHEMA = """
create table if not exists api_key (
    id         text primary key,
    name       text not null unique,
    hash       text not null unique,
    created    real not null,
    used       real not null default 0,
    revoked    real not null default 0,
    most_open  integer not null default 0,
    pages      integer not null default 0,
    rate       integer not null default 0,
    rate_until real not null default 0
);
create table if not exists key_pages (
    api_key text not null,
    month   text not null,
    pages   integer not null,
    primary key (api_key, month)
);
create table if not exists task_owner (
    task    text primary key,
    api_key text not null
);
create index if not exists task_owner_key on task_owner (api_key);
"""
"""For SQLite. Tables of their own, so that an engine of the release before can work on the same database."""
LASTING = ("api_key", "key_pages")
"""Those that nobody can make anew."""


@dataclass(frozen=True)
class ApiKey:
    """A key as it is known without its text. Times are Unix times, 0 for never; limits are 0 where there is none.

    most_open: tasks that have not ended; pages: in a calendar month (UTC); rate: requests for work in a minute.
    """

    id: str = ""
    name: str = ""
    created: float = 0.0
    used: float = 0.0
    revoked: float = 0.0
    most_open: int = 0
    pages: int = 0
    rate: int = 0


OWN = ApiKey()
"""The service's own key, which the one who runs it gives it at the start: without limits, in no table."""

_COLUMNS = "id, name, created, used, revoked, most_open, pages, rate"


@dataclass(frozen=True)
class KeyUse:
    """What a key has under way and has used. open: tasks; held: runs that have not ended; pages: of this month."""

    key: ApiKey
    open: int
    held: int
    pages: int


class KeyTroubleError(Exception):
    """A key cannot be made or changed as asked. The text is for people."""


class KeyTable:
    """Keys in the store's database, as SQL that both SQLite and PostgreSQL understand. Raises the store's trouble."""

    def __init__(
        self,
        rows: Callable[..., list[Mapping[str, Any]]],
        write: Callable[..., bool],
        together: Callable[[], AbstractContextManager[None]],
        now: Callable[[], float] = time.time,
    ) -> None:
        """rows, write, together, now: the store's, as in `SqlStore`; servers whose clocks differ share one rate."""
        self._rows = rows
        self._write = write
        self._together = together
        self._now = now

    # ---------- for the one who runs the service ----------

    def add(self, name: str, limits: Mapping[str, int]) -> str:
        """A new key's text, which is nowhere else. Raises KeyTroubleError."""
        if not _NAME.fullmatch(name):
            raise KeyTroubleError(
                _("a name has up to 64 letters, digits, dots, dashes or underscores; a letter or digit comes first")
            )
        text = _MARK + secrets.token_urlsafe(32)
        with self._together():
            made = self._write(
                "insert into api_key (id, name, hash, created) values (?, ?, ?, ?) on conflict do nothing",
                *(secrets.token_hex(8), name, _hash(text), self._now()),
            )
            if not made:
                raise KeyTroubleError(_("there is a key named {name} already, or was: names are used once", name=name))
            self.limit(name, limits)
        return text

    def limit(self, name: str, limits: Mapping[str, int]) -> None:
        """Set limits by the names that they have in `ApiKey`; 0 takes one away. Raises KeyTroubleError."""
        with self._together():
            self._changed(name, "name = name")
            for limit in ("most_open", "pages", "rate"):
                if limit in limits:
                    self._changed(name, f"{limit} = ?", limits[limit])

    def revoke(self, name: str) -> None:
        """From now on it opens nothing; what it has begun goes on. Raises KeyTroubleError."""
        self._changed(name, "revoked = ?", self._now())

    def all(self) -> list[KeyUse]:
        """Every key that there is or was, in the order in which they came."""
        return self._uses(
            [ApiKey(**row) for row in self._rows(f"select {_COLUMNS} from api_key order by created, name")]
        )

    # ---------- for the service ----------

    def find(self, text: str) -> ApiKey | None:
        """The key with this text; None for what is no key, or none any more."""
        if not _KEY.fullmatch(text):  # so that no stranger's guess costs a look at the database
            return None
        rows = self._rows(f"select {_COLUMNS} from api_key where hash = ? and revoked = 0", _hash(text))
        if not rows:
            return None
        key, now = ApiKey(**rows[0]), self._now()
        if abs(now - key.used) > _USED_SECONDS:
            self._write("update api_key set used = ? where id = ?", now, key.id)
        return key

    def caller(self, task: str) -> str:
        """The name of the key that a task came with; empty for the service's own."""
        owner = "select api_key from task_owner where task = ?"
        rows = self._rows(f"select name from api_key where id = ({owner})", task)
        return str(rows[0]["name"]) if rows else ""

    def webhook_token(self, task: str) -> str:
        """Return what goes with a letter to the callback of a task; empty where it came with the service's own key."""
        owner = "select api_key from task_owner where task = ?"
        rows = self._rows(f"select hash from api_key where id = ({owner})", task)
        return _webhook_token(rows[0]["hash"]) if rows else ""

    def take_request(self, key: ApiKey) -> None:
        """Count one request for work against the rate. Raises AskLater.

        A key may ask `rate` times at once, and then each 60 / `rate` seconds: `rate_until` is when all of it is free
        again. One statement, so that no two servers give the same place away.
        """
        if not key.rate:
            return
        now, step = self._now(), _MINUTE / key.rate
        latest, odd = now + _MINUTE - step + _ROUNDING_SECONDS, now + _CLOCK_SECONDS
        if self._write(
            "update api_key set rate_until = ? + case when rate_until < ? or rate_until > ? then ? else rate_until end"
            " where id = ? and (rate_until <= ? or rate_until > ?)",
            *(step, now, odd, now, key.id, latest, odd),
        ):
            return
        rows = self._rows("select rate_until from api_key where id = ?", key.id)
        seconds = int(rows[0]["rate_until"] - latest) + 1 if rows else 1
        raise AskLater(_("this API key may ask {rate} times a minute", rate=key.rate), max(1, seconds), _TOO_MANY)

    def check(self, key: str, more: int = 0) -> None:
        """Whether a key, by id, may have the tasks that it has, and `more` with one run each. Raises Refused, AskLater.

        With `more` 0 it is asked by the transaction that has added them; whoever else adds some waits for its end.
        """
        if not key:
            return
        rows = self._rows(f"select {_COLUMNS} from api_key where id = ?", key)
        limits = ApiKey(**rows[0]) if rows else OWN
        if not limits.most_open and not limits.pages:
            return
        if not more:  # locks the row
            self._write("update api_key set name = name where id = ?", key)
        use = self._use(limits)
        if limits.pages and use.pages >= limits.pages:
            raise Refused("06001", _("this month's {most} pages are used up", most=limits.pages))
        if limits.pages and use.pages + use.held + more > limits.pages:
            raise AskLater(_("the last pages of this month are taken by tasks at work"), _OPEN_SECONDS, _TOO_MANY)
        if limits.most_open and use.open + more > limits.most_open:
            raise AskLater(
                _("this API key may have {most} tasks at a time", most=limits.most_open), _OPEN_SECONDS, _TOO_MANY
            )

    def left(self, key: ApiKey) -> tuple[int, int]:
        """How many pages a key may still use this month, and how many of these are held by runs that have not ended."""
        if not key.pages:
            return MOST, 0
        use = self._use(key)
        return max(0, key.pages - use.pages), use.held

    def book(self, run: str, pages: int) -> None:
        """A run has ended well; by the transaction that writes that down."""
        self._write(
            "insert into key_pages (api_key, month, pages) select api_key, ?, ? from task_owner where task ="
            " (select task from run where id = ?) on conflict (api_key, month)"
            " do update set pages = key_pages.pages + excluded.pages",
            *(self._month(), pages, run),
        )

    # ---------- inside ----------

    def _changed(self, name: str, what: str, *values: object) -> None:
        if not self._write(f"update api_key set {what} where name = ? and revoked = 0", *values, name):
            raise KeyTroubleError(_("there is no key named {name}, or it is revoked", name=name))

    def _use(self, key: ApiKey) -> KeyUse:
        return self._uses([key], " and api_key = ?", key.id)[0]

    def _uses(self, keys: list[ApiKey], more: str = "", *values: str) -> list[KeyUse]:
        """Of these keys. more: narrows what is looked at to theirs."""
        under_way = self._rows(
            "select api_key, count(distinct task.id) as tasks,"
            " sum(case when run.state in ('draft', 'waiting', 'processing') then 1 else 0 end) as held"
            " from task join task_owner on task_owner.task = task.id left join run on run.task = task.id"
            f" where task.state in ('open', 'started'){more} group by api_key",
            *values,
        )
        used = self._rows(f"select api_key, pages from key_pages where month = ?{more}", self._month(), *values)
        tasks = {row["api_key"]: (int(row["tasks"]), int(row["held"])) for row in under_way}
        pages = {row["api_key"]: int(row["pages"]) for row in used}
        return [KeyUse(key, *tasks.get(key.id, (0, 0)), pages.get(key.id, 0)) for key in keys]

    def _month(self) -> str:
        """The calendar month in UTC. Each has its own count: a clock that is set back gives nobody a fresh one."""
        return datetime.fromtimestamp(self._now(), UTC).strftime("%Y-%m")


def webhook_token_of(key: str) -> str:
    """What letters to the callbacks of this key's holder carry, by the key's text: he can check it and nobody else's.

    The service's own token would let every holder of a key forge letters to the receiver of the one who runs it.
    """
    return _webhook_token(_hash(key))


def _webhook_token(key_hash: str) -> str:
    return hmac.digest(key_hash.encode(), b"webhooks", "sha256").hex()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
