"""Sentences come in the language in use, and nothing that is put into them is read a second time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.language import N_, _, best, catalogue, current, ngettext, preferred, speaking, use
from paperchute.language.preference import VARIABLE

HELD = """# A language for tests.
msgid ""
msgstr ""
"Language: xx\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);\\n"

#: a.py
msgid "There is no file {name}."
msgstr "Nema {name}."

msgid "Wrong place {name}."
msgstr "{nam} {name.__class__} {0} {} {name"

msgid "Not yet."
msgstr ""

msgid "{n} page of {name}"
msgid_plural "{n} pages of {name}"
msgstr[0] "{n} strana {name}"
msgstr[1] "{n} strane {name}"
msgstr[2] "{n} strani {name}"
"""


@pytest.fixture(autouse=True)
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One more language, by nothing but its file."""
    (tmp_path / "xx.po").write_text(HELD, encoding="utf-8")
    (tmp_path / "pt_BR.po").write_text(HELD, encoding="utf-8")
    (tmp_path / "zh_Hans.po").write_text(HELD, encoding="utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    _forget()
    yield
    use("en")
    _forget()


def _forget() -> None:
    catalogue.languages.cache_clear()
    catalogue.catalogue.cache_clear()


def test_english_stands_in_the_code() -> None:
    assert _("There is no file {name}.", name="a.pdf") == "There is no file a.pdf."
    assert ngettext("{n} page of {name}", "{n} pages of {name}", 1, name="a") == "1 page of a"
    assert ngettext("{n} page of {name}", "{n} pages of {name}", 0, name="a") == "0 pages of a"
    assert N_("Not yet.") == "Not yet."


def test_a_language_is_added_by_its_file() -> None:
    use("xx")
    assert current() == "xx"
    assert _("There is no file {name}.", name="a.pdf") == "Nema a.pdf."
    pages = [ngettext("{n} page of {name}", "{n} pages of {name}", n, name="a") for n in (1, 2, 5)]
    assert pages == ["1 strana a", "2 strane a", "5 strani a"]


def test_what_has_no_translation_is_said_in_english() -> None:
    use("xx")
    assert _("Not yet.") == "Not yet."
    assert _("Never heard of {name}.", name="it") == "Never heard of it."
    assert ngettext("{n} thing", "{n} things", 2) == "2 things"


def test_a_slip_in_a_translation_raises_nothing_and_reaches_nothing() -> None:
    use("xx")
    assert _("Wrong place {name}.", name="a") == "{nam} {name.__class__} {0} {} {name"


@given(st.text(), st.sampled_from(["en", "xx"]))
def test_a_value_is_never_formatted(value: str, tag: str) -> None:
    with speaking(tag):
        before = "There is no file " if tag == "en" else "Nema "
        assert _("There is no file {name}.", name=value) == f"{before}{value}."


@pytest.mark.parametrize("value", ["{name}", "{n}", "{0}", "{name.__class__}", "%s", "\\1", "\\g<0>"])
def test_a_file_named_like_a_place_keeps_its_name(value: str) -> None:
    assert _("There is no file {name}.", name=value) == f"There is no file {value}."
    assert ngettext("{n} page of {name}", "{n} pages of {name}", 2, name=value) == f"2 pages of {value}"


def test_a_number_can_be_written_in_another_way() -> None:
    assert ngettext("{n} byte", "{n} bytes", 5000, n="5,000") == "5,000 bytes"


def test_each_thread_speaks_its_own_language_within_a_block() -> None:
    said: dict[str, str] = {}
    both = threading.Barrier(2)

    def speak(tag: str) -> None:
        with speaking(tag):
            both.wait(10)
            said[tag] = _("There is no file {name}.", name="a")
            both.wait(10)

    threads = [threading.Thread(target=speak, args=(tag,)) for tag in ("xx", "en")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert said == {"xx": "Nema a.", "en": "There is no file a."}


def test_a_block_goes_back_to_the_language_of_the_process() -> None:
    use("xx")
    with speaking("en"):
        assert current() == "en"
        with speaking("not a language"):
            assert current() == "en"
    assert current() == "xx"


@pytest.mark.parametrize(
    ("tags", "chosen"),
    [
        (["xx-AT"], "xx"),
        (["XX_at.UTF-8@euro"], "xx"),
        (["zh-CN"], "zh_Hans"),
        (["zh"], "zh_Hans"),
        (["zh_SG.gb2312"], "zh_Hans"),
        (["zh-TW"], "en"),
        (["zh-Hant-CN"], "en"),
        (["zh-Hans-TW"], "zh_Hans"),
        (["pt-BR"], "pt_BR"),
        (["pt"], "pt_BR"),
        (["pt-PT"], "pt_BR"),
        (["nl", "xx", "zh"], "xx"),
        (["en-GB", "xx"], "en"),
        (["nl"], "en"),
        (["", "-", "_._", "*", "../xx"], "en"),
        ([], "en"),
    ],
)
def test_a_tag_finds_the_language_that_suits_it(tags: list[str], chosen: str) -> None:
    assert best(tags) == chosen


@given(st.text())
def test_any_tag_is_answered(tag: str) -> None:
    assert best([tag]) in ("en", "xx", "pt_BR", "zh_Hans")


@pytest.mark.parametrize(
    ("environment", "chosen"),
    [
        ({"LANG": "xx_AT.UTF-8"}, "xx"),
        ({"LANG": "xx_AT.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "xx_AT"}, "xx"),
        ({"LANG": "xx", "LC_MESSAGES": "xx", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "C", "LANGUAGE": "xx"}, "en"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "nl:xx:en"}, "xx"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "en:xx"}, "en"),
        ({"LANG": "xx", "LANGUAGE": ""}, "xx"),
        ({"LANG": "nl_NL.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", VARIABLE: "xx"}, "xx"),
        ({"LANG": "xx", VARIABLE: "en"}, "en"),
        ({"LANG": "xx", VARIABLE: "zh-CN"}, "zh_Hans"),
        ({"LANG": "xx", VARIABLE: ""}, "xx"),
    ],
)
def test_the_language_is_the_one_that_was_set_else_the_systems(environment: dict[str, str], chosen: str) -> None:
    assert preferred(environment) == chosen
