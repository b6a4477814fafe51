"""Addresses outside: which are public, that the checked one is the one connected to, and that nothing lasts forever."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from paperchute.addresses import is_public
from paperchute.engine.outside import FetchRefused, check_web_address, connected, download
from tests.engine.service.outer import Outer

_INNER = [
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *("::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::a00:1"),
    *("2002:a00:1::1", "64:ff9b:1::1", "255.255.255.255", "2001:db8::1"),
]


@pytest.mark.parametrize("address", _INNER)
def test_inner_addresses_in_every_wrapping_are_closed(address: str, tmp_path: Path) -> None:
    assert not is_public(address)
    with pytest.raises(FetchRefused, match="not at a public address"):
        download("http://name.example/x", tmp_path / "x", 10, resolver=lambda host, port: ["93.184.216.34", address])
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_public_addresses_are_open(address: str) -> None:
    assert is_public(address)


def test_a_name_is_looked_up_once_so_it_cannot_change_its_meaning(tmp_path: Path) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with Outer() as outer:
        outer.pages["/x"] = (200, {}, b"here")
        url = outer.url.replace("127.0.0.1", "name.example") + "/x"
        size = download(url, tmp_path / "x", 10, inner={"name.example"}, resolver=resolver)
    assert (size, (tmp_path / "x").read_bytes(), asked) == (4, b"here", ["name.example"])


def test_a_redirect_to_another_name_is_checked_anew(tmp_path: Path) -> None:
    with Outer() as outer:
        outer.pages["/x"] = (302, {"Location": outer.url.replace("127.0.0.1", "other.example") + "/y"}, b"")
        outer.pages["/y"] = (200, {}, b"secret")
        with pytest.raises(FetchRefused, match=r"other\.example is not at a public address"):
            download(
                outer.url + "/x", tmp_path / "x", 10, inner={"127.0.0.1"}, resolver=lambda host, port: ["127.0.0.1"]
            )
        assert outer.asked == ["/x"]


def _asked(url: str, seconds: float) -> int:
    with connected(url, inner={"127.0.0.1"}, seconds=seconds) as (connection, target):
        connection.request("GET", target)
        return connection.getresponse().status


def test_a_server_that_drips_is_cut_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b"X-More: y\r\n")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        with pytest.raises(FetchRefused):
            _asked(f"http://127.0.0.1:{listener.getsockname()[1]}/", seconds=0.3)
        stop.set()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://h/",
        "file:///x",
        "http://",
        "http://h:x/",
        "http://[x/",
        "http://u@h/",
        "http://h/ü",
        "http://h/a b",
        "http://h/\r\nX: y",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(FetchRefused):
        check_web_address(url)
