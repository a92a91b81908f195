"""Asking a service over HTTP: try, wait, try again, and say why when it does not work out.

Connection errors, timeouts, 408, 429 and 5xx are tried again, with exponential back-off and
jitter, and not before the server's Retry-After. Anything else is answered at once. An answer may
only be so long, and take only so long. A text that
cannot be scored becomes a `Missing` with the reason; only a refused key stops everything.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.protocol import Missing
from tiltmeter.systems.service.answers import Received, received
from tiltmeter.systems.service.connection import Service
from tiltmeter.systems.service.deadline import Deadline, within
from tiltmeter.systems.service.redaction import Secrets, shown_url

if TYPE_CHECKING:
    from tenacity import RetryCallState, Retrying

LONGEST_WAIT = 60.0
LONGEST_RETRY_AFTER = 120.0
PATIENCE = 4
"""How many timeouts a whole answer may take, trickle as it may."""
CLOSED = "not asked: the service was closed"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered: the JSON value, and its text as a message may show it."""

    value: object
    shown: str
    secrets: Secrets


class _Failure(Exception):  # noqa: N818 - caught in this module, never raised to others
    """A try that failed for good."""

    again = False

    def __init__(self, what: str, *, silent: bool = False) -> None:
        super().__init__(what)
        self.silent = silent


class _PassingFailure(_Failure):
    """A try that failed and may work later."""

    again = True


def fetch(
    service: Service,
    method: str,
    body: object = None,
    query: Sequence[tuple[str, str]] = (),
) -> Reply | Missing:
    """Send one request, as often as it takes, and give the JSON it is answered with."""
    if not service.gate.lets_through():
        return Missing(service.gate.reason, unreachable=True)
    try:
        answer = _retrying(service)(_send, service, method, body, query)
    except _Failure as failure:
        what = str(failure)
        if failure.again:
            service.gate.failed(what, silent=failure.silent)
        return Missing(what, unreachable=failure.again)
    service.gate.succeeded()
    return _decoded(service, answer)


def _retrying(service: Service) -> Retrying:
    from tenacity import Retrying, retry_if_exception, sleep_using_event

    def stop(state: RetryCallState) -> bool:
        over = state.attempt_number > service.limits.retries
        return over or service.gate.shut or service.closing.is_set()

    return Retrying(
        retry=retry_if_exception(lambda error: getattr(error, "again", False)),
        stop=stop,
        wait=_wait(service.limits.backoff),
        sleep=sleep_using_event(service.closing),
        retry_error_callback=_after_all_tries,
    )


def _wait(backoff: float) -> Callable[[RetryCallState], float]:
    """Seconds to the next try, doubled each time, and jitter; the gate keeps a server's pause."""

    def wait(state: RetryCallState) -> float:
        doubled = backoff * 2.0 ** (state.attempt_number - 1)
        jitter = random.uniform(0, backoff)  # noqa: S311 - spreads requests, hides nothing
        return min(doubled, LONGEST_WAIT) + jitter

    return wait


def _after_all_tries(state: RetryCallState) -> Any:  # noqa: ANN401 - it only raises
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, _PassingFailure):
        raise error or RuntimeError("tenacity gave up without an outcome")
    what, colon, rest = str(error).partition(":")
    count = state.attempt_number
    tries = f"{what} after {count} {'try' if count == 1 else 'tries'}{colon}{rest}"
    raise _PassingFailure(tries, silent=error.silent) from error


def _send(
    service: Service, method: str, body: object, query: Sequence[tuple[str, str]]
) -> Received:
    """One try."""
    service.closing.wait(service.gate.seconds_held)
    if service.closing.is_set():
        raise _Failure(CLOSED)
    address, pairs = _address(service.url, query)
    with within(PATIENCE * service.limits.timeout) as deadline, _told(service, deadline):
        asked = service.client.stream(
            method, address, params=pairs or None, json=body, follow_redirects=False
        )
        with asked as response:
            answer = received(response)
    _check_status(service, answer)
    if answer.unread:
        raise _Failure(answer.unread)
    return answer


@contextmanager
def _told(service: Service, deadline: Deadline) -> Iterator[None]:
    """What the connection does instead of answering, as a failure that says so."""
    import httpx2

    try:
        yield
    except httpx2.TimeoutException as error:
        limit = service.limits.timeout
        whole = f"no whole answer within {PATIENCE * limit:g} s: it came too slowly"
        said = f"no answer within {limit:g} s: {type(error).__name__}"
        raise _PassingFailure(whole if deadline.passed else said, silent=True) from None
    except httpx2.LocalProtocolError:
        what = "cannot be asked: a header holds characters that HTTP does not allow"
        raise SystemFailure(service.name, what) from None
    except httpx2.TransportError as error:
        said = service.secrets.excerpt(str(error)) or type(error).__name__
        raise _PassingFailure(f"no connection: {said}", silent=True) from None
    except (UnicodeError, httpx2.InvalidURL) as error:
        raise _Failure(f"the text cannot be sent: {type(error).__name__}") from None
    except RuntimeError:
        if service.closing.is_set():
            raise _Failure(CLOSED) from None
        raise


def _address(url: str, query: Sequence[tuple[str, str]]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The address without credentials or query, and all query pairs together."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    return urlunsplit((parts.scheme, host, parts.path, "", "")), (*pairs, *query)


def _check_status(service: Service, answer: Received) -> None:
    code = answer.code
    if 200 <= code < 300:
        return
    said = service.secrets.excerpt(answer.text)
    what = f"HTTP {code}: {said}" if said else f"HTTP {code}"
    if code in (401, 403):
        advice = "check the key or header it needs, and that it is allowed to ask"
        raise SystemFailure(service.name, f"refused the request; {advice} ({what})")
    if 300 <= code < 400:
        place = service.secrets.hide(shown_url(answer.headers.get("Location", "")))
        raise _Failure(f"HTTP {code}: the server redirects to {place}; give that address instead")
    if code in (408, 429) or code >= 500:
        after = retry_after(answer.headers.get("Retry-After"), datetime.now(UTC))
        if after is not None:
            service.gate.hold(after)
        raise _PassingFailure(what)
    raise _Failure(what)


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds to wait by a Retry-After header: a number or a date; at most two minutes.

    >>> retry_after("3600", datetime.now(UTC))
    120.0
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except (ValueError, OverflowError):
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds()
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER) if seconds == seconds else None


def _decoded(service: Service, answer: Received) -> Reply | Missing:
    shown = service.secrets.excerpt(answer.text)
    try:
        return Reply(json.loads(answer.content), shown, service.secrets)
    except (ValueError, RecursionError):
        return Missing(f"the answer is not JSON: {shown or 'it is empty'}")
