"""Named destinations (ISO 32000-1, 12.3.2.3): made explicit where they are used, and kept under free names."""

from __future__ import annotations

from pikepdf import Array, Dictionary, Name, NameTree, Object, Pdf, String


class Destinations:
    """The named destinations of one source document."""

    def __init__(self, source: Pdf) -> None:
        self._by_name: dict[str, Object] = {}
        old = source.Root.get(Name.Dests)
        if isinstance(old, Dictionary):
            for key in list(old.keys()):
                self._by_name[key.removeprefix("/")] = old[key]
        names = source.Root.get(Name.Names)
        tree = names.get(Name.Dests) if isinstance(names, Dictionary) else None
        if isinstance(tree, Dictionary):
            self._by_name.update({str(name): value for name, value in NameTree(tree).items()})
        self._source = source

    def explicit(self, destination: Object | None) -> Object | None:
        """The array that a destination stands for; None when its name is unknown."""
        if isinstance(destination, String | Name):
            destination = self._by_name.get(str(destination).removeprefix("/"))
        if isinstance(destination, Dictionary):
            destination = destination.get(Name.D)
        return destination if isinstance(destination, Array) and len(destination) > 0 else None

    def make_explicit(self, owner: Object) -> None:
        """Replace the named destination of an annotation or outline item by the array it stands for."""
        if Name.Dest in owner:
            found = self.explicit(owner.Dest)
            if found is not None:
                owner.Dest = found
        action = owner.get(Name.A)
        if isinstance(action, Dictionary) and action.get(Name.S) == Name.GoTo:
            found = self.explicit(action.get(Name.D))
            if found is not None:
                action.D = found

    def copy_names(self, target: Pdf) -> None:
        """Give the target these names as well; one that is taken gets a number."""
        if not self._by_name:
            return
        if Name.Names not in target.Root:
            target.Root.Names = target.make_indirect(Dictionary())
        if Name.Dests not in target.Root.Names:
            target.Root.Names.Dests = NameTree.new(target).obj
        tree = NameTree(target.Root.Names.Dests)
        for name, value in self._by_name.items():
            found = self.explicit(value)
            if found is None:
                continue
            copy = target.copy_foreign(self._source.make_indirect(found))
            if not isinstance(copy[0], Dictionary) or copy[0].get(Name.Type) != Name.Page:
                continue  # its page was not taken
            free, number = name, 2
            while free in tree:
                free = f"{name}-{number}"
                number += 1
            tree[free] = copy


def page_of(owner: Object) -> Object | None:
    """The page object that an annotation or outline item with an explicit destination leads to; None without one."""
    destination = owner.get(Name.Dest)
    action = owner.get(Name.A)
    if destination is None and isinstance(action, Dictionary) and action.get(Name.S) == Name.GoTo:
        destination = action.get(Name.D)
    if isinstance(destination, Array) and len(destination) > 0 and isinstance(destination[0], Dictionary):
        return destination[0]
    return None


def page_numbers(pdf: Pdf) -> dict[tuple[int, int], int]:
    """Index of each page by its object's number and generation."""
    return {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
