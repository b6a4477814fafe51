"""Two accounts in one rule file, as people meet them: check, run, status, jobs, explain, do."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.service.script import Reply, envelope, scripted

RULES = """version = 1
[services.acme]
base_url = "{acme}"
api_key = "env:ACME_TEST_KEY"
mode = "sync"

[services.beta]
base_url = "{beta}"
api_key = "env:PAPERCHUTE_TEST_KEY"
mode = "sync"
monthly_calls = 20

[[rule]]
name = "Read"
folder = "hot"
operation = "pdf-to-markdown"
service = "acme"
or = "beta"

[[rule]]
name = "Strictly"
folder = "strict"
operation = "pdf-to-markdown"
service = "acme"

[[rule]]
name = "Beta"
folder = "beta"
operation = "pdf-to-markdown"
service = "beta"
"""


@pytest.mark.slow
def test_two_accounts_side_by_side(tmp_path: Path) -> None:
    with ExitStack() as stack:
        acme, beta = stack.enter_context(scripted()), stack.enter_context(counting_service())
        acme.answer = lambda asked: Reply(b'{"code": "402", "msg": "no units"}', 402)
        paperchute = Paperchute(tmp_path, RULES.format(acme=acme.url, beta=beta.url))
        paperchute.environment["ACME_TEST_KEY"] = "the-key-of-acme"
        checked = paperchute.run("check")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert "pdf-to-markdown (acme / beta)" in checked.stdout
        for name in ("hot", "strict", "beta"):
            (tmp_path / name).mkdir()
            (tmp_path / name / f"{name}.pdf").write_bytes(b"%%PDF-1.7 %s\n%%%%EOF\n" % name.encode())
        explained = paperchute.run("explain", str(tmp_path / "hot" / "hot.pdf")).stdout
        assert "done by: acme" in explained
        assert "or by: beta" in explained
        paperchute.start()
        try:
            wait_until(
                lambda: [names(tmp_path / f"{name}.out") for name in ("hot", "beta")] == [["hot.md"], ["beta.md"]]
            )
            wait_until(lambda: "1 job waits: acme:" in paperchute.run("status").stdout)
            status = paperchute.json("status")
            states = {one["name"]: (one["state"], one["calls_this_month"]) for one in status["services"]}
            assert states["acme"][0] == "stopped"
            assert states["beta"] == ("closed", 2)
            assert any(sentence.startswith("acme: ") for sentence in status["troubles"])
            said = paperchute.run("status").stdout
            assert "Service beta: " in said
            assert "2 of this month's 20 calls are used." in said
            jobs = {one["rule"]: one for one in paperchute.json("jobs")}
            assert jobs["Read"]["state"] == "warned"
            assert jobs["Read"]["services"] == [{"step": 1, "service": "beta"}]
            assert "was done by beta" in jobs["Read"]["warnings"][0]
            assert jobs["Strictly"]["state"] == "waiting"
            assert jobs["Beta"]["state"] == "done"
            assert "step 1: beta" in paperchute.run("jobs").stdout
            acme.answer = lambda asked: Reply(b"# ok") if asked.path == "/result" else envelope([acme.record()])
            paperchute.run("resume")  # somebody has topped the account up
            wait_until(lambda: names(tmp_path / "strict.out") == ["strict.md"])
        finally:
            paperchute.stop()
        log = (tmp_path / "state" / "paperchute.log").read_text("utf-8")
        assert "the-key-of-acme" not in log
        assert "key-of-the-test" not in "".join(map(repr, acme.asked))
        assert beta.total() == 2
        done = paperchute.run("do", "--service", "beta", "pdf-to-markdown", str(tmp_path / "beta.done" / "beta.pdf"))
        assert done.returncode == 0, done.stdout + done.stderr
        assert beta.total() == 3
        unknown = paperchute.run("do", "--service", "bets", "pdf-to-markdown", str(tmp_path / "rules.toml"))
        assert unknown.returncode != 0
        assert "There is no service 'bets'" in unknown.stderr
