"""From the keys of one rule to the finished rule: operations, parameters, secrets, paths and templates.

Only keys whose finished value differs from the written one are touched here; all others pass through.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from paperchute.contract import Parameter, Value, ValueRefused, accept, contract
from paperchute.contract.links import LINKS
from paperchute.contract.operations import nearest
from paperchute.files.names import expanded
from paperchute.language import N_, _
from paperchute.notation.part_names import is_of_part
from paperchute.rules import document_fields, output, patterns, when
from paperchute.rules.condition_keys import check_placeholders, condition_keys
from paperchute.rules.finding import find_mistakes
from paperchute.rules.model import KEYS, Rule, RuleKeys
from paperchute.rules.problems import KeyPath
from paperchute.rules.schedule import NotUnderstoodError, recurrence
from paperchute.rules.secrets import FORMS, anchored, is_of_row, is_reference
from paperchute.rules.service_names import BUILT_IN, named_by
from paperchute.rules.sets import LISTS, NO_FOLDER, set_keys
from paperchute.rules.steps import between_parameters, is_joined, named_hosts, split_step, usual
from paperchute.rules.stored import fingerprint
from paperchute.rules.tables import Step

_FROM_NAME = output.from_name_placeholders("")
_ORIGINAL_WORDS = ("done", "keep", "delete", "trash")

_NAME = "outputFileName"
_ABOUT = {
    ("recursive", True): N_("`{key}` is about sub-folders, and this rule leaves them alone; add recursive = true"),
    ("gather", "batch"): N_('`{key}` is about batches, and this rule gathers none; add gather = "batch"'),
    ("gather", "folder"): N_('`{key}` is about dropped folders, and this rule gathers none; add gather = "folder"'),
    ("gather", "pair"): N_('`{key}` is about pairs, and this rule gathers none; add gather = "pair"'),
}
"""What to say of a key that says nothing without another one, by that one and its value."""

_OFTEN_MEANT = {
    **dict.fromkeys(("filename", "file", "basename", "title"), "stem"),
    **dict.fromkeys(("extension", "suffix", "type"), "ext"),
    **dict.fromkeys(("number", "no", "index", "n"), "counter"),
    **dict.fromkeys(("year", "month", "day", "time", "today", "now"), "date:%Y-%m-%d"),
    **dict.fromkeys(("path", "subfolder", "parent"), "relative"),
    **{name: f"doc.{name}" for name in document_fields.FIELDS if name not in ("date", "number")},
    **dict.fromkeys(("from", "company", "correspondent", "doc.from", "doc.company"), "doc.sender"),
    **dict.fromkeys(("amount", "doc.amount", "doc.sum"), "doc.total"),
}
"""What people write for a placeholder, and its name here."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/{1,2}(?!\Z)", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{?[A-Z_]+\b|%[A-Z_]+%", re.IGNORECASE)

Report = Callable[..., None]


class Builder:
    """Builds one rule. `problem(key path in the rule, message, suggestion, needs=...)` hears of everything wrong.

    needs: the keys whose absence is what is wrong.
    """

    def __init__(self, home: Path, keys: RuleKeys, written: Mapping[str, Any], line: int, problem: Report) -> None:
        """home: the rule file's folder, which relative paths start from. written: the rule's values, as they stand."""
        self._home = home
        self._keys = keys
        self._written = written
        self._line = line
        self._problem = problem
        self._wrong = 0

    def rule(self) -> Rule | None:
        """The rule, or None when anything is wrong with it."""
        keys = self._keys
        steps = self._steps()
        resolved = {**condition_keys(keys, self._home, self._say), **set_keys(keys, steps, self._say)}
        self._check_companions()
        self._check_schedule()
        self._check_output()
        self._check_fields(steps)
        self._check_when(steps)
        if self._keys.duplicates_by == "content":
            self._check_duplicates(steps)
        self._check_parts(steps)
        resolved["output"] = self._output(steps)
        resolved["original"] = self._original()
        resolved["senders"] = str(self._path(keys.senders, ("senders",))) if keys.senders else ""
        resolved["folder"] = folder = self._path(self._written["folder"], ("folder",))
        if not folder.name:
            self._say(("folder",), _("a whole disk cannot be a hot folder: what is done goes beside it; name a folder"))
        if self._wrong or not steps:
            return None
        resolved["match"] = () if keys.schedule else keys.match or self._default_match(steps[0])
        own = [host for step in steps for host in named_hosts(step.parameters)]
        resolved["hosts"] = tuple(dict.fromkeys((*resolved["hosts"], *own)))
        folded: dict[str, Any] = {"operation": None, "parameters": {}, "steps": tuple(steps), "service": "", "or_": ""}
        rule = Rule(**{**dict(keys), **resolved, **folded, "line": self._line})
        return rule.model_copy(update={"fingerprint": fingerprint(rule)})

    def _check_companions(self) -> None:
        """Tell of keys that say nothing without another one, and of those that have no place beside `schedule`."""
        for name, bearing in KEYS.items():
            if name not in self._keys.model_fields_set:
                continue
            shown = name.rstrip("_")
            if bearing.of_files and self._keys.schedule:
                if getattr(self._keys, name):
                    self._say(
                        (shown,), _("no file comes on a schedule, so `{shown}` does not belong here", shown=shown)
                    )
            elif bearing.goes_with and getattr(self._keys, bearing.goes_with[0]) != bearing.goes_with[1]:
                needs = (bearing.goes_with[0],)
                self._say((shown,), _(_ABOUT[bearing.goes_with], key=shown), needs=needs)

    # ---------- steps ----------

    def _steps(self) -> list[Step]:
        keys = self._keys
        if keys.steps:
            if keys.operation is not None:
                self._say(("operation",), _("give either `operation` or `steps`, not both"))
            if keys.parameters:
                self._say(("parameters",), _("with `steps`, each step has its own parameters"))
            built = [
                self._step(step.operation, step.parameters, ("steps", number), number, named_by(step))
                for number, step in enumerate(keys.steps)
            ]
        elif keys.operation is None:
            self._say((), _("`operation` is missing (or `steps`, for several)"), needs=("operation", "steps"))
            return []
        else:
            built = [self._step(keys.operation, keys.parameters, (), 0, {})]
        return [step for step in built if step is not None]

    def _step(
        self, name: str, raw: Mapping[str, Any], base: KeyPath, number: int, asked: Mapping[str, str]
    ) -> Step | None:
        operation = contract().operation(name)
        if operation is None:
            self._say(
                (*base, "operation"),
                _("there is no operation {name}", name=repr(name)),
                contract().nearest_operation(name),
            )
            return None
        parameters: dict[str, Value] = {}
        refused: dict[str, Value] = {}  # which were meant to be there all the same
        for key, value in raw.items():
            place = (*base, "parameters", key)
            parameter = operation.parameter(key)
            if parameter is None or parameter.name == "file":
                near = operation.nearest_parameter(key)
                self._say(
                    place,
                    _("{name} has no parameter {key}", name=name, key=repr(key)),
                    near if near != "file" else None,
                )
                continue
            accepted = self._value(parameter, value, place)
            if accepted is not None:
                parameters[parameter.name] = accepted
            else:
                refused[parameter.name] = ""
        gather = self._keys.gather if number == 0 else None
        given = {**usual(operation), **parameters, **refused}
        scheduled = bool(self._keys.schedule)
        for key, message in between_parameters(operation, given, gather=gather, first=number == 0, scheduled=scheduled):
            place = (*base, "parameters", key) if key in raw else (*base, "operation")
            self._say(place, message, needs=("gather", "parameters", "steps", "schedule"))
        for key, value in usual(operation).items():
            parameters.setdefault(key, value)
        return Step(name, parameters, **self._asked(asked))

    def _asked(self, own: Mapping[str, str]) -> dict[str, str]:
        """Who does a step: whom it names itself, or else the rule. own: what the step says."""
        keys = self._keys
        found = {key: name for key, name in (("service", keys.service), ("or", keys.or_)) if name} | dict(own)
        if "or" not in own and own.get("service") in (BUILT_IN, found.get("or")):
            found.pop("or", None)  # it is of the rule, for its other steps
        return found

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
        if parameter.placeholders is not None:
            known = (*output.text_placeholders(parameter, str(accepted)), *self._groups())
            self._check_placeholders(place, str(accepted), known)
        return accepted

    def _secret(self, parameter: Parameter, value: Any, place: KeyPath) -> Value | None:
        references = value if isinstance(value, list) else [value]
        if not all(self._may_stand(r) or (r == "" and len(references) > 1) for r in references):
            forms = f"row:COLUMN, {_(FORMS)}" if self._keys.gather == "rows" else _(FORMS)
            message = _(
                "{parameter} must not be written here itself; write where it is kept: {forms}",
                parameter=parameter.name,
                forms=forms,
            )
            self._say(place, message, needs=("gather",))
            return None
        for reference in references:
            check_placeholders(
                reference, (*_FROM_NAME, *self._groups()), lambda *said: self._say(place, *said, needs=("pattern",))
            )
        found = [anchored(reference, self._home) for reference in references]
        return list(found) if parameter.type == "array" else found[0]

    def _may_stand(self, text: Any) -> bool:
        """Decide whether a secret is given by reference; each row of a list may bear its own."""
        if not isinstance(text, str):
            return False
        return is_reference(text) or (self._keys.gather == "rows" and is_of_row(text))

    # ---------- schedule, output and original ----------

    def _check_schedule(self) -> None:
        try:
            recurrence(self._keys.schedule) if self._keys.schedule else None
        except NotUnderstoodError as error:
            self._say(("schedule",), f"`schedule` {error}")
        except ValueError as error:
            self._say(("schedule",), str(error))

    def _output(self, steps: Sequence[Step]) -> str:
        """The template of the results' names: `output`, or what outputFileName says where there is none."""
        keys = self._keys
        many = bool(keys.steps)
        for number, step in enumerate(steps):
            name = str(step.parameters.get(_NAME, ""))
            place = ("steps", number, "parameters", _NAME) if many else ("parameters", _NAME)
            if not name:
                continue
            if number < len(steps) - 1:
                self._say(place, _("only what the last step makes is delivered, so this names nothing"))
            elif keys.output:
                self._say(place, _("`output` names the result already; leave one of the two out"))
            elif keys.gather == "rows" and not is_joined(steps):
                self._say(place, _("each row has a result of its own; name them by `output`"))
            elif re.search(r"[/\\{}]", name):
                self._say(place, _("takes a plain name; for folders and placeholders write `output`"))
            else:
                extension = f".{contract().known(step.operation).output_ext}"
                plain = name[: -len(extension)] if name.lower().endswith(extension) else name
                return f"{{folder.name}}.out/{{relative}}/{plain}.{{ext}}"
        return keys.output or (output.SCHEDULED_DEFAULT if keys.schedule else "")

    def _check_output(self) -> None:
        template = self._keys.output
        if not template:
            return
        known = [*output.PLACEHOLDERS, *(document_fields.PREFIX + name for name in self._keys.find), *self._groups()]
        if self._keys.gather == "rows":
            known += [name for name in output.placeholders(template) if output.is_of_row(name)]
        known += [name for name in output.placeholders(template) if is_of_part(name) and name != "code."]
        self._check_placeholders(("output",), template, known)
        if "{" in output.without_placeholders(template) or "}" in output.without_placeholders(template):
            self._say(("output",), _("a brace is not closed"))
        if template.rstrip().endswith(("/", "\\")):
            self._say(
                ("output",), _("the template must end with a file's name, such as {example}", example="{stem}.{ext}")
            )

    def _check_placeholders(self, place: KeyPath, template: str, known: Sequence[str]) -> None:
        """Tell of placeholders of a template that are not among `known`, and of formats that mean nothing."""
        for unknown in output.unknown_placeholders(template, known):
            near = _OFTEN_MEANT.get(unknown.lower()) or nearest(unknown, list(known))
            message = _("there is no placeholder {place}", place=f"{{{unknown}}}")
            if near is None:
                places = " ".join(f"{{{one}}}" for one in known)
                message = _(
                    "there is no placeholder {place}; there are {places}", place=f"{{{unknown}}}", places=places
                )
            self._say(place, message, f"{{{near}}}" if near else None, needs=("pattern", "gather", "find"))
        for wrong in output.wrong_formats(template):
            self._say(
                place,
                _(
                    "{place} cannot be filled in; write {examples}",
                    place=wrong,
                    examples="{date:%Y-%m-%d} {counter:03}",
                ),
            )

    def _check_parts(self, steps: Sequence[Step]) -> None:
        """Tell of placeholders of parts in rules that make none, and of parts that are named twice or lie nowhere."""
        template, number = self._keys.output, split_step(steps)
        outer, inner = output.divided(template)
        used = [name for name in output.placeholders(template) if is_of_part(name)]
        if not used or not steps:
            return
        if number is None:
            said = _(
                "{place} is of the parts that pdf-split makes, and this rule delivers none", place=f"{{{used[0]}}}"
            )
        elif "partName" in steps[number].parameters:
            said = _("`output` names the parts already; leave partName out")
        elif len(inner) > 1:
            said = _("{place} names a file; the folders are the same for all parts", place=f"{{{used[0]}}}")
        elif not outer or outer[-1] in NO_FOLDER or outer[-1] == PurePath(template).drive:
            said = _(
                "the parts of one document are delivered together, into a folder; write one, such as {example}, before "
                "their name",
                example="{folder.name}.out/{stem}/",
            )
        elif "counter" in output.placeholders(inner[0]):
            said = _("{place} counts documents, so it cannot be in the name of a part", place="{counter}")
        else:
            return
        self._say(("output",), said)

    def _check_fields(self, steps: Sequence[Step]) -> None:
        """Tell of fields of the document that there are none of, and of rules in which nobody knows whose they are."""
        keys = self._keys
        known = [*document_fields.FIELDS, *keys.find]
        for name in keys.require:
            if name not in known:
                message = _("there is no field {name}; there are {known}", name=repr(name), known=" ".join(known))
                self._say(
                    ("require",), message, nearest(name.removeprefix(document_fields.PREFIX), known), needs=("find",)
                )
        for place, message in find_mistakes(keys):
            self._say(("find", *place), message)
        if document_fields.FOLDER in output.placeholders(keys.output) and not keys.senders:
            said = _(
                "{place} comes from a list of senders; add senders = {example}",
                place="{doc.folder}",
                example='"senders.csv"',
            )
            self._say(("output",), said, needs=("senders",))
        place = ("require",) if keys.require else ("write_fields",) if keys.write_fields else ("output",)
        if not keys.require and not keys.write_fields and not document_fields.fields_in(keys.output, keys.find):
            return
        if keys.write_fields and steps and contract().known(steps[-1].operation).output_ext == "json":
            self._say(("write_fields",), _("the result is NAME.json itself, so nothing of that name goes beside it"))
        if keys.gather is not None or keys.schedule:
            said = _("what a document says of itself names the results of single files; leave out `gather`, `schedule`")
            self._say(place, said)
        elif steps and document_fields.unreadable(contract().known(steps[0].operation).reads):
            said = _(
                "what a document says of itself is not read of the files that {operation} takes",
                operation=steps[0].operation,
            )
            self._say(place, said)

    def _check_when(self, steps: Sequence[Step]) -> None:
        """Tell of conditions on what no document can say, and of rules whose files are not read for them."""
        keys = self._keys
        for place, message, near in when.mistakes(keys.when, keys.find):
            self._say(("when", *place), message, near, needs=("find",))
        if keys.when and (keys.gather is not None or keys.shared):
            said = _("`when` is about single files that nobody else takes; leave out `gather` and `shared`")
            self._say(("when",), said, needs=("gather", "shared"))
        elif keys.when and steps and document_fields.unreadable(contract().known(steps[0].operation).reads):
            said = _(
                "what a document says of itself is not read of the files that {operation} takes",
                operation=steps[0].operation,
            )
            self._say(("when",), said)

    def _check_duplicates(self, steps: Sequence[Step]) -> None:
        """Tell of documents that are to be compared where that says nothing, or where nothing is read of them."""
        keys, at = self._keys, ("duplicates_by",)
        if keys.duplicates == "process":
            said = _('it says how `duplicates` knows a file again; add duplicates = "skip" or "ask"')
            self._say(at, said, needs=("duplicates",))
        elif keys.gather is not None or keys.schedule:
            self._say(at, _("documents are compared one by one; leave out `gather`"))
        elif steps and document_fields.unread_for_fingerprints(contract().known(steps[0].operation).reads):
            said = _("{operation} takes none of the files whose content is compared", operation=steps[0].operation)
            self._say(at, said)

    def _groups(self) -> tuple[str, ...]:
        try:
            return patterns.groups(self._keys.pattern) if self._keys.pattern else ()
        except ValueError:  # said with the pattern itself
            return tuple(m[1] for m in re.finditer(r"\(\?P?<(\w+)>", self._keys.pattern or ""))

    def _original(self) -> str:
        word = self._keys.original
        if self._keys.shared and word.lower() == "keep":
            said = _("a shared folder's originals are moved, so `keep` cannot be combined with `shared`")
            self._say(("original",), said)
        if word.lower() in _ORIGINAL_WORDS:
            return word.lower()
        return str(self._path(word, ("original",)))

    def _default_match(self, first: Step) -> tuple[str, ...]:
        """Return what the first operation reads; for a generation, what is missing in the rule."""
        operation, parameters = contract().known(first.operation), first.parameters
        if self._keys.gather == "rows":
            return LISTS
        if operation.id == "pdf-generate":
            has_template = "template" in parameters or "templateFile" in parameters
            has_data = "data" in parameters or "dataFile" in parameters
            if has_template and not has_data:
                return ("*.json",)
            links = [f"*{suffix}" for suffix in LINKS] if self._keys.hosts and not has_data else []
            return ("*.html", "*.htm", *links)
        return tuple(f"*.{extension}" for extension in operation.read_remotely)

    def _path(self, text: str, key: KeyPath) -> Path:
        found = expanded(text)
        if found.parts[:1] and found.parts[0].startswith("~"):
            self._say(key, _("there is no home folder {folder}; your own is ~", folder=found.parts[0]))
        if any(ord(letter) < 32 for letter in text):  # "C:\\new" holds a line feed
            self._say(
                key, _("a path cannot hold a line feed or tab; put it into single quotes, '...', or write / for \\")
            )
        if (share := _ADDRESS.match(text)) or (text.startswith("\\\\") and sys.platform != "win32"):
            kind = _("an address") if share else _("a Windows path")
            self._say(
                key,
                _(
                    "{text} is {kind}; connect the share, and write the path at which it is then found here",
                    text=text,
                    kind=kind,
                ),
            )
        if _VARIABLE.match(text):
            self._say(key, _("variables are not filled in here; ~ is your home folder"))
        return Path(os.path.normpath(self._home / found))

    def _say(self, key: KeyPath, message: str, suggestion: str | None = None, *, needs: Sequence[str] = ()) -> None:
        self._wrong += 1
        self._problem(key, message, suggestion, needs=needs)
