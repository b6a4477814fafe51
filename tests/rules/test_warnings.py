"""What looks like a mistake is said, and does not keep the file from being used; loops that are certain do."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from paperchute.rules.file import load
from paperchute.rules.patterns import covers, takes_suffix
from paperchute.rules.problems import RuleFileError, warned
from tests.systems import posix

READ = 'operation = "pdf-to-markdown"'
LOCK = 'operation = "pdf-encrypt"\nparameters = { userPassword = "env:A" }'


def rules(tmp_path: Path, *bodies: str) -> Path:
    """A rule file; each body is a rule named A, B, ... whose folder is `hot` unless it says otherwise."""
    path = tmp_path / "rules.toml"
    text = "version = 1\n"
    for name, body in zip("ABCDEF", bodies, strict=False):
        folder = "" if body.startswith("folder = ") else 'folder = "hot"\n'
        text += f'[[rule]]\nname = "{name}"\n{folder}{body}\n'
    path.write_text(text, "utf-8")
    return path


def said(tmp_path: Path, *bodies: str) -> list[str]:
    return [warned(warning) for warning in load(rules(tmp_path, *bodies)).warnings]


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([READ, READ], "6:1: warning: rule 'B': it can never have a file: rule 'A' before it takes all of them"),
        ([READ, f'{READ}\nmatch = "report*.pdf"'], "rule 'B': it can never have a file"),
        ([f"{LOCK}\nsigned = true"], "pdf-encrypt changes the documents, so their signatures do not hold"),
        ([f'{LOCK}\nsigned = true\noriginal = "delete"'], 'original = "delete" leaves no proof of them; "done" does'),
        ([f"{READ}\nsigned = true", f"{LOCK}\nsigned = false"], ""),
        (['steps = [{ operation = "pdf-to-docx" }, { operation = "docx-to-pdf" }]\nsigned = true'], ""),
        ([f'{READ}\nmatch = ["*"]\nrecursive = true', f'{READ}\nmatch = "x/*.pdf"\nrecursive = true'], ""),
        ([f'{READ}\nexcept = "draft*"', READ], ""),
        ([READ, f"{READ}\nrecursive = true"], ""),
        ([f"{READ}\nalso = true", READ], ""),
        ([f"{READ}\npages = 1", READ], ""),
        ([f'{READ}\nkind = "pdf"', f'{READ}\nkind = "pdf"\npriority = 5'], "rule 'B': it can never have a file"),
        ([f'{READ}\nkind = "pdf"', READ], ""),
        (
            [f'{READ}\nmatch = "*"\nkind = "image"', f'{READ}\nmatch = "*.png"\nkind = ["png", "jpg"]'],
            "rule 'B': it can never have a file",
        ),
        ([f'{READ}\npages = "1-5"', f'{READ}\npages = "2-3,5"'], "rule 'B': it can never have a file"),
        ([f'{READ}\npages = "1-5"', f'{READ}\npages = ">=2"'], ""),
        ([f'{READ}\npages = "1-5"', f'{READ}\npages = "2"\npasswords = ["env:A"]\nprotection = "drop"'], ""),
        ([f'{READ}\nmax_size = "5 MB"', f'{READ}\nmax_size = "1 MB"'], "rule 'B': it can never have a file"),
        ([f'{READ}\nmax_size = "5 MB"', f'{READ}\nmin_size = "1 MB"'], ""),
        ([f'{READ}\ntext = "invoice"', f'{READ}\ntext = ["Invoice  no", "VAT"]'], "it can never have a file"),
        ([f'{READ}\ntext = ["invoice", "VAT"]', f'{READ}\ntext = "invoice"'], ""),
        ([READ, 'operation = "pdf-merge"\ngather = "batch"'], "rule 'B': it can never have a file"),
        (
            [f'{READ}\nmatch = "a*.pdf"', f'{READ}\nmatch = "b*.pdf"', f'{READ}\nmatch = ["a1*.pdf", "b1*.pdf"]'],
            "rule 'C': it can never have a file: rules 'A', 'B' before it take all of them",
        ),
        ([f'{READ}\nmatch = "a*.pdf"', f'{READ}\nmatch = ["a1*.pdf", "b1*.pdf"]'], ""),
        ([READ, f'{READ}\nmatch = "*.p?f"'], ""),
        ([f'{READ}\nenabled = "off"', READ], ""),
        (
            [f'folder = "hot"\n{READ}\nrecursive = true', f'folder = "hot/sub"\n{READ}'],
            "rule 'B': {hot}/sub lies inside {hot}, which rule 'A' watches too",
        ),
        ([f'folder = "hot"\n{READ}', f'folder = "hot/sub"\n{READ}'], ""),
        pytest.param(
            [f'folder = "Entr\u00e9e"\n{READ}', f'folder = "entre\u0301e"\n{READ}'],  # as macOS spells it
            "are one folder on macOS and Windows",
            marks=posix,
        ),
        pytest.param(
            [f'folder = "hot"\n{READ}', f'folder = "HOT"\n{READ}'],
            "are one folder on macOS and Windows",
            marks=posix,  # where they are one, the second rule can never have a file
        ),
        (
            [
                'folder = "web"\noperation = "html-to-pdf"\noutput = "lock/{stem}.{ext}"',
                'folder = "lock"\noperation = "pdf-encrypt"\nparameters = { userPassword = "env:A" }',
            ],
            "rule 'A': its results in {hot}/../lock are taken on by rule 'B'",
        ),
        (
            [
                'folder = "web"\noperation = "html-to-pdf"\noutput = "lock/{stem}.{ext}"',
                'folder = "lock"\noperation = "pdf-to-markdown"\npages = 1',
            ],
            "its results in {hot}/../lock may be taken on by rule 'B'",
        ),
        (['folder = "a"\noperation = "html-to-pdf"\noutput = "{folder}/{stem}.{ext}"'], ""),
        (
            [f'folder = "a"\n{READ}\noutput = "b.done/{{stem}}.{{ext}}"', f'folder = "b"\n{READ}'],
            "rule 'A': {hot}/../b.done is where rule 'B' puts its own",
        ),
        (
            [f'folder = "a"\n{READ}\noriginal = "b.failed"', f'folder = "b"\n{READ}'],
            "b.failed is where rule 'B' puts its own",
        ),
        (
            ['steps = [{ operation = "img-to-json" }, { operation = "pdf-merge" }]'],
            "and img-to-json gives json",
        ),
        (['steps = [{ operation = "magic-color" }, { operation = "pdf-to-editable" }]'], ""),
        (['match = ["*.heic", "*.HEIF", "*.webp"]\noperation = "img-to-docx"'], ""),
        (['match = "*.heic"\noperation = "magic-color"\noutput = "o/{stem}.jpg"'], ""),
        (['match = "*.heic"\noperation = "magic-color"\noutput = "o/{stem}.heic"'], "the result is jpg"),
        ([f'{READ}\nmatch = ["*.pdf", "*.docx"]'], "6:1: warning: rule 'A': pdf-to-markdown reads pdf, not docx"),
        ([f'{READ}\noutput = "o/{{stem}}.docx"'], "the result is md, and is called .docx"),
        ([f'{READ}\noutput = "o/{{stem}} 1.5"'], "the result is md, and is called .5"),
        ([f'{READ}\nhosts = ["a.example"]'], "`hosts` does nothing here: only html-to-pdf"),
        (['operation = "html-to-pdf"\nhosts = "A.example"'], ""),
        (['match = "*.URL"\noperation = "pdf-generate"'], "it lets links in, but `hosts` names no host"),
        (['match = "*.url"\noperation = "pdf-generate"\nhosts = "a.example"'], ""),
        (['match = "*.url"\noperation = "pdf-generate"\n[engine]\nallow_host = "a.example"'], ""),
        (
            ['operation = "pdf-encrypt"\nparameters = { userPassword = "env:A", ownerPassword = "env:A" }'],
            "6:40: warning: rule 'A': ownerPassword is the same as userPassword",
        ),
        ([f'{READ}\npasswords = "env:A"'], "what pdf-to-markdown makes of a locked PDF is not locked"),
        (
            [f'{READ}\nparameters = {{ password = "env:A" }}'],
            "what pdf-to-markdown makes of a locked PDF is not locked",
        ),
        ([f'{READ}\npasswords = "env:A"\nprotection = "drop"'], ""),
        (['operation = "magic-color"\npasswords = "env:A"'], ""),
        (['operation = "html-to-pdf"\nprotection = "drop"'], "`protection` does nothing here"),
        (['operation = "magic-color"\nprotection = "drop"'], ""),
    ],
)
def test_what_looks_like_a_mistake_is_said(tmp_path: Path, bodies: list[str], expected: str) -> None:
    found = [
        line.replace("\\", "/").replace(f"{tmp_path.as_posix()}/", "{hot}/../", 1).replace("{hot}/../hot", "{hot}")
        for line in said(tmp_path, *bodies)
    ]
    found = [line.replace(f"{tmp_path.as_posix()}/hot", "{hot}") for line in found]
    if expected:
        assert any(expected in line for line in found), found
    else:
        assert found == []


@pytest.mark.parametrize(
    "bodies",
    [
        [f'{LOCK}\noutput = "{{folder}}/{{stem}} 2.{{ext}}"'],
        [f'{READ}\noriginal = "hot"'],
        [f'{READ}\nmatch = "*"\noutput = "hot/{{stem}}.{{ext}}"'],
        [
            f'folder = "a"\n{LOCK}\noutput = "b/{{stem}}.{{ext}}"',
            f'folder = "b"\n{LOCK}\noutput = "a/{{stem}}.{{ext}}"',
        ],
        [f'{READ}\nmatch = "*"\nrecursive = true\noutput = "hot/deep/{{stem}}.{{ext}}"'],
        [f'{LOCK}\nkind = "pdf"\noutput = "{{folder}}/{{stem}} 2.{{ext}}"'],
    ],
)
def test_a_certain_loop_is_refused(tmp_path: Path, bodies: list[str]) -> None:
    with pytest.raises(RuleFileError, match="endlessly"):
        load(rules(tmp_path, *bodies))


@pytest.mark.parametrize(
    ("system", "is_loop"), [pytest.param("linux", False, marks=posix), ("darwin", True), ("win32", True)]
)
def test_letter_case_tells_folders_apart_as_the_system_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, is_loop: bool
) -> None:
    monkeypatch.setattr("paperchute.files.names.sys", SimpleNamespace(platform=system))
    path = rules(tmp_path, f'folder = "prüfen"\n{LOCK}\noutput = "PRU\u0308FEN/{{stem}} (locked).{{ext}}"')
    with pytest.raises(RuleFileError, match="endlessly") if is_loop else nullcontext():
        load(path)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (f"{READ}\nshared = true", "give rule 'A' shared = true too"),
        ('operation = "pdf-merge"\ngather = "batch"', "rule 'B' is in the same folder, and the files of a batch are"),
        ('operation = "pdf-generate"\ngather = "rows"', "rule 'B' is in the same folder, and the files of a list are"),
        ('operation = "pdf-generate"\ngather = "rows"\nparameters = { template = "x" }', ""),
        ('operation = "pdf-merge"\ngather = "folder"', ""),
    ],
)
def test_a_file_is_not_shared_with_rules_that_need_it_alone(tmp_path: Path, other: str, said: str) -> None:
    path = rules(tmp_path, f"{READ}\nalso = true", other)
    if not said:
        assert len(load(path).rules) == 2
        return
    with pytest.raises(RuleFileError) as caught:
        load(path)
    assert said in str(caught.value)
    assert [problem.line for problem in caught.value.problems] == [6]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('output = "~/Done"', "every result gets this name, but for a number"),
        ('output = "~/Done"\non_conflict = "replace"', ""),
        ('output = "{date:%Y}.md"', ""),
        ('match = ".pdf"', "'.pdf' is the whole name of a file; for all files that end like this write *.pdf"),
        ('match = "*.pdf, *.PDF"', "is one glob with a comma in it"),
        ('match = "a, b*.pdf"', ""),
        ('original = "move"', "'move' is taken for the folder "),
        ('original = "./move"', ""),
    ],
)
def test_what_is_hardly_ever_meant_is_said(tmp_path: Path, line: str, said: str) -> None:
    found = [problem.message for problem in load(rules(tmp_path, f"{READ}\n{line}")).warnings]
    assert len(found) == bool(said)
    assert all(said in one for one in found)


def test_everything_wrong_in_one_rule_is_told_at_once(tmp_path: Path) -> None:
    body = 'setle = 1\noperation = "nope"\nretries = -1\noutput = "{stme}"\npattern = "("\nkind = "pfd"'
    with pytest.raises(RuleFileError) as caught:
        load(rules(tmp_path, body))
    assert [problem.line for problem in caught.value.problems] == [5, 6, 7, 8, 9, 10]


def test_one_mistake_is_told_once_and_hides_no_other(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError) as caught:
        load(rules(tmp_path, 'operatoin = "pdf-to-markdown"', 'operation = "nope"\nkind = "pfd"'))
    assert [problem.line for problem in caught.value.problems] == [5, 9, 10]


def test_globs_beside_each_other() -> None:
    assert covers("*", "a*.pdf")
    assert covers("*.PDF", "a*.pdf")
    assert covers("a*", "ab*")
    assert not covers("ab*", "a*")
    assert not covers("?*.pdf", "*.pdf")
    assert not covers("*[!a]", "*b*")
    assert takes_suffix(["*.md", "*.txt"], "md") is True
    assert takes_suffix(["*.md", "*.txt"], "pdf") is False
    assert takes_suffix(["a*"], "pdf") is None
    assert takes_suffix(["a*.pdf"], "pdf") is None


def test_one_password_that_opens_and_permits_is_told(tmp_path: Path) -> None:
    both = 'operation = "pdf-encrypt"\nparameters = { userPassword = "env:A", ownerPassword = "env:%s" }'
    (warning,) = said(tmp_path, both % "A")
    assert "rule 'A': ownerPassword is the same as userPassword" in warning
    assert said(tmp_path, both % "B") == []
    steps = '[[rule.steps]]\noperation = "pdf-merge"\n[[rule.steps]]\n' + both % "A"
    found = said(tmp_path, f'gather = "folder"\n{steps}')
    assert any("ownerPassword is the same as userPassword" in warning for warning in found)


def test_the_parts_of_a_split_pdf_fit_what_reads_pdfs(tmp_path: Path) -> None:
    path = rules(
        tmp_path,
        'steps = [{ operation = "pdf-split", parameters = { pages = "1" } }, { operation = "pdf-to-markdown" }]\n'
        '[service]\nbase_url = "https://a.example"\napi_key = "env:KEY"',
    )
    assert load(path).warnings == ()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            'operation = "magic-color"\npasswords = "env:A"',
            "whether what magic-color makes of locked PDFs is locked too",
        ),
        ('operation = "magic-color"\nprotection = "drop"', "the service at `base_url` decides that itself"),
        (f'{READ}\npasswords = "env:A"', ""),
        ('operation = "magic-color"', ""),
        (LOCK + '\npasswords = "env:A"', ""),
    ],
)
def test_a_remote_service_decides_what_stays_locked(tmp_path: Path, body: str, expected: str) -> None:
    path = rules(tmp_path, body)
    path.write_text(
        path.read_text("utf-8").replace(
            "version = 1", 'version = 1\nservice = { base_url = "https://a.example", api_key = "env:K" }'
        )
    )
    found = [warned(warning) for warning in load(path).warnings]
    assert len(found) == bool(expected)
    assert expected in "".join(found)
