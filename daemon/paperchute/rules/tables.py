"""What stands in a rule as a table of its own: a step, and a field of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from paperchute.contract import Value
from paperchute.rules.keys import Table
from paperchute.rules.values import Text


class Step(Table):
    """One entry of `steps`: an operation, and the values of its parameters by their contract names.

    In a finished rule the values are canonical. Secrets stand as their reference (`env:NAME`, `keyring:SERVICE/USER`,
    `file:PATH`), resolved only when called, and files (templateFile, dataFile, htmlFile) as absolute paths.
    """

    operation: Text = Field(description="What the service is to do, by its contract id.")
    parameters: dict[str, Any] = Field({}, description="The operation's parameters, by their contract names.")
    service: Text = Field("", description="Who does this step. Default: as the rule has it.")
    or_: Text = Field("", alias="or", description="Who does it where that one cannot. Default: as the rule has it.")

    def __init__(self, *values: str | Mapping[str, Value], **keys: Any) -> None:
        """Takes its two fields by place as well: `Step("pdf-merge", {})`."""
        super().__init__(**dict(zip(("operation", "parameters"), values, strict=False)), **keys)


class Find(Table):
    """One entry of `find`: what the document calls a field, or how it is written, and where it stands."""

    label: Text = Field("", description="What stands before or over it, such as Customer no.")
    pattern: Text = Field("", description="A regular expression that it fits; of one with a group, that.")
    place: Text = Field("", description="Where on pages, as pages: left,top,right,bottom in points. Default: anywhere.")
