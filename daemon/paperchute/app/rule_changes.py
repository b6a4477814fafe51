"""Changing the rule file for its owner: checked before and after, written whole, or left as it is."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.files.placement import write_whole
from paperchute.language import _
from paperchute.rules.file import parse, read
from paperchute.rules.problems import RuleFileError, told
from paperchute.rules.requirements import missing
from paperchute.rules.settings import RuleFile

_BEGINNING = "version = 1\n"
_WRITING = threading.Lock()  # one change of this process after the other


def digest_of(text: str) -> str:
    """What tells one state of the file from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def checked(path: Path, text: str, changed: str) -> RuleFile:
    """The rules of a changed text. Raises RuleFileError with all that is wrong in it, or missing since the change."""
    rules = parse(changed, path)
    here = {told(problem) for problem in missing(parse(text, path))}
    if new := [problem for problem in missing(rules) if told(problem) not in here]:
        raise RuleFileError(path, new)
    return rules


def text_of(path: Path) -> str:
    """The text of the rule file; where there is none, what one begins with. Raises RuleFileError."""
    return read(path) if os.path.lexists(path) else _BEGINNING


def change(path: Path, edit: Callable[[str], str], digest: str | None = None) -> RuleFile:
    """Change the file as a whole: it is good before and after, or it stays as it is. The rules that stand in it now.

    digest: of the `text_of` the file that whoever changes it has seen; None: whichever text is there. Raises
    PaperchuteError.
    """
    with _WRITING:
        text = read(path) if digest is None else text_of(path)
        seen(text, digest)
        parse(text, path)  # what is wrong already is said before anything is blamed on the change
        changed = edit(text)
        try:
            rules = checked(path, text, changed)
        except RuleFileError as error:
            raise _refused(error) from error
        if text_of(path) != text:
            raise _changed_meanwhile()
        _write(path, changed)
    return rules


def seen(text: str, digest: str | None) -> None:
    """Raises PaperchuteError where the text is another than somebody has seen."""
    if digest is not None and digest != digest_of(text):
        raise _changed_meanwhile()


def _changed_meanwhile() -> PaperchuteError:
    return PaperchuteError(
        _("The rule file has changed meanwhile, so nothing was written."), _("Look at it again, then change it.")
    )


def _refused(error: RuleFileError) -> PaperchuteError:
    lines = [
        _("line {line} of what would be written: {message}", line=p.line, message=p.message) for p in error.problems
    ]
    hints = [_("Did you mean {near}?", near=p.suggestion) for p in error.problems if p.suggestion]
    return PaperchuteError(_("Nothing was changed. {mistakes}.", mistakes="; ".join(lines)), " ".join(hints))


def _write(path: Path, text: str) -> None:
    real = path.resolve()  # a link to the file, in a folder of dotfiles perhaps, stays a link
    try:
        if not real.exists():
            real.parent.mkdir(parents=True, exist_ok=True)
            write_whole(real, text)
            return
        newline = "\r\n" if b"\r\n" in real.read_bytes() else "\n"
        mode = stat.S_IMODE(real.stat().st_mode)
        write_whole(real, text, newline)
        real.chmod(mode)
    except OSError as error:
        raise PaperchuteError(
            _("{path} cannot be written ({reason}).", path=path, reason=error.strerror), _("Nothing was changed.")
        ) from error
