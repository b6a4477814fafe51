"""A ticket lets in once and soon; a session lasts while somebody looks."""

from __future__ import annotations

from paperchute.page.sessions import TICKET_SECONDS, Sessions

HOUR = 3600.0


class Clock:
    """Seconds as the test says."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_ticket_lets_in_once() -> None:
    sessions = Sessions()
    ticket = sessions.ticket()
    session = sessions.begin(ticket)
    assert session is not None
    assert sessions.holds(session, "here")
    assert sessions.begin(ticket) is None
    assert not sessions.holds(ticket, "here")
    assert sessions.begin(session) is None


def test_what_nobody_was_given_lets_nobody_in() -> None:
    sessions = Sessions()
    for guess in ("", "x", "\ud800", "a" * 10_000):
        assert sessions.begin(guess) is None
        assert not sessions.holds(guess, "here")


def test_a_ticket_is_spent_after_a_minute() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    ticket = sessions.ticket()
    clock.now = TICKET_SECONDS
    assert sessions.begin(ticket) is None


def test_a_session_lasts_from_its_last_use() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    session = sessions.begin(sessions.ticket()) or ""
    for hour in (11, 22, 33):
        clock.now = hour * HOUR
        assert sessions.holds(session, "here")
    clock.now = 46 * HOUR
    assert not sessions.holds(session, "here")


def test_of_too_many_the_one_unused_longest_goes() -> None:
    sessions = Sessions()
    first = sessions.begin(sessions.ticket()) or ""
    second = sessions.begin(sessions.ticket()) or ""
    for _number in range(98):
        sessions.begin(sessions.ticket())
    assert sessions.holds(first, "here")
    sessions.begin(sessions.ticket())
    assert sessions.holds(first, "here")
    assert not sessions.holds(second, "here")
    tickets = [sessions.ticket() for _number in range(21)]
    assert sessions.begin(tickets[0]) is None
    assert sessions.begin(tickets[1]) is not None
