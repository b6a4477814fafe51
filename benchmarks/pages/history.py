"""How long it takes to find something among many jobs: `python -m benchmarks.pages.history [JOBS]`."""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from paperchute.app.search_index import Entry, SearchIndex

_WORDS = 20_000
_TEXT_WORDS = 150
_ASKED = ("w17", "word-9999 letter", "letter", "w1 w2", "w123 rule-7", "nothing-like-it")


def main(jobs: int) -> None:
    """Fill an index with jobs of some pages' text, ask it, and print the milliseconds of each question."""
    chance = random.Random(1)
    words = [f"w{number}" for number in range(_WORDS)]
    with tempfile.TemporaryDirectory() as folder:
        index = SearchIndex(Path(folder) / "search.sqlite")
        for begin in range(0, jobs, 500):
            index.put(
                (
                    Entry(job, f"letter word-{job}.pdf", f"rule-{job % 20}", f"letter word-{job}.md",
                          " ".join(chance.choices(words, k=_TEXT_WORDS)))
                    for job in range(begin, min(begin + 500, jobs))
                ),
                begin,
            )  # fmt: skip
        size = (Path(folder) / "search.sqlite").stat().st_size >> 20
        print(f"{jobs} jobs, {size} MB")  # noqa: T201
        for asked in _ASKED:
            took = []
            for _ in range(20):
                began = time.process_time()
                found = index.search(asked, 51)
                took.append((time.process_time() - began) * 1000)
            print(f"{asked:20} {len(found):3} found  {statistics.median(took):6.1f} ms, at most {max(took):.1f}")  # noqa: T201
        index.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
