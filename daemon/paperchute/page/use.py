"""What was done and used: calls and pages by rule and month, against the quota, and the last seven days."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from paperchute.app.daemon import Daemon
from paperchute.rules.service_names import DEFAULT

_MONTHS = 12
_DAYS = 7


def use(daemon: Daemon) -> dict[str, Any]:
    """All of it, as JSON's values. Any thread may ask."""
    journal, rules = daemon.journal, daemon.rules
    months = groupby(journal.usage.latest(_MONTHS), key=lambda used: used.month)
    return {
        "quotas": [
            {
                "name": "" if name == DEFAULT else name,
                "used": used,
                "most": getattr(rules.settings_of(name), "monthly_calls", None),
            }
            for name in (DEFAULT, *rules.services)
            if (used := journal.calls.this_month(name)) or (name in rules.in_use and rules.is_remote(name))
        ],
        "months": [{"month": month, "rules": [asdict(used) for used in its]} for month, its in months],
        "days": _days(daemon, datetime.now()),
    }


def _days(daemon: Daemon, now: datetime) -> list[dict[str, Any]]:
    """Return how many jobs have ended on each of the last days, of which today is the last."""
    first = (now - timedelta(days=_DAYS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    days = {
        (first + timedelta(days=number)).strftime("%Y-%m-%d"): {"done": 0, "warned": 0, "failed": 0}
        for number in range(_DAYS)
    }
    for day, state, count in daemon.journal.usage.ended_by_day(first.timestamp()):
        if day in days:
            days[day][state] = count
    return [{"day": day, **counts} for day, counts in days.items()]
