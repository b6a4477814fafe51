"""Names that take two lines are told whole where the lines surely belong together, and are not sure where they may."""

from __future__ import annotations

import pytest

from paperchute.engine.extraction.finder import findings
from tests.engine.extraction.pages import page


def _to(*lines: str) -> tuple[str | None, set[str]]:
    rows = [["Invoice 4711"], [""], ["Bill to:"], *([line] for line in lines), [""], ["Total", "119.00 EUR"]]
    found = findings([page(rows)]).recipient
    return found.value, {candidate.value for candidate in found.candidates}


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (("Northfield Supplies", "Ltd", "12 Mill Lane"), "Northfield Supplies Ltd"),
        (("Nordlicht Handels", "GmbH & Co. KG", "Am Markt 4"), "Nordlicht Handels GmbH & Co. KG"),
        (("Van der Berg", "B.V.", "Kerkstraat 4"), "Van der Berg B.V."),
        (("Meyer, Huber", "& Partner", "Am Markt 4"), "Meyer, Huber & Partner"),
        (("Verein für", "Heimatpflege", "Am Markt 4"), "Verein für Heimatpflege"),
        (("Gesellschaft", "für Recht und Technik mbH", "Am Markt 4"), "Gesellschaft für Recht und Technik mbH"),
        (("Lindner GmbH", "Erika Mustermann", "Am Markt 4", "10115 Berlin"), "Lindner GmbH"),
        (("Lindner GmbH", "Am Markt", "10115 Berlin"), "Lindner GmbH"),
        (("Erika Mustermann", "Am Markt", "10115 Berlin"), "Erika Mustermann"),
        (("Erika Mustermann", "Am Markt 4", "10115 Berlin"), "Erika Mustermann"),
        (("Stadt Auental", "z. Hd. Frau Vogt", "Am Markt 4", "10115 Berlin"), "Stadt Auental"),
        (("Herrn Dr. Peter Mansfeld", "Am Markt 4", "10115 Berlin"), "Dr. Peter Mansfeld"),
        (("Dr. med. Ute Brandt", "Am Markt 4", "10115 Berlin"), "Dr. med. Ute Brandt"),
    ],
)
def test_lines_that_belong_together_are_one_name(lines: tuple[str, ...], name: str) -> None:
    assert _to(*lines)[0] == name


@pytest.mark.parametrize(
    "lines",
    [
        ("MVM Musterhafter", "Versicherungsverein Auental a.G.", "Am Markt 4", "10115 Berlin"),
        ("Erika Mustermann", "Lindner GmbH", "Am Markt 4", "10115 Berlin"),
        ("Hôtel du Lac", "Anne Hoarau", "42 rue du stade", "97400 Saint Denis"),
    ],
)
def test_a_line_that_may_belong_to_the_name_makes_it_unsure(lines: tuple[str, ...]) -> None:
    assert _to(*lines) == (None, {lines[0], f"{lines[0]} {lines[1]}"})


def test_a_company_below_a_line_of_the_same_type_is_not_sure_to_be_all() -> None:
    head = [["Erste Auentaler"], ["Handelsgesellschaft mbH"], ["Hof 20"], ["80333 Ulm"], [""], [""]]
    rows = [*head, ["Rechnung 4711"], ["Rechnung an:"], ["Lindner GmbH"], ["Am Markt 4"], ["10115 Berlin"]]
    found = findings([page(rows)])
    assert found.sender.value in (None, "Erste Auentaler Handelsgesellschaft mbH")
    assert found.recipient.value == "Lindner GmbH"


def test_the_name_that_stands_whole_in_another_place_decides() -> None:
    head = [["MVM Musterhafter"], ["Versicherungsverein a.G."], ["Hof 20"], ["80333 Ulm"], [""]]
    foot = [[""]] * 30 + [["Kontoinhaber: MVM Musterhafter Versicherungsverein a.G."]]
    rows = [*head, ["Rechnung 4711"], ["Rechnung an:"], ["Lindner GmbH"], ["Am Markt 4"], ["10115 Berlin"], *foot]
    assert findings([page(rows)]).sender.value == "MVM Musterhafter Versicherungsverein a.G."
