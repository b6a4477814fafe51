"""What a rule asks for where its owner says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.rules.file import load

RULE = 'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\noperation = "{}"\nparameters = {{ {} }}\n'


@pytest.mark.parametrize(
    ("operation", "given", "name", "value"),
    [
        ("img-to-csv", "", "enableOcr", 1),
        ("img-to-docx", "", "enableOcr", 1),
        ("img-to-docx", "enableOcr = false", "enableOcr", 0),
        ("pdf-encrypt", 'userPassword = "env:P"', "algorithm", "aes256"),
        ("pdf-encrypt", 'userPassword = "env:P", algorithm = "rc4"', "algorithm", "rc4"),
        ("document-extract", "", "extractFields", "{}"),
        ("document-extract", 'extractFields = "[]"', "extractFields", "[]"),
        ("pdf-to-markdown", "", "enableOcr", None),
    ],
)
def test_the_owner_s_word_goes_before_the_usual(
    tmp_path: Path, operation: str, given: str, name: str, value: object
) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(RULE.format(operation, given), "utf-8")
    (rule,) = load(path).rules
    assert rule.steps[0].parameters.get(name) == value
