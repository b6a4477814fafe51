"""Hostile PDFs through the whole service: a refusal or a safe file each time, and the next document is done."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import psutil
import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.hostile.bad_pdfs import ENDLESS, STARTING, one_page
from tests.engine.operations.test_joining import signed, summed, tagged
from tests.engine.service.running import PATIENCE, PLAIN, RunningEngine, record_of, until

_SECONDS, _MEMORY = "20", str(400 << 20)
_GOOD = one_page()
_CALLS: dict[str, dict[str, Any]] = {
    "pdf/merge": {},
    "pdf/encrypt": {"ownerPassword": "o", "userPassword": "u", "algorithm": "aes256"},
    "pdf/insert": {"actionType": "FROM_PDF", "index": "1"},
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    state = tmp_path_factory.mktemp("hostile")
    with RunningEngine(state, "--task-seconds", _SECONDS, "--memory", _MEMORY, real=True) as running:
        yield running


def sent(engine: RunningEngine, path: str, content: bytes) -> dict[str, Any]:
    """The record of a call with this document, and a good one where the operation takes two."""
    files = [("file", "bad.pdf", content)]
    if path != "pdf/encrypt":
        files.append(("file", "good.pdf", _GOOD))
    return record_of(engine.post(path, *files, data=_CALLS[path]))


def checked(record: dict[str, Any], folder: Path) -> Path | None:
    """The result, found sound by qpdf; None for a refusal with a code and a sentence."""
    if record["status"] == "failed":
        assert record["failureCode"] in {"02207", "02210", "190006"}, record
        assert record["failureReason"] not in ("", "the document could not be processed")
        return None
    result = folder / "result.pdf"
    result.write_bytes(PLAIN.get(record["downloadUrl"]).content)
    if shutil.which("qpdf"):
        found = subprocess.run(
            ["qpdf", "--check", "--password=o", str(result)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        # Errors and warnings there may be, of streams that were torn when they came.
        errors = [line for line in found.stdout.splitlines() + found.stderr.splitlines() if line.startswith("ERROR")]
        assert all("content stream" in line for line in errors), found.stdout + found.stderr
    return result


def unpacked(path: Path) -> bytes:
    """All that is in a PDF, without packing and lock."""
    plain = path.with_name("plain.pdf")
    with pikepdf.open(path, password="o") as pdf:
        pdf.save(
            plain,
            stream_decode_level=pikepdf.StreamDecodeLevel.all,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
        )
    return plain.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("path", _CALLS)
@pytest.mark.parametrize("name", ENDLESS)
def test_endless_work_ends_in_a_refusal_or_a_sound_file(
    engine: RunningEngine, tmp_path: Path, name: str, path: str
) -> None:
    checked(sent(engine, path, ENDLESS[name]()), tmp_path)
    assert checked(sent(engine, path, _GOOD), tmp_path) is not None


@pytest.mark.parametrize("path", _CALLS)
@pytest.mark.parametrize("name", STARTING)
def test_nothing_that_starts_something_is_given_back(
    engine: RunningEngine, tmp_path: Path, name: str, path: str
) -> None:
    result = checked(sent(engine, path, STARTING[name]()), tmp_path)
    assert result is not None
    with contextlib.closing(pypdfium2.PdfDocument(result, password="o")) as document:
        assert len(document) >= 1
    assert b"CANARY" not in unpacked(result)


def _seeds(folder: Path) -> list[bytes]:
    files = [tagged(folder / "a.pdf", "a1", "a2"), signed(folder / "b.pdf"), summed(folder / "c.pdf", "/Courier")]
    return [file.read_bytes() for file in files]


@pytest.mark.slow
def test_torn_and_altered_documents_hurt_nothing(engine: RunningEngine, tmp_path: Path) -> None:
    seeds = _seeds(tmp_path)
    words = [b"/Kids", b"/Parent", b"/K", b"/Nums", b"/Count", b"1 0 R", b"3 0 R", b"<<", b">>", b"[", b"null", b"-1"]
    change = st.tuples(st.floats(0, 1), st.integers(0, 20), st.sampled_from(words) | st.binary(max_size=6))

    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        seed=st.sampled_from(seeds),
        changes=st.lists(change, max_size=8),
        cut=st.none() | st.floats(0.1, 1),
        path=st.sampled_from(list(_CALLS)),
    )
    def hurt(seed: bytes, changes: list[tuple[float, int, bytes]], cut: float | None, path: str) -> None:
        content = bytearray(seed)
        for place, length, new in changes:
            start = int(place * len(content))
            content[start : start + length] = new
        if cut is not None:
            del content[int(cut * len(content)) :]
        if b"%PDF-" in content[:1024]:
            checked(sent(engine, path, bytes(content)), tmp_path)

    hurt()
    assert engine.process.poll() is None
    left = [file for file in engine.state.rglob("*") if file.is_file() and "scratch" in file.parts]
    assert left == []
    until(lambda: len(psutil.Process(engine.pid).children()) == 1)
