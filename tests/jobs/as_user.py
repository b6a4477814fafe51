"""What another user of the machine does, in a process of that user's own: `python -m tests.jobs.as_user ACTION ...`."""

from __future__ import annotations

import sys
from pathlib import Path

from paperchute.files import beneath
from paperchute.jobs.claims import Claims


def main(action: str, *arguments: str) -> None:
    paths = [Path(argument) for argument in arguments]
    match action:
        case "link":
            paths[0].symlink_to(paths[1])
        case "tend":
            Claims("mine-0000000a").tend(paths[0])
        case "write":
            with beneath.opened(paths[0], make=True) as folder:
                folder.write_whole("text", "words", "0123")
        case "claims":  # a folder of claims as another Paperchute would have it, but for what is in it
            paths[0].mkdir(mode=0o777)
            (paths[0] / ".heartbeat").symlink_to(paths[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
