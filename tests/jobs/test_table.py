"""Lists of rows as people and programs write them."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.jobs.lists import TableError, read_rows

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
    assert row.values == {"no": 7, "lines": [{"x": 1.5}], "name": "Ada"}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", b"", "has no rows"),
        ("a.csv", b"name,town\n", "has no rows"),
        ("a.csv", b"name,name\na,b\n", "names the column 'name' twice"),
        ("a.csv", b"name,town\na,b,c\n", "has more values than columns in line 2"),
        ("a.csv", b'name\n"a\n', "is not CSV in line 2"),
        ("a.csv", b"name\n" + b"x" * 200_000, "is not CSV in line 2"),
        ("a.csv", b"a\0b", "is not text"),
        ("a.json", b"{", "is not JSON: "),
        ("a.json", b"[NaN]", "holds NaN, which is not JSON"),
        ("a.json", b"[" * 100_000, "is not JSON"),
        ("a.json", b'{"a": 1}', "is not a list"),
        ("a.json", b'[{"a": 1}, 7]', "has an entry that is not an object: number 2"),
        ("a.json", b"[]", "has no rows"),
        ("a.csv", b"a\n" + b"x\n" * 100_001, "has more than 100,000 rows"),
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


def test_places_are_those_of_a_spreadsheet() -> None:
    rows = read_rows("a.csv", b'\nname;note\nAda;"two\nlines"\n\nBob;x\n')
    assert [row.place for row in rows] == ["line 3", "line 5"]
    assert [row.place for row in read_rows("a.json", b'[{"a": 1}, {"a": 2}]')] == ["entry 1", "entry 2"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", ",".join(f"c{n}" for n in range(1_000)).encode() + b"\n1" * 1_001, "1,000,000 cells (its rows times"),
        ("a.csv", ",".join(map(str, range(20_000))).encode() + b"\n1\n", "more than 1,000 columns"),
        ("a.csv", b"a,a" + b",a" * 500_000, "more than 1,000 columns"),
        ("a.csv", b"a\n1" + b"\n" * 1_000_001, "more than 1,000,000 lines"),
        ("a.csv", b"a" * ((16 << 20) + 1), "is larger than 16 MB"),
        ("a.json", b"[" + b"[]," * 1_000_000 + b"[]]", "more than 1,000,000 values"),
        ("a.json", b'[{"a": [' + b"0," * 1_000_000 + b"0]}]", "more than 1,000,000 values"),
        ("a.json", b'[{"a": "' + rb"\"" * 4_000_000, "is not JSON"),
        ("a.json", b'[{"a": ' + b"9" * 5_000 + b"}]", "a number with more than 300 digits (99999999999999999999…)"),
        ("a.json", b'[{"a": 1e999}]', "holds 1e999, which cannot be kept exactly as a number"),
        ("a.json", b'[{"a": 0.' + b"1" * 5_000 + b"}]", "which cannot be kept exactly as a number"),
        ("a.json", b'[{"a": 12345678901234567.89}]', "holds 12345678901234567.89, which cannot be kept exactly"),
        ("a.json", b'[{"a": 1, "b": 2, "a": 3}]', "has 'a' twice in one object"),
        ("a.json", b'[{"a": {"b": 1, "b": 1}}]', "has 'b' twice in one object"),
        ("a.json", json.dumps([{str(n): n for n in range(1_001)}]).encode(), "more than 1,000 values in entry 1"),
        ("a.json", b'[{"a": ' * 50_000, "nested too deeply"),
    ],
)
def test_what_would_take_too_much_is_refused_before_it_is_built(name: str, content: bytes, expected: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(TableError) as caught:
            read_rows(name, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert expected in caught.value.what
    assert peak < 256 << 20


def test_numbers_of_json_are_kept_as_they_are() -> None:
    (row,) = read_rows("a.json", b'[{"a": 123456789012345678901234567890, "b": 1250.50, "c": 1e3, "d": 0.1}]')
    assert dict(row.values) == {"a": 123456789012345678901234567890, "b": 1250.5, "c": 1000.0, "d": 0.1}
