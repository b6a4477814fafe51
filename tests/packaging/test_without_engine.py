"""Installed without the extra `engine`, Paperchute is the client of a remote service, and says what it lacks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from paperchute.cli import demo
from paperchute.contract.engine_libraries import LIBRARIES, NEED_PRINTER, PRINTER
from paperchute.engine.operations import implemented
from paperchute.rules import service_choice
from paperchute.rules.file import load
from paperchute.rules.problems import RuleFileError
from tests.engine.service.running import KEY, RunningEngine

ROOT = Path(__file__).parents[2]
_RULES = """version = 1
{service}
[[rule]]
name = "Pages"
folder = "{folder}"
operation = "html-to-pdf"

[[rule]]
name = "Long ones"
folder = "{folder}-2"
match = "*.pdf"
pages = ">= 2"
operation = "pdf-to-markdown"
"""


def required(extra: str) -> set[str]:
    """The packages that an extra of pyproject.toml names; of the program itself for an empty one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {canonicalize_name(Requirement(one).name) for one in named}


def locked(name: str) -> dict[str, Requirement]:
    """What a lock file has for this machine."""
    heads = re.findall(r"^([a-z0-9][^\\\n]*?) *\\?$", (ROOT / "packaging" / name).read_text("utf-8"), re.MULTILINE)
    requirements = [Requirement(head) for head in heads]
    return {canonicalize_name(one.name): one for one in requirements if one.marker is None or one.marker.evaluate()}


def test_the_list_of_the_engines_libraries_is_that_of_the_extra() -> None:
    known = packages_distributions()
    assert {canonicalize_name(known[name][0]) for name in (*LIBRARIES, PRINTER)} == required("engine")


@pytest.mark.parametrize(
    "name",
    [f"requirements{extra}.lock" for extra in ("", "-scale", "-telemetry", "-mcp", "-office")],
)
def test_lock_files_agree(name: str) -> None:
    every, mine = locked("requirements-dev.lock"), locked(name)
    assert {package: str(one.specifier) for package, one in mine.items()} == {
        package: str(every[package].specifier) for package in mine
    }
    assert required("engine") <= set(mine)
    assert set(locked("requirements-daemon.lock")) < set(mine)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Python in an environment with the wheel and what requirements-daemon.lock has, taken over from here."""
    if os.name == "nt":
        pytest.skip("links need a privilege there")
    folder = tmp_path_factory.mktemp("alone")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "daemon", source / "daemon", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    made = ["wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)]
    subprocess.run([*pip, *made], check=True, timeout=120)
    python, _ = _environment(folder / "environment", locked("requirements-daemon.lock"))
    (wheel,) = folder.glob("*.whl")
    subprocess.run(
        [*pip, "--python", str(python), "install", "--no-index", "--no-deps", str(wheel)], check=True, timeout=120
    )
    yield python
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def unprinted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Python in an environment with all of requirements.lock but what lays HTML out, as on Linux on ARM."""
    if os.name == "nt":
        pytest.skip("links need a privilege there")
    folder = tmp_path_factory.mktemp("unprinted")
    every = locked("requirements.lock")
    del every[PRINTER]
    python, place = _environment(folder, every)
    (place / "paperchute.pth").write_text(str(ROOT / "daemon"), "utf-8")
    yield python
    shutil.rmtree(folder)


def _environment(folder: Path, packages: Mapping[str, Requirement]) -> tuple[Path, Path]:
    """A Python that has these packages, taken over from here, and where it has them."""
    venv.create(folder)
    python = next(path for path in folder.glob("*/python*") if path.stem == "python")
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    place = Path(subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout.strip())
    for name, wanted in packages.items():
        if name != "setuptools":  # which builds, and does not run
            _take_over(distribution(name), wanted, place)
    return python, place


def _take_over(found: Distribution, wanted: Requirement, place: Path) -> None:
    assert found.version in wanted.specifier
    for file in found.files or ():
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        top = found.locate_file(file.parts[0])
        is_shared = len(file.parts) > 1 and not any(
            (Path(str(top)) / name).exists() for name in ("__init__.py", "METADATA")
        )
        link = place.joinpath(*file.parts[: 1 + is_shared])
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(str(found.locate_file(link.relative_to(place))))


def _said(python: Path, folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-P", "-m", "paperchute", "--rules", folder / "rules.toml", "--state", folder / "state", *arguments],
        capture_output=True,
        text=True,
        env={**variables, **environment},
        timeout=120,
        cwd=folder,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.mark.slow
def test_nothing_that_it_requires_is_missing(alone: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "--python", alone, "check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    found = subprocess.run([alone, "-c", "import pikepdf"], capture_output=True)
    assert found.returncode != 0


@pytest.mark.slow
def test_it_says_what_it_lacks_and_how_to_have_it(alone: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(_RULES.format(service="", folder=(tmp_path / "in").as_posix()), "utf-8")
    (tmp_path / "page.html").write_text("<p>", "utf-8")
    for verb, code in (
        (("check",), 2),
        (("do", "html-to-pdf", "page.html"), 3),
        (("demo", "x"), 2),
        (("serve",), 2),
        (("keys", "list"), 2),
    ):
        exit_code, said = _said(alone, tmp_path, *verb)
        assert exit_code == code, said
        assert "engine is not installed (babel is missing)" in said
        assert 'pip install "paperchute[engine]"' in said
        assert "Traceback" not in said
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_with_a_remote_service_it_does_all_that_a_daemon_does(alone: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for hot in (folder, tmp_path / "in-2"):
        hot.mkdir()
    (folder / "page.html").write_text("<!doctype html><p>A whole page.", "utf-8")
    for name in ("quarterly-report.pdf", "contract.pdf"):  # of two pages, and of one
        shutil.copy(ROOT / "daemon" / "paperchute" / "demo" / name, tmp_path / "in-2")
    with RunningEngine(tmp_path / "service", real=True) as engine:
        service = f'[service]\nbase_url = "{engine.base_url}"\napi_key = "env:SERVICE_KEY"\n'
        (tmp_path / "rules.toml").write_text(_RULES.format(service=service, folder=folder.as_posix()), "utf-8")
        code, said = _said(alone, tmp_path, "check", SERVICE_KEY=KEY)
        assert (code, "all good" in said) == (0, True), said
        code, said = _said(alone, tmp_path, "run", "--headless", "--once", SERVICE_KEY=KEY)
        assert code == 0, said
    assert (tmp_path / "in.out" / "page.pdf").read_bytes().startswith(b"%PDF")
    made = [path.name for path in (tmp_path / "in-2.out").iterdir()]
    assert made == ["quarterly-report"]  # a folder, since pictures lie beside the text


@pytest.mark.slow
def test_without_what_lays_html_out_only_that_is_refused_and_before_the_first_file(
    unprinted: Path, tmp_path: Path
) -> None:
    rules = _RULES.format(service="", folder=(tmp_path / "in").as_posix())
    (tmp_path / "rules.toml").write_text(rules, "utf-8")
    why = "the HTML engine is missing (the package plutoprint, which has no build for some systems)"
    code, said = _said(unprinted, tmp_path, "check")
    assert (code, said.count(why)) == (2, 1), said
    assert "rules.toml:6:1: rule 'Pages': this engine does not do html-to-pdf here" in said
    (tmp_path / "rules.toml").write_text(rules.replace("html-to-pdf", "pdf-to-csv"), "utf-8")
    assert _said(unprinted, tmp_path, "check")[0] == 0
    (tmp_path / "page.html").write_text("<p>", "utf-8")
    code, said = _said(unprinted, tmp_path, "do", "document-parsing", "page.html")
    assert (code, said.count(why)) == (1, 1), said


@pytest.mark.slow
def test_without_what_lays_html_out_all_other_operations_load(unprinted: Path) -> None:
    loads = """
import paperchute.engine.tasks.worker
from paperchute.engine.operations import implementation, implemented
for name in implemented():
    implementation(name).run
print(len(implemented()))
"""
    done = subprocess.run([unprinted, "-P", "-c", loads], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(implemented()) - len(NEED_PRINTER), done.stderr


def test_the_demo_leaves_out_what_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "is_left_out", NEED_PRINTER.__contains__)
    path = tmp_path / "rules.toml"
    path.write_text(demo._rules(), "utf-8")
    rules = load(path).rules
    assert not NEED_PRINTER & {step.operation for rule in rules for step in rule.steps}
    left = {*demo._DROPS, "bundles"} - {"pdf", "invoices"}
    assert {rule.folder.name for rule in rules} == {*demo._drops(), "bundles"} == left


def test_a_rule_for_files_that_nothing_lays_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rules.toml"
    text = 'version = 1\n[[rule]]\nname = "A"\nfolder = "a"\noperation = "document-parsing"\nmatch = [{}]\n'
    monkeypatch.setattr(service_choice, "has_printer", lambda: False)
    for globs in ('"*.docx", "*.TXT"', '"Offer*.md"'):
        path.write_text(text.format(globs), "utf-8")
        with pytest.raises(RuleFileError, match=r"none of these can be read: the HTML engine is missing"):
            load(path)
    for globs in ('"*.docx", "*.pdf"', '"*"'):
        path.write_text(text.format(globs), "utf-8")
        assert load(path)
