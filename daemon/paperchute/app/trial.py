"""A draft of a rule tried on a sample: which rule takes it and why, and what would come out, apart from all folders."""

from __future__ import annotations

import base64
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from paperchute.app.facts import FactReader, opening_of
from paperchute.app.result_text import PLAIN, plain_text
from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.files.placement import remove
from paperchute.files.reader import readers
from paperchute.language import _
from paperchute.redaction import in_use
from paperchute.rules.explain import asked_of, explain, landing, unit
from paperchute.rules.match import FileFacts, Need, needs
from paperchute.rules.model import Rule
from paperchute.rules.output import from_name
from paperchute.rules.secrets import is_reference, opening_passwords_for, resolve
from paperchute.rules.service_names import DEFAULT
from paperchute.rules.settings import RuleFile
from paperchute.rules.steps import takes_all
from paperchute.rules.tables import Step
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceError
from paperchute.service.upload import parts_for

MOST_BYTES = 100 << 20
_MOST_READ = 32 << 20
_MOST_CHARACTERS = 4000
_SIDE = 640
_SHOWN = 20
_LONGEST_SECONDS = 600.0
"""For a remote service: somebody waits for the answer, and the next sample has to wait for this one."""
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
        """What `work` makes of the sample and a folder for results; both go afterwards. Raises PaperchuteError."""
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


class Account(Protocol):
    """Who counts what remote services do, once somebody has agreed to it."""

    def call(self, rule: str, service: str, /) -> None:
        """A call is about to go out. Raises PaperchuteError where no more may."""

    def pages(self, rule: str, pages: int, /) -> None:
        """It took so many pages."""


def tried(
    rules: RuleFile,
    rule: Rule,
    sample: Path,
    results: Path,
    client: Callable[[str], ServiceClient],
    account: Account | None = None,
) -> dict[str, Any]:
    """What becomes of the sample, as JSON's values. Each step is done by its own service, and by no other instead.

    account: of remote services. Without one only our own engine works on it: each call would count there.
    """
    asked = dict.fromkeys(rules.resolved(step.service) for step in rule.steps)
    remote = [told_of_service(name, rules) for name in asked if rules.is_remote(name)]
    path = rule.folder / sample.name
    facts = _facts(rules, path, sample)
    found = explain(rules, path, facts, time.time())
    own = next(one for one in found.rules if one.rule is rule)
    told: dict[str, Any] = {
        "name": sample.name,
        "taken": rule in found.takers or (own.holds is None and bool(rule.when)),
        "taker": "" if rule in found.takers or not found.takers else found.takers[0].name,
        "why": [{"holds": one.holds, "said": f"{one.name}: {one.seen}"} for one in own.conditions],
        "remote": ", ".join(remote),
        "calls": sum(rules.is_remote(step.service) for step in rule.steps),
        "pages": facts.pages,
        "problem": "",
        "results": [],
    }
    if not told["taken"]:
        return told
    told["path"] = str(landing(rule, unit(rule, path), facts, time.time()))
    told["before"] = _picture(sample)
    if not told["remote"] or account is not None:
        told["remote"] = ""
        told.update(_made(rules, rule, path, sample, results, client, account))
    return told


def told_of_service(name: str, rules: RuleFile) -> str:
    """A remote service for people: its address, and its name where it has one."""
    address = getattr(rules.settings_of(name), "base_url", None) or ""
    return address if rules.resolved(name) == DEFAULT else f"{name} ({address})"


def _facts(rules: RuleFile, path: Path, sample: Path) -> FileFacts:
    asked = asked_of(rules.rules, path)
    need: set[Need] = {"pages", "unread", *needs(asked)}
    with FactReader() as reader:
        return reader.read(sample, sample.stat().st_size, need, [(rule, unit(rule, path)) for rule in asked])


def _made(
    rules: RuleFile,
    rule: Rule,
    path: Path,
    sample: Path,
    results: Path,
    client: Callable[[str], ServiceClient],
    account: Account | None,
) -> dict[str, Any]:
    if rule.gather is not None or rule.schedule:
        reason = _("This rule works on several files together, or without any, so it cannot be tried with one.")
        return {"problem": reason}
    try:
        files = _stepped(rules, rule, unit(rule, path), sample, results, client, account)
    except ServiceError as error:
        passing = error.kind in _LATER and account is not None  # its advice is for jobs
        again = _("Samples are not tried again automatically: try it again later.")
        return {"problem": f"{error.what} {again}" if passing else str(error)}
    except (PaperchuteError, OSError) as error:
        return {"problem": str(error)}
    first = files[0]
    return {"results": [one.name for one in files[:_SHOWN]], "after": _picture(first), "text": _text(first)}


def _stepped(
    rules: RuleFile,
    rule: Rule,
    relative: Path,
    sample: Path,
    results: Path,
    client_of: Callable[[str], ServiceClient],
    account: Account | None,
) -> list[Path]:
    """What the last step gives. Raises PaperchuteError, and OSError."""
    files = [sample]
    for number, step in enumerate(rule.steps):
        if number and step.operation == "pdf-merge" and len(files) == 1:
            continue  # it is joined already
        service = rules.resolved(step.service)
        client, counts = client_of(service), account if rules.is_remote(service) else None
        groups = [files] if takes_all(step) else [[one] for one in files]
        made: list[Path] = []
        for group in groups:
            folder = results / f"{number}-{len(made)}"
            folder.mkdir()
            given = _parameters(rule, step, relative)
            if number == 0:
                given = {**_opening(rule, step, relative, sample), **given}
            parts, sent = parts_for(step.operation, group, given)
            call = Call(
                step.operation,
                tuple(parts),
                sent,
                secrets.token_hex(16),
                timeout=rule.timeout if counts is None else min(rule.timeout, _LONGEST_SECONDS),
                hosts=rule.hosts,
                protection=rule.protection,
            )
            if counts is not None:
                counts.call(rule.name, service)
            answer = client.call(call)
            if counts is not None:
                counts.pages(rule.name, answer.pages)
            made += client.download(answer, step.operation, folder)
        files = made
    return files


def _parameters(rule: Rule, step: Step, relative: Path) -> dict[str, Value]:
    """The step's parameters, with secrets in place of their references."""
    known = contract().known(step.operation)
    names = from_name(rule, relative)

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(one) for one in value]
        return resolve(value, names) if isinstance(value, str) and is_reference(value) else value

    return {
        name: plain(value) if (parameter := known.parameter(name)) is not None and parameter.is_secret else value
        for name, value in step.parameters.items()
    }


def _opening(rule: Rule, step: Step, relative: Path, sample: Path) -> dict[str, Value]:
    """The one of the rule's passwords that opens a locked sample, as a parameter."""
    passwords = opening_passwords_for(rule, relative)[0]
    if not passwords or contract().known(step.operation).parameter("password") is None:
        return {}
    number = opening_of(sample, passwords)
    if number is None or number < 0:
        return {}
    in_use(passwords[number])
    return {"password": passwords[number]}


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
