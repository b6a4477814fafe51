"""Why a file is no XML that can be read: one sentence for each cause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.e_invoice.markup import parsed, why_unread
from tests.engine.e_invoice.samples import SOUND

_GOOD = SOUND["UBL"].encode()
_CUT = "it breaks off: its end is missing"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            None,
            "it is over 8 MiB, the most that is read; files attached within it make it that long, "
            "and can be sent beside it",
        ),
        (b" \n", "it is empty"),
        (b"%PDF-1.7", "it is no XML"),
        (_GOOD[:-3], _CUT),
        (b"<?xml version='1.0'?><a>" + b"<b>x</b>" * 40_000, _CUT),
        (_GOOD.replace(b"UTF-8", b"KLINGON"), "it is written in an encoding that nobody here knows"),
        (b"<a>\n\n<b>Caf\xe9</b></a>", "line 3 of it has characters that its encoding does not have"),
        (b"<a>\n<b>Black & White</b></a>", "line 2 of it is no XML as it should be"),
        (b"<a>\n<b></a>", "line 2 of it is no XML as it should be"),
        (b"<a/>x", "line 1 of it is no XML as it should be"),
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "it has a document type, which no invoice needs"),
        (_GOOD, ""),
    ],
)
def test_each_cause_has_its_sentence(content: bytes | None, why: str) -> None:
    assert why_unread(content) == why


@given(st.sampled_from(sorted(SOUND)), st.floats(0, 1))
def test_what_is_cut_anywhere_breaks_off(syntax: str, where: float) -> None:
    content = SOUND[syntax].encode()
    start = content.index(b"?>") + 2
    assert why_unread(content[: int(start + where * (len(content) - 2 - start))]) == _CUT


@given(st.binary(max_size=200) | st.binary(max_size=40).map(lambda some: _GOOD[:900] + some + _GOOD[900:]))
def test_whatever_is_not_read_has_a_reason(content: bytes) -> None:
    assert (parsed(content) is None) == bool(why_unread(content))
