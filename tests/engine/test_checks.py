"""What the engine's server looks at before it queues a call, and what it needs for that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.engine.checks import CHECKS, UNCHECKED
from paperchute.engine.operations import QUICK, implementation, implemented
from paperchute.engine.work import Refused, Source, Work

LIBRARIES = {"PIL", "babel", "cv2", "docx", "jinja2", "lxml", "numpy", "onnxruntime", "openpyxl", "pikepdf"}
LIBRARIES |= {"pi_heif", "plutoprint", "pptx", "pypdfium2", "xlsxwriter"}

_SERVER = """
import sys
from pathlib import Path
import paperchute.engine.__main__
from paperchute.engine.operations import implementation, implemented
from paperchute.engine.work import Refused, Source, Work

for operation in implemented():
    try:
        implementation(operation).check(Work(operation, (Source("file", Path("a"), "a.pdf", "pdf"),), {}, Path()))
    except Refused:
        pass
print(*{name.partition(".")[0] for name in sys.modules}, *sys.modules)
"""


def test_each_operation_has_a_check_or_is_said_to_need_none() -> None:
    assert QUICK <= implemented() == CHECKS.keys() | UNCHECKED
    assert not CHECKS.keys() & UNCHECKED


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("pdf-delete", {"pages": "all"}),
        ("pdf-delete", {"pages": " ALL "}),
        ("pdf-delete", {"pages": "3-1"}),
        ("pdf-reorder", {"order": "all"}),
    ],
)
def test_pages_that_no_document_can_have_taken_are_refused_before(operation: str, given: dict[str, str]) -> None:
    work = Work(operation, (Source("file", Path("a"), "a.pdf", "pdf"),), given, Path())
    with pytest.raises(Refused):
        implementation(operation).check(work)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "what is to be redacted"),
        ({"words": [" "]}, "what is to be redacted"),
        ({"words": ["--"]}, "neither letters nor digits"),
        ({"patterns": ["names"]}, "not names"),
        ({"expressions": ["(a"]}, "parenthesis"),
        ({"expressions": ["x*"]}, "finds nothing"),
        ({"boxes": ["50,100,200,120"]}, "no place on a page"),
        ({"boxes": ["1: 50,100,nan,120"]}, "no place on a page"),
        ({"boxes": ["1: 50,100,40,120"]}, "covers nothing"),
        ({"boxes": ["3-1: 50,100,60,120"]}, "backwards"),
    ],
)
def test_redaction_that_would_find_nothing_is_refused_before(given: dict[str, list[str]], said: str) -> None:
    work = Work("pdf-redact", (Source("file", Path("a"), "a.pdf", "pdf"),), given, Path())
    with pytest.raises(Refused, match=said):
        implementation("pdf-redact").check(work)


def test_the_server_loads_no_library_that_documents_are_worked_on_with() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", _SERVER], capture_output=True, text=True, timeout=120)
    loaded = set(done.stdout.split())
    assert "paperchute" in loaded, done.stderr
    assert not LIBRARIES & loaded
    assert not {"paperchute.engine.tasks.worker", "paperchute.engine.document.model"} & loaded, "a worker's own"
