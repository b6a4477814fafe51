"""Keeping up with the other Paperchutes on shared hot folders: our heartbeat, and what the dead have left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from loguru import logger

from paperchute.app.intake import shared_folders
from paperchute.jobs.claims import BEAT_SECONDS, Claims
from paperchute.rules.model import Rule


class Sharing:
    """A thread of its own, since a share may hang. It does nothing as long as no rule is shared."""

    def __init__(self, claims: Claims, rules: Callable[[], Sequence[Rule]]) -> None:
        """rules: those in force now."""
        self._claims = claims
        self._rules = rules
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sharing", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a hung share is not waited for beyond two seconds."""
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def _run(self) -> None:
        while not self._end.is_set():
            for hot in shared_folders(self._rules()):
                try:
                    self._claims.tend(hot)
                except OSError as error:
                    logger.warning("the claims in {} cannot be looked after just now ({})", hot, error)
            self._end.wait(BEAT_SECONDS)
