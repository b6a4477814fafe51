"""The engine's database: its tables, and opening it whatever state it is in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from loguru import logger

_VERSION = 3
_SCHEMA = """
create table if not exists task (
    id          text primary key,
    operation   text not null,
    mode        text not null,
    request_key text unique,
    callback    text not null,
    metadata    text not null,
    language    integer not null,
    state       text not null,
    created     real not null,
    queued      real not null,
    updated     real not null,
    expires     real not null
);
create index if not exists task_expires on task (expires);
create index if not exists task_created on task (created);
create index if not exists task_unended on task (state) where state in ('open', 'started');
create table if not exists run (
    id           text primary key,
    task         text not null,
    number       integer not null,
    operation    text not null,
    token        text not null unique,
    upload       text not null,
    upload_until real not null,
    state        text not null,
    file_name    text not null,
    file_size    integer not null,
    parameters   text not null,
    order_text   text not null,
    output_name  text not null default '',
    output_size  integer not null default 0,
    milliseconds integer not null default 0,
    code         text not null default '',
    reason       text not null default '',
    starts       integer not null default 0,
    warnings     text not null default '[]'
);
create index if not exists run_task on run (task, number);
create index if not exists run_upload on run (upload) where upload != '';
create table if not exists letter (
    id    integer primary key,
    url   text not null,
    body  text not null,
    tries integer not null default 0,
    due   real not null
);
"""


def opened(path: Path) -> sqlite3.Connection:
    """The database at `path`. A broken one is put aside: it lists results of the last day and nothing else."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise  # no room, no permission: not the file's fault
    except sqlite3.DatabaseError as error:
        logger.error("the list of tasks is broken ({}) and is started anew", error)
        for left in path.parent.glob(f"{path.name}*"):
            left.replace(left.with_name(f"broken-{left.name}"))
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.row_factory = sqlite3.Row
        database.execute("pragma journal_mode=wal")
        database.execute("pragma synchronous=normal")
        version = database.execute("pragma user_version").fetchone()[0]
        if version == 2:
            database.execute("alter table run add column warnings text not null default '[]'")
        elif version != _VERSION:  # new, or of a much older or a newer engine, whose results were for a day
            database.execute("drop table if exists task")
            database.execute("drop table if exists run")
        database.execute(f"pragma user_version = {_VERSION}")
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database
