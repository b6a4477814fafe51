"""Webhooks: letters about tasks and files, kept on disk until they are delivered or given up.

See docs/contract.md#webhooks.
"""

from __future__ import annotations

import datetime
import json
import queue
import threading
from collections.abc import Collection

from loguru import logger

from paperchute import telemetry
from paperchute.engine.outside import FetchRefused, post_json
from paperchute.engine.tasks.ports import TaskStore
from paperchute.engine.tasks.task import Letter

SIGNATURE = "ComPDF-Signature"
RETRY_SECONDS = (5.0, 30.0, 180.0)
_MOST_LETTERS = 10_000
_AT_ONCE = 16
_LOOK_SECONDS = 1.0  # for letters that another engine wrote
_POSTMEN = 4  # a receiver that is slow or gone is not to hold up the others


class Webhooks:
    """Writes letters down and delivers them. Thread-safe."""

    def __init__(
        self,
        store: TaskStore,
        *,
        url: str,
        token: str,
        inner: Collection[str],
        retry_seconds: tuple[float, ...] = RETRY_SECONDS,
    ) -> None:
        """url: receives every event, empty for none; inner: see `outside.connected`.

        token: goes with every letter there, and to callbacks of who has the service's own key.
        """
        self._store = store
        self._url = url
        self._token = token
        self._inner = inner
        self._retry_seconds = retry_seconds
        self._news = threading.Event()
        self._due: queue.SimpleQueue[Letter] = queue.SimpleQueue()
        self._underway: set[int] = set()
        self._stopping = False

    def start(self) -> None:
        """Begin to deliver, what the last engine left undelivered too."""
        threading.Thread(target=self._sort, name="letters", daemon=True).start()
        for number in range(_POSTMEN):
            threading.Thread(target=self._deliver, name=f"postman-{number}", daemon=True).start()

    def stop(self) -> None:
        """Begin no more deliveries; what is not delivered stays on disk."""
        self._stopping = True
        self._news.set()

    def about_task(self, event: str, task: str, callback: str = "") -> None:
        """Announce task.start, task.finish or task.overdue of a task's id; to its own callback too where given.

        The callback's letter has the token of the key that the task came with (`keys.webhook_token_of`).
        """
        self._announce(event, task, self._url, self._token)
        if callback:
            self._announce(event, task, callback, self._store.keys.webhook_token(task) or self._token)

    def about_file(self, event: str, run: str) -> None:
        """Announce file.start, file.success or file.failed of a run's id."""
        self._announce(event, run, self._url, self._token)

    def _announce(self, event: str, about: str, url: str, token: str) -> None:
        if not url:
            return
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        body = {"eventName": event, "webhookToken": token, "sendTime": now, "eventObject": about}
        if trace := telemetry.carried():
            body[telemetry.HEADER] = trace  # taken out again before it is sent
        if not self._store.add_letter(url, json.dumps(body), _MOST_LETTERS):
            logger.bind(event=event, object=about).error("a webhook is dropped: {} wait already", _MOST_LETTERS)
            return
        self._news.set()

    def _sort(self) -> None:
        """Hand letters to the postmen as they become due."""
        wait: float | None = 0.0
        while not self._stopping:
            self._news.wait(wait)
            self._news.clear()
            underway = set(self._underway)  # before the look at the disk: what a postman has done is gone from there
            try:
                # What others could deliver as well is asked for only as far as there is somebody to do it now.
                most = _AT_ONCE - len(underway) if self._store.remote else _AT_ONCE * 2
                waiting = [letter for letter in self._store.letters(most) if letter.id not in underway]
                now = self._store.now()
            except self._store.trouble as error:
                self._complain(error)
                wait = 1.0
                continue
            for letter in [letter for letter in waiting if letter.due <= now][: _AT_ONCE - len(underway)]:
                self._underway.add(letter.id)
                self._due.put(letter)
            later = [letter.due - now for letter in waiting if letter.due > now]
            wait = min(later) if later else _LOOK_SECONDS if self._store.remote else None

    def _deliver(self) -> None:
        while True:
            letter = self._due.get()
            try:
                self._send(letter)
            except self._store.trouble as error:
                self._complain(error)
            self._underway.discard(letter.id)
            self._news.set()

    def _complain(self, error: Exception) -> None:
        if not self._stopping:
            logger.error("the letters cannot be read or written: {}", error)

    def _send(self, letter: Letter) -> None:
        if self._stopping:
            return
        body = json.loads(letter.body)
        event, trace = body["eventName"], body.pop(telemetry.HEADER, "")
        about, tries = body["eventObject"], letter.tries + 1
        log = logger.bind(event=event, object=about, tries=tries, trace_id=trace[3:35])
        try:
            with telemetry.span("webhook", "client", trace, event=event, tries=tries):
                self._post(letter.url, body)
        except FetchRefused as error:
            if letter.tries < len(self._retry_seconds):
                self._store.postpone_letter(letter.id, self._retry_seconds[letter.tries])
            else:
                log.warning("a webhook is given up: {}", error)
                self._store.drop_letter(letter.id)
        else:
            log.info("webhook")
            self._store.drop_letter(letter.id)

    def _post(self, url: str, body: dict[str, str]) -> None:
        trace = telemetry.carried()
        headers = {SIGNATURE: body["webhookToken"], **({telemetry.HEADER: trace} if trace else {})}
        try:
            post_json(url, json.dumps(body).encode(), headers, inner=self._inner)
        except FetchRefused:
            telemetry.note(outcome="failed")
            raise
