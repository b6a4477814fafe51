"""Whose a receipt is: the name at its head is sure where something else confirms it, and asked where nothing does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from paperchute.engine.extraction.numbering import number_of
from paperchute.engine.extraction.printed import sheet_of
from tests.engine.extraction.pages import page

_SALE = [["TAX INVOICE"], ["Bill no: 4711"], ["25/12/2018 13:22"], ["Milk", "33.90"], ["TOTAL", "33.90"]]
_STREET = ["NO 5, JALAN KENARI 2,"]
_TOWN = ["47100 PUCHONG, SELANGOR"]


def _receipt(*rows: list[str], goods: list[list[str]] = _SALE) -> Findings:
    """A roll of paper in type of one width, whose spaces are wide."""
    made = page([["   ".join("  ".join(text.split(" ")) for text in row)] for row in [*rows, *goods]])
    return findings([replace(made, width=330.0, height=900.0)])


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ([["SEGI CASH & CARRY SDN. BHD."], ["PT17920 SEK U9"], ["GST REG NO : 001951645696"]], None),
        ([["99 SPEED MART S/B (519537-X)"], _STREET, _TOWN], "99 SPEED MART S/B"),
        ([["AEON CO. (M) BHD"], _STREET, _TOWN], None),
        ([["MOONLIGHT CAKE HOUSE SDN BHD 862725-U"], _STREET], "MOONLIGHT CAKE HOUSE SDN BHD"),
        ([["PASARAYA BORONG PINTAR"], ["SDN BHD"], ["(124525-H)"]], "PASARAYA BORONG PINTAR SDN BHD"),
        ([["PASAR RAYA MAJU"], ["(SEMENYIH) SDN BHD"], ["(767840-W)"]], "PASAR RAYA MAJU (SEMENYIH) SDN BHD"),
        ([["LAVENDER"], ["LAVENDER BAKERY S/B"], ["499702-V"], _TOWN], "LAVENDER BAKERY S/B"),
        ([["GOLDEN KEY MAKER"], ["(000760274-K)"], _STREET, _TOWN], "GOLDEN KEY MAKER"),
        ([["Hölzl Baumarkt GmbH"], ["Am Markt 4"], ["24103 Kiel"]], "Hölzl Baumarkt GmbH"),
        ([["Boulangerie Petit"], ["3 rue du Lac"], ["69001 Lyon"], ["SIRET : 732 829 320 00074"]], "Boulangerie Petit"),
    ],
)
def test_the_name_at_the_head_is_sure_with_a_number_or_a_town_below_it(head: list[list[str]], name: str | None) -> None:
    expected = name or head[0][0]
    assert _receipt(*head).sender.value == expected


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ([["LIGHT ROOM SDN BHD"], ["Welcome"]], {"LIGHT ROOM SDN BHD"}),  # nothing confirms it
        ([["THAI DELICIOUS RESTAURANT"], ["TEL 03-8051"]], {"THAI DELICIOUS RESTAURANT"}),
        ([["SUNFISH"], _STREET, _TOWN, ["(001610235-P)"]], {"SUNFISH"}),  # a mark alone
        ([["TAN WOON YANN"], ["SOON HUAT MACHINERY"], ["(81109-A)"], _TOWN], {"TAN WOON YANN", "SOON HUAT MACHINERY"}),
        ([["AIK HUAT"], ["HARDWARE SDN BHD"], ["(81109-A)"]], {"HARDWARE SDN BHD", "AIK HUAT HARDWARE SDN BHD"}),
        ([["AMPANG 210"], ["PARKING SDN BHD"], ["(81109-A)"]], {"PARKING SDN BHD", "AMPANG 210 PARKING SDN BHD"}),
        (
            [["SIZZLING GRILL"], ["OWN BY: DOVE SDN BHD"], ["(81109-A)"], _TOWN],
            {"SIZZLING GRILL", "OWN BY: DOVE SDN BHD"},
        ),
    ],
)
def test_a_name_that_nothing_confirms_or_that_has_another_beside_it_is_asked(
    head: list[list[str]], names: set[str]
) -> None:
    sender = _receipt(*head).sender
    assert (sender.value, {one.value for one in sender.candidates}) == (None, names)


@pytest.mark.parametrize("street", ["NO.22 JALAN PUTERI 2/4", "WANGSA LINK, WANGSA MAJU", "KG. DUSUN NANDING"])
def test_a_line_of_the_address_is_no_shop(street: str) -> None:
    found = _receipt(["KEDAI"], [street], ["BANDAR PUTERI"], _TOWN)
    assert found.sender.value is None
    assert found.recipient.value is None  # a roll has no envelope, in whose window an address would stand


def test_what_stands_above_the_number_of_an_order_is_no_name() -> None:
    sender = _receipt(["YOUR ORDER NUMBER IS"], ["7290"], ["TEALIVE"], ["002570632-X"], _TOWN).sender
    assert (sender.value, [one.value for one in sender.candidates]) == (None, ["TEALIVE"])


def test_a_village_is_no_legal_form() -> None:
    head = [["SKCA HARDWARE SDN BHD"], ["946207-D"], ["LOT 204, JALAN BATU"], ["KG. DUSUN NANDING, 43100 HULU"]]
    assert _receipt(*head).sender.value == "SKCA HARDWARE SDN BHD"


def test_the_name_that_stands_again_in_the_foot_decides() -> None:
    head = [["AIK HUAT"], ["HARDWARE SDN BHD"], ["(81109-A)"]]
    foot = [*_SALE, *([["thank you"]] * 50), ["AIK HUAT HARDWARE SDN BHD"]]
    assert _receipt(*head, goods=foot).sender.value == "AIK HUAT HARDWARE SDN BHD"


def test_a_number_that_touches_its_label_is_told_without_it() -> None:
    sheets = [sheet_of(page([["Maintenance contract"], ["Agreement number2026-61650"]]))]
    assert number_of(sheets, "contract").value == "2026-61650"
