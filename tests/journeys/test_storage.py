"""Disks that are full, read-only or gone: the original stays, the job waits and says why, and goes on by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.crash.service import Account, Contact, LedgerService, ledger_service, outputs_of
from tests.journeys.daemon import names, wait_until
from tests.journeys.mounts import EnclosedPaperchute, Enclosure, enclosure

RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
[defaults]
operation = "pdf-to-txt"
[[rule]]
name = "One"
folder = "{one}"
[[rule]]
name = "Two"
folder = "two"
"""
PDF = b"%PDF-1.7\nthe original\n%%EOF\n"
PDF_TOO = b"%PDF-1.7\nanother original\n%%EOF\n"


@dataclass
class Office:
    """A daemon in an enclosure, with two hot folders and a service that counts."""

    base: Path
    inside: Enclosure
    service: LedgerService
    account: Account = field(default_factory=lambda: Account(keeps_keys=False))
    hot: str = "one"
    paperchute: EnclosedPaperchute = field(init=False)

    def open(self) -> None:
        """Write the rules and start the daemon."""
        url = self.service.open("office", self.account)
        self.paperchute = EnclosedPaperchute(self.inside, self.base, RULES.format(url=url, one=self.hot))
        self.paperchute.start()
        wait_until(self.path("two").is_dir)

    def path(self, name: str) -> Path:
        """A path below the base as it is inside."""
        return self.inside.seen(self.base / name)

    def drop(self, name: str, content: bytes = PDF) -> None:
        self.path(name).write_bytes(content)

    def result(self, content: bytes = PDF) -> bytes:
        """What the service makes of an original."""
        (made,) = outputs_of("pdf-to-txt", [content], {}, self.account.size).values()
        return made

    def says(self, *words: str) -> Callable[[], bool]:
        """Whether the status has a sentence with all these words."""
        return lambda: any(all(word in line for word in words) for line in self.paperchute.said()["troubles"])

    def calls(self, content: bytes = PDF) -> list[Contact]:
        """Calls made for an original."""
        return [c for c in self.account.contacts if c.inputs == (hashlib.sha256(content).hexdigest(),)]

    def check(self, name: str, place: str, content: bytes = PDF) -> None:
        """The original `name` of the hot folder at `place` has been done once, and nothing else is there."""
        done = f"{place}.done/{name}"
        wait_until(self.path(done).exists)
        assert self.path(done).read_bytes() == content
        assert self.path(f"{place}.out/{Path(name).stem}.txt").read_bytes() == self.result(content)
        assert names(self.path(f"{place}.out")) == [f"{Path(name).stem}.txt"]
        assert names(self.path(place)) == []
        assert len(self.calls(content)) == 1
        wait_until(lambda: self.paperchute.said()["jobs"]["done"] == len(self.account.contacts))
        jobs = self.paperchute.json("jobs")
        assert [job["state"] for job in jobs] == ["done"] * len(self.account.contacts)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with enclosure() as inside, ledger_service() as service:
        made = Office(tmp_path, inside, service)
        yield made
        if hasattr(made, "paperchute"):
            made.paperchute.close()


def test_a_full_target_makes_its_folder_wait_and_no_other(office: Office) -> None:
    out = office.base / "one.out"
    out.mkdir()
    office.inside.mount_memory(out, "64k")
    office.account.size = 300_000
    office.open()
    office.drop("one/a.pdf")
    office.drop("two/b.pdf", PDF_TOO)
    wait_until(office.path("two.done/b.pdf").exists)
    wait_until(office.says(str(out), "no room left"))
    assert office.path("one/a.pdf").read_bytes() == PDF
    assert [n for n in names(office.path("one.out")) if not n.startswith(".")] == []
    office.inside.run("mount", "-o", "remount,size=16m", "none", out)
    office.check("a.pdf", "one")
    wait_until(lambda: not office.says("no room left")())


def test_a_target_that_cannot_be_written_is_waited_for(office: Office) -> None:
    out = office.base / "one.out"
    out.mkdir()
    office.inside.mount_memory(out, "1m")
    office.inside.run("mount", "-o", "remount,ro", "none", out)
    office.open()
    office.drop("one/a.pdf")
    wait_until(office.says(str(out), "Read-only"))
    assert office.path("one/a.pdf").read_bytes() == PDF
    office.inside.run("mount", "-o", "remount,rw", "none", out)
    office.check("a.pdf", "one")


def test_a_full_disk_of_the_state_folder_loses_no_answer(office: Office) -> None:
    state = office.base / "state"
    state.mkdir()
    office.inside.mount_memory(state, "1m")
    office.account.slow = 3.0
    office.open()
    office.drop("one/a.pdf")
    wait_until(lambda: bool(office.calls()))
    filler = office.path("state/filler")
    with pytest.raises(OSError, match="No space"):
        filler.write_bytes(bytes(2 << 20))
    office.account.slow = 0.0
    office.drop("two/b.pdf", PDF_TOO)
    log = office.base / "daemon.log"
    wait_until(lambda: "The journal cannot be written" in log.read_text("utf-8"))
    assert office.path("two/b.pdf").exists()
    filler.unlink()
    office.check("a.pdf", "one")
    wait_until(office.path("two.done/b.pdf").exists)
    assert len(office.calls(PDF_TOO)) == 1


@dataclass
class Share:
    """A file system that can be lost and come back: a second mount of it keeps it alive meanwhile."""

    inside: Enclosure
    at: Path
    kept: Path

    def appear(self) -> None:
        self.inside.run("mount", "--bind", self.kept, self.at)

    def vanish(self) -> None:
        self.inside.run("umount", "--lazy", self.at)

    def bare(self) -> list[str]:
        """What lies in the mount point itself."""
        return sorted(path.name for path in self.inside.seen(self.at).iterdir())


@pytest.fixture
def share(office: Office) -> Share:
    made = Share(office.inside, office.base / "share", office.base / "kept")
    made.at.mkdir()
    made.kept.mkdir()
    office.inside.mount_memory(made.kept, "64m")
    made.appear()
    office.hot = "share/one"
    return made


@pytest.mark.parametrize("when", ["in the middle of the call", "in the middle of the delivery"])
def test_a_lost_share_is_waited_for(office: Office, share: Share, when: str) -> None:
    office.account.size = 8_000_000
    if when == "in the middle of the call":
        office.account.slow = 2.0
    else:
        office.account.pause = 2.0
    office.open()
    office.drop("share/one/a.pdf")
    if when == "in the middle of the call":
        wait_until(lambda: bool(office.calls()))
    else:
        wait_until(lambda: office.account.downloads > 0)
        wait_until(lambda: names(office.path("share/one.out")) != [])
    share.vanish()
    wait_until(office.says(str(office.base / "share" / "one")))
    wait_until(lambda: not office.paperchute.said()["now"])
    office.drop("two/b.pdf", PDF_TOO)
    wait_until(office.path("two.done/b.pdf").exists)
    assert share.bare() == []
    share.appear()
    office.check("a.pdf", "share/one")


def test_a_share_mounted_as_the_hot_folder_itself_is_waited_for(office: Office) -> None:
    share = Share(office.inside, office.base / "one", office.base / "kept")
    share.at.mkdir()
    share.kept.mkdir()
    office.inside.mount_memory(share.kept, "1m")
    share.appear()
    office.account.slow = 2.0
    office.open()
    office.drop("one/a.pdf")
    wait_until(lambda: bool(office.calls()))
    share.vanish()
    office.drop("two/b.pdf", PDF_TOO)
    wait_until(office.path("two.done/b.pdf").exists)
    assert share.bare() == []
    share.appear()
    office.check("a.pdf", "one")


def test_a_share_that_is_away_at_the_start_is_waited_for(office: Office, share: Share) -> None:
    office.open()
    wait_until(office.path("share/one").is_dir)
    office.paperchute.stop()
    share.vanish()
    office.paperchute.start()
    wait_until(office.says(str(office.base / "share" / "one")))
    office.drop("two/b.pdf", PDF_TOO)
    wait_until(office.path("two.done/b.pdf").exists)
    assert share.bare() == []
    share.appear()
    office.drop("share/one/a.pdf")
    office.check("a.pdf", "share/one")
