"""The .po files are what gettext's own tools would read, and no translation promises what the code does not give."""

from __future__ import annotations

import io
import re
from gettext import c2py
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.pofile import read_po, write_po
from hypothesis import given
from hypothesis import strategies as st

from paperchute.language.catalogue import read
from tests.language import catalogues

FILES = sorted(catalogues.FOLDER.glob("*.po"))
NAMES = [path.stem for path in FILES]

KEPT = (
    ("places", re.compile(r"\{[^{}]*\}?")),
    ("commands and values", re.compile(r"`[^`]*`")),
    ("options and addresses", re.compile(r"(?<!\w)--\w[\w-]*|\bhttps?://\S+")),
)
"""What a translation takes over letter by letter."""


def _both(path: Path) -> list[tuple[str, str]]:
    """Each English sentence with its translation, plural forms one by one."""
    pairs = []
    for message in catalogues.read(path):
        if not message.id:
            continue
        if isinstance(message.id, str):
            pairs.append((message.id, str(message.string)))
        else:
            # "The password" beside "None of the {n} passwords": one form or another goes without the number
            one, many = (text.replace("{n}", "") for text in message.id)
            pairs += [(many if len(many) > len(one) else one, form.replace("{n}", "")) for form in message.string]
    return [(english, translation) for english, translation in pairs if translation]


def test_the_languages_are_there() -> None:
    assert NAMES == ["de", "es", "fr", "zh_Hans"]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_translations_keep_what_stands_for_something(path: Path) -> None:
    changed = []
    for english, translation in _both(path):
        for what, kept in KEPT:
            if sorted(set(kept.findall(english))) != sorted(set(kept.findall(translation))):
                changed.append((what, english, translation))
        if english.count("\n") != translation.count("\n") or english.endswith(" ") != translation.endswith(" "):
            changed.append(("line ends", english, translation))
    assert changed == []


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_files_are_complete_and_plain(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "#~" not in text, "a sentence that is gone"
    assert not re.search(r"^#,.*\bfuzzy\b", text, re.MULTILINE), "a translation that nobody has looked at"
    assert "msgctxt" not in text, "which is not read"
    held = catalogues.read(path)
    for message in held:
        assert isinstance(message.id, str) or len(message.string) == held.num_plurals, message.id
    assert f"Language: {path.stem}\\n" in text
    assert re.search(r"Plural-Forms: nplurals=\d", text)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_each_number_finds_one_of_the_plural_forms(path: Path) -> None:
    held = catalogues.read(path)
    form = c2py(held.plural_expr)
    assert {form(n) for n in range(1000)} == set(range(held.num_plurals))


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_is_read_as_gettexts_tools_read_it(path: Path) -> None:
    expected = _as_babel_reads_it(path.read_bytes())
    held = read(path.read_text(encoding="utf-8"))
    assert held.sentences == expected
    assert [held.form(n) for n in range(200)] == [c2py(catalogues.read(path).plural_expr)(n) for n in range(200)]


SENTENCES = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\x85\u2028\u2029", exclude_categories=["Cc", "Cs"])
    | st.sampled_from('\n\t"\\'),
    min_size=1,
)


@given(st.dictionaries(SENTENCES, SENTENCES | st.tuples(SENTENCES, SENTENCES)), st.integers(20, 120))
def test_whatever_a_file_holds_is_read_as_gettexts_tools_read_it(
    sentences: dict[str, str | tuple[str, str]], width: int
) -> None:
    made = Catalog(locale="de")
    for english, translation in sentences.items():
        if isinstance(translation, str):
            made.add(english, translation)
        else:
            made.add((english, english + "s"), translation)
    written = io.BytesIO()
    write_po(written, made, width=width)
    assert read(written.getvalue().decode("utf-8")).sentences == _as_babel_reads_it(written.getvalue())


def _as_babel_reads_it(raw: bytes) -> dict[str, tuple[str, ...]]:
    found = {}
    for message in read_po(io.BytesIO(raw)):
        key = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string)
        if key and all(forms):
            found[key] = forms
    return found
