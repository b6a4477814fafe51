"""Letters over TLS, to a server whose certificate is of an authority of this house."""

from __future__ import annotations

import datetime
import ipaddress
import socketserver
import ssl
import threading
from collections.abc import Iterator
from email import message_from_string, policy
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from typer.testing import CliRunner

from paperchute.app.outlets import Message, OutletError, send
from paperchute.cli.front import app
from paperchute.rules.notify import NotifyKeys

MESSAGE = Message("Paperchute: 1 failed", "a.pdf: the password is missing")


class Post(socketserver.StreamRequestHandler):
    """As much of SMTP as a letter needs, with STARTTLS where the connection is not encrypted yet."""

    server: Server

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().rstrip():
            match line.split()[0].upper():
                case "EHLO":
                    self._say("250-here")
                    self._say("250 AUTH PLAIN" if isinstance(self.request, ssl.SSLSocket) else "250 STARTTLS")
                case "STARTTLS":
                    self._say("220 go on")
                    self.request = self.server.trust.wrap_socket(self.request, server_side=True)
                    self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", 0)
                case "AUTH":
                    self._say("235 fine")
                case "DATA":
                    self._say("354 go on")
                    self.server.letters.append(b"".join(iter(self.rfile.readline, b".\r\n")).decode())
                    self._say("250 taken")
                case _:
                    self._say("250 fine")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    """A mail server; `implicit`: TLS from the first byte."""

    daemon_threads = True

    def __init__(self, trust: ssl.SSLContext, *, implicit: bool) -> None:
        super().__init__(("127.0.0.1", 0), Post)
        self.trust, self.implicit = trust, implicit
        self.letters: list[str] = []

    def finish_request(self, request: Any, client_address: Any) -> None:
        """On the connection's own thread: a client that breaks off holds up nobody."""
        if self.implicit:
            request = self.trust.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not trust us breaks off."""


def _certificate(folder: Path) -> ssl.SSLContext:
    """A server's, signed by itself: `ca.pem` in the folder is what to trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "ca.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(folder / "ca.pem", folder / "key.pem")
    return trust


@pytest.fixture(name="post", params=["tls", "starttls"])
def _post(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Server, NotifyKeys]]:
    with Server(_certificate(tmp_path), implicit=request.param == "tls") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server, _keys(server, smtp_security=request.param)
        server.shutdown()


def _keys(server: Any, **more: Any) -> NotifyKeys:
    own = {"mail_to": ["a@b.example"], "mail_from": "me@here.example", "smtp_host": "127.0.0.1"}
    return NotifyKeys.model_validate({**own, "smtp_port": server.server_address[1], **more})


def test_a_letter_goes_to_a_server_that_is_trusted(
    post: tuple[Server, NotifyKeys], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, keys = post
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("POST_WORD", "0pen-sesame")
    given = {**keys.model_dump(exclude_none=True), "smtp_user": "me", "smtp_password": "env:POST_WORD"}
    send("mail", NotifyKeys.model_validate(given), MESSAGE)
    (text,) = server.letters
    letter = message_from_string(text, policy=policy.default)
    assert (letter["Subject"], letter["To"]) == (MESSAGE.title, "a@b.example")


def test_no_letter_goes_to_a_server_that_nobody_knows(
    post: tuple[Server, NotifyKeys], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, keys = post
    (tmp_path / "none.pem").write_text("", "utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(OutletError, match="certificate is not trusted"):
        send("mail", keys, MESSAGE)
    assert server.letters == []


def test_a_test_message_says_of_each_way_whether_it_was_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / "rules.toml"
    with Server(_certificate(tmp_path), implicit=True) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        port = server.server_address[1]
        mail = f'mail_to = "a@b.example"\nmail_from = "c@d.example"\nsmtp_host = "127.0.0.1"\nsmtp_port = {port}\n'
        rules.write_text(f"version = 1\n[notify]\n{mail}", "utf-8")
        answer = CliRunner().invoke(app, ["--rules", str(rules), "notify", "test"])
        assert (answer.exit_code, answer.output) == (0, "mail: sent.\n")
        rules.write_text(f'version = 1\n[notify]\n{mail}webhook_url = "http://127.0.0.1:1/s3cret"\n', "utf-8")
        answer = CliRunner().invoke(app, ["--rules", str(rules), "notify", "test"])
        assert answer.exit_code == 1
        assert "mail: sent." in answer.output
        assert "webhook: A message could not be sent" in answer.output
        assert "s3cret" not in answer.output
        server.shutdown()
    assert len(server.letters) == 2
