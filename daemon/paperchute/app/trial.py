"""A draft of a rule tried on a sample: which rule takes it and why, and what would come out, apart from all folders."""

from __future__ import annotations

import base64
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from paperchute.app.facts import FactReader
from paperchute.app.result_text import PLAIN, plain_text
from paperchute.app.sample_calls import Account, SampleCalls
from paperchute.app.sample_reading import Reading, must_read, read, sheets, told_of_fields
from paperchute.errors import PaperchuteError
from paperchute.files.names import listed
from paperchute.files.placement import remove
from paperchute.files.reader import readers
from paperchute.language import _
from paperchute.rules.explain import asked_of, explain, landing, unit
from paperchute.rules.match import FileFacts, Need, needs
from paperchute.rules.service_names import DEFAULT
from paperchute.rules.settings import RuleFile
from paperchute.rules.steps import takes_all
from paperchute.service.model import ServiceError

MOST_BYTES = 100 << 20
_MOST_READ = 32 << 20
_MOST_CHARACTERS = 4000
_SIDE = 640
_SHOWN = 20
_LATER = ("down", "lost", "transient", "limited", "auth", "quota")
"""Kinds of failures that pass, or that a person has to cure elsewhere."""


class Samples:
    """Holds one sample at a time, in a folder of its own that nobody else can read; emptied at the start."""

    def __init__(self, place: Path) -> None:
        """Raises OSError."""
        remove(place)
        place.mkdir(mode=0o700)
        self._place = place
        self._trying = threading.Lock()
        self._token = ""

    def begin(self) -> tuple[str, Path]:
        """A name for the next sample, and the folder for it. The one before goes, unless it is being tried."""
        with self._alone():
            self._clear()
            self._token = secrets.token_hex(16)
            folder = self._place / self._token
            folder.mkdir(mode=0o700)
            return self._token, folder

    def tried(self, token: str, work: Callable[[Path, Path], dict[str, Any]]) -> dict[str, Any]:
        """Give what `work` makes of the sample and a folder for results; both go afterwards. Raises PaperchuteError."""
        with self._alone():
            try:
                [*found] = (self._place / token).iterdir() if token and token == self._token else ()
                if len(found) != 1:
                    raise PaperchuteError(_("The sample is gone."), _("Choose it again."))
                results = self._place / "results"
                results.mkdir(mode=0o700)
                return work(found[0], results)
            finally:
                self._clear()

    def forget(self, token: str) -> None:
        """Remove a sample that did not arrive whole; one that came meanwhile stays."""
        with suppress(PaperchuteError), self._alone():
            if token == self._token:
                self._clear()

    def _clear(self) -> None:
        self._token = ""
        for one in self._place.iterdir():
            with suppress(OSError):  # what a reader still holds goes with the next one
                shutil.rmtree(one)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._trying.acquire(blocking=False):
            raise PaperchuteError(_("Another sample is being tried."), _("Wait for it to end, and try again."))
        try:
            yield
        finally:
            self._trying.release()


def tried(calls: SampleCalls) -> dict[str, Any]:
    """Return what becomes of the sample, as JSON's values.

    Where nobody counts for remote services, only our own engine works on it: each call would count there.
    """
    rules, rule, sample = calls.rules, calls.rule, calls.sample
    asked = dict.fromkeys(rules.resolved(step.service) for step in rule.steps)
    remote = [told_of_service(name, rules) for name in asked if rules.is_remote(name)]
    reading, problem = _read(calls)
    facts = replace(_facts(rules, calls.path, sample), said=reading.values)
    found = explain(rules, calls.path, facts, time.time())
    own = next(one for one in found.rules if one.rule is rule)
    is_first = calls.is_remote(rule.steps[0]) and must_read(rule) if rule.steps else False
    told: dict[str, Any] = {
        "name": sample.name,
        "taken": rule in found.takers or (own.holds is None and bool(rule.when)),
        "taker": "" if rule in found.takers or not found.takers else found.takers[0].name,
        "open": listed(reading.open(rule)),
        "why": [{"holds": one.holds, "said": f"{one.name}: {one.seen}"} for one in own.conditions],
        "remote": ", ".join(remote),
        "calls": sum(rules.is_remote(step.service) for step in rule.steps) + is_first,
        "pages": facts.pages,
        "problem": problem,
        "results": [],
        "fields": told_of_fields(reading),
        "sheets": sheets(sample, reading),
    }
    if not told["taken"]:
        return told
    said = reading.names(rule) if not problem else {}
    told["path"] = str(landing(rule, calls.relative, replace(facts, said=said), time.time()))
    told["before"] = "" if any(sheet["picture"] for sheet in told["sheets"]) else _picture(sample)
    if not problem and (not told["remote"] or calls.account is not None):
        told["remote"] = ""
        told.update(_made(calls))
    return told


def _read(calls: SampleCalls) -> tuple[Reading, str]:
    """Return what the sample's document says, and what kept jobs of the rule from reading it."""
    try:
        return read(calls), ""
    except (PaperchuteError, OSError) as error:
        return Reading(), _reason(error, calls.account) if must_read(calls.rule) else ""


def told_of_service(name: str, rules: RuleFile) -> str:
    """A remote service for people: its address, and its name where it has one."""
    address = getattr(rules.settings_of(name), "base_url", None) or ""
    return address if rules.resolved(name) == DEFAULT else f"{name} ({address})"


def _facts(rules: RuleFile, path: Path, sample: Path) -> FileFacts:
    asked = asked_of(rules.rules, path)
    need: set[Need] = {"pages", "unread", *needs(asked)}
    with FactReader() as reader:
        return reader.read(sample, sample.stat().st_size, need, [(rule, unit(rule, path)) for rule in asked])


def _made(calls: SampleCalls) -> dict[str, Any]:
    if calls.rule.gather is not None or calls.rule.schedule:
        reason = _("This rule works on several files together, or without any, so it cannot be tried with one.")
        return {"problem": reason}
    try:
        files = _stepped(calls)
    except (PaperchuteError, OSError) as error:
        return {"problem": _reason(error, calls.account)}
    first = files[0]
    return {"results": [one.name for one in files[:_SHOWN]], "after": _picture(first), "text": _text(first)}


def _reason(error: PaperchuteError | OSError, account: Account | None) -> str:
    """Return what kept a sample from being worked on, in words for people."""
    if isinstance(error, ServiceError) and error.kind in _LATER and account is not None:  # its advice is for jobs
        return f"{error.what} {_('Samples are not tried again automatically: try it again later.')}"
    return str(error)


def _stepped(calls: SampleCalls) -> list[Path]:
    """Return what the last step gives. Raises PaperchuteError, and OSError."""
    files = [calls.sample]
    for number, step in enumerate(calls.rule.steps):
        if number and step.operation == "pdf-merge" and len(files) == 1:
            continue  # it is joined already
        groups = [files] if takes_all(step) else [[one] for one in files]
        made: list[Path] = []
        for group in groups:
            made += calls.made(step, group, f"{number}-{len(made)}", opens=number == 0)
        files = made
    return files


def _picture(path: Path) -> str:
    """A PNG of its first page, in base64; empty where there is none."""
    try:
        drawn = readers.read(path.name, {"do": "thumbnail", "path": str(path), "side": _SIDE}, b"")[1]
    except (PaperchuteError, OSError):
        return ""
    return base64.b64encode(drawn).decode("ascii")


def _text(path: Path) -> list[str]:
    """The lines that its text begins with; none where there is none."""
    try:
        if path.stat().st_size > _MOST_READ:
            return []
        content = path.read_bytes()
        if path.suffix.lower() in PLAIN:
            return plain_text(content)[:_MOST_CHARACTERS].strip().splitlines()
        said, _content = readers.read(path.name, {"do": "result text", "name": path.name}, content)
    except (PaperchuteError, OSError):
        return []
    return str(said.get("text", ""))[:_MOST_CHARACTERS].strip().splitlines()
