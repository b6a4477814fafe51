"""Documents that are cut off, repaired or partly unreadable are read as far as they go, and say so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pikepdf
import pytest

from paperchute.engine import report
from paperchute.engine.pdf.damage import damaged_pages
from paperchute.engine.pdf.document import unlocked
from paperchute.engine.work import Refused
from tests.engine.reading.printing import markdown
from tests.engine.reading.sheets import written
from tests.engine.reading.test_running_heads import _reports


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """Four pages, their content packed."""
    path = written(tmp_path / "plain.pdf", _reports(4))
    with pikepdf.open(path) as pdf:
        pdf.save(tmp_path / "a.pdf", compress_streams=True, recompress_flate=True)
    return tmp_path / "a.pdf"


@pytest.mark.parametrize("kept", [60, 200, 400])
def test_the_beginning_of_a_file_alone_is_refused(whole: Path, kept: int, tmp_path: Path) -> None:
    part = tmp_path / "part.pdf"
    part.write_bytes(whole.read_bytes()[:kept])
    with pytest.raises(Refused) as refused:
        markdown(part, tmp_path / "out")
    assert refused.value.code == "02207"


def test_pages_without_anything_left_are_refused_where_the_file_is_damaged(tmp_path: Path) -> None:
    path = written(tmp_path / "plain.pdf", _reports(4))
    data = path.read_bytes()
    part = tmp_path / "part.pdf"
    part.write_bytes(data[: data.index(b"stream")])  # the pages stand before their content
    with pytest.raises(Refused) as refused:
        markdown(part, tmp_path / "out")
    assert refused.value.code == "02207"


@pytest.mark.parametrize("locked", [False, True])
def test_blank_pages_of_a_sound_file_are_no_damage(locked: bool, tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", [[], []])
    if locked:
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            pdf.save(path, encryption=pikepdf.Encryption(owner="o", user=""))
    assert damaged_pages(partial(unlocked, path, ""), range(2)) == []
    assert markdown(path, tmp_path / "out") == "\n"


def _halved(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _garbled(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(255 - byte for byte in content[middle : middle + 20]) + content[middle + 20 :]


@pytest.mark.parametrize("spoilt", [_halved, _garbled])
def test_a_broken_page_is_named_and_the_others_are_read(
    whole: Path, spoilt: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pdf"
    with pikepdf.open(whole) as pdf:
        stream = pdf.pages[1].Contents
        stream.write(spoilt(stream.read_raw_bytes()), filter=pikepdf.Name.FlateDecode)
        pdf.save(broken)
    with report.collected() as warnings:
        text = markdown(broken, tmp_path / "out")
    assert "The content of page 2 is damaged: words may be missing there." in warnings
    assert "(20.0)" in text  # of the page behind it
    assert damaged_pages(partial(unlocked, broken, ""), range(4)) == [1]


def test_zeros_where_a_page_s_content_was_are_damage(tmp_path: Path) -> None:
    with pikepdf.open(written(tmp_path / "plain.pdf", _reports(4))) as pdf:
        page = pdf.pages[2]
        content = page.Contents.read_bytes()
        page.Contents = pdf.make_stream(content[:100] + bytes(len(content) - 100))
        pdf.save(tmp_path / "zeros.pdf", compress_streams=False)
    assert damaged_pages(partial(unlocked, tmp_path / "zeros.pdf", ""), range(4)) == [2]


def _overwritten(path: Path, mark: bytes, page: int) -> Path:
    """The file with zeros from a page's mark to the next object, as a lost block of a disk leaves it."""
    data = bytearray(path.read_bytes())
    start = -1
    for _ in range(page + 1):
        start = data.index(mark, start + 1)
    end = data.index(b" obj", start) if mark == b"endstream" else start + len(mark)
    data[start:end] = bytes(end - start)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "mark",
    [
        b"/Contents",  # the page's own key
        b"endstream",  # and what tells the next object
    ],
)
def test_a_page_whose_content_is_not_found_is_damaged(mark: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "plain.pdf", _reports(4))
    with pikepdf.open(path) as pdf:
        pdf.save(tmp_path / "a.pdf", compress_streams=False, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    broken = _overwritten(tmp_path / "a.pdf", mark, 1)
    with report.collected() as warnings:
        markdown(broken, tmp_path / "out")
    assert any("damaged" in warning for warning in warnings)


def test_lines_of_the_list_of_objects_may_be_a_byte_short(tmp_path: Path) -> None:
    """As programs write them that end them in one character, where ISO 32000-1, 7.5.4 has two."""
    path = written(tmp_path / "plain.pdf", _reports(4))
    with pikepdf.open(path) as pdf:
        pdf.save(tmp_path / "a.pdf", object_stream_mode=pikepdf.ObjectStreamMode.disable)
    data = (tmp_path / "a.pdf").read_bytes()
    place = data.rindex(b"\nxref\n")
    (tmp_path / "a.pdf").write_bytes(data[:place] + data[place:].replace(b" \n", b"\n"))
    with report.collected() as warnings:
        assert "4" in markdown(tmp_path / "a.pdf", tmp_path / "out")
    assert warnings == []


def test_what_qpdf_cannot_open_is_damaged(whole: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PDFium opens more."""

    def fails(*_: object) -> pikepdf.Pdf:
        raise pikepdf.PdfError("unable to find trailer dictionary while recovering damaged file")

    monkeypatch.setattr("paperchute.engine.reading.pdf.document.unlocked", fails)
    with report.collected() as warnings:
        markdown(whole, tmp_path / "out")
    assert [warning.partition(".pdf ")[2] for warning in warnings] == [
        "is damaged or cut off. 4 pages were found in it: check whether any are missing."
    ]


def test_qpdf_opens_a_sound_file_once(whole: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For its damage and for what its catalog says."""
    opened: list[object] = []

    def counted(path: Path, password: str) -> pikepdf.Pdf:
        opened.append(path)
        return unlocked(path, password)

    for module in ("pdf.nesting", "reading.omissions", "reading.pdf.document", "reading.pdf.fields"):
        monkeypatch.setattr(f"paperchute.engine.{module}.unlocked", counted)
    markdown(whole, tmp_path / "out")
    assert opened == [whole]


def _without(page: pikepdf.Page, pdf: pikepdf.Pdf) -> None:
    del page.obj.Resources


def _with_broken_form(page: pikepdf.Page, pdf: pikepdf.Pdf) -> None:
    form = pdf.make_stream(b"0 0 m")
    form.Type, form.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
    form.write(b"no such thing", filter=pikepdf.Name.FlateDecode)
    page.obj.Resources.XObject = pikepdf.Dictionary(X=form)


def _with_broken_map(page: pikepdf.Page, pdf: pikepdf.Pdf) -> None:
    said = pdf.make_stream(b"")
    said.write(b"no such thing", filter=pikepdf.Name.FlateDecode)
    page.obj.Resources.Font.R.ToUnicode = said


@pytest.mark.parametrize("spoilt", [_without, _with_broken_form, _with_broken_map])
def test_what_a_page_is_drawn_with_is_looked_at(
    whole: Path, spoilt: Callable[[pikepdf.Page, pikepdf.Pdf], None], tmp_path: Path
) -> None:
    with pikepdf.open(whole) as pdf:
        page = pdf.pages[2]
        own = pikepdf.Dictionary(dict(page.obj.Resources.Font.R.items()))  # not the font that all pages share
        page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(R=own))
        spoilt(page, pdf)
        pdf.save(tmp_path / "broken.pdf", compress_streams=False)
    assert damaged_pages(partial(unlocked, tmp_path / "broken.pdf", ""), range(4)) == [2]


def test_sound_pages_are_not_blamed(whole: Path) -> None:
    assert damaged_pages(partial(unlocked, whole, ""), range(4)) == []
