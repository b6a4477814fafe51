"""Lists of known senders: what proves a sender, which lines are mistakes, and how a line is added."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.file import load
from paperchute.rules.known_senders import (
    KnownSender,
    Marks,
    SendersError,
    fitting,
    folder_of,
    read,
    text_of,
    with_line,
)
from paperchute.rules.problems import RuleFileError
from paperchute.rules.requirements import missing

POWER = KnownSender("Power", words="stadtwerke musterstadt", vat="DE136695976", folder="Energy/Power")
GAS = KnownSender("Gas", vat="DE136695976", customer="77-1234")
BANK = KnownSender("Bank", iban="DE89370400440532013000", domain="bank.example")


def names(*senders: KnownSender, sender: str = "", recipient: str = "", **marks: list[str]) -> list[str]:
    return [one.name for one in fitting(senders, Marks(**marks), sender, recipient)]


def test_what_proves_a_sender_decides() -> None:
    assert names(POWER, BANK, vat=["DE136695976"]) == ["Power"]
    assert names(POWER, BANK, iban=["DE89370400440532013000"]) == ["Bank"]
    assert names(POWER, BANK, domain=["mail.bank.example"]) == ["Bank"]
    assert names(POWER, BANK, domain=["notbank.example"]) == []
    assert names(POWER, BANK, sender="Stadtwerke Musterstadt GmbH") == ["Power"]
    assert names(POWER, BANK, sender="Stadtwerke Beispielstadt GmbH") == []


def test_lines_that_both_fit_are_told_apart_by_the_customer_number_or_asked() -> None:
    assert names(POWER, GAS, vat=["DE136695976"]) == ["Power", "Gas"]
    assert names(POWER, GAS, vat=["DE136695976"], labelled=["771234"]) == ["Gas"]
    assert names(POWER, GAS, vat=["DE136695976"], sender="Gas") == ["Gas"]
    assert names(POWER, BANK, vat=["DE136695976"], sender="Bank") == ["Power", "Bank"], "a name against a number"
    assert names(BANK, GAS, labelled=["771234"]) == [], "a customer number alone proves nothing"


def test_who_gets_the_document_has_not_sent_it() -> None:
    assert names(POWER, BANK, vat=["DE136695976"], recipient="Stadtwerke Musterstadt GmbH") == []


def test_a_folder_is_that_of_the_line_or_the_name() -> None:
    assert folder_of([POWER], "POWER").as_posix() == "Energy/Power"
    assert folder_of([POWER], "a/../b").parts == ("a_.._b",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("who,iban\nA,\n", "1: the first line names the columns"),
        ("name,name\nA,B\n", "1: the column name is there twice"),
        ("name,iban\nA,DE89370400440532013000\nB,DE88370400440532013000\n", "3: the check digits"),
        ("name;vat\nA;DE136695977\n", "2: DE136695977 is no VAT id"),
        ("# ours\nname,folder\n\nA,../B\n", "4: the folder '../B' leads elsewhere"),
        ("name,folder\nA,/etc\n", "2: the folder"),
        ("name,folder\nA,C:\\B\n", "2: the folder"),
        ("name,folder\nA,~/B\n", "2: the folder"),
        ("name,kind\nA,invoices\n", "2: there is no kind"),
        ("name,iban\n,DE89370400440532013000\n", "2: `name` is empty"),
        ('name,words\nA,"b\n', "1: it is no CSV"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "senders.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(SendersError) as refused:
        read(path)
    assert f"{path}:{said}" in str(refused.value)
    rules = tmp_path / "rules.toml"
    rules.write_text(
        'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\noperation = "pdf-to-markdown"\nsenders = "senders.csv"\n'
        'output = "{doc.folder}/{stem}.{ext}"\n'
    )
    assert [problem.message for problem in missing(load(rules)) if said in problem.message]


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "senders.csv"
    path.write_bytes("name\nMüller\n".encode("cp1252"))
    with pytest.raises(SendersError, match="UTF-8"):
        read(path)
    assert not read(tmp_path / "none.csv")


def test_a_folder_needs_a_list(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\noperation = "pdf-to-markdown"\n'
        'output = "{doc.folder}/{stem}.{ext}"\n'
    )
    with pytest.raises(RuleFileError, match="senders"):
        load(rules)


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
def test_any_name_becomes_one_line_and_leaves_the_rest(name: str) -> None:
    before = "# ours\nName;Note;IBAN\nA;keep;\n"
    after = with_line(before, {"name": name, "iban": "DE89370400440532013000"})
    assert after.startswith(before)


def test_a_line_is_added_as_the_list_has_it(tmp_path: Path) -> None:
    path = tmp_path / "senders.csv"
    path.write_text(with_line("# ours\nNote;Name\nx;A", {"name": "=B; GmbH", "iban": "DE"}), "utf-8")
    assert text_of(path) == '# ours\nNote;Name\nx;A\n;"B; GmbH"\n'
    assert [one.name for one in read(path)] == ["A", "B; GmbH"]
    path.write_text(with_line("", {"name": "A", "iban": "DE89370400440532013000"}), "utf-8")
    assert [(one.name, one.iban) for one in read(path)] == [("A", "DE89370400440532013000")]
