"""Names of results, as they are offered for download."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from paperchute.engine.work import Work


def output_name(work: Work, extension: str, default: str = "") -> str:
    """outputFileName where given, else `default`, else the first source's stem; made one safe name with `extension`."""
    wanted = work.text("outputFileName") or default
    if not wanted:
        wanted = PurePosixPath(work.sources[0].name).stem if work.sources else work.operation
    last = PurePosixPath(wanted.replace("\\", "/")).name
    stem = last[: -len(extension) - 1] if last.lower().endswith(f".{extension}") else last
    stem = re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f]', "_", stem).strip(". ") or "result"
    while len(stem.encode()) > 230:
        stem = stem[:-1]
    return f"{stem}.{extension}"
