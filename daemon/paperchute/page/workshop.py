"""The calls of the workshop: the rules of the file, and drafts of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from paperchute.app import workshop
from paperchute.app.daemon import Daemon
from paperchute.app.rule_form import form
from paperchute.app.workshop import Draft
from paperchute.errors import PaperchuteError
from paperchute.page.routes import short_body, told
from paperchute.rules.problems import RuleFileError

_MOST = 256 << 10
"""Bytes of a draft: more than a rule of a person has."""


class _Wish(BaseModel):
    """The body of a call: which state of the file somebody has seen, and what they want of it."""

    digest: str
    name: str = ""
    draft: Draft = Draft()


class Workshop:
    """What is behind the gate, for whichever daemon runs."""

    def __init__(self, daemon: Callable[[], Daemon]) -> None:
        self._daemon = daemon

    def all(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Route("/api/workshop", told(self._shelf)),
            Route("/api/workshop/form", told(self._form)),
            Route("/api/workshop/{verb:str}", told(self._act), methods=["POST"]),
        ]

    @property
    def _path(self) -> Path:
        return self._daemon().rules.path

    async def _shelf(self, request: Request) -> dict[str, Any]:
        """GET /api/workshop: the rules, or what is wrong with their file."""
        try:
            return await run_in_threadpool(workshop.shelf, self._path)
        except RuleFileError as error:
            return {"mistakes": error.lines()}
        except PaperchuteError as error:
            return {"mistakes": [str(error)]}

    async def _form(self, request: Request) -> dict[str, Any]:
        """GET /api/workshop/form: what a rule can say, and what it can begin with."""
        remote = self._daemon().rules.service.base_url is not None
        return await run_in_threadpool(lambda: form(remote=remote))

    async def _act(self, request: Request) -> dict[str, Any] | None:
        """POST /api/workshop/on, off, up, down, remove, look or save."""
        try:
            wish = _Wish.model_validate_json(await short_body(request, _MOST))
        except ValidationError:
            raise HTTPException(400) from None
        return await run_in_threadpool(self._acted, request.path_params["verb"], wish)

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
            case _:
                raise HTTPException(404)
        return None
