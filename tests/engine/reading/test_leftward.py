"""Numbers, codes and signs in lines that run from right to left come in the order of reading."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engine.reading.printing import blocks, printed

HEBREW = (
    "הפגישה תתקיים ביום 12.3.2024 בשעה 14:30 בחדר 205 בקומה 3.",
    'המחיר הוא 99.90 ₪ (כולל מע"מ) לכל יחידה מדגם AB-12 בלבד.',
    "טלפון: 03-555-1234, פקס 03-555-9876.",
    'הסכום 1,250.50 ש"ח (כולל מע"מ)',
    "טלפון 03-1234567 שלוחה 12 (ראשי)",
    "מסמך Word 2019 (גרסה 3.1) סופי",
    "חברת (ABC) למסחר [סעיף 7] {טיוטה}",
    "ראשון (1) שני (2) שלישי (א)",
    "במערכת החדשה שלנו Foo (bar) baz עובד היטב היום",
    "בשנת 2019 נמכרו 1,250 טון עץ בהנחה של 15% ללקוחות קבועים.",
)
ARABIC = (
    "سعر الطن 1250 دولارا في عام 2019 بزيادة 15% عن العام السابق.",
    "السلام عليكم 123 (مرحبا)",
    "المبلغ 1,250.50 درهم (خمسة)",
    "شركة (ABC) للتجارة 25% خصم",
    "الفاتورة رقم INV-2024/07 بمبلغ 99.90 يورو شاملة الضريبة.",
)


def read(lines: tuple[str, ...], path: Path) -> str:
    """What is read of these lines, printed one under the other."""
    html = '<div dir="rtl">' + "".join(f'<p style="margin:2em 0">{line}</p>' for line in lines) + "</div>"
    return " ".join(" ".join(block.text for block in blocks(printed(path, html))).split())


def test_hebrew_lines_keep_the_order_of_numbers_codes_and_signs(tmp_path: Path) -> None:
    found = read(HEBREW, tmp_path / "a.pdf")
    assert [line for line in HEBREW if line not in found] == []


def test_arabic_lines_keep_the_order_of_numbers_codes_and_signs(tmp_path: Path) -> None:
    found = read(ARABIC, tmp_path / "a.pdf")
    if not any("\u0600" <= letter <= "\u06ff" for letter in found):
        pytest.skip("no font of this machine has Arabic letters")
    assert [line for line in ARABIC if line not in found] == []


@pytest.mark.slow
@pytest.mark.parametrize("lines", [HEBREW, ARABIC])
def test_lines_that_a_browser_prints_keep_their_order(tmp_path: Path, lines: tuple[str, ...]) -> None:
    """It says of brackets what they look like, and not what they are."""
    browser = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("there is no Chromium")
    path = tmp_path / "a.pdf"
    html = "".join(f'<p style="margin:2em 0">{line}</p>' for line in lines)
    with browser.sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = chrome.new_page()
        page.set_content(
            f'<html dir="rtl" lang="he"><meta charset="utf-8"><body style="font-family:DejaVu Sans">{html}'
        )
        page.pdf(path=path)
        chrome.close()
    found = " ".join(" ".join(block.text for block in blocks(path)).split())
    if not any("\u0590" <= letter <= "\u06ff" for letter in found):
        pytest.skip("no font of this machine has these letters")
    assert [line for line in lines if "(" in line and line not in found] == []
