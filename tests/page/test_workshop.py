"""The workshop of the page: rules are looked at, switched, moved, made and changed, and nothing else is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paperchute.app.rule_form import form, key_fields, parameter_fields, value_from, values_of
from paperchute.app.sample_calls import SampleCalls
from paperchute.app.trial import tried
from paperchute.app.workshop import Draft, with_draft
from paperchute.app.workshop import shelf as shelf_of
from paperchute.contract import contract
from paperchute.language import speaking
from paperchute.page import workshop as calls
from paperchute.rules.disclosure import is_told
from paperchute.rules.docs.recipes import RECIPES
from paperchute.rules.edit import value_of
from paperchute.rules.file import load
from paperchute.rules.model import RULE_KEYS
from paperchute.service.model import Call
from tests.page.conftest import RULES, Shown

ROOT = Path(__file__).parents[2]
HIDDEN = "https://hooks.example/T0K3N-of-mine"


def file_of(shown: Shown) -> Path:
    return shown.daemon.rules.path


def shelf(shown: Shown) -> Any:
    return shown.client.get("/api/workshop").json()


def ask(shown: Shown, verb: str, **wish: Any) -> httpx.Response:
    """A call, by who has seen the file as it is now unless `digest` says otherwise."""
    wish = {"digest": shelf(shown).get("digest", ""), **wish}
    return shown.client.post(f"/api/workshop/{verb}", content=json.dumps(wish))


def text(value: str, kind: str = "text") -> dict[str, str]:
    return {"kind": kind, "text": value}


def whole(filled: str | list[str]) -> str:
    """What stands in a field: `lines` comes as a list."""
    return filled if isinstance(filled, str) else "\n".join(filled)


SCANS = {
    "keys": {
        "name": text("Scans by month"),
        "folder": text("scans"),
        "output": text("Archive/{date:%Y-%m}/{stem}.{ext}"),
        "priority": text("3", "number"),
        "match": text("a*.pdf\nb*.pdf", "lines"),
    },
    "steps": [
        {"operation": "magic-color"},
        {"operation": "pdf-to-editable", "parameters": {"enableOcr": text("on", "switch")}},
    ],
}


def test_nothing_is_seen_or_changed_without_a_session(shown: Shown) -> None:
    written = file_of(shown).read_bytes()
    calls = [("GET", ""), ("GET", "/form"), *(("POST", f"/{verb}") for verb in ("on", "up", "remove", "look", "save"))]
    for method, path in calls:
        assert shown.client.request(method, f"/api/workshop{path}").status_code == 401
    shown.enter()
    for method, path in calls:
        elsewhere = {"Origin": "http://elsewhere.example"}
        assert shown.client.request(method, f"/api/workshop{path}", headers=elsewhere).status_code == 403
    assert file_of(shown).read_bytes() == written


def test_rules_are_switched_moved_and_removed(shown: Shown) -> None:
    shown.enter()
    assert [(rule["name"], rule["on"]) for rule in shelf(shown)["rules"]] == [("Read PDFs", True), ("Off", False)]
    assert ask(shown, "on", name="Off").status_code == 200
    assert ask(shown, "down", name="Read PDFs").status_code == 200
    assert [(rule["name"], rule["on"]) for rule in shelf(shown)["rules"]] == [("Off", True), ("Read PDFs", True)]
    assert ask(shown, "remove", name="Off").status_code == 200
    assert [rule["name"] for rule in shelf(shown)["rules"]] == ["Read PDFs"]
    assert ask(shown, "remove", name="Off").status_code == 409


def test_a_rule_is_made_from_nothing_and_changed(shown: Shown) -> None:
    shown.enter()
    assert ask(shown, "save", draft=SCANS).json() == {"problems": [], "warnings": []}
    assert file_of(shown).read_text("utf-8").startswith(RULES)
    made = tomllib.loads(file_of(shown).read_text("utf-8"))["rule"][-1]
    assert made["steps"] == [
        {"operation": "magic-color"},
        {"operation": "pdf-to-editable", "parameters": {"enableOcr": True}},
    ]
    assert (made["priority"], made["match"]) == (3, ["a*.pdf", "b*.pdf"])
    steps = [{"operation": "pdf-to-editable", "of": 1, "parameters": {"pageRanges": text("1-3")}}]
    changed = {"rule": "Scans by month", "keys": {"priority": None}, "steps": steps}
    assert ask(shown, "save", draft=changed).json()["problems"] == []
    copied = {"rule": "Scans by month", "is_copy": True, "keys": {"name": text("Others"), "folder": text("others")}}
    assert ask(shown, "save", draft=copied).json()["problems"] == []
    rules = tomllib.loads(file_of(shown).read_text("utf-8"))["rule"]
    assert rules[-2]["steps"] == [
        {"operation": "pdf-to-editable", "parameters": {"enableOcr": True, "pageRanges": "1-3"}}
    ]
    assert "priority" not in rules[-2]
    assert rules[-1] == {**rules[-2], "name": "Others", "folder": "others"}


def test_what_lies_in_the_folder_already_is_told_before_it_is_taken(shown: Shown) -> None:
    shown.enter()
    folder = file_of(shown).parent / "scans"
    folder.mkdir()
    for name in ("a1.pdf", "a2.pdf", "c.pdf", ".a3.pdf", "a4.txt"):
        (folder / name).touch()
    told = f"2 files are in {folder} already and will be taken, too."
    for verb in ("look", "save"):
        assert ask(shown, verb, draft=SCANS).json()["warnings"] == [told]
    changed = {"rule": "Scans by month", "keys": {"priority": text("5", "number")}}
    assert ask(shown, "look", draft=changed).json()["warnings"] == []  # it has taken them, or knows why not
    changed["keys"] = {"folder": text("nowhere")}
    assert ask(shown, "look", draft=changed).json()["warnings"] == []


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        ({"rule": "Off", "keys": {"output": text("{oops}")}}, "output"),
        ({"rule": "Off", "keys": {"name": text("Read PDFs")}}, "name"),
        ({"rule": "Off", "keys": {"retries": text("many", "number")}}, "retries"),
        ({"rule": "Off", "keys": {"settle": text("{ a = 1 }", "toml")}}, "settle"),
        ({"rule": "Off", "steps": [{"operation": "pdf-to-word"}]}, "0/operation"),
        ({"rule": "Off", "steps": [{"of": 0, "operation": "pdf-to-markdown", "parameters": {"pageRanges": text("x")}}]},
         "0/pageRanges"),
        ({"keys": {"name": text("New")}, "steps": []}, ""),
    ],
)  # fmt: skip
def test_a_mistake_is_told_at_its_field_and_nothing_is_written(shown: Shown, draft: Any, field: str) -> None:
    shown.enter()
    for verb in ("look", "save"):
        problems = ask(shown, verb, draft=draft).json()["problems"]
        assert field in [one["field"] for one in problems]
        assert all(one["message"] for one in problems)
    assert file_of(shown).read_text("utf-8") == RULES


def test_what_changed_meanwhile_or_is_broken_is_never_written_over(shown: Shown) -> None:
    shown.enter()
    digest = shelf(shown)["digest"]
    for theirs in (RULES + "# theirs\n", RULES + "[[rule]\n"):
        file_of(shown).write_text(theirs, "utf-8")
        for seen in (digest, shelf(shown).get("digest", "")):
            if seen == digest or theirs.endswith("]\n"):
                assert ask(shown, "save", digest=seen, draft=SCANS).status_code == 409
                assert ask(shown, "off", digest=seen, name="Read PDFs").status_code == 409
        assert file_of(shown).read_text("utf-8") == theirs
    assert "rules.toml:" in shelf(shown)["mistakes"][0]


@pytest.mark.parametrize("body", ["", "[]", "{", "3", '{"digest": 3}', '{"digest": "", "draft": {"steps": [3]}}'])
def test_what_is_no_draft_is_refused(shown: Shown, body: str) -> None:
    shown.enter()
    assert shown.client.post("/api/workshop/save", content=body).status_code == 400
    assert shown.client.post("/api/workshop/other", content='{"digest": ""}').status_code == 404
    for wrong in ({"keys": {"nokey": text("1")}}, {"keys": {"operation": text("1")}}, {"rule": "None", "keys": {}}):
        assert ask(shown, "save", draft=wrong).status_code == 409
    assert shown.client.post("/api/workshop/save", content=b" " * 300_000).status_code == 413


def test_what_lets_in_is_not_shown_and_stays(shown: Shown) -> None:
    shown.enter()
    parameters = f'parameters = {{ htmlUrl = "https://me:s3cret-pw@x.example/a", callbackUrl = "{HIDDEN}" }}'
    raw = tomllib.loads(f'[[rule]]\nname = "H"\nfolder = "h"\noperation = "html-to-pdf"\n{parameters}\n')["rule"][0]
    told = json.dumps(values_of(raw))
    assert "s3cret-pw" not in told
    assert "T0K3N" not in told
    assert values_of(raw)["steps"][0]["parameters"]["htmlUrl"] == {"hidden": True}
    commented = RULES.replace('"in"', '"in"  # password: s3cret-pw')
    file_of(shown).write_text(commented, "utf-8")
    answer = shown.client.get("/api/workshop")
    assert "s3cret-pw" not in answer.text
    assert ask(shown, "off", name="Read PDFs").status_code == 200
    assert "# password: s3cret-pw" in file_of(shown).read_text("utf-8")


def test_every_key_and_parameter_has_a_field() -> None:
    assert {*key_fields(), "operation", "parameters", "steps"} == set(RULE_KEYS)
    for operation in contract().all_operations:
        wanted = {one.name for one in operation.parameters if one.name not in ("file", "links")}
        assert set(parameter_fields(operation.id)) == wanted
    assert len(form(remote=True)["operations"]) == len(contract().all_operations)
    here, elsewhere = (
        {step["operation"] for one in form(remote=remote)["recipes"] for step in one["steps"]}
        for remote in (False, True)
    )
    assert here - elsewhere == {"documents-to-table", "scan"}, "no other service is asked for what only we do"


def test_what_a_rule_can_begin_with_has_a_folder_that_no_rule_has() -> None:
    folders = [one["values"]["folder"]["text"] for one in form(remote=False)["recipes"]]
    taken = [Path(folder).expanduser() for folder in folders]
    free = [one["values"]["folder"]["text"] for one in form(remote=False, taken=taken)["recipes"]]
    assert [folder.removesuffix(" (2)") for folder in free] == folders
    assert not set(free) & set(folders)


def test_the_form_speaks_the_language_of_the_page() -> None:
    def told() -> tuple[str, str, str, str, Any]:
        found = form(remote=True)
        folder = next(one for one in found["keys"] if one["name"] == "folder")
        rotate = next(one for one in found["operations"] if one["id"] == "pdf-rotate")
        password = next(one for one in rotate["parameters"] if one["name"] == "password")
        payslips = next(one for one in found["recipes"] if "4711" in one["about"])
        return folder["meaning"], rotate["title"], password["meaning"], payslips["title"], payslips["values"]["name"]

    with speaking("de"):
        folder, rotate, password, payslips, rule = told()
    assert folder.startswith("Der überwachte Ordner.")
    assert rotate == "Seiten drehen"
    assert password.endswith(": env:NAME, keyring:SERVICE/USER oder file:PATH")
    assert payslips.startswith("Gehaltsabrechnungen, ")
    assert rule["text"] == "Gehaltsabrechnungen"
    assert told()[:2] == ("The hot folder. `~` is the home folder; relative to the rule file.", "rotate pages")


def test_the_list_speaks_the_language_of_the_page(tmp_path: Path) -> None:
    steps = 'steps = [{ operation = "magic-color" }, { operation = "pdf-merge" }]'
    with speaking("de"):
        (rule,) = shelf_of(tmp_path / "rules.toml", f"version = 1\n[[rule]]\nname = 'A'\nfolder = 'in'\n{steps}\n")[
            "rules"
        ]
    assert rule["does"] == "Farben eines Dokumentbilds verbessern → PDFs in der angegebenen Reihenfolge verbinden"


def _examples() -> list[dict[str, Any]]:
    known = [tomllib.loads(one.rule)["rule"][0] for one in RECIPES]
    known += tomllib.loads((ROOT / "rules.example.toml").read_text("utf-8"))["rule"]
    return [
        *known,
        {"name": "x", "folder": "y", **{key: value_of(one["example"]) for key, one in key_fields().items()}},
    ]


@pytest.mark.parametrize("rule", _examples(), ids=lambda rule: rule["name"])
def test_what_a_field_shows_is_what_it_writes(rule: dict[str, Any]) -> None:
    found = values_of(rule)
    keys = {name: {**its, "text": whole(its["text"])} for name, its in found["values"].items()}
    steps = [{**step, "of": number} for number, step in enumerate(found["steps"])]
    new = tomllib.loads(with_draft("version = 1\n", Draft.model_validate({"keys": keys, "steps": steps})))["rule"][0]
    assert values_of(new) == found
    assert {key: new[key] for key in keys} == {
        key: {"on": True, "off": False}.get(str(rule[key]), rule[key]) for key in keys
    }


WORDS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(key_fields())), VALUES)
@example("between", "")
@example("match", " a.pdf")
def test_any_value_can_be_shown_and_is_meant_again(name: str, value: Any) -> None:
    filled = values_of({name: value})["values"][name]
    if "hidden" in filled:
        assert not is_told(value, name)
        return
    again = value_from(filled["kind"], whole(filled["text"]), key_fields()[name]["options"])
    assert again == (value in (True, "on", "yes") if filled["kind"] == "switch" else value)


# ---------- samples ----------


def put(shown: Shown, name: str = "b.pdf", content: bytes = b"%PDF-1.7 and no more") -> str:
    return str(shown.client.put(f"/api/workshop/sample/{name}", content=content).json()["sample"])


def left(shown: Shown) -> list[str]:
    """What lies where samples are held."""
    return [path.name for path in shown.state.samples.rglob("*")]


def test_a_sample_is_tried_apart_and_gone_afterwards(shown: Shown) -> None:
    shown.enter()
    sample = put(shown)
    assert (shown.state.samples.stat().st_mode & 0o077) == 0
    answer = ask(shown, "try", draft={"rule": "Read PDFs"}, sample=sample).json()
    assert (answer["problems"], answer["trial"]["taken"]) == ([], True)
    assert answer["trial"]["path"] == str(shown.hot.parent / "in.out" / "b.md")
    assert answer["trial"]["problem"].startswith("The service is not running.")  # the daemon was made, not started
    assert left(shown) == []
    assert list(shown.hot.iterdir()) == []
    assert ask(shown, "try", draft={"rule": "Read PDFs"}, sample=sample).status_code == 409


@pytest.mark.parametrize(
    ("draft", "taker"),
    [
        ({"rule": "Read PDFs", "keys": {"match": text("z*", "lines")}}, ""),
        ({"rule": "Off"}, ""),
        ({"keys": {"name": text("New"), "folder": text("in")},
          "steps": [{"operation": "pdf-to-markdown"}]}, "Read PDFs"),
    ],
)  # fmt: skip
def test_it_is_told_why_a_rule_does_not_take_a_sample(shown: Shown, draft: Any, taker: str) -> None:
    shown.enter()
    trial = ask(shown, "try", draft=draft, sample=put(shown)).json()["trial"]
    assert (trial["taken"], trial["taker"], trial["results"]) == (False, taker, [])
    assert bool(taker) == all(one["holds"] for one in trial["why"])
    assert left(shown) == []


def test_a_remote_service_is_not_asked_about_a_sample(shown: Shown) -> None:
    remote = '[service]\nbase_url = "http://127.0.0.1:9"\napi_key = "env:HOME"\n'
    file_of(shown).write_text(RULES + remote, "utf-8")
    shown.enter()
    trial = ask(shown, "try", draft={"rule": "Read PDFs"}, sample=put(shown)).json()["trial"]
    assert (trial["taken"], trial["remote"], trial["problem"]) == (True, "http://127.0.0.1:9", "")
    assert trial["results"] == []


def test_samples_have_a_size_a_name_and_an_end(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown.client.put("/api/workshop/sample/b.pdf", content=b"x").status_code == 401
    shown.enter()
    first, second = put(shown), put(shown, "..%2F..%2Fc.pdf")
    assert sorted(left(shown)) == sorted([second, "c.pdf"])
    assert ask(shown, "try", draft={"rule": "Read PDFs"}, sample=first).status_code == 409
    monkeypatch.setattr(calls, "MOST_BYTES", 8)
    answer = shown.client.put("/api/workshop/sample/b.pdf", content=b"123456789")
    assert (answer.status_code, "larger" in answer.json()["reason"]) == (409, True)
    assert left(shown) == [], "nothing of it stays"
    assert shown.client.put("/api/workshop/sample/b.pdf.crdownload", content=b"1").status_code == 409


def test_a_wrong_draft_is_told_before_anything_is_tried(shown: Shown) -> None:
    shown.enter()
    answer = ask(shown, "try", draft={"rule": "Off", "keys": {"output": text("{oops}")}}, sample=put(shown)).json()
    assert [one["field"] for one in answer["problems"]] == ["output"]
    assert "trial" not in answer


class Engine:
    """Gives back two files for each call, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Call] = []

    def call(self, call: Call) -> Call:
        self.asked.append(call)
        return call

    def download(self, call: Call, operation: str, folder: Path) -> list[Path]:
        made = [folder / f"{number}.pdf" for number in "12"]
        for path in made:
            path.write_bytes(b"%PDF-1.7")
        return made


def test_each_step_works_on_what_the_one_before_gave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW_OF_TRIAL", "correct horse")
    (tmp_path / "rules.toml").write_text(
        'version = 1\n[[rule]]\nname = "A"\nfolder = "in"\nsteps = [\n{ operation = "magic-color" },\n'
        '{ operation = "pdf-to-editable" }, { operation = "pdf-merge" },\n'
        '{ operation = "pdf-encrypt", parameters = { userPassword = "env:PW_OF_TRIAL" } }]\n',
        "utf-8",
    )
    rules, engine = load(tmp_path / "rules.toml"), Engine()
    for name in ("samples", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / "samples/a.pdf").write_bytes(b"%PDF-1.7")
    sample, results = tmp_path / "samples/a.pdf", tmp_path / "results"
    told = tried(SampleCalls(rules, rules.rules[0], sample, results, lambda name: cast(Any, engine)))
    assert (told["problem"], len(told["results"])) == ("", 4)
    assert engine.asked.pop(0).operation == "document-extract"  # what it gave is no answer of that, and none is needed
    done = [(call.operation, len(call.files)) for call in engine.asked]
    expected = [("magic-color", 1), *[("pdf-to-editable", 1)] * 2, ("pdf-merge", 4), *[("pdf-encrypt", 1)] * 2]
    assert done == expected
    assert engine.asked[-1].parameters["userPassword"] == "correct horse"
    assert "correct horse" not in json.dumps(told)
