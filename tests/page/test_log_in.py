"""The page over the network: the password alone lets in, guessing is slow, and only proxies that are named count."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from loguru import logger

from paperchute.app.daemon import Daemon
from paperchute.app.places import State
from paperchute.page import door
from paperchute.page.access import Access
from paperchute.page.connections import MOST
from paperchute.page.log_ins import LogIns, TooSoon
from paperchute.page.password import Password
from paperchute.page.server import Page
from paperchute.rules.file import load
from paperchute.rules.page import PageKeys
from tests.page.conftest import RULES
from tests.page.test_sessions import Clock

SECRET = "correct höorse"
PROXY = {"X-Forwarded-For": "198.51.100.7", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "nas.example"}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


class Remote:
    """A page that is open, and a browser on another machine."""

    def __init__(self, folder: Path, rule_file: str = RULES, **keys: object) -> None:
        (folder / "rules.toml").write_text(rule_file, "utf-8")
        (folder / "in").mkdir()
        self.port = _free_port()
        wanted = PageKeys.model_validate({"listen": f"127.0.0.1:{self.port}", **keys})
        names = frozenset(wanted.hosts or ())
        access = Access(wanted.address(), Password(SECRET), names, wanted.networks(), wanted.rules)
        self.page = Page(State(folder / "state"), access=access)
        self.daemon = self.page.shown(Daemon(load(folder / "rules.toml"), State(folder / "state"), (self.page,)))
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=60)
        self.origin = {"Origin": f"http://127.0.0.1:{self.port}"}

    def log_in(self, password: str = SECRET, **headers: str) -> httpx.Response:
        """As the page's form does it."""
        answer = self.client.post("/api/log-in", content=password.encode(), headers={**self.origin, **headers})
        if answer.status_code == 200:
            self.client.headers["Authorization"] = f"Bearer {answer.json()['session']}"
        return answer

    def close(self) -> None:
        """End it."""
        self.client.close()
        self.page.stop()
        self.daemon.stop()


@pytest.fixture(name="remote")
def _remote(tmp_path: Path) -> Iterator[Remote]:
    remote = Remote(tmp_path)
    yield remote
    remote.close()


@pytest.fixture(name="open_rules")
def _open_rules(tmp_path: Path) -> Iterator[Remote]:
    """Rules may be changed over the network."""
    remote = Remote(tmp_path, rules=True)
    yield remote
    remote.close()


@pytest.fixture(name="behind")
def _behind(tmp_path: Path) -> Iterator[Remote]:
    """Behind a proxy."""
    remote = Remote(tmp_path, proxies=["127.0.0.0/8"], hosts=["nas.example"])
    yield remote
    remote.close()


def test_the_password_alone_lets_in_until_somebody_logs_out(remote: Remote) -> None:
    client = remote.client
    assert client.get("/").status_code == 200
    assert client.get("/api/entry").json() == {"inside": False, "rules": False}
    assert client.get("/api/needs").status_code == 401
    assert remote.log_in("correct").status_code == 401
    assert client.get("/api/needs").status_code == 401
    answer = remote.log_in()
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    assert client.get("/api/entry").json() == {"inside": True, "rules": False}
    assert client.get("/api/needs").status_code == 200
    assert client.post("/api/daemon/pause", headers=remote.origin).status_code == 200
    kept = dict(client.cookies)
    assert client.post("/api/log-out", headers=remote.origin).status_code == 200
    assert (
        client.get("/api/needs", headers={"Cookie": "; ".join(f"{k}={v}" for k, v in kept.items())}).status_code == 401
    )


def test_what_opens_things_on_the_machine_is_not_for_others(remote: Remote) -> None:
    remote.log_in()
    for path in ("/api/jobs/1/show", "/api/jobs/1/open-result", "/api/daemon/edit-rules", "/api/program/quit"):
        assert remote.client.post(path, headers=remote.origin).status_code == 404
    for path in ("/api/ticket", "/api/session"):
        assert remote.client.post(path, headers=remote.origin).status_code == 404


def test_where_documents_and_keys_go_is_changed_on_the_machine_itself(open_rules: Remote) -> None:
    remote = open_rules
    remote.log_in()
    shelf = remote.client.get("/api/workshop").json()
    assert [table["name"] for table in shelf["tables"]] == ["defaults"]
    for table, status in (("service", 404), ("notify", 404), ("page", 404), ("engine", 404), ("defaults", 200)):
        for verb in ("look-table", "save-table"):
            wish = {"digest": shelf["digest"], "table": {"table": table, "keys": {}}}
            asked = remote.client.post(f"/api/workshop/{verb}", json=wish, headers=remote.origin)
            assert asked.status_code == status


def test_another_page_changes_nothing_with_the_cookie(remote: Remote) -> None:
    remote.log_in()
    assert remote.client.post("/api/daemon/pause").status_code == 403
    for origin in ("http://nas.example", "null", f"http://127.0.0.1:{remote.port + 1}"):
        assert remote.client.post("/api/daemon/pause", headers={"Origin": origin}).status_code == 403
        assert remote.log_in(Origin=origin).status_code == 403
    assert remote.client.get("/api/needs", headers={"Sec-Fetch-Site": "same-site"}).status_code == 403
    assert not remote.daemon.journal.settings.get("paused")


@pytest.mark.parametrize("host", ["attacker.example", "nas.example", "", "127.0.0.1.attacker.example", "[::1", "1"])
def test_only_numbers_and_names_that_were_given_are_answered(remote: Remote, host: str) -> None:
    assert remote.client.get("/", headers={"Host": host}).status_code == 421
    for own in ("192.0.2.9:80", "[2001:db8::1]:8765", "localhost"):
        assert remote.client.get("/", headers={"Host": own}).status_code == 200


def test_who_comes_by_no_proxy_of_ours_says_nothing_of_itself(remote: Remote) -> None:
    assert remote.client.get("/", headers={**PROXY, "Host": "attacker.example"}).status_code == 421
    assert remote.log_in(**PROXY).status_code == 200
    assert remote.log_in(**PROXY, Origin="https://nas.example").status_code == 403


def test_a_proxy_of_ours_says_who_asks_and_how(behind: Remote) -> None:
    answer = behind.log_in(**PROXY, Origin="https://nas.example")
    assert answer.status_code == 200
    assert "secure" in answer.headers["set-cookie"].lower()
    assert behind.log_in(**PROXY, Origin="http://nas.example").status_code == 403
    for host in ("attacker.example", "nas.example.attacker.example"):
        named = {**PROXY, "X-Forwarded-Host": host}
        assert behind.client.get("/", headers=named).status_code == 421


def test_wrong_ones_are_told_without_what_was_typed_and_slow_down_their_own_address_alone(behind: Remote) -> None:
    told: list[str] = []
    sink = logger.add(told.append, level="INFO", format="{message}")
    try:
        statuses = [behind.log_in(f"guess-{number}").status_code for number in range(4)]
        while (refused := behind.log_in("guess")).status_code == 401:  # each one that is heard doubles the wait
            statuses.append(401)
    finally:
        logger.remove(sink)
    assert set(statuses) == {401}
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json()["reason"]
    assert any("127.0.0.1" in line for line in told)
    assert not any("guess" in line for line in told)
    assert behind.log_in(**PROXY, Origin="https://nas.example").status_code == 200


class Quick(Password):
    """Compared at once."""

    def fits(self, given: str) -> bool:
        """Whether it is the password."""
        return given == SECRET


async def _guess(ins: LogIns, address: str) -> float:
    """Seconds that a guess has to wait; 0 where it was heard."""
    try:
        assert not await ins.fits("guess", address)
    except TooSoon as refused:
        return refused.seconds
    return 0.0


def test_each_wrong_one_waits_longer_up_to_a_minute_and_the_right_one_makes_it_good() -> None:
    clock = Clock()
    ins = LogIns(Quick(SECRET), clock)

    async def tries() -> list[float]:
        waits = []
        for _number in range(12):
            while seconds := await _guess(ins, "203.0.113.1"):
                waits.append(seconds)
                clock.now += seconds
        clock.now += 60.0
        assert await ins.fits(SECRET, "203.0.113.1")
        assert await _guess(ins, "203.0.113.1") == 0.0
        return waits

    assert asyncio.run(tries()) == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


def test_neighbours_behind_one_ipv6_network_are_one() -> None:
    ins = LogIns(Quick(SECRET), Clock())

    async def tries() -> None:
        for number in range(4):
            assert await _guess(ins, f"2001:db8::{number}") == 0.0
        with pytest.raises(TooSoon):
            await ins.fits(SECRET, "2001:db8::ffff")
        assert await ins.fits(SECRET, "2001:db8:0:1::1")

    asyncio.run(tries())


def test_a_flood_of_connections_shuts_nobody_out(remote: Remote) -> None:
    flood = [socket.create_connection(("127.0.0.1", remote.port), timeout=60) for _number in range(MOST + 20)]
    try:
        assert remote.log_in().status_code == 200
        assert remote.client.get("/api/needs").status_code == 200
        flood += [socket.create_connection(("127.0.0.1", remote.port), timeout=60) for _number in range(MOST + 20)]
        assert remote.client.get("/api/needs").status_code == 200
        assert remote.page.open().exists()
        assert "/#" in door.address_asked(remote.daemon.state)
    finally:
        for line in flood:
            line.close()


def test_the_password_is_in_no_file_of_the_state(remote: Remote) -> None:
    remote.log_in()
    files = [path for path in remote.page._state.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_an_address_that_is_taken_leaves_the_page_to_this_machine(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        (tmp_path / "rules.toml").write_text(RULES, "utf-8")
        page = Page(State(tmp_path / "s"), access=Access(("127.0.0.1", port), Password(SECRET), frozenset(), ()))
        daemon = page.shown(Daemon(load(tmp_path / "rules.toml"), State(tmp_path / "s"), (page,)))
        assert page.open().exists()
        page.stop()
        daemon.stop()
