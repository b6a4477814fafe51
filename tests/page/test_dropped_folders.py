"""A folder that is dropped on the page is in the hot folder whole, in one step, or not at all."""

from __future__ import annotations

import errno
import shutil
import socket
from collections import namedtuple
from pathlib import Path

import pytest

from paperchute.files import placement
from paperchute.page import drops
from paperchute.page.picture import folder_id
from tests.page.conftest import RULES, Shown, until


@pytest.fixture(name="rules")
def _rules() -> str:
    return RULES.replace('folder = "in"', 'folder = "in"\nrecursive = true')


@pytest.fixture(autouse=True)
def _inside(shown: Shown) -> None:
    shown.enter()


def begun(shown: Shown, name: str = "2026-11") -> str:
    """The address of a folder that is about to come."""
    token = shown.client.post(f"{shown.drops}/sets/{name}").json()["set"]
    return f"/api/sets/{token}"


def test_a_folder_is_there_whole_or_not_at_all(shown: Shown) -> None:
    whole = begun(shown)
    assert shown.client.put(f"{whole}/page%201.pdf", content=b"1").json() == {"taken": True}
    assert shown.client.put(f"{whole}/in/er/page%202.pdf", content=b"2").json() == {"taken": True}
    assert shown.client.put(f"{whole}/.DS_Store", content=b"x").json() == {"taken": False}
    assert list(shown.hot.iterdir()) == []
    assert shown.client.post(f"{whole}/placed", content=b"2").json() == {"name": "2026-11"}
    found = {path.relative_to(shown.hot).as_posix() for path in shown.hot.rglob("*") if path.is_file()}
    assert found == {"2026-11/page 1.pdf", "2026-11/in/er/page 2.pdf"}
    assert list(shown.state.drops.iterdir()) == []
    assert shown.client.put(f"{whole}/late.pdf", content=b"3").status_code == 404


def test_a_folder_that_lacks_a_file_is_not_placed(shown: Shown) -> None:
    whole = begun(shown)
    shown.client.put(f"{whole}/a.pdf", content=b"1")
    answer = shown.client.post(f"{whole}/placed", content=b"2")
    assert answer.status_code == 409
    assert "did not arrive completely" in answer.json()["reason"]
    assert list(shown.hot.iterdir()) == list(shown.state.drops.iterdir()) == []


def test_a_file_of_a_folder_that_is_cut_off_is_no_file_of_it(shown: Shown) -> None:
    whole = begun(shown)
    port, shows = shown.client.base_url.port, shown.client.headers["Authorization"]
    with socket.create_connection(("127.0.0.1", port or 0), timeout=30) as line:
        head = f"PUT {whole}/a.pdf HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {shows}\r\n"
        line.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode() + b"half")
        line.shutdown(socket.SHUT_WR)
        line.recv(1000)
    shown.client.put(f"{whole}/a.pdf", content=b"whole")
    assert shown.client.post(f"{whole}/placed", content=b"1").status_code == 200
    assert [path.read_bytes() for path in (shown.hot / "2026-11").iterdir()] == [b"whole"]


def test_an_empty_folder_and_one_that_is_given_up_leave_nothing(shown: Shown) -> None:
    assert shown.client.post(f"{begun(shown)}/placed", content=b"0").status_code == 409
    whole = begun(shown)
    shown.client.put(f"{whole}/a.pdf", content=b"1")
    assert shown.client.post(f"{whole}/forgotten").status_code == 200
    assert shown.client.post(f"{whole}/forgotten").status_code == 404
    assert list(shown.hot.iterdir()) == list(shown.state.drops.iterdir()) == []


def test_a_folder_goes_over_nothing_and_out_of_nothing(shown: Shown) -> None:
    (shown.hot / "2026-11").mkdir()
    (shown.hot / "2026-11" / "a.pdf").write_bytes(b"old")
    before = {path for path in shown.hot.parent.rglob("*.pdf") if shown.state.drops not in path.parents}
    whole = begun(shown)
    for path in ("a.pdf", "a.pdf", "..%2F..%2Fup.pdf", "%2Fetc%2Fa.pdf", "x%5C..%5Cback.pdf", "CON/nul.pdf"):
        assert shown.client.put(f"{whole}/{path}", content=b"new").json() == {"taken": True}
    assert shown.client.post(f"{whole}/placed", content=b"6").json() == {"name": "2026-11 (2)"}
    assert (shown.hot / "2026-11" / "a.pdf").read_bytes() == b"old"
    placed = shown.hot / "2026-11 (2)"
    new = set(shown.hot.parent.rglob("*.pdf")) - before
    assert len(new) == 6
    assert all(placed in path.parents for path in new)


def test_a_folder_is_bounded(shown: Shown) -> None:
    whole = begun(shown)
    answer = shown.client.put(f"{whole}/{'in/' * 20}a.pdf", content=b"1")
    assert answer.status_code == 409
    assert "folders within folders" in answer.json()["reason"]
    for _number in range(7):
        begun(shown)
    answer = shown.client.post(f"{shown.drops}/sets/more")
    assert answer.status_code == 409
    assert "still arriving" in answer.json()["reason"]


def test_a_folder_with_a_download_in_it_is_not_whole(shown: Shown) -> None:
    whole = begun(shown)
    answer = shown.client.put(f"{whole}/a.pdf.crdownload", content=b"1")
    assert answer.status_code == 409
    assert "still being downloaded" in answer.json()["reason"]


class TestWhereNoRuleTakesFolders:
    """The rules of the other tests of the page."""

    @pytest.fixture(name="rules")
    def _rules(self) -> str:
        return RULES

    def test_a_folder_is_refused_in_a_sentence(self, shown: Shown) -> None:
        answer = shown.client.post(f"/api/folders/{folder_id(shown.hot)}/sets/Letters")
        assert answer.status_code == 409
        assert "No rule of in takes whole folders." in answer.json()["reason"]


def test_a_folder_of_which_nothing_more_comes_is_removed_by_itself(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drops, "_FORGOTTEN", 1.0)
    whole = begun(shown)
    shown.client.put(f"{whole}/a.pdf", content=b"1")
    assert list(shown.state.drops.iterdir())
    until(lambda: not list(shown.state.drops.iterdir()))
    assert shown.client.put(f"{whole}/b.pdf", content=b"2").status_code == 404


def test_a_folder_that_is_forgotten_while_a_file_grows_goes_with_that_file(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[bool] = []
    remove = placement.remove

    def watched(place: Path) -> None:
        removed.append(growing)
        remove(place)

    monkeypatch.setattr(drops, "remove", watched)
    whole = begun(shown)
    port, shows = shown.client.base_url.port, shown.client.headers["Authorization"]
    with socket.create_connection(("127.0.0.1", port or 0), timeout=30) as line:
        head = f"PUT {whole}/a.pdf HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {shows}\r\n"
        line.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode() + b"half")
        until(lambda: list(shown.state.drops.rglob("a.pdf")))
        growing = True
        assert shown.client.post(f"{whole}/forgotten").status_code == 200
        growing = False
        line.sendall(b"more")
        assert b" 404 " in line.recv(1000).partition(b"\r\n")[0]
    until(lambda: not list(shown.state.drops.iterdir()))
    assert removed == [False]  # an open file cannot be removed on Windows


Usage = namedtuple("Usage", "total used free")


def test_what_does_not_fit_on_the_disk_is_refused_before_it_comes(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = begun(shown)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(0, 0, 100 << 20))
    assert shown.client.post(f"{shown.drops}/room", content=str(36 << 20)).status_code == 200
    for answer in (
        shown.client.post(f"{shown.drops}/room", content=str((36 << 20) + 1)),
        shown.client.put(f"{shown.drops}/a.pdf", content=bytes(37 << 20)),
        shown.client.put(f"{whole}/a.pdf", content=bytes(37 << 20)),
    ):
        assert answer.status_code == 409
        assert "37 MB do not fit on the disk of" in answer.json()["reason"]
        assert "100 MB left" in answer.json()["reason"]
    assert list(shown.hot.iterdir()) == list(shown.state.drops.rglob("a.pdf")) == []
    for wrong in ("", "-1", "x", "9" * 19):
        assert shown.client.post(f"{shown.drops}/room", content=wrong).status_code == 400


def test_a_disk_that_fills_up_meanwhile_is_told_in_words(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(drops, "_reach_disk", full)
    answer = shown.client.put(f"{shown.drops}/a.pdf", content=b"1")
    assert answer.json()["reason"] == "The disk is full, so a.pdf was not taken. Free some space, then drop it again."
    assert list(shown.hot.iterdir()) == list(shown.state.drops.iterdir()) == []
