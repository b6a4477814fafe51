"""Published articles of many publishers, from public repositories that hold their PDF and their JATS XML side by side.

`articles.toml` names them with the commit that is taken and their licence. Repositories are cloned when they are asked
for, without what is not needed.
"""

from __future__ import annotations

import subprocess
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sets import jats
from benchmarks.sets.shown import Pages
from benchmarks.sets.writing import HALVES, Half, Sample

PROGRAM = "git"
_HOST = "https://github.com"
_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Article:
    """One that a repository holds in a folder of its own."""

    repository: str
    commit: str
    folder: str
    publisher: str
    licence: str

    @property
    def name(self) -> str:
        """The folder's name, which is that of the article."""
        return Path(self.folder).name

    @property
    def half(self) -> Half:
        """By the checksum of the name."""
        return HALVES[zlib.crc32(self.name.encode()) & 1]


def _listed() -> Iterator[Article]:
    for repository in tomllib.loads(Path(__file__).with_name("articles.toml").read_text("utf-8"))["repository"]:
        for folder, publisher, licence in repository["articles"]:
            folder = "/".join(part for part in (repository["under"], folder) if part)
            yield Article(repository["name"], repository["commit"], folder, publisher, licence)


ARTICLES = tuple(_listed())
COUNT = min(sum(article.half == half for article in ARTICLES) for half in HALVES)
"""Of each half, so that both have as many."""


def published(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """The article whose turn it is in the half that `seed` names."""
    article = [each for each in ARTICLES if f"/{each.half}/" in seed][number]
    clone = place / article.repository.replace("/", "+")
    if not clone.exists():
        _git("clone", "--quiet", "--bare", "--filter=blob:none", f"{_HOST}/{article.repository}", str(clone))
    files = _git("-C", str(clone), "ls-tree", "--name-only", article.commit, f"{article.folder}/").decode().splitlines()
    pdf, xml = (next(file for file in files if file.endswith(ends)) for ends in ((".pdf",), (".jats", "fulltext.xml")))
    made = place / "article.pdf"
    made.write_bytes(_git("-C", str(clone), "show", f"{article.commit}:{pdf}"))
    truth = jats.markdown(_git("-C", str(clone), "show", f"{article.commit}:{xml}"), Pages(made))
    yield Sample((article.publisher, article.name), made, truth)


def _git(*arguments: str) -> bytes:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{PROGRAM} {arguments[0]}: {done.stderr.decode('utf-8', 'replace')[-300:]}")
    return done.stdout
