"""A warm process that makes a child for each life, so that one costs milliseconds and not the start of a Python.

It has one thread, which is why it is not the test process itself: a fork takes the locks of other threads along.
Orders come as JSON lines on standard input, and wait statuses go out on standard output.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import paperchute
from paperchute.contract import contract, kind_of
from paperchute.service.client import ServiceClient
from paperchute.service.model import ServiceAddress, ServiceError
from tests.crash.life import Order, live

_SOURCES = (Path(paperchute.__file__).parents[1], Path(__file__).parents[2])


class Forge:
    """The other end, in the test process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, order: Order) -> int:
        """Run one life to its end; its exit code, negative for a signal."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(asdict(order)), file=self._process.stdin, flush=True)
        return os.waitstatus_to_exitcode(int(self._process.stdout.readline()))


@contextmanager
def forge() -> Iterator[Forge]:
    """A forge for the length of the block."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, _SOURCES)),
        "SSL_CERT_DIR": str(Path(__file__).parent),  # no TLS here, and reading the real certificates takes 30 ms a life
    }
    command = [sys.executable, "-m", "tests.crash.forge"]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Forge(process)
        finally:
            assert process.stdin
            process.stdin.close()


def _main() -> None:
    # what a first call reads and imports is then there for all children
    contract()
    kind_of(Path(__file__))
    with contextlib.suppress(ServiceError):
        ServiceClient(ServiceAddress("http://127.0.0.1:9", "")).check()
    for line in sys.stdin:
        order = Order(**json.loads(line))
        child = os.fork()
        if child == 0:
            os._exit(_child(order))
        _, status = os.waitpid(child, 0)
        print(status, flush=True)  # noqa: T201 -- the answer


def _child(order: Order) -> int:
    try:
        return live(order)
    except BaseException:  # noqa: BLE001 -- whatever it is, the parent must see it and this copy must end here
        traceback.print_exc()
        return 1


if __name__ == "__main__":
    _main()
