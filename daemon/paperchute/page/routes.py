"""The calls of the page. Each acts as tray and command line do, by the same functions."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
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
from starlette.routing import BaseRoute

from paperchute.app.daemon import Daemon
from paperchute.app.first_rules import ON_PAGE, write_first
from paperchute.app.untaken import check_drop
from paperchute.desktop.opener import open_path
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.moments import end_after
from paperchute.page import history
from paperchute.page.answers import Answer
from paperchute.page.controls import Controls
from paperchute.page.drops import Drops, fitting
from paperchute.page.feed import Feed
from paperchute.page.gate import shown
from paperchute.page.needs import needs
from paperchute.page.picture import folder_id, takes_folders
from paperchute.page.rights import Call, Right
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
            *("use.js", "rules.js", "editor.js", "sample.js", "table.js"),
        ),
        "text/javascript",
    ),
}
_NAMES = 1 << 20
"""Bytes of the names of files that are dropped together."""
_SHORT = 4096
"""Bytes of a body that is no file."""
_DIGITS = 18
"""Of a number, at most."""

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
            Call("/", self._file, Right.PUBLIC),
            Call("/texts.json", self._texts, Right.PUBLIC),
            Call("/{name}", self._file, Right.PUBLIC),
            Call("/api/ticket", self._ticket, Right.PUBLIC_HERE, ["POST"]),
            Call("/api/session", self._session, Right.PUBLIC_HERE, ["POST"]),
            Call("/api/entry", self._entry, Right.PUBLIC),
            Call("/api/feed", self._listen),
            Call("/api/needs", self._needs),
            Call("/api/use", told(self._use)),
            Call("/api/history", told(self._history)),
            Call("/api/first", told(self._first), Right.RULES, ["POST"]),
            *self._acts("/api/program", Right.HERE, self._program()),
            *self._acts("/api/daemon", Right.SESSION, self._work_of_daemon()),
            *self._acts("/api/daemon", Right.HERE, {"edit-rules": lambda: open_path(self._daemon().rules.path)}),
            Call("/api/folders/{folder:str}/open", told(self._open_folder), Right.HERE, ["POST"]),
            Call("/api/folders/{folder:str}/room", told(self._room), methods=["POST"]),
            Call("/api/folders/{folder:str}/sets/{name:str}", told(self._begin_set), methods=["POST"]),
            Call("/api/folders/{folder:str}/{name:path}", told(self._drop), methods=["PUT"]),
            Call("/api/sets/{token:str}/placed", told(self._place_set), methods=["POST"]),
            Call("/api/sets/{token:str}/forgotten", told(self._forget_set), methods=["POST"]),
            Call("/api/sets/{token:str}/{path:path}", told(self._drop_into_set), methods=["PUT"]),
        ]

    def _acts(self, path: str, right: Right, acts: Mapping[str, Callable[[], object]]) -> list[Call]:
        """A call below `path` for each act, by its name. Acts run on a thread; the page is told afterwards."""

        def calling(act: Callable[[], object]) -> Work:
            async def work(_request: Request) -> None:
                await run_in_threadpool(act)
                self._feed.look()

            return told(work)

        return [Call(f"{path}/{name}", calling(act), right, ["POST"]) for name, act in acts.items()]

    def _work_of_daemon(self) -> Mapping[str, Callable[[], object]]:
        """Return what is asked of the daemon as a whole."""

        def pause(length: str = "") -> Callable[[], object]:
            return lambda: self._daemon().pause(True, end_after(length, datetime.now()))

        return {
            "pause": pause(),
            "pause-hour": pause("hour"),
            "pause-tomorrow": pause("tomorrow"),
            "resume": lambda: self._daemon().pause(False),
            "retry": lambda: retry(self._daemon(), None),
            "seen": lambda: self._daemon().see_warnings(None),
        }

    def _program(self) -> Mapping[str, Callable[[], object]]:
        """Return what is asked of the program itself; nothing where nobody has it in hand."""
        controls = self._controls
        if controls is None:
            return {}
        return {
            "quit": controls.quit,
            "autostart-on": lambda: controls.start_at_login(True),
            "autostart-off": lambda: controls.start_at_login(False),
        }

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
        session, door = request.state.session, request.state.door
        return StreamingResponse(
            self._feed.lines(lambda: self._sessions.holds(session, door)), media_type="text/event-stream"
        )

    async def _needs(self, request: Request) -> Response:
        return Answer(await run_in_threadpool(lambda: needs(self._daemon())))

    async def _history(self, request: Request) -> dict[str, Any]:
        """GET /api/history?words=...&limit=50: what was done, the newest first (`page.history`)."""
        words, limit = request.query_params.get("words", ""), request.query_params.get("limit", "50")
        if not limit.isdecimal() or len(limit) > _DIGITS or len(words) > _SHORT:
            raise HTTPException(400)
        return await run_in_threadpool(history.history, self._daemon(), words, int(limit))

    async def _use(self, request: Request) -> dict[str, Any]:
        return await run_in_threadpool(use, self._daemon())

    # ---------- acting ----------

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

    async def _open_folder(self, request: Request) -> None:
        await run_in_threadpool(open_path, self._folder(request))

    async def _room(self, request: Request) -> None:
        """POST /api/folders/ID/room, with how many bytes are about to come, and in the lines behind the files' names.

        A refusal in the midst is heard badly, so what no rule takes and what does not fit is refused here.
        """
        size, *names = (await short_body(request, _NAMES)).decode("utf-8", "replace").split("\n")
        if not (size.isascii() and size.isdigit()) or len(size) > _DIGITS:
            raise HTTPException(400)
        folder = self._folder(request)
        for name in names:
            check_drop(self._daemon().rules.rules, folder, fitting(name))
        await run_in_threadpool(self._drops.check_room, folder, int(size))

    async def _drop(self, request: Request) -> dict[str, Any]:
        """PUT /api/folders/ID/NAME: the body becomes a file of the hot folder."""
        folder, name = self._folder(request), request.path_params["name"]
        check_drop(self._daemon().rules.rules, folder, fitting(name))
        return {"name": await self._drops.receive(request.stream(), _length(request), folder, name)}

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
        if not files.isdigit() or len(files) > _DIGITS:
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


def retry(daemon: Daemon, job: int | None) -> None:
    """Try a job again, or all that failed. Raises PaperchuteError with everything that cannot be tried again."""
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
    """Return what kept a call from working, in words for people."""
    return Answer({"reason": reason_of(error), **more}, 409)


def reason_of(error: PaperchuteError | OSError) -> str:
    """A sentence for people."""
    if isinstance(error, PaperchuteError):
        return str(error)
    return _("{reason}.", reason=error.strerror or type(error).__name__)


async def short_body(request: Request, most: int = _SHORT) -> bytes:
    """A body of some bytes. Raises HTTPException for more than `most`."""
    body = b""
    async for block in request.stream():
        body += block
        if len(body) > most:
            raise HTTPException(413)
    return body


def same(one: str, other: str) -> bool:
    """Decide whether two secrets are one, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())


@cache
def _asset(name: str) -> bytes:
    return resources.files("paperchute.page").joinpath("assets", name).read_bytes()
