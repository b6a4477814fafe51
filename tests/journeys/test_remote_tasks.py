"""What a remote service has taken is paid for: whatever questions about it are answered, it is not handed in again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.daemon import names, wait_until
from tests.journeys.documents import write_pdf
from tests.journeys.tasks import RULES, HurriedPaperchute, task_service
from tests.service.script import Reply

_REFUSALS = {
    "key": Reply(b'{"code": "401", "msg": "who are you"}', 401),
    "units": Reply(b'{"code": "06001", "msg": "no units left"}', 402),
    "forbidden": Reply(b'{"code": "403", "msg": "not yours"}', 403),
    "key in a good answer": Reply(b'{"code": "401", "msg": "expired"}', 200),
    "unknown": Reply(b'{"code": "99999", "msg": "what is this"}', 400),
}


_CASES = [(refusal, "async", way) for refusal in list(_REFUSALS)[:3] for way in ("rule file", "restart", "kill")]
_CASES += [(refusal, "secure", "by itself") for refusal in _REFUSALS]


@pytest.mark.slow
@pytest.mark.parametrize(("refusal", "mode", "way"), _CASES)
def test_a_question_that_is_refused_costs_no_second_call(refusal: str, mode: str, way: str, tmp_path: Path) -> None:
    _one_task(refusal, mode, way, tmp_path)


@pytest.mark.parametrize("refusal", ["key", "forbidden"])
def test_nor_does_it_where_all_comes_right_by_itself(refusal: str, tmp_path: Path) -> None:
    _one_task(refusal, "async", "by itself", tmp_path)


def _one_task(refusal: str, mode: str, way: str, tmp_path: Path) -> None:
    with task_service() as service:
        service.refusal = _REFUSALS[refusal]
        paperchute = HurriedPaperchute(tmp_path, RULES.format(url=service.url, mode=mode, more=""))
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: service.asked["t1"] > 1 or paperchute.said()["service"]["state"] == "stopped")
            if way in ("restart", "kill"):
                paperchute.stop() if way == "restart" else paperchute.kill()
                paperchute.start()
                paperchute.until_it_runs()
            service.refusal = None
            if way == "rule file":
                part = tmp_path / "rules.part"
                part.write_text(paperchute.rules.read_text() + "# touched\n")
                part.replace(paperchute.rules)
            wait_until(lambda: names(tmp_path / "hot.done"))
            assert paperchute.said()["jobs"]["failed"] == 0
        finally:
            paperchute.close()
    assert service.taken == ["t1"]
    assert names(tmp_path / "hot.out") == ["offer.md"]
    assert names(tmp_path / "hot.done") == ["offer.pdf"]


@pytest.mark.parametrize("mode", ["sync", pytest.param("async", marks=pytest.mark.slow)])
def test_a_file_that_is_renamed_at_work_is_one_call(mode: str, tmp_path: Path) -> None:
    with task_service() as service:
        service.hangs.clear()
        paperchute = HurriedPaperchute(tmp_path, RULES.format(url=service.url, mode=mode, more=""))
        hot = tmp_path / "hot"
        write_pdf(hot / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: service.taken)
            (hot / "offer.pdf").rename(hot / "offer of May.pdf")
            paperchute.until_it_runs()
            wait_until(lambda: _renamed(paperchute))
            service.hangs.set()
            wait_until(lambda: names(tmp_path / "hot.done"))
        finally:
            paperchute.close()
    assert service.taken == ["t1"]
    assert service.closed == []
    assert names(tmp_path / "hot.out") == ["offer of May.md"]
    assert names(tmp_path / "hot.done") == ["offer of May.pdf"]


def _renamed(paperchute: HurriedPaperchute) -> bool:
    """Whether the daemon has taken the new name for the same job."""
    (job,) = paperchute.json("jobs")
    return bool(Path(job["path"]).name == "offer of May.pdf")


@pytest.mark.slow
def test_a_task_whose_file_is_removed_is_closed_once(tmp_path: Path) -> None:
    with task_service() as service:
        service.hangs.clear()
        paperchute = HurriedPaperchute(tmp_path, RULES.format(url=service.url, mode="secure", more=""))
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: service.started)  # before that there is nothing to end: its file has not come
            (tmp_path / "hot" / "offer.pdf").unlink()
            wait_until(lambda: [job["state"] for job in paperchute.json("jobs")] == ["cancelled"])
        finally:
            paperchute.close()
    assert set(service.closed) == {"t1"}
    assert service.taken == ["t1"]


def test_a_synchronous_call_of_a_removed_file_is_waited_for(tmp_path: Path) -> None:
    """It is paid for and cannot be ended: should the file come back by another name meanwhile, it has its answer."""
    with task_service() as service:
        service.hangs.clear()
        paperchute = HurriedPaperchute(tmp_path, RULES.format(url=service.url, mode="sync", more=""))
        hot, away = tmp_path / "hot", tmp_path / "away.pdf"
        write_pdf(hot / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: service.taken)
            (hot / "offer.pdf").rename(away)
            write_pdf(hot / "other.pdf", "Another")
            wait_until(lambda: len(service.taken) == 2)
            away.rename(hot / "back.pdf")
            wait_until(lambda: "back.pdf" in [Path(job["path"]).name for job in paperchute.json("jobs")])
            service.hangs.set()
            wait_until(lambda: len(names(tmp_path / "hot.done")) == 2)
        finally:
            paperchute.close()
    assert len(service.taken) == 2
    assert names(tmp_path / "hot.out") == ["back.md", "other.md"]
