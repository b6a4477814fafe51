"""Sidecars and job.toml: what they may say, and every mistake with its place."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.contract import contract
from paperchute.rules.model import Rule
from paperchute.rules.secrets import is_reference
from paperchute.rules.sidecar import FileOverrides, Overrides, OverridesError, read_job_file, read_sidecar
from paperchute.rules.tables import Step
from tests.jobs.makers import make_rule

HOT = Path("/base/hot")


def rule(*operations: str, **more: Any) -> Rule:
    return make_rule(HOT, steps=tuple(Step(operation, {}) for operation in operations), **more)


READ = rule("pdf-to-markdown")
SEVERAL = rule("magic-color", "pdf-to-editable", "pdf-encrypt")
JOIN = rule("pdf-merge", gather="folder")
NAMES = ["a.pdf", "x/B.pdf"]


def said(text: str, of: Rule = READ) -> str:
    """What is wrong with a sidecar."""
    with pytest.raises(OverridesError) as caught:
        read_sidecar("a.pdf.toml", text.encode(), of)
    return caught.value.what


def test_parameters_take_the_contract_s_values() -> None:
    found = read_sidecar("s", b'parameters = { pageRanges = "1-3", enableOcr = true }', READ)
    assert found == Overrides(({"pageRanges": "1-3", "enableOcr": 1},))


def test_several_mistakes_stand_in_one_line() -> None:
    """A job's reason is one line wherever it is shown: a line end stood there as an escape, beside the file as well."""
    assert re.fullmatch(r"a\.pdf\.toml:1:\d+: .*\. a\.pdf\.toml:1:\d+: .*\.", said("parameters = { a = 1, b = 2 }"))


def test_each_parameter_goes_to_the_first_step_that_has_it() -> None:
    text = b'[parameters]\nuserPassword = "x"\nocrRecognitionLang = "ENGLISH"\ntransparentText = "off"\n'
    found = read_sidecar("s", text, SEVERAL)
    assert found.steps == ({"ocrRecognitionLang": "ENGLISH"}, {"transparentText": 0}, {"userPassword": "x"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pageRanges = '1'", "a.pdf.toml:1:1: there is no key 'pageRanges' here"),
        ("\nparameters = { pageRangs = '1' }", "2:16: pdf-to-markdown has no parameter 'pageRangs'. Did you mean page"),
        ("[parameters]\npageRanges = '5-3'", "2:1: "),
        ("parameters = { enableOcr = 7 }", "1:16: "),
        ("parameters = { file = 'x' }", "1:16: file is a file, and which one it is only the rule may say"),
        ("parameters = 7", "1:1: `parameters` takes a table"),
        ("pages = 'x-y'", "1:1: 'x-y' is not a page or range"),
        ("a = ", "1:5: the value is missing behind `=`"),
    ],
)
def test_mistakes_are_said_with_their_place(text: str, expected: str) -> None:
    assert expected in said(text)


def test_a_password_is_never_shown_in_what_is_wrong() -> None:
    for text in ("parameters = { password = 123454321 }", "password = 123454321", "parameters = { password = [1] }"):
        assert "123454321" not in said(text)


def test_a_file_of_the_rule_cannot_be_chosen_by_whoever_drops_files() -> None:
    assert "only the rule may say" in said("parameters = { templateFile = '/etc/passwd' }", rule("pdf-generate"))


def test_a_job_file_orders_and_chooses() -> None:
    text = b'order = ["x\\\\b.pdf"]\n[files."A.PDF"]\npages = "2"\npassword = "hunter2"\n'
    found = read_job_file("set/job.toml", text, JOIN, NAMES)
    assert found.order == ("x/B.pdf",)
    assert found.files == {"a.pdf": FileOverrides("2", "hunter2")}


def test_a_job_file_that_names_other_files_says_which_there_are() -> None:
    with pytest.raises(OverridesError) as caught:
        read_job_file("set/job.toml", b'order = ["a.pdf", "c.pdf"]\n', JOIN, NAMES)
    assert "set/job.toml:1:19: there is no file 'c.pdf' in this folder. Did you mean a.pdf?" in caught.value.what
    with pytest.raises(OverridesError, match=r"1:1: there is no file 'z'"):
        read_job_file("set/job.toml", b'files.z.pages = "1"\n', JOIN, NAMES)


def test_what_is_no_text_or_far_too_large_is_refused() -> None:
    for content in (b"\xff\xfe", b"#" * (2 << 20), b"a = " + b"[" * 100_000):
        with pytest.raises(OverridesError):
            read_sidecar("s", content, READ)


REFERENCES = (
    "env:HOME",
    "file:/etc/hostname",
    "file:~/none",
    "csv:/etc/passwd/root",
    "keyring:a/b",
    "env:" + "X" * 500,
)
PLACES = (
    'password = "{0}"',
    'parameters = {{ password = "{0}" }}',
    'parameters.password = "{0}"',
    'parameters = {{ targetPassword = "{0}" }}',
    'parameters = {{ passwords = ["", "{0}"] }}',
    'parameters = {{ passwords = \'["", "{0}"]\' }}',  # an array in a text, as the interface takes it too
    'parameters = {{ "passwords" = "{0}" }}',
    'parameters = {{ userPassword = "{0}" }}',
)
INSERT = Step("pdf-insert", {"actionType": "FROM_PDF", "index": 1})
ALL = make_rule(HOT, steps=(Step("pdf-merge", {}), INSERT, Step("pdf-encrypt", {})), gather="batch")


@pytest.mark.parametrize("place", PLACES)
def test_no_file_in_a_hot_folder_names_a_secret_and_none_learns_what_is_there(place: str) -> None:
    seen = {said(place.format(reference), ALL) for reference in REFERENCES}
    assert len(seen) == 1, "the same words, whatever is there"
    assert "the rule does not allow that here" in seen.pop()
    for reference in REFERENCES:
        allowed = ALL.model_copy(update={"sidecar_secrets": (reference,)})
        assert read_sidecar("s", place.format(reference).encode(), allowed)
        assert said(place.format(f"{reference}x"), allowed), "no other one, however alike"


def test_a_job_file_s_single_files_name_no_secret() -> None:
    text = b'files."a.pdf".password = "env:HOME"'
    with pytest.raises(OverridesError, match=r"1:\d+: .*does not allow that here"):
        read_job_file("set/job.toml", text, JOIN, NAMES)
    assert read_job_file("j", text, JOIN.model_copy(update={"sidecar_secrets": ("env:HOME",)}), NAMES).files


SECRETS = [
    (operation.id, name)
    for operation in contract().all_operations
    for parameter in operation.parameters
    if parameter.is_secret
    for name in (parameter.name, *parameter.aliases)
]


@pytest.mark.parametrize(("operation", "name"), SECRETS)
def test_no_secret_of_any_operation_is_named_by_any_spelling(operation: str, name: str) -> None:
    of = rule(operation, gather="batch")
    for reference in ("env:HOME", "env: HOME", "env:A\\nB", "file:../x", "file:~root/x", "csv:a/b", "keyring:a/{stem}"):
        for value in (f'"{reference}"', f'["{reference}"]', f'["x", "{reference}"]', f"""'["{reference}"]'"""):
            taken: list[Any] = []
            with contextlib.suppress(OverridesError):
                taken += read_sidecar("s", f"parameters.{name} = {value}".encode(), of).steps[0].values()
            assert not any(is_reference(one) for given in taken for one in (given if type(given) is list else [given]))


PROTECTION = [p.name for p in contract().known("pdf-encrypt").parameters if p.is_protection]


@pytest.mark.parametrize("given", ["userPassword", "ownerPassword"])
@pytest.mark.parametrize("asked", PROTECTION)
def test_what_a_rule_protects_stays_protected_as_it_says(given: str, asked: str) -> None:
    values = {"algorithm": "rc4"} if asked == "algorithm" else {asked: 1 if asked.startswith("allow") else "attacker"}
    text = "".join(f"parameters.{name} = {value!r}\n" for name, value in values.items())
    lock = make_rule(HOT, steps=(Step("pdf-to-editable", {}), Step("pdf-encrypt", {given: "env:PW"})))
    assert "is for the rule alone" in said(text, lock)


def test_a_password_that_the_rule_gives_is_not_another_s_to_change_but_a_file_s_own_may_stand_beside_it() -> None:
    one = make_rule(HOT, steps=(Step("pdf-insert", {"targetPassword": "env:PW"}),))
    for name in ("password", "targetPassword", "insertPassword"):
        assert "is for the rule alone" in said(f'parameters.{name} = "x"', one)
    assert read_sidecar("s", b'password = "its own"', one).files == {"": FileOverrides(password="its own")}


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_content_is_read_or_refused_with_a_place(content: bytes) -> None:
    problem = "s:"
    try:
        read_sidecar("s", content, SEVERAL)
        read_job_file("s", content, JOIN, NAMES)
    except OverridesError as error:
        problem = error.what
    assert problem.startswith("s:")


@given(
    st.dictionaries(
        st.sampled_from(["pageRanges", "enableOcr", "password", "x"]),
        st.one_of(
            st.integers(), st.booleans(), st.text(alphabet="a1-,", max_size=5), st.lists(st.integers(), max_size=2)
        ),
    )
)
def test_any_parameters_are_taken_or_refused(values: dict[str, Any]) -> None:
    lines = [f"{name} = {str(v).lower() if isinstance(v, bool) else repr(v)}" for name, v in values.items()]
    text = "[parameters]\n" + "\n".join(lines)
    taken, problems = set(values), []
    try:
        taken = set(read_sidecar("s", text.encode(), READ).steps[0])
    except OverridesError as error:
        problems = error.what.split(" s:")
    assert taken == set(values)
    assert len(problems) <= len(values)
