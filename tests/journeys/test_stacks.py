"""A stack from the feeder becomes its documents, named by the codes of the sheets between them; also through kills."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from paperchute.app.separator_sheets import Sheet, write_sheets
from tests.journeys.daemon import Paperchute, names

RULES = r"""
version = 1
[[rule]]
name = "Post"
folder = "post"
operation = "pdf-split"
parameters = { separatorCode = "PATCHT" }
output = "Filed/{stem}/{code.customer} {part:02}.{ext}"
"""


def write_stack(path: Path, *customers: str) -> None:
    """A stack: for each customer a sheet and two pages."""
    with pikepdf.new() as pdf:
        for number, customer in enumerate(customers):
            sheet = path.with_name(f"{path.name}-{number}")
            write_sheets(sheet, [Sheet(f"customer={customer}")], "a4")
            with pikepdf.open(sheet) as made:
                pdf.pages.extend(made.pages)
                for _page in range(2):
                    pdf.add_blank_page(page_size=(595, 842))
                    pdf.pages[-1].Contents = pdf.make_stream(f"100 {100 + number} 300 20 re f".encode())
                pdf.save(path)
            sheet.unlink()


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    (tmp_path / "post").mkdir()
    yield paperchute
    paperchute.close()


def _pages(folder: Path) -> dict[str, int]:
    found = {}
    for name in names(folder):
        document = pypdfium2.PdfDocument(folder / name)
        found[name] = len(document)
        document.close()
    return found


@pytest.mark.slow
def test_a_stack_is_one_job_and_comes_whole_or_not_at_all_through_any_number_of_kills(
    office: Paperchute, tmp_path: Path
) -> None:
    chance, filed = random.Random(20261128), tmp_path / "Filed"
    customers = ["Huber", "../Ünal & Söhne", "Huber", "C:\\x"]
    write_stack(tmp_path / "stack.pdf", *customers)
    wanted = ["C__x 04.pdf", "Huber 01.pdf", "Huber 03.pdf", "_Ünal & Söhne 02.pdf"]
    for day in range(3):
        (tmp_path / "post" / f"day {day}.pdf").write_bytes((tmp_path / "stack.pdf").read_bytes())
    kills = 0
    while names(tmp_path / "post") and kills < 12:
        office.start()
        time.sleep(chance.uniform(0.5, 3.0))
        office.kill()
        kills += 1
        for day in range(3):
            assert len(names(filed / f"day {day}")) in (0, len(wanted)), "half a stack was delivered"
    assert office.run("run", "--once", timeout=300).returncode == 0
    for day in range(3):
        assert _pages(filed / f"day {day}") == dict.fromkeys(wanted, 2)
    jobs = office.json("jobs")
    assert [job["state"] for job in jobs] == ["done"] * 3
    assert "Taken out as separators: pages 1, 4, 7, 10." in str(jobs[0]["events"])
    assert office.run("undo", "--last", "--yes").returncode == 0
    assert len(names(tmp_path / "post")) == 1
