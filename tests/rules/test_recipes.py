"""The worked examples of the reference: each can be copied into a rule file as it stands."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema
import pytest

from paperchute.rules.docs import schema
from paperchute.rules.docs.recipes import RECIPES, Recipe
from paperchute.rules.file import load, parse

HEAD = "version = 1\n"


@pytest.fixture(autouse=True)
def templates(tmp_path: Path) -> Path:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "invoice.html").write_text("<p>{{ customer.name }}</p>")
    return tmp_path / "rules.toml"


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: str(recipe.title))
def test_each_loads_without_a_warning_and_suits_the_schema(recipe: Recipe, templates: Path) -> None:
    found = parse(HEAD + recipe.rule, templates)
    assert len(found.rules) == 1
    assert found.warnings == ()
    jsonschema.validate(tomllib.loads(HEAD + recipe.rule), schema.schema())


def test_all_of_them_stand_together(templates: Path) -> None:
    templates.write_text(HEAD + "\n".join(recipe.rule for recipe in RECIPES), "utf-8")
    assert load(templates).warnings == ()
