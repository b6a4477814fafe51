"""The menu of a StatusNotifier icon: com.canonical.dbusmenu, version 3, as libdbusmenu's dbus-menu.xml has it."""

import asyncio
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from dbus_fast import BusType, Message, MessageType, PropertyAccess, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusBool, DBusInt32, DBusObjectPath, DBusSignature, DBusStr, DBusUInt32, DBusVariant
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal
from PIL import Image

from paperchute.desktop.icon import draw
from paperchute.desktop.menu import SEPARATOR, Entry
from paperchute.desktop.panels import APP_ID, APP_NAME, Choose, TrayUnavailable
from paperchute.events import Status
from paperchute.language import _

MENU_PATH = "/MenuBar"
ROOT = 0

Properties = dict[str, Variant]
Layout = list[object]
"""The id of an entry, its properties, its children as variants of layouts."""
Ids = Annotated[list[int], DBusSignature("ai")]
Names = Annotated[list[str], DBusSignature("as")]
ClosedLayout = Annotated[list[object], DBusSignature("u(ia{sv}av)")]
PropertiesOfMany = Annotated[list[list[object]], DBusSignature("a(ia{sv})")]
Events = Annotated[list[tuple[int, str, Variant, int]], DBusSignature("a(isvu)")]
TwoIdLists = Annotated[list[list[int]], DBusSignature("aiai")]
Change = Annotated[list[int], DBusSignature("ui")]


class DBusMenu(ServiceInterface):
    """The menu as the bus sees it.

    An entry keeps its id as long as it stands in its place in the menu and an id is never used again, so a click upon
    a menu that has just changed does what the person read, or nothing.
    """

    def __init__(self, choose: Choose) -> None:
        super().__init__("com.canonical.dbusmenu")
        self._choose = choose
        self._revision = 1
        self._fresh = itertools.count(ROOT + 1)
        self._ids: dict[tuple[int, object], int] = {}
        self._entries: dict[int, Entry] = {}
        self._children: dict[int, list[int]] = {ROOT: []}

    def write(self, menu: tuple[Entry, ...]) -> None:
        """Show this menu."""
        known, self._ids = self._ids, {}
        self._entries = {}
        self._children = {}
        self._place(ROOT, menu, known)
        self._revision += 1
        self.LayoutUpdated()

    def choose_default(self) -> None:
        """Do what a plain click on the icon does."""
        for entry in self._entries.values():
            if entry.default and entry.command:
                self._choose(entry.command)

    @dbus_property(PropertyAccess.READ)
    def Version(self) -> DBusUInt32:  # noqa: N802
        return 3

    @dbus_property(PropertyAccess.READ)
    def TextDirection(self) -> DBusStr:  # noqa: N802
        return "ltr"

    @dbus_property(PropertyAccess.READ)
    def Status(self) -> DBusStr:  # noqa: N802
        return "normal"

    @dbus_property(PropertyAccess.READ)
    def IconThemePath(self) -> Names:  # noqa: N802
        return []

    @dbus_method()
    def GetLayout(self, parent: DBusInt32, depth: DBusInt32, _names: Names) -> ClosedLayout:  # noqa: N802
        self._require(parent)
        return [self._revision, self._layout(parent, depth)]

    @dbus_method()
    def GetGroupProperties(self, ids: Ids, _names: Names) -> PropertiesOfMany:  # noqa: N802
        return [[number, self._properties(number)] for number in ids or self._entries if number in self._entries]

    @dbus_method()
    def GetProperty(self, number: DBusInt32, name: DBusStr) -> DBusVariant:  # noqa: N802
        self._require(number)
        return self._properties(number).get(name, Variant("s", ""))

    @dbus_method()
    def Event(self, number: DBusInt32, event: DBusStr, _data: DBusVariant, _time: DBusUInt32) -> None:  # noqa: N802
        entry = self._entries.get(number)
        if event == "clicked" and entry and entry.command:
            self._choose(entry.command)

    @dbus_method()
    def EventGroup(self, events: Events) -> Ids:  # noqa: N802
        for number, event, _data, _time in events:
            entry = self._entries.get(number)
            if event == "clicked" and entry and entry.command:
                self._choose(entry.command)
        return [number for number, *_ in events if number not in self._children]

    @dbus_method()
    def AboutToShow(self, _number: DBusInt32) -> DBusBool:  # noqa: N802
        return False

    @dbus_method()
    def AboutToShowGroup(self, _ids: Ids) -> TwoIdLists:  # noqa: N802
        return [[], []]

    @dbus_signal()
    def LayoutUpdated(self) -> Change:  # noqa: N802
        """Tells the panel to fetch the whole menu again."""
        return [self._revision, ROOT]

    def _place(self, parent: int, entries: tuple[Entry, ...], known: dict[tuple[int, object], int]) -> None:
        self._children[parent] = []
        for index, entry in enumerate(entries):
            key = (parent, entry.command or (entry is SEPARATOR, bool(entry.children), index))
            number = known.get(key) if key not in self._ids else None
            number = next(self._fresh) if number is None else number
            self._ids[key] = number
            self._entries[number] = entry
            self._children[parent].append(number)
            self._place(number, entry.children, known)

    def _layout(self, number: int, depth: int) -> Layout:
        children = self._children[number] if depth else []
        below = [Variant("(ia{sv}av)", self._layout(child, depth - 1)) for child in children]
        return [number, self._properties(number), below]

    def _properties(self, number: int) -> Properties:
        if number == ROOT:
            return {"children-display": Variant("s", "submenu")}
        entry = self._entries[number]
        if entry is SEPARATOR:
            return {"type": Variant("s", "separator")}
        properties = {"label": Variant("s", entry.text.replace("_", "__"))}  # one alone marks a shortcut
        if entry.checked is not None:
            properties["toggle-type"] = Variant("s", "checkmark")
            properties["toggle-state"] = Variant("i", int(entry.checked))
        if entry.children:
            properties["children-display"] = Variant("s", "submenu")
        elif not entry.command:
            properties["enabled"] = Variant("b", False)
        return properties

    def _require(self, number: int) -> None:
        if number not in self._children:
            raise DBusError("org.freedesktop.DBus.Error.InvalidArgs", f"The menu has no entry {number}.")


ITEM_PATH = "/StatusNotifierItem"
WATCHER = "org.kde.StatusNotifierWatcher"
SIZES = (16, 22, 24, 32, 48)
"""Pixels; the panel takes the one that fits best."""
ANSWER_TIME = 5.0
"""Seconds the session bus gets to answer."""
RESTART_TIME = 3.0
"""Seconds a panel may be away before one of another kind is looked for; Xfce's takes one or two to restart."""

Pixmaps = Annotated[list[list[object]], DBusSignature("a(iiay)")]
ToolTip = Annotated[list[object], DBusSignature("(sa(iiay)ss)")]


class StatusNotifierPanel:
    """A panel that takes StatusNotifier items. Raises TrayUnavailable if there is none."""

    def __init__(self, choose: Choose) -> None:
        self._runner = asyncio.Runner()
        self._menu = DBusMenu(choose)
        self._item = _Item(lambda: self._menu.choose_default())
        try:
            self._bus = self._runner.run(self._connect())
        except (OSError, EOFError, TimeoutError, AuthError, DBusError, InvalidAddressError) as error:
            self._runner.close()
            raise TrayUnavailable(
                _("The session bus cannot be reached ({error}).", error=type(error).__name__)
            ) from error
        except TrayUnavailable:
            self._runner.close()
            raise

    def run(self, ready: Callable[[], None]) -> None:
        """See Panel."""
        with self._runner:
            self._runner.run(self._serve(ready))

    def paint(self, status: Status) -> None:
        """See Panel."""
        pixmaps = [_pixmap(draw(status, size)) for size in SIZES]
        self._runner.get_loop().call_soon_threadsafe(self._item.paint, pixmaps)

    def write(self, title: str, menu: tuple[Entry, ...]) -> None:
        """See Panel."""
        loop = self._runner.get_loop()
        loop.call_soon_threadsafe(self._item.entitle, title)
        loop.call_soon_threadsafe(self._menu.write, menu)

    def close(self) -> None:
        """See Panel."""
        self._runner.get_loop().call_soon_threadsafe(self._bus.disconnect)

    async def _connect(self) -> MessageBus:
        async with asyncio.timeout(ANSWER_TIME):
            bus = await MessageBus(bus_address=_session_bus(), bus_type=BusType.SESSION).connect()
            if not await _has_owner(bus, WATCHER):
                bus.disconnect()
                raise TrayUnavailable(_("No panel shows StatusNotifier icons."))
            return bus

    async def _serve(self, ready: Callable[[], None]) -> None:
        self._bus.export(ITEM_PATH, self._item)
        self._bus.export(MENU_PATH, self._menu)
        name = f"org.kde.StatusNotifierItem-{os.getpid()}-1"
        await self._bus.request_name(name)

        def register() -> None:
            self._bus.send(_call(WATCHER, "/StatusNotifierWatcher", WATCHER, "RegisterStatusNotifierItem", name))

        leaving: list[asyncio.TimerHandle] = []

        def on_message(message: Message) -> None:
            if message.member != "NameOwnerChanged" or message.body[0] != WATCHER:
                return
            while leaving:
                leaving.pop().cancel()
            if message.body[2]:
                register()  # a panel that restarts has forgotten its icons
            else:
                leaving.append(asyncio.get_running_loop().call_later(RESTART_TIME, self._bus.disconnect))

        self._bus.add_message_handler(on_message)
        rule = f"type='signal',sender='{_BUS}',member='NameOwnerChanged',arg0='{WATCHER}'"
        await self._bus.call(_call(_BUS, _BUS_PATH, _BUS, "AddMatch", rule))
        await asyncio.to_thread(ready)
        register()
        await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


class _Item(ServiceInterface):
    """The icon as the bus sees it."""

    def __init__(self, activate: Callable[[], None]) -> None:
        super().__init__("org.kde.StatusNotifierItem")
        self._activate = activate
        self._pixmaps: list[list[object]] = []
        self._title = APP_NAME

    def paint(self, pixmaps: list[list[object]]) -> None:
        """Show these pictures: width, height and ARGB bytes of each."""
        self._pixmaps = pixmaps
        self.NewIcon()

    def entitle(self, title: str) -> None:
        """Show this tool tip."""
        if title != self._title:
            self._title = title
            self.NewToolTip()

    @dbus_property(PropertyAccess.READ)
    def Category(self) -> DBusStr:  # noqa: N802
        return "ApplicationStatus"

    @dbus_property(PropertyAccess.READ)
    def Id(self) -> DBusStr:  # noqa: N802
        return APP_ID

    @dbus_property(PropertyAccess.READ)
    def Title(self) -> DBusStr:  # noqa: N802
        return APP_NAME

    @dbus_property(PropertyAccess.READ)
    def Status(self) -> DBusStr:  # noqa: N802
        return "Active"

    @dbus_property(PropertyAccess.READ)
    def WindowId(self) -> DBusInt32:  # noqa: N802
        return 0

    @dbus_property(PropertyAccess.READ)
    def IconName(self) -> DBusStr:  # noqa: N802
        return ""

    @dbus_property(PropertyAccess.READ)
    def IconPixmap(self) -> Pixmaps:  # noqa: N802
        return self._pixmaps

    @dbus_property(PropertyAccess.READ)
    def ToolTip(self) -> ToolTip:  # noqa: N802
        return ["", [], self._title, ""]

    @dbus_property(PropertyAccess.READ)
    def ItemIsMenu(self) -> DBusBool:  # noqa: N802
        return False

    @dbus_property(PropertyAccess.READ)
    def Menu(self) -> DBusObjectPath:  # noqa: N802
        return MENU_PATH

    @dbus_method()
    def Activate(self, _x: DBusInt32, _y: DBusInt32) -> None:  # noqa: N802
        self._activate()

    @dbus_signal()
    def NewIcon(self) -> None:  # noqa: N802
        """Tells the panel to fetch the icon again."""

    @dbus_signal()
    def NewToolTip(self) -> None:  # noqa: N802
        """Tells the panel to fetch the tool tip again."""


_BUS = "org.freedesktop.DBus"
_BUS_PATH = "/org/freedesktop/DBus"


def _session_bus() -> str:
    """The address of the session bus: as the session says, else where systemd puts it."""
    address = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
    if address:
        return address
    usual = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nowhere") / "bus"
    if not usual.exists():
        raise TrayUnavailable(_("There is no session bus here."))
    return f"unix:path={usual}"


async def _has_owner(bus: MessageBus, name: str) -> bool:
    reply = await bus.call(_call(_BUS, _BUS_PATH, _BUS, "NameHasOwner", name))
    return reply is not None and reply.message_type is MessageType.METHOD_RETURN and bool(reply.body[0])


def _call(destination: str, path: str, interface: str, member: str, argument: str) -> Message:
    return Message(
        destination=destination, path=path, interface=interface, member=member, signature="s", body=[argument]
    )


def _pixmap(icon: Image.Image) -> list[object]:
    red, green, blue, alpha = icon.split()
    return [icon.width, icon.height, Image.merge("RGBA", (alpha, red, green, blue)).tobytes()]
