"""The conditions of a rule: from the values in its file to those of the finished rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from paperchute.contract.kinds import canonical
from paperchute.contract.model import nearest
from paperchute.rules import match, patterns, schedule, values
from paperchute.rules.output import PLACEHOLDERS
from paperchute.rules.secrets import FORMS, anchored, is_reference, may_have_placeholders, placeholders
from paperchute.rules.shape import RuleShape, is_host

Say = Callable[..., None]

_MOST_PASSWORDS = 50


def asked(shape: RuleShape, home: Path, say: Say) -> Mapping[str, Any]:
    """The fields of the finished rule that are conditions, or have to do with when and how its work is done.

    home: the rule file's folder, which relative paths start from.
    say(key path, message, suggestion, needs=keys) is told of everything that is wrong; see `build.Builder`.
    """
    _check_together(shape, say)
    return {
        "depth": shape.depth,
        "kind": tuple(_kinds(shape, say)),
        "min_size": shape.min_size,
        "max_size": shape.max_size,
        "pages": _pages(shape, say),
        "text": tuple(_texts(shape, say)),
        "pattern": _pattern(shape, say),
        "between": tuple(_each(shape.between, "between", schedule.hours, say)),
        "days": tuple(dict.fromkeys(day for days in _each(shape.days, "days", schedule.weekdays, say) for day in days)),
        "also": shape.also,
        "timeout": shape.timeout,
        "passwords": tuple(anchored(reference, home) for reference in _passwords(shape, say)),
        "hosts": tuple(_hosts(shape, say)),
        "sidecar_secrets": tuple(_sidecar_secrets(shape, home, say)),
        "protection": shape.protection,
    }


def _check_together(shape: RuleShape, say: Say) -> None:
    if shape.depth is not None and not shape.recursive:
        message = "`depth` is about sub-folders, and this rule leaves them alone; add recursive = true"
        say(("depth",), message, needs=("recursive",))
    if shape.min_size is not None and shape.max_size is not None and shape.min_size > shape.max_size:
        say(("min_size",), "`min_size` is larger than `max_size`, so no file can match")


def _kinds(shape: RuleShape, say: Say) -> list[str]:
    found = []
    known = match.kinds()
    for kind in shape.kind or ():
        wanted = canonical(kind)
        if wanted not in known:
            say(("kind",), f"there is no kind {kind!r}; kinds are {' '.join(known)}", nearest(kind, known))
        found.append(wanted)
    return found


def _pages(shape: RuleShape, say: Say) -> str:
    if shape.pages is None:
        return ""
    try:
        values.ranges(shape.pages)
    except ValueError as error:
        say(("pages",), f"`pages` {error}")
    return shape.pages


def _texts(shape: RuleShape, say: Say) -> list[str]:
    for words in shape.text or ():
        if not match.plain(words):
            say(("text",), "`text` must hold words")
    return list(shape.text or ())


def _pattern(shape: RuleShape, say: Say) -> str:
    if shape.pattern is None:
        return ""
    try:
        for group in patterns.groups(shape.pattern):
            if group in PLACEHOLDERS:
                say(("pattern",), f"a group cannot be called {group}, since {{{group}}} means something already")
    except ValueError as error:
        say(("pattern",), f"`pattern` {error}")
    return shape.pattern


def _passwords(shape: RuleShape, say: Say) -> list[str]:
    found = list(shape.passwords or ())
    if not all(is_reference(reference) for reference in found):
        say(("passwords",), f"passwords must not stand here themselves; write where they are: {FORMS}")
        return []
    for reference in found:
        check_placeholders(
            reference, ("stem", "name", *_groups(shape)), lambda *said: say(("passwords",), *said, needs=("pattern",))
        )
    if len(found) > _MOST_PASSWORDS:
        say(("passwords",), f"there may be {_MOST_PASSWORDS} passwords at most")
    return found


def _sidecar_secrets(shape: RuleShape, home: Path, say: Say) -> list[str]:
    found = list(shape.sidecar_secrets or ())
    if not all(is_reference(reference) for reference in found):
        say(("sidecar_secrets",), f"secrets must not stand here themselves; write where they are: {FORMS}")
        return []
    for reference in found:
        if placeholders(reference):
            say(("sidecar_secrets",), "each secret that may be named stands here by itself, without braces")
        elif anchored(reference, home) != reference:
            say(("sidecar_secrets",), "a path stands here whole, as it has to be written beside the files")
    return found


def _hosts(shape: RuleShape, say: Say) -> list[str]:
    found = [host.lower() for host in shape.hosts or ()]
    for host in found:
        if not is_host(host):
            say(
                ("hosts",),
                f"{host!r} is not a host's name; write it as in intranet.example, without https:// and path",
            )
    return found


def check_placeholders(reference: str, known: Sequence[str], say: Say) -> None:
    """Tell of braces in a reference to a secret that cannot be filled in. say(message, suggestion)."""
    if not may_have_placeholders(reference):
        say("braces may stand only in the last part of a keyring:, csv: or file: reference")
        return
    for name in placeholders(reference):
        if name not in known:
            near = nearest(name, list(known))
            say(f"there is no {{{name}}} for a reference; there is {{stem}}, and the groups of `pattern`", near)


def _groups(shape: RuleShape) -> tuple[str, ...]:
    try:
        return patterns.groups(shape.pattern) if shape.pattern else ()
    except ValueError:
        return ()


def _each(texts: list[str] | None, key: str, read: Callable[[str], Any], say: Say) -> list[Any]:
    found = []
    for text in texts or ():
        try:
            found.append(read(text))
        except ValueError as error:
            say((key,), f"`{key}` {error}" if str(error).startswith("takes") else str(error))
    return found
