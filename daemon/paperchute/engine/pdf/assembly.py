"""One PDF out of pages of several, with all that belongs to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loguru import logger
from pikepdf import Array, Dictionary, Name, Object, ObjectStreamMode, Page, Pdf, Stream, String

from paperchute.engine import report
from paperchute.engine.pdf import catalog, signatures
from paperchute.engine.pdf.catalog import Label, add_associated, add_files, append_layers
from paperchute.engine.pdf.forms import Form, only_on, with_orphans
from paperchute.engine.pdf.navigation import (
    Names,
    Place,
    is_alive,
    joined_outline,
    old_names,
    outline_items,
    places_of,
    prune_outline,
    target_of,
)
from paperchute.engine.pdf.sanitize import defuse, say_losses
from paperchute.engine.pdf.tags import Tags
from paperchute.engine.pdf.trees import entry, fields_of, read_names, write_names
from paperchute.language import _

_MARK = Name("/PaperchutePage")
_INHERITED = (Name.Resources, Name.MediaBox, Name.CropBox, Name.Rotate)
_MOST_DEPTH = 64
_LETTER = (0, 0, 612, 792)  # what readers take for a page without a size
_JOINED = ("/Outlines", "/AcroForm", "/Names", "/Dests", "/OCProperties", "/StructTreeRoot", "/Threads", "/AF")
"""Parts of the catalog that are joined. The rest is the first source's."""
_LEFT_OUT = ("/Type", "/Pages", "/PageLabels", "/Perms", "/DSS", "/Collection", "/NeedsRendering", "/Version")
_NAMED = ("/Renditions", "/AP")


@dataclass(frozen=True)
class Taken:
    """Pages of one source, in the joined document. labels: one a page, None where the source has none."""

    pages: list[Object]
    labels: list[Label] | None

    @property
    def shown(self) -> list[Label]:
        """What a reader shows as the number of each page."""
        return self.labels or catalog.plain(len(self.pages))


class Joiner:
    """The document being made. Its sources must stay open until it is saved; another may take pages of them again."""

    def __init__(self) -> None:
        self.pdf = Pdf.new()
        self._sources = 0
        self._names = Names()
        self._files: dict[bytes, Object] = {}
        self._tags = Tags(self.pdf)
        self._form = Form(self.pdf)
        self._outlines: list[Object] = []
        self._own_claims: dict[str, str] = {}
        self._claims: dict[str, str] = {}
        self._version = ("1.3", 0)
        self._packed = False
        self._labelled = False

    def take(self, source: Pdf, indices: Sequence[int], name: str) -> Taken:
        """Bring pages of `source` (0-based, in this order, repeats allowed) and what belongs to them over.

        The first source gives what a document has once, such as its title and its view when opened. name: what its
        sender calls it, for what is said of it.
        """
        say_losses(source, name)
        found = catalog.read(source)
        self._note(source)
        pages, holder = self._copied(source, indices)
        by_index = [pages.get(index) for index in range(len(source.pages))]
        self._take_catalog(holder, list(pages.values()), by_index, name)
        self._take_metadata(source, holder, pages[indices[0]])
        seen: set[int] = set()
        result = []
        for index in indices:
            result.append(self._again(pages[index]) if index in seen else pages[index])
            seen.add(index)
        self._sources += 1
        self._labelled |= found is not None
        return Taken(result, [found[index] for index in indices] if found else None)

    def blank(self, width: float, height: float) -> Object:
        """An empty page, sizes in points."""
        page = Dictionary(Type=Name.Page, MediaBox=[0, 0, width, height], Resources=Dictionary())
        return self.pdf.make_indirect(page)

    def save(self, path: Path, pages: Sequence[Object], shown: Sequence[Label]) -> None:
        """Write the document with these pages. shown: their labels, of account only where a source had some.

        Raises OSError, pikepdf.PdfError.
        """
        report.handles(len(pages))
        node = self.pdf.Root.Pages
        for page in pages:
            page.Parent = node
        node.Kids, node.Count = Array(list(pages)), len(pages)
        if self._labelled:
            catalog.write(self.pdf, list(shown))
        self._write_names()
        self._form.finish()
        self._tags.finish()
        if self._outlines:
            self.pdf.Root.Outlines = joined_outline(self._outlines)
        if self._claims:
            catalog.drop_claims(self.pdf, self._claims)
        defuse(self.pdf)
        mode = ObjectStreamMode.generate if self._packed else ObjectStreamMode.disable
        if not isinstance(entry(self.pdf.Root, "/Metadata"), Stream | None):
            del self.pdf.Root.Metadata
        self.pdf.save(path, min_version=self._version, object_stream_mode=mode, fix_metadata_version=False)

    # ---------- one source ----------

    def _note(self, source: Pdf) -> None:
        for warning in source.get_warnings():
            logger.info("repaired: {}", warning)
        declared = str(entry(source.Root, "/Version") or "/")[1:]
        self._version = max(self._version, (source.pdf_version, source.extension_level), (declared, 0))
        self._packed |= entry(source.trailer, "/Type") == Name.XRef
        claims = catalog.claims_of(source)
        if self._sources == 0:
            self._own_claims = claims
        elif claims != self._own_claims:
            self._claims = self._own_claims

    def _copied(self, source: Pdf, indices: Sequence[int]) -> tuple[dict[int, Object], Object]:
        """The pages, each once, by their index in the source; and the catalog's parts that come along."""
        every = [page.obj for page in source.pages]
        chosen = {index: every[index] for index in dict.fromkeys(indices)}
        partial = len(chosen) < len(every)
        articles = {index: page.B for index, page in chosen.items() if partial and "/B" in page}
        for index, page in chosen.items():
            _make_whole(page)
            page.Type = _MARK
            if index in articles:
                del page.B  # articles run through pages that are left out
        root = source.Root
        holder = Dictionary()
        wanted = (
            [key for key in list(root.keys()) if key not in _LEFT_OUT]
            if self._sources == 0
            else [*_JOINED, "/Metadata"]
        )
        for key in [*wanted, "/Lang"]:
            if key in root and not (partial and key == "/Threads"):
                holder[key] = root[key]
        holder.Taken = Array(list(chosen.values()))
        copy = self.pdf.copy_foreign(source.make_indirect(holder))
        for index, page in chosen.items():
            page.Type = Name.Page
            if index in articles:
                page.B = articles[index]
        pages = dict(zip(chosen, copy.Taken, strict=True))
        for taken in pages.values():
            taken.Type = Name.Page
            if partial:
                _drop_unused(taken)
        del copy.Taken
        return pages, copy

    def _take_catalog(self, holder: Object, pages: list[Object], by_index: list[Object | None], name: str) -> None:
        """Take what belongs to the document; by_index: each page of the source, None for one that is not taken."""
        root = self.pdf.Root
        partial = None in by_index
        if self._sources == 0:
            for key in list(holder.keys()):
                if key not in _JOINED:
                    root[key] = holder[key]
        outline = entry(holder, "/Outlines")
        outline = outline if isinstance(outline, Dictionary) and "/First" in outline else None
        form = with_orphans(self.pdf, entry(holder, "/AcroForm"), _notes(pages))
        owners = [*_notes(pages), *outline_items(outline), *fields_of(form), *pages]
        self._take_names(holder, [root, *owners] if self._sources == 0 else owners, by_index)
        if partial:
            _drop_dead_links(pages)
            if self._sources == 0:
                _drop_dead_opening(root)
        if outline is not None:
            self._take_outline(outline, partial)
        if form is not None:
            if partial:
                for field in only_on(form, _notes(pages)):
                    report.warn(
                        _(
                            "{name}: the field {field} is computed of fields on pages that are left out. It keeps its "
                            "value, and is computed no more.",
                            name=name,
                            field=field,
                        ),
                    )
            signatures.retire(form, pages)
            self._form.add(form)
        layers = entry(holder, "/OCProperties")
        if isinstance(layers, Dictionary):
            append_layers(self.pdf, layers)
        language = str(entry(holder, "/Lang") or "")
        language = "" if language == str(entry(root, "/Lang") or "") else language
        self._tags.add(entry(holder, "/StructTreeRoot"), pages, partial=partial, language=language)
        threads = entry(holder, "/Threads")
        if isinstance(threads, Array):
            root.Threads = Array([*root.get(Name.Threads, Array()), *threads])
        add_associated(self.pdf, entry(holder, "/AF"))

    def _take_outline(self, outline: Object, partial: bool) -> None:
        if not outline.is_indirect:
            outline = self.pdf.make_indirect(outline)
        if partial:
            prune_outline(outline)
            if Name.First not in outline:
                return
        self._outlines.append(outline)

    def _take_names(self, holder: Object, owners: Iterable[Object], by_index: list[Object | None]) -> None:
        names = entry(holder, "/Names")
        names = names if isinstance(names, Dictionary) else Dictionary()
        self._names.add(
            read_names(entry(names, "/Dests")), old_names(entry(holder, "/Dests")), _places(owners), by_index
        )
        add_files(self._files, read_names(entry(names, "/EmbeddedFiles")))
        if self._sources == 0:
            self.pdf.Root.Names = names
            return
        for key in _NAMED:
            theirs = read_names(names.get(key))
            if theirs:
                own = read_names(self.pdf.Root.Names.get(key))
                self.pdf.Root.Names[key] = write_names(self.pdf, {**theirs, **own})

    def _take_metadata(self, source: Pdf, holder: Object, page: Object) -> None:
        if self._sources:
            catalog.keep_on_page(self.pdf, page, entry(holder, "/Metadata"), catalog.info_of(source))
        elif isinstance(entry(source.trailer, "/Info"), Dictionary):
            info = source.trailer.Info
            self.pdf.trailer.Info = self.pdf.copy_foreign(info if info.is_indirect else source.make_indirect(info))

    def _again(self, page: Object) -> Object:
        """A page that is taken a second time: a page of its own with annotations of its own, out of the structure."""
        copy = self._shallow(page)
        notes = []
        for note in _notes([page]):
            if note.get(Name.Subtype) == Name.Popup:
                continue
            own = self._shallow(note)
            own.P = copy
            notes.append(own)
            if note.get(Name.Subtype) == Name.Widget:
                self._form.add_copied_widget(own)
        if notes:
            copy.Annots = Array(notes)
        return copy

    def _shallow(self, item: Object) -> Object:
        left_out = ("/StructParents", "/StructParent", "/B", "/Popup", "/Annots")
        return self.pdf.make_indirect(Dictionary({k: item[k] for k in list(item.keys()) if k not in left_out}))

    def _write_names(self) -> None:
        root = self.pdf.Root
        for key, entries in ((Name.Dests, self._names.strings), (Name.EmbeddedFiles, self._files)):
            if entries:
                root.Names[key] = write_names(self.pdf, entries)
            elif key in root.Names:
                del root.Names[key]


def _make_whole(page: Object) -> None:
    """Give a page the attributes that it inherits (ISO 32000-1, 7.7.3.4), and take it out of its page tree."""
    for key in _INHERITED:
        node, depth = entry(page, "/Parent"), 0
        while key not in page and isinstance(node, Dictionary) and depth < _MOST_DEPTH:
            if key in node:
                page[key] = node[key]
            node, depth = entry(node, "/Parent"), depth + 1
    if "/MediaBox" not in page:
        page.MediaBox = Array(_LETTER)
    if "/Parent" in page:
        del page.Parent


def _drop_unused(page: Object) -> None:
    """Leave a page what it draws of pictures and forms, which many programs keep in one list for all pages.

    What is drawn without a list of its own draws from the page's, and is not looked through: then all stays.
    """
    resources = entry(page, "/Resources")
    if not isinstance(resources, Dictionary) or entry(resources, "/XObject") is None:
        return
    if all("/Resources" in one for one in _drawn_beside(page, resources)):
        Page(page).remove_unreferenced_resources()


def _drawn_beside(page: Object, resources: Object) -> Iterator[Object]:
    """What draws on a page besides its content: the appearances of its annotations, and fonts that are drawings."""
    fonts = entry(resources, "/Font")
    if isinstance(fonts, Dictionary):
        found = (entry(fonts, name) for name in list(fonts.keys()))
        yield from (font for font in found if isinstance(font, Dictionary) and entry(font, "/Subtype") == Name.Type3)
    for note in _notes([page]):
        shown = entry(note, "/AP")
        states = [entry(shown, key) for key in list(shown.keys())] if isinstance(shown, Dictionary) else []
        for state in states:
            several = [entry(state, key) for key in list(state.keys())] if isinstance(state, Dictionary) else [state]
            yield from (one for one in several if isinstance(one, Stream) and len(one.read_raw_bytes()) > 0)


def _notes(pages: Iterable[Object]) -> Iterator[Object]:
    for page in pages:
        notes = entry(page, "/Annots")
        if isinstance(notes, Array):
            yield from (note for note in notes if isinstance(note, Dictionary))


def _drop_dead_links(pages: list[Object]) -> None:
    for page in pages:
        notes = page.get(Name.Annots)
        if not isinstance(notes, Array):
            continue
        kept = [note for note in notes if not _is_dead(note)]
        if len(kept) < len(notes):
            page.Annots = Array(kept)


def _drop_dead_opening(root: Object) -> None:
    """Let a document whose opening leads to a page that is left out open as any other."""
    opening = entry(root, "/OpenAction")
    goes = isinstance(opening, Dictionary) and entry(opening, "/S") == Name.GoTo
    target = entry(opening, "/D") if isinstance(opening, Dictionary) and goes else opening
    if isinstance(target, Array | String) and not is_alive(target):
        del root.OpenAction


def _is_dead(note: object) -> bool:
    if not isinstance(note, Dictionary) or entry(note, "/Subtype") != Name.Link:
        return False
    target = target_of(note)
    return target is not None and not is_alive(target)


def _places(owners: Iterable[Object]) -> Iterator[Place]:
    """Every place of a source that holds a destination; of an owner that is shared, once."""
    seen: set[tuple[int, int]] = set()
    for owner in owners:
        if not (owner.is_indirect and owner.objgen in seen):
            seen.add(owner.objgen)
            yield from places_of(owner)
