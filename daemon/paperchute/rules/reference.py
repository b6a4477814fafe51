"""`docs/rules.md`: the reference of the rule file, made from its shape and the contract so that it cannot drift.

`python -m paperchute.rules.reference` prints it.
"""

from __future__ import annotations

import sys
from typing import get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from paperchute.contract import Operation, Parameter, contract
from paperchute.rules.output import DEFAULT
from paperchute.rules.shape import RuleShape, ServiceShape

_HEAD = f"""# The rule file
<!-- Made by `python -m paperchute.rules.reference > docs/rules.md`; edit daemon/paperchute/rules/, not this page. -->
`rules.toml` is TOML in UTF-8. `version = 1` stands at the top, then `[service]` and `[defaults]` if you need them, then one
`[[rule]]` after the other. The first enabled rule that matches takes a file. Saving takes effect within a second; a file with a
mistake changes nothing, and `paperchute check`, `paperchute status` and the tray show the mistake with its line.
`on`, `off`, `yes`, `no`, `true`, `false`, `1` and `0` all serve as switches. `rules.example.toml` is a tour; its first line lets
editors complete and check keys by `rules.schema.json`.

## Folders
For the hot folder `~/Hot/read`: results go to `~/Hot/read.out`, originals to `read.done`, failures to `read.failed`, each with
`NAME.error.txt` that says what happened and how to try again. They are made when first needed. Sub-folders keep their
relative place. Several results of one file go into a folder named after it. Links inside a hot folder are not followed.

## Secrets
Passwords and keys never stand in the file. Write where they are: `env:NAME` (a variable of Paperchute's environment),
`keyring:SERVICE/USER` (the desktop's keyring) or `file:PATH` (readable by you alone).

## Globs
`match` and `except` look at the name alone, or, with a `/` in the glob, at the path below the hot folder. `*` and `?` stay within a
name, `**` is any number of folders, letter case makes no difference. In a `gather = "folder"` rule `match` picks the files of a set.

## Output
The default is `{DEFAULT}`. A path is relative to the hot folder's parent and may start with `~` or `/`. Placeholders:
`{{stem}}` name without suffix, `{{name}}` with it, `{{ext}}` the result's suffix, `{{relative}}` the sub-folder, `{{set}}` the gathered
folder's name, `{{folder.name}}` the hot folder's, `{{folder}}` the hot folder itself (at the start), `{{rule}}`, `{{operation}}`,
`{{date}}` or `{{date:%Y-%m}}`, `{{counter}}` or `{{counter:04}}`. What comes from file names can never lead elsewhere.
"""


def reference() -> str:
    """The whole page."""
    seed = [o for o in contract().all_operations if o.in_seed]
    parts = [
        _HEAD,
        "## Keys of a rule\n" + _keys(RuleShape),
        "\n## Keys of [service]\n" + _keys(ServiceShape),
        "\n## Operations and their parameters\n"
        "Those of the interface's core; `paperchute operations` lists all. A star marks what must be given.\n",
        *(_operation(operation) for operation in seed),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _keys(shape: type[BaseModel]) -> str:
    rows = ["| key | takes | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in shape.model_fields.items():
        rows.append(
            f"| `{field.alias or name}` | {_takes(field)} | {_default(field)} | {_cell(field.description or '')} |"
        )
    return "\n".join(rows)


def _takes(field: FieldInfo) -> str:
    kind = field.annotation
    choices = [kind, *get_args(kind)]
    for choice in choices:
        if get_origin(choice) is not None and str(get_origin(choice)) == "typing.Literal":
            return " \\| ".join(f"`{value}`" for value in get_args(choice))
    text = str(kind).replace("_no_bool", "")
    if "amounts.size" in text or "function size" in text:
        return "size"
    if "bool" in text:
        return "on or off"
    if "_number_as_text" in text:
        return "number or text"
    if "float" in text or "int" in text:
        return "number"
    if "dict" in text:
        return "table"
    if "StepShape" in text:
        return "list of tables"
    return "text or list" if "list" in text else "text"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value in (None, [], {}) else f"`{value}`"


def _operation(operation: Operation) -> str:
    rows = [
        f"### {operation.id}",
        f"{operation.title}. Reads {', '.join(operation.input_ext)}; gives {operation.output_ext}.\n",
    ]
    rows += ["| parameter | takes | default | meaning |", "| --- | --- | --- | --- |"]
    for p in operation.parameters:
        if p.name != "file":
            rows.append(f"| `{p.name}`{'*' if p.required else ''} | {_values(p)} | {_shown(p.default)} | {_about(p)} |")
    return "\n".join(rows)


def _values(parameter: Parameter) -> str:
    if parameter.is_secret:
        return "reference" if parameter.type != "array" else "list of references"
    if parameter.is_flag or parameter.type == "boolean":
        return "on or off"
    if parameter.values:
        return " \\| ".join(f"`{value}`" for value in parameter.values)
    return parameter.format or parameter.type


def _about(parameter: Parameter) -> str:
    return _cell(parameter.meaning + (f"; {parameter.rule}" if parameter.rule else ""))


def _shown(value: object) -> str:
    if value is None or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
