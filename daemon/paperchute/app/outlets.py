"""The ways in which people are told elsewhere: an e-mail, a message of ntfy, a webhook. Each call sends one message."""

from __future__ import annotations

import queue
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from functools import partial
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx

from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.redaction import bounded, in_use, masked
from paperchute.rules.notify import NotifyKeys, address_problem
from paperchute.rules.secrets import is_reference, resolve

ANSWER_SECONDS = 20.0
"""That a server gets for each of its answers."""
WHOLE_SECONDS = 120.0
"""That it gets for a message."""
MOST_REPLY = 64 * 1024
"""Bytes that a mail server may say in all: it has some lines to say, and one that never ends fills the memory."""
_MOST_TEXT = 1800
"""Characters: what Discord takes of a message is 2000."""
_MOST_WHY = 200

Result = TypeVar("Result")
HangUp = Callable[[], object]
"""Ends a connection, from whatever thread."""
Hold = Callable[[HangUp], object]
"""Takes down how a connection is ended that takes too long."""


@dataclass(frozen=True)
class Message:
    """What people are told. Both texts are plain and without secrets; the title is one line."""

    title: str
    text: str
    id: str = ""
    """The same each time it is tried again, so that who has got it already can know; empty for one that is not."""
    to: tuple[str, ...] = ()
    """Those of `mail_to` that have not got it yet; empty = all."""

    def masked(self) -> Message:
        """Without any secret that is in use by now."""
        return replace(self, title=masked(self.title), text=masked(self.text))


class OutletError(PaperchuteError):
    """A message could not be sent. Its text names no address of a hook and no secret."""


class PartlySentError(OutletError):
    """Some have got the message."""

    def __init__(self, what: str, do: str, left: tuple[str, ...]) -> None:
        """left: who has not."""
        super().__init__(what, do)
        self.left = left


class Refused(Exception):
    """Why a server does not take what it is given, or what it answers is not taken, in words for people."""


def send(outlet: str, settings: NotifyKeys, message: Message) -> None:
    """Send it by "mail", "ntfy" or "webhook". Raises OutletError, and SecretError."""
    for reference in settings.references():
        resolve(reference)  # from now on it is masked
    again = _("It will be tried again.")
    try:
        left = within(WHOLE_SECONDS, partial(_WAYS[outlet], settings, message.masked()))
    except (smtplib.SMTPException, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, Refused) as error:
        reason = bounded(why(error), _MOST_WHY)
        what = _("A message could not be sent by {outlet} ({reason}).", outlet=outlet, reason=reason)
        raise OutletError(what, again) from None
    if left:
        what = _(
            "The mail server does not accept {addresses}; the others have received the message.",
            addresses=", ".join(left),
        )
        raise PartlySentError(what, again, left)


def within(seconds: float, work: Callable[[Hold], Result]) -> Result:
    """Do it, or hang up: a server that says a letter a second is in time with each and never comes to its end.

    Who is not heard any more must not go on either, or the message went out once more when it is tried again.
    Raises what the work raises, and TimeoutError.
    """
    ended: queue.SimpleQueue[Result | Exception] = queue.SimpleQueue()
    connections: list[HangUp] = []
    is_over = threading.Event()

    def hang_up() -> None:
        for each in connections:
            with suppress(OSError, RuntimeError):
                each()

    def hold(connection: HangUp) -> None:
        connections.append(connection)
        if is_over.is_set():  # it came about too late: the name's server was slow, or this machine
            hang_up()

    def run() -> None:
        try:
            ended.put(work(hold))
        except Exception as error:  # noqa: BLE001 -- raised by whoever waits
            ended.put(error)

    threading.Thread(target=run, name="message", daemon=True).start()
    try:
        end = ended.get(timeout=seconds)
    except queue.Empty:
        is_over.set()
        hang_up()
        raise TimeoutError from None
    if isinstance(end, Exception):
        raise end
    return end


def why(error: BaseException) -> str:
    """Say what went wrong, in words for people. Of what a server has said only the number: the rest is its own."""
    for one in _causes(error):
        match one:
            case Refused():
                return str(one)
            case smtplib.SMTPAuthenticationError():
                return _("the user name or the password was rejected")
            case smtplib.SMTPNotSupportedError():
                return _("the server does not offer the encryption or the log-in that was asked for")
            case smtplib.SMTPRecipientsRefused():
                return _("the mail server does not accept {addresses}", addresses=", ".join(one.recipients))
            case smtplib.SMTPSenderRefused():
                return _("the mail server does not accept mail from {address}", address=one.sender)
            case smtplib.SMTPResponseException():
                return _("the server answered {status}", status=one.smtp_code)
            case ssl.SSLCertVerificationError():
                return _("the server's certificate is not trusted")
            case ssl.SSLError():
                return _("no encrypted connection could be made")
            case socket.gaierror():
                return _("there is no server of this name, or no network connection")
            case TimeoutError() | httpx.TimeoutException():
                return _("the server does not answer")
            case ConnectionRefusedError():
                return _("no server is listening there")
            case ConnectionError() | smtplib.SMTPServerDisconnected() | httpx.RemoteProtocolError():
                return _("the server closed the connection")
    return type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error after those behind it: the first cause says most."""
    behind = error.__cause__ or error.__context__
    if behind is not None:
        yield from _causes(behind)
    yield error


class _Short:
    """What a mail server says, up to its most."""

    def __init__(self, said: IO[bytes]) -> None:
        self._said = said
        self._left = MOST_REPLY

    def readline(self, most: int) -> bytes:
        line = self._said.readline(most)
        self._left -= len(line)
        return line if self._left >= 0 else b""  # as if it had hung up

    def close(self) -> None:
        self._said.close()


class _Post(smtplib.SMTP):
    """Hears no more than it needs, and can be hung up on at any time, even before it is encrypted."""

    file: Any

    def __init__(self, host: str, port: int, hold: Hold) -> None:
        self._hold = hold
        super().__init__(host, port, timeout=ANSWER_SECONDS)

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = _Short(self.sock.makefile("rb"))
        return super().getreply()

    def close(self) -> None:
        super().close()
        if hasattr(self, "_line"):
            self._line.close()

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]
        self._line = connection.dup()  # encryption takes the first one over
        self._hold(partial(self._line.shutdown, socket.SHUT_RDWR))
        return connection


class _PostOverTls(smtplib.SMTP_SSL, _Post):
    def __init__(self, host: str, port: int, hold: Hold, trust: ssl.SSLContext) -> None:
        self._hold = hold
        smtplib.SMTP_SSL.__init__(self, host, port, timeout=ANSWER_SECONDS, context=trust)


def _mail(settings: NotifyKeys, message: Message, hold: Hold) -> tuple[str, ...]:
    assert settings.smtp_host is not None, "see notify_problems"
    assert settings.mail_from is not None, "see notify_problems"
    letter = EmailMessage()
    letter["Subject"] = message.title
    letter["From"] = settings.mail_from
    letter["To"] = ", ".join(settings.mail_to or ())
    letter["Date"] = formatdate(localtime=True)
    domain = settings.mail_from.rpartition("@")[2]
    letter["Message-ID"] = f"<{message.id}@{domain}>" if message.id else make_msgid(domain=domain)
    letter["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office note comes back
    letter.set_content(message.text)
    trust = ssl.create_default_context()
    host = settings.smtp_host
    server: smtplib.SMTP
    if settings.smtp_security == "tls":
        server = _PostOverTls(host, settings.smtp_port or 465, hold, trust)
    else:
        server = _Post(host, settings.smtp_port or 587, hold)
    try:
        if settings.smtp_security == "starttls":
            server.starttls(context=trust)  # raises where the server does not know it
        if settings.smtp_user is not None and settings.smtp_password is not None:
            server.login(settings.smtp_user, resolve(settings.smtp_password))
        refused = server.send_message(letter, to_addrs=message.to or None)
        with suppress(smtplib.SMTPException, OSError):  # the letter is taken, whatever comes now: nobody waits for it
            server.putcmd("quit")
    finally:
        server.close()
    return tuple(refused)


def _ntfy(settings: NotifyKeys, message: Message, hold: Hold) -> tuple[str, ...]:
    """As JSON to the server's own address: its headers take ASCII only."""
    parts = urlsplit(_address(settings.ntfy_url))
    base, _slash, topic = parts.path.rstrip("/").rpartition("/")
    content = {"topic": topic, "title": message.title, "message": message.text[:_MOST_TEXT]}
    return _post(urlunsplit((parts.scheme, parts.netloc, f"{base}/", "", "")), content, settings.ntfy_token, hold)


def _webhook(settings: NotifyKeys, message: Message, hold: Hold) -> tuple[str, ...]:
    text = message.text[:_MOST_TEXT]
    content = {"title": message.title, "text": text, "content": f"{message.title}\n{text}"[:_MOST_TEXT]}
    return _post(_address(settings.webhook_url), content, settings.webhook_token, hold, message.id)


def _post(address: str, content: dict[str, str], token: str | None, hold: Hold, id_: str = "") -> tuple[str, ...]:
    """Redirects are not followed: what is told goes where the rule file says. The answer is not read."""
    headers = {"Authorization": f"Bearer {resolve(token)}"} if token else {}
    headers |= {"Idempotency-Key": id_} if id_ else {}
    with httpx.Client(timeout=ANSWER_SECONDS) as client:
        hold(client.close)
        with client.stream("POST", address, json=content, headers=headers) as answer:
            if not answer.is_success:
                raise Refused(_("the server answered {status}", status=answer.status_code))
    return ()


def _address(given: str | None) -> str:
    assert given is not None, "only outlets that are set are asked"
    address = resolve(given) if is_reference(given) else given
    behind = urlsplit(address).path.strip("/")
    if behind:
        in_use(behind, lasting=True)  # who knows it can write there
    if wrong := address_problem(address):
        raise Refused(wrong)
    return address


_WAYS: Mapping[str, Callable[[NotifyKeys, Message, Hold], tuple[str, ...]]] = {
    "mail": _mail,
    "ntfy": _ntfy,
    "webhook": _webhook,
}
"""Each returns who has not got the message where others have."""
