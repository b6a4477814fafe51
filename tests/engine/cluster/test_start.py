"""What an administrator may have got wrong, or not done yet, when engines of a cluster start."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

import psycopg

from tests.engine.cluster.members import SECRET, Member
from tests.engine.cluster.servers import BUCKET, MotoServer, PostgresServer, postgres, until


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[PostgresServer]:
    """One that may be stopped, and whose databases are this module's."""
    with postgres() as server:
        yield server


def _engine(database: str, storage: MotoServer, state: Path, role: str = "worker", secret: str = SECRET) -> Member:
    environment = {
        **storage.environment(),
        "PAPERCHUTE_DATABASE": database,
        "PAPERCHUTE_FILES": f"s3://{BUCKET}/start",
        "PAPERCHUTE_SECRETS_KEY": secret,
    }
    return Member(state, role, environment, (), errors=True)


def _made(server: PostgresServer, name: str, how: str = "") -> str:
    """The address of a new database."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"create database {name} {how}".encode())
    return urlsplit(server.url)._replace(path=f"/{name}").geturl()


def _why_not(member: Member) -> str:
    """What it says when it does not start."""
    try:
        assert member.process.wait(60) == 1
        assert member.process.stderr is not None
        return member.process.stderr.read().decode().strip()
    finally:
        member.close()


def test_a_database_that_is_away_is_told_at_once_and_waited_for(
    own_postgres: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    own_postgres.stop()
    member = _engine(own_postgres.url, storage_server, tmp_path / "engine")
    log = tmp_path / "engine" / "engine.log"
    try:
        until(lambda: log.exists() and "the database cannot be used: connection failed" in log.read_text("utf-8"))
        own_postgres.start()
        assert member.started().said["role"] == "worker"
    finally:
        member.close()


def test_a_database_that_cannot_keep_every_name_is_refused(
    own_postgres: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    for encoding in ("LATIN1", "SQL_ASCII"):
        url = _made(own_postgres, f"of_{encoding.lower()}", f"encoding '{encoding}' locale 'C' template template0")
        said = _why_not(_engine(url, storage_server, tmp_path / encoding))
        assert encoding in said
        assert "UTF8" in said


def test_a_user_who_may_make_no_tables_is_told_in_one_line(
    own_postgres: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    url = _made(own_postgres, "others")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create role few login")
        connection.execute("revoke create on schema public from public")
    said = _why_not(_engine(url.replace("test@", "few@"), storage_server, tmp_path / "engine"))
    assert "permission denied for schema public" in said
    assert "\n" not in said


def test_engines_that_start_together_make_the_tables_once(
    own_postgres: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    url = _made(own_postgres, "together")
    members = [_engine(url, storage_server, tmp_path / str(number)) for number in range(4)]
    starting = [threading.Thread(target=member.started) for member in members]
    try:
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join(60)
        assert ["role" in member.said for member in members] == [True] * 4
        with psycopg.connect(url) as connection:
            (row,) = connection.execute("select count(*), count(distinct name) from migration").fetchall()
        assert row[0] == row[1] > 0
    finally:
        for member in members:
            member.close()
