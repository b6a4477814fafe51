"""Whose turn it is: work of several API keys is done round robin, and each key's own in the order in which it came."""

from __future__ import annotations

from collections.abc import Mapping


class Turns:
    """Gives each piece of work the round in which it is due. For one queue; callers see to their threads.

    A key's work goes one to a round, and nobody's begins before the round that is due now: so who comes with one task
    stands behind one task of each other, however many these have waiting, and who has none waiting saves nothing up.
    (Known as start-time fair queueing, with pieces of one size.)
    """

    def __init__(self) -> None:
        self._latest: dict[str, int] = {}

    def next(self, owner: str, due: int | None) -> int:
        """The round for one more piece of an owner's work. due: the first in which any waits; None where none does."""
        if due is None:
            self._latest.clear()
        turn = max(self._latest.get(owner, 0) + 1, due or 1)
        self._latest[owner] = turn
        return turn


def has_room(most: int, waiting: Mapping[str, int], owner: str) -> bool:
    """Tell if one more of an owner's may wait. waiting: how many do by owner; most: in all, while nobody is left out.

    Where as many wait as may, those still come in who have less than their equal share of them.
    """
    if sum(waiting.values()) < most:
        return True
    return waiting.get(owner, 0) < most // len({*waiting, owner})
