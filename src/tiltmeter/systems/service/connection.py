"""Asking one address over HTTP: try, wait, try again, and say why when it does not work out.

Connection errors, timeouts, 408, 429 and 5xx are tried again, with exponential back-off and
jitter, and not before the server's Retry-After. Anything else is answered at once. A text that
cannot be scored becomes a `Missing` with the reason; only a refused key stops everything.

Nothing that a server says about its answer is believed: not its length, not its compression, not
its letters. An answer may only be so long, and the whole of it take only so long: a timeout of
httpx2 is that of one wait, and a server that sends a letter now and then never lets it pass. So
requests run in an event loop, where a deadline can cut off a whole exchange.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import math
import os
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from msgspec import Meta, structs

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.records import Record, RuleError
from tiltmeter.systems.protocol import Missing
from tiltmeter.systems.service.redaction import Secrets, credentials, shown_url

if TYPE_CHECKING:
    import httpx2

Result = TypeVar("Result")

# httpx2 is the maintained continuation of httpx: see docs/systems.md.
NEEDED = ("httpx2", "tenacity", "jmespath")
WHOLE_ANSWER = 4
"""How many timeouts a whole answer may take, trickle as it may."""
LONGEST_WAIT = 60.0
IMPATIENT_BACKOFF = 0.2
"""Seconds before a second try where somebody waits."""
LONGEST_RETRY_AFTER = 120.0
LARGEST = 8 * 2**20
"""Bytes of the longest answer that is read: scores of a hundred thousand texts."""
CLOSED = "not asked: the service was closed"
BAD_HEADER = "cannot be asked: a header holds characters that HTTP does not allow"


class Limits(Record, kw_only=True):
    """How hard to press a service; `[limits]` of a description."""

    concurrency: Annotated[int, Meta(ge=1, description="a whole number from 1")] = 4
    timeout: Annotated[float, Meta(gt=0, description="a number of seconds above 0")] = 30.0
    """Seconds without a word from the server."""
    retries: Annotated[int, Meta(ge=0, description="a whole number from 0")] = 4
    """Tries after the first one."""
    backoff: Annotated[float, Meta(ge=0, description="a number from 0")] = 1.0
    """Seconds before the second try; doubled before each further one."""
    price: Annotated[float, Meta(ge=0, description="a number from 0")] = 0.0
    """The cost of one request, in the user's currency."""

    def __post_init__(self) -> None:
        endless = [
            key for key in ("timeout", "backoff", "price") if not math.isfinite(getattr(self, key))
        ]
        if endless:
            raise RuleError({key: f"{key}: expected a finite number" for key in endless})

    def while_somebody_waits(self) -> Limits:
        """The same with one retry at most, and soon."""
        return structs.replace(
            self, retries=min(self.retries, 1), backoff=min(self.backoff, IMPATIENT_BACKOFF)
        )


@dataclass
class CircuitBreaker:
    """Whether the next request may go out: a server that is gone is not asked 8,000 times.

    Opened by failures in a row, closed by a success; a pause that the server asks for is kept.
    """

    rest: float = 30.0
    """Seconds after which a server given up is asked once more."""
    most_silent: int = 3
    most_refused: int = 20
    """Requests in a row that may fail, tries included, without a word and with an error."""
    reason: str = ""
    """Why the server was given up."""
    _failures: int = 0
    _opened_at: float | None = None
    _paused_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def is_open(self) -> bool:
        """True while the server is given up."""
        return self._opened_at is not None

    def lets_through(self) -> bool:
        """True while closed, and for one request after each rest."""
        with self._lock:
            now = time.monotonic()
            if self._opened_at is not None and now - self._opened_at < self.rest:
                return False
            if self._opened_at is not None:
                self._opened_at = now
            return True

    def succeeded(self) -> None:
        """A request was answered."""
        with self._lock:
            self._failures, self._opened_at = 0, None

    def failed(self, what: str, *, silent: bool) -> None:
        """A request failed with all its tries; silent: without any answer."""
        with self._lock:
            self._failures += 1
            most = self.most_silent if silent else self.most_refused
            if self._opened_at is None and self._failures >= most:
                self._opened_at = time.monotonic()
                self.reason = (
                    f"not asked, since {self._failures} requests in a row failed; the last: {what}"
                )

    def pause(self, seconds: float) -> None:
        """Let nothing out for a while: the server asked for that."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    @property
    def seconds_paused(self) -> float:
        """How long the pause still lasts."""
        return max(0.0, self._paused_until - time.monotonic())


class EventLoopThread:
    """An event loop in a thread of its own, started when first used; any thread may wait on it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Wait for work that the loop does; CancelledError where the loop is closed."""
        with self._lock:
            if self._closed:
                work.close()
                raise CancelledError
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._serve, args=(self._loop,), daemon=True).start()
            done = asyncio.run_coroutine_threadsafe(work, self._loop)
        return done.result()

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel all work, do the last of it, and end the thread."""
        with self._lock:
            loop, self._loop, self._closed = self._loop, None, True
        if loop is None:
            return

        async def end() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await last()

        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)


@dataclass(frozen=True)
class Service:
    """An open connection to one address."""

    name: str
    url: str = field(repr=False)
    client: httpx2.AsyncClient = field(repr=False)
    limits: Limits
    secrets: Secrets
    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    closing: threading.Event = field(default_factory=threading.Event)
    loop: EventLoopThread = field(default_factory=EventLoopThread, repr=False)

    def close(self) -> None:
        """End every wait and drop the connections."""
        self.closing.set()
        self.loop.close(self.client.aclose)
        logging.getLogger("httpx2").removeFilter(self.secrets.filter)


def require_http() -> None:
    """Say which extra to install where a part is missing."""
    for module in NEEDED:
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(f"{module}, which systems behind a URL need,", "http")


def is_address(url: str) -> bool:
    """True for an address that can be asked: http or https, a host, a port that is one."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def check_address(name: str, url: str) -> None:
    """Say that an address cannot be asked, without showing it: it may hold a password."""
    if not is_address(url):
        raise SystemFailure(name, "has no usable address; expected http://HOST or https://HOST")


def open_service(
    name: str, url: str, limits: Limits, secrets: Secrets, headers: Mapping[str, str] | None = None
) -> Service:
    """Get ready to ask; nothing is sent yet."""
    require_http()
    check_address(name, url)
    import httpx2

    user, password = credentials(url)
    try:
        client = httpx2.AsyncClient(
            headers={"Accept": "application/json", "Accept-Encoding": "gzip", **(headers or {})},
            auth=(user, password) if user or password else None,
            # Waiting for a free connection is no fault of the server's.
            timeout=httpx2.Timeout(limits.timeout, pool=None),
            limits=httpx2.Limits(max_connections=limits.concurrency),
        )
    except UnicodeError:
        raise SystemFailure(name, BAD_HEADER) from None
    logging.getLogger("httpx2").addFilter(secrets.filter)
    return Service(name, url, client, limits, secrets)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered: the JSON value, and its text as a message may show it."""

    value: object
    shown: str
    secrets: Secrets


class _Failure(Exception):  # noqa: N818 - caught in this module, never raised to others
    """A try that failed for good."""


class _PassingFailure(_Failure):
    """A try that failed and may work later; silent: without any answer."""

    def __init__(self, what: str, *, silent: bool = False) -> None:
        super().__init__(what)
        self.silent = silent


def fetch(
    service: Service,
    method: str,
    body: object = None,
    query: Sequence[tuple[str, str]] = (),
) -> Reply | Missing:
    """Send one request, as often as it takes, and give the JSON it is answered with."""
    from tenacity import (
        RetryCallState,
        Retrying,
        retry_if_exception_type,
        sleep_using_event,
        wait_exponential,
        wait_random,
    )

    limits, breaker = service.limits, service.breaker
    if not breaker.lets_through():
        return Missing(breaker.reason, unreachable=True)

    def stop(state: RetryCallState) -> bool:
        over = state.attempt_number > limits.retries
        return over or breaker.is_open or service.closing.is_set()

    tries = Retrying(
        retry=retry_if_exception_type(_PassingFailure),
        stop=stop,
        wait=wait_exponential(limits.backoff, max=LONGEST_WAIT) + wait_random(0, limits.backoff),
        sleep=sleep_using_event(service.closing),
        reraise=True,
    )
    try:
        content = tries(_send, service, method, body, query)
    except _PassingFailure as failure:
        what, colon, rest = str(failure).partition(":")
        count = tries.statistics["attempt_number"]
        what = f"{what} after {count} {'try' if count == 1 else 'tries'}{colon}{rest}"
        breaker.failed(what, silent=failure.silent)
        return Missing(what, unreachable=True)
    except _Failure as failure:
        return Missing(str(failure))
    breaker.succeeded()
    shown = service.secrets.excerpt(content.decode("utf-8", errors="replace"))
    try:
        return Reply(json.loads(content), shown, service.secrets)
    except (ValueError, RecursionError):
        return Missing(f"the answer is not JSON: {shown or 'it is empty'}")


def _send(service: Service, method: str, body: object, query: Sequence[tuple[str, str]]) -> bytes:
    """One try: the content of an answer, or a failure that says what came instead."""
    import httpx2

    service.closing.wait(service.breaker.seconds_paused)
    if service.closing.is_set():
        raise _Failure(CLOSED)
    timeout = service.limits.timeout
    try:
        code, headers, raw = service.loop.run(_exchange(service, method, body, query))
    except CancelledError:
        raise _Failure(CLOSED) from None
    except TimeoutError:
        what = f"no whole answer within {WHOLE_ANSWER * timeout:g} s: it came too slowly"
        raise _PassingFailure(what, silent=True) from None
    except httpx2.TimeoutException as error:
        what = f"no answer within {timeout:g} s: {type(error).__name__}"
        raise _PassingFailure(what, silent=True) from None
    except httpx2.LocalProtocolError:
        raise SystemFailure(service.name, BAD_HEADER) from None
    except httpx2.TransportError as error:
        cause = service.secrets.excerpt(_cause_text(error)) or type(error).__name__
        raise _PassingFailure(f"no connection: {cause}", silent=True) from None
    except (UnicodeError, httpx2.InvalidURL) as error:
        raise _Failure(f"the text cannot be sent: {type(error).__name__}") from None
    try:
        content, unread = _unpack(raw, headers.get("Content-Encoding", "").strip().lower()), None
    except _Failure as failure:
        content, unread = b"", failure
    if 200 <= code < 300:
        if unread:
            raise unread
        return content
    excerpt = service.secrets.excerpt(content.decode("utf-8", errors="replace"))
    what = f"HTTP {code}: {excerpt}" if excerpt else f"HTTP {code}"
    if code in (401, 403):
        advice = "check the key or header it needs, and that it is allowed to ask"
        raise SystemFailure(service.name, f"refused the request; {advice} ({what})")
    if 300 <= code < 400:
        place = service.secrets.hide(shown_url(headers.get("Location", "")))
        raise _Failure(f"HTTP {code}: the server redirects to {place}; give that address instead")
    if code in (408, 429) or code >= 500:
        after = retry_after(headers.get("Retry-After"), datetime.now(UTC))
        if after is not None:
            service.breaker.pause(after)
        raise _PassingFailure(what)
    raise _Failure(what)


async def _exchange(
    service: Service, method: str, body: object, query: Sequence[tuple[str, str]]
) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and content as sent; what is too long is not read to its end."""
    parts = urlsplit(service.url)  # credentials are the client's
    address = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    pairs = (*parse_qsl(parts.query, keep_blank_values=True), *query)
    found = bytearray()
    async with (
        asyncio.timeout(WHOLE_ANSWER * service.limits.timeout),
        service.client.stream(
            method, address, params=pairs or None, json=body, follow_redirects=False
        ) as response,
    ):
        async for part in response.aiter_raw():
            found += part
            if len(found) > LARGEST:
                break
    return response.status_code, response.headers, bytes(found)


def _cause_text(error: BaseException) -> str:
    """What the operating system said of a broken connection, where it said anything."""
    cause: BaseException | None = error
    while cause is not None:
        deepest = cause
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[-1]
        else:
            cause = cause.__cause__ or cause.__context__
    if not isinstance(deepest, OSError):
        return str(error)
    if not deepest.errno or isinstance(deepest, ssl.SSLError | socket.gaierror):
        return str(deepest)
    return f"[Errno {deepest.errno}] {os.strerror(deepest.errno)}"


def _unpack(content: bytes, coding: str) -> bytes:
    too_long = f"the answer is longer than {LARGEST // 2**20} MB"
    if len(content) > LARGEST:
        raise _Failure(too_long)
    if coding in ("", "identity") or not content:
        return content
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise _Failure(f"the answer is packed as {coding[:40]!r}; expected gzip")
    unpacking = zlib.decompressobj(47)  # zlib's own header or gzip's
    try:
        plain = unpacking.decompress(content, LARGEST + 1)
    except zlib.error:
        raise _Failure(f"the answer is said to be packed as {coding} and is not") from None
    if len(plain) > LARGEST:
        raise _Failure(too_long)
    if not unpacking.eof:
        raise _Failure(f"the answer, packed as {coding}, is cut off")
    return plain


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
