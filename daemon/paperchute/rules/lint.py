"""What is allowed and yet looks like a mistake: said by `paperchute check`, and never in the way of running."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from paperchute.contract import PICTURES, contract, without_effect
from paperchute.contract.links import LINKS
from paperchute.files.names import folded, one_elsewhere
from paperchute.language import _
from paperchute.rules import when
from paperchute.rules.destinations import WHAT_LANDS, by_folder, landings, loops, siblings
from paperchute.rules.match import IMAGE, is_of_kind, plain
from paperchute.rules.model import Rule
from paperchute.rules.output import placeholders, target
from paperchute.rules.patterns import all_covered
from paperchute.rules.problems import Problem
from paperchute.rules.secrets import has_passwords
from paperchute.rules.sets import HAND_ON, together
from paperchute.rules.signatures import broken_signatures
from paperchute.rules.steps import makes, misfits, named_hosts, reads, results
from paperchute.rules.tables import Step
from paperchute.rules.values import ranges

_VARYING = ("{", "*", "?", "[")
_FIXED = frozenset({"ext", "folder", "folder.name", "rule", "operation"})
"""Placeholders that are the same for all files of one kind."""


def odd_globs(rule: Rule) -> Iterator[tuple[str, str]]:
    """(key, message) for globs that are no globs."""
    for key, globs in (("match", rule.match), ("except", rule.except_)):
        for one in globs:
            if re.search(r",\s*[*.]", one):
                yield key, _('{one} is one glob with a comma in it; several are a list: ["*.a", "*.b"]', one=repr(one))
            elif one.startswith(".") and not any(letter in one for letter in _VARYING):
                yield (
                    key,
                    _(
                        "{one} is the whole name of a file; for all files that end like this write {glob}",
                        one=repr(one),
                        glob=f"*{one}",
                    ),
                )


def odd_output(rule: Rule) -> Iterator[tuple[str, str]]:
    """(key, message) for a template that gives all results one name, as one that was meant for a folder does."""
    if rule.output and rule.on_conflict != "replace" and set(placeholders(rule.output)) <= _FIXED:
        meant = f"{rule.output.removesuffix('.{ext}')}/{{stem}}.{{ext}}"
        yield (
            "output",
            _(
                "every result gets this name, but for a number; if it is meant for a folder, write {meant}",
                meant=repr(meant),
            ),
        )


def odd_original(rule: Rule, written: str) -> Iterator[tuple[str, str]]:
    """(key, message) for a word that is taken for a folder. written: as it stands in the file."""
    if re.fullmatch(r"\w+", written) and Path(rule.original).is_absolute():
        known = "done | keep | delete | trash"
        yield (
            "original",
            _(
                "{written} is taken for the folder {original}; write {path} if it is one, or {known}",
                written=repr(written),
                original=rule.original,
                path=f"./{written}",
                known=known,
            ),
        )


Place = Callable[..., tuple[int, int]]
Remote = Callable[[str], bool]
_FETCHING = ("html-to-pdf", "pdf-generate", "pdf-insert")

Said = tuple[Rule, tuple[str | int, ...], str]


def loop_problems(rules: Sequence[Rule], place: Place) -> list[Problem]:
    """Rules that would feed themselves, or each other in a circle, without end: these are mistakes."""
    return _problems(
        (
            (
                one.writer,
                (one.key,),
                _(
                    "{folder} would be watched by rule {rule}: its {what} would be taken again, endlessly",
                    folder=one.folder,
                    rule=repr(one.reader.name),
                    what=_(WHAT_LANDS[one.what]),
                ),
            )
            for one in loops(landings(rules))
        ),
        place,
    )


def also_problems(rules: Sequence[Rule], place: Place) -> list[Problem]:
    """Rules that leave files to others (`also`, `when`) beside rules that cannot have a file from another one."""
    enabled = [rule for rule in rules if rule.enabled]
    return _problems(
        (
            (rule, ("when" if rule.when else "also",), why)
            for rule in enabled
            for other in enabled
            if (rule.also or rule.when) and rule is not other and rule.folder == other.folder
            if (why := _apart(rule, other))
        ),
        place,
    )


def _apart(rule: Rule, other: Rule) -> str:
    """Return why another rule cannot have what `rule` leaves to it; empty where it can, or has other things."""
    if (rule.gather == "folder") != (other.gather == "folder"):
        return ""
    if other.gather in ("batch", "pair") or other.partner:
        mended = _(
            "give that rule a folder of its own, and let this one hand its originals on to it: {hand_on}",
            hand_on=HAND_ON,
        )
        return _(
            "rule {other} is in the same folder, and {gather}; {mended}",
            other=repr(other.name),
            gather=together(other.gather),
            mended=mended,
        )
    if rule.when and other.shared:
        said = _("`when` is about single files that nobody else takes; leave out `gather` and `shared`")
        return f"{other.name!r}: {said}"
    if rule.shared != other.shared:
        lacking = rule if other.shared else other
        return _(
            "a claimed file is out of sight of rules that are not shared; give rule {lacking} shared = true too",
            lacking=repr(lacking.name),
        )
    return ""


def warnings(rules: Sequence[Rule], place: Place, *, remote: Remote, fetches: bool = False) -> list[Problem]:
    """Everything that looks like a mistake.

    place(rule, *key path): line and column. remote(name): whether a service is not our own engine. fetches: our engine
    may fetch from some host, whatever the rule says.
    """
    enabled = [rule for rule in rules if rule.enabled]
    return [
        *_problems(_never_matching(enabled), place),
        *_problems(_overlapping(enabled), place),
        *_problems(_landing(enabled), place),
        *_problems(_sharing_siblings(enabled), place),
        *_problems(((rule, key, message) for rule in enabled for key, message in misfits(rule)), place),
        *_problems(_fetching(enabled, remote), place),
        *_problems(_links_without_hosts(enabled, remote) if not fetches else (), place),
        *_problems(_one_password_for_both(enabled), place),
        *_problems(_protecting(enabled, remote), place),
        *_problems(_idle(enabled), place),
        *_problems(_breaking(enabled), place),
        *_problems(_of_any_currency(enabled), place),
        *_problems(
            ((rule, (key,), said) for rule in enabled for key, said in (*odd_globs(rule), *odd_output(rule))), place
        ),
    ]


def _problems(said: Iterable[Said], place: Place) -> list[Problem]:
    found = [Problem(*place(rule, *key), message, rule.name) for rule, key, message in said]
    return list(dict.fromkeys(found))


def _breaking(rules: Sequence[Rule]) -> Iterator[Said]:
    """Rules for signed PDFs whose results are other PDFs: no signature holds in a document that is changed."""
    for rule in rules:
        if rule.signed and (message := broken_signatures(rule)):
            yield rule, ("signed",), message


def _of_any_currency(rules: Sequence[Rule]) -> Iterator[Said]:
    """Conditions on amounts that do not say of which money."""
    said = _('amounts of every currency are compared alike; add currency = "EUR", or whichever it is')
    for rule in rules:
        if "total" in rule.when and "currency" not in rule.when:
            yield rule, ("when", "total"), said


def _fetching(rules: Sequence[Rule], remote: Remote) -> Iterator[Said]:
    for rule in rules:
        named = {host for step in rule.steps for host in named_hosts(step.parameters)}
        if named >= set(rule.hosts):
            continue
        here = [step for step in rule.steps if not _is_elsewhere(step, remote)]
        if not here:
            yield (
                rule,
                ("hosts",),
                _("`hosts` is for the built-in engine; the service at `base_url` decides that itself"),
            )
        elif not any(step.operation in _FETCHING for step in here):
            yield (
                rule,
                ("hosts",),
                _("`hosts` does nothing here: only {fetching} fetch anything", fetching=", ".join(_FETCHING)),
            )


def _is_elsewhere(step: Step, remote: Remote) -> bool:
    """Decide whether our own engine has no part in a step."""
    return remote(step.service) and not (step.or_ and not remote(step.or_))


def _links_without_hosts(rules: Sequence[Rule], remote: Remote) -> Iterator[Said]:
    what = _("it lets links in, but `hosts` names no host, so none of them can be printed")
    for rule in rules:
        links = any(glob.lower().endswith(LINKS) for glob in rule.match)
        if links and rule.steps[0].operation == "pdf-generate" and not rule.hosts and not remote(rule.steps[0].service):
            yield rule, ("match",), what


def _one_password_for_both(rules: Sequence[Rule]) -> Iterator[Said]:
    what = _(
        "ownerPassword is the same as userPassword, so whoever may open the file may also lift what it forbids; "
        "take another one"
    )
    for rule in rules:
        for number, step in enumerate(rule.steps):
            owner = step.parameters.get("ownerPassword")
            if owner and owner == step.parameters.get("userPassword"):
                key = ("parameters", "ownerPassword")
                yield rule, key if len(rule.steps) == 1 else ("steps", number, *key), what


def _protecting(rules: Sequence[Rule], remote: Remote) -> Iterator[Said]:
    for rule in rules:
        makes_pdf = [s.operation for s in rule.steps if _changes_pdf(s.operation) and remote(s.service)]
        dropping = rule.protection == "drop"
        if dropping and all(_is_elsewhere(step, remote) for step in rule.steps):
            why = _("`protection` is for the built-in engine; the service at `base_url` decides that itself")
            yield rule, ("protection",), why
        elif dropping and "pdf" not in reads(contract().known(rule.steps[0].operation)):
            yield rule, ("protection",), _("`protection` does nothing here: nothing that is read can be locked")
        if dropping or not has_passwords(rule):
            continue
        key = ("passwords",) if rule.passwords else ()
        if makes_pdf:
            yield (
                rule,
                key,
                _(
                    "whether what {operation} makes of locked PDFs is locked too, the service at `base_url` decides",
                    operation=makes_pdf[-1],
                ),
            )
        elif not remote(rule.steps[-1].service) and "pdf" not in results(rule):
            made = rule.steps[-1].operation
            why = _("what {made} makes of a locked PDF is not locked: whoever has it can read it", made=made)
            yield rule, key, _('{why}; protection = "drop" says that this is wanted', why=why)


def _changes_pdf(operation: str) -> bool:
    """Decide whether an operation makes a PDF of PDFs and is not there to lock it."""
    known = contract().known(operation)
    return "pdf" in makes(known, {"pdf"}) and "pdf" in reads(known) and operation != "pdf-encrypt"


def _idle(rules: Sequence[Rule]) -> Iterator[Said]:
    """Parameters that change nothing beside the others."""
    for rule in rules:
        for number, step in enumerate(rule.steps):
            for name, why in without_effect(contract().known(step.operation), step.parameters):
                base = ("steps", number) if len(rule.steps) > 1 else ()
                yield rule, (*base, "parameters", name), _("{name} changes nothing here: {why}", name=name, why=why)


def _never_matching(rules: Sequence[Rule]) -> Iterator[Said]:
    rules = [rule for rule in rules if not rule.schedule]
    for position, rule in enumerate(rules):
        before = [earlier for earlier in rules[:position] if _has_all_that_fits(earlier, rule)]
        taking = [_first_covering(before, rule, glob) for glob in rule.match]
        if rule.gather == "folder":  # whose files are not looked at before it has its turn
            taking = [before[0]] if before else []
        names = list(dict.fromkeys(repr(one.name) for one in taking if one is not None))
        if not names or None in taking:
            continue
        if len(names) == 1:
            why = _("it can never have a file: rule {earlier} before it takes all of them", earlier=names[0])
        else:
            why = _("it can never have a file: rules {earlier} before it take all of them", earlier=", ".join(names))
        yield rule, (), why


def _first_covering(before: Sequence[Rule], rule: Rule, glob: str) -> Rule | None:
    """The first of the rules that takes every name which `glob` lets through."""
    return next((earlier for earlier in before if all_covered(earlier.match, (glob,))), None)


def _has_all_that_fits(earlier: Rule, later: Rule) -> bool:
    """Decide whether the earlier rule takes, of the names that it matches, all that the later one would take."""
    if not when.covers(earlier.when, later.when):
        return False
    if earlier.folder != later.folder or earlier.also or (earlier.gather == "folder") != (later.gather == "folder"):
        return False
    if earlier.pattern not in ("", later.pattern) or not all_covered(later.except_, earlier.except_):
        return False
    if earlier.gather == "folder":
        return True
    deep_enough = earlier.recursive or not later.recursive
    if not deep_enough or (earlier.depth is not None and (later.depth or 99) > earlier.depth and later.recursive):
        return False
    return _asks_no_more(earlier, later)


def _asks_no_more(earlier: Rule, later: Rule) -> bool:
    """Decide whether every content that the later rule takes fits the earlier one, too."""
    if earlier.kind and not (later.kind and all(is_of_kind(earlier, kind) for kind in _kinds(later))):
        return False
    if earlier.min_size is not None and (later.min_size is None or later.min_size < earlier.min_size):
        return False
    if earlier.max_size is not None and (later.max_size is None or later.max_size > earlier.max_size):
        return False
    if (earlier.pages or earlier.text or earlier.signed is not None) and not set(later.passwords) <= set(
        earlier.passwords
    ):
        return False  # it may open what the earlier one cannot look into
    if earlier.signed not in (None, later.signed):
        return False
    if earlier.pages and not (later.pages and _within_pages(later.pages, earlier.pages)):
        return False
    return all(any(plain(asked) in plain(words) for words in later.text) for asked in earlier.text)


def _kinds(rule: Rule) -> Iterator[str]:
    for kind in rule.kind:
        yield from PICTURES if kind == IMAGE else (kind,)


def _within_pages(narrow: str, wide: str) -> bool:
    return all(
        any(low <= first and (high is None or (last is not None and last <= high)) for low, high in ranges(wide))
        for first, last in ranges(narrow)
    )


def _overlapping(rules: Sequence[Rule]) -> Iterator[Said]:
    in_folder, alike = by_folder(rules), defaultdict(list)
    for rule in rules:
        alike[one_elsewhere(rule.folder)].append(rule)
    for inner in rules:
        for outer in alike[one_elsewhere(inner.folder)]:
            if outer.folder != inner.folder and outer.line < inner.line:
                yield (
                    inner,
                    ("folder",),
                    _(
                        "{inner} and {outer} are one folder on macOS and Windows",
                        inner=inner.folder,
                        outer=outer.folder,
                    ),
                )
        for levels, parent in enumerate(inner.folder.parents, start=1):
            for outer in in_folder.get(folded(parent), ()):
                deep = outer.recursive or outer.gather == "folder"
                if deep and (outer.depth is None or levels <= outer.depth):
                    yield (
                        inner,
                        ("folder",),
                        _(
                            "{inner} lies inside {outer}, which rule {rule} watches too: both may take one file",
                            inner=inner.folder,
                            outer=outer.folder,
                            rule=repr(outer.name),
                        ),
                    )


def _landing(rules: Sequence[Rule]) -> Iterator[Said]:
    found = landings(rules)
    certain = loops(found)
    for one in found:
        if one not in certain:
            what, folder, rule = _(WHAT_LANDS[one.what]), one.folder, repr(one.reader.name)
            if one.certain:
                yield (
                    one.writer,
                    (one.key,),
                    _("its {what} in {folder} are taken on by rule {rule}", what=what, folder=folder, rule=rule),
                )
            elif one.reader is one.writer:
                yield (
                    one.writer,
                    (one.key,),
                    _("its {what} in {folder} may be taken on by itself", what=what, folder=folder),
                )
            else:
                yield (
                    one.writer,
                    (one.key,),
                    _("its {what} in {folder} may be taken on by rule {rule}", what=what, folder=folder, rule=rule),
                )


def _sharing_siblings(rules: Sequence[Rule]) -> Iterator[Said]:
    owners = defaultdict(list)
    for rule in rules:
        beside = siblings(rule)
        for sibling in (beside.out, beside.done, beside.failed):
            owners[sibling].append(rule)
    for rule in rules:
        place = target(rule, PurePosixPath("name.ext"), now=0.0, counter=1).folder
        writes = [("output", place)] if rule.output else []
        if Path(rule.original).is_absolute():
            writes.append(("original", Path(rule.original)))
        for key, folder in writes:
            for other in owners.get(folder, ()):
                if other.folder != rule.folder:
                    yield (
                        rule,
                        (key,),
                        _(
                            "{folder} is where rule {other} puts its own; they will be mixed",
                            folder=folder,
                            other=repr(other.name),
                        ),
                    )
