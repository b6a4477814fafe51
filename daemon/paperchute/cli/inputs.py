"""The files that words of a command line name: files, folders, patterns, and what comes by standard input."""

from __future__ import annotations

import glob
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.contract import Operation, Value
from paperchute.contract.kinds import canonical, kind_of
from paperchute.errors import PaperchuteError
from paperchute.files.names import listed, natural_order
from paperchute.invocation import command
from paperchute.language import _
from paperchute.rules.steps import has_own_input, reads

STREAM = "-"
"""Stands for standard input, and for standard output."""
_TEXTS = frozenset({"csv", "html", "json", "md", "txt", "xml"})
_UNSURE = frozenset({"empty", "encrypted", "unknown", "zip"})  # damaged, perhaps, or of a kind that is not told apart


@dataclass(frozen=True)
class Inputs:
    """What one call works on."""

    files: tuple[Path, ...]
    named: Path
    """After which, and beside which, its results are named: the first file, or the folder that all of them are from."""


def inputs_of(
    operation: Operation, words: Sequence[str], parameters: Mapping[str, Value], scratch: Path
) -> tuple[list[Inputs], list[str]]:
    """(what each call works on, what is left out, each as a sentence) for the words of a command line.

    A folder stands for the files in it that the operation reads, in natural order, a pattern for those that it fits;
    `-` is standard input, which is written to `scratch`. An operation that works on several files has one call for all
    of them, another one for each. Raises PaperchuteError.
    """
    found: list[Path] = []
    left_out: list[str] = []
    for word in words:
        found += _named(operation, word, scratch, left_out)
    if not found:
        if not has_own_input(operation, parameters):
            raise PaperchuteError(
                _("{operation} needs a file to work on.", operation=operation.id),
                _("Write: {command}", command=command(f"do {operation.id} FILE")),
            )
        return [Inputs((), Path.cwd())], left_out
    if not _takes_several(operation, parameters, found):
        return [Inputs((path,), path) for path in found], left_out
    if not operation.takes_file_part or has_own_input(operation, parameters):
        return [Inputs(tuple(found), found[0])], left_out
    most = len(found) if operation.id == "pdf-merge" else operation.max_files  # of which each service has its own
    if not operation.min_files <= len(found) <= most:
        raise PaperchuteError(
            _(
                "{operation} works on {least} to {most} files, and {n} were named.",
                operation=operation.id,
                least=operation.min_files,
                most=operation.max_files,
                n=len(found),
            ),
            _("Name all of them, or their folder: {command}", command=command(f"do {operation.id} FILE FILE")),
        )
    folder = Path(words[0]).expanduser().absolute()
    return [Inputs(tuple(found), folder if len(words) == 1 and folder.is_dir() else found[0])], left_out


def existing(path: Path) -> Path:
    """A file's absolute path. Raises PaperchuteError where there is none."""
    path = path.expanduser().absolute()
    if path.is_dir():
        raise PaperchuteError(_("{name} is a folder.", name=path), _("Name the files in it."))
    if not path.is_file():
        raise PaperchuteError(_("There is no file {name}.", name=path))
    return path


def _takes_several(operation: Operation, parameters: Mapping[str, Value], files: Sequence[Path]) -> bool:
    """Decide whether files are the parts of one call; for pdf-generate these are a page or template and its data."""
    if operation.takes_file_part:
        return operation.max_files > 1 and parameters.get("actionType") != "BLANK"
    return any(path.suffix.lower() == ".json" for path in files)


def _named(operation: Operation, word: str, scratch: Path, left_out: list[str]) -> list[Path]:
    """The files that one word names. What its folder or pattern leaves out is added to `left_out`."""
    if word == STREAM:
        return [_standard_input(scratch)]
    path = Path(word).expanduser().absolute()
    name, equals, _value = word.partition("=")
    if path.is_dir():
        several = list(path.iterdir())
    elif glob.has_magic(word) and not path.exists():
        several = list(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    elif equals and operation.parameter(name) is not None and not path.exists():
        raise PaperchuteError(_("{word} is a parameter, and no file.", word=word), _("Write: -p {word}", word=word))
    else:
        found = existing(path)
        if why := _unfit(operation, found):
            raise PaperchuteError(f"{found.name}: {why}.")
        return [found]
    hidden = path.name.startswith(".")
    several = [one for one in several if one.is_file() and (hidden or not one.name.startswith("."))]
    fitting = [one for one in several if _kinds(one) & reads(operation)]
    if not fitting:
        kinds = " ".join(sorted(reads(operation)))
        raise PaperchuteError(
            _("{word} has no file that {operation} reads: {kinds}.", word=word, operation=operation.id, kinds=kinds)
        )
    if others := natural_order(set(several) - set(fitting)):
        names = listed([one.name for one in others])
        left_out.append(_("{word}: {operation} does not read {kinds}", word=word, operation=operation.id, kinds=names))
    return natural_order(fitting)


def _standard_input(scratch: Path) -> Path:
    """Write standard input to a file whose name says what it is. Raises PaperchuteError when nothing comes."""
    path = scratch / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    kind = kind_of(path)
    if kind == "empty":
        raise PaperchuteError(_("Nothing came by standard input."))
    return path if kind in _UNSURE else path.rename(path.with_suffix(f".{kind}"))


def _unfit(operation: Operation, path: Path) -> str:
    """Say why a sound file is of no kind that the operation reads; empty for others, which the service judges."""
    kind, known = kind_of(path), reads(operation)
    if _kinds(path) & known or kind in _UNSURE or (kind in _TEXTS and known & _TEXTS):
        return ""
    kinds, suffix = " ".join(sorted(known)), path.suffix.lstrip(".") or kind
    return _("{operation} reads {kinds}, not {suffix}", operation=operation.id, kinds=kinds, suffix=suffix)


def _kinds(path: Path) -> set[str]:
    """What a file is by its name, and by its content."""
    return {canonical(path.suffix), kind_of(path)}
