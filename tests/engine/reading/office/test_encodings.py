"""Texts that do not say which encoding they are in."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from paperchute.engine.reading.office.encodings import text_of
from paperchute.engine.reading.office.markup import csv_html
from paperchute.engine.work import Refused
from tests.engine.reading.office.parsing import parsed

_JAPANESE = "日付,金額,名前\n2024年,1000,山田さんはリンゴを食べました\n"
_CHINESE = "日期,金额,名称\n今天我们去吃饭,合同编号,北京有限公司\n"
_TAIWANESE = "日期,金額,名稱\n今天我們去吃飯,合約編號,台北有限公司\n"
_KOREAN = "날짜,금액,이름\n오늘은 날씨가 좋습니다,1000,서울시\n"
_RUSSIAN = "Дата,Сумма,Имя\nСегодня хорошая погода,1000,ООО Рога\n"
_GERMAN = "Straße;Größe\nMüller;Ärger 5 € ÄÖ „a“ ½\n"
_FRENCH = "Crédit;à l’été\nœuvre € 5 À « ça » dû\n"
_POLISH = "Łódź;źdźbło;żółć\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((_JAPANESE, "cp932"), (_JAPANESE, "euc_jp"), (_JAPANESE, "utf-16"), (_JAPANESE, "utf-16-le")),
        *((_CHINESE, "gb2312"), (_TAIWANESE, "cp950"), (_KOREAN, "euc_kr")),
        *((_RUSSIAN, "cp1251"), (_RUSSIAN, "koi8_r"), (_RUSSIAN, "utf-8")),
        *(
            (_GERMAN, "cp1252"),
            (_GERMAN, "utf-16-le"),
            (_GERMAN, "utf-16-be"),
            (_FRENCH, "cp1252"),
            ("café é\n", "cp1252"),
        ),
    ],
)
def test_an_encoding_is_told_by_what_makes_sense_in_it(text: str, encoding: str) -> None:
    found = text_of(text.encode(encoding))
    assert (found.text, found.is_sure) == (text, True)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((_POLISH, "cp1250"), (_POLISH, "iso8859_2"), ("Příliš žluťoučký kůň", "cp1250")),
        *(("Ημερομηνία;Ποσό", "cp1253"), ("İşçi;ığdır", "cp1254"), ("Árvíztűrő tükörfúrógép", "cp1250")),
        *((_RUSSIAN, "cp866"), ("Müller Straße", "cp850"), ("Müller Straße", "mac_roman"), ("café", "cp850")),
    ],
)
def test_what_may_be_another_letter_is_unsure(text: str, encoding: str) -> None:
    assert not text_of(text.encode(encoding)).is_sure


def test_a_few_broken_characters_make_no_text_another() -> None:
    found = text_of(_RUSSIAN.encode() + b"\xd0")
    assert (found.text, found.is_sure) == (_RUSSIAN + "\ufffd", False)
    assert text_of("a \ufffd".encode()).is_sure


def test_a_list_in_another_script_is_read_and_its_encoding_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(_JAPANESE.encode("cp932"))
    found = parsed(tmp_path / "a.csv")
    assert "山田さんはリンゴを食べました" in found.text
    assert (found.warnings, found.notes) == ([], ["a.csv was read as Shift-JIS."])


def test_letters_that_may_be_wrong_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Faktura za usługi, razem do zapłaty\n".encode("cp1250"))
    (warning,) = parsed(tmp_path / "a.txt").warnings
    assert "letters may be wrong" in warning


@pytest.mark.parametrize("encoding", ["cp1253", "cp500"])
def test_a_text_that_nothing_makes_sense_of_is_refused(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(
        ("Ημερομηνία και ποσό " if encoding == "cp1253" else "Harbour ").encode(encoding) * 40
    )
    with pytest.raises(Refused, match="Save it as UTF-8 first") as refused:
        parsed(tmp_path / "a.txt")
    assert refused.value.code == "02207"


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 40)
    with pytest.raises(Refused, match="damaged") as refused:
        parsed(tmp_path / "a.txt")
    assert refused.value.code == "02207"


def test_words_about_an_encoding_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text('Write `<meta charset="utf-16">` here: größer\n', "utf-8")
    assert "größer" in parsed(tmp_path / "a.md").text


def test_lists_of_other_systems(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'sep=;\r\nport,in;"two\r\nlines"\r\n')
    found = parsed(tmp_path / "a.csv").text
    assert "sep=" not in found
    assert "port,in" in found
    (tmp_path / "b.csv").write_bytes(b"port,ships\rKiel,11\r" + b'Oslo,"' + b"%s " % (b"x" * 60) * 2_300 + b'"\r')
    found = parsed(tmp_path / "b.csv").text
    assert "Kiel" in found
    assert found.count("x" * 60) == 2_300


def test_a_short_list_leaves_longer_ones_readable() -> None:
    before = csv.field_size_limit()
    csv_html("port,ships")
    assert (
        csv.field_size_limit() >= before
    )  # it counts for all that the process reads, such as lists of what is installed


def test_a_list_wider_than_any_page_loses_no_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\n".join(",".join(f"r{r}c{c}" for c in range(600)) for r in range(3)), "utf-8")
    found = parsed(tmp_path / "a.csv").record
    assert [c for c in range(600) if f"r2c{c}" not in found] == []
