"""Who may read what is made of a file: nobody who may not read the file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperchute.jobs.privacy import Privacy, privacy_of
from tests.jobs.bench import Bench, failing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows gives rights by the folder")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def dropped(bench: Bench, name: str, rights: int) -> Path:
    path = bench.drop(name, b"%PDF " + name.encode())
    path.chmod(rights)
    return path


@pytest.mark.parametrize(("rights", "result"), [(0o600, 0o600), (0o400, 0o600), (0o640, 0o640), (0o644, 0o644)])
def test_a_result_is_no_wider_than_its_original(bench: Bench, rights: int, result: int) -> None:
    bench.run(dropped(bench, "a.pdf", rights))
    assert mode(bench.hot.parent / "hot.out" / "a.md") == result


def test_a_folder_made_for_results_is_no_wider_than_their_original(bench: Bench) -> None:
    bench.service.outputs = (("1.pdf", b"1"), ("deep/2.pdf", b"2"))
    bench.run(dropped(bench, "a.pdf", 0o600))
    made = bench.hot.parent / "hot.out" / "a"
    assert {mode(path) for path in (made, made / "deep")} == {0o700}
    assert {mode(path) for path in (made / "1.pdf", made / "deep" / "2.pdf")} == {0o600}
    assert mode(bench.hot.parent / "hot.out") == 0o755


def test_a_private_result_in_a_common_folder_closes_nobody_out_of_it(bench: Bench) -> None:
    bench.service.outputs = (("1.pdf", b"1"), ("2.pdf", b"2"))
    for name, rights in (("a.pdf", 0o644), ("b.pdf", 0o600)):
        bench.run(dropped(bench, name, rights), output="else/month.{ext}")
    month = bench.hot.parent / "else" / "month"
    assert mode(month) == 0o755
    assert [mode(month / name) for name in ("1.pdf", "1 (2).pdf")] == [0o644, 0o600]


def test_what_is_said_of_a_private_file_is_private(bench: Bench) -> None:
    bench.service.on_call = failing("bad-input")
    bench.run(dropped(bench, "a.pdf", 0o600))
    assert mode(bench.hot.parent / "hot.failed" / "a.pdf.error.txt") == 0o600


def test_the_narrowest_of_several_originals_counts(tmp_path: Path) -> None:
    for name, rights in (("list", 0o600), ("template", 0o644)):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(rights)
    assert privacy_of(tmp_path.iterdir()).denied == 0o077
    assert privacy_of([tmp_path / "template"]) == Privacy()
    assert privacy_of([tmp_path / "gone"]).denied == 0o077


def test_a_group_folder_gives_its_group_to_results(bench: Bench) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to give a folder to another group")
    out = bench.hot.parent / "hot.out"
    out.mkdir()
    os.chown(out, -1, 4242)
    out.chmod(0o2775)
    os.umask(0o002)
    bench.run(dropped(bench, "a.pdf", 0o644))
    assert ((out / "a.md").stat().st_gid, mode(out / "a.md")) == (4242, 0o664)
    bench.run(dropped(bench, "b.pdf", 0o640))  # its own group may read it, and this is another one
    assert mode(out / "b.md") == 0o600


def test_the_default_list_of_a_folder_stands_for_open_originals(bench: Bench) -> None:
    out = bench.hot.parent / "hot.out"
    out.mkdir()
    setfacl = shutil.which("setfacl")
    if setfacl is None or subprocess.run([setfacl, "-d", "-m", "g::rwx,o::---", out], check=False).returncode:
        pytest.skip("needs setfacl and a file system with access lists")
    bench.run(dropped(bench, "a.pdf", 0o644))
    bench.run(dropped(bench, "b.pdf", 0o600))
    assert mode(out / "a.md") == 0o660
    assert mode(out / "b.md") == 0o600
