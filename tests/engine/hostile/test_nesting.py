"""Forms that draw each other again and again are counted before PDFium draws them; those of real documents are few."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Dictionary, Name

from paperchute.engine.pdf.nesting import draws_for_ever
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.work import Refused


def _nested(path: Path, contents: Sequence[bytes], *, own: bool = True, loop: bool = False, name: str = "/X") -> Path:
    """A page that draws the first form, each of which knows the next as X, the last of a loop the first.

    own: False where the forms have no resources of their own, so that X is the page's, and is the first for all.
    """
    pdf = pikepdf.new()
    pdf.add_blank_page()
    forms = [pdf.make_stream(content, Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 9, 9]) for content in contents]
    for form, after in zip(forms, [*forms[1:], forms[0] if loop else None], strict=True):
        if own:
            form.Resources = Dictionary(XObject=Dictionary({name: after} if after is not None else {}))
    pdf.pages[0].obj.Resources = Dictionary(XObject=Dictionary({name: forms[0]}))
    pdf.pages[0].obj.Contents = pdf.make_stream(f"q {name} Do Q".encode())
    pdf.save(path)
    return path


@pytest.mark.parametrize(
    ("contents", "own", "loop"),
    [
        ([b"/X Do /X Do"], True, True),
        ([b"/X Do\n/X  Do"] * 30, True, False),
        ([b"/X Do /X Do"], False, False),
        ([b"/#58 Do /X Do"], True, True),
        ([b"/X Do", b"/X Do", b"/X Do /X Do /X Do"], True, True),
    ],
)
def test_what_never_ends_is_refused_in_words(tmp_path: Path, contents: list[bytes], own: bool, loop: bool) -> None:
    path = _nested(tmp_path / "a.pdf", contents, own=own, loop=loop)
    with pytest.raises(Refused, match="endlessly"), opened(path, "a.pdf", ""):
        pass


@pytest.mark.parametrize(
    ("contents", "loop"),
    [([b"0 0 1 1 re f"], False), ([b"/X Do"] * 50, False), ([b"/X Do"], True), ([b"/X Do /X Do"] * 10, False)],
)
def test_what_ends_is_read(tmp_path: Path, contents: list[bytes], loop: bool) -> None:
    with opened(_nested(tmp_path / "a.pdf", contents, loop=loop), "a.pdf", "") as document:
        assert len(document) == 1
        document[0].render(scale=0.1)


def test_a_form_whose_kind_is_spelled_otherwise_is_one(tmp_path: Path) -> None:
    path = _nested(tmp_path / "a.pdf", [b"/X Do /X Do"], loop=True)
    content = path.read_bytes()
    spelled = re.sub(rb"/Subtype\s*/Form", b"/Subtype/F#6frm", content)
    path.write_bytes(spelled)
    assert spelled != content
    assert draws_for_ever(path, "")


def test_what_is_no_pdf_draws_nothing(tmp_path: Path) -> None:
    for content in (b"", b"/Subtype /Form", b"%PDF-1.7 /Subtype/Form"):
        (tmp_path / "a.pdf").write_bytes(content)
        assert not draws_for_ever(tmp_path / "a.pdf", "")
