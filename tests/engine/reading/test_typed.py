"""Documents in typewriter letters: their type tells no code, unless they are programs or logs."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reading.printing import blocks, markdown, printed

STATEMENT = """
HARTLEY BANK PLC

DATE    DETAILS                   WITHDRAWN     PAID IN     BALANCE
-------------------------------------------------------------------
        BALANCE BROUGHT FORWARD                            3,945.33
01MAR   CARD PAYMENT RAIL            392.12
02MAR   CARD PAYMENT RAIL            467.50                3,085.71
03MAR   INTEREST PAID                            135.41
04MAR   CARD PAYMENT TESCO            69.82                3,151.30
05MAR   CASH MACHINE                 197.78
06MAR   DIRECT DEBIT WATER           154.05                2,799.47

Please check each entry and tell us within thirty days where one of
them is not known to you.
"""

REPORT = """
             WATER IN THE NORTHERN PARISHES

                     by A. Hartley

SUMMARY OF FINDINGS

     The  wells  were measured in three years, and in each of them
the  water  stood  higher  than  in  the  one  before. Where older
records were found, they agree with this.

SOURCES OF ERROR

     Two  of  the  gauges  had  been  moved  by  their owners, and
readings  of  these  were  left  out. The others are as exact as a
gauge of this kind can be.
"""

TRANSCRIPT = """
 1           THE COURT:  The witness may be seated, and counsel

 2   may go on with the questions of this morning.

 3        Q.   Did you see the letter before it was sent to the

 4   members of the council?

 5        A.   I did not, and as far as I remember nobody in the

 6   office had seen it before the end of that week.
"""

PROGRAM = """
def total(rows):
    result = {}
    for name, amount in rows:
        result[name] = result.get(name, 0) + amount
    return sorted(result.items(), key=lambda item: -item[1])

if __name__ == "__main__":
    print(total(read(sys.argv[1])))
"""


def _typed(path: Path, text: str) -> Path:
    return printed(path, f"<pre>{text.strip(chr(10))}</pre>", "pre{font-family:monospace;font-size:10pt}")


def test_a_statement_in_typewriter_letters_is_a_table_with_each_amount_in_its_column(tmp_path: Path) -> None:
    text = markdown(_typed(tmp_path / "a.pdf", STATEMENT), tmp_path / "out")
    assert "| DATE | DETAILS | WITHDRAWN | PAID IN | BALANCE |" in text
    assert "| 02MAR | CARD PAYMENT RAIL | 467.50 |  | 3,085.71 |" in text
    assert "| 03MAR | INTEREST PAID |  | 135.41 |  |" in text
    assert "--- |\n|  | BALANCE BROUGHT FORWARD |  |  | 3,945.33 |" in text
    assert "within thirty days where one of them is not known to you." in text


def test_a_typed_report_has_headings_and_paragraphs_whatever_spaces_its_lines_have(tmp_path: Path) -> None:
    found = blocks(_typed(tmp_path / "a.pdf", REPORT))
    said = [(block.kind, " ".join(block.text.split())) for block in found]
    heads = ["WATER IN THE NORTHERN PARISHES", "SUMMARY OF FINDINGS", "SOURCES OF ERROR"]
    assert [text for kind, text in said if kind == "paragraph_title"] == heads
    assert ("text", " ".join(REPORT.split("ERROR")[1].split())) in said
    assert {kind for kind, _ in said} == {"paragraph_title", "text"}


def test_the_numbers_of_typed_lines_go_aside(tmp_path: Path) -> None:
    found = blocks(_typed(tmp_path / "a.pdf", TRANSCRIPT))
    said = [" ".join(block.text.split()) for block in found if block.kind == "text"]
    assert "Q. Did you see the letter before it was sent to the members of the council?" in " ".join(said)


def test_programs_and_logs_stay_code(tmp_path: Path) -> None:
    log = "\n".join(f"2024-03-01 08:{n:02} INFO Nightly copy number {n} made on the second disk" for n in range(20))
    for text in (PROGRAM, log):
        (block,) = blocks(_typed(tmp_path / "a.pdf", text.replace("<", "&lt;")))
        assert block.kind == "code"
