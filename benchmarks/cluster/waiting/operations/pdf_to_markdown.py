"""In the place of reading: waits and needs no processor, as if each worker had a machine of its own."""

from __future__ import annotations

import time
from pathlib import Path

from paperchute.engine.work import Work

WAIT_SECONDS = 0.5


def run(work: Work) -> list[Path]:
    time.sleep(WAIT_SECONDS)
    output = work.folder / "waited.md"
    output.write_text("waited\n", "utf-8")
    return [output]
