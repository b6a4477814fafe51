"""What a rule asks for in vain is told by `check`.

Names that name nothing, passwords that lock nothing, pages that a dropped file does not belong beside; and what works
without a file has a schedule.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.contract import contract
from paperchute.rules.file import load
from paperchute.rules.model import Rule
from paperchute.rules.problems import RuleFileError, warned

HEAD = 'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\n'
INSERT = 'operation = "pdf-insert"\nparameters = '
GENERATE = 'operation = "pdf-generate"\n'


def rule(tmp_path: Path, body: str) -> Rule:
    path = tmp_path / "rules.toml"
    path.write_text(HEAD + body, "utf-8")
    return load(path).rules[0]


def problems(tmp_path: Path, body: str) -> str:
    with pytest.raises(RuleFileError) as caught:
        rule(tmp_path, body)
    return "\n".join(caught.value.lines())


def warnings(tmp_path: Path, body: str) -> str:
    path = tmp_path / "rules.toml"
    path.write_text(HEAD + body, "utf-8")
    return "\n".join(warned(warning) for warning in load(path).warnings)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('operation = "html-to-pdf"\nparameters = { password = "env:A" }', "add a step with pdf-encrypt"),
        (GENERATE + 'parameters = { password = "env:A" }', "add a step with pdf-encrypt"),
        (GENERATE + 'parameters = { html = "<p>" }', "html is what is printed, so a dropped file would not be used"),
        (GENERATE + 'parameters = { htmlUrl = "http://a.example/" }', "htmlUrl is what is printed"),
        (GENERATE + 'parameters = { htmlFile = "a.html" }', "htmlFile is what is printed"),
        (GENERATE + 'parameters = { template = "x", data = "{}" }', "with template and data a dropped file"),
        (GENERATE + 'parameters = { baseUri = "/srv/pictures" }', "baseUri takes a web address"),
        (GENERATE + 'parameters = { baseUri = "file:///srv" }', "baseUri takes a web address"),
        (GENERATE + 'schedule = "hourly"\nparameters = { htmlUrl = "http://me:word@a.example/" }', "without user name"),
        (GENERATE + 'schedule = "hourly"\nparameters = { htmlUrl = "http://bücher.example/" }', "in plain ASCII"),
        (GENERATE + 'schedule = "hourly"\nexcept = "a*"\nparameters = { html = "x" }', "`except` does not belong here"),
        (
            INSERT + '{ actionType = "FROM_PDF", index = 1, urls = ["http://a.example/"] }',
            "urls takes the place of files",
        ),
        (GENERATE + 'output = "x.pdf"\nparameters = { outputFileName = "y.pdf" }', "`output` names the result already"),
        (GENERATE + 'parameters = { outputFileName = "a/y.pdf" }', "takes a plain name"),
        (GENERATE + 'parameters = { outputFileName = "{stem}.pdf" }', "takes a plain name"),
        (GENERATE + 'gather = "rows"\nparameters = { outputFileName = "y" }', "each row has a result of its own"),
        (
            'steps = [{ operation = "pdf-generate", parameters = { outputFileName = "y" } }, '
            '{ operation = "pdf-to-markdown" }]',
            "only what the last step makes is delivered",
        ),
        (GENERATE + 'schedule = "daily 06:00"', "its parameters name nothing to work on"),
        (GENERATE + 'schedule = "every day"\nparameters = { html = "x" }', 'takes "hourly", "daily 06:00"'),
        (GENERATE + 'schedule = "hourly"\nmatch = "*.html"\nparameters = { html = "x" }', "`match` does not belong"),
        (GENERATE + 'schedule = "hourly"\ngather = "folder"\nparameters = { html = "x" }', "`gather` does not belong"),
        ('operation = "pdf-to-markdown"\nschedule = "hourly"', "gets no file on a schedule"),
    ],
)  # fmt: skip
def test_what_can_never_work_is_a_mistake(tmp_path: Path, body: str, said: str) -> None:
    (tmp_path / "a.html").write_text("<p>")
    assert said in problems(tmp_path, body)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            'operation = "pdf-to-markdown"\nparameters = { enableOcr = 0, ocrOption = "SCAN_PAGE" }',
            "changes nothing here",
        ),
        ('operation = "pdf-to-csv"\nparameters = { isContainImg = 0 }', "CSV holds only the text of cells"),
        (
            INSERT + '{ actionType = "BLANK", index = 1, width = 9, height = 9, sourcePages = "1" }',
            "BLANK takes no pages from another file",
        ),
        (
            'steps = [{ operation = "img-to-docx", parameters = { isContainAnnot = 0 } }]',
            "a picture has no annotations",
        ),
    ],
)  # fmt: skip
def test_what_changes_nothing_is_a_warning(tmp_path: Path, body: str, said: str) -> None:
    assert said in warnings(tmp_path, body)


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("pdf-generate", ""),
        ("pdf-encrypt", ', userPassword = "env:A"'),
        ("pdf-merge", ""),
        ("pdf-insert", ', actionType = "BLANK", index = 1, width = 9, height = 9'),
    ],
)
def test_output_file_name_names_the_result(tmp_path: Path, operation: str, more: str) -> None:
    gather = 'gather = "folder"\n' if operation == "pdf-merge" else ""
    for name in ("Letter.PDF", "Letter"):
        found = rule(tmp_path, f'{gather}operation = "{operation}"\nparameters = {{ outputFileName = "{name}"{more} }}')
        assert found.output == "{folder.name}.out/{relative}/Letter.{ext}"


@pytest.mark.parametrize(
    "parameters",
    ['html = "<p>x"', 'htmlUrl = "http://a.example/"', 'template = "x", data = "{}"', 'template = "x"'],
)
def test_what_needs_no_file_works_on_a_schedule(tmp_path: Path, parameters: str) -> None:
    found = rule(tmp_path, f'{GENERATE}schedule = "mon-fri 07:30"\nparameters = {{ {parameters} }}')
    assert found.match == ()
    assert found.schedule == "mon-fri 07:30"
    assert "{date" in found.output


def test_pages_from_the_web_may_be_inserted_on_a_schedule(tmp_path: Path) -> None:
    urls = 'urls = ["http://a.example/1.pdf", "http://b.example/2.pdf"]'
    found = rule(tmp_path, f'schedule = "daily 6"\n{INSERT} {{ actionType = "FROM_PDF", index = 1, {urls} }}')
    assert found.hosts == ("a.example", "b.example")


def test_the_address_of_a_rule_says_its_own_host_and_no_other(tmp_path: Path) -> None:
    body = f'{GENERATE}schedule = "daily 6"\nparameters = {{ htmlUrl = "https://A.example:8443/x" }}\n'
    assert rule(tmp_path, body).hosts == ("a.example",)
    assert warnings(tmp_path, body) == ""
    assert rule(tmp_path, 'hosts = ["cdn.example"]\n' + body).hosts == ("cdn.example", "a.example")


def test_links_are_taken_where_the_rule_may_fetch_something(tmp_path: Path) -> None:
    assert rule(tmp_path, GENERATE).match == ("*.html", "*.htm")
    found = rule(tmp_path, 'hosts = ["intranet.example"]\n' + GENERATE)
    assert found.match == ("*.html", "*.htm", "*.url", "*.webloc", "*.desktop")
    assert warnings(tmp_path, 'match = "*.url"\nhosts = ["intranet.example"]\n' + GENERATE) == ""
    assert "not url" in warnings(tmp_path, 'match = "*.url"\noperation = "html-to-pdf"')


def test_every_alias_is_the_parameter_itself(tmp_path: Path) -> None:
    for operation in contract().operations.values():
        for parameter in operation.parameters:
            for alias in parameter.aliases:
                assert operation.parameter(alias) is parameter, (operation.id, alias)
    found = rule(tmp_path, GENERATE + 'parameters = { "request.pageSize.width" = 300 }')
    assert found.steps[0].parameters == {"pageWidth": 300.0}
