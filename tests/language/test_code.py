"""How the code says its sentences: where extraction finds them, and with a value for each place."""

from __future__ import annotations

import ast
import re

import pytest

from tests.language.catalogues import CODE, KEYWORDS, called, calls, texts

PLACE = re.compile(r"\{([^{}]*)\}")
HERE = CODE / "language"


@pytest.fixture(scope="module")
def modules() -> list[tuple[str, ast.Module]]:
    """Those of the program, by name. Made for these tests alone: a million objects, which each process would keep."""
    paths = (path for path in sorted(CODE.rglob("*.py")) if HERE not in path.parents)
    return [(path.relative_to(CODE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


@pytest.fixture(scope="module")
def saying(modules: list[tuple[str, ast.Module]]) -> list[tuple[str, ast.Module]]:
    """The modules that say sentences."""
    return [(name, tree) for name, tree in modules if calls(tree)]


def test_sentences_are_literals_with_a_value_for_each_place(saying: list[tuple[str, ast.Module]]) -> None:
    wrong = [f"{name}:{call.lineno}: {why}" for name, tree in saying for call in calls(tree) if (why := _fault(call))]
    assert wrong == []


def test_sentences_are_chosen_when_they_are_needed(saying: list[tuple[str, ast.Module]]) -> None:
    """At the top of a module, or as a default, they would be those of whoever imported it."""
    wrong = [f"{name}:{call.lineno}" for name, tree in saying for call in _early(tree)]
    assert wrong == []


def test_nothing_else_is_called_underscore_where_sentences_are_said(saying: list[tuple[str, ast.Module]]) -> None:
    """`for _ in ...` in a function makes `_` a variable of all of it."""
    wrong = []
    for name, tree in saying:
        for scope in ast.walk(tree):
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and _binds(scope):
                wrong += [f"{name}:{call.lineno}" for call in calls(scope) if called(call) == "_"]
        wrong += [f"{name}: at the top" for node in tree.body if _stored(node)]
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("_('a {b}', b=1)", ""),
        ("ngettext('{n} a {b}', '{n} as {b}', 2, b=1)", ""),
        ("_(marked, b=1)", ""),
        ("_(f'a {b}')", "not a literal"),
        ("_('a ' + b)", "not a literal"),
        ("_('a {c}', b=1)", "places"),
        ("_('a {b}')", "places"),
        ("_('a {b.c}', b=1)", "places"),
        ("_('a {}', b=1)", "places"),
        ("_('a', **b)", "places"),
        ("_('a {{b}}')", "places"),
        ("_('')", "empty"),
        ("ngettext('{n} a', '{m} as', 2, m=1)", "places"),
        ("N_(a)", "not a literal"),
    ],
)
def test_faults_are_seen(code: str, fault: str) -> None:
    (call,) = calls(ast.parse(code))
    found = _fault(call)
    assert found.startswith(fault) if fault else not found


def test_early_and_hidden_sentences_are_seen() -> None:
    early = (
        "A = _('a')\nclass B:\n    b = _('a')\n    def c(self, d=_('a')): return _('later')\ne = lambda: _('later')\n"
    )
    assert [call.lineno for call in _early(ast.parse(early))] == [1, 3, 4]
    (hidden,) = ast.parse("def f():\n    for _ in range(3): pass\n    a, _ = 1, 2\n").body
    assert _binds(hidden)
    (inner,) = ast.parse("def f():\n    def g():\n        _ = 1\n    return [_ for _ in h]\n").body
    assert not _binds(inner)


def _fault(call: ast.Call) -> str:
    """What keeps a call from being extracted, or its places from being filled; empty where it is good."""
    given = call.args[: KEYWORDS[called(call)]]
    if called(call) != "N_" and all(
        isinstance(text, ast.Name | ast.Attribute | ast.Subscript | ast.Call) for text in given
    ):
        return ""  # marked elsewhere
    sentences = texts(call)
    if len(sentences) < KEYWORDS[called(call)]:
        return "not a literal"
    if not all(sentences):
        return "empty"
    if called(call) == "N_":
        return ""
    values = {keyword.arg for keyword in call.keywords} - ({"n"} if called(call) == "ngettext" else set())
    places = [set(PLACE.findall(sentence)) - ({"n"} if called(call) == "ngettext" else set()) for sentence in sentences]
    if any(found != values for found in places) or any("{{" in sentence or "}}" in sentence for sentence in sentences):
        return f"places {places}, values {values}"
    return ""


def _early(tree: ast.Module) -> list[ast.Call]:
    later: set[ast.AST] = set()
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            later.update(node for statement in scope.body for node in ast.walk(statement))
        elif isinstance(scope, ast.Lambda):
            later.update(ast.walk(scope.body))
    return [call for call in calls(tree) if called(call) != "N_" and call not in later]


def _binds(scope: ast.AST) -> bool:
    """Whether a function makes `_` a variable of its own; what is within an inner one does not count."""
    return any(_stored(node) for node in ast.iter_child_nodes(scope))


def _stored(node: ast.AST) -> bool:
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    if isinstance(node, inner | comprehension):
        return False
    if (isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Store)) or (
        isinstance(node, ast.arg) and node.arg == "_"
    ):
        return True
    return any(_stored(child) for child in ast.iter_child_nodes(node))


TELLING = re.compile(
    r"^((Paperchute|Service|Engine|Secret|Reader|Rule\w*|Table|Journal\w*|Overrides|QuotaSpent|AlreadyRunning|InputChanged)Error"
    r"|TrayUnavailable|CannotOpen|Refused|AskLater|FetchRefused|warn|echo|secho)$"
)
"""What is called with sentences for people: errors with a way out, warnings, lines of the command line."""


def test_what_people_are_told_comes_from_the_catalogue(modules: list[tuple[str, ast.Module]]) -> None:
    found: dict[str, list[int]] = {}
    for name, tree in modules:
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if TELLING.match(_last_name(call)) and any(
                map(_is_sentence, [*call.args, *(k.value for k in call.keywords)])
            ):
                found.setdefault(name, []).append(call.lineno)
    assert found == {}


def _last_name(call: ast.Call) -> str:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id in ("logger", "warnings"):
        return ""
    return call.func.attr if isinstance(call.func, ast.Attribute) else called(call)


def _is_sentence(node: ast.expr) -> bool:
    """Whether an argument is written as words there, rather than looked up."""
    pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
    words = " ".join(
        piece.value for piece in pieces if isinstance(piece, ast.Constant) and isinstance(piece.value, str)
    )
    return len(re.findall(r"[A-Za-z]{2,}", words)) >= 3
