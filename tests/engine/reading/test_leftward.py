"""Numbers, codes and signs in lines that run from right to left come in the order of reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.printing import blocks, printed

HEBREW = (
    "הפגישה תתקיים ביום 12.3.2024 בשעה 14:30 בחדר 205 בקומה 3.",
    'המחיר הוא 99.90 ₪ (כולל מע"מ) לכל יחידה מדגם AB-12 בלבד.',
    "טלפון: 03-555-1234, פקס 03-555-9876.",
    "בשנת 2019 נמכרו 1,250 טון עץ בהנחה של 15% ללקוחות קבועים.",
)
ARABIC = (
    "سعر الطن 1250 دولارا في عام 2019 بزيادة 15% عن العام السابق.",
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
