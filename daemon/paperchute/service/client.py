"""The client of one service: calls in every mode, how far they are, results, and whether the service is there."""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from loguru import logger

from paperchute import telemetry
from paperchute.baton import baton
from paperchute.contract import contract
from paperchute.files import placement
from paperchute.language import _
from paperchute.service import failures, results, submission
from paperchute.service.answers import Verdict, identifier, masked, read_answer, read_data, read_pages
from paperchute.service.model import Answer, Asset, Call, Fetched, OnPages, ServiceAddress, ServiceError
from paperchute.service.submission import Hub, ModeMissingError, Submitted
from paperchute.service.wire import Reply, Wire

_SECONDS = 1.0
"""A call is asked about when it has taken this long, and again after as much."""


@dataclass(frozen=True)
class _Waiting:
    told: OnPages
    since: float


class PageWatch:
    """One thread asks about all waiting calls; it exists only while there are any."""

    def __init__(self, ask: Callable[[str], tuple[int, int] | None] | None) -> None:
        """ask: gives the pages done and in all of the call under an idempotency key.

        It gives None where nothing is known; `ask` itself is None where the service cannot be asked.
        """
        self._ask = ask
        self._calls: dict[str, _Waiting] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    @contextlib.contextmanager
    def watched(self, key: str, told: OnPages) -> Iterator[None]:
        """While the block runs, `told` hears how far the call under `key` is."""
        if self._ask is None:
            yield
            return
        with self._lock:
            self._calls[key] = _Waiting(told, time.monotonic())
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, args=(self._ask,), name="pages", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._calls.pop(key, None)

    def close(self) -> None:
        """Ask no more."""
        self._closed.set()

    def _watch(self, ask: Callable[[str], tuple[int, int] | None]) -> None:
        while not self._closed.wait(_SECONDS):
            with self._lock:
                if not self._calls:
                    self._thread = None
                    return
                waiting = list(self._calls.items())
            for key, call in waiting:
                if time.monotonic() - call.since < _SECONDS or self._closed.is_set():
                    continue
                pages = ask(key)
                if pages is not None and self._calls.get(key) is call:
                    call.told(*pages)


_FIRST_POLL_LOCAL, _FIRST_POLL_REMOTE, _LAST_POLL = 1.0, 3.0, 30.0  # contract.toml [async] poll_min_seconds
_POLL_BESIDE_WEBHOOKS = 60.0
_MOST_ODD = 20

_FEW, _LONGEST_NAME = 5, 40  # a warning is one line, of 500 characters at most

OnTask = Callable[[str, tuple[str, ...]], None]


class ServiceClient:
    """Thread-safe; one connection pool for all workers. The key goes to the service itself and nowhere else."""

    def __init__(self, address: ServiceAddress) -> None:
        self._address = address
        self._wire = Wire(address)
        self._hub = Hub(address) if address.hub_url else None
        self._modes_missing: set[str] = set()
        self._poked: dict[str, threading.Event] = {}
        self._odd_words: set[str] = set()
        self._webhooks = True
        self._pages = PageWatch(self._pages_of if address.local else None)

    @property
    def repeatable(self) -> bool:
        """Whether asking again with the same idempotency key cannot cost twice."""
        return self._address.local

    def close(self) -> None:
        """Close all connections."""
        self._pages.close()
        self._wire.close()
        if self._hub is not None:
            self._hub.close()

    def check(self) -> None:
        """Ask whether the service is there and takes the key. Raises ServiceError (down, auth, ...)."""
        self.assets()

    def assets(self) -> tuple[Asset, ...]:
        """Return what the account has left, by the service's own count. Raises ServiceError (down, auth, ...)."""
        reply = self._wire.get("/v2/asset/info")
        verdict = read_answer(reply.status, reply.content)
        if reply.status == 401 or verdict.code == "401":
            raise failures.from_verdict(verdict, "", reply.status, reply.retry_after)
        if reply.status >= 500:
            words = _(
                "The service at {service} answers with HTTP {status}.", service=self._wire.base, status=reply.status
            )
            raise ServiceError(failures.with_reason(words, verdict.reason), kind="down")
        entries = (read_data(reply.status, reply.content) or {}).get("tenantAsset")
        return (
            tuple(Asset.read(entry) for entry in entries if isinstance(entry, dict))
            if isinstance(entries, list)
            else ()
        )

    # ---------- calls ----------

    def call(self, call: Call, on_task: OnTask = lambda task, hashes: None) -> Answer:
        """Have one operation done.

        on_task: told of the task's id, and the inputs' sha256, once the service has taken the call but not done it:
        from then on `resume` gets its answer. Raises ServiceError, InputChangedError, and OSError for unreadable
        inputs.
        """
        if call.operation == contract().upload.id:
            if self._hub is None:
                raise ServiceError(
                    _("There is no hub to upload to."), _("Write hub_url and hub_key in [service]."), kind="permanent"
                )
            return self._hub.upload(call)
        with telemetry.span("call", "client", operation=call.operation):
            return self._called(call, on_task)

    def _called(self, call: Call, on_task: OnTask) -> Answer:
        names = [path.name for _, path in call.files] or [call.operation]
        deadline = time.monotonic() + call.timeout
        with self._pages.watched(call.idempotency_key, call.on_pages):
            sent = self._submitted(call)
        verdict, reply = sent.verdict, sent.reply
        if verdict.kind == "pending":
            on_task(verdict.task_id, sent.hashes)
            verdict, reply = self._until_ended(verdict.task_id, deadline, reply, call.on_pages, told=sent.told)
        of_task = sent.verdict.kind == "pending"
        answer = self._answer(verdict, reply, names, sent.hashes, submission.size_of(call), of_task=of_task)
        if self.repeatable or not sent.missing:  # our own engine tells by itself what it could not have
            return answer
        return replace(answer, warnings=(*answer.warnings, _left_behind(sent.missing)))

    def resume(self, task: str, name: str, hashes: tuple[str, ...], timeout: float) -> Answer:
        """The answer of a call that the service took earlier, as the task `task`. Raises ServiceError."""
        verdict, reply = self._asked(task)
        if verdict.kind == "pending":
            verdict, reply = self._until_ended(task, time.monotonic() + timeout, reply)
        return self._answer(verdict, reply, [name], hashes, of_task=True)

    def abandon(self, key: str, task: str) -> None:
        """Have the service end a call whose result nobody wants any more, where it can. Raises ServiceError.

        Args:
            key: The call's idempotency key, by which our own engine knows it.
            task: The id of its task; empty where the service has not said one.
        """
        if not task and self._address.local:
            reply = self._wire.get("/v2/task/taskInfo", headers={"Idempotency-Key": key})
            task = identifier((read_data(reply.status, reply.content) or {}).get("taskId"))
        if task:
            path = f"/v2/task/closeTask?taskId={quote(task, safe='')}"
            self._wire.post(path, {"Content-Length": "0"}, (), deadline=time.monotonic() + 30.0, read=30.0)

    def distrust_webhooks(self) -> None:
        """An announcement came that nobody can trust: tasks are asked for as if there were none, and now."""
        self._webhooks = False
        for event in list(self._poked.values()):
            event.set()

    def poke(self, task: str) -> None:
        """Somebody says that a task has ended: ask for it now. Whether it has, only the service itself tells."""
        self._webhooks = True
        event = self._poked.get(task)
        if event is not None:
            event.set()

    def _submitted(self, call: Call) -> Submitted:
        mode = submission.mode_for(call, self._wire)
        if self._address.mode == "auto" and mode in self._modes_missing:
            mode = "sync"
        try:
            return submission.submit(self._wire, call, mode)
        except ModeMissingError:
            if self._address.mode != "auto":
                raise ServiceError(
                    _("The service does not know the mode {mode}.", mode=mode),
                    _('Write mode = "sync" in [service].'),
                    kind="permanent",
                ) from None
            logger.info("the service has no mode {}; calls go out synchronously", mode)
            self._modes_missing.add(mode)
            return submission.submit(self._wire, call, "sync")

    def _pages_of(self, key: str) -> tuple[int, int] | None:
        """Return how far our own engine is with a call that waits for its answer."""
        try:
            reply = self._wire.get("/v2/task/taskInfo", headers={"Idempotency-Key": key})
        except ServiceError:
            return None  # the call itself will tell what is wrong
        return read_pages(reply.content)

    def _asked(self, task: str) -> tuple[Verdict, Reply]:
        try:
            reply = self._wire.get("/v2/task/taskInfo", {"taskId": task, **self._wire.language})
        except ServiceError as error:
            raise ServiceError(error.what, error.advice, kind=error.kind, of_task=True) from error
        verdict = read_answer(reply.status, reply.content)
        odd = verdict.reason if verdict.kind == "pending" else ""
        if odd and odd not in self._odd_words and len(self._odd_words) < _MOST_ODD:
            self._odd_words.add(odd)
            logger.info("the service calls a task {!r}; it is taken for running", odd)
        return verdict, reply

    def _until_ended(
        self, task: str, deadline: float, reply: Reply, on_pages: OnPages | None = None, *, told: bool = False
    ) -> tuple[Verdict, Reply]:
        """Ask for a task until it has ended. Raises ServiceError(lost) at the deadline.

        See docs/contract.md#asynchronous-calls.

        told: the service knows where to announce the end, so it is asked seldom.
        """
        poked = self._poked.setdefault(task, threading.Event())
        pause = _FIRST_POLL_LOCAL if self._address.local else _FIRST_POLL_REMOTE
        verdict = Verdict("pending", task)
        try:
            while verdict.kind == "pending":
                if time.monotonic() + pause > deadline:
                    words = _("The service did not finish in time.")
                    raise ServiceError(failures.with_reason(words, verdict.reason), kind="lost", of_task=True)
                wait = _POLL_BESIDE_WEBHOOKS if told and self._webhooks else pause
                with baton.handed_on():
                    poked.wait(max(0.0, min(wait, deadline - time.monotonic())))
                poked.clear()
                pause = min(_LAST_POLL, pause * 1.5)
                try:
                    found, latest = self._asked(task)
                except ServiceError as error:
                    if error.kind != "down":
                        raise
                    continue  # the task goes on without us; ask again until the deadline
                if found.kind == "refused" and latest.status in contract().retry_http:
                    continue
                if on_pages is not None and (pages := read_pages(latest.content)):
                    on_pages(*pages)
                verdict, reply = found, latest
            return verdict, reply
        finally:
            self._poked.pop(task, None)

    # ---------- results ----------

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched:
        """Fetch a result to `place`, checked for size and kind; several outputs come unpacked, as a folder there.

        What was at `place` is replaced. A link that has expired is asked for anew by its task. Raises ServiceError:
        kind task when the result is gone, lost when the connection broke, transient when it is not what was promised.
        Raises OSError. After an error nothing is at `place`.
        """
        placement.remove(place)
        try:
            if answer.download_url:
                self._stream(answer, place)
            else:
                place.write_text(answer.raw, "utf-8")
            return results.settled(place, answer, operation)
        except BaseException:
            placement.remove(place)
            raise

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]:
        """Fetch a result into `folder`; the paths of its files, in order. Raises like `fetch`."""
        place = folder / placement.temporary_name(secrets.token_hex(6))
        fetched = self.fetch(answer, operation, place)
        if fetched.name:
            return [placement.place_over(place, folder / fetched.name)]
        files = []
        for name in fetched.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            files.append(placement.place_over(place / name, target))
        placement.remove(place)
        return files

    def _stream(self, answer: Answer, place: Path) -> None:
        try:
            results.stream_to(self._wire, answer, place)
        except ServiceError as error:
            if error.kind != "task" or not answer.task_id:
                raise
            verdict, reply = self._asked(answer.task_id)
            if verdict.kind != "done" or verdict.body:
                raise
            again = self._answer(verdict, reply, [answer.file_name], answer.hashes, answer.sent)
            results.stream_to(self._wire, again, place)

    def _answer(
        self,
        verdict: Verdict,
        reply: Reply,
        names: list[str],
        hashes: tuple[str, ...],
        sent: int | None = None,
        *,
        of_task: bool = False,
    ) -> Answer:
        """The answer of a call. of_task: asked for by its task. Raises ServiceError where it is a no."""
        if verdict.kind != "done":
            local = self._address.local
            raise failures.from_verdict(verdict, names, reply.status, reply.retry_after, of_task=of_task, local=local)
        return Answer(
            task_id=verdict.task_id,
            download_url=verdict.download_url,
            file_name=verdict.file_name,
            size=verdict.size,
            hashes=hashes,
            raw=reply.content.decode(json.detect_encoding(reply.content), "replace")
            if verdict.body
            else masked(reply.content),
            warnings=verdict.warnings,
            notes=verdict.notes,
            words=verdict.words,
            pages=verdict.pages,
            questions=tuple(one.as_json() for one in verdict.questions),
            sent=sent,
        )


def _left_behind(missing: Mapping[str, str]) -> str:
    """Return what a page names beside itself that did not go along: the first few, and how many there are."""
    shown = ["".join(filter(str.isprintable, name))[-_LONGEST_NAME:] for name in missing]
    few = [f"{name} ({why})" for name, why in [*zip(shown, missing.values(), strict=True)][:_FEW]]
    files = ", ".join(few)
    if len(missing) > _FEW:
        files = _("{files}, and {n} more", files=files, n=len(missing) - _FEW)
    return _("The page refers to files that were not sent along: {files}.", files=files)


def _text(content: bytes) -> str:
    """A JSON text as such, in whichever encoding it came."""
    return content.decode(json.detect_encoding(content), "replace")
