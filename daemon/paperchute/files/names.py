"""Names that other programs give to files they are not done with, and the order people expect names in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from natsort import natsorted, ns

from paperchute.files.placing import TEMPORARY_SUFFIX

# Browsers, editors, office programs, sync and transfer tools, file managers (watching.md section 4).
_TEMPORARY = re.compile(
    r"""
    ^~\$ | ^\.~lock\. | ^~WR[DLA]\d | ^\.goutputstream- | ^\.nfs | ^\.fuse_hidden | ^\.smbdelete
    | ^\.syncthing\. | ^~syncthing~ | ^\.~ | ^lu[0-9a-z]+\.tmp$ | ^\.sb-[0-9a-f]+-
    | ^\._ | ^\.DS_Store$ | ^Thumbs\.db$ | ^desktop\.ini$ | ^\.directory$ | ^\.paperchute
    | ~$
    | \.(part|partial|crdownload|download|opdownload|filepart|rsync-partial|aria2|!ut)$
    | \.(tmp|temp|swp|swx|swo|lock|wbk|asd)$
    | ^\..+\.[A-Za-z0-9]{6}$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COMPANIONS = (".part", ".aria2", ".crdownload", ".!ut", ".partial", ".filepart", ".opdownload")


def is_temporary(name: str) -> bool:
    """Whether a file or folder of this name is some program's unfinished work or housekeeping, not a document."""
    return name.endswith(TEMPORARY_SUFFIX) or _TEMPORARY.search(name) is not None


def companion_of(path: Path) -> Path | None:
    """A file beside `path` that says a download into it is still going on, if there is one."""
    for suffix in _COMPANIONS:
        candidate = path.with_name(path.name + suffix)
        if candidate.exists():
            return candidate
    return None


def natural_order(paths: Iterable[Path]) -> list[Path]:
    """Paths as people count: page 2 before page 10, whatever the case."""
    return natsorted(paths, key=lambda path: path.parts, alg=ns.IGNORECASE)
