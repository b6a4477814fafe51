"""Tags for the text that is laid in: the structure tree of ISO 32000-1, 14.7, in reading order."""

from __future__ import annotations

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from paperchute.engine.pdf.textlayer.records import Passage


class Structure:
    """The structure tree of a document whose pages' text is all laid in here."""

    def __init__(self, pdf: Pdf, language: str) -> None:
        self._pdf = pdf
        self._root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        self._top = self._element("Document", self._root)
        if language:
            self._top.Lang = String(language)
        self._parents: list[Object] = []
        self._page: Object | None = None
        self._marked: list[Object] = []
        self._open: list[tuple[tuple[str, int], Object]] = []

    def open_page(self, page: Object) -> None:
        """The passages that follow stand on this page."""
        self._close_page()
        self._page = page
        self._open = []
        page.StructParents = len(self._parents)
        page.Tabs = Name.S

    def enter(self, passage: Passage) -> int:
        """A passage under its elements; the number that marks its content on the page."""
        shared = 0
        while shared < min(len(self._open), len(passage.path)) and self._open[shared][0] == passage.path[shared]:
            shared += 1
        del self._open[shared:]
        for step in passage.path[shared:]:
            self._open.append((step, self._element(step[0], self._open[-1][1] if self._open else self._top)))
        element = self._element(passage.tag, self._open[-1][1] if self._open else self._top)
        element.Pg = self._page
        element.K = len(self._marked)
        self._marked.append(element)
        return len(self._marked) - 1

    def finish(self) -> None:
        """Enter the tree into the document."""
        self._close_page()
        numbers: list[object] = []
        for key, found in enumerate(self._parents):
            numbers += [key, found]
        self._root.ParentTree = self._pdf.make_indirect(Dictionary(Nums=Array(numbers)))
        self._root.ParentTreeNextKey = len(self._parents)
        self._pdf.Root.StructTreeRoot = self._root
        self._pdf.Root.MarkInfo = Dictionary(Marked=True)

    def _close_page(self) -> None:
        if self._page is not None:
            self._parents.append(self._pdf.make_indirect(Array(self._marked)))
        self._page, self._marked = None, []

    def _element(self, kind: str, parent: Object) -> Object:
        element = self._pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name("/" + kind), P=parent))
        kids = parent.get(Name.K)
        if isinstance(kids, Array):
            kids.append(element)
        else:
            parent.K = Array([element])
        return element
