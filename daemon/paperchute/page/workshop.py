"""The calls of the workshop: the rules of the file, and drafts of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from paperchute.app import rule_tables, workshop
from paperchute.app.daemon import Daemon
from paperchute.app.picking import Chosen, Entry, Pick, added, entries_of, proposals, usual_output
from paperchute.app.rule_changes import ChangedMeanwhileError, digest_of, text_of
from paperchute.app.rule_form import form
from paperchute.app.rule_tables import FOR_ALL, TableDraft
from paperchute.app.sample_calls import SampleCalls
from paperchute.app.sample_reading import found, told_of_field
from paperchute.app.trial import MOST_BYTES, Samples, tried
from paperchute.app.workshop import Draft, Filled
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal
from paperchute.language import _
from paperchute.page.answers import Answer
from paperchute.page.drops import fitting
from paperchute.page.needs import title_of
from paperchute.page.rights import Call, Right
from paperchute.page.routes import refused, short_body, told
from paperchute.redaction import on_trial
from paperchute.rules.problems import RuleFileError
from paperchute.rules.settings import RuleFile
from paperchute.service.client import ServiceClient

_MOST = 256 << 10
"""Bytes of a draft: more than a rule of a person has."""

_MOST_ENTRIES = 10
"""Of `find` that are tried at once: more than are proposed for a word."""

_MOST_SEEN = 8
"""States of the file that are remembered for who comes too late: a page open in several tabs, and some changes."""


_VERBS = (
    "on",
    "off",
    "up",
    "down",
    "remove",
    "look",
    "save",
    "look-table",
    "save-table",
    "try",
    "propose",
    "find",
    "add",
)


class _Wish(BaseModel):
    """The body of a call: which state of the file somebody has seen, and what they want of it."""

    digest: str
    name: str = ""
    draft: Draft = Draft()
    table: TableDraft = TableDraft(table="defaults")
    sample: str = ""
    paid: bool = False
    """Whether a remote service may be asked about the sample, where it counts."""
    pick: Pick | None = None
    """A word of a sample's page for which entries of `find` are to be proposed."""
    finds: Annotated[list[Entry], Field(max_length=_MOST_ENTRIES)] = []
    """Entries that are to be tried on the sample."""
    chosen: Chosen | None = None
    """The entry that is to be added to what stands in `find`."""
    find: Filled | None = None
    output: str = ""
    """As it stands in the form; empty: as usual."""


@dataclass(frozen=True)
class _Account:
    """See `trial.Account`."""

    journal: Journal
    rules: RuleFile

    def call(self, rule: str, service: str, /) -> None:
        settings = self.rules.settings_of(service)
        self.journal.calls.tried(rule, service, settings.monthly_calls if settings is not None else 0)

    def pages(self, rule: str, pages: int, /) -> None:
        self.journal.calls.tried_pages(rule, pages)


class Workshop:
    """What is behind the gate, for whichever daemon runs."""

    def __init__(self, daemon: Callable[[], Daemon], samples: Samples) -> None:
        self._daemon = daemon
        self._samples = samples
        self._seen: dict[str, str] = {}
        """Texts of the file as pages have shown them, by their digests, the newest last."""

    def all(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Call("/api/workshop", told(self._shelf)),
            Call("/api/workshop/form", told(self._form)),
            Call("/api/workshop/sample/{name:path}", told(self._sample), Right.RULES, ["PUT"]),
            *map(self._call, _VERBS),
        ]

    def _call(self, verb: str) -> Call:
        """POST /api/workshop/VERB, with a wish as its body. Over the network it names nothing that is new."""

        async def work(request: Request) -> Response:
            try:
                wish = _Wish.model_validate_json(await short_body(request, _MOST))
            except ValidationError:
                raise HTTPException(400) from None
            confined = request.state.door == "network"
            if confined and wish.table.table not in FOR_ALL:
                raise HTTPException(404)
            try:
                with on_trial():  # what a draft refers to is no secret in use before it is a rule
                    return Answer(await run_in_threadpool(self._acted, verb, wish, confined=confined) or {})
            except ChangedMeanwhileError as error:
                return refused(error, changes=await run_in_threadpool(self._changes, wish.digest))
            except (PaperchuteError, OSError) as error:
                return refused(error)

        return Call(f"/api/workshop/{verb}", work, Right.RULES, ["POST"])

    @property
    def _path(self) -> Path:
        return self._daemon().rules.path

    async def _shelf(self, request: Request) -> dict[str, Any]:
        """GET /api/workshop: the rules, or what is wrong with their file."""
        try:
            return await run_in_threadpool(self._looked_at, at_home=request.state.door == "here")
        except RuleFileError as error:
            return {"mistakes": error.lines()}
        except PaperchuteError as error:
            return {"mistakes": [str(error)]}

    async def _form(self, request: Request) -> dict[str, Any]:
        """GET /api/workshop/form: what a rule can say, and what it can begin with."""
        rules = self._daemon().rules
        remote, taken = rules.is_remote(""), [rule.folder for rule in rules.rules]
        return await run_in_threadpool(lambda: form(remote=remote, taken=taken))

    async def _sample(self, request: Request) -> dict[str, Any]:
        """PUT /api/workshop/sample/NAME: the body is held until it is tried, or another comes."""
        name = fitting(request.path_params["name"])
        token, folder = await run_in_threadpool(self._samples.begin)
        try:
            with (folder / name).open("xb") as file:
                async for block in request.stream():
                    if file.tell() + len(block) > MOST_BYTES:
                        most = MOST_BYTES >> 20
                        message = _(
                            "{name} is larger than {most} MB, which is too much for a sample.", name=name, most=most
                        )
                        raise PaperchuteError(message, _("Choose a smaller one."))
                    await run_in_threadpool(file.write, block)
        except BaseException:  # whoever sends it may go away in the middle, too
            self._samples.forget(token)
            raise
        return {"sample": token}

    def _changes(self, digest: str) -> list[str]:
        """Return what has changed in the file since it was looked at; nothing where nobody knows any more."""
        before = self._seen.get(digest)
        with suppress(RuleFileError):
            return workshop.difference(before, text_of(self._path)) if before is not None else []
        return []

    def _looked_at(self, *, at_home: bool) -> dict[str, Any]:
        text = text_of(self._path)
        digest = digest_of(text)
        self._seen.pop(digest, None)
        self._seen[digest] = text
        while len(self._seen) > _MOST_SEEN:
            self._seen.pop(next(iter(self._seen)), None)
        return {**workshop.shelf(self._path, text), "tables": rule_tables.shown(text, all_of_them=at_home)}

    def _acted(self, verb: str, wish: _Wish, *, confined: bool) -> dict[str, Any] | None:
        path, digest = self._path, wish.digest
        match verb:
            case "on" | "off":
                workshop.switch(path, digest, wish.name, on=verb == "on")
            case "up" | "down":
                workshop.move(path, digest, wish.name, -1 if verb == "up" else 1)
            case "remove":
                workshop.remove(path, digest, wish.name)
            case "look":
                return workshop.look(path, digest, wish.draft, confined=confined)[0]
            case "save":
                return workshop.save(path, digest, wish.draft, confined=confined)
            case "look-table":
                return rule_tables.look(path, digest, wish.table, confined=confined)[0]
            case "save-table":
                return rule_tables.save(path, digest, wish.table, confined=confined)
            case "try":
                return self._tried(wish, confined=confined)
            case "find":
                return self._found(wish, confined=confined)
            case "propose" if wish.pick is not None:
                return proposals(wish.pick, [*entries_of(wish.find)])
            case "add" if wish.chosen is not None:
                return {"values": added(wish.find, wish.output or usual_output(text_of(path)), wish.chosen)}
        return None

    def _tried(self, wish: _Wish, *, confined: bool) -> dict[str, Any]:
        def work(calls: SampleCalls) -> dict[str, Any]:
            trial = tried(calls)
            return {"trial": {**trial, "fields": [{**one, "title": title_of(one["field"])} for one in trial["fields"]]}}

        return self._on_sample(wish, work, confined=confined)

    def _found(self, wish: _Wish, *, confined: bool) -> dict[str, Any]:
        """Return what entries of `find` give on a sample."""

        def work(calls: SampleCalls) -> dict[str, Any]:
            said = found(calls, wish.finds)
            return {"name": calls.sample.name, "found": [told_of_field("", one) for one in said]}

        return self._on_sample(wish, work, confined=confined)

    def _on_sample(
        self, wish: _Wish, work: Callable[[SampleCalls], dict[str, Any]], *, confined: bool
    ) -> dict[str, Any]:
        """What `work` makes of the sample, which goes afterwards; what is wrong with the draft, where anything is."""
        answer, good = workshop.look(self._path, wish.digest, wish.draft, confined=confined)
        if good is None:
            return answer
        rules, rule = good
        daemon = self._daemon()
        account = _Account(daemon.journal, rules) if wish.paid else None

        def client(name: str) -> ServiceClient:
            settings = rules.settings_of(name)
            assert settings is not None  # `look` has checked the rule
            return daemon.client_of(name, settings)

        def trying(sample: Path, results: Path) -> dict[str, Any]:
            return work(SampleCalls(rules, rule, sample, results, client, account))

        return {**answer, **self._samples.tried(wish.sample, trying)}
