"""A service described in full by a TOML file: where it is, how it is asked, where the score is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import TASKS, Answer, Card, Missing, Pace, System
from tiltmeter.systems.service.connection import (
    Limits,
    Service,
    fetch,
    open_service,
    require_http,
)
from tiltmeter.systems.service.description import Sections, read_description
from tiltmeter.systems.service.description_rules import asks_for_texts, contradictions
from tiltmeter.systems.service.placeholders import (
    TEXT,
    TEXTS,
    leaves,
    variables,
    with_texts,
    with_variables,
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
from tiltmeter.systems.service.score_extractor import ScoreExtractor


def described_service(target: str, options: Options) -> System:
    """Open the service a TOML file describes; nothing is sent before the first text."""
    require_http()
    path = Path(target)
    sections, problems = read_description(path)
    problems += contradictions(path, sections)
    if problems:
        listing = "\n".join(f"  {problem}" for problem in problems)
        raise SystemFailure(target, f"cannot be used as described:\n{listing}")
    sections = _completed(sections)
    reading = _reading(sections)
    card = _card(path.stem, sections, reading, options)
    request = with_variables(sections["request"])
    service = open_service(
        card.name,
        sections["system"]["url"],
        Limits(**sections["limits"]),
        _secrets(sections),
        {name: value.strip() for name, value in request["headers"].items()},
    )
    answer = _answer(service, sections["system"]["method"], request, reading)
    return System(card, answer, _pace(sections, reading), close=service.close)


def _completed(sections: Sections) -> Sections:
    """The sections with what was left out set to its default."""
    system = {"method": "POST", **sections["system"]}
    request = {"query": {}, "headers": {}, "batch": 1, **sections["request"]}
    if "body" not in request and not asks_for_texts(request["query"]):
        request["body"] = {"text": TEXT} if request["batch"] == 1 else {"texts": TEXTS}
    return {**sections, "system": system, "request": request}


def _many(request: dict[str, object]) -> bool:
    return any(leaf == TEXTS for _, leaf in leaves([request.get("body"), request.get("query")]))


def _reading(sections: Sections) -> ScoreExtractor:
    answer = sections["answer"]
    return ScoreExtractor(
        answer["score"],
        answer.get("labels", {}),
        answer.get("confidence", ""),
        many=_many(sections["request"]),
    )


def _card(stem: str, sections: Sections, reading: ScoreExtractor, options: Options) -> Card:
    system, request = sections["system"], sections["request"]
    name = system.get("name", stem)
    settings = {
        "url": shown_url(system["url"]),
        "method": system["method"],
        "body": masked(request.get("body")),
        "query": masked(request["query"]),
        **reading.settings,
    }
    return Card(
        name,
        options.task_among(name, (system["task"],) if "task" in system else TASKS),
        options.scale_of(name) or system.get("scale") or reading.scale,
        system.get("languages", ()),
        system.get("version", ""),
        system.get("licence", ""),
        settings,
        price=sections["limits"].get("price", 0.0) / request["batch"],
        notes=tuple(_notes(settings, reading)),
    )


def _notes(settings: dict[str, object], reading: ScoreExtractor) -> Iterator[str]:
    yield f"asked with {settings['method']} {settings['url']}; the score is at `{reading.score}`"
    if reading.labels:
        listed = ", ".join(f"{label} = {number:g}" for label, number in reading.labels.items())
        times = f", times the probability at `{reading.confidence}`" if reading.confidence else ""
        yield f"labels are scored {listed}{times}".replace("-", "−")


def _secrets(sections: Sections) -> Secrets:
    """Whatever is sent and must not be shown."""
    request = sections["request"]
    filled = with_variables(request)
    values = [os.environ[name].strip() for _, name in variables(request)]
    values += url_secrets(sections["system"]["url"])
    values += header_secrets(filled["headers"])
    for where, leaf in leaves([filled.get("body"), filled["query"]]):
        if looks_secret(where.rpartition(".")[2], leaf) and TEXT not in leaf and leaf != TEXTS:
            values.append(leaf)
    return secrets(values)


def _pace(sections: Sections, reading: ScoreExtractor) -> Pace:
    limits = Limits(**sections["limits"])
    batch = sections["request"]["batch"]
    return Pace(batch, "threads", limits.concurrency, one_by_one=not reading.many or batch == 1)


def _answer(
    service: Service, method: str, request: dict[str, Any], reading: ScoreExtractor
) -> Callable[[Sequence[str]], list[Answer]]:
    most = request["batch"]

    def ask(texts: Sequence[str]) -> list[Answer]:
        body, query = (with_texts(request.get(key), texts) for key in ("body", "query"))
        reply = fetch(service, method, body, list(query.items()))
        return (
            [reply] * len(texts)
            if isinstance(reply, Missing)
            else reading.extract(reply, len(texts))
        )

    def answer(texts: Sequence[str]) -> list[Answer]:
        parts = [texts[start : start + most] for start in range(0, len(texts), most)]
        return [found for part in parts for found in ask(part)]

    return answer
