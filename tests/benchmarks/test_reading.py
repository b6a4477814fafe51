"""The scorers of the reading benchmark, on cases one can count by hand."""

from __future__ import annotations

import pytest
from benchmarks.reading.facts import holds
from benchmarks.reading.markup import tables, with_html_tables
from benchmarks.reading.readers import READERS
from benchmarks.reading.samples import halves
from benchmarks.reading.scores import cell_scores, markdown_scores
from benchmarks.reading.stages import PARTS
from benchmarks.reading.trees import Node, exact_distance, level_distance

TRUTH = "# A\n\nhello *big* world\n\n## B\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"


def test_the_truth_itself_gets_full_marks() -> None:
    assert set(markdown_scores(TRUTH, TRUTH).values()) == {1.0}
    assert set(cell_scores(TRUTH, TRUTH).values()) == {1.0}


def test_nothing_gets_none() -> None:
    scores = markdown_scores(TRUTH, "")
    assert scores["text"] == scores["tables"] == scores["headings"] == scores["overall"] == 0.0
    assert set(cell_scores(TRUTH, "").values()) == {0.0}


def test_both_notations_of_a_table_count_the_same() -> None:
    cells = "<table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table>"
    made = TRUTH.replace("| x | y |\n|---|---|\n| 1 | 2 |", cells)
    assert markdown_scores(TRUTH, made)["tables"] == 1.0


@pytest.mark.parametrize(
    ("old", "new", "cost"),
    [("| 1 | 2 |", "| 1 | 9 |", 1), ("| 1 | 2 |\n", "", 3), ("| 1 | 2 |", "| 1 | 9 |\n| 3 | 4 |", 4)],
)
def test_the_distance_of_tables_is_that_of_their_nodes(old: str, new: str, cost: int) -> None:
    a, b = (Node("root", children=tables(with_html_tables(text))) for text in (TRUTH, TRUTH.replace(old, new)))
    assert exact_distance(a, b, True) == level_distance(a, b, True) == cost
    assert markdown_scores(TRUTH, TRUTH.replace(old, new))["tables"] == 1 - cost / max(a.size, b.size)


def test_a_table_that_is_none_is_counted() -> None:
    assert markdown_scores("no table", "| a |\n|---|\n| b |")["no false tables"] == 0.0


def test_order_matters_to_text() -> None:
    assert markdown_scores("one two three", "three two one")["text"] < 1.0


def test_relations_are_those_of_neighbours_with_text() -> None:
    truth = "<table><tr><td colspan=2>h</td></tr><tr><td>a</td><td>b</td></tr></table>"
    made = "<table><tr><td>h</td><td></td></tr><tr><td>a</td><td>b</td></tr></table>"
    scores = cell_scores(truth, made)  # h-b below is lost: two of three
    assert scores == {"cell recall": 2 / 3, "cell precision": 1.0, "cell F1": 0.8}


def test_facts_are_checked() -> None:
    page = "The harbour  was **rebuilt** in 1898.\n\n| Port | Ships |\n|---|---|\n| Kiel | 12 |"
    assert holds({"type": "present", "text": "harbour was rebuilt"}, page)
    assert holds({"type": "present", "text": "harbor was rebuilt", "max_diffs": 2}, page)
    assert not holds({"type": "absent", "text": "HARBOUR"}, page)
    assert holds({"type": "order", "before": "harbour", "after": "1898"}, page)
    assert holds({"type": "table", "cell": "12", "left": "Kiel", "top_heading": "Ships"}, page)
    assert not holds({"type": "table", "cell": "12", "up": "Port"}, page)
    assert not holds({"type": "baseline"}, "")
    assert holds({"type": "math", "math": "x"}, page) is None


def test_facts_of_one_document_stay_in_one_half() -> None:
    found = halves({f"{name}#{n}": {"facts": 1.0} for name in ("a", "b", "c", "d") for n in range(3)})
    assert set(found) == {"seen", "held out"}
    assert len(halves({f"a#{n}": {"facts": 1.0} for n in range(9)})) == 1


def test_all_readers_have_names_of_packages() -> None:
    assert next(iter(READERS)) == "ours"
    assert {"liteparse", "pdf-inspector", "pypdfium2"} < set(READERS)


def test_each_part_of_reading_whose_time_is_told_is_looked_up_where_the_benchmark_says() -> None:
    assert [(owner, name) for parts in PARTS.values() for owner, name in parts if not hasattr(owner, name)] == []
