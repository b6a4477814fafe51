"""Whatever names and services say: no secret and nothing that steers a terminal or forges a line gets out."""

from __future__ import annotations

import base64
import html
import io
import json
import threading
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from loguru import logger

from paperchute import redaction
from paperchute.app import log
from paperchute.cli.terminal import _Terminal
from paperchute.redaction import bounded, clean, clean_lines, in_use, masked, masked_all, on_trial, printable

SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": lambda s: "".join(c.upper() if c.isascii() else c for c in s),
    "URL": quote,
    "URL, everything": lambda s: quote(s, safe=""),
    "form": quote_plus,
    "URL in lower case": lambda s: quote(s, safe="").lower(),
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON with letters": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "JSON in JSON": lambda s: json.dumps(json.dumps(s)[1:-1])[1:-1],
    "JSON with escaped slashes": lambda s: json.dumps(s)[1:-1].replace("/", "\\/"),
    "repr": lambda s: repr(s)[1:-1],
    "repr of bytes": lambda s: repr(s.encode())[2:-1],
    "HTML": html.escape,
    "hex": lambda s: s.encode().hex(),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 for URLs": lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
    "entities by number": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "escapes by number": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "an address in an address": lambda text: quote(quote(text, safe=""), safe=""),
}
secrets = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=4, max_size=40).filter(
    lambda text: len(text.strip()) >= 4
)


def forget() -> None:
    """As in a new process."""
    for known in (redaction._passing, redaction._lasting, redaction._spelled, redaction._uses, redaction._short):
        known.clear()


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(secrets, st.text(max_size=20), st.text(max_size=20))
def test_a_secret_gets_out_in_another_spelling(spelling: str, secret: str, before: str, after: str) -> None:
    forget()
    spelled = SPELLINGS[spelling](secret)
    in_use(secret)
    told = masked(before + spelled + after)
    # what is around it may hold it too, or begin or end with a part of it
    assert spelled.rstrip("=") not in told
    assert secret not in clean(before + spelled + after)


@given(st.binary(max_size=5), secrets.filter(lambda text: len(text.encode()) >= 8), st.binary(max_size=5))
def test_a_secret_gets_out_within_base64_of_more(before: bytes, secret: str, after: bytes) -> None:
    forget()
    in_use(secret)
    told = masked(base64.b64encode(before + secret.encode() + after).decode())
    assert "***" in told
    for start in range(len(told)):  # no readable piece of six bytes and more is left
        piece = told[start : start + 8]
        assert len(piece) < 8 or "*" in piece or piece not in base64.b64encode(secret.encode()).decode()


@pytest.mark.parametrize("secret", ["a", "42", "xyz"])
def test_a_short_secret_mangles_other_words(secret: str) -> None:
    in_use(secret)
    assert masked(f"the password {secret} is wrong") == "the password *** is wrong"
    assert masked(f"'{secret}'") == "'***'"
    assert masked(f"pre{secret}fix") == f"pre{secret}fix"


@pytest.mark.parametrize("blank", ["", " ", "     ", "\n"])
def test_an_empty_secret_masks_everything(blank: str) -> None:
    in_use(blank)
    assert masked("a  b     c\n") == "a  b     c\n"


def test_an_address_with_a_chance_number_is_broken() -> None:
    in_use("2026")
    assert masked("https://h/2026/a.md", sure=True) == "https://h/2026/a.md"
    in_use("correct-horse")
    assert masked("https://h/correct-horse/a.md", sure=True) == "https://h/***/a.md"


def test_a_list_of_a_million_passwords_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_MOST", 10)
    in_use("the key of the service", lasting=True)
    for number in range(1000):
        in_use(f"password {number:04}")
    assert masked("password 0999, the key of the service") == "***, ***"
    assert masked("password 0001") == "password 0001"
    assert len(redaction._spelled) < 200
    assert len(redaction._uses) < 600


def test_a_secret_stands_in_a_key_of_the_status() -> None:
    in_use("hunter22")
    assert masked_all({"hunter22": [{"a": ("hunter22", 5)}]}) == {"***": [{"a": ["***", 5]}]}


@given(secrets, st.integers(0, 60), st.integers(10, 60))
def test_a_secret_is_cut_and_its_half_shown(secret: str, before: int, most: int) -> None:
    assume("x" not in secret)
    forget()
    in_use(secret)
    told = bounded("x" * before + secret * 400, most)
    assert len(told) <= most + 8  # an escape may be one character
    for start in range(len(secret) - 3):
        assert printable(secret[start : start + 4]) not in told or set(secret[start : start + 4]) <= set("*…x")


names = st.text(st.characters(codec=None), max_size=200)


@given(names)
def test_a_name_steers_the_terminal(name: str) -> None:
    shown = clean(name)
    assert not any(unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") for mark in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\ufeff")
    assert clean(shown) == shown
    shown.encode()


def test_a_name_pretends_to_be_another_kind_of_file() -> None:
    assert printable("invoice\u202efdp.exe") == "invoice\\u202efdp.exe"
    assert printable("a\udcff.pdf") == "a\\udcff.pdf"
    assert printable("e\x1b]0;T\x07\n.pdf") == "e\\x1b]0;T\\x07\\x0a.pdf"


def test_two_names_look_the_same() -> None:
    assert len({printable(f"a{mark}.pdf") for mark in "\x1b\x07\n\r\x85\u2028\u200b"}) == 7


def test_names_in_scripts_with_joiners_are_mangled() -> None:
    assert printable("می‌خواهم 👩‍🔬 契約書 (改).pdf") == "می‌خواهم 👩‍🔬 契約書 (改).pdf"


def test_several_lines_become_one() -> None:
    assert clean_lines("a\x1b\nb\r\nc") == "a\\x1b\nb\\x0d\nc"


@pytest.fixture(params=[False, True], ids=["lines", "JSON"])
def log_file(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    path = tmp_path / "paperchute.log"
    log.set_up(path, as_json=request.param)
    log.clean_log()
    yield path
    logger.remove()
    logger.configure(patcher=lambda record: None)


def test_a_name_forges_a_line_of_the_log(log_file: Path) -> None:
    name = "e\x1b]0;T\x07\n2026-11-22 05:00:00.000 ERROR   forged line\nzz.pdf"
    logger.info("done: {}", name)
    logger.bind(job=name).info("done")
    lines = log_file.read_text("utf-8").splitlines()
    assert len(lines) == 2
    assert "\x1b" not in log_file.read_text("utf-8")


def test_an_exception_takes_a_secret_into_the_log(log_file: Path) -> None:
    in_use("hunter22/ä")
    try:
        try:
            raise OSError("hunter22/ä\n2026-11-22 05:00:00.000 ERROR   forged line")
        except OSError as error:
            raise ValueError("quoted: " + quote("hunter22/ä")) from error
    except ValueError:
        logger.bind(job=7).exception("a fault with {}", "hunter22/ä")
    text = log_file.read_text("utf-8")
    assert "hunter22" not in text
    assert "Traceback" in text
    assert not any(line.startswith("2026-11-22 05:00") for line in text.splitlines())


@given(names)
def test_a_printed_name_steers_the_terminal(name: str) -> None:
    from rich.table import Table

    written = io.StringIO()
    terminal = _Terminal(file=written, highlight=False, markup=False, soft_wrap=True, width=10_000)
    terminal.print(f"file {name} is done")
    table = Table(name[:5], box=None)
    table.add_row(name)
    terminal.print(table)
    printed = written.getvalue()
    assert printed.count("\n") == 3
    assert not any(unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") for mark in printed.replace("\n", ""))


def test_what_a_trial_refers_to_is_masked_until_its_end_only() -> None:
    in_use("from-before-4711")
    with on_trial():
        for tried in ("/home/somebody", "INFO", "from-before-4711", "used-meanwhile-7"):
            in_use(tried)
            in_use(tried)
        work = threading.Thread(target=in_use, args=("used-meanwhile-7",))
        work.start()
        work.join()
        with on_trial():
            in_use("/home/somebody")
        assert masked("INFO: /home/somebody from-before-4711 used-meanwhile-7") == "***: *** *** ***"
    assert masked("INFO: /home/somebody from-before-4711 used-meanwhile-7") == "INFO: /home/somebody *** ***"
