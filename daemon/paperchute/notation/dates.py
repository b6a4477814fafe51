"""What a text can mean as a date. `03/04/2026` is in April where the day comes first, and in March elsewhere.

Years have four digits: one of two can be of either century.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime

from paperchute.notation.numbers import western

DAY_FIRST, MONTH_FIRST = "dmy", "mdy"
ORDERS = (DAY_FIRST, MONTH_FIRST)
MOST_CHARACTERS = 40
FIRST_DAY = date(1900, 3, 1)
"""Before it, spreadsheets count a day that never was."""

_TIME = r"(?:(?:,? |T)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?"
_YEAR_LAST = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<mark>[./-] ?)(?P<second_>\d{{1,2}})(?P=mark)(?P<year>\d{{4}})\.?{_TIME}"
)
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})(?:(?P<mark>[./-] ?)(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})\.?"
    rf"|年(?P<han_month>\d{{1,2}})月(?P<han_day>\d{{1,2}})日){_TIME}"
)


def moments(text: str) -> Mapping[str, datetime]:
    """Return what a text means as a date, by the order of day and month; the same for both where it leaves no doubt.

    Empty where it is no date. ISO 8601 keeps its time zone.
    """
    if len(text) > MOST_CHARACTERS:
        return {}
    plain = western(text).strip()
    match = _YEAR_LAST.fullmatch(plain)
    if match:
        first, second = int(match["first"]), int(match["second_"])
        found = {DAY_FIRST: _moment(match, second, first), MONTH_FIRST: _moment(match, first, second)}
        return {order: moment for order, moment in found.items() if moment is not None}
    match = _YEAR_FIRST.fullmatch(plain)
    if match:
        day = _moment(match, int(match["month"] or match["han_month"]), int(match["day"] or match["han_day"]))
    else:
        try:
            day = datetime.fromisoformat(plain)
        except ValueError:
            day = None
    return dict.fromkeys(ORDERS, day) if day else {}


def is_open(found: Mapping[str, datetime]) -> bool:
    """Decide whether it can mean two days."""
    return len(set(found.values())) > 1


def _moment(match: re.Match[str], month: int, day: int) -> datetime | None:
    try:
        time = (int(match["hour"] or 0), int(match["minute"] or 0), int(match["second"] or 0))
        return datetime(int(match["year"]), month, day, *time)
    except ValueError:
        return None
