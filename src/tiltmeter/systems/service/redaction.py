"""Keeping secrets out of everything that is shown: addresses, templates, messages, logs.

Values from the environment, credentials in an address, and whatever stands under a name such as
`api_key` are secrets. They are sent, and nothing else is done with them.
"""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlencode, urlsplit, urlunsplit

HIDDEN = "***"
SHOWN_ANSWER = 300
"""How much of what a server answered a message shows."""

_KEY_WORDS = {
    "apikey", "auth", "authorisation", "authorization", "cookie", "credential", "credentials",
    "key", "passwd", "password", "pwd", "secret", "sig", "signature", "token",
}  # fmt: skip
_KEY_VALUE = re.compile(
    r"^(sk|pk|ghp|hf)[-_]\w"  # the prefixes some services give their keys
    r"|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}"
    r"|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class Secrets:
    """What must not be shown, in every form it may come back in."""

    forms: tuple[str, ...] = field(default=(), repr=False)

    def hide(self, text: str) -> str:
        """The text with every secret struck out."""
        for form in self.forms:
            text = text.replace(form, HIDDEN)
        return text

    def excerpt(self, text: str, most: int = SHOWN_ANSWER) -> str:
        """The text on one line, secrets struck out, cut where it grows long."""
        line = " ".join(self.hide(text).split())
        return line if len(line) <= most else line[:most] + "…"

    def filter(self, record: logging.LogRecord) -> bool:
        """Strike secrets out of what the HTTP library logs: it logs whole addresses."""
        record.msg, record.args = self.hide(record.getMessage()), ()
        return True


def secrets(values: Iterable[str]) -> Secrets:
    """The secrets with their escaped forms, the longest first so that none leaves a rest."""
    forms: set[str] = set()
    for value in filter(None, values):
        forms |= {value, quote(value), quote(value, safe=""), quote_plus(value)}
        forms |= {json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return Secrets(tuple(sorted(forms, key=lambda form: (-len(form), form))))


def looks_secret(name: str, value: object = "") -> bool:
    """True for the name of a key, or a value that can hardly be anything else.

    >>> [looks_secret(name) for name in ("api_key", "X-ApiKey", "max_tokens", "keyword")]
    [True, True, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if any(word in _KEY_WORDS for word in (*words, "".join(words[-2:]))):
        return True
    return isinstance(value, str) and bool(_KEY_VALUE.search(value))


def shown_url(url: str) -> str:
    """An address without credentials, with the values of keys in its query struck out.

    >>> shown_url("https://me:pw@host/v1?lang=en&api_key=abc#top")
    'https://host/v1?lang=en&api_key=***'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    pairs = [
        (name, HIDDEN if looks_secret(name, value) else value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    ]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(pairs, safe="*{}$"), ""))


_URL = re.compile(r"""[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'"]+""")
_NAMED = re.compile(r"""([A-Za-z][\w-]*)(\s*[=:]\s*(?:(?:Bearer|Basic)\s+)?)([^\s'"]+)""")
_OPTION = re.compile(r"""(-[\w-]*)(\s+)([^\s'"-][^\s'"]*)""")
_PREFIXED = re.compile(r"\b(sk|pk|ghp|hf)[-_]\w{6,}")


def shown_words(words: Iterable[str]) -> list[str]:
    """A command's words as they may be shown: keys and credentials struck out, the rest as it is.

    >>> shown_words(["score", "https://me:pw@host/v1", "cmd:run --api-key abc", "--seed", "7"])
    ['score', 'https://host/v1', 'cmd:run --api-key ***', '--seed', '7']
    """

    def without_value(found: re.Match[str]) -> str:
        return found[1] + found[2] + (HIDDEN if looks_secret(found[1]) else found[3])

    shown: list[str] = []
    for word in words:
        last = shown[-1] if shown else ""
        named = last.startswith("-") and "=" not in last and looks_secret(last)
        clean = _URL.sub(lambda found: shown_url(found[0]), word)
        clean = _OPTION.sub(without_value, _NAMED.sub(without_value, clean))
        hidden = named and not word.startswith("-")
        shown.append(HIDDEN if hidden else _PREFIXED.sub(HIDDEN, clean))
    return shown


def url_secrets(url: str) -> Iterator[str]:
    """The credentials in an address: user, password, what Basic makes of them, keys."""
    parts = urlsplit(url)
    yield from (
        value
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if looks_secret(name, value)
    )
    userinfo, at, _ = parts.netloc.rpartition("@")
    if at:
        user, password = credentials(url)
        yield from (userinfo, user, password)
        yield base64.b64encode(f"{user}:{password}".encode()).decode()


def credentials(url: str) -> tuple[str, str]:
    """User and password in an address, empty where there are none."""
    userinfo = urlsplit(url).netloc.rpartition("@")[0]
    user, _, password = userinfo.partition(":")
    return unquote(user), unquote(password)


def header_secrets(headers: Mapping[str, str]) -> Iterator[str]:
    """What stands in headers such as Authorization, whole and without its first word."""
    for name, value in headers.items():
        if looks_secret(name, value):
            yield from (value, value.rpartition(" ")[2])


def masked(template: Any, name: str = "") -> Any:  # noqa: ANN401 - any JSON value
    """A template as it may be shown: what stands under the name of a key is struck out."""
    match template:
        case Mapping():
            return {key: masked(value, key) for key, value in template.items()}
        case list():
            return [masked(value, name) for value in template]
        case str() if looks_secret(name, template) and "{text" not in template:
            return HIDDEN
        case _:
            return template
