"""Which part of the form a dropped file becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.errors import PaperchuteError
from paperchute.language import speaking
from paperchute.service.upload import parts_for


def test_dropped_files_are_file_parts_in_order(tmp_path: Path) -> None:
    paths = [tmp_path / "b.pdf", tmp_path / "a.pdf"]
    assert parts_for("pdf-merge", paths, {"outputFileName": "x"}) == (
        (("file", paths[0]), ("file", paths[1])),
        {"outputFileName": "x"},
    )
    with pytest.raises(PaperchuteError, match="needs at least 2 files, but only one came"):
        parts_for("pdf-merge", paths[:1], {})
    with speaking("de"), pytest.raises(PaperchuteError, match="mindestens 2 Dateien, gekommen ist nur eine"):
        parts_for("pdf-merge", paths[:1], {})


def test_generation_sorts_html_templates_and_data(tmp_path: Path) -> None:
    page, data = tmp_path / "a.html", tmp_path / "a.json"
    page.write_text("<p>x</p>")
    data.write_text('{"a": 1}')
    assert parts_for("pdf-generate", [page], {})[0] == (("htmlFile", page),)
    assert parts_for("pdf-generate", [page], {"data": "{}"})[0] == (("templateFile", page),)
    files, rest = parts_for("pdf-generate", [data], {"templateFile": str(page), "pageWidth": 300.0})
    assert files == (("dataFile", data), ("templateFile", page))
    assert rest == {"pageWidth": 300.0}
    with pytest.raises(PaperchuteError, match="no template"):
        parts_for("pdf-generate", [data], {})


def test_a_dropped_pair_is_a_template_and_its_data(tmp_path: Path) -> None:
    page, data = tmp_path / "a.html", tmp_path / "a.json"
    page.write_text("<p>{{ a }}</p>")
    data.write_text('{"a": 1}')
    assert parts_for("pdf-generate", [page, data], {})[0] == (("templateFile", page), ("dataFile", data))
