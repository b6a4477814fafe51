"""The calls of the page. Each acts as tray and command line do, by the same functions."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from paperchute.app import failures
from paperchute.app.cures import recognise
from paperchute.app.daemon import Daemon
from paperchute.app.first_rules import ON_PAGE, write_first
from paperchute.desktop.opener import open_path
from paperchute.errors import PaperchuteError
from paperchute.files.reader import readers
from paperchute.language import _
from paperchute.moments import end_after
from paperchute.page import history
from paperchute.page.answers import Answer
from paperchute.page.controls import Controls
from paperchute.page.drops import Drops
from paperchute.page.feed import Feed
from paperchute.page.gate import shown
from paperchute.page.needs import needs
from paperchute.page.picture import folder_id, takes_folders
from paperchute.page.sessions import Sessions
from paperchute.page.texts import texts
from paperchute.page.use import use

_FILES = {
    "index.html": "text/html",
    "page.css": "text/css",
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(
        (
            *("page.js", "session.js", "entry.js", "elements.js", "first.js", "now.js", "needs.js", "history.js"),
            *("use.js", "rules.js", "editor.js", "table.js"),
        ),
        "text/javascript",
    ),
}
_THUMBNAIL_SIDE = 480
"""Pixels: as wide as a card of the page on a display of two pixels to the point."""
_SHORT = 4096
"""Bytes of a body that is no file."""

Work = Callable[[Request], Awaitable[Response]]


class Routes:
    """What is behind the gate, for whichever daemon runs."""

    def __init__(
        self,
        sessions: Sessions,
        key: str,
        feed: Feed,
        drops: Drops,
        daemon: Callable[[], Daemon],
        controls: Controls | None = None,
    ) -> None:
        """key: what gives a ticket, which only this user's own programs can read."""
        self._controls = controls
        self._sessions = sessions
        self._key = key
        self._feed = feed
        self._drops = drops
        self._daemon = daemon

    def all(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Route("/", self._file),
            Route("/texts.json", self._texts),
            Route("/{name}", self._file),
            Route("/api/ticket", self._ticket, methods=["POST"]),
            Route("/api/session", self._session, methods=["POST"]),
            Route("/api/entry", self._entry),
            Route("/api/feed", self._listen),
            Route("/api/needs", self._needs),
            Route("/api/use", told(self._use)),
            Route("/api/history", told(self._history)),
            Route("/api/jobs/{job:int}/undo", told(self._preview)),
            Route("/api/jobs/{job:int}/thumbnail", self._thumbnail),
            Route("/api/jobs/{job:int}/{of:str}/thumbnail", self._thumbnail),
            Route("/api/jobs/{job:int}/{verb:str}", told(self._job), methods=["POST"]),
            Route("/api/first", told(self._first), methods=["POST"]),
            Route("/api/program/{verb:str}", told(self._program), methods=["POST"]),
            Route("/api/daemon/{verb:str}", told(self._daemon_verb), methods=["POST"]),
            Route("/api/folders/{folder:str}/open", told(self._open_folder), methods=["POST"]),
            Route("/api/folders/{folder:str}/room", told(self._room), methods=["POST"]),
            Route("/api/folders/{folder:str}/sets/{name:str}", told(self._begin_set), methods=["POST"]),
            Route("/api/folders/{folder:str}/{name:path}", told(self._drop), methods=["PUT"]),
            Route("/api/sets/{token:str}/placed", told(self._place_set), methods=["POST"]),
            Route("/api/sets/{token:str}/forgotten", told(self._forget_set), methods=["POST"]),
            Route("/api/sets/{token:str}/{path:path}", told(self._drop_into_set), methods=["PUT"]),
        ]

    # ---------- getting in ----------

    async def _ticket(self, request: Request) -> Response:
        """POST /api/ticket, with the key of the state folder: for `paperchute open`."""
        if not same(shown(request.headers), self._key):
            raise HTTPException(401)
        return Answer({"ticket": self._sessions.ticket()})

    async def _session(self, request: Request) -> Response:
        """POST /api/session: a ticket becomes a session."""
        session = self._sessions.begin((await short_body(request)).decode("utf-8", "replace"))
        if session is None:
            raise HTTPException(401)
        return Answer({"session": session})

    async def _entry(self, request: Request) -> Response:
        """GET /api/entry: that nobody asks for a password here (`page.entry` answers where one does)."""
        return Answer({"inside": None})

    # ---------- looking ----------

    async def _file(self, request: Request) -> Response:
        name = request.path_params.get("name") or "index.html"
        if name not in _FILES:
            raise HTTPException(404)
        return Response(_asset(name), media_type=_FILES[name])

    async def _texts(self, request: Request) -> Response:
        return Answer(texts())

    async def _listen(self, request: Request) -> Response:
        """GET /api/feed: server-sent events, each the whole picture (`page.picture`)."""
        session = request.state.session
        return StreamingResponse(
            self._feed.lines(lambda: self._sessions.holds(session)), media_type="text/event-stream"
        )

    async def _needs(self, request: Request) -> Response:
        return Answer(await run_in_threadpool(lambda: needs(self._daemon())))

    async def _history(self, request: Request) -> dict[str, Any]:
        """GET /api/history?words=...&limit=50: what was done, the newest first (`page.history`)."""
        words, limit = request.query_params.get("words", ""), request.query_params.get("limit", "50")
        if not limit.isdecimal() or len(words) > _SHORT:
            raise HTTPException(400)
        return await run_in_threadpool(history.history, self._daemon(), words, int(limit))

    async def _use(self, request: Request) -> dict[str, Any]:
        return await run_in_threadpool(use, self._daemon())

    async def _preview(self, request: Request) -> dict[str, Any]:
        """GET /api/jobs/N/undo: what taking it back would mean."""
        return await run_in_threadpool(history.preview, self._daemon(), request.path_params["job"])

    async def _thumbnail(self, request: Request) -> Response:
        """GET /api/jobs/N/thumbnail: the first page of its original as it lies there now; N/result/ of its result."""
        number = request.path_params["job"]

        def drawn() -> bytes:
            daemon = self._daemon()
            if request.path_params.get("of", "") == "result":
                place: Path | None = history.pictured(daemon, number)
            else:
                place = failures.original_of(daemon.journal, number)
            if place is None:
                raise HTTPException(404)
            asked = {"do": "thumbnail", "path": str(place), "side": _THUMBNAIL_SIDE}
            return readers.read(place.name, asked, b"")[1]

        try:
            return Response(await run_in_threadpool(drawn), media_type="image/png")
        except (PaperchuteError, OSError):
            return Response(status_code=404)

    # ---------- acting ----------

    async def _job(self, request: Request) -> None:
        """POST /api/jobs/N/retry, password (its body), recognise, seen, show, undo, open-result or show-result."""
        daemon, job = self._daemon(), request.path_params["job"]
        if request.path_params["verb"] in ("show", "open-result", "show-result"):
            only_here(request)
        match request.path_params["verb"]:
            case "retry":
                await run_in_threadpool(self._retry, daemon, job)
            case "password":
                password = (await short_body(request)).decode("utf-8", "replace")
                daemon.typed.keep(job, password)
                await run_in_threadpool(self._retry, daemon, job)
            case "recognise":
                await run_in_threadpool(recognise, daemon.journal, daemon.state, job)
            case "seen":
                await run_in_threadpool(daemon.see_warnings, job)
            case "show":
                await run_in_threadpool(lambda: open_path(daemon.what_to_show(job)))
            case "undo":
                await run_in_threadpool(history.take_back, daemon, job)
            case "open-result":
                await run_in_threadpool(history.open_result, daemon, job)
            case "show-result":
                await run_in_threadpool(history.show_result, daemon, job)
            case _:
                raise HTTPException(404)
        self._feed.look()

    async def _daemon_verb(self, request: Request) -> None:
        """POST /api/daemon/pause, pause-hour, pause-tomorrow, resume, retry, seen or edit-rules."""
        daemon = self._daemon()
        match request.path_params["verb"]:
            case "pause" | "pause-hour" | "pause-tomorrow" as verb:
                await run_in_threadpool(daemon.pause, True, end_after(verb.removeprefix("pause-"), datetime.now()))
            case "resume":
                await run_in_threadpool(daemon.pause, False)
            case "retry":
                await run_in_threadpool(self._retry, daemon, None)
            case "seen":
                await run_in_threadpool(daemon.see_warnings, None)
            case "edit-rules":
                only_here(request)
                await run_in_threadpool(open_path, daemon.rules.path)
            case _:
                raise HTTPException(404)
        self._feed.look()

    async def _first(self, request: Request) -> None:
        """POST /api/first, a JSON list of names: the first rule file, with these of the rules that are offered."""
        try:
            names = json.loads(await short_body(request))
        except (ValueError, RecursionError):
            raise HTTPException(400) from None
        chosen = [one for one in ON_PAGE if isinstance(names, list) and one.name in names]
        if not chosen:
            raise PaperchuteError(_("Nothing is chosen."), _("Choose at least one."))
        await run_in_threadpool(write_first, self._daemon().rules.path, Path("~/Hot"), chosen)

    async def _program(self, request: Request) -> None:
        """POST /api/program/quit, autostart-on or autostart-off."""
        verb, controls = request.path_params["verb"], self._controls
        only_here(request)
        if controls is None:
            raise HTTPException(404)
        match verb:
            case "quit":
                controls.quit()
            case "autostart-on" | "autostart-off":
                await run_in_threadpool(controls.start_at_login, verb == "autostart-on")
            case _:
                raise HTTPException(404)
        self._feed.look()

    async def _open_folder(self, request: Request) -> None:
        only_here(request)
        await run_in_threadpool(open_path, self._folder(request))

    async def _room(self, request: Request) -> None:
        """POST /api/folders/ID/room, with how many bytes are about to come: a refusal in the midst is heard badly."""
        size = await short_body(request)
        if not size.isdigit() or len(size) > 18:
            raise HTTPException(400)
        await run_in_threadpool(self._drops.check_room, self._folder(request), int(size))

    async def _drop(self, request: Request) -> dict[str, Any]:
        """PUT /api/folders/ID/NAME: the body becomes a file of the hot folder."""
        folder = self._folder(request)
        name = await self._drops.receive(request.stream(), _length(request), folder, request.path_params["name"])
        return {"name": name}

    async def _begin_set(self, request: Request) -> dict[str, Any]:
        """POST /api/folders/ID/sets/NAME: a folder is about to come, file by file."""
        folder = self._folder(request)
        if not takes_folders(self._daemon(), folder):
            raise PaperchuteError(
                _("No rule of {folder} takes whole folders.", folder=folder.name),
                _("Drop the files that are in it, or give a rule `recursive` or `gather`."),
            )
        return {"set": await self._drops.begin(folder, request.path_params["name"])}

    async def _drop_into_set(self, request: Request) -> dict[str, Any]:
        """PUT /api/sets/TOKEN/PATH: the body becomes a file of the folder that comes."""
        token, path = request.path_params["token"], request.path_params["path"]
        with _arriving():
            return {"taken": await self._drops.receive_into(token, request.stream(), _length(request), path)}

    async def _place_set(self, request: Request) -> dict[str, Any]:
        """POST /api/sets/TOKEN/placed, with how many files it has: the folder is in the hot folder, whole."""
        files = await short_body(request)
        if not files.isdigit():
            raise HTTPException(400)
        with _arriving():
            return {"name": await self._drops.place(request.path_params["token"], int(files))}

    async def _forget_set(self, request: Request) -> None:
        """POST /api/sets/TOKEN/forgotten: it will not come whole."""
        with _arriving():
            await self._drops.forget(request.path_params["token"])

    def _folder(self, request: Request) -> Path:
        """The hot folder that a call means: only those of the rules in force can be named."""
        wanted = request.path_params["folder"]
        for rule in self._daemon().rules.rules:
            if rule.enabled and folder_id(rule.folder) == wanted:
                return rule.folder
        raise HTTPException(404)

    @staticmethod
    def _retry(daemon: Daemon, job: int | None) -> None:
        """Raises PaperchuteError with everything that cannot be tried again."""
        if problems := daemon.retry(job):
            raise PaperchuteError("\n".join(problems))


@contextmanager
def _arriving() -> Iterator[None]:
    """A folder that is not on its way is not found."""
    try:
        yield
    except KeyError:
        raise HTTPException(404) from None


def _length(request: Request) -> int | None:
    """Bytes of the body, where that is known."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() else None


def told(work: Callable[[Request], Awaitable[dict[str, Any] | None]]) -> Work:
    """A call that acts: what keeps it from working is answered in words for people."""

    async def answer(request: Request) -> Response:
        try:
            return Answer(await work(request) or {})
        except (PaperchuteError, OSError) as error:
            return refused(error)

    return answer


def refused(error: PaperchuteError | OSError, **more: Any) -> Response:
    """What kept a call from working, in words for people."""
    return Answer({"reason": reason_of(error), **more}, 409)


def reason_of(error: PaperchuteError | OSError) -> str:
    """A sentence for people."""
    if isinstance(error, PaperchuteError):
        return str(error)
    return _("{reason}.", reason=error.strerror or type(error).__name__)


def only_here(request: Request) -> None:
    """What opens files and programs on this machine is for who sits at it. Raises HTTPException for others."""
    if request.state.is_remote:
        raise HTTPException(404)


async def short_body(request: Request, most: int = _SHORT) -> bytes:
    """A body of some bytes. Raises HTTPException for more than `most`."""
    body = b""
    async for block in request.stream():
        body += block
        if len(body) > most:
            raise HTTPException(413)
    return body


def same(one: str, other: str) -> bool:
    """Whether two secrets are one, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())


@cache
def _asset(name: str) -> bytes:
    return resources.files("paperchute.page").joinpath("assets", name).read_bytes()
