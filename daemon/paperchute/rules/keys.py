"""How a key of the rule file is declared: its meaning, an example, and what it bears on, beside its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


class Table(BaseModel):
    """A table of the rule file: no key but its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Bearing:
    """What a key bears on, beyond its type."""

    affects_result: bool
    """Whether it changes which calls are made of a file or what becomes of it: such a key is part of the fingerprint,
    and a change of it makes a failed job's steps run again. Else it is about when work is done and for how long it is
    remembered."""
    of_files: bool = False
    """Whether it is about the files that are dropped, so that it has no place in a rule with `schedule`."""
    goes_with: tuple[str, Any] | None = None
    """The key, and its value, without which it says nothing."""


def is_default(model: type[BaseModel], name: str, value: Any) -> bool:
    """Decide whether a key of `model`, a `Rule`, has the value that it has where nobody says."""
    declared = model.model_fields.get(name)
    if declared is None or declared.is_required():
        return False
    return bool((tuple(value) if isinstance(value, list) else value) == declared.default)


BEARING = "x-bearing"
"""Where the schema of a field keeps it; taken out of what is printed for editors."""


def key(
    default: Any = ...,
    *,
    meaning: str,
    example: Any,
    affects_result: bool,
    of_files: bool = False,
    goes_with: tuple[str, Any] | None = None,
    alias: str | None = None,
) -> Any:
    """One key of a rule. default: left out for a key that must be given. example: as it would stand in a rule file.

    For the rest see `Bearing`.
    """
    bearing = {"affects_result": affects_result, "of_files": of_files, "goes_with": goes_with}
    return Field(
        default, description=meaning, examples=[example], alias=alias, json_schema_extra=cast(Any, {BEARING: bearing})
    )


def bearing_of(declared: FieldInfo) -> Bearing | None:
    """Return what a field that was declared by `key` bears on; None of any other field."""
    extra = declared.json_schema_extra
    return Bearing(**cast(Any, extra[BEARING])) if isinstance(extra, dict) and BEARING in extra else None
