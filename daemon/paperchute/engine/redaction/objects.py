"""What a document says outside of its pages: notes, fields, titles, properties, tags, links and what hangs on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pikepdf
from lxml import etree
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.pdf.trees import fields_of, read_names, tree, write_names
from paperchute.engine.redaction.asides import clean_asides
from paperchute.engine.redaction.drawn import drop_parts
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.written import readings

BAR = "***"
"""What stands in a text where something was taken out."""

_UNREAD_KINDS = ("/FileAttachment", "/Sound", "/Movie", "/Screen", "/RichMedia", "/3D")
"""Annotations that carry data which nobody here can search."""
_CARRIED = (
    "/PieceInfo",
    "/Thumb",
    "/Alternates",
    "/OPI",
    "/AF",
    "/EF",
    "/SpiderInfo",
    "/Collection",
    "/Measure",
)
"""Data of programs, small pictures of pages, other versions of pictures and files: nothing a page is shown by."""
_CARRIED_NAMES = ("/EmbeddedFiles", "/IDS", "/URLS", "/AlternatePresentations", "/Renditions", "/Templates")
_NO_TEXT = ("/ID", "/DA", "/Registry", "/Ordering", "/Panose", "/Cert", "/ByteRange", "/CharSet", "/FontFamily")
_DATE = re.compile(r"D:\d{4}[\d+\-Z']*")
_IN_STREAMS = ("/V", "/DV", "/RC", "/JS", "/RV")
_NAMING = ("/IRT", "/Popup")
"""By which annotations name one another."""
_BARE = ("/Type", "/Subtype", "/Rect")
"""What stays of an annotation that went, where anything else names it."""
_WHOLE = ("/URI", "/JS", "/RC", "/RV")
"""Texts with a grammar, which go whole."""
_PLACES = ("/Dest", "/D")
"""By which links name where they lead to."""
_STATES = ("/N", "/D", "/R")
_ICONS = ("/I", "/RI", "/IX")
_MOST_SAID = 4 << 20  # bytes of a text that is a stream


@dataclass
class Objects:
    """Looks through one open document. places: how often something was taken out of what it says.

    files: how many attached files and things that nobody can search were taken out.
    """

    pdf: Pdf
    finder: Finder
    places: int = 0
    files: int = 0
    _renamed: dict[bytes, bytes] = field(default_factory=dict)

    # ---------- before the pages ----------

    def take_out_carried(self) -> None:
        """Take out what nobody can search, and what no page is shown by."""
        names = self.pdf.Root.get(Name.Names)
        if isinstance(names, Dictionary):
            self.files += len(read_names(names.get(Name.EmbeddedFiles)))
            for key in _CARRIED_NAMES:
                if key in names:
                    del names[key]
        gone: list[Object] = []
        for page in self.pdf.pages:
            notes = notes_of(page.obj)
            kept = [note for note in notes if str(note.get(Name.Subtype, "")) not in _UNREAD_KINDS]
            self.files += len(notes) - len(kept)
            if len(kept) < len(notes):
                page.obj.Annots = Array(kept)
                gone += (note for note in notes if str(note.get(Name.Subtype, "")) in _UNREAD_KINDS)
        self._forget(gone)
        for item in self._all():
            for owner in _parts(item):
                if isinstance(owner, Array):
                    continue
                for key in _CARRIED:
                    if key in owner:
                        del owner[key]
                if Name.Metadata in owner and owner.objgen != self.pdf.Root.objgen:
                    del owner.Metadata

    def clear_annotations(self, appearances: set[tuple[int, int]], is_hit: Callable[[int, Object], bool]) -> int:
        """Take out annotations that show what is looked for, and how fields look that hold it.

        Args:
            appearances: The forms of appearances in which it was found.
            is_hit: Whether an annotation of a page (0-based) lies where all is to go.

        Returns:
            How many annotations and fields it was found in by that.
        """
        found = 0
        gone: list[Object] = []
        for index, page in enumerate(self.pdf.pages):
            kept: list[Object] = []
            for note in notes_of(page.obj):
                shown = any(form.objgen in appearances for form in appearances_of(note))
                covered = is_hit(index, note)
                said = any(self._has(text) for text in _texts_of(note))
                is_field = note.get(Name.Subtype) == Name.Widget
                found += (shown or covered) + _forget_icons(note, appearances)
                if covered and is_field:
                    _empty(note)
                if (shown or said or covered) and is_field:
                    self._forget_looks(note, even_of_buttons=shown or covered)
                elif (said or shown) and Name.AP in note:
                    del note.AP
                (kept if is_field or not (covered or (shown and not said)) else gone).append(note)
            if len(kept) < len(notes_of(page.obj)):
                page.obj.Annots = Array(kept)
        self._forget(gone)
        return found

    def _forget(self, gone: list[Object]) -> None:
        """Leave nothing of annotations that went, whose windows, answers and tags still name them (12.5.6.2)."""
        left = {note.objgen for page in self.pdf.pages for note in notes_of(page.obj)}
        gone = [note for note in gone if note.is_indirect and note.objgen not in left]
        numbers = {note.objgen for note in gone}
        if not numbers:
            return

        def is_gone(value: object) -> bool:
            return isinstance(value, Dictionary) and value.is_indirect and value.objgen in numbers

        for page in self.pdf.pages:
            kept = [note for note in notes_of(page.obj) if not is_gone(_window_of(note))]
            if len(kept) < len(notes_of(page.obj)):
                page.obj.Annots = Array(kept)
        for owner in (owner for item in self._all() for owner in _parts(item) if not isinstance(owner, Array)):
            for key in _NAMING:
                if is_gone(owner.get(key)):
                    del owner[key]
        drop_parts(self.pdf, Name.Obj, is_gone)
        for note in gone:
            for key in [key for key in list(note.keys()) if key not in _BARE]:
                del note[key]

    def _forget_looks(self, note: Object, *, even_of_buttons: bool) -> None:
        """Have a field drawn anew from its value by whoever shows it; of a button nothing says how it looked."""
        is_button = _kind_of_field(note) == "/Btn"
        if Name.AP in note and (even_of_buttons or not is_button):
            del note.AP
        if not is_button:
            self.pdf.Root.AcroForm.NeedAppearances = True

    # ---------- what is said ----------

    def clean(self) -> None:
        """Take what is looked for out of all texts of the document."""
        self._rename_targets()
        self._rename_states()
        for item in [*self._all(), self.pdf.trailer]:
            self._clean(item)
        self._clean_metadata()
        self.places += clean_asides(self.pdf, self.finder)
        if Name.ID in self.pdf.trailer:  # it tells which file this was; the result gets one of its own
            del self.pdf.trailer.ID

    def clean_text(self, text: str) -> str:
        """Give a text without what is looked for."""
        found = self.finder.find(text)
        for start, end in reversed(found):
            text = text[:start] + BAR + text[end:]
        return text

    def left(self) -> int:
        """Count the texts that still have any of it."""
        count = 0
        for item in [*self._all(), self.pdf.trailer]:
            for owner in _parts(item):
                for key, value in _entries(owner):
                    if isinstance(value, String):
                        count += self._is_hit(key, value)
                    elif isinstance(value, Stream) and key in _IN_STREAMS:
                        count += self._is_said(key, _said_by(value))
        metadata = self.pdf.Root.get(Name.Metadata)
        if isinstance(metadata, Stream):
            data = metadata.read_bytes()
            count += any(self.finder.has(re.sub(r"<[^>]*>", mark, _decoded(data))) for mark in ("", " ", "\n"))
        return count

    def _all(self) -> Iterator[Object]:
        for item in self.pdf.objects:
            if isinstance(item, Dictionary | Stream | Array):
                yield item

    def _clean(self, item: Object) -> None:
        for owner in _parts(item):
            for key, value in _entries(owner):
                if isinstance(value, Stream) and key in _IN_STREAMS:
                    if self._is_said(key, _said_by(value)):
                        self.places += 1
                        cleaned = self.clean_text(_said_by(value))
                        value.write(b"" if self._is_said(key, cleaned) else cleaned.encode("utf-16"))
                elif isinstance(value, Name) and key in _PLACES and self._has(str(value)[1:]):
                    self.places += 1
                    _set(owner, key, String(BAR))  # whoever goes there goes nowhere
                elif isinstance(value, String) and bytes(value) in self._renamed:
                    _set(owner, key, String(self._renamed[bytes(value)]))
                elif isinstance(value, String) and self._is_hit(key, value):
                    self.places += 1
                    cleaned = self.clean_text(str(value))
                    if key in _WHOLE or self._is_hit(key, String(cleaned)) or cleaned == str(value):
                        cleaned = "" if key in _WHOLE else BAR
                    _set(owner, key, String(cleaned))

    def _is_hit(self, key: object, value: String) -> bool:
        if key in _NO_TEXT or _DATE.fullmatch(str(value)):
            return False
        return any(self._is_said(key, text) for text in _spellings(bytes(value), str(value)))

    def _is_said(self, key: object, text: str) -> bool:
        return any(map(self._has, readings(key, text)))

    def _has(self, text: str) -> bool:
        return bool(text) and self.finder.has(text)

    def _clean_metadata(self) -> None:
        """The properties as XMP (ISO 16684-1); a packet that cannot be read goes whole."""
        packet = self.pdf.Root.get(Name.Metadata)
        if not isinstance(packet, Stream):
            return
        try:
            data = packet.read_bytes()
            parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, huge_tree=False)
            root = etree.fromstring(data.strip(b"\0 \r\n\t"), parser)
        except (*FAULTS, etree.XMLSyntaxError):
            del self.pdf.Root.Metadata
            self.places += 1
            return
        before = self.places
        for element in root.iter():
            for name, text in [*element.attrib.items()]:
                element.attrib[name] = self._cleaned(str(text))
            element.text = self._cleaned(str(element.text)) if element.text else element.text
            element.tail = self._cleaned(str(element.tail)) if element.tail else element.tail
        if any(self.finder.has(mark.join(map(str, root.itertext()))) for mark in ("", " ", "\n")):
            del self.pdf.Root.Metadata
            self.places += 1
        elif self.places > before or b"<!--" in data:
            packet.write(
                b'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
                + etree.tostring(root)
                + b'\n<?xpacket end="w"?>'
            )

    def _cleaned(self, text: str) -> str:
        cleaned = self.clean_text(text)
        self.places += cleaned != text
        return cleaned

    # ---------- names that things go by ----------

    def _rename_targets(self) -> None:
        """Named destinations keep working under other names."""
        names = self.pdf.Root.get(Name.Names)
        entries = read_names(names.get(Name.Dests)) if isinstance(names, Dictionary) else {}
        for key in entries:
            if any(self._has(text) for text in _spellings(key, str(String(key)))):
                self._renamed[key] = b"redacted-%d" % (len(self._renamed) + 1)
        if self._renamed:
            assert isinstance(names, Dictionary)
            self.places += len(self._renamed)
            names.Dests = write_names(self.pdf, {self._renamed.get(key, key): entries[key] for key in entries})
        old = self.pdf.Root.get(Name.Dests)
        if isinstance(old, Dictionary):
            for name in [name for name in list(old.keys()) if self._has(name[1:])]:
                del old[name]  # whoever goes there goes nowhere
                self.places += 1

    def _rename_states(self) -> None:
        """Boxes and buttons are on under another name."""
        new: dict[str, str] = {}
        for note in fields_of(self.pdf.Root.get(Name.AcroForm)):
            for shown in (note.get(Name.AP, Dictionary()).get(Name(key)) for key in _STATES):
                if not isinstance(shown, Dictionary):
                    continue
                for key in [key for key in list(shown.keys()) if self._has(key[1:])]:
                    shown[new.setdefault(key, f"/Redacted{len(new) + 1}")] = shown[key]
                    del shown[key]
        if not new:
            return
        self.places += len(new)
        for note in fields_of(self.pdf.Root.get(Name.AcroForm)):
            for key in ("/AS", "/V", "/DV"):
                if isinstance(note.get(key), Name) and str(note[key]) in new:
                    note[key] = Name(new[str(note[key])])


def appearances_of(note: Object) -> Iterator[Stream]:
    """All forms by which an annotation may be shown (12.5.5)."""
    looks = note.get(Name.AP)
    for key in _STATES:
        shown = looks.get(key) if isinstance(looks, Dictionary) else None
        if isinstance(shown, Stream):
            yield shown
        elif isinstance(shown, Dictionary):
            yield from (form for _state, form in shown.items() if isinstance(form, Stream))


def _forget_icons(note: Object, appearances: set[tuple[int, int]]) -> int:
    """Take out the icons of a button (12.5.6.19) that are among these forms; how many."""
    known = note.get(Name.MK)
    if not isinstance(known, Dictionary):
        return 0
    gone = [key for key in _ICONS if isinstance(known.get(key), Stream) and known[key].objgen in appearances]
    for key in gone:
        del known[key]
    return len(gone)


def _window_of(note: Object) -> Object | None:
    """The annotation whose text a window shows."""
    return note.get(Name.Parent) if note.get(Name.Subtype) == Name.Popup else None


def notes_of(page: Object) -> list[Object]:
    """Give the annotations of a page."""
    notes = page.get(Name.Annots)
    return [note for note in notes if isinstance(note, Dictionary)] if isinstance(notes, Array) else []


def _with_parents(note: Object) -> Iterator[Object]:
    yield from tree([note], Name("/None"))
    parent = note.get(Name.Parent)
    for _ in range(32):
        if not isinstance(parent, Dictionary):
            return
        yield parent
        parent = parent.get(Name.Parent)


def _texts_of(note: Object) -> Iterator[str]:
    """Yield what an annotation or field says, and the fields it is part of."""
    for owner in _with_parents(note):
        for part in _parts_but_looks(owner):
            for key, value in _entries(part):
                if isinstance(value, String):
                    for text in _spellings(bytes(value), str(value)):
                        yield from readings(key, text)


def _parts_but_looks(owner: Object) -> Iterator[Object]:
    yield owner
    for key in ("/MK", "/Opt", "/V", "/DV", "/A"):
        value = owner.get(key)
        if isinstance(value, Dictionary | Array):
            yield value


def _empty(note: Object) -> None:
    for owner in _with_parents(note):
        for key in ("/V", "/DV", "/RV", "/MK"):
            if key in owner:
                del owner[key]


def _kind_of_field(note: Object) -> str:
    return next((str(owner.FT) for owner in _with_parents(note) if Name.FT in owner), "")


def _parts(item: Object) -> Iterator[Object]:
    """An object with all that belongs to it alone."""
    stack = [item]
    while stack:
        owner = stack.pop()
        if isinstance(owner, Array) and len(owner) and owner[0] == Name.Indexed:  # a palette is no text
            continue
        yield owner
        stack += [
            value
            for key, value in _entries(owner)
            if isinstance(value, Dictionary | Array) and not value.is_indirect and key not in _NO_TEXT
        ]


def _entries(owner: Object) -> list[tuple[str | int, object]]:
    with suppress(*FAULTS):
        if isinstance(owner, Array):
            return list(enumerate(owner))
        return [(key, owner[key]) for key in list(owner.keys())]
    return []


def _set(owner: Object, key: str | int, value: String) -> None:
    owner[key] = value


def _spellings(raw: bytes, text: str) -> Iterator[str]:
    """A string as readers may take it: by ISO 32000-1, 7.9.2.2, and by other encodings that programs write."""
    yield text
    for encoding in ("utf-8", "latin-1", "utf-16-be", "utf-16-le"):
        with suppress(UnicodeDecodeError):
            if (other := raw.decode(encoding)) != text:
                yield other


def _said_by(stream: Stream) -> str:
    with suppress(*FAULTS):
        return _decoded(stream.read_bytes()[:_MOST_SAID])
    return ""


def _decoded(data: bytes) -> str:
    with suppress(ValueError):
        return str(pikepdf.String(data)) if data[:2] in (b"\xfe\xff", b"\xff\xfe") else data.decode("utf-8")
    return data.decode("latin-1")
