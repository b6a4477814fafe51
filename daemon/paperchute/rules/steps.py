"""The steps of a rule: what each operation reads, makes, takes at once and needs, and what cannot stand beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from paperchute.addresses import why_not_fetched
from paperchute.contract import PICTURES, Operation, Value, contract, not_one_of
from paperchute.contract.kinds import canonical
from paperchute.contract.links import LINKS
from paperchute.contract.questions import AUTO, NONE, why_no_pages
from paperchute.language import N_, _
from paperchute.notation.part_names import check_template
from paperchute.notation.patterns import compiled
from paperchute.rules.model import Rule
from paperchute.rules.patterns import suffix_of
from paperchute.rules.problems import KeyPath
from paperchute.rules.tables import Step
from paperchute.rules.values import Gather


def takes_all(step: Step) -> bool:
    """Decide whether a step's operation works on several files at once: pdf-insert but for BLANK.

    See docs/contract.md#pdf-insert.
    """
    return contract().known(step.operation).max_files > 1 and step.parameters.get("actionType") != "BLANK"


def is_joined(steps: Sequence[Step]) -> bool:
    """Decide whether a later step takes all that earlier ones have made, so that one result is left."""
    return any(takes_all(step) for step in steps[1:])


def split_step(steps: Sequence[Step]) -> int | None:
    """The number of the step whose parts are delivered: the last pdf-split, if no later step joins what it makes."""
    found = [number for number, step in enumerate(steps) if step.operation == "pdf-split"]
    return found[-1] if found and not any(takes_all(step) for step in steps[found[-1] + 1 :]) else None


def has_row_results(rule: Rule) -> bool:
    """Decide whether each row of a list gets a result of its own."""
    return rule.gather == "rows" and not is_joined(rule.steps)


# What comes unpacked of an operation whose answer is an archive (docs/contract.md#document-parsing, and chosen for
# pdf-split).
_UNPACKED = {
    "document-layout": ("txt", "pdf"),
    "document-parsing": ("json", "md", "png", "jpg"),
    "pdf-compare": ("pdf", "json"),
    "pdf-split": ("pdf",),
    "scan": ("pdf",),
    "pdf-to-img": PICTURES,
}
_AS_READ = ("magic-color",)
"""Operations whose result is of the kind they were given (docs/contract.md#open-questions)."""
_WRITTEN_AS = {"heic": "jpg"}  # what they cannot write comes out as another kind


def reads(operation: Operation) -> set[str]:
    """The kinds an operation takes, those of files that hold its address among them."""
    links = {suffix.lstrip(".") for suffix in LINKS} if operation.parameter("htmlUrl") is not None else set()
    return {canonical(extension) for extension in operation.reads} | links


def makes(operation: Operation, given: set[str]) -> set[str]:
    """The kinds an operation's results may have. given: the kinds it may get."""
    if operation.id in _AS_READ:
        made = {_WRITTEN_AS.get(kind, kind) for kind in given & reads(operation)}
        return made or {canonical(operation.output_ext)}
    return set(_UNPACKED.get(operation.id, (canonical(operation.output_ext),)))


def results(rule: Rule) -> set[str]:
    """The kinds of what a rule delivers, as extensions."""
    found = _dropped(rule)
    for step in rule.steps:
        found = makes(contract().known(step.operation), found)
    return found


def misfits(rule: Rule) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """(key path in the rule, message) for kinds that do not fit: between steps, before the first, after the last."""
    first = contract().known(rule.steps[0].operation)
    for pattern in rule.match if rule.gather != "rows" else ():  # lists of rows fill a template
        suffix = suffix_of(pattern)
        if suffix and canonical(suffix) not in reads(first):
            yield (
                ("match",),
                _(
                    "{operation} reads {kinds}, not {suffix}",
                    operation=first.id,
                    kinds=_told(reads(first)),
                    suffix=suffix,
                ),
            )
    given = _dropped(rule)
    for number, step in enumerate(rule.steps):
        operation = contract().known(step.operation)
        if number and not given & reads(operation):
            before = rule.steps[number - 1].operation
            yield (
                ("steps", number, "operation"),
                _(
                    "{operation} reads {kinds}, and {before} gives {given}",
                    operation=operation.id,
                    kinds=_told(reads(operation)),
                    before=before,
                    given=_told(given),
                ),
            )
        given = makes(operation, given)
    fixed = canonical(PurePath(rule.output).suffix) if "{" not in PurePath(rule.output).suffix else ""
    if fixed and fixed not in given:
        yield (
            ("output",),
            _(
                "the result is {given}, and is called .{fixed}; write {example} for its own suffix",
                given=_told(given),
                fixed=fixed,
                example=".{ext}",
            ),
        )


def _dropped(rule: Rule) -> set[str]:
    """The kinds a rule may get, by the names it matches; all that its first operation reads where that is open."""
    known = reads(contract().known(rule.steps[0].operation))
    suffixes = [suffix_of(pattern) for pattern in rule.match if rule.gather != "rows"]
    return {canonical(suffix) for suffix in suffixes if suffix} & known if suffixes and all(suffixes) else known


def _told(kinds: set[str]) -> str:
    return " ".join(sorted(kinds)) or "nothing"


_PAGES = ("html", "htmlUrl", "htmlFile")
_TEMPLATE = ("template", "templateFile")
_DATA = ("data", "dataFile")
_ADD = N_('add `schedule`, such as schedule = "daily 06:00"')


def has_own_input(operation: Operation, parameters: Mapping[str, Value]) -> bool:
    """Decide whether the parameters are all that the operation needs."""
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
        yield (
            "urls",
            _("urls takes the place of files, so a dropped one would not be used; leave it out, or {add}", add=_(_ADD)),
        )
    if operation.id != "pdf-generate":
        return
    for name in _PAGES:
        if name in parameters:
            yield (
                name,
                _(
                    "{name} is what is printed, so a dropped file would not be used; leave it out, or {add}",
                    name=name,
                    add=_(_ADD),
                ),
            )
            return
    both = [name for name in (*_TEMPLATE, *_DATA) if name in parameters]
    if any(name in both for name in _TEMPLATE) and any(name in both for name in _DATA):
        yield (
            both[-1],
            _(
                "with {template} and {data} a dropped file would not be used; leave one out, or {add}",
                template=both[0],
                data=both[-1],
                add=_(_ADD),
            ),
        )


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


def usual(operation: Operation) -> Mapping[str, Value]:
    """Parameters by name.

    The default cipher, rc4, is broken; docs/contract.md#pdf-encrypt has the client ask for aes256. A picture has no
    text until it is recognised, so img-to-csv and its like would give nothing of use without. The contract has an empty
    schema ask document-extract for what the document says of itself, which is what somebody wants who names nothing.
    """
    if operation.id == "pdf-encrypt":
        return {"algorithm": "aes256"}
    if operation.id.startswith("img-to-") and operation.parameter("enableOcr") is not None:
        return {"enableOcr": 1}
    if operation.id == "document-extract":
        return {"extractFields": "{}"}
    return {}


_NOT_HTML = (".doc", ".docx", ".dot", ".dotx", ".odt", ".ott", ".rtf", ".pages", ".pdf", ".xls", ".xlsx", ".ods")
_ALTERNATIVES = (("html", "htmlUrl", "htmlFile"), ("template", "templateFile"), ("data", "dataFile"))


def only_built_in(
    operation: Operation, parameters: Mapping[str, Value], suffixes: Iterable[str]
) -> Iterator[tuple[KeyPath, str]]:
    """(key path in the step, or `match`; message) for what our own engine alone does.

    suffixes: of the files that are worked on.
    """
    if operation.is_ours:
        yield ("operation",), _("{name} is done by the built-in engine alone", name=operation.id)
    theirs = {canonical(extension) for extension in operation.read_remotely}
    for suffix in map(canonical, suffixes):
        if suffix not in theirs and suffix in map(canonical, operation.our_ext):
            why = _(
                "files of kind {kind} in {operation} are taken by the built-in engine alone",
                kind=suffix,
                operation=operation.id,
            )
            yield ("match",), why
    for parameter in operation.parameters:
        if parameter.is_ours and not operation.is_ours and parameter.name in parameters:
            yield ("parameters", parameter.name), _("{name} is done by the built-in engine alone", name=parameter.name)
        if (value := parameters.get(parameter.name)) in parameter.our_values:
            yield ("parameters", parameter.name), _("{name} is done by the built-in engine alone", name=value)


def between_parameters(
    operation: Operation,
    parameters: Mapping[str, Value],
    *,
    gather: Gather | None,
    first: bool,
    scheduled: bool = False,
) -> Iterator[tuple[str, str]]:
    """(parameter, message) for what one step's parameters lack or contradict.

    See docs/contract.md#operations and the sections behind it.

    gather: how the files that the step gets are gathered. first: it gets what was dropped, and not an earlier step's
    results. scheduled: nothing is dropped.
    """
    if not (first and scheduled):
        yield from no_place_for_a_file(operation, parameters, gather if first else None)
    elif not has_own_input(operation, parameters):
        yield (
            "",
            _(
                "{operation} gets no file on a schedule, and its parameters name nothing to work on",
                operation=operation.id,
            ),
        )
    yield from lacking(operation, parameters)
    yield from _gathered(operation, gather, first=first, scheduled=scheduled)
    if operation.id in ("pdf-generate", "html-to-pdf") and parameters.get("password"):
        reads = _("password opens locked PDFs, and {operation} reads none", operation=operation.id)
        yield "password", _("{reads}; to lock the result, add a step with pdf-encrypt", reads=reads)
    match operation.id:
        case "pdf-insert":
            yield from _insert(parameters, gathered=gather is not None, first=first and not scheduled)
        case "pdf-generate":
            yield from _generate(parameters)
        case "pdf-add-watermark":
            needed = "imageFile" if parameters.get("type") == "image" else "text"
            if "type" in parameters and not parameters.get(needed):
                yield "type", _("type {kind} needs {name}", kind=parameters["type"], name=needed)
        case "pdf-split":
            yield from _split(parameters)
        case "scan":
            yield from _named_pages(parameters, "removePages", NONE)
        case "documents-to-table":
            if "links" in parameters:
                yield "links", _("where the originals of each job will lie is filled in by itself; leave links out")


def _named_pages(parameters: Mapping[str, Value], name: str, *words: str) -> Iterator[tuple[str, str]]:
    if why := why_no_pages(name, str(parameters.get(name, "")), *words):
        yield name, why


def _split(parameters: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    yield from _named_pages(parameters, "firstPages", AUTO, NONE)
    for name, check in (("separatorCode", compiled), ("separatorText", compiled), ("partName", check_template)):
        try:
            check(str(parameters.get(name, "")))
        except ValueError as error:
            yield name, f"{name} {error}"


def lacking(operation: Operation, parameters: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """(parameter, message) for what every call of an operation needs and these parameters have not."""
    for parameter in operation.parameters:
        if parameter.required and parameter.type != "file" and parameter.name not in parameters:
            yield (
                parameter.name,
                _(
                    "{operation} needs the parameter {parameter}: {meaning}",
                    operation=operation.id,
                    parameter=parameter.name,
                    meaning=parameter.meaning,
                ),
            )
    if why := not_one_of(operation, parameters):
        yield "", why
    if operation.id == "pdf-encrypt" and not parameters.keys() & {"userPassword", "ownerPassword"}:
        yield "", _("pdf-encrypt needs userPassword, ownerPassword or both")


def _gathered(
    operation: Operation, gather: Gather | None, *, first: bool, scheduled: bool
) -> Iterator[tuple[str, str]]:
    if first and operation.min_files > 1 and gather is None and not scheduled:
        yield (
            "",
            _(
                '{operation} works on several files: add gather = "folder" (or "batch", or "pair")',
                operation=operation.id,
            ),
        )
    generates = operation.id == "pdf-generate" and gather == "pair"
    if first and gather not in (None, "rows") and operation.max_files <= 1 and not generates:
        yield "", _("{operation} works on one file, so the rule must not gather", operation=operation.id)
    if gather == "batch" and operation.max_files > 1 and not operation.takes_any_number:
        yield (
            "",
            _(
                '{operation} works on {max_files} files, so write gather = "pair" or "folder"',
                operation=operation.id,
                max_files=operation.max_files,
            ),
        )


def _insert(parameters: Mapping[str, Value], *, gathered: bool, first: bool) -> Iterator[tuple[str, str]]:
    if parameters.get("actionType") == "BLANK":
        for name in ("width", "height"):
            if name not in parameters:
                yield "actionType", _("BLANK needs {name}, in points (A4 is 595 x 842)", name=name)
        if gathered:
            yield "actionType", _("BLANK works on one file, so the rule must not gather")
    elif parameters.get("actionType") == "FROM_PDF" and first and not gathered:
        yield (
            "actionType",
            _('FROM_PDF works on two files: add gather = "pair" or "folder"; the first one is the target'),
        )


def _generate(parameters: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    for name, more in (("htmlUrl", ""), ("baseUri", _("; files beside the HTML go along without it"))):
        if name in parameters and why_not_fetched(str(parameters[name])):
            yield (
                name,
                _(
                    "{name} takes a web address in plain ASCII, without user name and password{more}",
                    name=name,
                    more=more,
                ),
            )
    for names in _ALTERNATIVES:
        given = [name for name in names if name in parameters]
        if len(given) > 1:
            yield given[1], _("{second} cannot be combined with {first}", second=given[1], first=given[0])
    for name in ("templateFile", "htmlFile"):
        path = PurePath(str(parameters.get(name, "")))
        if path.suffix.lower() in _NOT_HTML:
            yield (
                name,
                _(
                    "{name} takes HTML, not {path}: save it as a web page (HTML), and name that file",
                    name=name,
                    path=path.name,
                ),
            )
