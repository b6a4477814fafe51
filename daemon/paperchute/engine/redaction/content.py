"""What a page shows, glyph by glyph, and its content streams written anew without some of it (ISO 32000-1, 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pikepdf
from pikepdf import Array, ContentStreamInlineImage, Dictionary, Matrix, Name, Object, Operator, Pdf, Stream, String

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.redaction.drawings import Path, Pen, floats
from paperchute.engine.redaction.metrics import Metrics, is_drawn, metrics_of
from paperchute.engine.redaction.sight import Glyph, NotFollowed, Picture, Removal, Sight

_Instruction = tuple[list[Any], Any]

_DEEPEST = 12
_MOST_STEPS = 4_000_000
"""Instructions of a page and its forms: a bound on work."""
_BELOW, _ABOVE = -0.22, 0.78
"""Of the size: how far letters reach from their baseline."""
_SAID = ("/ActualText", "/Alt", "/E")
_SHOWS = frozenset({"Tj", "TJ", "'", '"'})


def sight_of(page: pikepdf.Page) -> Sight:
    """Follow a page's content. Raises NotFollowed."""
    walk = _Walk(None, Removal((), {}, str))
    walk.follow(page.obj, _resources(page), _State(Matrix()), 0)
    return walk.sight


def rewrite(pdf: Pdf, page: pikepdf.Page, removal: Removal) -> None:
    """Write a page's content, and the forms that it draws, without what is to go. Raises NotFollowed."""
    walk = _Walk(pdf, removal)
    reader = walk.follow(page.obj, _resources(page), _State(Matrix()), 0)
    page.obj.Contents = pdf.make_stream(reader.content)
    page.obj.Resources = reader.finish()


def _resources(page: pikepdf.Page) -> Object:
    try:
        found: Object = page.resources
    except FAULTS:
        found = Dictionary()
    return found


@dataclass(frozen=True, slots=True)
class _State:
    """The graphics state, as far as it says where things are shown."""

    matrix: Matrix
    font: Metrics | None = None
    drawn: bool = False
    size: float = 0.0
    character: float = 0.0
    word: float = 0.0
    scale: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    pen: Pen = field(default_factory=Pen)


class _Walk:
    """One way through a page's content; with a document to write to, a rewriting one."""

    def __init__(self, pdf: Pdf | None, removal: Removal) -> None:
        self.sight = Sight()
        self._pdf = pdf
        self._removal = removal
        self._steps = 0
        self._fonts: dict[tuple[int, int], Metrics | None] = {}
        self._made = 0
        self.changes = 0
        """How often something was left out or changed."""

    def follow(self, owner: Object, resources: Object, start: _State, depth: int) -> _Reader:
        """Follow one content stream; its reader has what takes its place."""
        if depth > _DEEPEST:
            raise NotFollowed
        try:
            instructions = pikepdf.parse_content_stream(pikepdf.Page(owner) if not isinstance(owner, Stream) else owner)
            reader = _Reader(self, resources, start, depth)
            for instruction in instructions:
                self._steps += 1
                if self._steps > _MOST_STEPS:
                    raise NotFollowed
                reader.take(instruction)
            return reader
        except (*FAULTS, ArithmeticError) as error:
            raise NotFollowed from error

    # ---------- what the readers of single streams ask ----------

    @property
    def writes(self) -> bool:
        return self._pdf is not None

    @property
    def pdf(self) -> Pdf:
        assert self._pdf is not None
        return self._pdf

    def font(self, font: Any) -> Metrics | None:
        if not isinstance(font, Dictionary) or not font.is_indirect:
            return metrics_of(font)
        if font.objgen not in self._fonts:
            self._fonts[font.objgen] = metrics_of(font)
        return self._fonts[font.objgen]

    def see(self, glyph: Glyph) -> bool:
        """Note a glyph; whether it goes."""
        self.sight.glyphs.append(glyph)
        goes = len(self.sight.glyphs) - 1 in self._removal.glyphs
        self.changes += goes
        return goes

    def see_picture(
        self, stream: Stream | None, matrix: Matrix, inline: ContentStreamInlineImage | None = None
    ) -> Stream | None:
        self.sight.pictures.append(Picture(stream, matrix, inline))
        fresh = self._removal.pictures.get(len(self.sight.pictures) - 1)
        self.changes += fresh is not None
        return fresh

    def clean(self, text: str) -> str:
        cleaned = self._removal.clean(text)
        self.changes += cleaned != text
        return cleaned

    def new_name(self) -> str:
        self._made += 1
        return f"/Redacted{self._made}"


class _Reader:
    """Reads one content stream."""

    def __init__(self, walk: _Walk, resources: Object, start: _State, depth: int) -> None:
        self._walk = walk
        self._resources = resources
        self._depth = depth
        self._state = start
        self._stack: list[_State] = []
        self._text: Matrix | None = Matrix()
        self._line: Matrix | None = Matrix()
        self._path = Path()
        self._open: list[int | None] = []
        self._fresh: dict[str, Stream] = {}
        self.drawn: set[str] = set()
        self.written: list[Any] = []

    @property
    def content(self) -> bytes:
        """The content that takes the place of what was read."""
        return pikepdf.unparse_content_stream(self.written)

    def finish(self) -> Object:
        """The resources, without the forms and pictures that are drawn no more."""
        found = Dictionary({key: self._resources[key] for key in list(self._resources.keys())})
        known = self._resources.get(Name.XObject)
        kept = {key: known[key] for key in list(known.keys()) if key in self.drawn} if known is not None else {}
        if kept or self._fresh:
            found.XObject = Dictionary(kept | self._fresh)
        elif Name.XObject in found:
            del found.XObject
        return found

    def take(self, instruction: Any) -> None:
        """Read one instruction, and write it again."""
        if isinstance(instruction, ContentStreamInlineImage):
            if self._walk.see_picture(None, self._state.matrix, instruction) is None:
                self.written.append(instruction)
            return
        operands, name = list(instruction.operands), str(instruction.operator)
        if name in _SHOWS:
            self._show(name, operands)
        elif name == "Do":
            self._draw(operands, instruction)
        elif name in ("BDC", "DP"):
            self._begin(name, operands, instruction)
        else:
            self.written.append(instruction)
            self._follow(name, operands)

    def _follow(self, name: str, operands: list[Any]) -> None:
        state = self._state
        match name:
            case "q":
                self._stack.append(state)
            case "Q":
                if self._stack:
                    self._state = self._stack.pop()
            case "cm":
                self._state = replace(state, matrix=Matrix(*floats(operands, 6)) @ state.matrix)
            case "gs":
                self._set(self._resource(Name.ExtGState, operands))
            case "BMC":
                self._open.append(None)
            case "EMC":
                if self._open:
                    self._open.pop()
            case "BT":
                self._text = self._line = Matrix()
            case "Tf":
                font = self._resource(Name.Font, operands[:1])
                self._state = replace(state, font=self._walk.font(font), drawn=is_drawn(font), size=float(operands[1]))
            case "Tc" | "Tw" | "TL" | "Ts":
                self._state = _spaced(state, name, float(operands[0]))
            case "Tz":
                self._state = replace(state, scale=float(operands[0]) / 100)
            case "Td" | "TD":
                x, y = floats(operands, 2)
                if name == "TD":
                    self._state = replace(state, leading=-y)
                self._move(x, y)
            case "Tm":
                self._text = self._line = Matrix(*floats(operands, 6))
            case "T*":
                self._move(0, -state.leading)
            case _:
                self._trace(name, operands)

    def _set(self, state: Any) -> None:
        """A font, a mask or a width of lines that a dictionary of the graphics state names (8.4.5)."""
        if isinstance(state, Dictionary):
            self._state = replace(self._state, pen=self._state.pen.set_by(state))
            if isinstance(state.get(Name.SMask), Dictionary):
                self._walk.sight.drawings.append(self._state.pen.masked())
        named = state.get(Name.Font) if isinstance(state, Dictionary) else None
        if isinstance(named, Array) and len(named) == 2:
            font = named[0]
            self._state = replace(
                self._state,
                font=self._walk.font(font),
                drawn=is_drawn(font),
                size=float(named[1]),
            )

    def _resource(self, kind: Name, operands: Sequence[Any]) -> Any:
        known = self._resources.get(kind)
        return known.get(operands[0]) if operands and isinstance(known, Dictionary) else None

    # ---------- text ----------

    def _move(self, x: float, y: float) -> None:
        if self._line is not None:
            self._line = Matrix(1, 0, 0, 1, x, y) @ self._line
        self._text = self._line

    def _show(self, name: str, operands: list[Any]) -> None:
        if name == '"' and len(operands) == 3:
            self._state = replace(self._state, word=float(operands[0]), character=float(operands[1]))
            self.written += [([operands[0]], Operator("Tw")), ([operands[1]], Operator("Tc"))]
        if name in ("'", '"'):
            self._move(0, -self._state.leading)
            self.written.append(([], Operator("T*")))
        shown = operands[-1] if operands else String("")
        items = list(shown) if isinstance(shown, Array) else [shown]
        kept: list[Any] = []
        gone = 0
        for item in items:
            if isinstance(item, String):
                gone += self._show_string(bytes(item), kept)
            else:
                self._advance(-float(item) / 1000 * self._state.size)
                _add(kept, -float(item))
        if not gone:
            self.written.append(([shown], Operator("TJ" if isinstance(shown, Array) else "Tj")))
            return
        self.written.append(([Array(_as_shown(kept))], Operator("TJ")))
        for place in self._open:
            if place is not None:
                self.written[place] = _without_said(*self.written[place])

    def _show_string(self, shown: bytes, kept: list[Any]) -> int:
        """Follow a string and put what stays of it into `kept`, and moves in thousandths of the size; how many go."""
        state, gone = self._state, 0
        if state.font is None or not state.size:
            self._walk.sight.astray += len(shown)
            self._text = None if shown else self._text
            kept.append(shown)
            return 0
        for code, advance in state.font.codes(shown):
            spacing = state.character + (state.word if code == b" " else 0.0)
            if advance is None or self._text is None:
                self._walk.sight.astray += 1
                self._text = None
                kept.append(code)
                continue
            if self._walk.see(self._glyph(self._text, advance * state.size)):
                gone += 1
                _add(kept, (advance + spacing / state.size) * 1000)
            else:
                kept.append(code)
            self._advance(advance * state.size + spacing)
        return gone

    def _advance(self, width: float) -> None:
        if self._text is not None:
            self._text = Matrix(1, 0, 0, 1, width * self._state.scale, 0) @ self._text

    def _glyph(self, text: Matrix, width: float) -> Glyph:
        state = self._state
        placed = Matrix(state.scale, 0, 0, 1, 0, state.rise) @ text @ state.matrix
        low, high = _BELOW * state.size, _ABOVE * state.size
        corners = tuple(placed.transform(p) for p in ((0, low), (width, low), (width, high), (0, high)))
        return Glyph(placed.transform((0, 0)), placed.transform((width, 0)), corners, state.drawn)  # type: ignore[arg-type]

    # ---------- marked content ----------

    def _begin(self, name: str, operands: list[Any], instruction: Any) -> None:
        """Properties may say in words what is shown (14.9)."""
        properties = operands[1] if len(operands) > 1 else None
        if isinstance(properties, Name):
            properties = self._resource(Name.Properties, [properties])
        said = isinstance(properties, Dictionary) and any(key in properties for key in _SAID)
        if said:
            assert isinstance(properties, Dictionary)
            self._walk.sight.says += [str(properties[key]) for key in _SAID if key in properties]
            if self._walk.writes:
                plain = Dictionary({key: properties[key] for key in list(properties.keys())})
                for key in _SAID:
                    if key in plain:
                        plain[key] = String(self._walk.clean(str(plain[key])))
                instruction = ([operands[0], plain], Operator(name))
        if name == "BDC":
            self._open.append(len(self.written) if said and self._walk.writes else None)
        self.written.append(instruction)

    # ---------- pictures, forms and drawings ----------

    def _draw(self, operands: list[Any], instruction: Any) -> None:
        drawn = self._resource(Name.XObject, operands)
        if not isinstance(drawn, Stream):
            self.written.append(instruction)
            return
        fresh: Stream | None = None
        if drawn.get(Name.Subtype) == Name.Image:
            fresh = self._walk.see_picture(drawn, self._state.matrix)
        elif drawn.get(Name.Subtype) == Name.Form:
            fresh = self._form(drawn)
        if fresh is None:
            self.drawn.add(str(operands[0]))
            self.written.append(instruction)
        else:
            name = self._walk.new_name()
            self._fresh[name] = fresh
            self.written.append(([Name(name)], Operator("Do")))

    def _form(self, form: Stream) -> Stream | None:
        """Follow a form; a copy of it as it is to be, where this is written anew."""
        matrix = self._state.matrix
        if Name.Matrix in form:
            matrix = Matrix(*floats(list(form.Matrix), 6)) @ matrix
        own, before = form.get(Name.Resources), self._walk.changes
        resources = own if isinstance(own, Dictionary) else self._resources
        start = _State(matrix, pen=self._state.pen.within(matrix, form.get("/BBox")))
        reader = self._walk.follow(form, resources, start, self._depth + 1)
        if not isinstance(own, Dictionary):
            self.drawn |= reader.drawn
        if not self._walk.writes or self._walk.changes == before:
            return None
        fresh = self._walk.pdf.make_stream(reader.content)
        for key in list(form.keys()):
            if key not in ("/Length", "/Filter", "/DecodeParms", "/Resources", "/PieceInfo"):
                fresh[key] = form[key]
        fresh.Resources = reader.finish()
        return fresh

    def _trace(self, name: str, operands: list[Any]) -> None:
        pen, drawing = self._path.take(name, operands, self._state.matrix, self._state.pen)
        if pen is not self._state.pen:
            self._state = replace(self._state, pen=pen)
        if drawing is not None:
            self._walk.sight.drawings.append(drawing)


def _spaced(state: _State, name: str, value: float) -> _State:
    match name:
        case "Tc":
            return replace(state, character=value)
        case "Tw":
            return replace(state, word=value)
        case "TL":
            return replace(state, leading=value)
        case _:
            return replace(state, rise=value)


def _add(kept: list[Any], move: float) -> None:
    """Put a move behind what stays, in thousandths of the size along the line; moves that meet are one."""
    if kept and isinstance(kept[-1], float):
        kept[-1] += move
    else:
        kept.append(move)


def _as_shown(kept: list[Any]) -> Iterator[Any]:
    """Strings and moves as `TJ` takes them: a positive number moves back."""
    pending = b""
    for item in kept:
        if isinstance(item, bytes):
            pending += item
            continue
        if pending:
            yield String(pending)
            pending = b""
        if item:
            yield round(-item, 4)
    if pending:
        yield String(pending)


def _without_said(operands: Any, operator: Any) -> _Instruction:
    properties = Dictionary({key: operands[1][key] for key in list(operands[1].keys()) if key not in _SAID})
    return [operands[0], properties], operator
