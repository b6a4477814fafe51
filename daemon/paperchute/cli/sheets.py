"""The verb that makes separator sheets and labels to print."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from paperchute.cli.terminal import err, out
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _

_LETTER = ("US", "CA", "MX", "PH", "CL", "CO", "VE", "CR", "GT", "NI", "PA", "SV", "DO", "PR")
"""Where people print on Letter (CLDR, paperSize)."""


def add_to(app: typer.Typer) -> None:
    """Put the verb on the command line."""
    app.command()(sheets)


def sheets(
    output: Annotated[Path, typer.Option("-o", "--output", help=N_("The PDF to write."))] = Path("sheets.pdf"),
    code: Annotated[
        list[str] | None,
        typer.Option("--code", help=N_("A sheet whose code names the document behind it: customer=Huber. Repeatable.")),
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", help=N_("A page of labels with this code, to cut out. Repeatable."))
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=200, help=N_("How many of each page."))] = 1,
    paper: Annotated[str | None, typer.Option(help=N_("a4 or letter; else as where you are."))] = None,
) -> None:
    """Make a PDF of separator sheets and labels to print, for stacks that are to be split.

    Without --code and --label it is a plain separator sheet. Nothing is sent anywhere.
    """
    from paperchute.app.separator_sheets import PAPERS, Sheet, is_written, write_sheets

    codes = [text.replace("\\n", "\n") for text in code or []]
    labels = [text.replace("\\n", "\n") for text in label or []]
    pages = [*map(Sheet, codes), *(Sheet(text, is_labels=True) for text in labels)] or [Sheet()]
    if paper is not None and paper.lower() not in PAPERS:
        raise PaperchuteError(_("There is no paper {name}; there are {known}.", name=paper, known=", ".join(PAPERS)))
    if os.path.lexists(output):
        raise PaperchuteError(_("{path} exists.", path=output), _("Name another file with -o."))
    write_sheets(output, [page for page in pages for _copy in range(count)], paper.lower() if paper else _usual())
    for text in [*codes, *labels]:
        if not is_written(text):
            err.print(_("! The code holds {text}, but the page does not show it: its font lacks letters.", text=text))
    out.print(str(output))


def _usual() -> str:
    """The paper of the country that the environment names, A4 where it names none."""
    locale = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_PAPER", "LANG"))), "")
    country = locale.partition(".")[0].partition("_")[2]
    return "letter" if country.upper() in _LETTER else "a4"
