"""What a document says of itself is set where readers look for it, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Name, String

from paperchute.contract.engine_libraries import has_validator
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, opens, paper, words

SAID = {"title": "Häfen & <Kais> 港", "author": "Ada Lovelace, Bob", "subject": "quays", "keywords": "brick, timber"}


def _told(path: Path, password: str = "") -> tuple[dict[str, str], dict[str, object]]:
    with pikepdf.open(path, password=password) as pdf:
        info = {str(key): str(value) for key, value in pdf.docinfo.items()}
        with pdf.open_metadata(update_docinfo=False) as described:
            return info, dict(described.items())


@pytest.mark.parametrize("xmp", [b"", b"<no xml", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"])
def test_properties_and_xmp_say_the_same(tmp_path: Path, xmp: bytes) -> None:
    source = paper(tmp_path / "in.pdf", "one", "two", outline=True)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.docinfo[Name.Creator] = String("quill")
        if xmp:
            pdf.Root.Metadata = pdf.make_stream(xmp, Type=Name.Metadata, Subtype=Name.XML)
        pdf.save(source)
    output = done("pdf-metadata", tmp_path, source, **SAID)
    info, described = _told(output)
    assert {key: info[key] for key in ("/Title", "/Author", "/Subject", "/Keywords", "/Creator")} == {
        **{f"/{name.capitalize()}": text for name, text in SAID.items()},
        "/Creator": "quill",
    }
    assert described["{http://purl.org/dc/elements/1.1/}title"] == SAID["title"]
    assert described["{http://purl.org/dc/elements/1.1/}creator"] == [SAID["author"]]
    assert described["{http://purl.org/dc/elements/1.1/}description"] == SAID["subject"]
    assert described["{http://ns.adobe.com/pdf/1.3/}Keywords"] == SAID["keywords"]
    assert words(output) == ["one", "two"]
    again = done("pdf-metadata", tmp_path, output.rename(tmp_path / "once.pdf"), title="Quays\x00")
    info, described = _told(again)
    assert (info["/Title"], info["/Author"]) == ("Quays", SAID["author"])


def test_a_locked_one_stays_locked(tmp_path: Path) -> None:
    source = locked(paper(tmp_path / "in.pdf", "one"), user="u")
    output = done("pdf-metadata", tmp_path, source, password="u", title="Quays")
    assert not opens(output)
    assert _told(output, "u")[0]["/Title"] == "Quays"


@pytest.mark.skipif(not has_validator(), reason="pikepdf has no validator here")
def test_a_pdf_a_stays_one(tmp_path: Path) -> None:
    from pikepdf import pdfa

    archived = done("pdf-convert-type", tmp_path, paper(tmp_path / "in.pdf", "one"), standard="PDFTypeA2b")
    output = done("pdf-metadata", tmp_path, archived.rename(tmp_path / "a.pdf"), **SAID)
    assert pdfa.validate_written(output, "2b").passed, pdfa.validate_written(output, "2b").summary()


def test_nothing_to_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as error:
        done("pdf-metadata", tmp_path, paper(tmp_path / "in.pdf", "one"), title=" ")
    assert (error.value.code, "keywords" in error.value.reason) == ("03000", True)
