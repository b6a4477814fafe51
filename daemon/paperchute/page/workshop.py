"""The calls of the workshop: the rules of the file, and drafts of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from paperchute.app import rule_tables, workshop
from paperchute.app.daemon import Daemon
from paperchute.app.rule_changes import ChangedMeanwhileError, digest_of, text_of
from paperchute.app.rule_form import form
from paperchute.app.rule_tables import FOR_ALL, TableDraft
from paperchute.app.trial import MOST_BYTES, Samples, tried
from paperchute.app.workshop import Draft
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal
from paperchute.language import _
from paperchute.page.answers import Answer
from paperchute.page.drops import fitting
from paperchute.page.routes import only_here, refused, short_body, told
from paperchute.rules.problems import RuleFileError

_MOST = 256 << 10
"""Bytes of a draft: more than a rule of a person has."""

_MOST_SEEN = 8
"""States of the file that are remembered for who comes too late: a page open in several tabs, and some changes."""


class _Wish(BaseModel):
    """The body of a call: which state of the file somebody has seen, and what they want of it."""

    digest: str
    name: str = ""
    draft: Draft = Draft()
    table: TableDraft = TableDraft(table="defaults")
    sample: str = ""
    paid: bool = False
    """Whether a remote service may be asked about the sample, where it counts."""


@dataclass(frozen=True)
class _Account:
    """See `trial.Account`."""

    journal: Journal
    most_calls: int | None

    def call(self, rule: str, /) -> None:
        self.journal.calls.tried(rule, self.most_calls)

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
            Route("/api/workshop", told(self._shelf)),
            Route("/api/workshop/form", told(self._form)),
            Route("/api/workshop/sample/{name:path}", told(self._sample), methods=["PUT"]),
            Route("/api/workshop/{verb:str}", self._act, methods=["POST"]),
        ]

    @property
    def _path(self) -> Path:
        return self._daemon().rules.path

    async def _shelf(self, request: Request) -> dict[str, Any]:
        """GET /api/workshop: the rules, or what is wrong with their file."""
        try:
            return await run_in_threadpool(self._looked_at, at_home=not request.state.is_remote)
        except RuleFileError as error:
            return {"mistakes": error.lines()}
        except PaperchuteError as error:
            return {"mistakes": [str(error)]}

    async def _form(self, request: Request) -> dict[str, Any]:
        """GET /api/workshop/form: what a rule can say, and what it can begin with."""
        remote = self._daemon().rules.service.base_url is not None
        return await run_in_threadpool(lambda: form(remote=remote))

    async def _sample(self, request: Request) -> dict[str, Any]:
        """PUT /api/workshop/sample/NAME: the body is held until it is tried, or another comes."""
        name = fitting(request.path_params["name"])
        token, folder = await run_in_threadpool(self._samples.begin)
        with (folder / name).open("xb") as file:
            async for block in request.stream():
                if file.tell() + len(block) > MOST_BYTES:
                    file.truncate(0)
                    most = MOST_BYTES >> 20
                    message = _(
                        "{name} is larger than {most} MB, which is too much for a sample.", name=name, most=most
                    )
                    raise PaperchuteError(message, _("Choose a smaller one."))
                await run_in_threadpool(file.write, block)
        return {"sample": token}

    async def _act(self, request: Request) -> Response:
        """POST /api/workshop/on, off, up, down, remove, look, try, save, look-table or save-table."""
        try:
            wish = _Wish.model_validate_json(await short_body(request, _MOST))
        except ValidationError:
            raise HTTPException(400) from None
        if wish.table.table not in FOR_ALL:
            only_here(request)
        try:
            return Answer(await run_in_threadpool(self._acted, request.path_params["verb"], wish) or {})
        except ChangedMeanwhileError as error:
            return refused(error, changes=await run_in_threadpool(self._changes, wish.digest))
        except (PaperchuteError, OSError) as error:
            return refused(error)

    def _changes(self, digest: str) -> list[str]:
        """What has changed in the file since it was looked at; nothing where nobody knows any more."""
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

    def _acted(self, verb: str, wish: _Wish) -> dict[str, Any] | None:
        path, digest = self._path, wish.digest
        match verb:
            case "on" | "off":
                workshop.switch(path, digest, wish.name, on=verb == "on")
            case "up" | "down":
                workshop.move(path, digest, wish.name, -1 if verb == "up" else 1)
            case "remove":
                workshop.remove(path, digest, wish.name)
            case "look":
                return workshop.look(path, digest, wish.draft)[0]
            case "save":
                return workshop.save(path, digest, wish.draft)
            case "look-table":
                return rule_tables.look(path, digest, wish.table)[0]
            case "save-table":
                return rule_tables.save(path, digest, wish.table)
            case "try":
                return self._tried(wish)
            case _:
                raise HTTPException(404)
        return None

    def _tried(self, wish: _Wish) -> dict[str, Any]:
        answer, good = workshop.look(self._path, wish.digest, wish.draft)
        if good is None:
            return answer
        rules, rule = good
        daemon, service = self._daemon(), rules.service
        account = _Account(daemon.journal, service.monthly_calls) if wish.paid and service.base_url else None
        trial = self._samples.tried(
            wish.sample,
            lambda sample, results: tried(rules, rule, sample, results, lambda: daemon.client_of(service), account),
        )
        return {**answer, "trial": trial}
