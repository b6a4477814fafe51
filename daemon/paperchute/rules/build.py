"""From one rule's checked shape to the finished Rule: operations, parameters, secrets, paths and templates."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

from paperchute.contract import Operation, Parameter, Value, ValueRefused, accept, contract
from paperchute.contract.links import LINKS
from paperchute.contract.model import nearest
from paperchute.files.names import expanded
from paperchute.rules import output, patterns
from paperchute.rules.asked import asked, check_placeholders
from paperchute.rules.model import Rule, Step
from paperchute.rules.schedule import recurrence
from paperchute.rules.secrets import FORMS, anchored, is_of_row, is_reference
from paperchute.rules.sets import LISTS, gathering
from paperchute.rules.shape import RuleShape
from paperchute.rules.steps import between_parameters, is_joined, named_hosts, usual
from paperchute.rules.toml import KeyPath

_FROM_NAME = output.from_name_placeholders("")
_ORIGINAL_WORDS = ("done", "keep", "delete", "trash")

_NAME = "outputFileName"
_ABOUT_FILES = (
    *("match", "recursive", "depth", "kind", "min_size", "max_size", "pages", "text", "pattern", "also"),
    *("gather", "shared", "except_", "quiet", "batch_size", "partner", "settle", "passwords"),
)

_OFTEN_MEANT = {
    **dict.fromkeys(("filename", "file", "basename", "title"), "stem"),
    **dict.fromkeys(("extension", "suffix", "type"), "ext"),
    **dict.fromkeys(("number", "no", "index", "n"), "counter"),
    **dict.fromkeys(("year", "month", "day", "time", "today", "now"), "date:%Y-%m-%d"),
    **dict.fromkeys(("path", "subfolder", "parent"), "relative"),
}
"""What people write for a placeholder, and its name here."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/{1,2}(?!\Z)", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{?[A-Z_]+\b|%[A-Z_]+%", re.IGNORECASE)

NOT_IN_FINGERPRINT = frozenset(
    ("name", "enabled", "line", "priority", "watch", "shared", "history", "between", "days", "also", "fingerprint")
)
"""Fields of a rule that do not change what becomes of a file; its name counts by itself."""

DEFAULTS = {field.name: field.default for field in dataclass_fields(Rule) if field.default is not MISSING}
"""What a rule's fields are where the rule file does not say."""

Report = Callable[..., None]


class Builder:
    """Builds one rule. `problem(key path in the rule, message, suggestion, needs=...)` hears of everything wrong.

    needs: the keys whose absence is what is wrong.
    """

    def __init__(self, home: Path, shape: RuleShape, line: int, problem: Report) -> None:
        """home: the rule file's folder, which relative paths start from."""
        self._home = home
        self._shape = shape
        self._line = line
        self._problem = problem
        self._wrong = 0

    def rule(self) -> Rule | None:
        """The rule, or None when anything is wrong with it."""
        shape = self._shape
        steps = self._steps()
        conditions = {**asked(shape, self._home, self._say), **gathering(shape, steps, self._say)}
        self._check_output()
        scheduled = self._scheduled()
        output_template = self._output(steps)
        original = self._original()
        folder = self._path(shape.folder, ("folder",))
        if self._wrong or not steps:
            return None
        first = contract().known(steps[0].operation)
        fields: dict[str, Any] = {
            "folder": folder,
            "match": () if scheduled else tuple(shape.match or self._default_match(first, steps[0].parameters)),
            "except_": tuple(shape.except_),
            "recursive": shape.recursive,
            "gather": shape.gather,
            "steps": tuple(steps),
            "output": output_template,
            "on_conflict": shape.on_conflict,
            "original": original,
            "settle": shape.settle,
            "retries": shape.retries,
            **conditions,
        }
        own = [host for step in steps for host in named_hosts(step.parameters)]
        fields["hosts"] = tuple(dict.fromkeys((*fields["hosts"], *own)))
        return Rule(
            name=shape.name,
            enabled=shape.enabled,
            line=self._line,
            priority=shape.priority,
            watch=shape.watch,
            shared=shape.shared,
            history=shape.history,
            schedule=shape.schedule or "",
            fingerprint=fingerprint(shape.name, fields),
            **fields,
        )

    # ---------- steps ----------

    def _steps(self) -> list[Step]:
        shape = self._shape
        if shape.steps is not None:
            if shape.operation is not None:
                self._say(("operation",), "give either `operation` or `steps`, not both")
            if shape.parameters:
                self._say(("parameters",), "with `steps`, parameters stand in each step")
            built = [
                self._step(step.operation, step.parameters, ("steps", number), number)
                for number, step in enumerate(shape.steps)
            ]
        elif shape.operation is None:
            self._say((), "`operation` is missing (or `steps`, for several)", needs=("operation", "steps"))
            return []
        else:
            built = [self._step(shape.operation, shape.parameters, (), 0)]
        return [step for step in built if step is not None]

    def _step(self, name: str, raw: Mapping[str, Any], base: KeyPath, number: int) -> Step | None:
        operation = contract().operation(name)
        if operation is None:
            self._say((*base, "operation"), f"there is no operation {name!r}", contract().nearest_operation(name))
            return None
        parameters: dict[str, Value] = {}
        refused: dict[str, Value] = {}  # which were meant to be there all the same
        for key, value in raw.items():
            place = (*base, "parameters", key)
            parameter = operation.parameter(key)
            if parameter is None or parameter.name == "file":
                near = operation.nearest_parameter(key)
                self._say(place, f"{name} has no parameter {key!r}", near if near != "file" else None)
                continue
            accepted = self._value(parameter, value, place)
            if accepted is not None:
                parameters[parameter.name] = accepted
            else:
                refused[parameter.name] = ""
        gather = self._shape.gather if number == 0 else None
        given = {**parameters, **refused}
        scheduled = self._shape.schedule is not None
        for key, message in between_parameters(operation, given, gather=gather, first=number == 0, scheduled=scheduled):
            place = (*base, "parameters", key) if key in raw else (*base, "operation")
            self._say(place, message, needs=("gather", "parameters", "steps", "schedule"))
        for key, value in usual(operation).items():
            parameters.setdefault(key, value)
        return Step(name, parameters)

    def _value(self, parameter: Parameter, value: Any, place: KeyPath) -> Value | None:
        if parameter.is_secret:
            return self._secret(parameter, value, place)
        try:
            accepted = accept(parameter, value)
        except ValueRefused as error:
            words = [str(v) for v in parameter.values]
            self._say(place, str(error), nearest(value, words) if isinstance(value, str) and words else None)
            return None
        if parameter.type == "file":
            return str(self._path(str(accepted), place))
        return accepted

    def _secret(self, parameter: Parameter, value: Any, place: KeyPath) -> Value | None:
        references = value if isinstance(value, list) else [value]
        if not all(self._may_stand(r) or (r == "" and len(references) > 1) for r in references):
            forms = f"row:COLUMN, {FORMS}" if self._shape.gather == "rows" else FORMS
            message = f"{parameter.name} must not stand here itself; write where it is: {forms}"
            self._say(place, message, needs=("gather",))
            return None
        for reference in references:
            check_placeholders(
                reference, (*_FROM_NAME, *self._groups()), lambda *said: self._say(place, *said, needs=("pattern",))
            )
        found = [anchored(reference, self._home) for reference in references]
        return list(found) if parameter.type == "array" else found[0]

    def _may_stand(self, text: Any) -> bool:
        """Whether a secret is given by reference; each row of a list may bear its own."""
        if not isinstance(text, str):
            return False
        return is_reference(text) or (self._shape.gather == "rows" and is_of_row(text))

    # ---------- schedule, output and original ----------

    def _scheduled(self) -> bool:
        """Whether the rule works without files. What is about files has no place beside it."""
        shape = self._shape
        if shape.schedule is None:
            return False
        try:
            recurrence(shape.schedule)
        except ValueError as error:
            self._say(("schedule",), str(error))
        for key in _ABOUT_FILES:
            if getattr(shape, key):
                name = key.rstrip("_")
                self._say((name,), f"no file comes on a schedule, so `{name}` has no place here")
        return True

    def _output(self, steps: Sequence[Step]) -> str:
        """The template of the results' names: `output`, or what outputFileName says where there is none."""
        shape = self._shape
        many = shape.steps is not None
        for number, step in enumerate(steps):
            name = str(step.parameters.get(_NAME, ""))
            place = ("steps", number, "parameters", _NAME) if many else ("parameters", _NAME)
            if not name:
                continue
            if number < len(steps) - 1:
                self._say(place, "only what the last step makes is delivered, so this names nothing")
            elif shape.output is not None:
                self._say(place, "`output` names the result already; leave one of the two out")
            elif shape.gather == "rows" and not is_joined(steps):
                self._say(place, "each row has a result of its own; name them by `output`")
            elif re.search(r"[/\\{}]", name):
                self._say(place, "takes a plain name; for folders and placeholders write `output`")
            else:
                extension = f".{contract().known(step.operation).output_ext}"
                plain = name[: -len(extension)] if name.lower().endswith(extension) else name
                return f"{{folder.name}}.out/{{relative}}/{plain}.{{ext}}"
        return shape.output or (output.SCHEDULED_DEFAULT if shape.schedule is not None else "")

    def _check_output(self) -> None:
        template = self._shape.output
        if template is None:
            return
        known = [*output.PLACEHOLDERS, *self._groups()]
        if self._shape.gather == "rows":
            known += [name for name in output.placeholders(template) if output.is_of_row(name)]
        for unknown in output.unknown_placeholders(template, known):
            near = _OFTEN_MEANT.get(unknown.lower()) or nearest(unknown, known)
            message = f"there is no placeholder {{{unknown}}}"
            if near is None:
                message += "; there are " + " ".join(f"{{{one}}}" for one in known)
            self._say(("output",), message, f"{{{near}}}" if near else None, needs=("pattern", "gather"))
        for wrong in output.wrong_formats(template):
            self._say(("output",), f"{wrong} cannot be filled in; write {{date:%Y-%m-%d}} or {{counter:03}}")
        if "{" in output.without_placeholders(template) or "}" in output.without_placeholders(template):
            self._say(("output",), "a brace is not closed")
        if template.rstrip().endswith(("/", "\\")):
            self._say(("output",), "the template must end with a file's name, such as {stem}.{ext}")

    def _groups(self) -> tuple[str, ...]:
        try:
            return patterns.groups(self._shape.pattern) if self._shape.pattern else ()
        except ValueError:  # said with the pattern itself
            return tuple(m[1] for m in re.finditer(r"\(\?P?<(\w+)>", self._shape.pattern or ""))

    def _original(self) -> str:
        word = self._shape.original
        if self._shape.shared and word.lower() == "keep":
            self._say(("original",), "a shared folder's originals are moved, so `keep` cannot stand with `shared`")
        if word.lower() in _ORIGINAL_WORDS:
            return word.lower()
        return str(self._path(word, ("original",)))

    def _default_match(self, operation: Operation, parameters: Mapping[str, Value]) -> Sequence[str]:
        """What the operation reads; for a generation, what is missing in the rule."""
        if self._shape.gather == "rows":
            return LISTS
        if operation.id == "pdf-generate":
            has_template = "template" in parameters or "templateFile" in parameters
            has_data = "data" in parameters or "dataFile" in parameters
            if has_template and not has_data:
                return ["*.json"]
            links = [f"*{suffix}" for suffix in LINKS] if self._shape.hosts and not has_data else []
            return ["*.html", "*.htm", *links]
        return [f"*.{extension}" for extension in operation.reads]

    def _path(self, text: str, key: KeyPath) -> Path:
        found = expanded(text)
        if found.parts[:1] and found.parts[0].startswith("~"):
            self._say(key, f"there is no home folder {found.parts[0]}; your own is ~")
        if any(ord(letter) < 32 for letter in text):  # "C:\\new" holds a line feed
            self._say(key, "a path holds no line feed or tab; put it into single quotes, '...', or write / for \\")
        if (share := _ADDRESS.match(text)) or (text.startswith("\\\\") and sys.platform != "win32"):
            kind = "an address" if share else "a path of Windows"
            self._say(key, f"{text} is {kind}; connect the share, and write the path at which it is then found here")
        if _VARIABLE.match(text):
            self._say(key, "variables are not filled in here; ~ is your home folder")
        return Path(os.path.normpath(self._home / found))

    def _say(self, key: KeyPath, message: str, suggestion: str | None = None, *, needs: Sequence[str] = ()) -> None:
        self._wrong += 1
        self._problem(key, message, suggestion, needs=needs)


def fingerprint(name: str, fields: Mapping[str, Any]) -> str:
    """Changes when what the rule does changes; not with its place in the file, its hours or its neighbours.

    Only keys that are not at their default count: a release that knows one more key must not take every rule for
    another one, since what a failed job has paid for already holds under the same rule alone.
    """
    changed = {key: value for key, value in fields.items() if key not in DEFAULTS or value != DEFAULTS[key]}
    changed = {key: value for key, value in changed.items() if key not in NOT_IN_FINGERPRINT}
    plain = {**changed, "steps": [asdict(step) for step in fields["steps"]], "name": name}
    return hashlib.sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()[:32]
