"""The conditions of a rule: from the values in its file to those of the finished rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from paperchute.contract.kinds import canonical
from paperchute.contract.operations import nearest
from paperchute.language import _
from paperchute.rules import match, patterns, schedule, values
from paperchute.rules.model import RuleKeys
from paperchute.rules.output import PLACEHOLDERS
from paperchute.rules.secrets import FORMS, anchored, is_reference, may_have_placeholders, placeholders
from paperchute.rules.values import is_host

Say = Callable[..., None]

_MOST_PASSWORDS = 50


def condition_keys(keys: RuleKeys, home: Path, say: Say) -> Mapping[str, Any]:
    """Those conditions, and what has to do with when and how work is done, whose value is another in the finished rule.

    home: the rule file's folder, which relative paths start from.
    say(key path, message, suggestion, needs=keys) is told of everything that is wrong; see `build.Builder`.
    """
    if keys.min_size is not None and keys.max_size is not None and keys.min_size > keys.max_size:
        say(("min_size",), _("`min_size` is larger than `max_size`, so no file can match"))
    if keys.keep_done is not None and keys.original.lower() != "done":
        say(
            ("keep_done",),
            _(
                '`keep_done` is about originals in the .done folder; with original = "{word}" none go there',
                word=keys.original,
            ),
        )
    _check_pages(keys, say)
    _check_texts(keys, say)
    _check_pattern(keys, say)
    _check_sidecar_secrets(keys, home, say)
    return {
        "kind": tuple(_kinds(keys, say)),
        "between": tuple(_each(keys.between, "between", schedule.hours, say)),
        "days": tuple(dict.fromkeys(day for days in _each(keys.days, "days", schedule.weekdays, say) for day in days)),
        "passwords": tuple(anchored(reference, home) for reference in _passwords(keys, say)),
        "hosts": tuple(_hosts(keys, say)),
    }


def _kinds(keys: RuleKeys, say: Say) -> list[str]:
    found = []
    known = match.kinds()
    for kind in keys.kind:
        wanted = canonical(kind)
        if wanted not in known:
            say(
                ("kind",),
                _("there is no kind {kind}; kinds are {known}", kind=repr(kind), known=" ".join(known)),
                nearest(kind, known),
            )
        found.append(wanted)
    return found


def _check_pages(keys: RuleKeys, say: Say) -> None:
    try:
        values.ranges(keys.pages) if keys.pages else ()
    except ValueError as error:
        say(("pages",), f"`pages` {error}")


def _check_texts(keys: RuleKeys, say: Say) -> None:
    for words in keys.text:
        if not match.plain(words):
            say(("text",), _("`text` must hold words"))


def _check_pattern(keys: RuleKeys, say: Say) -> None:
    if not keys.pattern:
        return
    try:
        for group in patterns.groups(keys.pattern):
            if group in PLACEHOLDERS:
                say(
                    ("pattern",),
                    _(
                        "a group cannot be called {group}, since {place} means something already",
                        group=group,
                        place=f"{{{group}}}",
                    ),
                )
    except ValueError as error:
        say(("pattern",), f"`pattern` {error}")


def _passwords(keys: RuleKeys, say: Say) -> list[str]:
    found = list(keys.passwords)
    if not all(is_reference(reference) for reference in found):
        say(
            ("passwords",),
            _("passwords must not be written here themselves; write where they are kept: {forms}", forms=_(FORMS)),
        )
        return []
    for reference in found:
        check_placeholders(
            reference, ("stem", "name", *_groups(keys)), lambda *said: say(("passwords",), *said, needs=("pattern",))
        )
    if len(found) > _MOST_PASSWORDS:
        say(("passwords",), _("there may be {most} passwords at most", most=_MOST_PASSWORDS))
    return found


def _check_sidecar_secrets(keys: RuleKeys, home: Path, say: Say) -> None:
    found = keys.sidecar_secrets
    if not all(is_reference(reference) for reference in found):
        say(
            ("sidecar_secrets",),
            _("secrets must not be written here themselves; write where they are kept: {forms}", forms=_(FORMS)),
        )
        return
    for reference in found:
        if placeholders(reference):
            say(("sidecar_secrets",), _("each secret that may be named is listed here by itself, without braces"))
        elif anchored(reference, home) != reference:
            say(("sidecar_secrets",), _("a path must be complete here, as it has to be written beside the files"))


def _hosts(keys: RuleKeys, say: Say) -> list[str]:
    found = [host.lower() for host in keys.hosts]
    for host in found:
        if not is_host(host):
            say(
                ("hosts",),
                _(
                    "{host} is not a host's name; write it as in intranet.example, without https:// and path",
                    host=repr(host),
                ),
            )
    return found


def check_placeholders(reference: str, known: Sequence[str], say: Say) -> None:
    """Tell of braces in a reference to a secret that cannot be filled in. say(message, suggestion)."""
    if not may_have_placeholders(reference):
        say(_("braces are allowed only in the last part of a keyring:, csv: or file: reference"))
        return
    for name in placeholders(reference):
        if name not in known:
            near = nearest(name, list(known))
            say(
                _(
                    "there is no {place} for a reference; there is {stem}, and the groups of `pattern`",
                    place=f"{{{name}}}",
                    stem="{stem}",
                ),
                near,
            )


def _groups(keys: RuleKeys) -> tuple[str, ...]:
    try:
        return patterns.groups(keys.pattern) if keys.pattern else ()
    except ValueError:
        return ()


def _each(texts: Sequence[str], key: str, read: Callable[[str], Any], say: Say) -> list[Any]:
    found = []
    for text in texts:
        try:
            found.append(read(text))
        except ValueError as error:
            say((key,), f"`{key}` {error}" if isinstance(error, schedule.NotUnderstoodError) else str(error))
    return found
