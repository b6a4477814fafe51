"""Rules that gather: what they take, what makes a set, where its results go, and what cannot go together."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.file import load
from paperchute.rules.match import lead_stem, set_key, takes_file
from paperchute.rules.model import Rule
from paperchute.rules.output import divided, row_place, target
from paperchute.rules.problems import RuleFileError
from paperchute.rules.tables import Step
from tests.jobs.makers import make_rule
from tests.rules.test_file import problems

HOT = Path("/base/hot")
NOW = datetime(2026, 11, 21, 12, 0).timestamp()
HEAD = 'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\n'
GENERATE = 'operation = "pdf-generate"\n'
MERGE = 'operation = "pdf-merge"\n'
INSERT = 'operation = "pdf-insert"\nparameters = { actionType = "FROM_PDF", index = 1 }\n'
TABLE = 'operation = "documents-to-table"\n'
ROWS = HEAD + 'gather = "rows"\n'


def loaded(tmp_path: Path, text: str) -> Rule:
    path = tmp_path / "rules.toml"
    path.write_text(HEAD + text, "utf-8")
    return load(path).rules[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + MERGE + 'gather = "batches"\n', "6:1: rule 'A': `gather` takes folder | batch | pair | rows"),
        (HEAD + MERGE + 'gather = "folder"\nquiet = 3\n', "7:1: rule 'A': `quiet` is about batches"),
        (HEAD + MERGE + 'gather = "batch"\nquiet = 0\n', "7:1: rule 'A': `quiet` must be at least 0.1"),
        (HEAD + MERGE + 'gather = "batch"\nbatch_size = 1\n', "7:1: rule 'A': `batch_size` must be at least 2"),
        (HEAD + MERGE + 'gather = "batch"\nset_size = 3\n', "7:1: rule 'A': `set_size` is about dropped folders"),
        (HEAD + MERGE + 'gather = "folder"\nset_size = 0\n', "7:1: rule 'A': `set_size` must be at least 1"),
        (HEAD + MERGE + 'gather = "folder"\nset_end = "*.tmp"\n', "*.tmp is what programs call their temporary files"),
        (HEAD + MERGE + 'gather = "folder"\nleft_out = "no"\n', "7:1: rule 'A': `left_out` takes warn | hold"),
        (HEAD + MERGE + 'gather = "batch"\npartner = ".x"\n', "7:1: rule 'A': `partner` is about pairs"),
        (HEAD + MERGE + 'gather = "batch"\nshared = true\n', "7:1: rule 'A': others might claim a part of a batch"),
        (HEAD + MERGE + 'gather = "batch"\nalso = true\n', "7:1: rule 'A': the files of a batch are filed together"),
        (HEAD + INSERT + 'gather = "pair"\nalso = true\n', "let this rule hand its originals on"),
        (ROWS + GENERATE + "also = true\n", "7:1: rule 'A': the files of a list are filed together"),
        (HEAD + MERGE + 'gather = "pair"\n', "6:1: rule 'A': `partner` is missing"),
        (HEAD + INSERT + 'gather = "pair"\nshared = true\n', "the two files of a pair cannot be claimed in one step"),
        (HEAD + INSERT + 'gather = "batch"\n', 'pdf-insert works on 2 files, so write gather = "pair" or "folder"'),
        (HEAD + TABLE + 'gather = "batch"\nbatch_size = 1001\n', "documents-to-table takes 1000 files at most"),
        (HEAD + TABLE + 'gather = "folder"\nset_size = 1001\n', "documents-to-table takes 1000 files at most"),
        (HEAD + INSERT + 'gather = "folder"\nset_size = 3\n', "pdf-insert takes 2 files at most"),
        (HEAD + TABLE + 'gather = "pair"\n', "`partner` is missing"),
        (HEAD + TABLE + 'parameters = { links = ["a.pdf"] }\n', "filled in by itself; leave links out"),
        (HEAD + 'operation = "pdf-to-markdown"\ngather = "batch"\n', "works on one file, so the rule must not gather"),
        (
            HEAD + GENERATE + 'gather = "pair"\nparameters = { template = "x" }\n',
            "6:1: rule 'A': a pair is a template and its data, so the rule cannot give either",
        ),
        (ROWS + 'operation = "html-to-pdf"\n', "5:1: rule 'A': gather = \"rows\" makes a PDF of each row of a list"),
        (ROWS + GENERATE + 'parameters = { data = "{}" }\n', "so data cannot be given"),
        (ROWS + GENERATE + 'output = "{row.no}.{ext}"\n', "7:1: rule 'A': the rows of one list are delivered"),
        (ROWS + GENERATE + 'output = "{stem}/{row}-{counter}.{ext}"\n', "{counter} counts lists"),
        (ROWS + GENERATE + 'output = "{stem}/{row:x}.{ext}"\n', "{row:x} cannot be filled in"),
        (HEAD + GENERATE + 'output = "{stem}/{row.no}.{ext}"\n', "6:1: rule 'A': there is no placeholder {row.no}"),
        (
            ROWS
            + 'steps = [{ operation = "pdf-generate" }, { operation = "pdf-merge" }]\noutput = "{stem}/{row}.pdf"\n',
            "7:1: rule 'A': a later step makes one file of all rows, so there is no {row}",
        ),
        (
            ROWS + 'steps = [{ operation = "pdf-generate" },\n{ operation = "pdf-merge" },\n'
            '{ operation = "pdf-encrypt", parameters = { userPassword = "row:pw" } }]\n',
            "8:45: rule 'A': this step works on all rows at once",
        ),
        (
            HEAD + 'operation = "pdf-encrypt"\nparameters = { userPassword = "row:pw" }\n',
            "6:16: rule 'A': userPassword must not be written here itself",
        ),
    ],
)
def test_what_cannot_go_together_is_said_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, text)
    assert any(expected in line for line in found), found


def test_what_a_gathering_rule_is_without_further_words(tmp_path: Path) -> None:
    batch = loaded(tmp_path, MERGE + 'gather = "batch"\n')
    assert (batch.quiet, batch.batch_size, batch.partner, batch.match) == (10.0, 1000, (), ("*.pdf",))
    assert loaded(tmp_path, INSERT + 'gather = "pair"\n').partner == (".insert.pdf",)
    letter = loaded(tmp_path, GENERATE + 'gather = "pair"\n')
    assert (letter.match, letter.partner) == (("*.html", "*.htm"), (".json",))
    beside = loaded(tmp_path, GENERATE + 'gather = "rows"\n')
    assert (beside.match, beside.partner) == (("*.csv", "*.tsv", "*.json"), (".html", ".htm"))
    alone = loaded(tmp_path, GENERATE + 'gather = "rows"\nparameters = { template = "x" }\nshared = true\n')
    assert (alone.match, alone.partner, alone.shared) == (("*.csv", "*.tsv", "*.json"), (), True)
    back = loaded(tmp_path, MERGE + 'gather = "pair"\npartner = "-back.pdf"\n')
    assert back.partner == ("-back.pdf",)


def pair(*partner: str, **more: Any) -> Rule:
    return make_rule(HOT, gather="pair", match=("*.pdf",), partner=partner, **more)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a.insert.pdf", "a"),
        ("A.INSERT.PDF", "A"),
        ("a.pdf", None),
        (".insert.pdf", None),
        ("insert.pdf", None),
    ],
)
def test_the_second_file_of_a_pair_is_told_by_its_name(name: str, stem: str | None) -> None:
    rule = pair(".insert.pdf")
    assert lead_stem(rule, PurePosixPath(name)) == stem
    if stem is not None:
        assert takes_file(rule, PurePosixPath(name))
        assert set_key(rule, PurePosixPath(name)) == set_key(rule, PurePosixPath("a.pdf"))


def test_a_partner_need_not_match_but_must_not_be_excepted() -> None:
    rule = pair(".json", except_=("draft*",))
    assert takes_file(rule, PurePosixPath("a.json"))
    assert not takes_file(rule, PurePosixPath("draft.json"))
    assert not takes_file(rule, PurePosixPath("a.txt"))


def test_files_of_different_sub_folders_belong_to_different_sets() -> None:
    for rule in (pair(".json", recursive=True), make_rule(HOT, gather="batch", recursive=True)):
        assert set_key(rule, PurePosixPath("x/a.pdf")) != set_key(rule, PurePosixPath("a.pdf"))
    batch = make_rule(HOT, gather="batch", recursive=True)
    assert set_key(batch, PurePosixPath("x/a.pdf")) == set_key(batch, PurePosixPath("x/b.pdf"))


@given(st.text(min_size=1).filter(lambda text: not set(text) & set("/\\:\0") and text not in (".", "..")))
def test_sets_are_the_same_on_every_platform(name: str) -> None:
    rule = pair(".json", recursive=True)
    assert set_key(rule, PurePosixPath("x") / name) == set_key(rule, PureWindowsPath("x") / name)


def test_a_sidecar_is_never_work_itself() -> None:
    everything = make_rule(HOT, match=("*",))
    assert not takes_file(everything, PurePosixPath("a.pdf.toml"))
    assert takes_file(everything, PurePosixPath("settings.toml"))


# ---------- where rows go ----------


def rows(output: str = "", *later: str) -> Rule:
    steps = tuple(Step(operation, {}) for operation in ("pdf-generate", *later))
    return make_rule(HOT, gather="rows", output=output, steps=steps)


def placed(output: str, values: dict[str, str], number: int = 7) -> str:
    rule, relative = rows(output), PurePosixPath("x/May.csv")
    folder = target(rule, relative, now=NOW, counter=1)
    return (folder.folder / folder.stem / row_place(rule, relative, number, values, now=NOW)).as_posix()


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", "/base/hot.out/x/May/007"),
        ("out/{stem}/{row.no}.{ext}", "/base/out/May/K-17"),
        ("out/{stem}/{row.town}/{row:02} {row.no}.pdf", "/base/out/May/Bonn/07 K-17"),
        ("out/{stem}.{ext}", "/base/out/May/May-007"),
        ("out/{date:%Y}.1/{row.no} {date:%m}.{ext}", "/base/out/2026.1/K-17 11"),
    ],
)
def test_each_row_has_its_place_below_the_folder_of_its_list(output: str, expected: str) -> None:
    assert placed(output, {"no": "K-17", "town": "Bonn"}) == expected


def test_rows_that_are_joined_become_one_file() -> None:
    found = target(rows("", "pdf-merge"), PurePosixPath("May.csv"), now=NOW, counter=1)
    assert (found.folder.as_posix(), found.stem) == ("/base/hot.out", "May")


def test_a_column_that_a_row_lacks_is_told() -> None:
    with pytest.raises(KeyError, match=r"row\.no"):
        placed("out/{stem}/{row.no}.{ext}", {"town": "Bonn"})


def test_a_template_is_divided_at_its_first_row() -> None:
    assert divided("a/{stem}/{row.x} {stem}/b.pdf") == (["a", "{stem}"], ["{row.x} {stem}", "b.pdf"])
    assert divided("a/{stem}.pdf") == (["a", "{stem}.pdf"], [])


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text(), min_size=2))
def test_no_row_leads_out_of_the_folder_of_its_list(values: dict[str, str]) -> None:
    place = row_place(rows("out/{stem}/{row.a}/{row.b}.{ext}"), PurePosixPath("x.csv"), 1, values, now=NOW)
    assert len(place.parts) == 2
    assert not place.is_absolute()
    assert ".." not in place.parts
    assert all(len(part.encode()) <= 255 for part in place.parts)


@pytest.mark.parametrize(
    ("output", "fine"),
    [
        ("Invoices/{date:%Y-%m}/{row.number}.{ext}", True),
        ("~/Documents/{row.number}.{ext}", True),  # into what is there, file by file
        ("{folder}/bills/{row}.{ext}", True),
        ("{row}.{ext}", False),
        ("~/{row}.{ext}", False),
        ("{folder}/{row}.{ext}", False),
        ("out/../{row}.{ext}", False),
    ],
)
def test_the_results_of_a_list_need_a_folder_which_may_be_a_common_one(tmp_path: Path, output: str, fine: bool) -> None:
    (tmp_path / "t.html").write_text("<p>{{ number }}</p>", "utf-8")
    text = (
        'version = 1\n[[rule]]\nname = "Bills"\nfolder = "hot"\ngather = "rows"\noperation = "pdf-generate"\n'
        f'parameters = {{ templateFile = "t.html" }}\noutput = "{output}"\n'
    )
    (tmp_path / "rules.toml").write_text(text, "utf-8")
    if fine:
        (rule,) = load(tmp_path / "rules.toml").rules
        place = target(rule, PurePosixPath("May.csv"), now=0.0, counter=1)
        assert place.stem not in ("", "_")
    else:
        with pytest.raises(RuleFileError, match="into a folder"):
            load(tmp_path / "rules.toml")
