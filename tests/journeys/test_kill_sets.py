"""kill -9 again and again while files of batches, pairs and lists are still coming: no set is split or doubled."""

from __future__ import annotations

import hashlib
import json
import random
import time
from pathlib import Path

import pytest

from tests.crash.service import Account, ledger_service, outputs_of
from tests.journeys.daemon import Paperchute, names

RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
[defaults]
retries = 50
[[rule]]
name = "Post"
folder = "post"
gather = "batch"
quiet = 0.4
batch_size = 5
operation = "pdf-merge"
output = "post.out/{{counter}}.{{ext}}"
[[rule]]
name = "Covers"
folder = "covers"
gather = "pair"
operation = "pdf-insert"
parameters = {{ actionType = "FROM_PDF", index = 1 }}
[[rule]]
name = "Bills"
folder = "bills"
gather = "rows"
steps = [{{ operation = "pdf-generate" }}, {{ operation = "pdf-encrypt", parameters = {{ userPassword = "row:pw" }} }}]
"""
ROWS = 6


def pdf(*words: object) -> bytes:
    return f"%PDF-1.7 {' '.join(map(str, words))}\n%%EOF\n".encode()


class Drops:
    """What comes bit by bit, and what must be there in the end but for the batches, whose files chance decides."""

    def __init__(self, each: int, chance: random.Random) -> None:
        self.files: dict[str, bytes] = {}
        self.expected: dict[str, bytes] = {}
        for number in range(each):
            self.files |= {f"post/{number}-{part}.pdf": pdf("post", number, part) for part in range(4)}
            self._pair(number)
            self._list(number)
        self._names = list(self.files)
        chance.shuffle(self._names)

    def _pair(self, number: int) -> None:
        two = {f"{number}.pdf": pdf("text", number), f"{number}.insert.pdf": pdf("cover", number)}
        self.files |= {f"covers/{name}": content for name, content in two.items()}
        parameters = {"actionType": "FROM_PDF", "index": "1"}
        self.expected[f"covers.out/{number}.pdf"] = outputs_of("pdf-insert", list(two.values()), parameters)[
            "result.pdf"
        ]

    def _list(self, number: int) -> None:
        template = f"<!doctype html><p>{number} {{{{ name }}}}</p></html>".encode()
        rows = [{"name": f"{number}.{row}", "pw": f"pw{row}"} for row in range(ROWS)]
        self.files[f"bills/{number}.html"] = template
        self.files[f"bills/{number}.json"] = json.dumps(rows).encode()
        for index, row in enumerate(rows, start=1):
            made = outputs_of("pdf-generate", [template], {"data": json.dumps({"name": row["name"]})})["result.pdf"]
            locked = outputs_of("pdf-encrypt", [made], {"algorithm": "aes256", "userPassword": row["pw"]})
            self.expected[f"bills.out/{number}/{index:03}.pdf"] = locked["result.pdf"]

    def drop(self, base: Path, count: int) -> bool:
        """Let some more come; whether there are any left."""
        for name in self._names[:count]:
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_bytes(self.files[name])
        del self._names[:count]
        return bool(self._names)


@pytest.mark.slow
def test_no_set_is_split_or_doubled_by_any_number_of_kills(tmp_path: Path) -> None:
    chance = random.Random(20261122)
    drops = Drops(12, chance)
    account = Account(keeps_keys=False, slow=0.02)
    kills = 0
    with ledger_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.open("sets", account)))
        try:
            while drops.drop(tmp_path, 8):
                paperchute.start()
                for _ in range(3):
                    time.sleep(chance.uniform(0.2, 0.7))
                    drops.drop(tmp_path, 3)
                paperchute.kill()
                kills += 1
        finally:
            paperchute.close()
        done = paperchute.run("run", "--once", timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    assert kills >= 5
    alone = [f"post/{name}" for name in names(tmp_path / "post")]
    assert len(alone) < 2, "only one that is too few for a merge waits for another"
    for folder in ("post", "covers", "bills"):
        dropped = sorted(n.partition("/")[2] for n in drops.files if n.startswith(f"{folder}/") and n not in alone)
        assert names(tmp_path / f"{folder}.done") == dropped
        assert folder == "post" or names(tmp_path / folder) == []
        if folder != "post":
            expected = sorted(name for name in drops.expected if name.startswith(f"{folder}."))
            assert [f"{folder}.out/{name}" for name in names(tmp_path / f"{folder}.out")] == expected
    for name, content in drops.expected.items():
        assert (tmp_path / name).read_bytes() == content, name

    batches: dict[str, set[tuple[str, ...]]] = {}
    for contact in account.contacts:
        if contact.operation == "pdf-merge":
            batches.setdefault(contact.key.partition("-")[0], set()).add(contact.inputs)
    assert all(len(inputs) == 1 for inputs in batches.values()), "one job was asked for with different files"
    merged = sorted(digest for inputs in batches.values() for digest in next(iter(inputs)))
    post = [content for name, content in drops.files.items() if name.startswith("post/") and name not in alone]
    assert merged == sorted(hashlib.sha256(content).hexdigest() for content in post), "each file is in one batch"
    assert len(names(tmp_path / "post.out")) == len(batches)
    print(f"kills {kills}, batches {len(batches)}, calls {len(account.contacts)}")  # noqa: T201
