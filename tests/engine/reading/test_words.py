"""The words that documents print around their text are known in every language that is read."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from babel import Locale
from babel.core import get_global
from babel.numbers import get_territory_currencies

from paperchute.engine.document.running import is_number, number_form
from paperchute.engine.reading.layout.phrases import is_caption, is_continued_caption
from paperchute.engine.words import months, words
from paperchute.notation.currencies import CURRENCY
from tests.engine.reading.printing import markdown, printed


def test_every_language_of_extraction_has_every_word() -> None:
    labels = {file.name[:-5] for file in files("paperchute.engine.extraction").joinpath("labels").iterdir()}
    assert labels - {""} <= set(words()), "a language that is extracted from has no words"
    for language in labels:
        for kind in ("page", "of", "table", "figure", "continued"):
            assert words()[language][kind], (language, kind)


def test_every_language_has_the_months_of_the_cldr() -> None:
    for language, table in words().items():
        shown = [
            (name.lower().rstrip("."), number)
            for width in ("wide", "abbreviated")  # of those that stand alone Babel 2.18 mixes up languages
            for number, name in Locale.parse(language).months["format"][width].items()
        ]
        if language in ("ja", "zh"):  # which count them
            assert "months" not in table
            continue
        assert len(table["months"]) == 12
        assert {name: number for name, number in shown if len(name) > 2 and name.isalpha()}.items() <= months(
            language
        ).items(), language


def test_a_short_name_of_one_language_is_no_month_of_all() -> None:
    assert {name for name in ("pro", "out", "led", "ene") if name in months()} == set()
    assert (months("cs")["pro"], months("pt")["out"], months()["sept"], months()["août"]) == (12, 10, 9, 8)


def test_amounts_have_the_currency_of_every_language() -> None:
    for language in words():
        locale = Locale.parse(get_global("likely_subtags")[language])
        code = get_territory_currencies(locale.territory or "")[0]
        for sign in (code, locale.currency_symbols.get(code, code)):
            assert re.fullmatch(CURRENCY, sign), (language, sign)


@pytest.mark.parametrize(
    "foot",
    [
        "第 {} 页",
        "第{}页 共4页",
        "第{}页共4页",
        "共4页 第{}页",
        "第 {} 頁 / 共 4 頁",
        "{} / 4 ページ",
        "Pagina {} van 4",
        "Strona {} z 4",
        "Sida {} av 4",
        "Side {} af 4",
        "Página {} de 4",
        "Pagina {} di 4",
        "Стр. {} из 4",
        "{}. oldal",
        "Sivu {}/4",
        "Seite {} von 4",
        "Page {} sur 4",
        "p. {}",
    ],
)
def test_page_numbers_are_told_in_many_languages(foot: str) -> None:
    assert is_number(foot.format(3))
    assert number_form(foot.format(3), 3) == number_form(foot.format(4), 4) != ""


@pytest.mark.parametrize(
    "text",
    ["Pagina van 4", "4 van de 5 vragen", "Strona", "Side effects 4", "3 apples", "页", "第三", "Sida vid sida 3"],
)
def test_what_is_no_page_number_stays(text: str) -> None:
    assert not is_number(text)


@pytest.mark.parametrize(
    ("caption", "goes_on"),
    [
        ("Tabela 3 (ciąg dalszy)", True),
        ("Tabell 2 (fortsättning)", True),
        ("表 1 续", True),
        ("Tabel 4 Verkoop", False),
        ("Rysunek 2: Plan", False),
        ("Таблица 1. Цены", False),
    ],
)
def test_captions_are_told_in_many_languages(caption: str, goes_on: bool) -> None:
    assert is_caption(caption)
    assert is_continued_caption(caption) == goes_on


@pytest.mark.parametrize("foot", ["Pagina {} van 4", "Strona {} z 4", "Sida {} av 4", "第 {} 页"])
@pytest.mark.parametrize("count", [4])
def test_page_numbers_leave_the_text(tmp_path: Path, foot: str, count: int) -> None:
    pages = [f"<p>{f'Er staat hier iets op blad {page * 7} dat verder gaat. ' * 12}</p>" for page in range(count)]
    before, after = foot.split("{}")
    css = f"@page {{ @bottom-center {{ content: '{before}' counter(page) '{after}' }} }}"
    path = printed(tmp_path / "a.pdf", "<div style='break-after:page'></div>".join(pages), css)
    text = markdown(path, tmp_path / "out")
    assert "staat hier" in text
    assert [page for page in range(1, count + 1) if foot.format(page) in text] == []
