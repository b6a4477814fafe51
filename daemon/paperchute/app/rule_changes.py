"""Changing the rule file for its owner: checked before and after, written whole, or left as it is."""

from __future__ import annotations

import codecs
import hashlib
import os
import secrets
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import takewhile
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.files.placement import place_new, place_over, remove, swap, temporary_name
from paperchute.language import _
from paperchute.rules.file import parse, read
from paperchute.rules.problems import RuleFileError
from paperchute.rules.reach import beyond
from paperchute.rules.requirements import missing
from paperchute.rules.settings import RuleFile
from paperchute.rules.toml import decoded

_BEGINNING = "version = 1\n"
_WRITING = threading.Lock()  # one change of this process after the other


def digest_of(text: str) -> str:
    """Return what tells one state of the file from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def checked(path: Path, before: RuleFile, changed: str, *, confined: bool = False) -> RuleFile:
    """The rules of a changed text. Raises RuleFileError with all that is wrong in it, or missing since the change.

    confined: for somebody who may name nothing that the file does not name already; then also PaperchuteError. Nothing
    that they name is looked at before, so what is said tells nothing of whether it is there.
    """
    rules = parse(changed, path)
    if confined and (named := beyond(before, rules)):
        raise PaperchuteError(
            _(
                "Over the network a rule names no folder, file, secret or address that the rule file does not name "
                "already: {key} = {value}.",
                key=named[0].key.rstrip("_"),
                value=repr(named[0].value),
            ),
            _("Change that on the machine itself."),
        )
    here = {(problem.rule, problem.message) for problem in missing(before)}
    if new := [problem for problem in missing(rules) if (problem.rule, problem.message) not in here]:
        raise RuleFileError(path, new)
    return rules


def text_of(path: Path) -> str:
    """The text of the rule file; where there is none, what one begins with. Raises RuleFileError."""
    return read(path) if os.path.lexists(path) else _BEGINNING


def change(path: Path, edit: Callable[[str], str]) -> RuleFile:
    """Change the file as a whole: it is good before and after, or it stays as it is. The rules that stand in it now.

    Raises PaperchuteError.
    """
    with _WRITING:
        text = read(path)
        rules, changed = changed_rules(path, text, edit)
        write(path, text, changed)
    return rules


def changed_rules(path: Path, text: str, edit: Callable[[str], str]) -> tuple[RuleFile, str]:
    """The rules of a file after a change, and its text. Raises PaperchuteError where either text is wrong."""
    before = parse(text, path)  # what is wrong already is said before anything is blamed on the change
    changed = edit(text)
    try:
        return checked(path, before, changed), changed
    except RuleFileError as error:
        raise _refused(error) from error


def put(path: Path, digest: str, changed: str) -> None:
    """Write a text that was made of the one with this digest, and `checked`. Raises PaperchuteError."""
    with _WRITING:
        text = text_of(path)
        seen(text, digest)
        write(path, text, changed)


class ChangedMeanwhileError(PaperchuteError):
    """Another than who is about to write has written."""

    def __init__(self) -> None:
        super().__init__(
            _("The file has changed in the meantime, so nothing was written."),
            _("Look at it again, then change it."),
        )


def seen(text: str, digest: str) -> None:
    """Raises ChangedMeanwhileError where the text is another than somebody has seen."""
    if digest != digest_of(text):
        raise ChangedMeanwhileError


def _refused(error: RuleFileError) -> PaperchuteError:
    lines = [
        _("line {line} of what would be written: {message}", line=p.line, message=p.message) for p in error.problems
    ]
    hints = [_("Did you mean {near}?", near=p.suggestion) for p in error.problems if p.suggestion]
    return PaperchuteError(_("Nothing was changed. {mistakes}.", mistakes="; ".join(lines)), " ".join(hints))


def write(path: Path, text: str, changed: str) -> None:
    """Put a text in the place of the old one of a file. Raises PaperchuteError."""
    real = path.resolve()  # a link to the file, in a folder of dotfiles perhaps, stays a link
    new = real.with_name(temporary_name(secrets.token_hex(16)))
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        if not real.exists():
            _make(new, changed.encode(), None)
            if not place_new(new, real):
                raise ChangedMeanwhileError
            return
        was = real.read_bytes()
        if decoded(was) != text:
            raise ChangedMeanwhileError
        status = real.stat()
        if not status.st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
            raise PaperchuteError(_("{path} is write-protected, so nothing was changed.", path=real))
        _make(new, as_written(was, changed), status)
        _replace(new, real, was)
    except OSError as error:
        raise PaperchuteError(
            _("{path} cannot be written ({reason}).", path=path, reason=error.strerror), _("Nothing was changed.")
        ) from error
    finally:
        with suppress(OSError):
            remove(new)


def _make(new: Path, content: bytes, like: os.stat_result | None) -> None:
    """A file that is on the disk whole before it takes a place; readable for nobody who could not read the old one."""
    descriptor = os.open(
        new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if like else 0o666
    )
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if like is None:
        return
    if sys.platform != "win32":
        with suppress(PermissionError):  # only the administrator gives files to others
            os.chown(new, like.st_uid, like.st_gid)
    new.chmod(stat.S_IMODE(like.st_mode))


def _replace(new: Path, real: Path, was: bytes) -> None:
    """Have a file take the place of the one that held `was`. Raises ChangedMeanwhileError, and OSError."""
    if real.read_bytes() != was:
        raise ChangedMeanwhileError
    if not swap(new, real):
        place_over(new, real)
    elif new.read_bytes() != was:  # what another program has put there in the last moment
        swap(new, real)
        raise ChangedMeanwhileError


def as_written(was: bytes, changed: str) -> bytes:
    """A changed text as its file has it: with the mark at its beginning, and each line that stays with its own end."""
    mark = codecs.BOM_UTF8 if was.startswith(codecs.BOM_UTF8) else b""
    old = was.removeprefix(mark).split(b"\n")
    ends = [b"\r\n" if line.endswith(b"\r") else b"\n" for line in old[:-1]]
    usual = b"\r\n" if ends.count(b"\r\n") * 2 > len(ends) else b"\n"
    new = changed.encode().split(b"\n")
    found = [usual] * len(new)
    if set(ends) - {usual}:  # several programs have written it
        lines = [*(line.removesuffix(b"\r") for line in old[:-1]), old[-1]]
        ends.append(usual)
        same = _same(lines, new)
        behind = _same(lines[same:][::-1], new[same:][::-1])
        found[:same] = ends[:same]
        found[len(new) - behind :] = ends[len(lines) - behind :]
        middle, inner = lines[same : len(lines) - behind], new[same : len(new) - behind]
        for at, begin, size in SequenceMatcher(None, middle, inner, autojunk=False).get_matching_blocks():
            found[same + begin : same + begin + size] = ends[same + at : same + at + size]
    return mark + b"".join(line + end for line, end in zip(new[:-1], found, strict=False)) + new[-1]


def _same(some: list[bytes], others: list[bytes]) -> int:
    """With how many of the same lines they begin."""
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))
