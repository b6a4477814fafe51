"""Bring the catalogues up to date with the code: `python -m tests.language.catalogues`.

Takes every sentence of the code into every .po file, drops those that are gone, and prints what has no translation.
A new language: copy one of the files under the new language's name, clear its translations, change the head, run this.
"""

from __future__ import annotations

import ast
import io
import sys
from pathlib import Path

from babel.messages import Catalog
from babel.messages.pofile import read_po, write_po

import paperchute.language
from paperchute.app import rule_form, rule_tables

CODE = Path(paperchute.__file__).parent
FOLDER = Path(paperchute.language.__file__).parent
KEYWORDS = {"_": 1, "N_": 1, "ngettext": 2}
"""The functions that sentences go through, and how many of their arguments are sentences."""
WIDTH = 120


def extracted() -> Catalog:
    """Every sentence of the code, with the files that it stands in, and those that forms of the page have from data.

    By Python's own syntax tree: Babel's extraction passes over calls within calls and within f-strings.
    """
    found = Catalog()
    for path in sorted(CODE.rglob("*.py")):
        if FOLDER in path.parents:
            continue
        for call in calls(ast.parse(path.read_text(encoding="utf-8"))):
            sentences = texts(call)
            if sentences and all(sentences):
                place = (path.relative_to(CODE).as_posix(), 1)
                found.add(sentences[0] if len(sentences) == 1 else tuple(sentences), locations=[place])
    for module in (rule_form, rule_tables):
        for sentence in module.sentences():
            found.add(sentence, locations=[(f"app/{module.__name__.rpartition('.')[2]}.py", 1)])
    return found


def calls(tree: ast.AST) -> list[ast.Call]:
    """The calls that sentences go through, in the order of the code."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) in KEYWORDS]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def called(call: ast.Call) -> str:
    """The name of the function of a call, empty where it is not a plain name."""
    return call.func.id if isinstance(call.func, ast.Name) else ""


def texts(call: ast.Call) -> list[str]:
    """The sentences of a call; empty where they are not written there."""
    given = call.args[: KEYWORDS[called(call)]]
    return [node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def read(path: Path) -> Catalog:
    """One .po file as Babel reads it. Raises ValueError for one that is malformed."""
    with path.open("rb") as file:
        return read_po(file, locale=path.stem, abort_invalid=True)


def untranslated(catalogue: Catalog) -> list[str]:
    """The sentences of a catalogue that lack a translation, or one of its plural forms."""
    lacking = []
    for message in catalogue:
        forms = [message.string] if isinstance(message.string, str) else message.string
        if message.id and not (forms and all(forms)):
            lacking.append(message.id if isinstance(message.id, str) else message.id[0])
    return lacking


def head(path: Path) -> str:
    """What stands before the first sentence: comments for translators, and the entry with Plural-Forms."""
    return path.read_text(encoding="utf-8").partition("\n\n")[0].strip()


def body(catalogue: Catalog) -> str:
    """The sentences by file, without line numbers, so that a change elsewhere in the code changes nothing here."""
    written = io.BytesIO()
    shape = {"sort_by_file": True, "include_lineno": False, "ignore_obsolete": True, "omit_header": True}
    write_po(written, catalogue, width=WIDTH, **shape)
    return written.getvalue().decode("utf-8").rstrip() + "\n"


def main() -> None:
    """Write the files anew, and say what is missing."""
    template = extracted()
    for path in sorted(FOLDER.glob("*.po")):
        catalogue = read(path)
        catalogue.update(template, no_fuzzy_matching=True)
        path.write_text(f"{head(path)}\n\n{body(catalogue)}", encoding="utf-8", newline="\n")
        lacking = untranslated(catalogue)
        sys.stdout.write(f"{path.stem}: {len(template)} sentences, {len(lacking)} without a translation\n")
        for sentence in lacking:
            sys.stdout.write(f"    {sentence!r}\n")


if __name__ == "__main__":
    main()
