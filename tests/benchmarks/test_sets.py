"""Made documents: what is printed is what the truth says, and both are the same for the same seed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pikepdf
import pypdfium2
import pytest
from benchmarks.reading.markup import grid, neutral, plain, tables, with_html_tables
from benchmarks.reading.samples import by_label, collections
from benchmarks.sets import hypertext, latex, lectures, office, prints, reports, scans, scripts, tags, truth, typeset
from benchmarks.sets.documents import Block, Cell, Figure, Heading, Paragraph, Run, Table, cells, text
from benchmarks.sets.genres import GENRES
from benchmarks.sets.languages import LANGUAGES
from benchmarks.sets.layouts import LAYOUTS, mixed
from benchmarks.sets.printing import BROWSER, OFFICE, ours
from benchmarks.sets.prose import Prose
from benchmarks.sets.writing import Sample, check, write

needs_latex = pytest.mark.skipif(not shutil.which(latex.PROGRAM), reason="pdflatex is not installed")
needs_office = pytest.mark.skipif(not shutil.which(OFFICE), reason="LibreOffice is not installed")
needs_browser = pytest.mark.skipif(not shutil.which(BROWSER), reason="Chromium is not installed")

SPANNED = Table(
    (
        (Cell("District", rows=2), Cell("Sample A", 2), Cell("Sample B", 2)),
        cells(("N", "Mean", "N", "Mean")),
        cells(("North", "1", "2", "3", "4")),
    ),
    2,
    aligns="lrrrr",
)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_prose_is_the_same_for_the_same_seed_and_another_for_another(language: object) -> None:
    first, again, other = (Prose(Random(seed), language).sentences(5, 5) for seed in ("a", "a", "b"))  # type: ignore[arg-type]
    assert first == again != other


@pytest.mark.parametrize("kind", reports.TABLE_KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("seed", range(6))
def test_every_row_of_every_kind_of_table_has_all_columns(kind: reports.TableKind, seed: int) -> None:
    chance = Random(seed)
    made = kind.make(Prose(chance, LANGUAGES[seed % 3]))
    covered = {
        (r + i, c + j) for r, c, cell in office.places(made) for i in range(cell.rows) for j in range(cell.columns)
    }
    assert covered == {(r, c) for r in range(len(made.rows)) for c in range(len(made.aligns))}
    assert not made.widths or len(made.widths) == len(made.aligns)


@pytest.mark.parametrize("genre", GENRES, ids=lambda genre: genre.name)
def test_every_genre_says_something_in_every_language_of_accounts(genre: object) -> None:
    for language in LANGUAGES[:3]:
        blocks = genre.make(Prose(Random("x"), language))  # type: ignore[attr-defined]
        assert len(truth.markdown(blocks).split()) > 60


def test_truth_keeps_spans_and_pipes() -> None:
    (spanned,) = tables(truth.table(SPANNED))
    assert {at: said for at, (_, said) in grid(spanned).items()}[1, 0] == "District"
    piped = Table((cells(("a|b", "c")), cells(("1", "2"))), aligns="ll")
    (made,) = tables(with_html_tables(truth.table(piped)))
    assert [cell.text for cell in made.children[0].children] == ["a|b", "c"]


def test_a_table_without_a_head_gets_none_in_its_truth() -> None:
    (made,) = tables(with_html_tables(truth.table(Table((cells(("a", "1")), cells(("b", "2"))), 0, aligns="lr"))))
    assert [[cell.text for cell in row.children] for row in made.children] == [["a", "1"], ["b", "2"]]


def test_markup_is_made_neutral_and_words_stay() -> None:
    made = (
        "# **I. Data**\n\n* *one* [two](http://x.y) `three`<sup>4</sup>\n\n$$\nx\n$$\nsnake_case 2\\*3 Sum ........ 5"
    )
    assert neutral(made).split() == ["#", "I.", "Data", "-", "one", "two", "three4", "snake_case", "2*3", "Sum", "5"]


def test_signs_come_to_stand_in_columns_of_their_own() -> None:
    table = Table((cells(("", "2020")), cells(("Cost", "$ (1,234)")), cells(("Change", "(3.1)%"))), aligns="lr")
    apart = hypertext.with_signs_apart(table)
    assert [[cell.text for cell in row] for row in apart.rows] == [
        ["", "2020"],
        ["Cost", "$", "(1,234", ")"],
        ["Change", "", "(3.1", ")%"],
    ]
    assert apart.rows[0][1].columns == 3


def test_the_table_of_a_page_is_that_of_the_truth() -> None:
    assert tables(hypertext.table(SPANNED)) == tables(truth.table(SPANNED))


def test_floats_and_notes_stand_where_the_page_shows_them() -> None:
    """Block 1 floats to the top of page 2; the note of block 0 stands at the foot of page 1."""
    noted = Paragraph((Run("first"), Run("note", "note")))
    figure, second, heading, third = Figure("seen"), text("second"), Heading("Later"), text("third")
    blocks: list[Block] = [noted, figure, second, heading, third]
    places = "0 0 100 900\nn0 0 100 50\n1 1 100 900\n2 0 100 800\n4 1 100 700\n"
    found = latex.ordered(blocks, places, 2, 600)
    assert found == [noted, second, Paragraph((Run("1 note"),)), figure, heading, third]


def test_headings_are_numbered_as_their_class_does() -> None:
    assert [mixed(numbers) for numbers in ((4,), (4, 2), (4, 2, 9))] == ["IV.", "B.", "9."]
    layout = next(layout for layout in LAYOUTS if layout.name == "revtex")
    body: list[Block] = [Heading("Data"), Heading("Sources", 2), Heading("Results")]
    shown = typeset.as_shown(body, body, layout, LANGUAGES[0])
    assert [block.text for block in shown if isinstance(block, Heading)] == ["I. DATA", "A. Sources", "II. RESULTS"]


def test_tags_go_and_layers_stay(tmp_path: Path) -> None:
    tagged = tmp_path / "tagged.pdf"
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page()
        page.Contents = pdf.make_stream(b"/P <</MCID 0>> BDC q Q EMC /OC /L1 BDC 1 0 0 rg EMC")
        page.obj.StructParents = 0
        pdf.Root.StructTreeRoot = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
        pdf.save(tagged)
    tags.strip(tagged, tmp_path / "bare.pdf")
    assert tags.has_tags(tagged)
    assert not tags.has_tags(tmp_path / "bare.pdf")
    with pikepdf.open(tmp_path / "bare.pdf") as pdf:
        left = [str(each.operator) for each in pikepdf.parse_content_stream(pdf.pages[0])]
        assert left == ["q", "Q", "BDC", "rg", "EMC"]
        assert "/StructParents" not in pdf.pages[0].obj
        assert "/MarkInfo" not in pdf.Root


def test_a_set_on_disk_is_one_that_the_benchmark_reads(tmp_path: Path) -> None:
    def maker(number: int, seed: str, place: Path) -> Iterator[Sample]:
        said = Prose(Random(seed), LANGUAGES[0]).sentences(3, 3)
        pdf = place / "a.pdf"
        ours(f"<h1>Report {number}</h1><p>{said}</p>", pdf)
        yield Sample(("plain", "ours"), pdf, f"# Report {number}\n\n{said}\n")

    place = tmp_path / "place"
    place.mkdir()
    assert write(tmp_path / "out", "papers", "seen", 2, maker, place) == {"papers-seen": 2}
    (found,) = collections(tmp_path / "out")
    assert found == collections(tmp_path / "out" / "papers-seen")[0] or found.name == "papers-seen"
    assert found.half == "seen"
    scores = found.score({name: path.read_text() for name, path in _truths(tmp_path / "out" / "papers-seen").items()})
    assert set(scores["000_plain_ours"].values()) == {1.0}
    assert by_label(scores)["plain"]["overall"] == 1.0


def test_a_page_that_lacks_words_of_its_truth_is_refused(tmp_path: Path) -> None:
    pdf = tmp_path / "cut.pdf"
    ours("<p>only this</p>", pdf)
    check(Sample(("fine",), pdf, "only this\n"))
    with pytest.raises(RuntimeError, match="2 of 4 words missing"):
        check(Sample(("cut",), pdf, "only this and more\n"))


def test_a_scan_is_a_picture_with_its_words_and_a_pdf_without_any(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    assert write(tmp_path, "scans", "seen", 2, scans.scanned, tmp_path / "place") == {"scans-seen": 2}
    here = tmp_path / "scans-seen"
    (image,) = (here / "scans" / "images").glob("001_*.png")
    assert (here / "scans" / "truth" / f"{image.stem}.md").read_text("utf-8").split()
    (pdf,) = (here / "pdfs").glob("001_*.pdf")
    document = pypdfium2.PdfDocument(pdf)
    assert document[0].get_textpage().get_text_bounded() == ""
    document.close()


def test_a_word_file_has_the_cells_of_the_table(tmp_path: Path) -> None:
    import docx

    office.word([Heading("Report", 1), SPANNED], "grid", Random(1), tmp_path / "a.docx")
    (made,) = docx.Document(str(tmp_path / "a.docx")).tables
    assert [cell.text for cell in made.rows[0].cells] == ["District", "Sample A", "Sample A", "Sample B", "Sample B"]
    assert [cell.text for cell in made.rows[1].cells] == ["District", "N", "Mean", "N", "Mean"]


def test_a_workbook_has_the_cells_of_the_table(tmp_path: Path) -> None:
    import openpyxl

    office.sheet([Heading("Report", 1), SPANNED], "rules", Random(1), tmp_path / "a.xlsx")
    page = openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[0]
    values = [[cell.value for cell in row] for row in page.iter_rows(min_row=3, max_row=5)]
    assert values[2] == ["North", "1", "2", "3", "4"]
    assert {str(each) for each in page.merged_cells.ranges} == {"A3:A4", "B3:C3", "D3:E3"}


@needs_latex
@pytest.mark.parametrize("name", ["article", "revtex"])
def test_a_paper_shows_its_truth(name: str, tmp_path: Path) -> None:
    number = next(n for n, layout in enumerate(LAYOUTS) if layout.name == name)
    said = typeset.paper(number, "test", tmp_path / "paper.pdf")
    check(Sample((name,), tmp_path / "paper.pdf", said))
    assert said.startswith("# ")


@needs_latex
def test_a_table_of_contents_stands_in_the_truth_with_its_pages(tmp_path: Path) -> None:
    number = next(n for n, layout in enumerate(LAYOUTS) if layout.name == "contents")
    said = typeset.paper(number, "test", tmp_path / "paper.pdf")
    check(Sample(("contents",), tmp_path / "paper.pdf", said))
    assert re.search(r"\n\n1 \w.* \d+\n", said)


@needs_latex
def test_a_lecture_shows_its_truth(tmp_path: Path) -> None:
    (made,) = lectures.lecture(1, "test", tmp_path)
    check(made)
    assert made.truth.count("\n## ") > 4


@needs_browser
def test_a_page_from_right_to_left_shows_its_truth(tmp_path: Path) -> None:
    number = next(n for n, language in enumerate(scripts.LANGUAGES) if language.code == "he")
    for sample in scripts.printed(number, "test", tmp_path):
        check(sample)


def test_a_sign_that_is_no_tag_eats_no_words() -> None:
    assert plain("if p < 0.05 and <b>q</b> > 3") == "if p < 0.05 and q > 3"


@needs_latex
def test_latex_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Undefined control sequence"):
        latex.compiled(r"\documentclass{article}\begin{document}\nosuchthing\end{document}", tmp_path / "a.pdf")


@pytest.mark.slow
@needs_office
def test_a_report_by_libreoffice_has_tags_and_is_had_without(tmp_path: Path) -> None:
    number = next(n for n, kind in enumerate(reports.TABLE_KINDS) if kind.name == "word-styles")
    variants = {}
    for sample in reports.report(number, "test", tmp_path):
        check(sample)
        variants[sample.variant] = tags.has_tags(sample.pdf)
    assert variants == {"": True, "untagged": False}


@needs_browser
def test_a_print_by_a_browser_has_tags_and_is_had_without(tmp_path: Path) -> None:
    variants = {}
    for sample in prints.printed(0, "test", tmp_path):
        check(sample)
        variants[sample.variant] = tags.has_tags(sample.pdf)
    assert variants == {"": True, "untagged": False}


def _truths(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in (folder / "truth").glob("*.md")}
