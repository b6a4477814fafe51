"""Names of the parts that pdf-split makes, as `output` has them: where they may stand, and what codes give them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.notation.part_names import check_template, filled, values_of_code
from paperchute.rules.output import part_template, target
from tests.jobs.makers import make_rule
from tests.rules.test_file import problems

HEAD = 'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\n'
SPLIT = 'operation = "pdf-split"\nparameters = { every = 2 }\n'
JOINED = 'steps = [{ operation = "pdf-split", parameters = { every = 2 } }, { operation = "pdf-merge" }]\n'
REMOTE = '[service]\nbase_url = "https://example.com"\napi_key = "env:K"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + 'operation = "pdf-to-txt"\noutput = "o/{part}.{ext}"\n', "{part} is of the parts that pdf-split makes"),
        (HEAD + JOINED + 'output = "o/{code}.{ext}"\n', "{code} is of the parts that pdf-split makes"),
        (HEAD + SPLIT + 'output = "o/{code.a}/{stem}.{ext}"\n', "the folders are the same for all parts"),
        (HEAD + SPLIT + 'output = "{part}.{ext}"\n', "delivered together, into a folder"),
        (HEAD + SPLIT + 'output = "o/{counter} {part}.{ext}"\n', "{counter} counts documents"),
        (HEAD + SPLIT + 'output = "o/{part:x}.{ext}"\n', "{part:x} cannot be filled in"),
        (HEAD + SPLIT + 'output = "o/{code.}.{ext}"\n', "there is no placeholder {code.}"),
        (HEAD + SPLIT.replace("2 }", '2, partName = "{part}" }') + 'output = "o/{part}.{ext}"\n', "leave partName out"),
        (HEAD + SPLIT.replace("2 }", '2, partName = "{who}" }'), "partName there is no placeholder {who}"),
        (HEAD + SPLIT.replace("every = 2", 'separatorCode = "("'), "separatorCode is not a pattern"),
        (REMOTE + HEAD.replace("version = 1\n", "") + SPLIT.replace("every = 2", 'pages = "1,2"')
         + 'output = "o/{part}.{ext}"\n', "{part} is filled in by the built-in engine alone"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said_before(tmp_path: Path, text: str, said: str) -> None:
    if text.startswith(REMOTE):
        text = f"version = 1\n{text}"
    assert any(said in str(problem) for problem in problems(tmp_path, text)), problems(tmp_path, text)


def test_folder_and_names_come_apart() -> None:
    rule = make_rule(Path("/base/hot").absolute(), output="o/{stem}/{code.to} {stem} {part:02}.{ext}")
    place = target(rule, PurePosixPath("{code} a:b.pdf"), now=0, counter=0)
    assert place.folder / place.stem == Path("/base/o/{code} a_b").absolute()
    template = part_template(rule, PurePosixPath("{code} a:b.pdf"), now=0, pages=None, said={})
    assert template == "{code.to} (code) a_b {part:02}"
    check_template(template)


@given(st.text())
def test_any_text_of_a_code_gives_values_of_one_short_line(text: str) -> None:
    for name, value in values_of_code(text).items():
        assert name == "code" or name.startswith("code.")
        assert 0 < len(value) <= 100
        assert "\n" not in value


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("customer=Huber\nNumber = 7", {"code.customer": "Huber", "code.number": "7"}),
        ('{"customer": "Huber", "n": 7, "more": {"x": 1}}', {"code.customer": "Huber", "code.n": "7"}),
        ("https://example.com/?a=b", {"code.https://example.com/?a": "b"}),
        ("customer=Huber\nand more", {}),
        ("{broken", {}),
        ("[" * 100_000, {}),
    ],
)
def test_a_code_is_lines_or_json_or_plain_text(text: str, entries: dict[str, str]) -> None:
    values = values_of_code(text)
    values.pop("code", None)
    assert values == entries


def test_a_value_that_is_lacking_is_told() -> None:
    assert filled("{code.Customer} {code.x} {part:03}", values_of_code("CUSTOMER=A"), 7) == (
        "A unknown 007",
        ["code.x"],
    )
