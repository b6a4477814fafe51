"""The menu of a StatusNotifier icon: com.canonical.dbusmenu, version 3, as libdbusmenu's dbus-menu.xml has it."""

# No deferred annotations here: dbus-fast reads the signatures from them and misreads a deferred None.

import itertools
from typing import Annotated

from dbus_fast import DBusError, PropertyAccess, Variant
from dbus_fast.annotations import DBusBool, DBusInt32, DBusSignature, DBusStr, DBusUInt32, DBusVariant
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal

from paperchute.desktop.menu import SEPARATOR, Entry
from paperchute.desktop.panel import Choose

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
        if entry.children:
            properties["children-display"] = Variant("s", "submenu")
        elif not entry.command:
            properties["enabled"] = Variant("b", False)
        return properties

    def _require(self, number: int) -> None:
        if number not in self._children:
            raise DBusError("org.freedesktop.DBus.Error.InvalidArgs", f"The menu has no entry {number}.")
