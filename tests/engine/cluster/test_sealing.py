"""Passwords of tasks that wait: readable with the key and for their run only."""

from __future__ import annotations

import pytest

from paperchute.engine.tasks.task import Order, order_from_text, order_to_text

pytest.importorskip("cryptography")

from paperchute.engine.cluster.sealing import Sealing


def _order() -> Order:
    return Order("run", "task", "pdf-merge", "a", (), {"password": "open sesame"}, "{}", 0, "en")


def test_a_sealed_order_is_whole_again_and_says_nothing_meanwhile() -> None:
    seal = Sealing("k" * 32)
    text = order_to_text(_order(), seal)
    assert "sesame" not in text
    assert order_from_text(text, seal) == _order()
    assert order_to_text(_order(), seal) != text


def test_another_key_another_run_and_a_changed_text_give_nothing() -> None:
    seal = Sealing("k" * 32)
    text = order_to_text(_order(), seal)
    assert order_from_text(text, Sealing("l" * 32)) is None
    assert order_from_text(text) is None
    assert order_from_text(text.replace('"run": "run"', '"run": "other"'), seal) is None
    with pytest.raises(ValueError):  # noqa: PT011 -- whatever is wrong with it
        seal.open("AAAA" + seal.close({"a": "b"}, "run")[4:], "run")
