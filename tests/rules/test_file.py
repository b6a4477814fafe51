"""Rule files, right and wrong: every problem with its place, and a likely correction."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paperchute.rules.docs import reference, schema
from paperchute.rules.file import load, parse
from paperchute.rules.model import RULE_KEYS
from paperchute.rules.problems import RuleFileError
from paperchute.rules.stored import rule_from_text, rule_to_text

ROOT = Path(__file__).parents[2]
HEAD = "version = 1\n"
RULE = '[[rule]]\nname = "A"\nfolder = "hot"\n'


def problems(tmp_path: Path, text: str | bytes) -> list[str]:
    """What is wrong with a rule file, without its path; empty when nothing is."""
    path = tmp_path / "rules.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    try:
        load(path)
    except RuleFileError as error:
        return [line.removeprefix(f"{path}:") for line in error.lines()]
    return []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[rule]]\nname = "x', "2:10: "),
        ("colour = 1\n" + HEAD, "1:1: there is no key 'colour' here"),
        ("", "1:1: `version = 1` must stand at the top of the file"),
        (HEAD + RULE + 'operation = "pdf-to-markdwon"', "5:1: rule 'A': there is no operation 'pdf-to-markdwon'"),
        (HEAD + RULE + 'operation = "pdf-to-markdwon"', "Did you mean pdf-to-markdown?"),
        (HEAD + RULE, "2:1: rule 'A': `operation` is missing (or `steps`, for several)"),
        (HEAD + '[[rule]]\nname = "A"\noperation = "html-to-pdf"', "2:1: rule 'A': `folder` is missing"),
        (HEAD + RULE + 'operation = "html-to-pdf"\nsetle = 1', "6:1: rule 'A': there is no key 'setle' here. Did you"),
        (HEAD + RULE + 'operation = "html-to-pdf"\nsettle = true', "6:1: rule 'A': `settle` takes a number"),
        (
            HEAD + RULE + 'operation = "html-to-pdf"\nsettle = "camera"',
            "6:1: rule 'A': `settle` takes seconds, or one of: scanner",
        ),
        (HEAD + RULE + 'operation = "html-to-pdf"\nsettle = -1', "6:1: rule 'A': `settle` must be at least 0"),
        (HEAD + RULE + 'operation = "html-to-pdf"\nenabled = "perhaps"', "6:1: rule 'A': `enabled` takes on or off"),
        (
            HEAD + RULE + 'operation = "html-to-pdf"\non_conflict = "overwrite"',
            "6:1: rule 'A': `on_conflict` takes number | replace | skip",
        ),
        (
            HEAD + RULE + 'operation = "pdf-to-markdown"\nparameters = { pageRange = "1" }',
            "6:16: rule 'A': pdf-to-markdown has no parameter 'pageRange'. Did you mean pageRanges?",
        ),
        (
            HEAD + RULE + 'operation = "pdf-to-markdown"\nparameters = { pageRanges = "5-3" }',
            "6:16: rule 'A': pageRanges: the range 5-3 runs backwards",
        ),
        (
            HEAD + RULE + 'operation = "pdf-to-markdown"\n[rule.parameters]\npageLayoutMode = "e_Flw"',
            "7:1: rule 'A': pageLayoutMode takes e_Flow | e_Box, not 'e_Flw'. Did you mean e_Flow?",
        ),
        (
            HEAD + RULE + 'operation = "pdf-merge"',
            "rule 'A': pdf-merge works on several files: add gather = \"folder\"",
        ),
        (HEAD + RULE + 'operation = "html-to-pdf"\ngather = "folder"', "html-to-pdf works on one file"),
        (HEAD + RULE + 'operation = "pdf-encrypt"', "pdf-encrypt needs userPassword, ownerPassword or both"),
        (
            HEAD + RULE + 'operation = "pdf-insert"\nparameters = { actionType = "BLANK", index = 1 }',
            "BLANK needs width",
        ),
        *(
            (HEAD + f'[[rule]]\nname = "A"\nfolder = \'{folder}\'\noperation = "html-to-pdf"', said)
            for folder, said in (
                ("smb://server/scans", "4:1: rule 'A': smb://server/scans is an address; connect the share"),
                ("file:///home/me/scans", "is an address"),
                *([(r"\\server\scans", "is a Windows path")] if sys.platform != "win32" else []),
            )
        ),
        (HEAD + RULE + 'operation = "html-to-pdf"\noutput = "{stme}.pdf"', "{stme}. Did you mean {stem}?"),
        (
            HEAD + RULE + 'operation = "html-to-pdf"\nmatch = "*"\noutput = "hot/{stem}.pdf"',
            "would be watched by rule 'A'",
        ),
        (HEAD + RULE + 'operation = "html-to-pdf"\noriginal = "hot"', "would be watched by rule 'A'"),
        (HEAD + (RULE + 'operation = "html-to-pdf"\n') * 2, "7:1: rule 'A': the rule in line 3 already has this name"),
        (
            HEAD + RULE + 'steps = [\n  { operation = "html-to-pdf" },\n  { operation = "pdf-lock" },\n]',
            "7:5: rule 'A': there is no operation 'pdf-lock'",
        ),
        (HEAD + RULE + 'operation = "html-to-pdf"\nsteps = [{ operation = "html-to-pdf" }]', "not both"),
        *(
            (HEAD + RULE + 'operation = "html-to-pdf"\n' + line, said)
            for line, said in (
                ('kind = "pfd"', "6:1: rule 'A': there is no kind 'pfd'"),
                ('kind = "pfd"', "Did you mean pdf?"),
                ('min_size = "ten"', '6:1: rule \'A\': `min_size` takes a size such as "500 kB" or "10 MB"'),
                ('min_size = "2 MB"\nmax_size = 5', "6:1: rule 'A': `min_size` is larger than `max_size`"),
                ('pages = "3-1"', "6:1: rule 'A': `pages` takes a number of pages"),
                ("depth = 2", "add recursive = true"),
                (
                    'pattern = "(a+"',
                    "6:1: rule 'A': `pattern` is not a pattern that can be used: a parenthesis is not closed",
                ),
                ("pattern = '(?P<stem>a)'", "a group cannot be called stem"),
                ("pattern = '(?P<who>a)'\noutput = 'o/{woh}.pdf'", "{woh}. Did you mean {who}?"),
                ('between = "22:00"', "6:1: rule 'A': `between` takes hours such as"),
                ('between = "08:00-08:00"', "begins and ends at one time"),
                ('days = "mon-sonntag"', "6:1: rule 'A': `days` takes days such as"),
                ('text = " "', "`text` must hold words"),
                ('passwords = ["hunter2"]', "6:1: rule 'A': passwords must not be written here themselves"),
                ('passwords = ["csv:p.csv/{who}"]', "there is no {who} for a reference"),
                ('passwords = ["env:{stem}"]', "braces are allowed only in the last part"),
                ("timeout = 0", "`timeout` must be at least 1"),
            )
        ),
        (
            HEAD + '[[rule]]\nname = "A"\nfolder = "~no-such-user/x"\noperation = "html-to-pdf"',
            "4:1: rule 'A': there is no home folder",
        ),
        (
            HEAD + '[[rule]]\nname = "A"\nfolder = "C:\\new"\noperation = "html-to-pdf"',
            "4:1: rule 'A': a path cannot hold a line",
        ),
        (
            HEAD + '[[rule]]\nname = "A"\nfolder = "$HOME/x"\noperation = "html-to-pdf"',
            "4:1: rule 'A': variables are not filled",
        ),
        (HEAD + '[[rules]]\nname = "A"', "Did you mean rule?"),
        (
            HEAD + RULE + 'operation = "pdf-to-markdown"\npageRanges = "1-3"',
            "6:1: rule 'A': pageRanges is a parameter of pdf-to-markdown; write parameters = { pageRanges = ... }",
        ),
        (HEAD + RULE + 'operation = "html-to-pdf"\noutput = "{filename}.pdf"', "Did you mean {stem}?"),
        (
            HEAD + RULE + 'operation = "html-to-pdf"\noutput = "{zzz}.pdf"',
            "there is no placeholder {zzz}; there are {stem} {name}",
        ),
        (HEAD + "[defaults]\nretires = 3", "3:1: rules have no key 'retires'. Did you mean retries?"),
        (HEAD + '[service]\nbase_url = "http://example.com"', "3:1: base_url must be https"),
        (HEAD + '[service]\nbase_url = "https://example.com"', "`api_key` is missing"),
        (HEAD + "rule = 3", "rules are written as [[rule]]"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    found = problems(tmp_path, text)
    assert any(expected in line for line in found), found


@pytest.mark.parametrize(
    "text",
    [
        HEAD + RULE + 'operation = "pdf-merge"\ngather = true',
        HEAD + RULE + 'operation = "pdf-encrypt"\nparameters = { userPassword = "hunter2" }',
        HEAD + RULE + 'steps = ["magic-color"]',
        HEAD + '[[rule]]\nname = "A"\nFolder = "hot"\noperation = "html-to-pdf"',
    ],
)
def test_what_is_there_and_wrong_is_not_told_to_be_missing_too(tmp_path: Path, text: str) -> None:
    assert len(problems(tmp_path, text)) == 1


def test_a_second_rule_of_one_name_is_checked_too(tmp_path: Path) -> None:
    found = problems(tmp_path, HEAD + RULE + 'operation = "html-to-pdf"\n' + RULE + 'operation = "nope"\n')
    assert [line.split(":")[0] for line in found] == ["7", "9"]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = HEAD + RULE + 'operation = "nope"\n' + RULE.replace("A", "B") + "setle = 1\n" + "[other]\n"
    assert [int(line.split(":")[0]) for line in problems(tmp_path, text)] == [5, 6, 9, 10]


@pytest.mark.parametrize("key", ["api_key", "userPassword"])
def test_a_secret_itself_is_refused_and_never_repeated(tmp_path: Path, key: str) -> None:
    secret = "hunter2-very-secret"
    if key == "api_key":
        text = HEAD + f'[service]\nbase_url = "https://example.com"\napi_key = "{secret}"'
    else:
        text = HEAD + RULE + f'operation = "pdf-encrypt"\nparameters = {{ userPassword = "{secret}" }}'
    found = problems(tmp_path, text)
    assert any("env:NAME" in line for line in found)
    assert secret not in "".join(found)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"version = 1\n# caf\xe9\n", "2:6: this is not UTF-8 text"),
        (b"x" * (1 << 20) + b"y", "larger than 1 MB"),
        (b"\xef\xbb\xbfversion = 1\r\n", ""),
    ],
)
def test_odd_files_are_explained(tmp_path: Path, content: bytes, expected: str) -> None:
    found = problems(tmp_path, content)
    assert (expected in found[0]) if expected else found == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_a_missing_file_a_folder_and_a_pipe_are_explained(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for path in (tmp_path / "none.toml", tmp_path, tmp_path / "pipe.toml"):
        with pytest.raises(RuleFileError):
            load(path)


def test_what_a_rule_becomes(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        HEAD + "[defaults]\nretries = 2\n" + RULE + 'operation = "pdf-to-markdown"\nenabled = "off"\n'
        'parameters = { enableOcr = "yes", pages = "1-2" }\noriginal = "old"\n'
        '[[rule]]\nname = "B"\nfolder = "lock"\noperation = "pdf-encrypt"\nretries = 0\n'
        'parameters = { userPassword = "env:PW" }\n',
        "utf-8",
    )
    first, second = load(path).rules
    assert first.folder == tmp_path / "hot"
    assert first.match == ("*.pdf",)
    assert (first.retries, first.enabled, first.line) == (2, False, 4)
    assert dict(first.steps[0].parameters) == {"enableOcr": 1, "pageRanges": "1-2"}
    assert first.original == str(tmp_path / "old")
    assert dict(second.steps[0].parameters) == {"userPassword": "env:PW", "algorithm": "aes256"}
    assert second.retries == 0


def test_what_conditions_become(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        HEAD + RULE + 'operation = "pdf-to-markdown"\nkind = ["PDF", "jpeg"]\nmin_size = "2 kB"\npages = 3\n'
        'recursive = true\ndepth = 2\ntext = "Total"\npattern = \'(?P<who>x)\'\noutput = "{who}/{pages:03}.{ext}"\n'
        'between = "22-6"\ndays = ["fri", "sat-sun"]\nalso = "yes"\ntimeout = 90\npasswords = "env:PW"\n',
        "utf-8",
    )
    (rule,) = load(path).rules
    assert (rule.kind, rule.min_size, rule.pages, rule.depth, rule.text) == (("pdf", "jpg"), 2000, "3", 2, ("Total",))
    assert (rule.between, rule.days) == (("22:00-06:00",), ("fri", "sat", "sun"))
    assert (rule.also, rule.timeout, rule.passwords) == (True, 90, ("env:PW",))
    assert rule_from_text(rule_to_text(rule)) == rule


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not valid UTF-8 are Linux's")
def test_a_rule_file_may_lie_in_a_folder_whose_name_is_no_valid_text(tmp_path: Path) -> None:
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/x\xff"))
    (rule,) = parse(HEAD + RULE + 'operation = "html-to-pdf"\noriginal = "old"\npasswords = "file:p"', home / "r").rules
    assert rule.original == str(home / "old")
    assert rule.passwords == (f"file:{home}/p",)


def test_the_fingerprint_follows_what_a_rule_does_and_not_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(HEAD + RULE + 'operation = "html-to-pdf"')
    before = load(path).rules[0].fingerprint
    path.write_text(HEAD + "\n# moved\n" + RULE + 'operation = "html-to-pdf"')
    assert load(path).rules[0].fingerprint == before
    path.write_text(HEAD + RULE + 'operation = "html-to-pdf"\nretries = 1')
    assert load(path).rules[0].fingerprint != before


def test_the_example_is_accepted_by_us_and_by_its_schema() -> None:
    path = ROOT / "rules.example.toml"
    assert len(load(path).rules) == 14
    assert load(path).warnings == ()
    jsonschema.validate(tomllib.loads(path.read_text("utf-8")), schema.schema())


def test_the_committed_schema_is_the_generated_one() -> None:
    committed = json.loads((ROOT / "docs" / "rules.schema.json").read_text("utf-8"))
    assert committed == json.loads(json.dumps(schema.schema())), (
        "python -m paperchute.rules.docs.schema > docs/rules.schema.json"
    )


def test_the_schema_refuses_what_the_check_refuses() -> None:
    wrong = {
        "version": 1,
        "rule": [{"name": "A", "folder": "x", "operation": "pdf-to-markdown", "parameters": {"pageRnges": "1"}}],
    }
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema.schema())


def located(path: Path) -> None:
    """Loads a file, or sees that each problem has its place."""
    try:
        found = load(path).warnings
    except RuleFileError as error:
        found = error.problems
    assert all(problem.message and (problem.line >= 1 or not path.stat().st_size) for problem in found)


_value = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20).map(str)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)
_word = st.sampled_from(
    ["hot", "hot/deep", "*", "*.pdf", "x*", "on", "folder", "pair", "rows", "batch", "pdf-merge", "pdf-to-markdown",
     "img-to-csv", "pdf-generate", "22-6", "mon-fri", "10 MB", "(?P<who>.)", "{who}", "{stem}.{ext}", "1-3", "/",
     "{folder}/{stem}", "hot.out/x", "keep", "env:A", "csv:a/{who}"]
)  # fmt: skip


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*RULE_KEYS, "nonsense"]), st.one_of(_word, _value), max_size=8))
@example({"name": "A", "folder": "hot", "operation": "pdf-merge", "parameters": {"passwords": ["x"]}})
@example({"name": "A", "folder": "\0", "operation": "html-to-pdf"})
@example({"name": "A", "folder": "hot", "operation": "html-to-pdf", "output": "/"})
@example({"name": "A", "folder": "hot", "operation": "html-to-pdf", "output": "{date:%Q}{counter:x}"})
@example({"name": "A", "folder": "hot", "operation": "html-to-pdf", "match": "[", "except": "**/**/x"})
def test_any_rule_either_loads_or_gives_located_problems(
    tmp_path_factory: pytest.TempPathFactory, rule: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(HEAD + "[[rule]]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in rule.items()), "utf-8")
    located(path)


@settings(max_examples=150)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from("ABC"), "folder": st.sampled_from(["hot", "hot/deep", "hot.out", "HOT"])},
            optional={
                "operation": st.sampled_from(["pdf-to-markdown", "pdf-encrypt", "html-to-pdf", "magic-color"]),
                "match": st.sampled_from(["*", "*.pdf", "a*", "*.md", "[", "?*.pdf"]),
                "recursive": st.booleans(),
                "also": st.booleans(),
                "original": st.sampled_from(["keep", "hot", "hot/deep", "hot.done"]),
                "output": st.sampled_from(["hot/{stem}.{ext}", "{folder}/{stem}", "hot/deep/x.pdf", "{stem}.md"]),
                "parameters": st.just({"userPassword": "env:A"}),
            },
        ),
        max_size=4,
    )
)
def test_any_rules_beside_each_other_load_or_give_located_problems(
    tmp_path_factory: pytest.TempPathFactory, rules: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "several.toml"
    text = "".join("[[rule]]\n" + "".join(f"{k} = {_toml(v)}\n" for k, v in rule.items()) for rule in rules)
    path.write_text(HEAD + text, "utf-8")
    located(path)


@settings(max_examples=150)
@given(st.text(max_size=200))
@example("\r")
def test_any_text_either_loads_or_gives_located_problems(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "text.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    located(path)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value) if "e" not in repr(value) and "inf" not in repr(value) else "0.0"
    return json.dumps(value)


def test_the_committed_reference_is_the_generated_one() -> None:
    committed = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert committed == reference.reference(), "python -m paperchute.rules.docs.reference > docs/rules.md"


@pytest.mark.parametrize("host", ["https://a.example", "a.example/x", "a.example:80", "*.example", "", "a b"])
def test_hosts_are_names_alone(tmp_path: Path, host: str) -> None:
    path = tmp_path / "rules.toml"
    body = f'name = "A"\nfolder = "hot"\noperation = "html-to-pdf"\nhosts = ["{host}"]'
    path.write_text(f"version = 1\n[[rule]]\n{body}\n", "utf-8")
    with pytest.raises(RuleFileError):
        load(path)


@pytest.mark.parametrize("name", ["invoice.docx", "INVOICE.ODT", "old.doc", "form.pdf"])
def test_a_template_that_is_no_html_is_told_before_the_first_list(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK")
    rule = HEAD + RULE + f'operation = "pdf-generate"\nparameters = {{ templateFile = "{name}" }}'
    (problem,) = problems(tmp_path, rule)
    assert f"templateFile takes HTML, not {name}: save it as a web page (HTML), and name that file" in problem


DONE_BY_NOBODY = [
    ('operation = "pdf-to-ofd"', "this engine does not do pdf-to-ofd yet; a remote service may"),
    ('operation = "img-to-csv"\nparameters = { enableOcr = 0 }', "enableOcr 0 reads no text from a picture"),
    (
        'operation = "pdf-to-editable"\nparameters = { ocrRecognitionLang = "THAI" }',
        "nothing that reads THAI is installed",
    ),
    (
        'steps = [{ operation = "pdf-merge" }, { operation = "pdf-to-ofd" }]\ngather = "batch"',
        "6:41: rule 'A': this engine does not do pdf-to-ofd yet",
    ),
]


@pytest.mark.parametrize(("body", "expected"), DONE_BY_NOBODY)
def test_what_the_built_in_engine_does_not_do_is_a_mistake_before_the_first_file(
    tmp_path: Path, body: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERCHUTE_OCR_MODELS", raising=False)
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))  # whatever this machine's Tesseract can read
    path = tmp_path / "rules.toml"
    text = f'version = 1\n\n[[rule]]\nname = "A"\nfolder = "a"\n{body}\n'
    path.write_text(text)
    with pytest.raises(RuleFileError) as caught:
        load(path)
    assert expected in caught.value.what
    path.write_text(f"{text}enabled = false\n")
    assert load(path).rules
    path.write_text(f'{text}[service]\nbase_url = "https://a.example"\napi_key = "env:KEY"\n')
    assert load(path).rules


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('operation = "pdf-reorder"\nparameters = { order = "reverse" }', "pdf-reorder is done by the built-in engine"),
        ('operation = "pdf-split"\nparameters = { every = 2 }', "every is done by the built-in engine alone"),
        (
            'operation = "pdf-convert-type"\nparameters = { standard = "PDFTypeA3b" }',
            "PDFTypeA3b is done by the built-in engine alone",
        ),
    ],
)
def test_what_our_engine_alone_does_is_asked_of_no_remote_service(tmp_path: Path, body: str, expected: str) -> None:
    path = tmp_path / "rules.toml"
    text = f'version = 1\n\n[[rule]]\nname = "A"\nfolder = "a"\n{body}\n'
    path.write_text(text)
    assert load(path).rules
    path.write_text(f'{text}[service]\nbase_url = "https://a.example"\napi_key = "env:KEY"\n')
    with pytest.raises(RuleFileError) as caught:
        load(path)
    assert expected in caught.value.what


@pytest.mark.parametrize("parameters", ["", 'parameters = { pages = "1", every = 2 }'])
def test_a_split_is_asked_for_in_exactly_one_way(tmp_path: Path, parameters: str) -> None:
    (problem,) = problems(tmp_path, HEAD + RULE + f'operation = "pdf-split"\n{parameters}')
    assert "exactly one of pages, every, bookmarkLevel, maxSize" in problem


@pytest.mark.parametrize("key", ["name", "folder", "operation", "output", "recursive", "gather"])
def test_a_key_behind_the_parameters_is_told_where_it_stands_and_nothing_else_is(tmp_path: Path, key: str) -> None:
    keys = {"name": '"A"', "folder": '"a"', "operation": '"pdf-merge"', "gather": '"batch"', "recursive": "true"}
    keys["output"] = '"o/{stem}.{ext}"'
    above = "\n".join(f"{one} = {value}" for one, value in keys.items() if one != key)
    text = f'version = 1\n[[rule]]\n{above}\n[rule.parameters]\nfilePageRanges = ["1"]\n{key} = {keys[key]}\n'
    with pytest.raises(RuleFileError) as caught:
        parse(text, tmp_path / "rules.toml")
    (problem,) = caught.value.problems
    assert problem.line == 10
    assert problem.message == f"`{key}` is a key of the rule, but is among the parameters of line 8; move it above them"
