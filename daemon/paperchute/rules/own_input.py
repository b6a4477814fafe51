"""Operations that need no file: their input stands in the rule. And what then is left for a dropped file to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from paperchute.contract import Operation, Value
from paperchute.rules.model import Gather

_PAGES = ("html", "htmlUrl", "htmlFile")
_TEMPLATE = ("template", "templateFile")
_DATA = ("data", "dataFile")
_ADD = 'add `schedule`, such as schedule = "daily 06:00"'


def has_own_input(operation: Operation, parameters: Mapping[str, Value]) -> bool:
    """Whether the parameters are all that the operation needs."""
    if operation.id == "pdf-generate":
        return any(name in parameters for name in (*_PAGES, *_TEMPLATE))
    return operation.id == "pdf-insert" and bool(parameters.get("urls"))


def no_place_for_a_file(
    operation: Operation, parameters: Mapping[str, Value], gather: Gather | None
) -> Iterator[tuple[str, str]]:
    """(parameter, message) where a file that is dropped, or made by an earlier step, has no use."""
    if gather in ("pair", "rows"):  # these say it themselves
        return
    if operation.id == "pdf-insert" and parameters.get("urls"):
        yield "urls", f"urls takes the place of files, so a dropped one would not be used; leave it out, or {_ADD}"
    if operation.id != "pdf-generate":
        return
    for name in _PAGES:
        if name in parameters:
            yield name, f"{name} is what is printed, so a dropped file would not be used; leave it out, or {_ADD}"
            return
    both = [name for name in (*_TEMPLATE, *_DATA) if name in parameters]
    if any(name in both for name in _TEMPLATE) and any(name in both for name in _DATA):
        yield both[-1], f"with {both[0]} and {both[-1]} a dropped file would not be used; leave one out, or {_ADD}"


def named_hosts(parameters: Mapping[str, Value]) -> list[str]:
    """The hosts of addresses in a rule: whoever writes the rule wants them fetched."""
    urls = parameters.get("urls")
    texts = [parameters.get("htmlUrl"), parameters.get("baseUri"), *(urls if isinstance(urls, list) else [])]
    found = []
    for text in texts:
        try:
            host = urlsplit(str(text or "")).hostname
        except ValueError:
            continue
        found += [host] if host else []
    return list(dict.fromkeys(found))
