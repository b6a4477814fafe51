"""The circuits of several services: what one of them does not do holds up nothing that others do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from paperchute.events import Observer
from paperchute.jobs.circuit import Circuit
from paperchute.jobs.fallback import NotAskedError
from paperchute.rules.service_names import BUILT_IN, DEFAULT
from paperchute.service.model import ServiceError


class Circuits:
    """One for each service, made when it is first asked for. Thread-safe."""

    def __init__(self, observer: Observer, in_use: Callable[[], Sequence[str]]) -> None:
        """in_use: the services that rules ask now, by their names."""
        self._observer = observer
        self._in_use = in_use
        self._lock = threading.Lock()
        self._made: dict[str, Circuit] = {}

    def of(self, name: str) -> Circuit:
        """The circuit of a service."""
        with self._lock:
            if name not in self._made:
                self._made[name] = Circuit(self._observer, "" if name in (BUILT_IN, DEFAULT) else name)
            return self._made[name]

    def all(self) -> dict[str, Circuit]:
        """Those of all services that rules ask now, and of others whose work is not done yet."""
        names = self._in_use()
        with self._lock:
            others = [name for name, circuit in self._made.items() if circuit.state != "closed" and name not in names]
        return {name: self.of(name) for name in (*names, *others)}

    def open_ones(self) -> list[Circuit]:
        """Those that are not closed."""
        return [circuit for circuit in self.all().values() if circuit.state != "closed"]

    def none_works(self) -> bool:
        """Decide whether no service does any work, so that nothing need be begun."""
        return all(self.of(name).state != "closed" for name in self._in_use())

    def stopped_by(self) -> Literal["", "auth", "quota"]:
        """Return what a person or the calendar must put right where no service works; empty otherwise."""
        return self.of(self._in_use()[0]).stopped_by if self.none_works() else ""

    def not_asked(self, name: str) -> ServiceError | None:
        """Return why a service does no work just now; None where it is to be asked."""
        circuit = self.of(name)
        message, kind = circuit.message, circuit.stopped_by or "down"
        return NotAskedError(message, kind=kind, answered=False, service=name) if circuit.state != "closed" else None

    def away(self, name: str, error: ServiceError) -> None:
        """Hear why a service has done no work."""
        if not isinstance(error, NotAskedError):
            self.of(name).open(error)

    def close(self) -> None:
        """Have all be asked again; those that no rule asks any more are forgotten."""
        for circuit in self.all().values():
            circuit.close()
        kept = self._in_use()
        with self._lock:
            self._made = {name: circuit for name, circuit in self._made.items() if name in kept}

    def probe(self, check: Callable[[str, bool], None]) -> None:
        """Ask those that do no work now and then. check: as `Circuit.probe` has it, told the service first."""
        for name, circuit in self.all().items():
            circuit.probe(partial(check, name))

    def probe_soon(self) -> None:
        """Something has come that they are needed for."""
        for circuit in self.open_ones():
            circuit.probe_soon()

    def problem(self) -> str:
        """Return why services do no work, a sentence each; empty where all do."""
        return " ".join(circuit.message for circuit in self.open_ones())
