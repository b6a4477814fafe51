"""From what a worker has made to the one result that is kept."""

from __future__ import annotations

import zipfile
from pathlib import Path

from paperchute.engine.files import Files
from paperchute.engine.work import AskLater, Refused, Work


def keep(outputs: tuple[Path, ...], work: Work, files: Files, task: str, run: str, most: int) -> tuple[str, int]:
    """Move one output, or several as a ZIP, to the run's place; the name it is offered under, and its size in bytes.

    Raises Refused when it is larger than `most` bytes or the storage is full, and OSError.
    """
    folder = work.folder.resolve()
    inside = [path.resolve(strict=True) for path in outputs]
    if not all(path.is_relative_to(folder) and path.is_file() for path in inside):
        raise OSError("an output is not a file in its task's folder")
    size = sum(path.stat().st_size for path in inside)
    if size > most:
        raise Refused("02210", "the result is larger than a task may write", "结果超出大小限制")
    try:
        files.take(task, size)
    except AskLater as error:
        raise Refused("01002", error.reason, error.reason_zh) from error
    target = files.output(task, run)
    if len(inside) == 1:
        inside[0].replace(target)
        return outputs[0].name, size
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in inside:
            archive.write(path, path.relative_to(folder).as_posix())
    stem = Path(work.sources[0].name).stem if work.sources else work.operation
    return f"{stem}.zip", target.stat().st_size
