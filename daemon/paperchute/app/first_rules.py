"""The rules that a new user is offered, in the terminal (`init`) and on the page; and the file with those chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from paperchute.errors import PaperchuteError
from paperchute.files.placement import write_whole
from paperchute.invocation import command
from paperchute.language import N_, _
from paperchute.rules.file import parse


@dataclass(frozen=True)
class First:
    """A rule to begin with."""

    asked: str
    """The question about it."""
    about: str
    """The comment above it."""
    rule: Mapping[str, Any]
    """Its keys; `folder` is below the folder of all hot folders, and names the offer."""
    by_default: bool = True

    @property
    def name(self) -> str:
        """What the offer is called in calls of the page."""
        return str(self.rule["folder"])


FIRST = (
    First(
        N_("Turn scans upright and straight, take blank pages out, and make them searchable?"),
        N_("Scans and pictures dropped here become upright, straight PDFs whose text can be searched and copied."),
        {
            "name": N_("Searchable scans"),
            "folder": "scans",
            "kind": ["pdf", "image"],
            "settle": "scanner",
            "operation": "scan",
        },
    ),
    First(
        N_("Turn PDFs into Word documents?"),
        N_("PDFs dropped here become Word documents."),
        {"name": N_("PDF to Word"), "folder": "word", "operation": "pdf-to-docx"},
    ),
    First(
        N_("Turn the tables of PDFs into Excel?"),
        N_("The tables of PDFs dropped here become Excel sheets."),
        {"name": N_("Tables to Excel"), "folder": "excel", "operation": "pdf-to-xlsx"},
    ),
    First(
        N_("Turn a folder of receipts and invoices into one Excel table?"),
        N_("A folder of receipts and invoices dropped here becomes one Excel table: a row each, and their sums."),
        {
            "name": N_("Receipts to a table"),
            "folder": "expenses",
            "gather": "folder",
            "operation": "documents-to-table",
            "timeout": 1800,
        },
    ),
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
        N_("Join the files of a folder into one PDF?"),
        N_("A folder dropped here becomes one PDF: PDFs, office files, texts and pictures, in natural order."),
        {
            "name": N_("Bundle a folder"),
            "folder": "bundles",
            "gather": "folder",
            "match": [
                *("*.pdf", "*.docx", "*.xlsx", "*.pptx", "*.rtf", "*.txt", "*.md", "*.csv", "*.html", "*.htm"),
                *("*.jpg", "*.jpeg", "*.png", "*.tif", "*.tiff", "*.heic", "*.webp", "*.bmp"),
            ],
            "operation": "pdf-merge",
        },
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
    First(
        N_("File incoming mail by its sender and month?"),
        N_("Mail dropped here is filed after what it says: sender, day and kind. What is not sure is asked of you."),
        {
            "name": N_("Incoming mail"),
            "folder": "mail",
            "senders": "senders.csv",
            "operation": "pdf-to-editable",
            "output": "Mail/{doc.folder}/{doc.date:%Y-%m}/{doc.date} {doc.kind} {stem}.{ext}",
        },
        by_default=False,
    ),
)
ON_PAGE = tuple(first for first in FIRST if first.by_default)
"""Those that work as they are; a password is nothing that a page should ask for."""


def first_file(folder: Path, chosen: Collection[First]) -> str:
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


def write_first(path: Path, folder: Path, chosen: Collection[First]) -> None:
    """Write the first rule file. Raises PaperchuteError where there is one already, or it cannot be written."""
    if path.exists():
        raise PaperchuteError(
            _("There is a rule file already: {path}.", path=path), _("Edit that one; nothing was changed.")
        )
    text = first_file(folder, chosen)
    parse(text, path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise PaperchuteError(
            _("{path} cannot be written ({reason}).", path=path, reason=error.strerror),
            _("Choose another with --rules."),
        ) from error


def _commented(text: str) -> str:
    return "".join(line if line.startswith("#") else f"# {line}" for line in text.splitlines(keepends=True))
