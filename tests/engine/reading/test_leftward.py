"""Numbers, codes and signs in lines that run from right to left come in the order of reading."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reading.printing import blocks, printed

LINES = (
    "הפגישה תתקיים ביום 12.3.2024 בשעה 14:30 בחדר 205 בקומה 3.",
    'המחיר הוא 99.90 ₪ (כולל מע"מ) לכל יחידה מדגם AB-12 בלבד.',
    "טלפון: 03-555-1234, פקס 03-555-9876.",
    "בשנת 2019 נמכרו 1,250 טון עץ בהנחה של 15% ללקוחות קבועים.",
    "سعر الطن 1250 دولارا في عام 2019 بزيادة 15% عن العام السابق.",
    "الفاتورة رقم INV-2024/07 بمبلغ 99.90 يورو شاملة الضريبة.",
)


def test_numbers_codes_and_signs_keep_their_order(tmp_path: Path) -> None:
    html = '<div dir="rtl">' + "".join(f'<p style="margin:2em 0">{line}</p>' for line in LINES) + "</div>"
    found = " ".join(block.text for block in blocks(printed(tmp_path / "a.pdf", html)))
    assert [line for line in LINES if line not in " ".join(found.split())] == []
