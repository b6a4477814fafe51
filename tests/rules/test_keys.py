"""Every key of a rule does what it is there for: it is declared in full, and changes something seen from outside.

`PROOFS` names for each key what is looked at. A key without a proof fails, as does one whose proof sees no difference,
and one whose value no module reads that works with finished rules: being declared, read and passed on is no effect.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any, cast

import jsonschema
import pytest
import tomlkit

from paperchute.app import sets
from paperchute.app.empty_folders import EmptyFolders
from paperchute.app.indexer import Indexer
from paperchute.app.rulebook import Rulebook
from paperchute.app.schedules import Schedules
from paperchute.app.search_index import SearchIndex
from paperchute.app.selection import asking, hot_folders, naming, new_jobs, shared_folders
from paperchute.app.sets import Gathering
from paperchute.events import Stream
from paperchute.files.identity import key_of
from paperchute.files.names import natural_order
from paperchute.jobs import expiry, pruner
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.pruner import Pruner
from paperchute.jobs.runner import Runner
from paperchute.jobs.work import Settings
from paperchute.rules.docs.cells import toml
from paperchute.rules.docs.reference import reference
from paperchute.rules.docs.schema import keys_of, schema
from paperchute.rules.file import parse
from paperchute.rules.match import FileFacts
from paperchute.rules.model import KEYS, RULE_KEYS, Rule, RuleKeys
from paperchute.rules.problems import RuleFileError
from paperchute.rules.requirements import absent_files
from paperchute.rules.secrets import opening_passwords_for
from paperchute.rules.settings import RuleFile
from paperchute.rules.sidecar import OverridesError, read_sidecar
from paperchute.service.model import Call, ServiceError
from paperchute.watch.interface import Ready
from tests.jobs.makers import new_job, runner_over
from tests.jobs.scripted import Scripted
from tests.observers import Told

SATURDAY_NOON = datetime(2026, 11, 21, 12, 0)
DAY = 86_400.0

Written = dict[str, Any]
BASE: Written = {"name": "Mine", "operation": "pdf-to-docx"}
NEXT: Written = {"name": "Next", "match": "*", "operation": "pdf-to-markdown"}
"""A second rule on the same folder, which takes what the first one leaves."""

MAKERS = {f"paperchute.rules.{module}" for module in ("model", "build", "condition_keys", "file", "stored", "lint")}
"""Modules that make rules, or only talk about them: what they read of one is no effect."""


@dataclass
class World:
    """A rule file in force, with a hot folder beside it."""

    home: Path
    rules: RuleFile

    @property
    def hot(self) -> Path:
        return self.home / "hot"

    @property
    def rule(self) -> Rule:
        return self.rules.rules[0]

    @contextmanager
    def journal(self) -> Iterator[Journal]:
        journal = Journal(self.home / "journal.sqlite", owner=True)
        yield journal
        journal.close()

    def drop(self, *names: str) -> None:
        for name in names:
            (self.hot / name).parent.mkdir(parents=True, exist_ok=True)
            (self.hot / name).write_bytes(b"%PDF-1.7 %%EOF")

    def ready(self, name: str) -> Ready:
        path = self.hot / name
        members = natural_order(path.rglob("*")) if path.is_dir() else [path]
        keyed = tuple((one, key) for one in members if (key := key_of(one)) is not None and one.is_file())
        return Ready(self.hot, path, keyed, is_set=path.is_dir())


# ---------- what is looked at: each works with finished rules as the daemon does ----------


def jobs(world: World) -> Any:
    """Which rule has which file, and which files are left out or missing: as the intake asks."""
    names = ["a.pdf", "b.pdf", "draft 1.pdf", "scan-1", "ann 12.pdf", "a.docx", "b.docx", "sub/a.pdf", "sub/b.txt"]
    world.drop(*names, "sub/c/d/e/f.pdf", "set/1.pdf", "set/2.pdf", "set/3.txt")
    facts = (
        FileFacts(size=10, kind="docx", pages=1, text="letter"),
        FileFacts(size=600_000, kind="pdf", pages=5, text="invoice: total", signed=True),
        FileFacts(size=60_000_000, kind="png"),
    )
    found: list[object] = []
    for name in (*names, "sub/c/d/e/f.pdf", "set"):
        ready = world.ready(name)
        candidates = asking(world.rules.rules, ready)
        for fact in facts:
            wished = new_jobs(candidates, ready, {path: fact for path, _ in ready.members})
            held = [new.facts.held for new in wished if new.facts is not None]
            found.append((name, [(new.rule.name, len(new.members), bool(new.ladder)) for new in wished], held))
    return found


def complete(world: World) -> Any:
    """When a dropped folder is complete by count or end mark."""
    (folder,) = hot_folders(world.rules.rules)
    sets_of = (["1.pdf"], ["1.pdf", "2.pdf", "3.pdf"], ["1.pdf", "all.end"])
    return [naming(world.rules.rules, folder, world.hot / "set", names).complete for names in sets_of]


def watched(world: World) -> Any:
    """How hot folders are watched, and which are shared."""
    return hot_folders(world.rules.rules), shared_folders(world.rules.rules)


def gathered(world: World) -> Any:
    """After how many seconds without another file which sets are whole, of 60 files that came at once."""
    world.drop(*(f"{number}.pdf" for number in range(60)), "x.pdf", "x-back.pdf", "x.insert.pdf")
    clock = SimpleNamespace(now=0.0, time=lambda: 0.0)
    clock.monotonic = lambda: clock.now
    found = []
    with world.journal() as journal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets, "time", clock)
        gathering = Gathering(journal)
        for path in natural_order(world.hot.iterdir()):
            gathering.add(new_job(world.rule, path))
        for seconds in (0, 1, 5, 15, 40):
            clock.now = float(seconds)
            whole, _ = gathering.whole(world.rules.rules, lambda folder: ())
            found.append((seconds, sorted(sorted(member.path.name for member in new.members) for new in whole)))
    return found


def hours(world: World) -> Any:
    """Whether a job of the rule waits at noon on a Saturday."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paperchute.app.rulebook.time.time", SATURDAY_NOON.timestamp)
        return Rulebook(world.rules, Stream()).opens(cast(Job, SimpleNamespace(rule=world.rule)))


def due(world: World) -> Any:
    """At which hours of a day a job without a file is opened."""
    with world.journal() as journal:
        schedules = Schedules(journal, Rulebook(world.rules, Stream()), Stream())
        found = []
        for hour in range(24):
            schedules.look(SATURDAY_NOON.replace(hour=hour))
            found.append(len(journal.queries.jobs([], limit=100)))
    return found


def waited_for(world: World) -> Any:
    """Whether work waits for files that the rule names, of which one is spoilt."""
    (world.home / "senders.csv").write_text("nobody\n")
    return bool(absent_files(world.rule))


def run(world: World) -> Any:
    """What is called for a file, what comes of it, and what lies where afterwards."""
    return _run(world)


def refused(world: World) -> Any:
    """What becomes of a job whose call fails for a while."""

    def fail(call: Call) -> None:
        raise ServiceError("Later.", kind="transient")

    return _run(world, fail)


def _run(world: World, on_call: Callable[[Call], None] = lambda call: None) -> Any:
    world.drop("a.pdf")
    (world.home / "hot.out").mkdir()
    (world.home / "hot.out" / "a.md").write_text("there before")
    service = Scripted()
    service.on_call = on_call
    with world.journal() as journal:
        journal.inserts.open_job(new_job(world.rule, world.hot / "a.pdf"))
    with world.journal() as journal:  # and so the rule is the one that the journal holds as text
        job = journal.queue.next()
        assert job is not None
        outcome = runner_over(journal, lambda: service, world.home / "work").run(job)
    calls = [(c.operation, dict(c.parameters), c.timeout, c.hosts, c.protection) for c in service.calls]
    places = [path.relative_to(world.home) for path in world.home.rglob("*") if path.is_file()]
    own = ("journal", "work")
    return outcome.kind, calls, sorted(path.as_posix() for path in places if not path.parts[0].startswith(own))


def twice(world: World) -> Any:
    """What becomes of a file that comes again under another name."""
    found = []
    service = Scripted()
    with world.journal() as journal:
        for name in ("a.pdf", "b.pdf"):
            world.drop(name)
            (world.hot / name).write_bytes(b"%PDF-1.7 same %%EOF")
            journal.inserts.open_job(new_job(world.rule, world.hot / name))
            job = journal.queue.next()
            assert job is not None
            found.append(runner_over(journal, lambda: service, world.home / "work").run(job).kind)
    return found, len(service.calls)


def order(world: World) -> Any:
    """Of which rule the next job is."""
    world.drop("a.pdf", "b.pdf")
    with world.journal() as journal:
        for rule, name in zip(reversed(world.rules.rules), ("a.pdf", "b.pdf"), strict=True):
            journal.inserts.open_job(new_job(rule, world.hot / name))
        highest = max(line.priority for line in journal.queue.lines())
        (job,) = journal.queue.claim([line for line in journal.queue.lines() if line.priority == highest], 1)
        return job.rule.name


def remembered(world: World) -> Any:
    """How many jobs are forgotten 40 days after they were done."""
    with world.journal() as journal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pruner, "_PAUSE_SECONDS", 0.0)
        world.drop("a.pdf")
        journal.inserts.open_job(new_job(world.rule, world.hot / "a.pdf"))
        job = journal.queue.next()
        assert job is not None
        assert runner_over(journal, Scripted, world.home / "work").run(job).kind == "done"
        return Pruner(journal, lambda: world.rules.rules, Told()).prune(datetime.now().timestamp() + 40 * DAY)


def expired(world: World) -> Any:
    """How many of what was filed 100 days ago go to the trash."""
    sent: list[str] = []
    with world.journal() as journal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pruner, "_PAUSE_SECONDS", 0.0)
        patch.setattr(expiry, "send2trash", sent.append)
        world.drop("a.pdf")
        journal.inserts.open_job(new_job(world.rule, world.hot / "a.pdf"))
        job = journal.queue.next()
        assert job is not None
        assert runner_over(journal, Scripted, world.home / "work").run(job).kind == "done"
        Pruner(journal, lambda: world.rules.rules, Told()).prune(datetime.now().timestamp() + 100 * DAY)
    return len(sent)


def emptied(world: World) -> Any:
    """Which folders go once their files are done."""
    mine = world.rules.rules[:1]
    found = []
    with world.journal() as journal:
        folders = EmptyFolders(journal)
        folders.look(world.hot, mine, frozenset(), 0.0, 0.0)
        world.drop("batch/a.pdf")
        journal.inserts.open_job(new_job(world.rule, world.hot / "batch" / "a.pdf"))
        job = journal.queue.next()
        assert job is not None
        assert runner_over(journal, Scripted, world.home / "work").run(job).kind == "done"
        for later in (1.0, 602.0):
            found.append(len(folders.look(world.hot, mine, frozenset(), later, later)))
    return found


def searched(world: World) -> Any:
    """Which jobs are found by a word of their result."""
    with world.journal() as journal:
        world.drop("a.pdf")
        journal.inserts.open_job(new_job(world.rule, world.hot / "a.pdf"))
        job = journal.queue.next()
        assert job is not None
        service = Scripted(("a.md", b"# Telegraph"))
        assert runner_over(journal, lambda: service, world.home / "work").run(job).kind == "done"
        index = SearchIndex(world.home / "search.sqlite")
        Indexer(journal, world.home / "search.sqlite").index(index)
        found = index.search("telegr", 9)
        index.close()
        return found


def opened(world: World) -> Any:
    """Which passwords are tried on a locked PDF."""
    return opening_passwords_for(world.rule, PurePath("a.pdf"))


def named(world: World) -> Any:
    """Whether a sidecar may name the secret that the example lists."""
    try:
        return read_sidecar("a.pdf.toml", b'password = "env:CLIENT_PW"', world.rule)
    except OverridesError as error:
        return str(error)


# ---------- the proofs ----------


@dataclass(frozen=True)
class Proof:
    """look: what must come out otherwise. beside: other keys that the proof needs. value: in the example's place.

    other: what the value is compared with, where it is not the key's absence.
    """

    look: Callable[[World], Any]
    beside: Mapping[str, Any] = field(default_factory=dict)
    value: Any = None
    other: Any = None


BATCH = {"operation": "pdf-merge", "gather": "batch"}
SET = {"operation": "pdf-merge", "gather": "folder"}
PAIR = {"operation": "pdf-insert", "gather": "pair", "parameters": {"actionType": "FROM_PDF", "index": 1}}
PAGE = {"operation": "pdf-generate", "parameters": {"htmlUrl": "https://intranet.example/"}}


def asked(world: World) -> Any:
    """Who is asked to do a job whose remote service is away, and what it ends with."""

    def away(call: Call) -> None:
        raise ServiceError("Away.", kind="down")

    world.drop("a.pdf")
    services = {"acme": Scripted(repeatable=False), "built-in": Scripted()}
    services["acme"].on_call = away
    with world.journal() as journal:
        journal.inserts.open_job(new_job(world.rule, world.hot / "a.pdf"))
        job = journal.queue.next()
        assert job is not None
        settings = Settings(world.home / "work", resolved=world.rules.resolved)
        outcome = Runner(journal, services.__getitem__, settings, Told()).run(job)
    return outcome.kind, outcome.job.warnings, {name: len(one.calls) for name, one in services.items()}


PROOFS: Mapping[str, Proof] = {
    "name": Proof(run, {"output": "{rule}.{ext}"}),
    "folder": Proof(watched),
    "match": Proof(jobs),
    "except": Proof(jobs),
    "recursive": Proof(jobs),
    "depth": Proof(jobs, {"recursive": True}),
    "kind": Proof(jobs),
    "min_size": Proof(jobs),
    "max_size": Proof(jobs),
    "pages": Proof(jobs),
    "signed": Proof(jobs),
    "text": Proof(jobs),
    "pattern": Proof(jobs),
    "between": Proof(hours),
    "days": Proof(hours),
    "also": Proof(jobs),
    "gather": Proof(jobs, {"operation": "pdf-merge"}, other="batch"),
    "quiet": Proof(gathered, BATCH),
    "batch_size": Proof(gathered, BATCH),
    "set_size": Proof(complete, SET),
    "set_end": Proof(complete, SET),
    "left_out": Proof(jobs, {**SET, "match": "*.pdf"}),
    "partner": Proof(gathered, PAIR),
    "schedule": Proof(due, PAGE, other="hourly"),
    "operation": Proof(run),
    "parameters": Proof(run, {"operation": "pdf-to-markdown"}),
    "steps": Proof(run),
    "service": Proof(asked, value="acme"),
    "or": Proof(asked, {"service": "acme"}),
    "output": Proof(run),
    "when": Proof(jobs),
    "senders": Proof(waited_for, {"operation": "pdf-to-markdown"}),
    "require": Proof(run, {"operation": "pdf-to-markdown"}),
    "find": Proof(run, {"operation": "pdf-to-markdown", "write_fields": True}),
    "ask_model": Proof(run, {"operation": "pdf-to-markdown", "write_fields": True}),
    "write_fields": Proof(run, {"operation": "pdf-to-markdown"}),
    "on_conflict": Proof(run, {"operation": "pdf-to-markdown"}, value="skip"),
    "duplicates": Proof(twice, {"operation": "pdf-to-markdown"}),
    "duplicates_by": Proof(twice, {"operation": "pdf-to-markdown", "duplicates": "skip"}),
    "original": Proof(run),
    "settle": Proof(watched),
    "retries": Proof(refused, value=0),
    "timeout": Proof(run),
    "passwords": Proof(opened, value=["env:CLIENT_PW"]),
    "sidecar_secrets": Proof(named, {"operation": "pdf-to-markdown"}),
    "hosts": Proof(run),
    "protection": Proof(run),
    "priority": Proof(order),
    "watch": Proof(watched),
    "shared": Proof(watched),
    "history": Proof(remembered),
    "keep_done": Proof(expired),
    "empty_folders": Proof(emptied, {"recursive": True}),
    "full_text": Proof(searched),
    "enabled": Proof(jobs),
}


def test_every_key_has_a_proof_and_every_proof_a_key() -> None:
    assert PROOFS.keys() == set(RULE_KEYS)


@pytest.mark.parametrize("key", RULE_KEYS)
def test_a_key_changes_what_is_done(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIENT_PW", "x y z 1")
    monkeypatch.setenv("HOME", str(tmp_path))
    proof = PROOFS[key]
    with_key, without = _written(key, _value(key)), _written(key, proof.other)
    before = proof.look(_world(tmp_path / "before", without))
    world = _world(tmp_path / "after", with_key)
    with _reads(monkeypatch) as reads:
        after = proof.look(world)
    assert _without_home(before, tmp_path / "before") != _without_home(after, tmp_path / "after")
    finished = "steps" if key in ("operation", "parameters", "service", "or") else _field(key)
    assert {module for name, module in reads if name == finished} - MAKERS, "nothing that works with rules reads it"


def _field(key: str) -> str:
    return f"{key}_" if key in ("except", "or") else key


def _value(key: str) -> Any:
    declared = RuleKeys.model_fields[_field(key)]
    assert declared.examples
    return declared.examples[0] if PROOFS[key].value is None else PROOFS[key].value


def _written(key: str, value: Any) -> Written:
    """A rule with what a proof needs beside the key, and with the key, unless `value` is None."""
    written = {**BASE, **PROOFS[key].beside, **({} if value is None else {key: value})}
    if "steps" in written:
        del written["operation"]
    return written


def _file(written: Written) -> str:
    acme = {"base_url": "http://127.0.0.1:9", "api_key": "env:ACME"}
    services: Written = {"services": {"acme": acme}} if "service" in written else {}
    if "ask_model" in written:
        services["model"] = {"base_url": "http://127.0.0.1:9/v1", "model": "tiny"}
    rules = [{"folder": "hot", **written}, {"folder": "hot", **NEXT}]
    return tomlkit.dumps({"version": 1, **services, "rule": rules})


def _world(home: Path, written: Written) -> World:
    (home / "hot").mkdir(parents=True)
    return World(home, parse(_file(written), home / "rules.toml"))


def _without_home(found: object, home: Path) -> str:
    return repr(found).replace(str(home), "HOME")


@contextmanager
def _reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[tuple[str, str]]]:
    """(key, module) for every read of a key of a finished rule."""
    found: set[tuple[str, str]] = set()

    def read(rule: Rule, name: str) -> Any:
        if name in KEYS:
            module = sys._getframe(1).f_globals.get("__name__", "")
            if module.startswith("paperchute."):
                found.add((name, module))
        return object.__getattribute__(rule, name)

    with monkeypatch.context() as patch:
        patch.setattr(Rule, "__getattribute__", read, raising=False)
        yield found


# ---------- declarations ----------


@pytest.mark.parametrize("key", RULE_KEYS)
def test_a_key_is_declared_in_full_and_its_example_is_accepted(key: str, tmp_path: Path) -> None:
    name = _field(key)
    declared = RuleKeys.model_fields[name]
    assert name in KEYS, "declare it by `key`"
    assert declared.description
    assert declared.description.endswith(".")
    assert declared.examples
    (example,) = declared.examples
    assert getattr(RuleKeys.model_validate({"name": "A", "folder": "b", key: example}), name) != declared.default
    written = _written(key, example)
    company = KEYS[name].goes_with
    if company is not None:
        other, value = company
        assert written[other] == value
    (tmp_path / "hot").mkdir()
    found = parse(_file(written), tmp_path / "rules.toml")
    assert len(found.rules) == 2
    jsonschema.validate(tomllib.loads(_file(written)), schema())


@pytest.mark.parametrize("key", RULE_KEYS)
def test_schema_and_page_say_what_the_model_says(key: str) -> None:
    declared = RuleKeys.model_fields[_field(key)]
    found = keys_of(RuleKeys)[key]
    assert found["description"] == declared.description
    assert found["examples"] == declared.examples
    assert declared.examples
    table = reference().split("## Keys of a rule\n")[1].split("\n## ")[0]
    (row,) = [line for line in table.split("\n") if line.startswith(f"| `{key}` |")]
    assert (declared.description or "").replace("|", "\\|") in row
    assert f"`{toml(declared.examples[0])}`".replace("|", "\\|") in row
    assert ("| needed |" in row) is declared.is_required()
    shown = json.loads(json.dumps(declared.default)) if not declared.is_required() else None
    if shown not in (None, "", [], {}):
        assert found["default"] == shown


def test_what_goes_with_another_key_is_refused_without_it(tmp_path: Path) -> None:
    going = {name: bearing.goes_with for name, bearing in KEYS.items() if bearing.goes_with}
    assert going
    for name, (other, _) in going.items():
        written = {key: value for key, value in _written(name, _value(name)).items() if key != other}
        with pytest.raises(RuleFileError, match=f"`{name}` is about .*; add {other} = "):
            parse(_file(written), tmp_path / "rules.toml")


def test_what_is_about_files_has_no_place_beside_a_schedule(tmp_path: Path) -> None:
    for name, bearing in KEYS.items():
        if not bearing.of_files:
            continue
        key = name.rstrip("_")
        written = {**BASE, **PAGE, "schedule": "hourly", key: _value(key)}
        with pytest.raises(RuleFileError, match=f"no file comes on a schedule, so `{key}` does not belong here"):
            parse(_file(written), tmp_path / "rules.toml")
