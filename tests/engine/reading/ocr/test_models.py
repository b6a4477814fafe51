"""The models that come along are loaded wherever they lie."""

from __future__ import annotations

import sys
from typing import Any

import onnxruntime
import pytest

from paperchute.engine.reading.ocr.models import Network, built_in_reader


def test_a_model_is_given_by_its_bytes_where_paths_are_no_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session(onnxruntime.InferenceSession):  # type: ignore[misc]  # it has no types
        def __init__(self, model: str | bytes, *arguments: Any, **named: Any) -> None:
            assert isinstance(model, bytes)  # a path would be taken for UTF-8
            super().__init__(model, *arguments, **named)

    monkeypatch.setattr(onnxruntime, "InferenceSession", Session)
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "iso8859-1")  # as by LANG=de_DE, where it is installed
    assert "character" in Network(built_in_reader(), 1).facts
