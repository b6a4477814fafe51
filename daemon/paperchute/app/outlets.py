"""The ways in which people are told elsewhere: an e-mail, a message of ntfy, a webhook. Each call sends one message."""

from __future__ import annotations

import queue
import smtplib
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import httpx

from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.redaction import in_use, masked
from paperchute.rules.notify import NotifyKeys, address_problem
from paperchute.rules.secrets import is_reference, resolve

ANSWER_SECONDS = 20.0
"""That a server gets for each of its answers."""
WHOLE_SECONDS = 120.0
"""That it gets for a message."""
_MOST_TEXT = 1800
"""Characters: what Discord takes of a message is 2000."""


@dataclass(frozen=True)
class Message:
    """What people are told. Both are plain text without secrets; the title is one line."""

    title: str
    text: str

    def masked(self) -> Message:
        """Without any secret that is in use by now."""
        return Message(masked(self.title), masked(self.text))


class OutletError(PaperchuteError):
    """A message could not be sent. Its text names no address and no secret."""


def send(outlet: str, settings: NotifyKeys, message: Message) -> None:
    """Send it by "mail", "ntfy" or "webhook". Raises OutletError, and SecretError."""
    for reference in settings.references():
        resolve(reference)  # from now on it is masked
    try:
        _within_time(partial(_WAYS[outlet], settings, message.masked()))
    except smtplib.SMTPResponseException as error:
        raise _failed(outlet, f"{type(error).__name__} {error.smtp_code}") from None
    except (smtplib.SMTPException, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise _failed(outlet, type(error).__name__) from None


def _within_time(work: Callable[[], None]) -> None:
    """Do it, or stop waiting: a server that says a letter a second is in time with each and never comes to its end.

    Raises what the work raises, and TimeoutError.
    """
    ended: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 -- raised by whoever waits
            ended.put(error)
        else:
            ended.put(None)

    threading.Thread(target=run, name="message", daemon=True).start()
    try:
        error = ended.get(timeout=WHOLE_SECONDS)
    except queue.Empty:
        raise TimeoutError from None
    if error is not None:
        raise error


def _failed(outlet: str, why: str) -> OutletError:
    return OutletError(
        _("A message could not be sent by {outlet} ({reason}).", outlet=outlet, reason=why),
        _("It is tried again."),
    )


def _mail(settings: NotifyKeys, message: Message) -> None:
    assert settings.smtp_host is not None, "see notify_problems"
    assert settings.mail_from is not None, "see notify_problems"
    letter = EmailMessage()
    letter["Subject"] = message.title
    letter["From"] = settings.mail_from
    letter["To"] = ", ".join(settings.mail_to or ())
    letter["Date"] = formatdate(localtime=True)
    letter["Message-ID"] = make_msgid(domain=settings.mail_from.rpartition("@")[2])
    letter["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office note comes back
    letter.set_content(message.text)
    implicit = settings.smtp_security == "tls"
    port = settings.smtp_port or (465 if implicit else 587)
    trust = ssl.create_default_context()
    server = (
        smtplib.SMTP_SSL(settings.smtp_host, port, timeout=ANSWER_SECONDS, context=trust)
        if implicit
        else smtplib.SMTP(settings.smtp_host, port, timeout=ANSWER_SECONDS)
    )
    try:
        if settings.smtp_security == "starttls":
            server.starttls(context=trust)  # raises where the server does not know it
        if settings.smtp_user is not None and settings.smtp_password is not None:
            server.login(settings.smtp_user, resolve(settings.smtp_password))
        server.send_message(letter)
        with suppress(smtplib.SMTPException, OSError):  # the letter is taken: it must not go out again
            server.quit()
    finally:
        server.close()


def _ntfy(settings: NotifyKeys, message: Message) -> None:
    """As JSON to the server's own address: its headers take ASCII only."""
    parts = urlsplit(_address(settings.ntfy_url))
    base, _slash, topic = parts.path.rstrip("/").rpartition("/")
    content = {"topic": topic, "title": message.title, "message": message.text[:_MOST_TEXT]}
    _post(urlunsplit((parts.scheme, parts.netloc, f"{base}/", "", "")), content, settings.ntfy_token)


def _webhook(settings: NotifyKeys, message: Message) -> None:
    text = message.text[:_MOST_TEXT]
    content = {"title": message.title, "text": text, "content": f"{message.title}\n{text}"[:_MOST_TEXT]}
    _post(_address(settings.webhook_url), content, settings.webhook_token)


def _post(address: str, content: dict[str, str], token: str | None) -> None:
    """Redirects are not followed: what is told goes where the rule file says. The answer is not read."""
    headers = {"Authorization": f"Bearer {resolve(token)}"} if token else {}
    with httpx.stream("POST", address, json=content, headers=headers, timeout=ANSWER_SECONDS) as answer:
        if not answer.is_success:
            raise OutletError(
                _("A message was not taken (HTTP {status}).", status=answer.status_code), _("It is tried again.")
            )


def _address(given: str | None) -> str:
    assert given is not None, "only outlets that are set are asked"
    address = resolve(given) if is_reference(given) else given
    behind = urlsplit(address).path.strip("/")
    if behind:
        in_use(behind, lasting=True)  # who knows it can write there
    if wrong := address_problem(address):
        raise OutletError(wrong, _("Correct it where the rule file says it is."))
    return address


_WAYS: Mapping[str, Callable[[NotifyKeys, Message], None]] = {"mail": _mail, "ntfy": _ntfy, "webhook": _webhook}
