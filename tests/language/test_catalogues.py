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
from tests.language.slips import found

FILES = sorted(catalogues.FOLDER.glob("*.po"))
NAMES = [path.stem for path in FILES]


def test_the_languages_are_there() -> None:
    assert NAMES == ["de", "es", "fr", "zh_Hans"]


@pytest.fixture(scope="module")
def code() -> Catalog:
    """The sentences of the code."""
    return catalogues.extracted()


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_holds_the_codes_sentences_and_says_them_all(path: Path, code: Catalog) -> None:
    slips = found(path.read_bytes(), path.stem, code)
    if slips:
        pytest.fail("\n".join([f"{path.name} has {len(slips)} slips:", *slips]), pytrace=False)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_says_which_language_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
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
    form = c2py(catalogues.read(path).plural_expr)
    assert [held.form(n) for n in range(200)] == [form(n) for n in range(200)]


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
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if key and all(forms):
            found[key] = forms
    return found
