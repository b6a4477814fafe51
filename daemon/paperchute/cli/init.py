"""The verb `init`: a first rule file, and the few questions it asks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tomli_w
import typer

from paperchute.cli.context import given
from paperchute.cli.terminal import out
from paperchute.errors import PaperchuteError
from paperchute.files.placement import write_whole
from paperchute.invocation import command
from paperchute.language import N_, _
from paperchute.rules.file import load, parse


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(init)


@dataclass(frozen=True)
class First:
    """A rule to begin with."""

    asked: str
    """The question about it."""
    about: str
    """The comment above it."""
    rule: Mapping[str, Any]
    """Its keys; `folder` is below the folder of all hot folders."""
    by_default: bool = True


FIRST = (
    First(
        N_("Turn PDFs into Markdown text?"),
        N_("PDFs dropped here become Markdown text, in {folder}.out."),
        {"name": N_("Read PDFs"), "folder": "markdown", "operation": "pdf-to-markdown"},
    ),
    First(
        N_("Turn web pages into PDFs?"),
        N_("Saved web pages become PDFs."),
        {"name": N_("Web pages to PDF"), "folder": "pdf", "operation": "html-to-pdf"},
    ),
    First(
        N_("Join the PDFs of a folder into one?"),
        N_("A folder dropped here becomes one PDF, its files in natural order."),
        {"name": N_("Bundle a folder"), "folder": "bundles", "gather": "folder", "operation": "pdf-merge"},
    ),
    First(
        N_("Lock PDFs with a password?"),
        N_("Passwords are never written here: set the variable, or use keyring:SERVICE/USER or file:PATH."),
        {
            "name": N_("Lock"),
            "folder": "lock",
            "steps": [
                {"operation": "pdf-encrypt", "parameters": {"userPassword": "env:PAPERCHUTE_LOCK_PASSWORD"}},
            ],
        },
        by_default=False,
    ),
)


def choices(folder: Path, *, ask: bool) -> tuple[Path, Sequence[First]]:
    """Where the hot folders are to be, and the rules to begin with; what is there by default where nobody answers."""
    if not ask or not sys.stdin.isatty():
        return folder, [first for first in FIRST if first.by_default]
    out.print(_("Enter takes what stands in brackets."))
    chosen = Path(typer.prompt(_("Where should the hot folders be?"), default=str(folder)))
    return chosen, [first for first in FIRST if typer.confirm(_(first.asked), default=first.by_default)]


def first_file(folder: Path, chosen: Sequence[First]) -> str:
    """The text of the file. What was not chosen stands in it as a comment, ready to be used."""
    check = _(
        "Your Paperchute rules. Save this file and they take effect at once; `{command}` says what is wrong.",
        command=command("check"),
    )
    more = _("Every key, and worked examples to copy from: {files}.", files="docs/rules.md, rules.example.toml")
    parts = [f"# {check}\n# {more}\n" + tomli_w.dumps({"version": 1})]
    for first in FIRST:
        place = f"{folder.as_posix()}/{first.rule['folder']}"
        rule = {**first.rule, "name": _(first.rule["name"]), "folder": place}
        about = " ".join(_(first.about, folder=place).splitlines())
        text = f"# {about}\n[[rule]]\n{tomli_w.dumps(rule)}"
        parts.append(text if first in chosen else _commented(text))
    return "\n".join(parts)


def _commented(text: str) -> str:
    return "".join(line if line.startswith("#") else f"# {line}" for line in text.splitlines(keepends=True))


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Option(help=N_("Where the hot folders are to be."))] = Path("~/Hot"),
    yes: Annotated[bool, typer.Option("--yes", "-y", help=N_("Ask nothing."))] = False,
) -> None:
    """Make a first rule file and its hot folders; asks a few questions where somebody is there to answer."""
    path = given(context).rules_path
    if path.exists():
        raise PaperchuteError(
            _("There is a rule file already: {path}.", path=path), _("Edit that one; nothing was changed.")
        )
    hot, chosen = choices(folder, ask=not yes)
    text = first_file(hot, chosen)
    parse(text, path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise PaperchuteError(
            _("{path} cannot be written ({reason}).", path=path, reason=error.strerror),
            _("Choose another with --rules."),
        ) from error
    rules = load(path)
    for rule in rules.rules:
        rule.folder.mkdir(parents=True, exist_ok=True)
        out.print(f"{rule.folder}: {rule.name}")
    out.print(_("Rules: {path}", path=path))
    out.print(_("Start with: {command}", command=command("run")))
