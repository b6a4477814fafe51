"""Whether the built-in engine is installed: its libraries are an extra, since a remote service needs none of them."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from paperchute.language import _

LIBRARIES = (
    *("babel", "cv2", "docx", "jinja2", "lxml", "markdown_it", "numpy", "onnxruntime", "openpyxl", "pi_heif"),
    *("pikepdf", "pptx", "psutil", "python_multipart", "rapidocr", "striprtf", "xlsxwriter"),
)
"""The modules of the extra `engine`, as they are imported, but for PRINTER."""
PRINTER = "plutoprint"
"""What lays HTML out. It has no build for every system, and all else works without."""
NEED_PRINTER = frozenset(
    {
        *("csv-to-pdf", "docx-to-pdf", "e-invoice-to-pdf", "html-to-pdf", "pdf-add-watermark", "pdf-generate"),
        *("pdf-number", "pptx-to-pdf", "rtf-to-pdf", "txt-to-pdf", "xlsx-to-pdf"),
    }
)
"""The operations that are nothing without it."""
NEED_VALIDATOR = frozenset({"pdf-convert-type"})
"""The operations that are nothing without what checks PDF/A, which pikepdf has not in its builds for Intel Macs."""
PRINTED = frozenset({"docx", "xlsx", "pptx", "html", "md", "csv", "txt"})
"""The kinds of files that reading operations have it lay out, as `contract.kinds` calls them."""
INSTALL = 'pip install "paperchute[engine]"'


_OF_VALIDATOR = ("fontTools", "jsonschema", "referencing")


@cache
def absent_library() -> str:
    """The first of the engine's libraries that is not installed; empty when all are."""
    return next((name for name in LIBRARIES if find_spec(name) is None), "")


@cache
def has_printer() -> bool:
    """Tell if the built-in engine can lay HTML out; where it is not installed at all, that is what has to be said."""
    return find_spec(PRINTER) is not None or bool(absent_library())


@cache
def has_validator() -> bool:
    """Decide whether PDF/A can be checked; where the engine is not installed at all, that is what has to be said."""
    found = find_spec("pikepdf")
    folders = (found.submodule_search_locations if found is not None else None) or ()
    has_it = any(Path(folder, "pdfa").is_dir() for folder in folders)  # to import it takes a tenth of a second
    return (has_it and all(map(find_spec, _OF_VALIDATOR))) or bool(absent_library())


def is_left_out(operation: str) -> bool:
    """Decide whether an operation is nothing without what is missing here."""
    return bool(why_left_out(operation))


def why_left_out(operation: str) -> str:
    """Return what an operation lacks here, empty where it lacks nothing."""
    if operation in NEED_PRINTER and not has_printer():
        return without_printer()
    if operation in NEED_VALIDATOR and not has_validator():
        return _("what checks PDF/A is missing (pikepdf's extra pdfa, which has no build for Intel Macs)")
    return ""


def without_printer() -> str:
    """Return why HTML, office files and texts cannot be laid out."""
    return _("the HTML engine is missing (the package {name}, which has no build for some systems)", name=PRINTER)


def left_out() -> str:
    """Return what the built-in engine cannot do on this machine, as a sentence; empty where it can do all."""
    if has_printer():
        return ""
    return _(
        "Left out are {operations} and the reading of office files and texts: {why}.",
        operations=", ".join(sorted(NEED_PRINTER)),
        why=without_printer(),
    )


def without_engine() -> tuple[str, str]:
    """Return what to say where the engine is not installed, and what to do."""
    return (
        _("The built-in engine is not installed ({name} is missing).", name=absent_library()),
        _("Install it ({command}), or name a service as `base_url` in [service].", command=INSTALL),
    )
