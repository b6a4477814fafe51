"""Each slip that a catalogue can have is found, and a catalogue without one passes."""

from __future__ import annotations

import pytest
from babel.messages import Catalog

from tests.language.slips import found

HEAD = r"""msgid ""
msgstr ""
"Language: de\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
"""

GOOD = r"""
msgid "{name} is gone: `paperchute jobs` shows it.\n"
msgstr "{name} ist weg: `paperchute jobs` zeigt es.\n"

msgid "{n} page of {name}"
msgid_plural "{n} pages of {name}"
msgstr[0] "Eine Seite von {name}"
msgstr[1] "{n} Seiten von {name}"
"""


def _code() -> Catalog:
    code = Catalog()
    code.add("{name} is gone: `paperchute jobs` shows it.\n")
    code.add(("{n} page of {name}", "{n} pages of {name}"))
    return code


def _slips(text: str) -> list[str]:
    return found((HEAD + text).encode(), "de", _code())


def test_a_good_catalogue_has_none() -> None:
    assert _slips(GOOD) == []


@pytest.mark.parametrize(
    ("before", "after", "slip"),
    [
        ('msgstr "{name} ist weg: `paperchute jobs` zeigt es.\\n"', 'msgstr ""', "has no translation: '{name} is gone"),
        ("{name} ist weg", "{nome} ist weg", "other places: '{name} is gone"),
        ("{name} ist weg", "Er ist weg", "other places"),
        ("{name} ist weg", "{name} ist weg, {name}", "other places"),
        ("Eine Seite von {name}", "Eine Seite", "other places: ('{n} page of"),
        ("{n} Seiten von {name}", "{n} Seiten von {names}", "other places"),
        ("{n} Seiten von {name}", "Seiten von {name}", "does not say how many: ('{n} page of"),
        ("{name} ist weg", "{n} {name} ist weg", "other places"),
        ("`paperchute jobs` zeigt", "`paperchute auftraege` zeigt", "other text in backquotes"),
        ("`paperchute jobs` zeigt", "paperchute jobs zeigt", "other text in backquotes"),
        ("zeigt es.\\n", "zeigt es.", "other line ends or spaces"),
        ("zeigt es.\\n", "zeigt\\nes.\\n", "other line ends or spaces"),
        ("Eine Seite von {name}", " Eine Seite von {name}", "other line ends or spaces"),
        ("Eine Seite von {name}", "Eine Seite von {name} ", "other line ends or spaces"),
        ("Eine Seite von {name}", "", "has 1 of 2 plural forms: '{n} page of"),
        ('msgstr[1] "{n} Seiten von {name}"\n', "", "has 1 of 2 plural forms"),
        ("shows it.", "showed it.", "lacks: '{name} is gone"),
        ("shows it.", "showed it.", "is not in the code: '{name} is gone"),
        ("pages of", "sheets of", "lacks: ('{n} page of"),
        (GOOD, "", "lacks: '{name} is gone"),
        ('msgid "{name}', '#, fuzzy\nmsgid "{name}', "holds guesses"),
        ('msgid "{name}', '#, python-format, fuzzy\nmsgid "{name}', "holds guesses"),
        (GOOD, GOOD + '\n#~ msgid "old"\n#~ msgstr "alt"\n', "holds obsolete"),
        ('msgid "{name}', 'msgctxt "menu"\nmsgid "{name}', "holds contexts"),
        (GOOD, GOOD + GOOD, 'holds twice: "{name} is gone'),
    ],
)
def test_each_slip_is_told(before: str, after: str, slip: str) -> None:
    assert before in GOOD
    told = _slips(GOOD.replace(before, after))
    assert any(line.startswith(slip) for line in told), told


def test_an_option_or_an_address_is_not_translated() -> None:
    code = Catalog()
    code.add("Run it with --yes, see https://example.com/a.")
    text = '\nmsgid "Run it with --yes, see https://example.com/a."\nmsgstr "Mit --ja, siehe https://example.com/a."\n'
    (slip,) = found((HEAD + text).encode(), "de", code)
    assert slip.startswith("other options and addresses")
    assert found((HEAD + text).replace("--ja", "--yes").encode(), "de", code) == []
