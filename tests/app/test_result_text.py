"""The text of results, as the search index has it."""

from __future__ import annotations

import io
import zipfile

import pytest

from paperchute.app.result_text import answer_text, plain_text


def docx(text: str) -> bytes:
    made = io.BytesIO()
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f"<w:document xmlns:w='{namespace}'><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("word/document.xml", body)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.HTML", b"<title>x</title><script>no()</script><p>seen</p>", "x seen"),
        ("a.docx", docx("written"), "written"),
        ("a.docx", b"PK no archive", ""),
        ("a.pdf", b"%PDF-1.7 and no more", ""),
        ("a.zip", b"PK", ""),
    ],
)
def test_each_kind_gives_its_text(name: str, content: bytes, text: str) -> None:
    said, _ = answer_text({"name": name}, content)
    assert said == {"text": text}


@pytest.mark.parametrize(
    ("content", "text"), [("# Grüße".encode(), "# Grüße"), (b"\xef\xbb\xbfa", "a"), (b"\xff", "\ufffd")]
)
def test_what_is_text_needs_no_reader(content: bytes, text: str) -> None:
    assert plain_text(content) == text
