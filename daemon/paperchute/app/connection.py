"""One service that does work: the built-in engine with its process, or a remote one with its webhooks and units."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from loguru import logger

from paperchute.app.webhooks import WebhookReceiver
from paperchute.contract.engine_options import ENGINE_OPTIONS
from paperchute.errors import PaperchuteError
from paperchute.events import Observer, Trouble
from paperchute.language import N_, _
from paperchute.redaction import in_use
from paperchute.rules.secrets import resolve
from paperchute.rules.settings import ServiceSettings
from paperchute.service.client import ServiceClient
from paperchute.service.engine_process import EngineProcess
from paperchute.service.model import Asset, ServiceAddress, ServiceError

_RESTART_PAUSE_SECONDS = 5.0
_ASSETS_SECONDS = 900.0
_WRONG_TOKEN = N_(
    "The service's webhooks come with a token other than webhook_token, so they are ignored and its tasks"
    " are polled instead. Give both the same token."
)
_SECRET_OPTIONS = frozenset(option.name for option in ENGINE_OPTIONS if option.metadata.get("form") == "secret")


class Connection:
    """Holds the client of one service, and the engine's process when it is ours. Thread-safe."""

    def __init__(self, engine_state: Path, settings: ServiceSettings, observer: Observer) -> None:
        """engine_state: where the engine keeps its own, if it is ours."""
        self._engine_state = engine_state
        self.settings = settings
        """Those of the rule file that it was made of."""
        self._observer = observer
        self._lock = threading.Lock()
        self._telling = threading.Lock()  # guards what is known of the webhooks
        self._engine: EngineProcess | None = None
        self._client: ServiceClient | None = None
        self._receiver: WebhookReceiver | None = None
        self._assets: tuple[Asset, ...] = ()
        self._webhook_problem = self._problem = ""
        self._next_start = self._next_assets = 0.0

    def start(self) -> None:
        """Start the engine if it is to do the work. Raises PaperchuteError when it does not come up."""
        with self._lock:
            self._connect()

    def try_to_start(self) -> None:
        """Start, or say in the log what keeps it from that; `keep_alive` tries again."""
        with self._lock:
            self._try_to_connect()

    def stop(self) -> None:
        """Close the client and end the engine; running calls end as failed connections."""
        with self._lock:
            self._disconnect()

    def client(self) -> ServiceClient:
        """The client for a call. Raises ServiceError(kind="down") while there is none."""
        client = self._client
        if client is None:
            why = self._problem or _("The service is not running.")
            raise ServiceError(why, _("It is restarted automatically."), kind="down")
        return client

    def check(self, spent: bool) -> None:
        """Ask the service whether it is there and takes the key. Raises ServiceError.

        spent: the account had no units left, so it is asked whether it has some now, where the service counts them.
        """
        self._assets = assets = self.client().assets()
        if spent and assets and not any(asset.left > 0 for asset in assets):
            raise ServiceError(_("The service has no units left."), kind="quota")

    def keep_alive(self) -> None:
        """Start the engine again if it has died, and what could not be started before."""
        if self._is_up() or time.monotonic() < self._next_start:
            return
        with self._lock:
            if self._is_up():  # another thread has just seen to it
                return
            self._next_start = time.monotonic() + _RESTART_PAUSE_SECONDS
            if self.settings.base_url is None:
                logger.warning("the engine has ended and is started again")
            self._disconnect()
            self._try_to_connect()

    def _is_up(self) -> bool:
        engine = self._engine
        has_engine = self.settings.base_url is not None or (engine is not None and engine.alive())
        return self._client is not None and has_engine

    def _try_to_connect(self) -> None:
        before, self._problem = self._problem, ""
        try:
            self._connect()
        except PaperchuteError as error:
            self._problem = str(error)
            if self._problem != before:
                logger.error("{}", error)

    def assets(self) -> tuple[Asset, ...]:
        """What the account had left when it was last asked for; empty for the engine, and until the first answer."""
        return self._assets

    def look_at_assets(self) -> None:
        """Ask the remote service now and then what the account has left, without waiting for its answer."""
        if self.settings.base_url is None or time.monotonic() < self._next_assets or self._client is None:
            return
        self._next_assets = time.monotonic() + _ASSETS_SECONDS
        threading.Thread(target=self._ask_for_assets, args=(self._client,), name="assets", daemon=True).start()

    def _ask_for_assets(self, client: ServiceClient) -> None:
        with contextlib.suppress(ServiceError):  # whether it is there is told by the calls
            self._assets = client.assets()

    def _connect(self) -> None:
        self._client, self._engine = _open(self.settings, self._engine_state)
        self._next_assets = 0.0
        if self.settings.webhook_listen is not None and self.settings.base_url is not None:
            host, _, port = self.settings.webhook_listen.rpartition(":")
            token = _secret(self.settings.webhook_token)
            in_use(token, lasting=True)
            try:
                self._receiver = WebhookReceiver((host, int(port)), token, self)
            except PaperchuteError as error:
                logger.error("{} Tasks are asked for now and then instead.", error)

    def announced(self, task: str, /) -> None:
        """See `webhooks.Hearer`."""
        self._mind_webhooks("")
        if (client := self._client) is not None:
            client.poke(task)

    def refused(self) -> None:
        """See `webhooks.Hearer`."""
        self._mind_webhooks(_(_WRONG_TOKEN))
        if (client := self._client) is not None:
            client.distrust_webhooks()

    def _mind_webhooks(self, problem: str) -> None:
        """Say once that the announcements are not heard, and once that they are again."""
        with self._telling:
            changed, self._webhook_problem = problem != self._webhook_problem, problem
            if changed:
                text = problem or _("The service's webhooks are being received again.")
                self._observer.publish(Trouble("webhooks", self.settings.webhook_listen or "", text, over=not problem))

    def forget_webhooks(self) -> None:
        """The trouble with another service's announcements is no longer one, without their being heard."""
        with self._telling:
            problem, self._webhook_problem = self._webhook_problem, ""
        if problem:
            self._observer.publish(Trouble("webhooks", self.settings.webhook_listen or "", problem, over=True))

    def _disconnect(self) -> None:
        if self._receiver is not None:
            self._receiver.stop()
            self._receiver = None
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._engine is not None:
            self._engine.stop()
            self._engine = None


@contextmanager
def connect(settings: ServiceSettings, engine_state: Path) -> Iterator[ServiceClient]:
    """A client of its own for the length of the block. Raises PaperchuteError when the engine does not come up."""
    client, engine = _open(settings, engine_state)
    try:
        yield client
    finally:
        client.close()
        if engine is not None:
            engine.stop()


def _open(settings: ServiceSettings, engine_state: Path) -> tuple[ServiceClient, EngineProcess | None]:
    if settings.base_url is not None:
        address = ServiceAddress(
            settings.base_url,
            _secret(settings.api_key),
            mode=settings.mode,
            names=settings.names,
            callback_url=_callback(settings),
            hub_url=settings.hub_url or "",
            hub_key=_secret(settings.hub_key),
            hub_lookup=settings.hub_lookup or "",
        )
        return ServiceClient(address), None
    engine = EngineProcess(engine_state, _engine_options(settings))
    address = engine.start()
    hub = (settings.hub_url, _secret(settings.hub_key)) if settings.hub_url else (address.base_url, address.key)
    lookup = settings.hub_lookup or ("" if settings.hub_url else "/api/v2/tasks/{taskId}")
    mode = "sync" if settings.mode == "auto" else settings.mode
    return ServiceClient(replace(address, mode=mode, hub_url=hub[0], hub_key=hub[1], hub_lookup=lookup)), engine


def _engine_options(settings: ServiceSettings) -> dict[str, Any]:
    """Return what the rule file says of the engine, with secrets in place of references. Raises SecretError."""
    options = {**settings.engine, "workers": settings.engine.get("workers") or settings.concurrency}
    return {name: resolve(value) if name in _SECRET_OPTIONS else value for name, value in options.items()}


def _secret(reference: str | None) -> str:
    return resolve(reference) if reference else ""


def _callback(settings: ServiceSettings) -> str:
    """Return where the service may announce that a task has ended; empty where nobody listens."""
    if settings.webhook_listen is None:
        return ""
    return settings.webhook_url or f"http://{settings.webhook_listen}/"
