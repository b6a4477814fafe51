"""Where the results of one call go: beside what they were made of, to what -o names, or to standard output."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from paperchute.cli.inputs import STREAM
from paperchute.errors import PaperchuteError
from paperchute.files import placement
from paperchute.jobs.folder_merge import is_document
from paperchute.language import _


@dataclass(frozen=True)
class Target:
    """What -o names: a folder, made where it is missing, a file, or standard output."""

    path: Path
    is_folder: bool = False
    is_stream: bool = False


def target_of(output: str | None, calls: int, *, force: bool) -> Target | None:
    """What -o names; None without. Raises PaperchuteError for what cannot work, before anything is paid for.

    calls: how many have results to place.
    """
    if output is None:
        return None
    if output == STREAM:
        if calls > 1:
            raise PaperchuteError(
                _("Standard output takes one result, and {n} files are worked on.", n=calls),
                _("Name a folder with -o."),
            )
        return Target(Path(), is_stream=True)
    path = Path(output).expanduser().absolute()
    if output.endswith(("/", os.sep)) or path.is_dir():
        if os.path.lexists(path) and not path.is_dir():
            raise PaperchuteError(
                _("{path} is not a folder.", path=path), _("Leave out the slash at its end to name a file.")
            )
        return Target(path, is_folder=True)
    if calls > 1:
        raise PaperchuteError(
            _("{path} is one file, and {n} files are worked on.", path=path, n=calls),
            _("Write a slash at its end to name a folder."),
        )
    if os.path.lexists(path) and not force:
        raise PaperchuteError(
            _("{path} exists.", path=path), _("Name another file or a folder, or add --force to overwrite it.")
        )
    return Target(path)


def place(received: list[Path], work: Path, first: Path, target: Target | None, *, force: bool) -> list[Path]:
    """Put results where they were asked for: all or none, and over nothing but a file that -o names with --force.

    received: files in `work`. first: what they are named after, and put beside where there is no target. Gives their
    places: none for standard output, which takes one; several are put into a folder in the current one, so that none
    is lost. Raises PaperchuteError and OSError.
    """
    if target is not None and target.is_stream:
        if len(received) == 1:
            with received[0].open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            return []
        target, first = None, Path.cwd() / first.name
    if len(received) > 1:
        return _place_all([path.relative_to(work) for path in received], work, first, target)
    name = first.stem + received[0].suffix
    whither = first.parent / name if target is None else target.path / name if target.is_folder else target.path
    whither.parent.mkdir(parents=True, exist_ok=True)
    with _hidden_in(whither.parent) as temporary:
        shutil.copyfile(received[0], temporary)
        if target is None or target.is_folder:
            return [_placed(temporary, whither)]
        if force:
            placement.place_over(temporary, whither)
        elif not placement.place_new(temporary, whither):
            raise PaperchuteError(
                _("{path} has appeared in the meantime.", path=whither), _("Name another file, or add --force.")
            )
    return [whither]


def _place_all(names: list[Path], work: Path, first: Path, target: Target | None) -> list[Path]:
    """Several results become a folder; into one that exists they go file by file, unless they belong together."""
    folder = target.path if target is not None else first.parent / first.stem
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _hidden_in(folder.parent) as temporary:
        for name in names:
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / name, temporary / name)
        if target is None or not folder.is_dir():
            folder = _placed(temporary, folder)
            return [folder / name for name in names]
        clash = any(os.path.lexists(folder / name) for name in names)
        if clash and is_document(name.as_posix() for name in names):
            folder = _placed(temporary, folder / first.stem)
            return [folder / name for name in names]
        placed: list[Path] = []
        try:
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                placed.append(_placed(temporary / name, folder / name))
        except BaseException:
            for path in placed:
                path.unlink()
            raise
        return placed


@contextmanager
def _hidden_in(folder: Path) -> Iterator[Path]:
    """A name in `folder` to build something under; what is still there at the end goes."""
    temporary = folder / placement.temporary_name(secrets.token_hex(16))
    try:
        yield temporary
    finally:
        placement.remove(temporary)


def _placed(temporary: Path, target: Path) -> Path:
    for candidate in placement.numbered(target):
        if placement.place_new(temporary, candidate):
            return candidate
    raise AssertionError("numbered() never ends")
