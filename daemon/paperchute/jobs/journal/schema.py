"""The journal's tables, and the way from any older version to the present one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from paperchute.files.names import one_elsewhere
from paperchute.jobs.codec import identity_of, members_from, members_text, path_from, stored
from paperchute.language import _

_VERSION_1 = """
create table rule (
    fingerprint text primary key,
    spec        text not null
);
create table job (
    id          integer primary key autoincrement,
    token       text not null unique,
    rule        text not null references rule,
    rule_name   text not null,
    folder      text not null,
    path        text not null,
    relative    text not null,
    is_set      integer not null,
    members     text not null,
    identity    text not null,
    state       text not null,
    stage       text not null,
    attempts    integer not null default 0,
    due         real not null default 0,
    created     real not null,
    started     real,
    finished    real,
    hashes      text,
    error       text,
    error_code  text,
    error_text  text,
    outputs     text not null default '[]',
    note        text,
    kept        integer not null default 0
);
-- one open job for one content at one path under one rule: promise 1 of the design, kept by the database
create unique index job_open on job (rule_name, path, identity) where state in ('queued', 'running', 'waiting');
create index job_next on job (state, folder, due, id);
create index job_path on job (path, id);
create index job_finished on job (state, finished);
create table step (
    job      integer not null references job on delete cascade,
    number   integer not null,
    round    integer not null default 0,
    sent     real,
    answer   text,
    answered real,
    outputs  text,
    primary key (job, number)
) without rowid;
create table plan (
    job     integer not null references job on delete cascade,
    kind    text not null,
    content text not null,
    primary key (job, kind)
) without rowid;
create table event (
    id   integer primary key,
    job  integer not null references job on delete cascade,
    at   real not null,
    kind text not null,
    text text not null
);
create index event_job on event (job, id);
create table setting (
    name  text primary key,
    value text not null
) without rowid;
"""

# Who is next must be found at once however long the queue is, for each hot folder and priority by itself.
_VERSION_2 = """
alter table job add column priority integer not null default 0;
drop index job_next;
create index job_queued on job (priority, folder, id) where state = 'queued';
create index job_local on job (priority, folder, id) where state = 'queued' and stage <> 'steps';
create index job_waiting on job (due) where state = 'waiting';
-- done, but the original was not there to be filed: its share was away
alter table job add column unfiled integer not null default 0
"""


def _without_device(connection: sqlite3.Connection) -> None:
    """Identities of version 1 held the device's number, which changes when a share is mounted again."""
    for row in connection.execute("select id, members from job where kept = 1 or finished is null or state = 'failed'"):
        members = members_from(row["members"])
        connection.execute(
            "update or ignore job set members = ?, identity = ? where id = ?",
            (members_text(members), identity_of(members), row["id"]),
        )


_VERSION_3 = "alter table step add column task text"

# A step may have several calls; part is empty for the only one. And the files of a set that has no folder of its own.
_VERSION_4 = """
alter table step rename to old_step;
create table step (
    job      integer not null references job on delete cascade,
    number   integer not null,
    part     text not null default '',
    round    integer not null default 0,
    sent     real,
    task     text,
    answer   text,
    answered real,
    outputs  text,
    primary key (job, number, part)
) without rowid;
insert into step (job, number, round, sent, task, answer, answered, outputs)
    select job, number, round, sent, task, answer, answered, outputs from old_step;
drop table old_step;
create table member (
    job      integer not null references job on delete cascade,
    path     text not null,
    identity text not null,
    primary key (job, path)
) without rowid;
create index member_path on member (path)
"""

# Of a set that several rules have, which one it is, as each of them may take other files of it.
_VERSION_5 = "alter table job add column whole text not null default ''"

# Done with warnings is a state of its own: what the result lacks, and whether somebody has seen that.
_VERSION_6 = """
alter table job add column warnings text not null default '[]';
alter table job add column seen integer not null default 0;
create index job_warned on job (id) where state = 'warned' and not seen
"""

# What was put in place, so that it is known later which file is an unchanged result of ours. It outlives its job.
_VERSION_7 = """
create table written (
    path   text primary key,
    sha256 text not null,
    rule   text not null,
    wanted text not null,
    job    integer not null
) without rowid;
create index written_job on written (job)
"""

# Of a set that is a folder: the files of it that the job does not take, and what is to be said of them.
_VERSION_8 = "alter table job add column facts text"

# What rules have used by month, which outlives their jobs; of what was before, as far as the jobs still tell it.
_VERSION_9 = """
create table usage (
    month text not null,
    rule  text not null,
    jobs  integer not null,
    calls integer not null,
    pages integer not null,
    primary key (month, rule)
) without rowid;
insert into usage select strftime('%Y-%m', finished, 'unixepoch', 'localtime') as month, rule_name, count(*), 0, 0
    from job where state in ('done', 'warned') and finished is not null group by month, rule_name;
insert into usage select strftime('%Y-%m', sent, 'unixepoch', 'localtime') as month, rule_name, 0, count(*), 0
    from step join job on job.id = step.job where sent is not null group by month, rule_name
    on conflict do update set calls = excluded.calls
"""

# Each rule of a hot folder stands in a line of its own. And what was begun, to find it again under another name.
_VERSION_10 = """
drop index job_queued;
drop index job_local;
create index job_queued on job (priority, folder, rule_name, id) where state = 'queued';
create index job_local on job (priority, folder, rule_name, id) where state = 'queued' and stage <> 'steps';
create index job_begun on job (folder, rule_name)
    where started is not null and state in ('queued', 'running', 'waiting')
"""

# A result is found again by its bytes, wherever it lies, and by its name as systems read it that know no letter case.
_VERSION_11 = """
alter table written add column size integer;
alter table written add column folded text;
create index written_bytes on written (size, sha256);
create index written_folded on written (folded)
"""


def _folded(connection: sqlite3.Connection) -> None:
    paths = [row["path"] for row in connection.execute("select path from written")]
    connection.executemany(
        "update written set folded = ? where path = ?",
        [(stored(one_elsewhere(path_from(path))), path) for path in paths],
    )


# What a document says of itself, and what a person has answered where that is not sure.
_VERSION_12 = """
alter table job add column said text;
alter table job add column answers text not null default '{}'
"""


# A file that was done before is found by its bytes.
_VERSION_13 = "create index job_hashes on job (hashes, rule_name) where hashes is not null"


# What a document says may decide which rules have it: those that may, and what each of them asks.
_VERSION_14 = """
alter table job add column ladder text;
alter table job add column asks text
"""

# Which service a call went to, and whether that one may have taken a try of it whose answer never came.
_VERSION_15 = """
alter table step add column service text;
alter table step add column unsure integer not null default 0
"""

# A scan that was made twice is found by its fingerprint, in the order in which these were made.
_VERSION_16 = """
create table fingerprint (
    id      integer primary key,
    job     integer not null unique references job on delete cascade,
    key     text not null,
    content blob not null
);
create index fingerprint_key on fingerprint (key)
"""

_VERSION_17 = """
create table bates (
    job    integer not null references job on delete cascade,
    step   integer not null,
    part   text not null,
    before integer not null,
    primary key (job, step, part)
) without rowid
"""


Migration = tuple[str, Callable[[sqlite3.Connection], None] | None]

MIGRATIONS: tuple[Migration, ...] = (
    (_VERSION_1, None),
    (_VERSION_2, _without_device),
    (_VERSION_3, None),
    (_VERSION_4, None),
    (_VERSION_5, None),
    (_VERSION_6, None),
    (_VERSION_7, None),
    (_VERSION_8, None),
    (_VERSION_9, None),
    (_VERSION_10, None),
    (_VERSION_11, _folded),
    (_VERSION_12, None),
    (_VERSION_13, None),
    (_VERSION_14, None),
    (_VERSION_15, None),
    (_VERSION_16, None),
    (_VERSION_17, None),
)
"""Entry i brings a journal of version i to version i + 1: a script, then what SQL alone cannot do."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the journal to the present version, in one transaction, which also keeps two processes apart.

    Raises sqlite3.DatabaseError for a damaged file, and ValueError for a journal from a newer Paperchute.
    """
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("begin immediate")
    try:
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise ValueError(_("its version {version} is newer than {known}", version=version, known=len(MIGRATIONS)))
        for script, rework in MIGRATIONS[version:]:
            for statement in script.split(";"):
                connection.execute(statement)
            if rework is not None:
                rework(connection)
        connection.execute(f"pragma user_version={len(MIGRATIONS)}")
        connection.execute("commit")
    except BaseException:
        connection.execute("rollback")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])
