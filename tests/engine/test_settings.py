"""What the engine decides by numbers stands in settings records, each field with what it means and what fixed it."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperchute import engine

ROOT = Path(engine.__file__).parent
ROOMS = ("document", "extraction", "imaging", "reading", "writing")
MODULES = sorted(path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py"))

PLAIN = {0, 1, 2, 0.5}
"""Nothing, the whole, twice and a half are arithmetic."""

ALLOWED = {
    ("reading/layout/colours.py", 0.04045): "WCAG 2.2 defines relative luminance so",
    ("reading/layout/columns.py", 1e-6): "the rounding of sums",
    ("reading/layout/figures.py", 0.01): "so that lines, which have no area, overlap what they lie on",
    ("reading/pdf/pictures.py", 1e-3): "the rounding of matrices",
}


WITH_RECORDS = [
    module for module in MODULES if re.search(r"^class \w*Settings\b", (ROOT / module).read_text("utf-8"), re.MULTILINE)
]
"""By their text, which is enough to name the tests; each process would have to parse all modules for it otherwise."""


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """The modules, by name."""
    return {module: ast.parse((ROOT / module).read_text("utf-8")) for module in MODULES}


def _compared(tree: ast.AST) -> Iterator[float]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, float):
                    yield part.value


def _records(tree: ast.Module) -> Iterator[ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
            yield node


@pytest.mark.parametrize("module", MODULES)
def test_no_condition_holds_a_bare_decimal(trees: dict[str, ast.Module], module: str) -> None:
    found = {value for value in _compared(trees[module]) if value not in PLAIN}
    assert {value for value in found if (module, value) not in ALLOWED} == set()


def test_every_exception_is_still_one(trees: dict[str, ast.Module]) -> None:
    assert {(module, value) for module in MODULES for value in _compared(trees[module])} >= set(ALLOWED)


@pytest.mark.parametrize("module", WITH_RECORDS)
def test_every_field_says_what_it_means_and_what_fixed_it(trees: dict[str, ast.Module], module: str) -> None:
    for record in _records(trees[module]):
        body = record.body[1:]
        bare = [
            ast.unparse(field)
            for field, behind in zip(body, [*body[1:], None], strict=True)
            if isinstance(field, ast.AnnAssign)
            and not (isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant))
        ]
        assert bare == []


@pytest.mark.parametrize("module", WITH_RECORDS)
def test_every_record_is_frozen_and_used(trees: dict[str, ast.Module], module: str) -> None:
    loaded = importlib.import_module(f"{engine.__name__}.{module.removesuffix('.py').replace('/', '.')}")
    for record in _records(trees[module]):
        kind = getattr(loaded, record.name)
        (instance,) = (value for value in vars(loaded).values() if type(value) is kind)
        name = dataclasses.fields(kind)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(instance, name, 0)


def test_every_field_is_read(trees: dict[str, ast.Module]) -> None:
    made = {
        node.targets[0].id: node.value.func.id
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
    }
    read = {
        (made[node.value.id], node.attr)
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in made
    }
    fields = {
        (record.name, field.target.id)
        for tree in trees.values()
        for record in _records(tree)
        for field in record.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }
    assert fields - read == set()


@pytest.mark.parametrize("module", MODULES)
def test_every_number_beside_the_records_is_explained(trees: dict[str, ast.Module], module: str) -> None:
    lines, body = (ROOT / module).read_text("utf-8").splitlines(), trees[module].body
    bare = []
    for node, behind in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign) and isinstance(_plain(node.value), ast.Constant):
            number = isinstance(getattr(_plain(node.value), "value", None), int | float)
            told = isinstance(behind, ast.Expr) or "#" in lines[node.lineno - 1]
            if number and not told:
                bare.append(ast.unparse(node))
    assert bare == []


def _plain(value: ast.expr) -> ast.expr:
    """The first number of `400 << 20`."""
    return _plain(value.left) if isinstance(value, ast.BinOp) else value
