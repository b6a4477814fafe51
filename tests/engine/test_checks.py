"""What the engine's server looks at before it queues a call, and what it needs for that."""

from __future__ import annotations

import subprocess
import sys

from paperchute.engine.checks import CHECKS
from paperchute.engine.operations import QUICK, implemented

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


def test_of_each_operation_something_is_looked_at() -> None:
    assert QUICK <= implemented() <= set(CHECKS)


def test_the_server_loads_no_library_that_documents_are_worked_on_with() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", _SERVER], capture_output=True, text=True, timeout=120)
    loaded = set(done.stdout.split())
    assert "paperchute" in loaded, done.stderr
    assert not LIBRARIES & loaded
    assert not {"paperchute.engine.tasks.worker", "paperchute.engine.document.model"} & loaded, "a worker's own"
