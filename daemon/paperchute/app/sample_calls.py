"""Calls to services about a sample: like those of a job, but nothing of them is kept."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from paperchute.app.facts import opening_of
from paperchute.contract import Value, contract
from paperchute.redaction import in_use
from paperchute.rules.explain import unit
from paperchute.rules.model import Rule
from paperchute.rules.output import from_name
from paperchute.rules.secrets import is_reference, opening_passwords_for, resolve
from paperchute.rules.settings import RuleFile
from paperchute.rules.tables import Step
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call
from paperchute.service.upload import parts_for

_LONGEST_SECONDS = 600.0
"""For a remote service: somebody waits for the answer, and the next sample has to wait for this one."""


class Account(Protocol):
    """Who counts what remote services do, once somebody has agreed to it."""

    def call(self, rule: str, service: str, /) -> None:
        """A call is about to go out. Raises PaperchuteError where no more may."""

    def pages(self, rule: str, pages: int, /) -> None:
        """It took so many pages."""


@dataclass(frozen=True)
class SampleCalls:
    """What is asked of services about one sample for a rule. Each step is done by its own service, and by no other.

    results: the folder for what they give. account: of remote services; without one none of them is asked.
    """

    rules: RuleFile
    rule: Rule
    sample: Path
    results: Path
    client_of: Callable[[str], ServiceClient]
    account: Account | None = None

    @property
    def path(self) -> Path:
        """Where the sample would lie in the hot folder."""
        return self.rule.folder / self.sample.name

    @property
    def relative(self) -> Path:
        """What the rule would take of it, relative to its folder."""
        return unit(self.rule, self.path)

    def is_remote(self, step: Step) -> bool:
        """Decide whether another service than our own engine does a step."""
        return self.rules.is_remote(step.service)

    def made(self, step: Step, files: Sequence[Path], name: str, *, opens: bool) -> list[Path]:
        """What a step gives of files, in a folder of this name below the results. Raises PaperchuteError, and OSError.

        opens: whether the sample itself is among them, which the rule's passwords may have to open.
        """
        service = self.rules.resolved(step.service)
        counts = self.account if self.is_remote(step) else None
        client = self.client_of(service)
        folder = self.results / name
        folder.mkdir()
        given = self._parameters(step)
        if opens:
            given = {**self._opening(step), **given}
        parts, sent = parts_for(step.operation, files, given)
        call = Call(
            step.operation,
            tuple(parts),
            sent,
            secrets.token_hex(16),
            timeout=self.rule.timeout if counts is None else min(self.rule.timeout, _LONGEST_SECONDS),
            hosts=self.rule.hosts,
            protection=self.rule.protection,
        )
        if counts is not None:
            counts.call(self.rule.name, service)
        answer = client.call(call)
        if counts is not None:
            counts.pages(self.rule.name, answer.pages)
        return client.download(answer, step.operation, folder)

    def _parameters(self, step: Step) -> dict[str, Value]:
        """The step's parameters, with secrets in place of their references."""
        known = contract().known(step.operation)
        names = from_name(self.rule, self.relative)

        def plain(value: Any) -> Any:
            if isinstance(value, list):
                return [plain(one) for one in value]
            return resolve(value, names) if isinstance(value, str) and is_reference(value) else value

        return {
            name: plain(value) if (parameter := known.parameter(name)) is not None and parameter.is_secret else value
            for name, value in step.parameters.items()
        }

    def _opening(self, step: Step) -> Mapping[str, Value]:
        """The one of the rule's passwords that opens a locked sample, as a parameter."""
        passwords = opening_passwords_for(self.rule, self.relative)[0]
        if not passwords or contract().known(step.operation).parameter("password") is None:
            return {}
        number = opening_of(self.sample, passwords)
        if number is None or number < 0:
            return {}
        in_use(passwords[number])
        return {"password": passwords[number]}
