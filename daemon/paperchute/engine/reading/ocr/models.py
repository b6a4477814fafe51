"""The neural networks: loaded when first needed and kept for the life of the worker process."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from paperchute.engine.reading.ocr.options import built_in_model
from paperchute.engine.work import Refused
from paperchute.language import _

THREADS = min(4, os.cpu_count() or 1)
"""Processors that one task uses."""


_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None
_trim, _set = (getattr(_LIBRARY, name, None) for name in ("malloc_trim", "mallopt"))
"""glibc's; other C libraries give memory back by themselves."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt

_KEPT = 64 << 20
"""Bytes at the end of its memory that glibc keeps; what it would come to by itself."""

_LARGE_FOUND, _LARGE_READ = 1 << 20, 32 << 20
"""Bytes from which a network's arrays are given back at once. The finder has a few of many megabytes, which leave gaps
otherwise; the reader so many that its time would grow by a seventh."""

_large = 0
"""What was asked for last."""


def return_memory() -> None:
    """Give what the recognition of a page took back to the system: in pieces, it grew by 10 MB with each page."""
    if _trim is not None:
        _trim(0)


def _give_back_from(large: int) -> None:
    """Have arrays of so many bytes and more given back as soon as they are done with."""
    global _large
    if _set is not None and _large != large:
        _set(_TRIM_THRESHOLD, _KEPT)
        _set(_MMAP_THRESHOLD, large)
        _large = large


class Network:
    """One network with one input and one output."""

    def __init__(self, path: Path, threads: int, large: int = _LARGE_READ) -> None:
        """Load it. large: bytes of arrays that are given back at once. Raises Refused 190005 for no such network."""
        self._large = large
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.enable_cpu_mem_arena = False  # an arena keeps the largest page's memory for ever
        # Waiting threads that spin take a processor from the other workers.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            # It takes each path for UTF-8, which names another file where the system's own encoding is none.
            model = str(path) if sys.getfilesystemencoding() == "utf-8" else path.read_bytes()
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise Refused(
                "190005",
                _("The recognition model {name} cannot be loaded: it is damaged or of another kind.", name=path.name),
            ) from error
        self._input = self._session.get_inputs()[0].name

    def run(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The output for an input; several threads may call."""
        _give_back_from(self._large)
        result: NDArray[np.float32] = self._session.run(None, {self._input: values})[0]
        return result

    @property
    def facts(self) -> dict[str, Any]:
        """What the file says about itself."""
        return dict(self._session.get_modelmeta().custom_metadata_map)


@cache
def line_finder() -> Network:
    """Finds lines of text on a picture."""
    return Network(built_in_model("PP-OCRv6_det_small.onnx"), THREADS, _LARGE_FOUND)


@cache
def line_reader(path: Path) -> Network:
    """Reads the picture of one line; one thread each, as several lines are read at a time."""
    return Network(path, 1)


def built_in_reader() -> Path:
    """The model for Chinese, Japanese and Latin script."""
    return built_in_model("PP-OCRv6_rec_small.onnx")
