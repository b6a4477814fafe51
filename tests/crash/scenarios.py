"""What a job can be: every kind of input, step, answer, target and original that changes its way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paperchute.rules.tables import Step
from tests.crash.service import Mood, outputs_of

Content = bytes | tuple[str, ...]
"""What a file must hold: these bytes, or all of these words."""

PDF = b"%PDF-1.7\nthe original\n%%EOF\n"
BROKEN = ("02207", "it is broken", "To try again")
UNCERTAIN = ("was lost, so it may have been done and charged.", "retries = 0")


@dataclass(frozen=True)
class Scenario:
    """One job and what must come of it, however often it is interrupted.

    drops: the originals below `hot`. present: files that are there before, and which nobody else touches. own: earlier
    results of the rule.
    rule: changes to the rule; `{elsewhere}` stands for a folder on another file system. moods: of the first calls,
    the rest are good, unless `moods_stay`: then the last one stays. expiring: as in `Account`. poor: as in `Order`.
    after: by path below `base` and `elsewhere`, what must be there at the end, and nothing else. state: of the job
    then. calls: how many it makes where a step has more than one.
    or_failed: what may be there instead when an answer was lost and must not be repeated.
    """

    name: str
    drops: Mapping[str, bytes]
    steps: tuple[str, ...]
    after: Mapping[str, Content]
    rule: Mapping[str, Any] = field(default_factory=dict)
    present: Mapping[str, bytes] = field(default_factory=dict)
    own: Mapping[str, bytes] = field(default_factory=dict)
    moods: tuple[Mood, ...] = ()
    moods_stay: bool = False
    keeps_keys: bool = True
    expiring: int = 0
    state: str = "done"
    or_failed: Mapping[str, Content] | None = None
    elsewhere: bool = False
    poor: bool = False
    calls: int = 0

    def made_steps(self) -> tuple[Step, ...]:
        """The steps as a rule holds them."""
        return tuple(Step(operation, {}) for operation in self.steps)


def _made(drops: Mapping[str, bytes], *steps: str) -> dict[str, bytes]:
    """The outputs of the last step by name."""
    outputs: dict[str, bytes] = dict(drops)
    for operation in steps:
        outputs = outputs_of(operation, list(outputs.values()), {})
    return outputs


def _done(drops: Mapping[str, bytes]) -> dict[str, Content]:
    """These originals, filed."""
    return {f"base/hot.done/{name}": content for name, content in drops.items()}


def _each(contents: Mapping[str, bytes], operation: str) -> list[bytes]:
    """The results of one call for each of these files."""
    return [content for one in contents.values() for content in outputs_of(operation, [one], {}).values()]


def _joined(contents: Sequence[bytes], limit: int) -> bytes:
    """What rounds of at most `limit` files make of these."""
    while len(contents) > limit:
        groups = [contents[start : start + limit] for start in range(0, len(contents), limit)]
        contents = [group[0] if len(group) == 1 else _joined(group, limit) for group in groups]
    return next(iter(outputs_of("pdf-merge", contents, {}).values()))


def _one(*steps: str, drops: Mapping[str, bytes] | None = None) -> bytes:
    (content,) = _made(drops or {"a.pdf": PDF}, *steps).values()
    return content


def _all() -> list[Scenario]:
    one = {"a.pdf": PDF}
    read = ("pdf-to-markdown",)
    read_out = _one(*read)
    filed = {"base/hot.out/a.md": read_out, "base/hot.done/a.pdf": PDF}
    split = ("pdf-split",)
    parts = _made(one, *split)
    split_out = {f"base/hot.out/a/{name}": content for name, content in parts.items()}
    gathered = {f"set/{number}.pdf": b"%%PDF-1.7 page %d\n%%%%EOF\n" % number for number in (1, 2, 10)}
    merged = _one("pdf-merge", drops=gathered)
    gather = {"gather": "folder", "match": ("*.pdf",)}
    three = ("html-to-pdf", "pdf-to-editable", "pdf-encrypt")
    page = {"a.html": b"<!doctype html><p>page</p>"}
    text = "base/hot.failed/a.pdf.error.txt"
    failed: dict[str, Content] = {"base/hot.failed/a.pdf": PDF, text: BROKEN}
    uncertain = {**failed, text: UNCERTAIN}
    note = {"base/hot.out/a/note.txt": b"mine"}
    theirs = {**note, "base/hot.out/a/1.pdf": b"mine"}
    warned = "base/hot.failed/a.pdf.warnings.txt"
    mine = {"base/hot.out/a.md": b"mine"}
    originals = {f"base/hot.done/{name}": content for name, content in gathered.items()}
    kept_set = {f"base/hot/{name}": content for name, content in gathered.items()}
    merged_out = {"base/hot.out/set.pdf": merged}
    first, second = _each(parts, "pdf-to-markdown")
    pages = dict(enumerate(_each(parts, "pdf-to-editable")))
    many = {f"set/{number}.pdf": b"%%PDF-1.7 page %d\n%%%%EOF\n" % number for number in range(1, 8)}
    joined = _joined(list(many.values()), 5)
    loose = {name.removeprefix("set/"): content for name, content in gathered.items()}
    loose_kept = {f"base/hot/{name}": content for name, content in loose.items()}
    loose_done = _done(loose)
    batch = {"gather": "batch", "match": ("*.pdf",), "quiet": 0.1}
    batch_out = {"base/hot.out/1.pdf": merged}
    pair = {"a.pdf": PDF, "a.insert.pdf": b"%PDF-1.7\ninserted\n%%EOF\n"}
    table = {"a.csv": b"name\nAda\nBob\nCy\n", "a.html": b"<!doctype html><p>{{ name }}</p>"}
    rows = {"gather": "rows", "match": ("*.csv",), "partner": (".html",)}
    bills = {
        number: outputs_of("pdf-generate", [table["a.html"]], {"data": json.dumps({"name": name})})["result.pdf"]
        for number, name in enumerate(("Ada", "Bob", "Cy"), start=1)
    }
    beside = {"a.pdf": PDF, "a.pdf.toml": b'parameters = { pageRanges = "2" }\n'}
    (asked,) = outputs_of("pdf-to-markdown", [PDF], {"pageRanges": "2"}).values()
    ordered = {**gathered, "set/job.toml": b'order = ["10.pdf", "2.pdf"]\n'}
    return [
        Scenario("one file", one, read, filed),
        Scenario("several outputs", one, split, {**split_out, "base/hot.done/a.pdf": PDF}),
        Scenario("gathered set", gathered, ("pdf-merge",), {**merged_out, **originals}, gather),
        Scenario("three steps", page, three,
                 {"base/hot.out/a.pdf": _one(*three, drops=page), "base/hot.done/a.html": page["a.html"]}),
        Scenario("busy service", one, read, filed, moods=(503, 504, 429)),
        Scenario("broken file", one, read, failed, moods=("refuse",), moods_stay=True, state="failed"),
        Scenario("broken file kept", one, read, {"base/hot/a.pdf": PDF, text: BROKEN},
                 {"original": "keep"}, moods=("refuse",), moods_stay=True, state="failed"),
        Scenario("busy for good", one, read, {**failed, text: ("503", "To try again")}, {"retries": 1},
                 moods=(503,), moods_stay=True, state="failed"),
        Scenario("answer lost", one, read, filed, moods=("cut", "cut")),
        Scenario("remote service", one, read, filed, keeps_keys=False),
        Scenario("remote, answer lost", one, read, filed, moods=("cut",), keeps_keys=False),
        Scenario("remote, never repeat", one, read, filed, {"retries": 0}, keeps_keys=False, or_failed=uncertain),
        Scenario("remote, lost, never repeat", one, read,
                 {**failed, text: ("The call may have been carried out.",)},
                 {"retries": 0}, moods=("cut",), keeps_keys=False, state="failed", or_failed=uncertain),
        Scenario("result expired", one, read, filed, expiring=1),
        Scenario("remote, result expired", one, read,
                 {**failed, text: ("no longer on the service", "05004")},
                 keeps_keys=False, expiring=1, state="failed"),
        Scenario("original kept", one, read, {"base/hot.out/a.md": read_out, "base/hot/a.pdf": PDF},
                 {"original": "keep"}),
        Scenario("original deleted", one, read, {"base/hot.out/a.md": read_out}, {"original": "delete"}),
        Scenario("set kept", gathered, ("pdf-merge",), {**merged_out, **kept_set}, {**gather, "original": "keep"}),
        Scenario("set deleted", gathered, ("pdf-merge",), merged_out, {**gather, "original": "delete"}),
        Scenario("original elsewhere", one, read, {"base/hot.out/a.md": read_out, "elsewhere/filed/a.pdf": PDF},
                 {"original": "{elsewhere}/filed"}, elsewhere=True),
        Scenario("original elsewhere, name taken", one, read,
                 {"base/hot.out/a.md": read_out, "elsewhere/filed/a.pdf": b"other", "elsewhere/filed/a (2).pdf": PDF},
                 {"original": "{elsewhere}/filed"}, {"elsewhere/filed/a.pdf": b"other"}, elsewhere=True),
        Scenario("set elsewhere", gathered, ("pdf-merge",),
                 {**merged_out, **{f"elsewhere/filed/{name}": content for name, content in gathered.items()}},
                 {**gather, "original": "{elsewhere}/filed"}, elsewhere=True),
        Scenario("output elsewhere", one, read, {"elsewhere/out/a.md": read_out, "base/hot.done/a.pdf": PDF},
                 {"output": "{elsewhere}/out/{stem}.{ext}"}, elsewhere=True),
        Scenario("outputs elsewhere", one, split,
                 {**{f"elsewhere/out/a/{name}": made for name, made in parts.items()}, "base/hot.done/a.pdf": PDF},
                 {"output": "{elsewhere}/out/{stem}.{ext}"}, elsewhere=True),
        Scenario("own results replaced", one, split, {**split_out, **note, "base/hot.done/a.pdf": PDF},
                 {"on_conflict": "replace"}, note, dict.fromkeys(split_out, b"old")),
        Scenario("own and others' results, replace", one, split,
                 {**split_out, **theirs, "base/hot.out/a/1 (2).pdf": parts["1.pdf"], "base/hot.done/a.pdf": PDF,
                  warned: ("Not replaced", "a/1.pdf (the new one is 1 (2).pdf)")},
                 {"on_conflict": "replace"}, theirs, {"base/hot.out/a/images/2.pdf": b"old"}, state="warned"),
        Scenario("into a folder", one, split,
                 {**split_out, **theirs, "base/hot.out/a/1 (2).pdf": parts["1.pdf"], "base/hot.done/a.pdf": PDF},
                 {}, theirs),
        Scenario("into a folder, some skipped", one, split,
                 {**split_out, **theirs, "base/hot.done/a.pdf": PDF, warned: ("left out", "a/1.pdf")},
                 {"on_conflict": "skip"}, theirs, state="warned"),
        Scenario("poor share, into a folder, replace", one, split, {**split_out, **note, "base/hot.done/a.pdf": PDF},
                 {"on_conflict": "replace"}, note, {"base/hot.out/a/1.pdf": b"old"}, poor=True),
        Scenario("into a folder elsewhere", one, split,
                 {**{f"elsewhere/out/a/{name}": made for name, made in parts.items()}, "elsewhere/out/a/1.pdf": b"mine",
                  "elsewhere/out/a/1 (2).pdf": parts["1.pdf"], "base/hot.done/a.pdf": PDF},
                 {"output": "{elsewhere}/out/{stem}.{ext}"}, {"elsewhere/out/a/1.pdf": b"mine"}, elsewhere=True),
        Scenario("file replaced", one, read, filed, {"on_conflict": "replace"}, own={"base/hot.out/a.md": b"old"}),
        Scenario("another's file, replace", one, read,
                 {**mine, "base/hot.out/a (2).md": read_out, "base/hot.done/a.pdf": PDF, warned: ("Not replaced",)},
                 {"on_conflict": "replace"}, mine, state="warned"),
        Scenario("name taken", one, read,
                 {**mine, "base/hot.out/a (2).md": read_out, "base/hot.done/a.pdf": PDF}, {}, mine),
        Scenario("skipped", one, read, {**mine, "base/hot.done/a.pdf": PDF, warned: ("left out",)},
                 {"on_conflict": "skip"}, mine, state="warned"),
        Scenario("claimed file", one, read, filed, {"shared": True}),
        Scenario("claimed set", gathered, ("pdf-merge",), {**merged_out, **originals}, {**gather, "shared": True}),
        Scenario("claimed set deleted", gathered, ("pdf-merge",), merged_out,
                 {**gather, "shared": True, "original": "delete"}),
        Scenario("claimed file broken", one, read, failed, {"shared": True}, moods=("refuse",), moods_stay=True,
                 state="failed"),
        Scenario("poor share", one, read, filed, poor=True),
        Scenario("poor share, name taken", one, read,
                 {**mine, "base/hot.out/a (2).md": read_out, "base/hot.done/a.pdf": PDF}, {}, mine, poor=True),
        Scenario("poor share, several outputs", one, split, {**split_out, "base/hot.done/a.pdf": PDF}, poor=True),
        Scenario("each output goes on", one, ("pdf-split", "pdf-to-markdown"),
                 {"base/hot.out/a/1.md": first, "base/hot.out/a/2.md": second, "base/hot.done/a.pdf": PDF}, calls=3),
        Scenario("outputs go on and are joined", one, ("pdf-split", "pdf-to-editable", "pdf-merge"),
                 {"base/hot.out/a.pdf": _joined(list(pages.values()), 5), "base/hot.done/a.pdf": PDF}, calls=4),
        Scenario("remote, each output goes on, busy service", one, ("pdf-split", "pdf-to-markdown"),
                 {"base/hot.out/a/1.md": first, "base/hot.out/a/2.md": second, "base/hot.done/a.pdf": PDF},
                 moods=("good", 503, 503), keeps_keys=False, calls=3),
        Scenario("remote, outputs go on elsewhere", one, ("pdf-split", "pdf-to-markdown"),
                 {"elsewhere/out/a/1.md": first, "elsewhere/out/a/2.md": second, "base/hot.done/a.pdf": PDF},
                 {"output": "{elsewhere}/out/{stem}.{ext}"}, keeps_keys=False, elsewhere=True, calls=3),
        Scenario("batch", loose, ("pdf-merge",), {**batch_out, **loose_done}, batch),
        Scenario("batch kept", loose, ("pdf-merge",), {**batch_out, **loose_kept}, {**batch, "original": "keep"}),
        Scenario("batch deleted", loose, ("pdf-merge",), batch_out, {**batch, "original": "delete"}),
        Scenario("batch elsewhere", loose, ("pdf-merge",),
                 {**batch_out, **{f"elsewhere/filed/{name}": made for name, made in loose.items()}},
                 {**batch, "original": "{elsewhere}/filed"}, elsewhere=True),
        Scenario("batch broken", loose, ("pdf-merge",),
                 {**{f"base/hot.failed/{name}": made for name, made in loose.items()},
                  "base/hot.failed/1.pdf.error.txt": BROKEN},
                 batch, moods=("refuse",), moods_stay=True, state="failed"),
        Scenario("pair", pair, ("pdf-insert",),
                 {"base/hot.out/a.pdf": _one("pdf-insert", drops=pair), **_done(pair)},
                 {"gather": "pair", "partner": (".insert.pdf",)}),
        Scenario("rows", table, ("pdf-generate",),
                 {**{f"base/hot.out/a/00{number}.pdf": made for number, made in bills.items()}, **_done(table)},
                 rows, calls=3),
        Scenario("rows into a folder, replace", table, ("pdf-generate",),
                 {**{f"base/hot.out/a/00{number}.pdf": made for number, made in bills.items() if number > 1},
                  **note, "base/hot.out/a/001.pdf": b"mine", "base/hot.out/a/001 (2).pdf": bills[1], **_done(table),
                  "base/hot.failed/a.csv.warnings.txt": ("Not replaced", "001.pdf")},
                 {**rows, "on_conflict": "replace"}, {**note, "base/hot.out/a/001.pdf": b"mine"},
                 {"base/hot.out/a/002.pdf": b"old"}, calls=3, state="warned"),
        Scenario("remote, rows, busy service", table, ("pdf-generate",),
                 {**{f"base/hot.out/a/00{number}.pdf": made for number, made in bills.items()}, **_done(table)},
                 rows, moods=("good", 503, 503), keeps_keys=False, calls=3),
        Scenario("rows, each goes on", table, ("pdf-generate", "pdf-encrypt"),
                 {**{f"base/hot.out/a/00{number}.pdf": outputs_of("pdf-encrypt", [made], {})["result.pdf"]
                     for number, made in bills.items()}, **_done(table)}, rows, calls=6),
        Scenario("rows, joined", table, ("pdf-generate", "pdf-merge"),
                 {"base/hot.out/a.pdf": _joined(list(bills.values()), 5), **_done(table)}, rows, calls=4),
        Scenario("sidecar", beside, read, {"base/hot.out/a.md": asked, **_done(beside)}),
        Scenario("claimed file with sidecar", beside, read, {"base/hot.out/a.md": asked, **_done(beside)},
                 {"shared": True}),
        Scenario("sidecar, broken file", beside, read,
                 {"base/hot.failed/a.pdf": PDF, "base/hot.failed/a.pdf.toml": beside["a.pdf.toml"], text: BROKEN},
                 moods=("refuse",), moods_stay=True, state="failed"),
        Scenario("set with job.toml", ordered, ("pdf-merge",),
                 {"base/hot.out/set.pdf": outputs_of("pdf-merge", list(gathered.values())[::-1], {})["result.pdf"],
                  **_done(ordered)}, gather),
        Scenario("remote, joined in rounds", many, ("pdf-merge",),
                 {"base/hot.out/set.pdf": joined, **{f"base/hot.done/{name}": made for name, made in many.items()}},
                 gather, keeps_keys=False, calls=3),
    ]  # fmt: skip


SCENARIOS: Mapping[str, Scenario] = {scenario.name: scenario for scenario in _all()}
