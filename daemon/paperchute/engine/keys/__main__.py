"""`python -m paperchute.engine.keys`: look after a service's API keys, on its machine or at its shared database.

Standard input is one JSON object, {"do": add|limit|list|revoke, "name": ..., "limits": {...}}; standard output is the
answer as another, or {"trouble": a sentence}. Whoever asks shows it to people: `paperchute keys`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from paperchute.engine.keys.table import KeyTable, KeyTroubleError, KeyUse, webhook_token_of
from paperchute.language import _, preferred, speaking
from paperchute.sandbox import take

DATABASE = "PAPERCHUTE_DATABASE"


def main() -> None:
    """Answer one request."""
    parser = argparse.ArgumentParser(prog="paperchute.engine.keys")
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--database", default="")
    options = parser.parse_args()
    with speaking(preferred()):
        sys.stdout.write(json.dumps(_answer(options.state, options.database, json.load(sys.stdin))) + "\n")


def _answer(state: Path, database: str, request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        with _table(state, database) as keys:
            return _done(keys, str(request["do"]), str(request.get("name", "")), dict(request.get("limits", {})))
    except KeyTroubleError as error:
        return {"trouble": str(error)}
    except (OSError, sqlite3.Error) as error:
        return {"trouble": _("the keys cannot be read or written: {reason}", reason=error)}


def _done(keys: KeyTable, what: str, name: str, limits: Mapping[str, int]) -> dict[str, Any]:
    match what:
        case "add":
            key = keys.add(name, limits)
            return {"key": key, "webhook_token": webhook_token_of(key)}
        case "limit":
            keys.limit(name, limits)
        case "revoke":
            keys.revoke(name)
    return {"keys": [_shown(use) for use in keys.all() if what == "list" or use.key.name == name]}


def _shown(use: KeyUse) -> dict[str, Any]:
    known = asdict(use.key)
    del known["id"]
    used = known.pop("used")
    return {**known, "last_used": used, "open": use.open, "pages_this_month": use.pages}


def _table(state: Path, database: str) -> AbstractContextManager[KeyTable]:
    shared = database or take(DATABASE)
    return _in_cluster(shared, bool(database)) if shared else _alone(state)


@contextlib.contextmanager
def _alone(state: Path) -> Iterator[KeyTable]:
    """The keys in an engine's own file, whether it runs or not: each change is one transaction."""
    from paperchute.engine.tasks.sqlite import opened_for_keys

    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.closing(opened_for_keys(state / "tasks.sqlite")) as connection:

        def rows(statement: str, *values: Any) -> list[Mapping[str, Any]]:
            return [dict(row) for row in connection.execute(statement, values)]

        def write(statement: str, *values: Any) -> bool:
            return connection.execute(statement, values).rowcount > 0

        @contextlib.contextmanager
        def together() -> Iterator[None]:
            nested = connection.in_transaction
            if not nested:
                connection.execute("begin immediate")
            try:
                yield
            except BaseException:
                connection.rollback()
                raise
            if not nested:
                connection.commit()

        yield KeyTable(rows, write, together)


@contextlib.contextmanager
def _in_cluster(url: str, is_seen: bool) -> Iterator[KeyTable]:
    """The keys in a shared database, which is made ready if no engine has done so. is_seen: on the command line."""
    if is_seen and urlsplit(url).password:
        raise KeyTroubleError(
            _("a password on the command line is seen by everybody: give it in {name} or PGPASSWORD", name=DATABASE)
        )
    try:
        import psycopg
        from psycopg.conninfo import make_conninfo

        from paperchute.engine.cluster.database import Clock, Database, migrate
    except ImportError as error:
        raise KeyTroubleError(_("install paperchute[scale] for this ({name} is missing)", name=error.name)) from error
    password = take("PGPASSWORD")
    try:
        place = make_conninfo(url, **({"password": password} if password else {}))
        with contextlib.closing(Database(place)) as database:
            migrate(database)

            def write(statement: str, *values: Any) -> bool:
                return database.write(statement, *values) > 0

            def rows(statement: str, *values: Any) -> list[Mapping[str, Any]]:
                return list(database.rows(statement, *values))

            yield KeyTable(rows, write, database.together, Clock(database).now)
    except psycopg.OperationalError as error:  # says of itself what there is to say, and nothing of the address
        raise KeyTroubleError(str(error).strip().partition("\n")[0]) from error
    except ValueError as error:
        raise KeyTroubleError(str(error)) from error
    except psycopg.Error as error:
        raise KeyTroubleError(_("the keys cannot be read or written: {reason}", reason=type(error).__name__)) from error


if __name__ == "__main__":
    main()
