"""Nothing can be read or changed but by whoever was let in: not by other pages, names, programs or users."""

from __future__ import annotations

import socket
import stat
import sys

import httpx
import pytest

from paperchute.errors import PaperchuteError
from paperchute.page import door
from paperchute.page.connections import Connection, Connections
from tests.page.conftest import Shown

READING = ("/api/feed", "/api/needs", "/api/jobs/1/thumbnail")
CHANGING = (
    "/api/daemon/pause",
    "/api/daemon/retry",
    "/api/jobs/1/retry",
    "/api/jobs/1/seen",
    "/api/jobs/1/open-result",
)


def _statuses(shown: Shown, **headers: str) -> set[int]:
    found = {shown.client.get(path, headers=headers).status_code for path in READING}
    found |= {shown.client.post(path, headers=headers).status_code for path in CHANGING}
    return found | {shown.client.put(f"{shown.drops}/a.pdf", content=b"x", headers=headers).status_code}


@pytest.mark.parametrize("shows", [None, "", "Bearer", "Bearer x", "Basic eDp4", "Bearer " + "a" * 43])
def test_without_a_session_there_is_nothing(shown: Shown, shows: str | None) -> None:
    assert _statuses(shown, **({} if shows is None else {"Authorization": shows})) == {401}
    assert list(shown.hot.iterdir()) == []
    assert not shown.daemon.journal.settings.get("paused")


def test_a_ticket_is_no_session_and_is_spent_once(shown: Shown) -> None:
    ticket = shown.ticket()
    assert _statuses(shown, Authorization=f"Bearer {ticket}") == {401}
    assert shown.client.post("/api/session", content=ticket).status_code == 200
    assert shown.client.post("/api/session", content=ticket).status_code == 401


def test_a_ticket_is_given_for_the_key_of_the_state_folder_alone(shown: Shown) -> None:
    shown.enter()
    session = shown.client.headers["Authorization"]
    for shows in ({}, {"Authorization": "Bearer x"}, {"Authorization": session}):
        assert shown.client.post("/api/ticket", headers=shows).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "attacker.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": "localhost.attacker.example"},
        {"Host": "[::1]"},
        {"Host": ""},
        {"Origin": "http://attacker.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_names_and_pages_get_nothing_even_with_a_session(shown: Shown, headers: dict[str, str]) -> None:
    shown.enter()
    assert _statuses(shown, **headers) <= {403, 421}
    ticket = shown.ticket()
    assert shown.client.post("/api/session", content=ticket, headers=headers).status_code in (403, 421)
    assert list(shown.hot.iterdir()) == []


def test_two_host_headers_get_nothing(shown: Shown) -> None:
    port = shown.client.base_url.port
    with socket.create_connection(("127.0.0.1", port or 0), timeout=30) as line:
        own = f"Host: 127.0.0.1:{port}\r\n"
        line.sendall(f"GET / HTTP/1.1\r\n{own}Host: attacker.example\r\n\r\n".encode())
        assert line.recv(100).split()[1] in (b"400", b"421")


def test_its_own_address_by_both_names_is_served(shown: Shown) -> None:
    port = shown.client.base_url.port
    for name in ("127.0.0.1", "localhost", "LOCALHOST"):
        headers = {"Host": f"{name}:{port}", "Origin": f"http://{name.lower()}:{port}", "Sec-Fetch-Site": "same-origin"}
        assert shown.client.get("/", headers=headers).status_code == 200
        assert shown.client.post("/api/session", content=shown.ticket(), headers=headers).status_code == 200


def test_the_page_may_load_its_own_files_alone_and_stands_in_no_other(shown: Shown) -> None:
    for path in ("/", "/page.js", "/page.css", "/texts.json", "/api/entry", "/icon.svg", "/nothing", "/api/needs"):
        headers = shown.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert not any(open_ in policy for open_ in ("unsafe", "*", "http"))
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


def test_the_files_hold_nothing_of_this_machine(shown: Shown) -> None:
    for path in ("/", "/page.js", "/session.js", "/now.js", "/needs.js", "/elements.js", "/texts.json"):
        text = shown.client.get(path).text
        assert str(shown.hot.parent) not in text
        assert "Read PDFs" not in text


@pytest.mark.parametrize("path", ["/../rules.toml", "/%2e%2e/__init__.py", "/assets/page.js", "/page.js/"])
def test_other_files_are_not_served(shown: Shown, path: str) -> None:
    assert shown.client.get(path).status_code in (404, 307)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder of the user's own has no mode there")
def test_what_lets_in_is_the_owners_alone(shown: Shown) -> None:
    shown.page.open()
    for path in (shown.state.page, shown.state.door):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_way_in_is_gone_with_the_page(shown: Shown) -> None:
    shown.page.open()
    shown.page.stop()
    assert not shown.state.page.exists()
    assert not shown.state.door.exists()
    with pytest.raises(httpx.ConnectError):
        shown.client.get("/")


def test_what_a_browser_is_given_leads_to_the_page_once(shown: Shown) -> None:
    text = shown.page.open().read_text("utf-8")
    address = text.partition('href="')[2].partition('"')[0]
    ticket = address.partition("#")[2]
    assert address.startswith(str(shown.client.base_url))
    assert shown.client.post("/api/session", content=ticket).status_code == 200
    assert shown.client.post("/api/session", content=ticket).status_code == 401


def test_a_link_in_the_place_of_the_door_is_not_followed(shown: Shown) -> None:
    victim = shown.hot.parent / "victim"
    victim.write_text("mine", "utf-8")
    try:
        shown.state.door.symlink_to(victim)
    except OSError:
        pytest.skip("this user may not make links")
    shown.page.open()
    assert victim.read_text("utf-8") == "mine"
    assert not shown.state.door.is_symlink()


def test_a_long_body_is_not_read_to_its_end(shown: Shown) -> None:
    assert shown.client.post("/api/session", content=b"x" * 100_000).status_code == 413


def test_the_key_is_in_no_log_and_no_status(shown: Shown) -> None:
    known = shown.state.page.read_text("utf-8")
    key = known.partition('"key": "')[2].partition('"')[0]
    assert len(key) == 43
    others = [path for path in shown.state.folder.rglob("*") if path.is_file() and path != shown.state.page]
    assert not [path for path in others if key.encode() in path.read_bytes()]


def test_a_foreign_page_json_is_no_page(shown: Shown) -> None:
    for text in ("", "[]", '{"port": "x", "key": "y"}', '{"port": 1}', '{"port": 1, "key": "k", "more": 1}'):
        shown.state.page.write_text(text, "utf-8")
        with pytest.raises(PaperchuteError, match="not running"):
            door.address_asked(shown.state)


def test_answers_do_not_wait_for_one_another(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Connection] = []
    came = Connections.came
    monkeypatch.setattr(Connections, "came", lambda among, one: made.append(one) or came(among, one))
    shown.client.get("/api/entry")
    (sent,) = {
        one.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in made
    }
    assert sent  # else the system holds back what follows a head until that is acknowledged, which takes 40 ms
