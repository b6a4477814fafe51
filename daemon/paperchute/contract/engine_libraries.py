"""Whether the built-in engine is installed: its libraries are an extra, since a remote service needs none of them."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from paperchute.language import _

LIBRARIES = (
    *("babel", "cv2", "docx", "jinja2", "lxml", "markdown_it", "numpy", "onnxruntime", "openpyxl", "pi_heif"),
    *("pikepdf", "plutoprint", "pptx", "psutil", "python_multipart", "rapidocr", "starlette", "uvicorn", "xlsxwriter"),
)
"""The modules of the extra `engine`, as they are imported."""
INSTALL = 'pip install "paperchute[engine]"'


@cache
def absent_library() -> str:
    """The first of the engine's libraries that is not installed; empty when all are."""
    return next((name for name in LIBRARIES if find_spec(name) is None), "")


def without_engine() -> tuple[str, str]:
    """What to say where the engine is not installed, and what to do."""
    return (
        _("The built-in engine is not installed ({name} is missing).", name=absent_library()),
        _("Install it ({command}), or name a service as `base_url` in [service].", command=INSTALL),
    )
