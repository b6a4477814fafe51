"""Fields of one's own in rules (`find`): what is wrong with them, and those of rules that share a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from paperchute.contract.page_boxes import parse_box
from paperchute.language import _
from paperchute.notation.patterns import compiled
from paperchute.rules.document_fields import FIELDS, FOLDER, OWN_NAME, PREFIX, fields_in
from paperchute.rules.model import Rule, RuleKeys
from paperchute.rules.problems import KeyPath
from paperchute.rules.stored import fingerprint
from paperchute.rules.tables import Find

_MOST = 100
"""Of one rule, as the engine takes them."""


def find_mistakes(keys: RuleKeys) -> Iterator[tuple[KeyPath, str]]:
    """Tell what is wrong with a rule's own fields: the place below `find`, and what it is."""
    if len(keys.find) > _MOST:
        yield (), _("find asks for more than {most} fields.", most=_MOST)
    used = {*keys.require, *keys.when, *fields_in(keys.output, keys.find)}
    for name, find in keys.find.items():
        if name in FIELDS or PREFIX + name == FOLDER:
            yield (name,), _("there is a field {name} already; give yours another name", name=name)
        elif not OWN_NAME.fullmatch(name):
            said = _("a field's name is small letters a-z, digits and _, 40 at most, and begins with a letter")
            yield (name,), said
        elif name not in used and not keys.write_fields:
            place = f"{{{PREFIX}{name}}}"
            yield (name,), _("nothing uses it: name {place} in `output`, or {name} in `when`", place=place, name=name)
        yield from (((name, *place), said) for place, said in _mistakes(find))


def _mistakes(find: Find) -> Iterator[tuple[KeyPath, str]]:
    if bool(find.label) == bool(find.pattern):
        yield (), _("takes either a label or a pattern")
    if find.label and not any(letter.isalnum() for letter in find.label):
        yield ("label",), _("takes words as the document has them")
    if find.pattern:
        yield from (((("pattern",), said)) for said in _of_pattern(find.pattern))
    if find.place:
        try:
            parse_box(find.place)
        except ValueError as error:
            yield ("place",), str(error)


def _of_pattern(pattern: str) -> Iterator[str]:
    try:
        found = compiled(pattern)
    except ValueError as error:
        yield str(error)
        return
    if found.groups > 1:
        yield _("has {count} groups; the value is the whole, or the only group", count=found.groups)
    elif found.search("") is not None:
        yield _("is found where nothing stands; ask for one character at least")


def together(rules: Sequence[Rule]) -> tuple[list[Rule], list[tuple[Rule, KeyPath, str]]]:
    """Give rules that share a folder in which documents decide all fields of their own: each document is read once.

    Returns the rules, and of fields that two of them find in different ways: the rule, the place and a sentence.
    """
    deciding = {rule.folder for rule in rules if rule.when and rule.enabled}
    found: dict[tuple[object, str], tuple[Rule, Find]] = {}
    wrong: list[tuple[Rule, KeyPath, str]] = []
    for rule in rules:
        for name, find in rule.find.items() if rule.folder in deciding and rule.enabled else ():
            first, known = found.setdefault((rule.folder, name), (rule, find))
            if known != find:
                said = _(
                    "rule '{other}' finds it in another way; a document that `when` decides on is read once for all "
                    "rules of its folder, so give it another name",
                    other=first.name,
                )
                wrong.append((rule, ("find", name), said))
    shared = {
        folder: {name: find for (of, name), (_rule, find) in found.items() if of == folder} for folder in deciding
    }
    return [_with(rule, shared.get(rule.folder, {})) if rule.enabled else rule for rule in rules], wrong


def _with(rule: Rule, find: Mapping[str, Find]) -> Rule:
    if rule.find.keys() >= find.keys():
        return rule
    whole = rule.model_copy(update={"find": {**find, **rule.find}})
    return whole.model_copy(update={"fingerprint": fingerprint(whole)})
