"""Characters that a file does not name, read from the look of words whose other characters it does."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paperchute.contract import contract
from paperchute.contract.recognition import defaults
from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.ocr.gaps import places_of_gaps, with_gaps_filled
from paperchute.engine.work import Source, Work

BLANK = "\ufffd"
TEXT = [
    "The puri%cation was re%ned at the of%ce, and the pro%le is de%nite.",
    "Caf+s open at %ve; the sum is 1$50 or $7.",
]
NAMED = {"%": ("fi", 1, "E103"), "$": ("two", 2, "E104"), "+": ("eacute", 3, "E105")}


def _unnamed(path: Path, lines: list[str]) -> Path:
    """A page in a font that shows fi, 2 and é, and says that they are private characters, as publishers' fonts do."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    codes = "".join(f"<{code:02X}> <{private}>\n" for _, code, private in NAMED.values())
    unicode = f"begincmap 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar\n{codes}endbfchar endcmap"
    names = pikepdf.Array([part for name, code, _ in NAMED.values() for part in (code, pikepdf.Name(f"/{name}"))])
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type1,
        BaseFont=pikepdf.Name.Helvetica,
        Encoding=pikepdf.Dictionary(
            Type=pikepdf.Name.Encoding, BaseEncoding=pikepdf.Name.WinAnsiEncoding, Differences=names
        ),
        ToUnicode=pdf.make_stream(unicode.encode()),
    )
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    shown = []
    for row, line in enumerate(lines):
        coded = line
        for sign, (_, code, _) in NAMED.items():
            coded = coded.replace(sign, f"\\{code:03o}")
        shown.append(f"BT /F 12 Tf 72 {700 - 20 * row} Td ({coded}) Tj ET")
    page.Contents = pdf.make_stream("\n".join(shown).encode("latin-1"))
    pdf.save(path)
    return path


def _markdown(path: Path, **parameters: int | str) -> tuple[str, list[str]]:
    source = Source("file", path, path.name, "pdf")
    given_too = {**defaults(contract().known("pdf-to-markdown")), **parameters}
    with report.collected() as warnings:
        (result,) = implementation("pdf-to-markdown").run(Work("pdf-to-markdown", (source,), given_too, path.parent))
    return result.read_text("utf-8"), list(warnings)


def test_words_with_unnamed_characters_are_completed_from_how_they_look(tmp_path: Path) -> None:
    padding = ["The quick survey of the northern harbours showed that most of the older quays had been rebuilt."] * 12
    said, warnings = _markdown(_unnamed(tmp_path / "a.pdf", [*TEXT, *padding]))
    assert "The purification was refined" in said
    assert "office, and the profile is definite." in said
    assert "Cafés open at five;" in said
    assert f"1{BLANK}50 or {BLANK}7." in said  # nothing but their look would say which figures
    assert len(warnings) == 1  # that some are left


def test_who_wants_no_recognition_gets_none(tmp_path: Path) -> None:
    said, warnings = _markdown(_unnamed(tmp_path / "a.pdf", TEXT), enableOcr=0)
    assert f"puri{BLANK}cation" in said
    assert len(warnings) == 1


def _word(text: str, left: float, glued: bool = False, confidence: float = 1.0) -> Word:
    right = left + 5 * len(text)
    return Word(text, left, 92, right, 102, 100, 10, Font(), glued=glued, confidence=confidence)


LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6)


@example(before="q", after="a", part="fi", pieces=False)
@given(LETTERS, LETTERS, st.sampled_from(["fi", "ffl", "ft", "é", "ü", "'", "-"]), st.booleans())
def test_only_the_unknown_comes_from_recognition(before: str, after: str, part: str, pieces: bool) -> None:
    texts = [before, BLANK, after] if pieces else [before + BLANK + after]
    words, left = list[Word](), 50.0
    for text in texts:
        words.append(_word(text, left, glued=bool(words)))
        left = words[-1].right
    assert len(places_of_gaps(words)) == 1
    (seen,) = [_word(before + part + after, 50, confidence=0.97)]
    seen.right = left
    done = with_gaps_filled(words, [seen])
    assert "".join(word.text for word in done) == before + part + after
    assert [word.confidence == 1 for word in done] == [BLANK not in text for text in texts]
    seen.text = "q" + seen.text  # it is not sure where one known character differs
    assert with_gaps_filled(words, [seen]) == words


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (f"1{BLANK}50", "1250"),  # a digit
        (f"{BLANK}g/kg", "ug/kg"),  # a plain letter, which any font has a name for
        (f"{BLANK}{BLANK}ab", "fiflab"),  # where one ends is not known
        (f"{BLANK}a", "fia"),  # too little is known
        (f"abc{BLANK}", "abcfifi"),
        (f"a{BLANK}" * 40, "a" * 120),  # in how many ways these may be parted
    ],
)
def test_what_is_not_sure_stays_unknown(text: str, seen: str) -> None:
    words, there = [_word(text, 50)], _word(seen, 50, confidence=0.99)
    there.right = words[0].right
    assert with_gaps_filled(words, [there]) == words


def test_what_was_not_read_surely_is_not_believed() -> None:
    words, there = [_word(f"o{BLANK}ce", 50)], _word("office", 50, confidence=0.5)
    there.right = words[0].right
    assert with_gaps_filled(words, [there]) == words
