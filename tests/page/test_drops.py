"""What is dropped on the page is in the hot folder whole, or not at all, and over nothing."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.errors import PaperchuteError
from paperchute.files.names import is_temporary
from paperchute.page.drops import fitting
from paperchute.page.picture import folder_id
from tests.page.conftest import Shown, until


@pytest.fixture(autouse=True)
def _inside(shown: Shown) -> None:
    shown.enter()


def test_a_file_arrives_whole(shown: Shown) -> None:
    content = os.urandom(3_000_000)
    answer = shown.client.put(f"{shown.drops}/Über%20uns%201.pdf", content=content)
    assert answer.json() == {"name": "Über uns 1.pdf"}
    assert (shown.hot / "Über uns 1.pdf").read_bytes() == content
    assert list(shown.state.drops.iterdir()) == []


def test_a_name_that_is_taken_gets_a_number(shown: Shown) -> None:
    (shown.hot / "a.pdf").write_bytes(b"old")
    names = [shown.client.put(f"{shown.drops}/a.pdf", content=content).json()["name"] for content in (b"1", b"2")]
    assert names == ["a (2).pdf", "a (3).pdf"]
    assert [(shown.hot / name).read_bytes() for name in ("a.pdf", *names)] == [b"old", b"1", b"2"]


def test_many_at_once_of_one_name_are_all_there(shown: Shown) -> None:
    contents = [os.urandom(100_000) for _number in range(12)]

    def put(content: bytes) -> None:
        assert shown.client.put(f"{shown.drops}/a.pdf", content=content).status_code == 200

    threads = [threading.Thread(target=put, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.read_bytes() for path in shown.hot.iterdir()) == sorted(contents)


@pytest.mark.parametrize("taken", ["link", "folder", "dangling"])
def test_nothing_is_written_through_what_bears_the_name(shown: Shown, taken: str) -> None:
    victim = shown.hot.parent / "victim"
    if taken == "folder":
        (shown.hot / "a.pdf").mkdir()
    else:
        if taken == "link":
            victim.write_bytes(b"mine")
        try:
            (shown.hot / "a.pdf").symlink_to(victim)
        except OSError:
            pytest.skip("this user may not make links")
    assert shown.client.put(f"{shown.drops}/a.pdf", content=b"new").json()["name"] == "a (2).pdf"
    assert victim.exists() == (taken == "link")
    assert taken != "link" or victim.read_bytes() == b"mine"


def test_what_is_cut_off_leaves_nothing(shown: Shown) -> None:
    port, shows = shown.client.base_url.port, shown.client.headers["Authorization"]
    with socket.create_connection(("127.0.0.1", port or 0), timeout=30) as line:
        head = f"PUT {shown.drops}/a.pdf HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {shows}\r\n"
        line.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode() + b"half")
        line.shutdown(socket.SHUT_WR)
        line.recv(1000)
    assert shown.client.put(f"{shown.drops}/b.pdf", content=b"x").status_code == 200
    assert [path.name for path in shown.hot.iterdir()] == ["b.pdf"]
    until(lambda: not list(shown.state.drops.iterdir()))  # the server hears of the end when it comes to it


def test_a_stream_of_unknown_length_arrives(shown: Shown) -> None:
    def blocks() -> Iterator[bytes]:
        yield b"one"
        yield b"two"

    assert shown.client.put(f"{shown.drops}/a.pdf", content=blocks()).status_code == 200
    assert (shown.hot / "a.pdf").read_bytes() == b"onetwo"


@pytest.mark.parametrize("folder", ["off", ".", "/etc"])
def test_only_hot_folders_in_force_take_files(shown: Shown, folder: str) -> None:
    place = shown.hot.parent / folder
    answer = shown.client.put(f"/api/folders/{folder_id(place)}/a.pdf", content=b"x")
    assert answer.status_code == 404
    assert not (place / "a.pdf").exists()


@pytest.mark.parametrize("name", ["..%2F..%2Fa.pdf", "..%5Ca.pdf", "%2Fetc%2Fa.pdf", "x/../../a.pdf", "./a.pdf"])
def test_no_name_leads_out_of_the_folder(shown: Shown, name: str) -> None:
    before = set(shown.hot.parent.rglob("*.pdf"))
    shown.client.put(f"{shown.drops}/{name}", content=b"x")
    assert {path.parent for path in set(shown.hot.parent.rglob("*.pdf")) - before} <= {shown.hot}


def test_a_folder_that_is_gone_is_said(shown: Shown) -> None:
    shown.hot.rmdir()
    answer = shown.client.put(f"{shown.drops}/a.pdf", content=b"x")
    assert answer.status_code == 409
    assert answer.json()["reason"]
    assert list(shown.state.drops.iterdir()) == []


def test_names_that_no_rule_takes_are_refused_in_words(shown: Shown) -> None:
    for name in (".DS_Store", "~%24a.docx", "a.crdownload"):
        answer = shown.client.put(f"{shown.drops}/{name}", content=b"x")
        assert answer.status_code == 409
        assert "no rule takes" in answer.json()["reason"]
    assert list(shown.hot.iterdir()) == []


@given(st.text(max_size=400))
def test_a_fitting_name_is_one_that_any_system_takes(name: str) -> None:
    try:
        found = fitting(name)
    except PaperchuteError:
        return
    assert Path(found).name == found
    assert found not in ("", ".", "..")
    assert len(found.encode()) <= 255
    assert not is_temporary(found)
    assert fitting(found) == found
