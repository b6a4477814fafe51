"""Overrides beside the files: `report.pdf.toml` is for `report.pdf` alone, `job.toml` for the sub-folder it lies in.

They say what a rule says, for one job: parameters, and for files that are joined their order, pages and passwords. What
they hold is read when the job runs and never written down elsewhere; the file itself goes where its original goes.

Whoever may write to a hot folder writes them, so they are not the will of the rules' owner. The password that opens a
file may stand in them itself. They name no secret of the owner's but those that the rule's `sidecar_secrets` lists, and
change nothing of the passwords and permissions that the rule gives.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from paperchute.contract import (
    Operation,
    PageListError,
    Parameter,
    Value,
    ValueRefused,
    accept,
    contract,
    parse_page_list,
)
from paperchute.contract.operations import nearest
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _
from paperchute.rules.model import Rule
from paperchute.rules.problems import KeyPath, Problem, told
from paperchute.rules.recovery import MORE, MOST_PROBLEMS, read
from paperchute.rules.secrets import is_reference
from paperchute.rules.steps import between_parameters
from paperchute.rules.toml import Places, decoded
from paperchute.rules.toml_errors import findings

SUFFIX = ".toml"
JOB_FILE = "job.toml"
MOST_BYTES = 1 << 20
NOT_ALLOWED = N_(
    "this names a place where a secret is kept, and the rule does not allow that here; write the password itself, or "
    "have the reference added to the rule's `sidecar_secrets`"
)
"""The same whatever is at that place, or is not: these files may be anybody's."""

Shape = TypeVar("Shape", bound=BaseModel)
Text = Annotated[str, Field(min_length=1, strict=True)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _FileShape(_Shape):
    pages: Text | None = None
    password: Text | None = None


class _SidecarShape(_FileShape):
    parameters: dict[str, Any] = {}


class _JobShape(_Shape):
    order: list[Text] = []
    files: dict[str, _FileShape] = {}
    parameters: dict[str, Any] = {}


@dataclass(frozen=True)
class FileOverrides:
    """For one of several files: a page list, and its password or where that is; empty where nothing is wished."""

    pages: str = ""
    password: str = ""


@dataclass(frozen=True)
class Overrides:
    """What one job's own file says.

    steps: parameters for each step of the rule, canonical; passwords as they stand there, themselves or as references.
    order: names of files that come first. files: by name below the sub-folder; of a sidecar, by an empty name.
    """

    steps: tuple[Mapping[str, Value], ...]
    order: tuple[str, ...] = ()
    files: Mapping[str, FileOverrides] = field(default_factory=dict)


class OverridesError(PaperchuteError):
    """A sidecar or job.toml cannot be followed."""

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        ordered = sorted(problems, key=lambda problem: (problem.line, problem.column))
        super().__init__(
            " ".join(f"{name}:{told(problem)}" for problem in ordered),
            _("Correct it, and put it back together with its files."),
        )


def is_sidecar(relative: PurePath) -> bool:
    """Decide whether a file is never work itself, by its name: `NAME.EXT.toml` says something about `NAME.EXT`."""
    return relative.suffix.lower() == SUFFIX and bool(PurePath(relative.stem).suffix)


def read_sidecar(name: str, content: bytes, rule: Rule) -> Overrides:
    """Return what `NAME.EXT.toml` says. name: for messages. Raises OverridesError."""
    reading = _Reading(name, content, rule)
    shape = reading.shape(_SidecarShape)
    steps = reading.steps(shape.parameters)
    override = reading.override(shape, ())
    return reading.finished(Overrides(steps, files={"": override} if override != FileOverrides() else {}))


def read_job_file(name: str, content: bytes, rule: Rule, names: Sequence[str]) -> Overrides:
    """What `job.toml` says of the files `names`, which are paths below its folder with `/`. Raises OverridesError."""
    reading = _Reading(name, content, rule)
    shape = reading.shape(_JobShape)
    known = {plain_name(one): one for one in names}
    order = [reading.file(one, known, ("order", index)) for index, one in enumerate(shape.order)]
    files = {
        reading.file(one, known, ("files", one)): reading.override(override, ("files", one))
        for one, override in shape.files.items()
    }
    return reading.finished(Overrides(reading.steps(shape.parameters), tuple(order), files))


def may_name(rule: Rule, secret: str) -> bool:
    """Tell whether what stands in such a file for a secret is one itself, or a reference that the rule allows there."""
    return not is_reference(secret) or secret in rule.sidecar_secrets


def is_for_rule_alone(rule: Rule, number: int, parameter: Parameter) -> bool:
    """Decide whether a step's parameter would change the protection that the rule gives, or a password that it gives.

    One password can undo another: in the older ciphers whoever sets the owner password can read the user password.
    """
    step = rule.steps[number]
    known = contract().known(step.operation)
    given = [found for name in step.parameters if (found := known.parameter(name)) is not None]
    if parameter.is_protection:
        return any(one.is_protection for one in given)
    return parameter.is_secret and any(one.is_secret and not one.is_protection for one in given)


class _Reading:
    """One file on its way from bytes to overrides; what is wrong is collected and raised at the end."""

    def __init__(self, name: str, content: bytes, rule: Rule) -> None:
        self._name = name
        self._rule = rule
        self._problems: list[Problem] = []
        self.raw, self._places = _parsed(name, content)

    def shape(self, kind: type[Shape]) -> Shape:
        """The values, checked. Raises OverridesError: what follows would make no sense."""
        try:
            return kind.model_validate(self.raw)
        except ValidationError as error:
            for key, message, suggestion in findings(error, kind, {"files": _FileShape}):
                self._say(key, message, suggestion)
            raise OverridesError(self._name, self._problems) from None

    def finished(self, overrides: Overrides) -> Overrides:
        """`overrides`, when nothing was wrong. Raises OverridesError."""
        if self._problems:
            raise OverridesError(self._name, self._problems)
        return overrides

    def steps(self, given: Mapping[str, Any]) -> tuple[Mapping[str, Value], ...]:
        """Each parameter with the first step whose operation has it."""
        found: list[dict[str, Value]] = [{} for _step in self._rule.steps]
        operations = [contract().known(step.operation) for step in self._rule.steps]
        for key, value in given.items():
            known = ((number, parameter) for number, o in enumerate(operations) if (parameter := o.parameter(key)))
            number, parameter = next(known, (0, None))
            if parameter is None or parameter.type == "file":
                self._unknown(operations, key, is_file=parameter is not None)
            elif is_for_rule_alone(self._rule, number, parameter):
                self._say(
                    ("parameters", key),
                    _(
                        "{parameter} is for the rule alone, since it gives passwords for this step",
                        parameter=parameter.name,
                    ),
                )
            elif parameter.name == "outputFileName":
                self._say(("parameters", key), _("only the rule says what results are called"))
            elif (accepted := self._value(parameter, value)) is not None:
                found[number][parameter.name] = accepted
        for number, values in enumerate(found):
            if values and not self._problems:
                self._check_together(number, operations[number], values)
        return tuple(found)

    def _check_together(self, number: int, operation: Operation, values: Mapping[str, Value]) -> None:
        step, gather = self._rule.steps[number], self._rule.gather if number == 0 else None
        for key, message in between_parameters(
            operation, {**step.parameters, **values}, gather=gather, first=number == 0
        ):
            self._say(("parameters", key), message)

    def override(self, shape: _FileShape, key: KeyPath) -> FileOverrides:
        """Return what is wished for one file."""
        try:
            parse_page_list(shape.pages or "")
        except PageListError as error:
            self._say((*key, "pages"), str(error))
        if shape.password and not may_name(self._rule, shape.password):
            self._say((*key, "password"), _(NOT_ALLOWED))
        return FileOverrides(shape.pages or "", shape.password or "")

    def file(self, name: str, known: Mapping[str, str], key: KeyPath) -> str:
        """The file that is meant: its path below the folder."""
        found = known.get(plain_name(name))
        if found is None:
            self._say(
                key, _("there is no file {name} in this folder", name=repr(name)), nearest(name, list(known.values()))
            )
        return found or name

    def _value(self, parameter: Parameter, value: Any) -> Value | None:
        if parameter.is_secret and not _is_text(value):  # what was written must not be shown
            self._say(("parameters", parameter.name), _("{parameter} takes text, in quotes", parameter=parameter.name))
            return None
        try:
            accepted = accept(parameter, value)
        except ValueRefused as error:
            words = [str(one) for one in parameter.values]
            near = nearest(value, words) if isinstance(value, str) and words else None
            self._say(("parameters", parameter.name), str(error), near)
            return None
        texts = accepted if isinstance(accepted, list) else [str(accepted)]
        if parameter.is_secret and not all(may_name(self._rule, text) for text in texts):
            self._say(("parameters", parameter.name), _(NOT_ALLOWED))
            return None
        return accepted

    def _unknown(self, operations: Sequence[Operation], key: str, *, is_file: bool) -> None:
        place: KeyPath = ("parameters", key)
        if is_file:
            self._say(place, _("{key} is a file, and which one it is only the rule may say", key=key))
            return
        names = [p.name for o in operations for p in o.parameters if p.type != "file"]
        said = list(dict.fromkeys(o.id for o in operations))
        if len(said) == 1:
            words = _("{name} has no parameter {key}", name=said[0], key=repr(key))
        else:
            words = _("no step has a parameter {key} ({operations})", key=repr(key), operations=", ".join(said))
        self._say(place, words, nearest(key, names))

    def _say(self, key: KeyPath, message: str, suggestion: str | None = None) -> None:
        line, column = self._places.of(key)
        if len(self._problems) == MOST_PROBLEMS:
            raise OverridesError(self._name, [*self._problems, Problem(line, column, _(MORE))])
        self._problems.append(Problem(line, column, message, None, suggestion))


def _is_text(value: object) -> bool:
    return all(isinstance(one, str) for one in (value if isinstance(value, list) else [value]))


def plain_name(name: str) -> str:
    """A path below a folder as it is compared: the same on every platform."""
    return unicodedata.normalize("NFC", name.replace("\\", "/").removeprefix("./")).casefold()


def _parsed(name: str, content: bytes) -> tuple[dict[str, Any], Places]:
    if len(content) > MOST_BYTES:
        raise OverridesError(name, [Problem(1, 1, _("it is larger than 1 MB"))])
    text = decoded(content)
    if isinstance(text, Problem):
        raise OverridesError(name, [text])
    found = read(text)
    if found.raw is None or found.problems:
        raise OverridesError(name, found.problems)
    return found.raw, found.places
