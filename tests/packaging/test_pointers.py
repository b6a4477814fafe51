"""What the documents and docstrings point at is there: files, headings, modules, commands, tables of the contract.

Looked through are the Markdown files whole, the comments and docstrings of Python files, and of the daemon the
sentences for people too, as they name commands.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import shutil
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from paperchute.cli.front import app

ROOT = Path(__file__).parents[2]

_BROUGHT = {
    "letter.md",
    "job.toml",
    "result.json",
    "page.json",
    "result.md",
    "figures.json",
    "invoice.json",
    "NAME.json",
    "2026-1188.json",
    "style/print.css",
}
"""Files that people and services bring, and benchmarks write: they lie in no tree."""

_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")
_PAGE = re.compile(r"\bdocs/[\w-]+\.md(?:#[\w-]+)?")
_FILE = re.compile(r"(?<![\w/.#{}*-])(?:[\w-]+/)*[\w-]+\.(?:py|md|toml|json|css|sh|lock)\b(?![\w/(-]|\.\w)")
_FOLDER = re.compile(r"`((?:[a-z_]+/)+)`")
_MODULE = re.compile(r"\bpython3? -m ([\w.]+\w)")
_COMMAND = re.compile(r"(?<!from )(?:\bpaperchute|\bstart\.py) ([a-z]+)\b")
_TABLE = re.compile(r"contract\.toml`?,? `?\[([a-z_.]+)\]")
_SECTION = re.compile(
    r"""\b(?:contract|design|watching|architecture)(?:\.md)?['`]?,?\s+(?:\#\s+)?(?:sections?\s+)?\d+\b(?!\s*(?:MB|GB|%|s\b))
      | \bdesign\s+section | \((?:\#\s+)?sections?\s+\d+\)""",
    re.VERBOSE,
)
"""A number of a section: headings have none here. Sections of standards are named with the standard."""

_FOLDERS_IN = ("README.md", "docs/architecture.md", "docs/security.md", "docs/watching.md")
"""Pages whose folders are those of the tree, as the daemon's docstrings' are; elsewhere they may be anybody's."""


@cache
def tree() -> frozenset[str]:
    """All files of the tree and their folders (with a slash at the end), as git has them, else as they lie there."""
    files = {
        path.relative_to(ROOT).as_posix()
        for top in ROOT.iterdir()
        if not top.name.startswith(".")
        for path in [top, *top.rglob("*.*")]
        if path.is_file() and path.parent.name != "__pycache__"
    }
    if (ROOT / ".git").exists() and (git := shutil.which("git")):
        found = subprocess.run([git, "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
        files = files.intersection(found.stdout.splitlines()) if found.returncode == 0 else files
    folders = {f"{parent.as_posix()}/" for name in files for parent in Path(name).parents if parent.name}
    return frozenset(files | folders)


@cache
def endings() -> frozenset[str]:
    """Every file and folder by each of its endings: docs and docstrings leave out what all have in common."""
    found = set()
    for name in tree():
        parts = name.rstrip("/").split("/")
        close = "/" if name.endswith("/") else ""
        found |= {"/".join(parts[start:]) + close for start in range(len(parts))}
    return frozenset(found)


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors of a Markdown file's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    found: list[str] = []
    for heading in re.findall(r"^#{1,6} (.+?)\s*#*$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        found.append(plain if plain not in found else f"{plain}-{found.count(plain)}")
    return frozenset(found)


@cache
def verbs() -> frozenset[str]:
    """What may stand behind the name of the program; `test` is one of the starter's own."""
    return frozenset(typer.main.get_command(app).commands) | {"test"}  # type: ignore[attr-defined]


@cache
def tables() -> frozenset[str]:
    """The tables of contract.toml with their names in full."""

    def below(value: object, name: str) -> Iterator[str]:
        if isinstance(value, dict):
            yield name
            for key, entry in value.items():
                yield from below(entry, f"{name}.{key}".lstrip("."))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield name

    return frozenset(below(tomllib.loads((ROOT / "daemon/paperchute/contract/contract.toml").read_text("utf-8")), ""))


def prose(source: str) -> str:
    """The comments and docstrings of a Python source, those of fields too."""
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    texts = [
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return "\n".join([*comments, *texts])


def sentences(source: str) -> str:
    """All texts of a Python source: what people may read is among them."""
    found = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return "\n".join(text for text in found if isinstance(text, str))


def broken(text: str, name: str) -> Iterator[str]:
    """What a text in the file `name` points at and is not there."""
    markdown = name.endswith(".md")
    if markdown:
        for target in _LINK.findall(text):
            page, _, anchor = target.partition("#")
            place = (ROOT / name).parent / page if page else ROOT / name
            inside = place.resolve().is_relative_to(ROOT)
            known = place.resolve().relative_to(ROOT).as_posix() if inside else ""
            if known not in tree() or (anchor and anchor not in anchors(known)):
                yield f"the link {target}"
    for target in _PAGE.findall(text):
        page, _, anchor = target.partition("#")
        if page not in tree() or (anchor and anchor not in anchors(page)):
            yield target
    yield from (file for file in _FILE.findall(text) if file not in endings() and file not in _BROUGHT)
    if name in _FOLDERS_IN or name.startswith("daemon/"):
        yield from (folder for folder in _FOLDER.findall(text) if folder not in endings())
    yield from (f"python -m {module}" for module in _MODULE.findall(text) if not _is_module(module))
    yield from (f"paperchute {verb}" for verb in _COMMAND.findall(text) if verb not in verbs())
    yield from (f"contract.toml [{table}]" for table in _TABLE.findall(text) if table not in tables())
    yield from (f"a section by its number: {found[0]!r}" for found in _SECTION.finditer(text))


def _is_module(name: str) -> bool:
    path = name.replace(".", "/")
    if name.split(".", maxsplit=1)[0] not in ("paperchute", "tests", "benchmarks"):
        return importlib.util.find_spec(name.split(".", maxsplit=1)[0]) is not None
    return any(f"{top}{path}{end}" in tree() for top in ("daemon/", "") for end in (".py", "/__main__.py"))


def looked_through() -> list[str]:
    return sorted(name for name in tree() if name.endswith((".md", ".py")) and name != "start.py")


def test_everything_that_is_pointed_at_is_there() -> None:
    found = []
    for name in looked_through():
        text = (ROOT / name).read_text("utf-8")
        if name.endswith(".py") and any(broken(text, name)):  # few have anything, so few need be taken apart
            text = prose(text)
        found += [f"{name}: {what}" for what in broken(text, name)]
    assert not found, "\n".join(found)


def test_every_command_in_a_sentence_for_people_is_there() -> None:
    found = []
    for name in looked_through():
        text = (ROOT / name).read_text("utf-8")
        if name.startswith("daemon/") and not verbs().issuperset(_COMMAND.findall(text)):
            found += [f"{name}: {verb}" for verb in _COMMAND.findall(sentences(text)) if verb not in verbs()]
    assert not found, "\n".join(found)


def test_the_readme_tells_where_the_rooms_are() -> None:
    (plan,) = re.findall(r"## Where things are\n(.*?)\n\n", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    named = set(re.findall(r"(?<![\w/])((?:\w+/)+)(?=\s)", plan.replace("python -m ", "")))
    assert {f"daemon/paperchute/{room}" for room in named} | named >= {
        name for name in tree() if re.fullmatch(r"(?:daemon/paperchute/)?\w+/", name) and name not in ("daemon/",)
    } - {"daemon/paperchute/demo/"}
    assert not {room for room in named if room not in endings()}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[rules](rule.md)", "docs/a.md"),
        ("[locking](pages.md#unlocking)", "docs/a.md"),
        ("[here](#nowhere)", "docs/cli.md"),
        ("See docs/contract.md#nothing.", "a.py"),
        ("See docs/contracts.md.", "a.py"),
        ("See `jobs/nobody.py`.", "docs/a.md"),
        ("See watching.toml.", "a.py"),
        ("Those in `engine/nowhere/` are made.", "daemon/paperchute/a.py"),
        ("`python -m paperchute.rules.nobody`", "docs/a.md"),
        ("`paperchute unlock FILE`", "docs/a.md"),
        ("python3 start.py unlock", "docs/a.md"),
        ("contract.toml [nothing]", "a.py"),
        ("as the contract says (contract section 9)", "a.py"),
        ("(contract sections 9 and 11)", "a.py"),
        ("the corners (section 10)", "a.py"),
        ("(design section 4)", "a.py"),
        ("watching.md section 0, point 7", "a.py"),
    ],
)
def test_what_is_not_there_is_found(text: str, name: str) -> None:
    assert list(broken(text, name))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[locking](pages.md#locking) and [the site](https://example.com/x.md)", "docs/a.md"),
        ("[here](#json-shapes)", "docs/cli.md"),
        ("See docs/contract.md#pdf-merge, `watch/judge.py` and contract.toml [error_use].", "a.py"),
        ("RFC 9110 section 10.2.3, ISO 32000-1, 12.6, EXIF 2.32 section 4.6.4", "a.py"),
        (
            "`paperchute run --once`, `python3 start.py test`, `python -m paperchute.engine`, `python -m venv x`",
            "docs/a.md",
        ),
        ("`result.json` lies beside `images/`", "docs/reading.md"),
    ],
)
def test_what_is_there_is_passed(text: str, name: str) -> None:
    assert not list(broken(text, name))
