"""What lies in a dropped folder and is no file of the set is counted first: a warning, or the set is held."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from paperchute.app.reasons import told_of_reason
from tests.app.test_late_files import Office, made
from tests.watch.conftest import PDF


def _link(office: Office) -> None:
    (office.hot.parent / "other.pdf").write_bytes(PDF)
    (office.hot / "set/2.pdf").symlink_to("../../other.pdf")


def _dangling(office: Office) -> None:
    (office.hot / "set/2.pdf").symlink_to("nowhere.pdf")


def _folder_link(office: Office) -> None:
    (office.hot.parent / "more").mkdir()
    (office.hot / "set/2.pdf").symlink_to("../../more")


def _pipe(office: Office) -> None:
    os.mkfifo(office.hot / "set/2.pdf")


def _temporary(office: Office) -> None:
    (office.hot / "set/2.pdf~").write_bytes(PDF)


def _half_made(office: Office) -> None:
    (office.hot / "set/2.pdf.tmp").mkdir()
    (office.hot / "set/2.pdf.tmp/2.pdf").write_bytes(PDF)


def _hidden(office: Office) -> None:
    (office.hot / "set/.2.pdf").write_bytes(PDF)


UNFIT = [_link, _dangling, _folder_link, _pipe, _temporary, _half_made, _hidden]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
@pytest.mark.parametrize("unfit", UNFIT)
def test_what_no_set_can_have_is_a_warning_and_goes_where_its_folder_goes(unfit: Callable[[Office], None]) -> None:
    with made() as office:
        office.drop("1.pdf")
        unfit(office)
        office.drop("3.pdf")
        office.wait()
        (job,) = office.jobs()
        assert job.state == "warned"
        assert "2.pdf" in job.warnings[0]
        assert not os.path.lexists(office.hot / "set")
        filed = (office.hot.with_name("hot.done") / "set").iterdir()
        assert any(path.name.lstrip(".").startswith("2.pdf") for path in filed)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
@pytest.mark.parametrize("unfit", UNFIT)
def test_where_the_rule_says_so_it_holds_the_set(unfit: Callable[[Office], None]) -> None:
    with made({"left_out": "hold"}) as office:
        office.drop("1.pdf")
        unfit(office)
        office.wait()
        (job,) = office.jobs()
        assert job.state == "failed"
        assert office.service.calls == []


def test_a_name_with_a_hash_is_a_document_wherever_it_lies() -> None:
    with made() as office:
        office.drop("1.pdf", "#2.pdf", "#more/3.pdf")
        office.drop("1.pdf", "2.pdf", folder="Sediments")
        office.drop("1.pdf", "2.pdf", folder="#4711 Miller")
        office.wait()
        assert {job.path.name: len(job.members) for job in office.jobs("done")} == {
            "set": 3,
            "Sediments": 2,
            "#4711 Miller": 2,
        }


def test_folders_of_programs_are_no_part_of_a_set_and_none_themselves() -> None:
    with made() as office:
        office.drop("1.pdf", "2.pdf", "@eaDir/1.pdf/THUMB.pdf", ".git/2.pdf", "__MACOSX/._1.pdf")
        office.drop("1.pdf", folder="#recycle")
        office.drop("1.pdf", folder=".hidden")
        office.wait()
        (job,) = office.jobs()
        assert (job.state, office.names(job)) == ("done", {"1.pdf", "2.pdf"})
        left = {path.name for path in office.hot.iterdir()}
        assert left == {"#recycle", ".hidden"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
def test_a_set_of_links_alone_is_not_called_empty() -> None:
    with made() as office:
        (office.hot / "set").mkdir()
        _link(office)
        office.filling.tell("set", "appeared", folder=True)
        office.wait()
        assert office.jobs() == []
        (entry,) = office.filling.root.table.values()
        assert entry.reason == "unfit"
        assert "links" in told_of_reason("unfit")


@pytest.mark.parametrize(("first", "second"), [("Set", "set"), ("GRÜN", "grün"), ("straße", "STRASSE")])
def test_results_whose_names_differ_in_letter_case_alone_clash_on_every_system(first: str, second: str) -> None:
    """On a share that is synced to Windows or macOS one would hide the other."""
    with made() as office:
        for name in (first, second):
            office.drop("1.pdf", "2.pdf", folder=name)
            office.wait()
        out = office.hot.with_name("hot.out")
        assert sorted(path.stem for path in out.iterdir()) == sorted([first, f"{second} (2)"])
        (out / f"{first}.md").unlink()
        office.drop("1.pdf", "2.pdf", "3.pdf", folder=second)
        office.wait()
        assert (out / f"{second}.md").exists(), "what is gone hides nothing"


def test_a_set_of_which_too_little_is_taken_says_what_was_left_out() -> None:
    with made() as office:
        office.drop("1.pdf", "2 offer.docx", "3 site.jpg", "4 prices.xlsx")
        office.wait()
        (job,) = office.jobs()
        assert job.state == "failed"
        for name in ("2 offer.docx", "3 site.jpg", "4 prices.xlsx"):
            assert name in (job.error or "")
        assert "at least 2 files" in (job.error or "")
        text = office.hot.with_name("hot.failed") / "set.error.txt"
        assert "Left out of the result" in text.read_text("utf-8")
        assert office.service.calls == []
