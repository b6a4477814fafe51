"""Inserting: at every place, from another PDF or blank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pytest

from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, locked, paper, words
from tests.engine.pdf_parts import outline


@pytest.mark.parametrize("index", [1, 2, 3])
def test_the_first_new_page_gets_the_number_asked_for(tmp_path: Path, index: int) -> None:
    target, source = paper(tmp_path / "t.pdf", "t1", "t2", outline=True), paper(tmp_path / "s.pdf", "s1", "s2", "s3")
    output = done("pdf-insert", tmp_path, target, source, actionType="FROM_PDF", index=index, sourcePages="3,1")
    expected = ["t1", "t2"]
    expected[index - 1 : index - 1] = ["s3", "s1"]
    assert words(output) == expected
    assert output.name == "t.pdf"
    assert [page - 1 for _, _, page in outline(output)] == [expected.index("t1"), expected.index("t2")]


def test_blank_pages_have_the_size_and_number_asked_for(tmp_path: Path) -> None:
    target = paper(tmp_path / "t.pdf", "t1", "t2")
    output = done("pdf-insert", tmp_path, target, actionType="BLANK", index=2, width=300.0, height=400.0, count=2)
    assert words(output) == ["t1", "", "", "t2"]
    with pikepdf.open(output) as pdf:
        assert [float(v) for v in pdf.pages[1].mediabox] == [0, 0, 300, 400]


@pytest.mark.parametrize(
    ("files", "parameters", "code"),
    [
        (2, {"actionType": "FROM_PDF", "index": 4}, "110002"),
        (2, {"actionType": "FROM_PDF", "index": 0}, "110002"),
        (2, {"actionType": "FROM_PDF", "index": 1, "sourcePages": "9"}, "110001"),
        (1, {"actionType": "FROM_PDF", "index": 1}, "03000"),
        (2, {"actionType": "BLANK", "index": 1, "width": 1.0, "height": 1.0}, "03000"),
        (1, {"actionType": "BLANK", "index": 1}, "03000"),
        (1, {"actionType": "BLANK", "index": 1, "width": -1.0, "height": 5.0}, "03000"),
        (0, {"actionType": "BLANK", "index": 1, "width": 5.0, "height": 5.0}, "01005"),
        (0, {"actionType": "BLANK", "index": 1, "width": 5.0, "height": 5.0, "urls": ["http://127.0.0.1/x"]}, "01004"),
    ],
)
def test_what_cannot_be_is_refused_with_its_code(
    tmp_path: Path, files: int, parameters: dict[str, Any], code: str
) -> None:
    sources = [paper(tmp_path / f"{n}.pdf", "a", "b") for n in range(files)]
    with pytest.raises(Refused) as caught:
        done("pdf-insert", tmp_path, *sources, **parameters)
    assert caught.value.code == code


def test_passwords_of_target_and_source(tmp_path: Path) -> None:
    paths = []
    for name, password in (("t", "one"), ("s", "two")):
        path = paper(tmp_path / f"{name}.pdf", name)
        locked(path, password)
        paths.append(path)
    base: dict[str, Any] = {"actionType": "FROM_PDF", "index": 1, "insertPassword": "two", "protection": "drop"}
    assert words(done("pdf-insert", tmp_path, *paths, **base, targetPassword="one")) == ["s", "t"]
    assert words(done("pdf-insert", tmp_path, *paths, **base, password="one")) == ["s", "t"]
    with pytest.raises(Refused) as caught:
        done("pdf-insert", tmp_path, *paths, **base)
    assert caught.value.code == "02201"
