"""The calls about one job: its pictures, what is done with it, and what taking it back means."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from paperchute.app import failures
from paperchute.app.cures import answer, open_fields, recognise
from paperchute.app.daemon import Daemon
from paperchute.app.results import results_of
from paperchute.desktop.opener import open_path
from paperchute.errors import PaperchuteError
from paperchute.files.reader import readers
from paperchute.jobs.page_questions import PagesSaid, document_of
from paperchute.jobs.relocation import root_of
from paperchute.page import history
from paperchute.page.feed import Feed
from paperchute.page.rights import Call, Right
from paperchute.page.routes import retry, short_body, told

_THUMBNAIL_SIDE = 480
_ASKED_SIDE = 640
"""Of a page that is only to be told from the others: twice as wide as it is shown."""
_SHEET_SIDE = 1400
"""Of a page that is to be read: 120 dpi on A4."""
"""Pixels: as wide as a card of the page on a display of two pixels to the point."""


class JobCalls:
    """What is behind the gate, for whichever daemon runs."""

    def __init__(self, feed: Feed, daemon: Callable[[], Daemon]) -> None:
        self._feed = feed
        self._daemon = daemon

    def all(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Call("/api/jobs/{job:int}/undo", told(self._preview)),
            Call("/api/jobs/{job:int}/thumbnail", self._thumbnail),
            Call("/api/jobs/{job:int}/pages/{page:int}", self._page_asked_of),
            Call("/api/jobs/{job:int}/asked/{field}/{page:int}", self._page_asked_for),
            Call("/api/jobs/{job:int}/result/thumbnail", self._thumbnail_of_result),
            Call("/api/jobs/{job:int}/again", told(self._preview_again)),
            self._act("again", history.make_again),
            self._act("retry", retry),
            Call("/api/jobs/{job:int}/password", told(self._password), methods=["POST"]),
            Call("/api/jobs/{job:int}/answer", told(self._answer), methods=["POST"]),
            self._act("recognise", lambda daemon, job: recognise(daemon.journal, daemon.state, job)),
            self._act("seen", Daemon.see_warnings),
            self._act("undo", history.take_back),
            self._act("show", lambda daemon, job: open_path(daemon.what_to_show(job)), Right.HERE),
            self._act("open-result", history.open_result, Right.HERE),
            self._act("show-result", history.show_result, Right.HERE),
        ]

    def _act(self, name: str, act: Callable[[Daemon, int], object], right: Right = Right.SESSION) -> Call:
        """POST /api/jobs/N/NAME: the act runs on a thread, and the page is told afterwards."""

        async def work(request: Request) -> None:
            await run_in_threadpool(act, self._daemon(), request.path_params["job"])
            self._feed.look()

        return Call(f"/api/jobs/{{job:int}}/{name}", told(work), right, ["POST"])

    async def _preview(self, request: Request) -> dict[str, Any]:
        """GET /api/jobs/N/undo: what taking it back would mean."""
        return await run_in_threadpool(history.preview, self._daemon(), request.path_params["job"])

    async def _preview_again(self, request: Request) -> dict[str, Any]:
        """GET /api/jobs/N/again: what making its results again would mean."""
        return await run_in_threadpool(history.preview_again, self._daemon(), request.path_params["job"])

    async def _password(self, request: Request) -> None:
        """POST /api/jobs/N/password, with what somebody typed: the job is tried again with it."""
        daemon, job = self._daemon(), request.path_params["job"]
        daemon.typed.keep(job, (await short_body(request)).decode("utf-8", "replace"))
        await run_in_threadpool(retry, daemon, job)
        self._feed.look()

    async def _answer(self, request: Request) -> None:
        """POST /api/jobs/N/answer, with an object of what its document says by field: the job goes on with it."""
        try:
            values = json.loads(await short_body(request))
        except (ValueError, RecursionError):
            raise HTTPException(400) from None
        if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
            raise HTTPException(400)
        await run_in_threadpool(answer, self._daemon().journal, request.path_params["job"], values)
        self._feed.look()

    async def _thumbnail(self, request: Request) -> Response:
        """GET /api/jobs/N/thumbnail: the first page of its original as it lies there now."""
        return await run_in_threadpool(_drawn_original, self._daemon(), request.path_params["job"])

    async def _page_asked_of(self, request: Request) -> Response:
        """GET /api/jobs/N/pages/P: a page of its original to read, with frames where an open field may stand."""
        return await run_in_threadpool(_drawn_page, self._daemon(), **request.path_params)

    async def _page_asked_for(self, request: Request) -> Response:
        """GET /api/jobs/N/asked/FIELD/P: a page of which it is asked what it is."""
        return await run_in_threadpool(_drawn_asked, self._daemon(), **request.path_params)

    async def _thumbnail_of_result(self, request: Request) -> Response:
        """GET /api/jobs/N/result/thumbnail: the first page of its first result."""
        return await run_in_threadpool(_drawn_result, self._daemon(), request.path_params["job"])


def _drawn_original(daemon: Daemon, number: int, **asked: Any) -> Response:
    job, place = daemon.journal.queries.job(number), failures.original_of(daemon.journal, number)
    if job is None or place is None:
        raise HTTPException(404)
    try:
        return _drawn(place, root_of(job, place), **asked)
    except ValueError:  # it lies in no folder of its rule
        raise HTTPException(404) from None


def _drawn_page(daemon: Daemon, job: int, page: int) -> Response:
    found = daemon.journal.queries.job(job)
    asked = open_fields(daemon.journal, found).values() if found is not None else ()
    boxes = [one.box for said in asked for one in said.candidates if one.box and one.page == page]
    return _drawn_original(daemon, job, page=page, side=_SHEET_SIDE, boxes=boxes)


def _drawn_asked(daemon: Daemon, job: int, field: str, page: int) -> Response:
    found = daemon.journal.queries.job(job)
    said = open_fields(daemon.journal, found).get(field) if found is not None else None
    if found is None or not isinstance(said, PagesSaid) or page > said.question.page_count:
        raise HTTPException(404)
    side = _ASKED_SIDE if said.question.any_page else _SHEET_SIDE
    if said.number == 0:
        return _drawn_original(daemon, job, page=page, side=side)
    folder = daemon.state.work / found.token
    path = document_of(daemon.journal, found, folder, said)
    if path is None:
        raise HTTPException(404)
    return _drawn(path, folder, page=page, side=side)


def _drawn_result(daemon: Daemon, number: int) -> Response:
    try:
        first = results_of(daemon.journal, number)[0]
    except PaperchuteError:
        raise HTTPException(404) from None
    return _drawn(first.path, first.root)


def _drawn(path: Path, root: Path, **asked: Any) -> Response:
    """A picture of a file to which no link below `root` leads, of its first page if `asked` does not say another.

    asked: as `app.thumbnails` takes it. Raises HTTPException without a picture.
    """
    request = {"do": "thumbnail", "path": str(path), "root": str(root), "side": _THUMBNAIL_SIDE, **asked}
    try:
        return Response(readers.read(path.name, request, b"")[1], media_type="image/png")
    except (PaperchuteError, OSError):
        raise HTTPException(404) from None
