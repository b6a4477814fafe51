"""Lists of rows as people and programs write them."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.jobs.table import TableError, read_rows

NAMES = [{"name": "Ada", "town": "Bonn"}, {"name": "Böb, jr.", "town": ""}]


def read(name: str, content: bytes) -> list[dict[str, object]]:
    return [dict(row.values) for row in read_rows(name, content)]


@pytest.mark.parametrize(
    "content",
    [
        'name,town\nAda,Bonn\n"Böb, jr.",\n'.encode(),
        "name;town\r\nAda;Bonn\r\n\r\nBöb, jr.\r\n".encode(),
        "name\ttown\nAda\tBonn\nBöb, jr.\t\n".encode("utf-8-sig"),
        "name|town\nAda|Bonn\nBöb, jr.|\n".encode("utf-16"),
        "\n name ; town ;;\nAda;Bonn;;\nBöb, jr.;;;\n".encode("cp1252"),
    ],
    ids=["comma", "semicolon", "tab", "bar", "office"],
)
def test_csv_as_programs_write_it(content: bytes) -> None:
    assert read("a.csv", content) == NAMES


def test_json_rows_keep_their_types_and_give_names_only_plain_ones() -> None:
    (row,) = read_rows("a.json", b'[{"no": 7, "lines": [{"x": 1.5}], "name": "Ada"}]')
    assert row.texts == {"no": "7", "name": "Ada"}
    assert json.loads(row.data({"name"})) == {"no": 7, "lines": [{"x": 1.5}]}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", b"", "holds no rows"),
        ("a.csv", b"name,town\n", "holds no rows"),
        ("a.csv", b"name,name\na,b\n", "names the column 'name' twice"),
        ("a.csv", b"name,town\na,b,c\n", "has more values than columns in line 2"),
        ("a.csv", b'name\n"a\n', "is no CSV in line 2"),
        ("a.csv", b"name\n" + b"x" * 200_000, "is no CSV in line 2"),
        ("a.csv", b"a\0b", "is no text"),
        ("a.json", b"{", "is no JSON: "),
        ("a.json", b"[NaN]", "is no JSON"),
        ("a.json", b"[" * 100_000, "is no JSON"),
        ("a.json", b'{"a": 1}', "is no list"),
        ("a.json", b'[{"a": 1}, 7]', "has an entry that is no object, the 2. one"),
        ("a.json", b"[]", "holds no rows"),
        ("a.csv", b"a\n" + b"x\n" * 100_001, "has more than 100000 rows"),
    ],
)
def test_what_is_no_list_says_why(name: str, content: bytes, expected: str) -> None:
    with pytest.raises(TableError) as caught:
        read_rows(name, content)
    assert expected in caught.value.what
    assert caught.value.what.startswith("a.")


CELLS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


@given(st.lists(st.tuples(CELLS, CELLS).filter(lambda row: any(cell.strip() for cell in row)), min_size=1, max_size=5))
def test_whatever_a_csv_writer_writes_is_read_back(rows: list[tuple[str, str]]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("one", "two"), *rows])
    assert [tuple(row.values()) for row in read("a.csv", text.getvalue().encode())] == rows


@given(st.sampled_from(["a.csv", "a.tsv", "a.json"]), st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(name: str, content: bytes) -> None:
    problem = "a."
    try:
        assert read_rows(name, content)
    except TableError as error:
        problem = error.what
    assert problem.startswith("a.")
