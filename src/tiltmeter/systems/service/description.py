"""A service described in full by a TOML file: where it is, how it is asked, where the score is.

`[request]` holds placeholders, which are replaced in the structure and never in its JSON:
`"{text}"` is one text, alone or inside a longer string; `"{texts}"`, always alone, is the list of
a batch; `${NAME}` is a variable of the environment, filled in once, before any text.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.errors import Problem, SystemFailure, did_you_mean
from tiltmeter.files import LARGEST_TEXT, plain_bytes, toml_of
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import TASKS, Answer, Card, Missing, Pace, Scale, System
from tiltmeter.systems.service.connection import (
    Limits,
    fetch,
    is_address,
    open_service,
    require_http,
)
from tiltmeter.systems.service.redaction import (
    Secrets,
    header_secrets,
    looks_secret,
    masked,
    secrets,
    shown_url,
    url_secrets,
)
from tiltmeter.systems.service.score_extractor import ScoreExtractor, compile_path

METHODS = ("POST", "GET", "PUT")
TEXT, TEXTS = "{text}", "{texts}"
VARIABLE = re.compile(r"\$\{([^}]*)\}")
SHOWABLE = {"method", "task", "scale", "batch", "concurrency", "timeout", "retries", "backoff"}
"""Keys whose wrong value a message may repeat; the others may hold a secret or be long."""

Sections = dict[str, dict[str, Any]]


def described_service(target: str, options: Options) -> System:
    """Open the service a TOML file describes; nothing is sent before the first text."""
    require_http()
    path = Path(target)
    sections, problems = read_description(path)
    problems += _contradictions(path, sections)
    if problems:
        listing = "\n".join(f"  {problem}" for problem in problems)
        raise SystemFailure(target, f"cannot be used as described:\n{listing}")
    system = {"method": "POST", **sections["system"]}
    asked = {"query": {}, "headers": {}, "batch": 1, **sections["request"]}
    most, limits = asked["batch"], Limits(**sections["limits"])
    if "body" not in asked and not _asks_for_texts(asked["query"]):
        asked["body"] = {"text": TEXT} if most == 1 else {"texts": TEXTS}
    many = any(leaf == TEXTS for _, leaf in _leaves([asked.get("body"), asked["query"]]))
    answer = sections["answer"]
    extractor = ScoreExtractor(
        answer["score"], answer.get("labels", {}), answer.get("confidence", ""), many=many
    )
    card = _card(path.stem, system, asked, limits.price, extractor, options)
    request = _with_variables(asked)
    service = open_service(
        card.name,
        system["url"],
        limits,
        _secrets(system["url"], asked, request),
        {name: value.strip() for name, value in request["headers"].items()},
    )

    def ask_batch(texts: Sequence[str]) -> list[Answer]:
        body, query = (with_texts(request.get(key), texts) for key in ("body", "query"))
        reply = fetch(service, system["method"], body, list(query.items()))
        if isinstance(reply, Missing):
            return [reply] * len(texts)
        return extractor.extract(reply, len(texts))

    def answers(texts: Sequence[str]) -> list[Answer]:
        parts = [texts[start : start + most] for start in range(0, len(texts), most)]
        return [found for part in parts for found in ask_batch(part)]

    pace = Pace(most, "threads", limits.concurrency, one_by_one=not many or most == 1)
    return System(card, answers, pace, close=service.close)


def _card(
    stem: str,
    system: Mapping[str, Any],
    asked: Mapping[str, Any],
    price: float,
    extractor: ScoreExtractor,
    options: Options,
) -> Card:
    name = system.get("name", stem)
    url, method = shown_url(system["url"]), system["method"]
    notes = [f"asked with {method} {url}; the score is at `{extractor.score}`"]
    if extractor.labels:
        listed = ", ".join(f"{label} = {number:g}" for label, number in extractor.labels.items())
        sure = extractor.confidence
        times = f", times the probability at `{sure}`" if sure else ""
        notes.append(f"labels are scored {listed}{times}".replace("-", "−"))
    return Card(
        name,
        options.task_among(name, (system["task"],) if "task" in system else TASKS),
        options.scale_of(name) or system.get("scale") or extractor.scale,
        system.get("languages", ()),
        system.get("version", ""),
        system.get("licence", ""),
        {
            "url": url,
            "method": method,
            "body": masked(asked.get("body")),
            "query": masked(asked["query"]),
            **extractor.settings,
        },
        price=price / asked["batch"],
        notes=tuple(notes),
    )


def _secrets(url: str, asked: Mapping[str, Any], filled: Mapping[str, Any]) -> Secrets:
    """Whatever is sent and must not be shown."""
    values = [os.environ[name].strip() for _, name in _variables(asked)]
    values += url_secrets(url)
    values += header_secrets(filled["headers"])
    for where, leaf in _leaves([filled.get("body"), filled["query"]]):
        if looks_secret(where.rpartition(".")[2], leaf) and TEXT not in leaf and leaf != TEXTS:
            values.append(leaf)
    return secrets(values)


# ---------------------------------------------------------------- placeholders


def _leaves(template: object, where: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a template and where it stands, as `messages[0].content`."""
    match template:
        case Mapping():
            for key, value in template.items():
                yield from _leaves(value, f"{where}.{key}" if where else str(key))
        case list():
            for number, value in enumerate(template):
                yield from _leaves(value, f"{where}[{number}]")
        case str():
            yield where, template


def with_texts(template: Any, texts: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """The template with its placeholders replaced; `{text}` stands for the first text.

    >>> with_texts({"q": "Rate: {text}", "all": "{texts}"}, ['a "quoted" text'])
    {'q': 'Rate: a "quoted" text', 'all': ['a "quoted" text']}
    """
    match template:
        case Mapping():
            return {key: with_texts(value, texts) for key, value in template.items()}
        case list():
            return [with_texts(value, texts) for value in template]
        case str() if template == TEXTS:
            return list(texts)
        case str():
            return template.replace(TEXT, texts[0])
        case _:
            return template


def _variables(template: object) -> Iterator[tuple[str, str]]:
    """The names of the variables a template asks for, and where."""
    for where, leaf in _leaves(template):
        yield from ((where, name) for name in VARIABLE.findall(leaf))


def _with_variables(template: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The template with its variables filled in from the environment, which has them all."""
    match template:
        case Mapping():
            return {key: _with_variables(value) for key, value in template.items()}
        case list():
            return [_with_variables(value) for value in template]
        case str():
            return VARIABLE.sub(lambda found: os.environ[found[1]].strip(), template)
        case _:
            return template


# ---------------------------------------------------------------- keys and what they may hold


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected a text")
    return value


def _url(value: object) -> str:
    if not isinstance(value, str) or not is_address(value):
        raise ValueError("expected an address, http://HOST or https://HOST")
    return value


def _method(value: object) -> str:
    if not isinstance(value, str) or value.upper() not in METHODS:
        raise ValueError(f"expected {', '.join(METHODS)}")
    return value.upper()


def _task(value: object) -> str:
    if value not in TASKS:
        near = did_you_mean(str(value), TASKS)
        raise ValueError(f"expected one of {', '.join(TASKS)}{f': {near}' if near else ''}")
    return str(value)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
        raise ValueError('expected a list of texts, as in ["en", "es"]')
    return tuple(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("expected a number")
    return float(value)


def _scale(value: object) -> Scale:
    what = "expected [LOW, HIGH], as in [-1, 1]"
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(what)
    try:
        scale = Scale(_number(value[0]), _number(value[1]))
    except ValueError:
        raise ValueError(what) from None
    if not scale.low < scale.high:
        raise ValueError(what)
    return scale


def _body(value: object) -> object:
    """A TOML table or list as it is; a text is read as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"expected a table, or a text holding JSON: {error}") from None
    if not isinstance(value, dict | list | str):
        raise ValueError("expected a table, a list, or a text holding JSON")
    try:
        json.dumps(value)
    except TypeError:
        raise ValueError("holds a date or time, which JSON has not: write it as a text") from None
    return value


def _table(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(part, str) for part in value.values()):
        raise ValueError("expected a table of texts")
    return value


def _labels(value: object) -> dict[str, float]:
    if not isinstance(value, dict) or not value:
        raise ValueError("expected a table of label = number")
    return {label: _number(number) for label, number in value.items()}


def _path(value: object) -> str:
    expression = _text(value)
    try:
        compile_path(expression)
    except ValueError as error:
        first = str(error).strip().split("\n")[0].rstrip(": ")
        raise ValueError(f"expected a JMESPath expression: {first}") from None
    return expression


def _whole(least: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"expected a whole number from {least}")
        return value

    return read


def _amount(value: object) -> float:
    if _number(value) < 0:
        raise ValueError("expected a number from 0")
    return _number(value)


def _seconds(value: object) -> float:
    if _number(value) <= 0:
        raise ValueError("expected a number of seconds above 0")
    return _number(value)


KEYS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "system": {
        "name": _text, "url": _url, "method": _method, "task": _task, "languages": _texts,
        "scale": _scale, "licence": _text, "version": _text,
    },
    "request": {"body": _body, "query": _table, "headers": _table, "batch": _whole(1)},
    "answer": {"score": _path, "labels": _labels, "confidence": _path},
    "limits": {
        "concurrency": _whole(1), "timeout": _seconds, "retries": _whole(0), "backoff": _amount,
        "price": _amount,
    },
}  # fmt: skip
"""Every key of a description, by section, and what reads it."""


def read_description(path: Path) -> tuple[Sections, list[Problem]]:
    """The sections of a description, checked key by key, and what is wrong with the others."""
    found = _toml(path)
    sections: Sections = {name: {} for name in KEYS}
    problems = []
    for section, values in found.items():
        if section not in KEYS or not isinstance(values, Mapping):
            problems.append(Problem(str(path), _misplaced(section)))
            continue
        for key, value in values.items():
            try:
                sections[section][key] = _read(section, key, value)
            except ValueError as error:
                problems.append(Problem(f"{path}: [{section}] {key}", str(error)))
    return sections, [*problems, *_absent(path, found)]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return toml_of(plain_bytes(path, LARGEST_TEXT).decode("utf-8-sig"))
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError:
        what = "is not UTF-8; save the file as UTF-8"
    except ValueError as error:
        what = f"is not valid TOML: {error}"
    raise SystemFailure(str(path), what)


def _read(section: str, key: str, value: object) -> object:
    reader = KEYS[section].get(key)
    if reader is None:
        raise ValueError(_unknown(section, key))
    try:
        return reader(value)
    except ValueError as error:
        found = f"found {value!r}; " if key in SHOWABLE else ""
        raise ValueError(f"{found}{error}") from None


def _unknown(section: str, key: str) -> str:
    homes = [f"[{home}]" for home, keys in KEYS.items() if key in keys]
    if homes:
        return f"this key belongs under {' or '.join(homes)}"
    near = did_you_mean(key, KEYS[section])
    return f"unknown key; {near or 'known are ' + ', '.join(KEYS[section])}"


def _misplaced(section: str) -> str:
    homes = [f"[{home}]" for home, keys in KEYS.items() if section in keys]
    if homes:
        return f"the key {section!r} belongs under {homes[0]}"
    if section in KEYS:
        return f"{section!r} is no table; write [{section}] above its keys"
    near = did_you_mean(section, KEYS)
    expected = near or f"expected {', '.join(f'[{name}]' for name in KEYS)}"
    return f"unknown section {section!r}; {expected}"


def _absent(path: Path, found: Mapping[str, Any]) -> Iterator[Problem]:
    for section, key, example in (
        ("system", "url", 'url = "https://host/score"'),
        ("answer", "score", 'score = "sentiment.score", a JMESPath into the answer'),
    ):
        values = found.get(section, {})
        if not isinstance(values, Mapping) or key not in values:
            yield Problem(f"{path}: [{section}]", f"there is no {key!r}; write {example}")


# ---------------------------------------------------------------- what must hold between keys


def _asks_for_texts(template: object) -> bool:
    """True where a placeholder for a text stands somewhere in a template."""
    return any(TEXT in leaf or TEXTS in leaf for _, leaf in _leaves(template))


def _contradictions(path: Path, sections: Sections) -> Iterator[Problem]:
    """What is wrong between keys that are each right, and with the environment."""
    yield from _placeholder_problems(path, sections)
    answer = sections["answer"]
    if "confidence" in answer and "labels" not in answer:
        what = "a confidence goes with labels; write labels = { POSITIVE = 1, NEGATIVE = -1 }"
        yield Problem(f"{path}: [answer] confidence", what)
    if "${" in sections["system"].get("url", ""):
        what = "variables stand in headers, query or body only; write the address out"
        yield Problem(f"{path}: [system] url", what)
    for where, name in _variables(sections["request"]):
        if not name.isidentifier() or name not in os.environ:
            what = f"the environment has no variable {name!r}; set it before you run Tiltmeter"
            yield Problem(f"{path}: [request] {where}", what)


def _placeholder_problems(path: Path, sections: Sections) -> Iterator[Problem]:
    request, batch = sections["request"], sections["request"].get("batch", 1)
    templates = {key: request[key] for key in ("body", "query") if key in request}
    get = sections["system"].get("method") == "GET"
    if get and "body" in request:
        yield Problem(f"{path}: [request] body", "a GET has no body; use query instead")
    if not _asks_for_texts(templates) and ("body" in request or get):
        where = "query" if get else "body"
        what = f'the text is nowhere in it; write "{TEXT}" where it belongs'
        yield Problem(f"{path}: [request] {where}", what)
    found = dict(_leaves(templates))
    for where, leaf in found.items():
        if TEXTS in leaf and (leaf != TEXTS or where.startswith("query")):
            what = f'"{TEXTS}" is a list and stands alone, in the body'
            yield Problem(f"{path}: [request] {where}", what)
    if TEXTS in found.values() and any(TEXT in leaf for leaf in found.values()):
        yield Problem(f"{path}: [request]", f'use either "{TEXT}" or "{TEXTS}", not both')
    elif batch > 1 and _asks_for_texts(templates) and TEXTS not in found.values():
        what = f'a batch of {batch} needs "{TEXTS}" in the body'
        yield Problem(f"{path}: [request] batch", what)
