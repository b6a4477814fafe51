"""Engines of two releases on one database: what a later migration may do, and what an earlier engine bears."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

import psycopg

from paperchute.engine.cluster.database import migrate
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.tasks.ports import Told
from paperchute.engine.tasks.task import NewTask

_FIRST = "0001_tasks.sql"
"""Nothing was there before it."""
_ADDS = re.compile(
    r"create (unlogged )?table|create index|insert into"
    r"|alter table \w+ add column \w+ \w+( precision)?(( not null)? default .+)?$"
)


def _later() -> dict[str, str]:
    folder = resources.files("paperchute.engine.cluster.migrations")
    return {
        file.name: file.read_text("utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".sql") and file.name != _FIRST
    }


def _refused(text: str) -> list[str]:
    """The statements of a migration that an engine of the release before would stumble over."""
    bare = re.sub(r"--.*", "", text).lower()
    statements = [" ".join(statement.split()) for statement in bare.split(";")]
    return [statement for statement in statements if statement and not _ADDS.match(statement)]


def test_migrations_only_add() -> None:
    assert {name: _refused(text) for name, text in _later().items() if _refused(text)} == {}


@pytest.mark.parametrize(
    "statement",
    [
        "drop table letter",
        "alter table run drop column words",
        "alter table run rename column words to counts",
        "alter table run add column owner text not null",
        "create unique index x on run (task)",
        "alter table run alter column words drop default",
    ],
)
def test_what_the_release_before_cannot_bear_is_told(statement: str) -> None:
    assert _refused(f"-- a comment; with a semicolon\n{statement};") == [statement]


def test_what_adds_is_borne() -> None:
    for statement in ("create index x on run (task)", "alter table run add column owner text not null default ''"):
        assert _refused(statement) == []


def test_what_a_later_release_has_added_hurts_nobody(shared_store: Callable[[float], PostgresStore]) -> None:
    store = shared_store(60.0)
    with psycopg.connect(store.database.url) as connection:
        for table in ("task", "run", "letter", "progress", "upkeep"):
            connection.execute(f"alter table {table} add column later text not null default 'x'")
        connection.execute("create table later (id text primary key)")
        connection.execute("insert into migration (name) values ('9999_later.sql')")
    migrate(store.database)
    store.add(NewTask("t", "pdf-merge", "async", "en", "key"), "started")
    store.add_run(
        "r", "t", "pdf-merge", state="waiting", file_name="a", file_size=1, parameters="{}", order="{}"
    )  # fmt: skip
    epoch = store.begin("r", "1")
    assert epoch is not None
    store.tell_pages("r", 1, 2)
    task = store.get("t")
    assert task is not None
    assert store.pages(task.runs) == (1, 2)
    assert store.finish("r", epoch, "a.pdf", 1, Told(1))
    assert store.end("t", "finished")
    same = store.by_request_key("key")
    assert same is not None
    assert same.runs == (store.by_id("r"),)
    store.add_letter("http://receiver.example", "{}", 10)
    assert len(store.letters(10)) == 1
    assert store.due("sweep", 10.0)
    store.close()
