"""Every word that a page shows is in the result, or left out for a reason, or told of."""

from __future__ import annotations

import zipfile
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest

from paperchute.contract import Value, contract
from paperchute.contract.words import told_of_words, word_counts
from paperchute.engine import ledger, report
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Line, Span
from paperchute.engine.expectation import expected_of
from paperchute.engine.operations import implementation
from paperchute.engine.readback import Expected
from paperchute.engine.reading.layout.marks import Font, PageMarks, Word
from paperchute.engine.word_count import lost_words
from paperchute.engine.work import Source, Work
from tests.engine.reading.printing import printed
from tests.engine.reading.sheets import Said, written
from tests.engine.reading.test_running_heads import FORMATS, _paragraph, _reports

QUAD = Quad.of(Box(0, 0, 9, 9))


def _word(text: str, glued: bool = False) -> Word:
    return Word(text, 0, 0, 9, 9, 8, 9, Font(), glued)


def _block(*lines: str) -> Block:
    return Block("text", QUAD, tuple(Line(QUAD, (Span(line),)) for line in lines))


@pytest.mark.parametrize(
    ("words", "lines", "lost"),
    [
        ("brick and timber", ["brick and", "timber"], 0),
        ("brick and timber", ["timber", "and brick"], 0),
        ("brick and timber", ["brick timber"], 1),
        ("brick and timber", ["brickand timber"], 0),
        ("brick brick", ["brick"], 1),
        ("brick and timber", [], 3),
        ("brick", ["• brick"], 0),
        ("4.20 EUR", ["4.2 EUR"], 1),
    ],
)
def test_what_is_lost_between_page_and_blocks_is_counted(words: str, lines: list[str], lost: int) -> None:
    assert lost_words([_word(text) for text in words.split()], [_block(*lines)]) == lost


def test_rows_of_dots_are_no_words() -> None:
    """They lead the eye, and tables leave them out."""
    words = [_word(text) for text in ("Total", ".", ".", "....", "…", "12.50")]
    with ledger.kept() as book:
        ledger.account(PageMarks(1, 9, 9, words=words), [_block("Total 12.50")])
    assert (book.shown, book.lost.total()) == (2, 0)


def test_pieces_of_one_printed_word_are_one() -> None:
    words = [_word("un"), _word("believ", glued=True), _word("able", glued=True)]
    assert lost_words(words, []) == 1


def test_it_is_told_page_by_page() -> None:
    with ledger.kept() as book:
        for page in (1, 2):
            marks = PageMarks(page, 9, 9, words=[_word("brick"), _word("timber")])
            ledger.account(marks, [_block("brick")] if page == 1 else [])
            ledger.account(marks, [])  # asked for twice, counted once
    assert book.counts() == {"shown": 4, "written": 1, "outside": 0, "recognised_anew": 0, "unaccounted": 3}
    assert list(book.sentences()) == [
        "1 word of page 1 could not be placed.",
        "2 words of page 2 could not be placed.",
    ]


@pytest.mark.parametrize("operation", sorted({*FORMATS, "pdf-to-csv"} - {"pdf-to-csv"}))
def test_each_format_accounts_for_every_word(operation: str, tmp_path: Path) -> None:
    counts, _ = _counted(operation, written(tmp_path / "a.pdf", _reports(4)), tmp_path / "out")
    assert counts["unaccounted"] == 0
    if operation != "document-parsing":
        assert (counts["page_number"], counts["running_head"]) == (4, 6)
    left_out = sum(count for name, count in counts.items() if name not in ("shown", "written"))
    assert counts["written"] + left_out == counts["shown"] > 400


@pytest.mark.parametrize("operation", sorted(FORMATS))
def test_what_a_writer_loses_is_found(operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The book is told of blocks that the writer never sees."""
    extra = _block("Lighthouse keepers everywhere")
    add = Expected.add
    monkeypatch.setattr(Expected, "add", lambda self, block: (add(self, extra), add(self, block)))
    said = [[*_paragraph(100, 1)]]
    counts, _ = _counted(operation, written(tmp_path / "a.pdf", said), tmp_path / "out")
    assert counts["unaccounted"] == 3


@pytest.mark.parametrize("x", [540.0, 565.0])
def test_a_word_over_the_edge_is_read(x: float, tmp_path: Path) -> None:
    pdf = written(tmp_path / "a.pdf", [[Said("Donaudampfschifffahrtsgesellschaft", x, 300, 14)]])
    counts, paths = _counted("pdf-to-markdown", pdf, tmp_path / "out")
    assert paths[0].read_text("utf-8") == "Donaudampfschifffahrtsgesellschaft\n"
    assert counts["unaccounted"] == counts["outside"] == 0


def test_the_page_of_a_word_that_the_result_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The book is told of words that the writer never sees: one of a single page, and one that two pages have."""
    add = Expected.add

    def told(self: Expected, block: Block) -> None:
        add(self, _block("everywhere", *(["lighthouse"] if self.page == 2 else [])))
        add(self, block)

    monkeypatch.setattr(Expected, "add", told)
    pdf = written(tmp_path / "a.pdf", [[Said("Brick and timber.", 72, 300)], [Said("Storm.", 72, 300)]])
    book = _held("pdf-to-docx", pdf, tmp_path / "out")
    assert (book.lost, book.joined) == ({0: 2, 2: 1}, [])
    assert "1 word of page 2 could not be placed." in list(book.sentences())


@pytest.mark.parametrize(("said", "pages"), [("lamp 12.50", [2]), ("lamp12.50", []), ("lamp 12.50 lamp12.50", [])])
def test_words_that_run_into_each_other_are_told(tmp_path: Path, said: str, pages: list[int]) -> None:
    (tmp_path / "a.txt").write_text("Desk lamp12.50 of brick")
    expected = expected_of(Work("pdf-to-txt", (), {}, tmp_path))
    assert expected is not None
    for expected.page, text in enumerate(("Desk of brick", said), start=1):
        expected.add(_block(text))
    assert expected.missing([tmp_path / "a.txt"]).joined == pages
    with ledger.kept() as book:
        book.expected = expected
        book.hold([tmp_path / "a.txt"])
    told = "Words on page 2 have run into each other in the result, so check them."
    assert (told in book.sentences()) == bool(pages)


def test_words_of_slides_are_told_apart_by_their_places(tmp_path: Path) -> None:
    cells = "<tr><td>Timber Storm<br><small>Repair pilot vessel.</small></td><td>46</td></tr>" * 3
    pdf = printed(tmp_path / "a.pdf", f"<table>{cells}</table>", "table{border-collapse:collapse} td{border:1px solid}")
    assert _held("pdf-to-pptx", pdf, tmp_path / "out").joined == []


def test_words_off_the_page_are_counted_and_told(tmp_path: Path) -> None:
    pages = [[Said("seen", 72, 300)], [Said("seen", 72, 300), Said("never seen", 700, 300)]]
    with report.noted() as notes:
        counts, _ = _counted("pdf-to-markdown", written(tmp_path / "a.pdf", pages), tmp_path / "out")
    assert (counts["shown"], counts["written"], counts["outside"]) == (4, 2, 2)
    assert notes == ["Some words lie beyond the edges of page 2, where nobody sees them. They are not in the result."]


def test_what_cells_of_a_workbook_show_with_their_numbers_is_there(tmp_path: Path) -> None:
    """Currencies and months stand in the formats of cells, or in the value of a date."""
    rows = [
        ("EUR 1,250.00", "12.50 CHF", "October 1, 2018"),
        ("EUR 9.00", "0.70 CHF", "May 13, 2018"),
        ("EUR 13.50", "14.00 CHF", "3. März 2024"),
    ]
    cells = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
    css = "table{border-collapse:collapse} td{border:1px solid #000;padding:3px}"
    pdf = printed(tmp_path / "a.pdf", f"<table>{cells}</table>", css)
    counts, (path,) = _counted("pdf-to-xlsx", pdf, tmp_path / "out")
    values = [cell.value for row in openpyxl.load_workbook(path)["Table 1"].iter_rows() for cell in row]
    assert sum(isinstance(value, float | int) for value in values) == 6
    assert sum(isinstance(value, datetime) for value in values) == 3
    assert counts["unaccounted"] == 0


def test_a_month_that_no_cell_has_is_missing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as parts:
        parts.writestr("xl/styles.xml", '<numFmts/><cellXfs><xf numFmtId="0"/></cellXfs>')
        parts.writestr("xl/worksheets/sheet1.xml", '<c r="A1" s="0"><v>43374</v></c>')
    work = Work("pdf-to-xlsx", (), {}, tmp_path)
    expected = expected_of(work)
    assert expected is not None
    expected.add(_block("October"))
    assert expected.missing([tmp_path / "a.xlsx"]).lost.total() == 1


def _counted(operation: str, pdf: Path, folder: Path, **given: Value) -> tuple[dict[str, int], list[Path]]:
    book = _held(operation, pdf, folder, **given)
    return book.counts(), sorted(folder.iterdir())


def _held(operation: str, pdf: Path, folder: Path, **given: Value) -> ledger.Ledger:
    folder.mkdir()
    defaults = {p.name: p.default for p in contract().operations[operation].parameters if p.default is not None}
    work = Work(operation, (Source("file", pdf, pdf.name, "pdf"),), {**defaults, **given}, folder)
    with ledger.kept() as book:
        book.expected = expected_of(work)
        assert book.expected is not None
        book.hold(implementation(operation).run(work))
    return book


@pytest.mark.parametrize("value", [None, [], "7", {"shown": True}, {"shown": -1}, {"shown": 10**12}, {"more": 7}])
def test_counts_of_a_foreign_answer_are_taken_with_care(value: object) -> None:
    assert word_counts(value) == {}
    assert told_of_words(word_counts(value)) == ""


def test_counts_in_a_line() -> None:
    assert (
        told_of_words({"shown": 9, "written": 8, "page_number": 1}) == "words read: 9, written: 8, in page numbers: 1"
    )
