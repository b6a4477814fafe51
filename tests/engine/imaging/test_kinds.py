"""Which kinds of pictures the engine takes over HTTP: more than the interface lists."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import PIL.Image
import pytest

from paperchute.contract.kinds import kind_of_bytes
from tests.engine.service.running import PLAIN, RunningEngine, record_of, refusal_of


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    with RunningEngine(tmp_path_factory.mktemp("kinds"), real=True) as running:
        yield running


@pytest.mark.parametrize(("kind", "format_"), [("webp", "WEBP"), ("jp2", "JPEG2000"), ("gif", "GIF"), ("png", "PNG")])
def test_a_picture_of_any_readable_kind_comes_back_as_that_kind(engine: RunningEngine, kind: str, format_: str) -> None:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (120, 80), (250, 240, 210)).save(buffer, format_)
    record = record_of(engine.post("documentAI/magicColor", ("file", f"a.{kind}", buffer.getvalue())))
    assert record["status"] == "success", record
    assert record["downFileName"] == f"a.{kind}"
    assert kind_of_bytes(PLAIN.get(record["downloadUrl"]).content) == kind


def test_a_phone_s_picture_comes_back_as_jpeg(engine: RunningEngine) -> None:
    content = (Path(__file__).parent / "heic" / "page.heic").read_bytes()
    record = record_of(engine.post("documentAI/magicColor", ("file", "IMG_0017.HEIC", content)))
    assert record["status"] == "success", record
    assert record["downFileName"] == "IMG_0017.jpg"
    assert kind_of_bytes(PLAIN.get(record["downloadUrl"]).content) == "jpg"


def test_pictures_of_other_kinds_are_refused_with_those_that_are_read(engine: RunningEngine) -> None:
    answer = engine.post("img/docx", ("file", "photo.avif", b"\x00\x00\x00\x18ftypavif" + bytes(300)))
    assert refusal_of(answer)[1] == "02003"
    assert "heic" in answer.json()["msg"]
