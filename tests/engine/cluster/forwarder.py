"""What stands between engines and a server that speaks TCP, and can fall silent: nothing is refused, nothing comes."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading


class Forwarder:
    """Hands on what comes, both ways, on connections to a port of this machine."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._pairs: list[_Pair] = []
        self.is_open = True
        """Whether connections that are made from now on are handed on."""
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self, *, is_open: bool) -> None:
        """Hand nothing on any more. is_open: but on connections that are made from now on."""
        self.is_open = is_open
        for pair in self._pairs:
            pair.is_silent = True

    def go_on(self) -> None:
        """Hand everything on, what has come meanwhile too."""
        self.is_open = True
        for pair in self._pairs:
            pair.is_silent = False

    def close(self) -> None:
        self._listener.close()
        for pair in self._pairs:
            pair.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                there, _ = self._listener.accept()
                self._pairs.append(_Pair(there, self._target, is_silent=not self.is_open))


class _Pair:
    def __init__(self, client: socket.socket, target: int, *, is_silent: bool) -> None:
        self.is_silent = is_silent
        self._client, self._target = client, target
        self._server: socket.socket | None = None
        threading.Thread(target=self._hand_on, daemon=True).start()

    def close(self) -> None:
        for end in (self._client, self._server):
            if end is not None:
                end.close()

    def _hand_on(self) -> None:
        pause = threading.Event()
        with contextlib.suppress(OSError, ValueError), selectors.DefaultSelector() as selector:
            while self.is_silent:
                pause.wait(0.1)
            self._server = socket.create_connection(("127.0.0.1", self._target))
            for end, other in ((self._client, self._server), (self._server, self._client)):
                selector.register(end, selectors.EVENT_READ, other)
            while True:
                if self.is_silent:
                    pause.wait(0.1)
                    continue
                for key, _ in selector.select(0.2):
                    if self.is_silent:
                        break
                    content = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                    if not content:
                        return self.close()
                    key.data.sendall(content)
        self.close()
        return None
