"""Starting and ending: one line when ready, one engine per folder, and no process left behind, however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from tests.engine.service.running import KEY, PATIENCE, PLAIN, ROOT, RunningEngine, record_of, until


def _run(*arguments: str, key: str = KEY) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "paperchute.engine", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "daemon"), "ENGINE_KEY": key},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
    )


def _gone(*pids: int) -> bool:
    return not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids)


def _workers(engine: RunningEngine) -> list[int]:
    until(lambda: bool(psutil.Process(engine.pid).children()))
    return [child.pid for child in psutil.Process(engine.pid).children(recursive=True)]


def _busy(engine: RunningEngine, tmp_path: Path) -> list[int]:
    """Pids of the engine's workers, one of which is in the middle of a task that nobody waits for."""
    marker = tmp_path / "marker"
    with engine.left_alone(f"do: hang {marker}"):
        until(marker.exists)
    return _workers(engine)


def test_a_missing_key_is_said_in_one_line(tmp_path: Path) -> None:
    ended = _run("--state", str(tmp_path), "--api-key-env", "ENGINE_KEY", key="")
    assert ended.returncode == 2
    assert "the variable ENGINE_KEY holds no API key" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("flag", "value"), [("--role", "wroker"), ("--workers", "-1"), ("--task-seconds", "nan"), ("--queue", "0")]
)
def test_a_flag_s_value_that_cannot_work_is_refused(flag: str, value: str, tmp_path: Path) -> None:
    ended = _run("--state", str(tmp_path), "--api-key-env", "ENGINE_KEY", flag, value)
    assert ended.returncode == 2
    assert f"argument {flag}: " in ended.stderr
    assert value in ended.stderr


def test_a_second_engine_on_the_same_folder_says_why_it_cannot(tmp_path: Path) -> None:
    with RunningEngine(tmp_path):
        ended = _run("--state", str(tmp_path), "--api-key-env", "ENGINE_KEY")
    assert ended.returncode == 1
    assert ended.stderr.startswith("another engine is running on the state folder")
    assert "Traceback" not in ended.stderr


def test_the_engine_of_a_daemon_waits_for_that_of_a_killed_one_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "paperchute.engine", "--state", str(tmp_path), "--api-key-env", "ENGINE_KEY"]
    with RunningEngine(tmp_path, "--stop-with-stdin") as before:
        _busy(before, tmp_path)
        with subprocess.Popen(
            [*command, "--stop-with-stdin"],
            env={**os.environ, "PYTHONPATH": str(ROOT / "daemon"), "ENGINE_KEY": KEY},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as after:
            assert after.stdin is not None
            assert after.stdout is not None
            until(lambda: "engine.lock" in {Path(file.path).name for file in psutil.Process(after.pid).open_files()})
            assert before.process.stdin is not None
            before.process.stdin.close()
            assert json.loads(after.stdout.readline())["pid"] == after.pid
            assert before.process.wait(PATIENCE) == 0
            after.stdin.close()
            assert after.wait(PATIENCE) == 0


def test_a_taken_port_is_said_in_one_line(tmp_path: Path) -> None:
    with RunningEngine(tmp_path / "one") as engine:
        port = str(httpx.URL(engine.base_url).port)
        ended = _run("--state", str(tmp_path / "two"), "--api-key-env", "ENGINE_KEY", "--port", port)
    assert ended.returncode == 1
    assert ended.stderr.startswith("the engine cannot start:")
    assert "Traceback" not in ended.stderr


def test_it_says_whether_it_is_ready_and_what_it_has_done(engine: RunningEngine) -> None:
    assert PLAIN.get(engine.base_url + "/ready").json() == {"status": "ready"}
    assert PLAIN.get(engine.base_url + "/metrics").status_code == 401
    assert record_of(engine.html("x"))["status"] == "success"
    assert engine.post("html/pdf").json()["code"] != "200"
    answer = PLAIN.get(engine.base_url + "/metrics", headers={"Authorization": f"Bearer {KEY}"})
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    assert "paperchute_workers 2" in lines
    assert any(line.startswith('paperchute_runs_total{operation="html-to-pdf",code="200"} ') for line in lines)
    assert any(line.startswith("paperchute_refusals_total{") for line in lines)


def test_health_needs_no_key_and_no_prefix(engine: RunningEngine) -> None:
    for prefix in ("", "/server"):
        answer = PLAIN.get(engine.base_url.removesuffix("/server") + prefix + "/health")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_the_state_folder_is_for_its_owner_only(engine: RunningEngine) -> None:
    if sys.platform != "win32":
        assert engine.state.stat().st_mode & 0o077 == 0


def test_sigterm_ends_it_in_order_with_its_workers(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--stop-with-stdin") as engine:
        workers = _busy(engine, tmp_path)
        engine.process.send_signal(signal.SIGTERM)
        assert engine.process.wait(PATIENCE) == 0
        assert engine.last_words() == ""
        until(lambda: _gone(*workers))


def test_those_who_wait_are_told_when_it_stops(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--stop-with-stdin") as engine:
        marker = tmp_path / "marker"
        url = f"{engine.base_url}/v2/process/html/pdf"
        script = (
            "import httpx, sys\n"
            f"files = {{'file': ('a.html', '<html>do: hang {marker}')}}\n"
            f"answer = httpx.post({url!r}, files=files, headers={{'x-api-key': {KEY!r}}}, timeout={PATIENCE})\n"
            "print(answer.status_code, answer.headers['retry-after'], answer.json()['code'])"
        )
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as waiting:
            until(marker.exists)
            engine.process.send_signal(signal.SIGTERM)
            said, _ = waiting.communicate(timeout=PATIENCE)
    assert said.split() == ["503", "5", "01001"]


def test_it_ends_when_its_standard_input_closes(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--stop-with-stdin") as engine:
        workers = _busy(engine, tmp_path)
        assert engine.process.stdin is not None
        engine.process.stdin.close()
        assert engine.process.wait(PATIENCE) == 0
        until(lambda: _gone(*workers))


def test_a_killed_parent_leaves_no_process(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from tests.engine.service.running import RunningEngine\n"
        f"engine = RunningEngine(Path({str(tmp_path)!r}), '--stop-with-stdin')\n"
        "print(engine.pid, flush=True)\n"
        "time.sleep(600)"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "daemon")])
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    until(lambda: bool(psutil.Process(pid).children()))
    workers = [child.pid for child in psutil.Process(pid).children()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: _gone(pid, *workers))


def test_a_killed_engine_leaves_no_worker_not_even_a_busy_one(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        workers = _busy(engine, tmp_path)
        engine.process.kill()
        engine.process.wait()
        until(lambda: _gone(*workers))


def test_a_killed_engine_starts_again_on_its_folder(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        _busy(engine, tmp_path)
        engine.process.kill()
        engine.process.wait()
    with RunningEngine(tmp_path) as engine:
        assert record_of(engine.html("again"))["status"] == "success"
        assert len(list((tmp_path / "files").iterdir())) == 1  # nothing is left of the task that died
