"""A connection to one address: who is asked, how hard, with which secrets."""

from __future__ import annotations

import importlib.util
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.service.answers import ASKED_FOR
from tiltmeter.systems.service.deadline import keep_deadlines
from tiltmeter.systems.service.gate import Gate
from tiltmeter.systems.service.redaction import Secrets, credentials

if TYPE_CHECKING:
    import httpx2

# httpx2 is the maintained continuation of httpx: see docs/systems-http.md.
NEEDED = ("httpx2", "tenacity", "jmespath")


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard to press a service."""

    concurrency: int = 4
    timeout: float = 30.0
    """Seconds without a word from the server."""
    retries: int = 4
    """Tries after the first one."""
    backoff: float = 1.0
    """Seconds before the second try; doubled before each further one."""
    price: float = 0.0
    """The cost of one request, in the user's currency."""


@dataclass(frozen=True)
class Service:
    """An open connection to one address."""

    name: str
    url: str = field(repr=False)
    client: httpx2.Client = field(repr=False)
    limits: Limits
    secrets: Secrets
    gate: Gate = field(default_factory=Gate)
    closing: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        """End every wait and drop the connections."""
        self.closing.set()
        self.client.close()
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
        client = httpx2.Client(
            headers={"Accept": "application/json", "Accept-Encoding": ASKED_FOR, **(headers or {})},
            auth=(user, password) if user or password else None,
            # Waiting for a free connection is no fault of the server's.
            timeout=httpx2.Timeout(limits.timeout, pool=None),
            limits=httpx2.Limits(max_connections=limits.concurrency),
        )
    except UnicodeError:
        what = "cannot be asked: a header holds characters that HTTP does not allow"
        raise SystemFailure(name, what) from None
    keep_deadlines(client)
    logging.getLogger("httpx2").addFilter(secrets.filter)
    return Service(name, url, client, limits, secrets)
