"""Texts that rules put on pages: what they fill in, what `check` says before, and a stamp that is read again."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path, PurePosixPath

import pypdfium2 as pdfium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.output import filled_texts, page_texts
from paperchute.rules.tables import Step
from tests.jobs.makers import make_rule
from tests.journeys.daemon import Paperchute, names
from tests.journeys.documents import write_pdf
from tests.rules.test_file import problems

HEAD = 'version = 1\n[[rule]]\nname = "Paid"\nfolder = "paid"\noperation = "pdf-add-watermark"\n'
NOW = datetime(2026, 3, 12, 9).timestamp()


def stamp(text: str, more: str = "") -> str:
    return f"{HEAD}{more}parameters = {{ type = \"text\", text = '{text}' }}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PAID {day}", "there is no placeholder {day}"),
        ("No {counter}", "there is no placeholder {counter}"),  # which counts results, and none is there yet
        ("PAID {date:%Q}", "{date:%Q} cannot be filled in"),
        ("{stem:3}", "{stem:3} cannot be filled in"),
    ],
)
def test_what_stands_for_nothing_is_said_before_the_first_file(tmp_path: Path, text: str, said: str) -> None:
    assert any(said in problem for problem in problems(tmp_path, stamp(text)))


def test_braces_of_its_own_stay() -> None:
    assert filled_texts("pdf-add-watermark", {"text": "{ {} } {page}"}, {}, now=NOW) == {"text": "{ {} } {page}"}


@given(st.text())
def test_the_name_of_a_file_is_filled_in_once(name: str) -> None:
    said = filled_texts("pdf-add-watermark", {"text": "<{stem}>", "type": "text"}, {"stem": name}, now=NOW)
    assert said == {"text": f"<{name}>"}


def test_a_file_s_own_parameters_go_before_and_a_pattern_s_groups_are_known() -> None:
    rule = make_rule(
        Path("/base/hot").absolute(), steps=(Step("pdf-add-watermark", {}),), pattern=r"(?P<client>\d+)\.pdf"
    )
    (step,) = rule.steps
    texts = page_texts(rule, step, {"text": "{client} {date:%d.%m.%Y} {pages}"}, PurePosixPath("4711.pdf"), now=NOW)
    assert texts == {"text": "4711 12.03.2026 {pages}"}


def test_a_stamp_bears_the_day_and_the_name(tmp_path: Path) -> None:
    office = Paperchute(tmp_path, stamp("PAID {date:%d.%m.%Y} {stem}"))
    (tmp_path / "paid").mkdir()
    write_pdf(tmp_path / "paid" / "Bill 7.pdf", "Dear reader")
    done = office.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert names(tmp_path / "paid.out") == ["Bill 7.pdf"]
    done = office.run(
        "do", "pdf-add-watermark", str(tmp_path / "paid.out" / "Bill 7.pdf"), "-p", "type=text", "-p",
        "text=SENT {date:%Y} {name}", "-o", str(tmp_path / "sent.pdf"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    with pdfium.PdfDocument(tmp_path / "sent.pdf") as pdf:
        text = pdf[0].get_textpage().get_text_bounded()
    assert re.search(r"PAID \d\d\.\d\d\.20\d\d Bill 7\b", text), text
    assert re.search(r"SENT 20\d\d Bill 7\.pdf", text), text
