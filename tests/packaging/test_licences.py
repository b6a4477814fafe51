"""Nothing in the default install binds its users to more than they know."""

from __future__ import annotations

import importlib.util
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "packaging" / "licences.py"


def test_every_installed_library_has_a_licence_that_may_be_there() -> None:
    try:
        distribution("paperchute")
    except PackageNotFoundError:
        pytest.skip("Paperchute is run from its source, not installed")
    spec = importlib.util.spec_from_file_location("licences", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.table().count("\n") > 20
