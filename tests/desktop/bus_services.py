"""What a desktop answers on the session bus, as far as Paperchute asks."""

# No deferred annotations here: dbus-fast reads the signatures from them.

import asyncio
import queue
from typing import Annotated

from dbus_fast import Variant
from dbus_fast.annotations import DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.service import ServiceInterface, dbus_method

Names = Annotated[list[str], DBusSignature("as")]
ServerInformation = Annotated[list[str], DBusSignature("ssss")]
Hints = Annotated[dict[str, Variant], DBusSignature("a{sv}")]


class Watcher(ServiceInterface):
    """A panel's desk where StatusNotifier icons sign in."""

    def __init__(self) -> None:
        super().__init__("org.kde.StatusNotifierWatcher")
        self.signed_in: asyncio.Queue[str] = asyncio.Queue()

    @dbus_method()
    def RegisterStatusNotifierItem(self, name: DBusStr) -> None:  # noqa: N802
        self.signed_in.put_nowait(name)


class Notifications(ServiceInterface):
    """A notification service that puts title and body of every notification into a queue."""

    def __init__(self, heard: queue.SimpleQueue[tuple[str, str]]) -> None:
        super().__init__("org.freedesktop.Notifications")
        self._heard = heard

    @dbus_method()
    def Notify(  # noqa: N802
        self,
        _application: DBusStr,
        _replaces: DBusUInt32,
        _icon: DBusStr,
        title: DBusStr,
        body: DBusStr,
        _actions: Names,
        _hints: Hints,
        _timeout: DBusInt32,
    ) -> DBusUInt32:
        self._heard.put((title, body))
        return 1

    @dbus_method()
    def GetCapabilities(self) -> Names:  # noqa: N802
        return ["body", "body-markup"]

    @dbus_method()
    def GetServerInformation(self) -> ServerInformation:  # noqa: N802
        return ["a desktop", "a test", "1", "1.2"]
