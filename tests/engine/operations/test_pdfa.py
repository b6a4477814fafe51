"""A scan in PDF/A-1b (ISO 19005-1) that is made searchable or clean is one afterwards, or no longer says so."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import ImageCms

from tests.engine.operations.papers import done
from tests.engine.reading.ocr.scanning import LETTER, scan_pdf, scanned, upper

# Apache PDFBox Preflight and what it needs, of Debian's libpdfbox2-java, libactivation-java and libjaxb-api-java.
_JARS = ("preflight", "pdfbox2", "fontbox2", "xmpbox", "commons-logging", "javax.activation", "jaxb-api")
_CLASSES = [Path("/usr/share/java") / f"{name}.jar" for name in _JARS]
_CLAIM = """<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='' xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/'>
<pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"""
needs_preflight = pytest.mark.skipif(
    shutil.which("java") is None or not all(path.exists() for path in _CLASSES),
    reason="Apache PDFBox Preflight is not installed",
)


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scanned letter as PDF/A-1b."""
    folder = tmp_path_factory.mktemp("archived")
    path = scan_pdf(folder / "scan.pdf", upper(scanned(folder, LETTER, dpi=120)), dpi=120)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
        profile[8:10] = 2, 0x40  # says that it is of version 2.4 (ICC.1, 7.2.4), the last that PDF/A-1 knows
        intent = Dictionary(Type=Name.OutputIntent, S=Name.GTS_PDFA1, OutputConditionIdentifier=String("sRGB"))
        intent.DestOutputProfile = pdf.make_stream(bytes(profile), N=3)
        pdf.Root.OutputIntents = Array([intent])
        pdf.Root.Metadata = pdf.make_stream(_CLAIM.encode(), Type=Name.Metadata, Subtype=Name.XML)
        pdf.save(path, force_version="1.4", object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return path


@pytest.mark.slow
@needs_preflight
@pytest.mark.parametrize(
    ("operation", "parameters"),
    [("pdf-to-editable", {}), ("pdf-to-editable", {"enableAiLayout": 0}), ("magic-color", {})],
)
def test_it_still_meets_the_standard(
    archived: Path, tmp_path: Path, operation: str, parameters: dict[str, Any]
) -> None:
    assert faults(archived) == []
    assert faults(done(operation, tmp_path, archived, **parameters)) == []


@pytest.mark.parametrize(("transparent", "claim"), [(1, "1B"), (0, "")])
def test_text_that_is_shown_is_not_embedded_so_the_claim_goes(
    archived: Path, tmp_path: Path, transparent: int, claim: str
) -> None:
    with Pdf.open(done("pdf-to-editable", tmp_path, archived, transparentText=transparent)) as made:
        assert made.open_metadata().pdfa_status == claim


def faults(path: Path) -> list[str]:
    """What Preflight finds wrong."""
    command = ["java", "-cp", ":".join(map(str, _CLASSES)), "org.apache.pdfbox.preflight.Validator_A1b", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stdout
    assert "valid PDF/A-1b file" in said, said
    return re.findall(r"^\d[\d.]* : .*", said, re.MULTILINE)
