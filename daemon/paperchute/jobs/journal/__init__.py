"""The journal: every job, step, plan and event, in one SQLite file. What is written here survives kill -9."""

from paperchute.jobs.journal.call_records import QuotaSpentError
from paperchute.jobs.journal.journal import Journal, JournalError

__all__ = ["Journal", "JournalError", "QuotaSpentError"]
