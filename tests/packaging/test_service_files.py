"""What deploys the service names only what there is: flags, variables, ports, paths, metrics."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from paperchute.cli import front
from paperchute.engine.__main__ import _parser
from paperchute.engine.metrics import Load, Metrics
from tests.engine.test_metrics import samples

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "packaging" / "service"
UNITS = sorted((PLACE / "systemd").glob("*.service"))
SPARE_SECONDS = 10
"""To give back what was not ended, beside `--drain-seconds`."""
_SECRETS = ("API_KEY", "SECRETS_KEY", "PASSWORD", "SECRET_ACCESS_KEY")
_NOT_OURS = {"AWS_REGION", "AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP", "AWS_ACCESS_KEY_ID"}
"""Variables that obstore reads."""


def documents(name: str) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all((PLACE / name).read_text("utf-8")) if one]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [one for one in documents("kubernetes/paperchute.yaml") if one["kind"] == kind]


def compose() -> dict[str, Any]:
    return documents("compose.yaml")[0]["services"]


def unit(path: Path) -> dict[str, list[str]]:
    """All values of a unit's keys."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def commands() -> Iterator[tuple[str, list[str], float]]:
    """(where it stands, the arguments of `paperchute`, the seconds that it is given to end)."""
    for name in ("api", "worker"):
        yield f"compose {name}", compose()[name]["command"], float(compose()[name]["stop_grace_period"].rstrip("s"))
    for deployment in of_kind("Deployment"):
        pod = deployment["spec"]["template"]["spec"]
        yield deployment["metadata"]["name"], pod["containers"][0]["args"], pod["terminationGracePeriodSeconds"]
    for path in UNITS:
        found = unit(path)
        (started,) = found["ExecStart"]
        yield path.name, shlex.split(started.replace("%i", "1"))[1:], float(found["TimeoutStopSec"][0])


def understood(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the engine makes of a command of `paperchute`, which goes through the real command line."""
    handed: list[list[str]] = []

    def instead(_program: str, command: list[str]) -> None:
        handed.append(command)

    monkeypatch.setattr(os, "execv", instead)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PAPERCHUTE_API_KEY", "of the test")
    monkeypatch.setattr(sys, "argv", ["paperchute", *arguments])
    with pytest.raises(SystemExit) as ended:
        front.main()
    assert ended.value.code == 0
    return _parser().parse_args(handed[0][4:])


@pytest.mark.parametrize(("where", "arguments", "grace"), [*commands()], ids=lambda value: str(value)[:24])
def test_each_command_is_one_that_the_command_line_takes(
    where: str, arguments: list[str], grace: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAPERCHUTE_STATE", str(tmp_path))
    options = understood(arguments, monkeypatch)
    assert options.role in where
    assert not any(secret in " ".join(arguments).upper() for secret in _SECRETS)
    if options.role == "worker":
        assert options.metrics_port
        assert grace >= options.drain_seconds + SPARE_SECONDS
    else:
        assert options.port == 8000
        assert grace >= SPARE_SECONDS


def test_each_variable_is_one_that_somebody_reads_and_each_secret_comes_from_elsewhere() -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "daemon").rglob("*.py"))
    known = set(re.findall(r'"((?:PAPERCHUTE|AWS|PG)[A-Z_]+)"', text)) | _NOT_OURS
    given: dict[str, str] = {}
    for service in ("api", "worker"):
        given |= compose()[service]["environment"]
    for path in UNITS:
        given |= dict(line.split("=", 1) for line in unit(path)["Environment"])
    for deployment in of_kind("Deployment"):
        for entry in deployment["spec"]["template"]["spec"]["containers"][0]["env"]:
            reference = entry["valueFrom"]["secretKeyRef"]
            given[entry["name"]] = ""
            assert reference["name"] == "paperchute"
    (settings,) = of_kind("ConfigMap")
    for name, value in {**given, **settings["data"]}.items():
        assert name.removesuffix("_FILE") in known, name
        if name.endswith(_SECRETS):
            assert value == "", name
        assert not re.search(r"://[^/@]*:[^/@]*@", value), name
    handed = {name.removesuffix("_FILE") for name in given if name.removesuffix("_FILE").endswith(_SECRETS)}
    assert handed == {"PAPERCHUTE_API_KEY", "PAPERCHUTE_SECRETS_KEY", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY"}


def test_workers_of_a_service_have_no_api_key() -> None:
    assert "PAPERCHUTE_API_KEY_FILE" not in compose()["worker"]["environment"]
    (worker,) = [one for one in of_kind("Deployment") if one["metadata"]["name"].endswith("worker")]
    env = worker["spec"]["template"]["spec"]["containers"][0]["env"]
    assert "PAPERCHUTE_API_KEY" not in {entry["name"] for entry in env}


def test_probes_ports_labels_and_volumes_agree() -> None:
    for deployment in of_kind("Deployment"):
        labels = deployment["spec"]["selector"]["matchLabels"]
        assert deployment["spec"]["template"]["metadata"]["labels"] == labels
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        (port,) = container["ports"]
        assert str(port["containerPort"]) in container["args"]
        for probe, path in (("startupProbe", "/health"), ("livenessProbe", "/health"), ("readinessProbe", "/ready")):
            assert container[probe]["httpGet"] == {"path": path, "port": port["name"]}
        volumes = {volume["name"] for volume in deployment["spec"]["template"]["spec"]["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes
        assert container["securityContext"]["readOnlyRootFilesystem"]
        budgets = [one["spec"]["selector"]["matchLabels"] for one in of_kind("PodDisruptionBudget")]
        assert labels in budgets
    (service,) = of_kind("Service")
    assert service["spec"]["selector"] in [one["spec"]["selector"]["matchLabels"] for one in of_kind("Deployment")]
    (scaled,) = documents("kubernetes/scaling.yaml")
    assert scaled["spec"]["scaleTargetRef"]["name"] in [one["metadata"]["name"] for one in of_kind("Deployment")]


def test_compose_names_only_what_it_has() -> None:
    (whole,) = documents("compose.yaml")
    for name, service in whole["services"].items():
        assert set(service.get("secrets", ())) <= set(whole["secrets"]), name
        assert set(service.get("depends_on", ())) <= set(whole["services"]), name
        for value in service.get("environment", {}).values():
            if value.startswith("/run/secrets/"):
                assert value.removeprefix("/run/secrets/") in service["secrets"], name
    made = (PLACE / "make-secrets.sh").read_text("utf-8")
    assert all(Path(one["file"]).name in made for one in whole["secrets"].values())


def test_rules_and_scaling_ask_for_metrics_that_there_are() -> None:
    metrics = Metrics()
    idle = {"quick": 0, "heavy": 0}
    metrics.watch(lambda: Load(1, idle, idle, dict.fromkeys(idle, 0.0)))
    for tell in (metrics.fenced, metrics.retried):
        tell("pdf-merge")
    metrics.refused("500")
    metrics.ran("pdf-merge", "", 1.0)
    told = samples(metrics.text(Load(1, idle, idle, dict.fromkeys(idle, 0.0)), database=True))
    known = {name.partition("{")[0] for name in told}
    texts = [rule["expr"] for group in documents("prometheus/alerts.yaml")[0]["groups"] for rule in group["rules"]]
    texts.append(documents("kubernetes/scaling.yaml")[0]["spec"]["triggers"][0]["metadata"]["query"])
    asked = {name for text in texts for name in re.findall(r"\bpaperchute_[a-z_]+", text)}
    assert len(asked) >= 6
    assert asked <= known


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_takes_the_units(path: Path, tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    copy = tmp_path / path.name
    program_here = sys.executable.replace("%", "%%")
    text = path.read_text("utf-8").replace("/opt/paperchute/bin/paperchute", f'"{program_here}"')
    copy.write_text(text, "utf-8")
    done = subprocess.run([program, "verify", copy], capture_output=True, text=True, timeout=60)
    said = [line for line in done.stderr.splitlines() if path.stem.partition("@")[0] in line]
    assert said == []


def test_prometheus_takes_its_rules() -> None:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool (Debian: prometheus) is not installed")
    subprocess.run([program, "check", "rules", PLACE / "prometheus" / "alerts.yaml"], check=True, timeout=60)


def test_kubernetes_takes_its_objects() -> None:
    validation = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    for one in documents("kubernetes/paperchute.yaml"):
        validation.validate(one, validation.latest_version(), strict=True)


def test_the_image_runs_as_nobody_on_a_file_system_that_stays_as_it_is() -> None:
    lines = (PLACE / "Containerfile").read_text("utf-8").splitlines()
    assert "USER 10001" in lines
    (lock,) = re.findall(r"packaging/([\w-]+\.lock)", "\n".join(lines))
    assert (ROOT / "packaging" / lock).is_file()
    for name in ("api", "worker"):
        assert compose()[name]["read_only"]
        assert compose()[name]["cap_drop"] == ["ALL"]
