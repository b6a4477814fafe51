"""The way to PostgreSQL: connections that wait for nothing without end, transactions by thread, numbered migrations."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from loguru import logger
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, Row, dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from paperchute.language import _

SILENT_SECONDS = 8.0
"""For which the database may leave a statement without a word before its connection is given up: less than it takes
until a worker that has not been heard of is given up itself."""
_LONG_SECONDS = 600.0  # for statements that look at every row, or wait for another engine's migration
_MOST_CONNECTIONS = 10
_PATIENCE_SECONDS = 10.0  # for a connection, before whoever wants one is told that there is none
_CONNECT_SECONDS = 5
_LIMITS = {
    "connect_timeout": _CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 10_000,  # milliseconds
}
"""Of libpq, for machines that are gone: by themselves systems wait for a quarter of an hour, or two hours."""
_INTERVAL = 0.1  # seconds, as psycopg has it: between looks whether somebody pressed Ctrl-C
_AGAIN_SECONDS = 1.0
_CHECKED_SECONDS = 0.5  # a connection that lived so long ago is handed out as it is
_CLOCK_SECONDS = 60.0  # between looks at the database's clock
_JUMP_SECONDS = 1.0
_MIGRATING = 7_405_416_001  # of the advisory lock: one process at a time brings the schema up to date
_ENCODING = "UTF8"
_PREFIX = "procrastinate/"


_Value = TypeVar("_Value")


class SilentError(psycopg.OperationalError):
    """The database has taken a statement and does not answer."""

    def __init__(self) -> None:
        super().__init__("the database does not answer")


class BoundedConnection(psycopg.Connection[Row]):
    """Gives itself up when a statement is left without an answer, however alive the other side's TCP is."""

    patience = SILENT_SECONDS
    """Seconds; of what waits for notices its caller says how long."""

    def wait(self, gen: PQGen[_Value], interval: float = _INTERVAL, timeout: float | None = None) -> _Value:
        """See psycopg. Raises SilentError."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.patience)
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()
            raise SilentError from None


class BoundedAsyncConnection(psycopg.AsyncConnection[Row]):
    """As `BoundedConnection`, for an event loop."""

    patience = SILENT_SECONDS

    async def wait(self, gen: PQGen[_Value], interval: float = _INTERVAL, timeout: float | None = None) -> _Value:
        """See psycopg. Raises SilentError."""
        if timeout is not None:
            return await super().wait(gen, interval, timeout)
        try:
            return await super().wait(gen, interval, self.patience)
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()
            raise SilentError from None


Connection: TypeAlias = BoundedConnection[DictRow]


def bounded(url: str) -> str:
    """A database's address with limits on waiting for its machine, save those that it has already."""
    return make_conninfo(url, **{name: limit for name, limit in _LIMITS.items() if name not in conninfo_to_dict(url)})


class _Said(logging.Handler):
    """Keeps what the pool last said of a connection that it could not make."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            given = record.args if isinstance(record.args, tuple) else ()
            reasons = [each for each in given if isinstance(each, Exception)]
            self.last = _first_line(reasons[0]) if reasons else record.getMessage()


class Database:
    """Connections to one database. Thread-safe: within `together`, a thread has one connection for itself."""

    def __init__(self, url: str, patience: float = 0.0) -> None:
        """patience: seconds for which it is asked again while it cannot be reached, which is told at once.

        Raises psycopg.Error when it cannot be reached.
        """
        url = bounded(url)
        _reach(url, patience)
        self._said = _Said()  # of each connection that failed; who needed one says why there is none
        logger = logging.getLogger("psycopg.pool")
        logger.handlers, logger.propagate = [self._said], False
        self.url = url
        self._here = threading.local()
        self._checked: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            connection_class=BoundedConnection[DictRow],
            min_size=1,
            max_size=_MOST_CONNECTIONS,
            timeout=_PATIENCE_SECONDS,
            check=self._check,
            kwargs={"row_factory": dict_row, "autocommit": True},
            open=False,
        )
        self._pool.open()
        try:
            self.rows("select 1")
        except psycopg.Error:
            self._pool.close()
            raise

    def _check(self, connection: Connection) -> None:
        """After a restart of the server dead ones are not handed out; asking each time would double the round trips."""
        now = time.monotonic()
        if now - self._checked.get(connection, -_CHECKED_SECONDS) >= _CHECKED_SECONDS:
            try:
                ConnectionPool.check_connection(connection)
            except SilentError:
                self._pool.drain()  # nobody else is to find out one by one that the others of its age are silent, too
                raise
            self._checked[connection] = now

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """The thread's own within `together`, else one that writes each statement by itself."""
        mine: Connection | None = getattr(self._here, "connection", None)
        if mine is not None:
            yield mine
            return
        with self._one() as any_one:
            yield any_one

    @contextmanager
    def _one(self) -> Iterator[Connection]:
        """A connection of the pool. Raises psycopg.Error, which says why there is none."""
        try:
            with self._pool.connection() as any_one:
                yield any_one
        except SilentError:
            self._pool.drain()
            raise
        except PoolTimeout as error:
            raise psycopg.OperationalError(self._said.last or str(error)) from error

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction of this thread; what is asked for within it, too."""
        if getattr(self._here, "connection", None) is not None:
            yield
            return
        self._here.then = []
        with self._one() as mine:
            self._here.connection = mine
            try:
                with mine.transaction():
                    yield
            finally:
                self._here.connection = None
        for then in self._here.then:
            then()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """As `together`, for statements that may take their time."""
        with self.together(), self.connection() as mine:
            mine.patience = _LONG_SECONDS
            try:
                yield
            finally:
                mine.patience = SILENT_SECONDS

    def on_commit(self, then: Callable[[], None]) -> None:
        """Call `then` once this thread's transaction is written; at once outside of one."""
        if getattr(self._here, "connection", None) is not None:
            self._here.then.append(then)
        else:
            then()

    def rows(self, statement: str, *values: Any) -> list[DictRow]:
        """Return what a statement gives; values are marked with ? in it."""
        with self.connection() as connection:
            return connection.execute(_marked(statement), values).fetchall()

    def write(self, statement: str, *values: Any) -> int:
        """Return how many rows a statement has written."""
        with self.connection() as connection:
            return connection.execute(_marked(statement), values).rowcount

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()


def _reach(url: str, patience: float) -> None:
    """Wait until the database takes connections. Raises psycopg.Error when it does not for so long.

    What it says is no help in telling a wrong password from a server that starts: it is in the server's language, and
    without a code.
    """
    ends, told = time.monotonic() + patience, ""
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.Error as error:
            if time.monotonic() >= ends:
                raise type(error)(_unreached(error)) from error
            if told != (told := _unreached(error)):
                logger.warning("{}; it is asked again for {:.0f} s", told, max(1.0, ends - time.monotonic()))
        time.sleep(_AGAIN_SECONDS)


def _unreached(error: Exception) -> str:
    return _("the database cannot be used: {reason}", reason=_first_line(error))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


class Clock:
    """The database's clock, which is the same for all engines. Thread-safe.

    Between looks at it this machine's clock counts on; where that jumps or stands still, the other one shows it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: tuple[float, float, float] | None = None  # what it told, and this machine's two clocks then

    def now(self) -> float:
        """Unix time. Raises psycopg.Error."""
        if self._seen is not None:  # nobody waits for another's look, which takes a while when the database is away
            told, wall, steady = self._seen
            passed = time.monotonic() - steady
            if passed < _CLOCK_SECONDS and abs(time.time() - wall - passed) < _JUMP_SECONDS:
                return told + passed
        (row,) = self._database.rows("select extract(epoch from clock_timestamp())::double precision as now")
        self._seen = float(row["now"]), time.time(), time.monotonic()
        return self._seen[0]


def _marked(statement: str) -> Any:
    return statement.replace("?", "%s")


def migrate(database: Database) -> None:
    """Bring the schema up to date, the queue's too. Several may call it at once; one does it.

    Raises psycopg.Error, and ValueError for a database that could not keep every name.
    """
    with database.connection() as connection:
        encoding = connection.info.parameter_status("server_encoding")
    if encoding != _ENCODING:
        raise ValueError(
            _("the database's encoding is {encoding}; make it with {wanted}", encoding=encoding, wanted=_ENCODING)
        )
    with database.patient():
        database.rows("select pg_advisory_xact_lock(?)", _MIGRATING)
        database.write("create table if not exists migration (name text primary key, at timestamptz default now())")
        done = {str(row["name"]) for row in database.rows("select name from migration")}
        if not any(name.startswith(_PREFIX) for name in done):
            _script(database, (resources.files("procrastinate.sql") / "schema.sql").read_text("utf-8"))
            for name, _text in _files("procrastinate.sql.migrations", _PREFIX):
                database.write("insert into migration (name) values (?)", name)
                done.add(name)
        for name, text in [*_files("procrastinate.sql.migrations", _PREFIX), *_files(f"{__package__}.migrations", "")]:
            if name not in done:
                _script(database, text)
                database.write("insert into migration (name) values (?)", name)


def _files(package: str, prefix: str) -> list[tuple[str, str]]:
    files = [file for file in resources.files(package).iterdir() if file.name.endswith(".sql")]
    return sorted((prefix + file.name, file.read_text("utf-8")) for file in files)


def _script(database: Database, text: str) -> None:
    """Several statements as they stand; what they hold is the release's own."""
    with database.connection() as connection:
        connection.execute(text.encode())
