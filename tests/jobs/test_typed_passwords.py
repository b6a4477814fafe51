"""What somebody types to open a file is kept in memory alone, and masked in whatever is told."""

from __future__ import annotations

from paperchute.app.cures import TypedPasswords
from paperchute.redaction import masked
from tests.jobs.bench import Bench


def test_typed_passwords_are_masked_and_the_oldest_go(bench: Bench) -> None:
    job = bench.queue(bench.drop())
    typed = TypedPasswords()
    assert typed.of(job) == ()
    typed.keep(job.id, "sesame open 12")
    assert typed.of(job) == ("sesame open 12",)
    assert masked("said: sesame open 12") == "said: ***"
    for number in range(100):
        typed.keep(1000 + number, f"word {number:04}")
    assert typed.of(job) == ()
