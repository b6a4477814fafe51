"""Whether the built-in engine is installed: its libraries are an extra, since a remote service needs none of them."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from paperchute.language import _

LIBRARIES = (
    *("babel", "cv2", "docx", "jinja2", "lxml", "markdown_it", "numpy", "onnxruntime", "openpyxl", "pi_heif"),
    *("pikepdf", "pptx", "psutil", "python_multipart", "rapidocr", "xlsxwriter"),
)
"""The modules of the extra `engine`, as they are imported, but for PRINTER."""
PRINTER = "plutoprint"
"""What lays HTML out. It has no build for every system, and all else works without."""
NEED_PRINTER = frozenset({"html-to-pdf", "pdf-generate"})
"""The operations that are nothing without it."""
PRINTED = frozenset({"docx", "xlsx", "pptx", "html", "md", "csv", "txt"})
"""The kinds of files that reading operations have it lay out, as `contract.kinds` calls them."""
INSTALL = 'pip install "paperchute[engine]"'


@cache
def absent_library() -> str:
    """The first of the engine's libraries that is not installed; empty when all are."""
    return next((name for name in LIBRARIES if find_spec(name) is None), "")


@cache
def has_printer() -> bool:
    """Whether the built-in engine can lay HTML out; where it is not installed at all, that is what has to be said."""
    return find_spec(PRINTER) is not None or bool(absent_library())


def is_left_out(operation: str) -> bool:
    """Whether an operation is nothing without what is missing here."""
    return operation in NEED_PRINTER and not has_printer()


def without_printer() -> str:
    """Why HTML, office files and texts cannot be laid out."""
    return _("the HTML engine is missing (the package {name}, which has no build for some systems)", name=PRINTER)


def left_out() -> str:
    """What the built-in engine cannot do on this machine, as a sentence; empty where it can do all."""
    if has_printer():
        return ""
    return _(
        "Left out are {operations} and the reading of office files and texts: {why}.",
        operations=", ".join(sorted(NEED_PRINTER)),
        why=without_printer(),
    )


def without_engine() -> tuple[str, str]:
    """What to say where the engine is not installed, and what to do."""
    return (
        _("The built-in engine is not installed ({name} is missing).", name=absent_library()),
        _("Install it ({command}), or name a service as `base_url` in [service].", command=INSTALL),
    )
