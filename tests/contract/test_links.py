"""Files that hold a web address, as the desktops write them, and as somebody might write them to do harm."""

from __future__ import annotations

import plistlib
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.contract import contract
from paperchute.contract.links import LINKS, MOST_BYTES, address_in, is_link
from paperchute.engine.outside import check_web_address
from paperchute.errors import PaperchuteError
from paperchute.service.upload import parts_for

PAGE = "https://example.com/prices?of=2026"
_URL = f"[InternetShortcut]\r\nIconIndex=0\r\nURL={PAGE}\r\n"


@pytest.mark.parametrize(
    ("name", "content", "address"),
    [
        ("a.url", _URL.encode(), PAGE),
        ("A.URL", _URL.encode("utf-16"), PAGE),
        ("a.url", _URL.encode("utf-16-be").join([b"\xfe\xff", b""]), PAGE),
        ("a.url", _URL.encode("utf-8-sig"), PAGE),
        ("a.url", _URL.replace("\r\n", "\r").encode(), PAGE),
        ("a.url", b"[DEFAULT]\nURL=http://no.example\n[internetshortcut]\nurl = http://yes.example/\n", "http://yes.example/"),
        (
            "a.url",
            b"[InternetShortcut]\nURL=http://plain.example/\n[InternetShortcut.W]\nURL=http://wide.example/+AOQ-\n",
            "http://wide.example/%C3%A4",
        ),
        ("a.url", "[InternetShortcut]\nURL=http://bücher.example/ä b\n".encode(), "http://xn--bcher-kva.example/%C3%A4%20b"),
        ("a.webloc", plistlib.dumps({"URL": PAGE}), PAGE),
        ("a.webloc", plistlib.dumps({"URL": PAGE}, fmt=plistlib.FMT_BINARY), PAGE),
        ("a.desktop", f"[Desktop Entry]\nType=Link\nName=x\nURL={PAGE}\n".encode(), PAGE),
    ],
)  # fmt: skip
def test_the_address_is_found_as_desktops_write_it(name: str, content: bytes, address: str) -> None:
    assert address_in(PurePath(name), content) == address
    check_web_address(address)


_BOMB = (
    '<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<plist><dict><key>URL</key><string>http://x.example/&b;</string></dict></plist>"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.url", b"[InternetShortcut]\nURL=file:///etc/passwd\n"),
        ("a.url", b"[InternetShortcut]\nURL=javascript:alert(1)\n"),
        ("a.url", b"[InternetShortcut]\nURL=http://user:word@example.com/\n"),
        ("a.url", b"[InternetShortcut]\nURL=http://\n"),
        ("a.url", b"[InternetShortcut]\nURL=\\\\server\\share\n"),
        ("a.url", b"[InternetShortcut]\nURL=http://[half\n"),
        ("a.url", b"URL=http://example.com/\n"),
        ("a.url", b"[InternetShortcut]\nURL=http://example.com/" + b"a" * 3000 + b"\n"),
        ("a.url", b"#" * MOST_BYTES + _URL.encode()),
        ("a.webloc", _BOMB.encode()),
        ("a.webloc", plistlib.dumps(["URL", PAGE])),
        ("a.webloc", plistlib.dumps({"URL": 7})),
        ("a.webloc", b"bplist00" + b"\xff" * 200),
        ("a.webloc", b"<plist>" + b"<array>" * 8000),
        ("a.desktop", f"[Desktop Entry]\nType=Application\nExec=rm\nURL={PAGE}\n".encode()),
        ("a.desktop", f"[Desktop Action x]\nType=Link\nURL={PAGE}\n".encode()),
    ],
)
def test_what_holds_no_web_address_holds_none(name: str, content: bytes) -> None:
    assert address_in(PurePath(name), content) == ""


@given(
    st.sampled_from(LINKS),
    st.sampled_from([b"", b"[InternetShortcut]\nURL=http", b"bplist00", b"<plist>"]),
    st.binary(),
)
def test_no_content_does_more_than_give_an_address(suffix: str, head: bytes, tail: bytes) -> None:
    address = address_in(PurePath("a" + suffix), head + tail)
    if address:
        check_web_address(address)


def test_a_dropped_link_is_printed_from_its_address(tmp_path: Path) -> None:
    link = tmp_path / "prices.url"
    link.write_text(_URL, newline="")
    assert is_link(link)
    assert parts_for("pdf-generate", [link], {"pageWidth": 300.0}) == ((), {"htmlUrl": PAGE, "pageWidth": 300.0})


@pytest.mark.parametrize("operation", sorted({*contract().operations} - {"pdf-generate"}))
def test_what_takes_no_address_never_gets_a_link_as_its_source(tmp_path: Path, operation: str) -> None:
    link = tmp_path / "prices.url"
    link.write_text(_URL, newline="")
    with pytest.raises(PaperchuteError, match="address of a web page"):
        parts_for(operation, [link] * max(1, contract().operations[operation].min_files), {})


def test_a_link_does_not_fill_a_template(tmp_path: Path) -> None:
    link = tmp_path / "prices.url"
    link.write_text(_URL, newline="")
    with pytest.raises(PaperchuteError, match="fills a template"):
        parts_for("pdf-generate", [link], {"template": "x"})


def test_a_link_without_an_address_says_so(tmp_path: Path) -> None:
    link = tmp_path / "prices.url"
    link.write_text("[InternetShortcut]\nURL=file:///etc/passwd\n")
    with pytest.raises(PaperchuteError, match="no web address"):
        parts_for("pdf-generate", [link], {})
