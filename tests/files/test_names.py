from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paperchute.files.names import (
    COMPANIONS,
    PRIVATE_FOLDERS,
    is_private,
    is_temporary,
    is_transfer,
    natural_order,
    quoted,
    safe_name,
    shorten,
)

any_text = st.text(st.characters(), max_size=60)  # surrogates and control characters included


@pytest.mark.parametrize(
    "name",
    [
        *("a.pdf.crdownload", "Unconfirmed 123456.crdownload", "a.opdownload", "a.pdf.part", "XyZ12.pdf.part"),
        *("a.pdf.download", "a.partial", "a.filepart", "film.iso.aria2", "film.!ut", "film.!qB"),
        *(".~lock.report.odt#", "lu1234abcd.tmp", "~$report.docx", "~WRD0001.tmp", "1A2B3C4D.tmp", "~WRL1234.tmp"),
        *(".goutputstream-ABC123", ".report.pdf.Xy12Zb", ".nfs000000a1", ".fuse_hidden0001"),
        *("._report.pdf", ".DS_Store", "Thumbs.db", "THUMBS.DB", "desktop.ini", "Icon\r"),
        *(".syncthing.report.pdf.tmp", "~syncthing~report.pdf.tmp", ".~a1b2c3"),
        *(".report.pdf.swp", "report.pdf~", "#report.txt#", ".#report.txt", ".smbdelete0123"),
        *(".out.paperchute~", ".probe-x8.paperchute~", "a.TMP", ".two\nlines.pdf.Xy12Zb"),
    ],
)
def test_half_made_and_housekeeping_files_are_never_taken(name: str) -> None:
    assert is_temporary(name)


@pytest.mark.parametrize(
    "name",
    [
        *("report.pdf", "party.pdf", "temp.pdf", "tmp", "download.html", "partial", "~draft.pdf", "20240101"),
        *("-rf.pdf", "two\nlines.pdf", "ünïcode.docx", "bytes\udcff.pdf", "sedan.pdf", ".hidden.pdf", "C#.pdf"),
        *(
            "#4711 Invoice.pdf",
            "#2.pdf",
            "#12 Miller.docx",
            "#",
            "Sediments",
            "Sedentary",
            "sedan2024",
            "~temp plan.pdf",
        ),
        *("~template.docx", ".nfs-manual.pdf", "#more", "Sedlaczek", "2024~2025.pdf"),
    ],
)
def test_ordinary_documents_are_not_mistaken_for_temporary_ones(name: str) -> None:
    assert not is_temporary(name)


@pytest.mark.parametrize(
    "name",
    [
        *("@eaDir", "#recycle", "#snapshot", ".@__thumb", "@Recycle", ".zfs", ".snapshots", "~snapshot", "lost+found"),
        *(".stversions", ".stfolder", ".sync", ".git", ".recycle", ".Trash-1000", ".AppleDouble", "__MACOSX"),
        *("Network Trash Folder", "$recycle.bin", "System Volume Information", "Plan.pdf.sb-1a2b3c4d-Xy12Zb"),
        *(".paperchute-claim-host-0a1b2c3d", ".paperchute-watchers"),
    ],
)
def test_folders_of_programs_are_known_by_name(name: str) -> None:
    assert is_private(name)


@pytest.mark.parametrize(
    "name", ["#4711", "@Inbox", "Sync", "Recycling", "git", "CVs", "snapshots", "Trash", "Temporary", "Found", "a.sb-1"]
)
def test_folders_of_people_are_not_taken_for_a_programs_own(name: str) -> None:
    assert not is_private(name)


def test_every_folder_of_programs_stands_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "watching.md").read_text("utf-8")
    assert [one for one in PRIVATE_FOLDERS if f"`{one}`" not in text] == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *(("trail.pdf ", "'trail.pdf '"), ("\u00a0a.pdf", r"'\xa0a.pdf'"), ("a\u200bb.pdf", r"'a\u200bb.pdf'")),
        *(
            ("a b.pdf", "a b.pdf"),
            ("Übung 🏳️\u200d🌈.pdf", "Übung 🏳️\u200d🌈.pdf"),
            ("می\u200cخواهم.pdf", "می\u200cخواهم.pdf"),
        ),
    ],
)
def test_what_nobody_sees_of_a_name_is_shown_in_a_sentence(name: str, told: str) -> None:
    assert quoted(name) == told


def test_every_companion_is_itself_a_running_transfer() -> None:
    assert all(is_transfer("a.pdf" + end) and is_temporary("a.pdf" + end) for end in COMPANIONS)


@given(any_text)
@example("nul.txt")
@example("COM¹")
@example("aux .tar.gz")
@example(" . .. ")
@example("a/../b\\c:d")
@example("tr\u0301\u0327ailing. .\u3000")
@example("\u202efdp.exe")
def test_a_safe_name_is_valid_on_every_platform(text: str) -> None:
    name = safe_name(text)
    assert name
    assert name not in (".", "..")
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f\x7f]', name)
    assert name == name.strip()
    assert not name.endswith((".", " "))
    assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)\s*(\..*)?", name)
    assert unicodedata.is_normalized("NFC", name)
    name.encode("utf-8")
    assert safe_name(name) == name


def test_a_good_name_is_left_as_it_is() -> None:
    assert safe_name("Ångström & Söhne (2024) – nº 3.pdf") == "Ångström & Söhne (2024) – nº 3.pdf"


@given(any_text.filter(lambda stem: bool(safe_name(stem).strip("_"))), st.sampled_from([".pdf", "", " (2).docx"]))
def test_a_shortened_name_fits_and_starts_as_before(stem: str, suffix: str) -> None:
    stem = safe_name(stem)
    try:
        name = shorten(stem, suffix, 40)
    except ValueError:
        return  # one letter with more marks than there is room
    assert len(name.encode()) <= 40
    assert name.endswith(suffix)
    assert stem.startswith(name.removesuffix(suffix))
    assert name == stem + suffix or not name.removesuffix(suffix).endswith((".", " "))


def test_shortening_never_splits_a_letter_from_its_accent_or_an_emoji_from_its_joiner() -> None:
    assert shorten("ab" + "e\u0301" * 9, "", 7) == "ab" + "e\u0301"
    assert shorten("x👩\u200d🔬", ".pdf", 14) == "x.pdf"
    assert shorten("ä" * 300, ".pdf") == "ä" * 125 + ".pdf"


def test_a_suffix_without_room_for_a_stem_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        shorten("stem", "." + "x" * 300)


def test_pages_are_ordered_as_people_count() -> None:
    names = ["b/1.pdf", "page 10.pdf", "Page 2.pdf", "page 1.pdf", "a/x.pdf", "bytes\udcff.pdf"]
    ordered = [path.as_posix() for path in natural_order(map(Path, names))]
    assert ordered == ["a/x.pdf", "b/1.pdf", "bytes\udcff.pdf", "page 1.pdf", "Page 2.pdf", "page 10.pdf"]


@given(st.lists(st.text("aB01 ./_", min_size=1, max_size=8), max_size=8))
def test_the_order_does_not_depend_on_how_the_folder_was_listed(names: list[str]) -> None:
    paths = [Path(name) for name in names]
    assert natural_order(paths) == natural_order(reversed(paths))
