"""What most tests of this room need: a service that answers as told, and a small PDF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.script import Script, scripted


@pytest.fixture
def script() -> Iterator[Script]:
    """A service that a test tells what to answer."""
    with scripted() as found:
        yield found


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A file that passes for a PDF."""
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7 content %%EOF")
    return path
