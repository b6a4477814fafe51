"""What tests of the engine share: a database server, for as long as they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.engine.cluster.servers import PostgresServer, postgres, reason_without

if TYPE_CHECKING:
    from paperchute.engine.cluster.postgres import PostgresStore


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Skips where there is none to be had."""
    if why := reason_without():
        pytest.skip(why)
    pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")
    with postgres() as server:
        yield server


@pytest.fixture
def database_url(postgres_server: PostgresServer) -> str:
    """Of a database whose tables are empty."""
    import psycopg

    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")
    return postgres_server.url


@pytest.fixture
def shared_store(database_url: str) -> Callable[[float], PostgresStore]:
    """Makes a store in PostgreSQL; it is the test's to close."""
    from paperchute.engine.cluster.database import Database, migrate
    from paperchute.engine.cluster.postgres import PostgresStore

    def made(result_seconds: float) -> PostgresStore:
        database = Database(database_url)
        migrate(database)
        return PostgresStore(database, result_seconds, "a key")

    return made
