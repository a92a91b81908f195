"""A service known by its address alone: sensible guesses, made once and written down.

The text is sent as POST {"text": …}. Before the first score one neutral sentence is asked, and the
first shape in `SHAPES` that fits its answer is how every answer is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tiltmeter.errors import SystemFailure, UnreachableError
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    SIGNED,
    TASKS,
    Answer,
    Card,
    Missing,
    Pace,
    Scale,
    System,
    unsettled,
)
from tiltmeter.systems.service.connection import (
    Limits,
    Service,
    check_address,
    open_service,
    require_http,
)
from tiltmeter.systems.service.reading import Reading, reader
from tiltmeter.systems.service.redaction import secrets, shown_url, url_secrets
from tiltmeter.systems.service.request import Reply, fetch

PROBE = "The table stands in the room."
"""The neutral sentence whose answer shows the shape of all answers."""
PROBE_RETRIES = 2
"""Few, so that a mistyped address is said within seconds."""

_POLES = {"positive": 1.0, "pos": 1.0, "negative": -1.0, "neg": -1.0, "neutral": 0.0, "neu": 0.0}
POLARITY = {
    written: number
    for label, number in _POLES.items()
    for written in (label, label.upper(), label.capitalize())
}
NAMES_OF_LABELS = ("label", "sentiment", "class", "category", "prediction")


@dataclass(frozen=True, slots=True)
class Shape:
    """One form an answer may have, and the scale that goes with it, where one does."""

    reading: Reading
    scale: Scale | None = None


SHAPES = (
    Shape(Reading("label", POLARITY, "score"), SIGNED),
    Shape(Reading("[0].label", POLARITY, "[0].score"), SIGNED),
    Shape(Reading("score")),
    Shape(Reading("sentiment.score")),
    Shape(Reading("compound"), SIGNED),
    Shape(Reading("polarity")),
    Shape(Reading("@")),
)
"""In the order they are tried: a labelled probability, then named numbers, then a bare one."""


def plain_service(target: str, options: Options, limits: Limits | None = None) -> System:
    """Open a service by its address; nothing is sent before a score is wanted."""
    require_http()
    limits = limits or Limits()
    check_address("http", target)
    name = shown_url(target)
    service = open_service(name, target, limits, secrets(url_secrets(target)))
    few = replace(limits, retries=min(limits.retries, PROBE_RETRIES))

    def form(shape: Shape) -> System:
        card, pace = _card(name, shape, options), Pace(1, "threads", limits.concurrency)
        return System(card, _answer(service, shape.reading), pace, close=service.close)

    return unsettled(
        [form(shape) for shape in SHAPES], lambda: form(_seen(replace(service, limits=few)))
    )


def _ask(service: Service, text: str) -> Reply | Missing:
    return fetch(service, "POST", {"text": text})


def _answer(service: Service, reading: Reading) -> Callable[[Sequence[str]], list[Answer]]:
    read = reader(reading)

    def answer(texts: Sequence[str]) -> list[Answer]:
        replies = [_ask(service, text) for text in texts]
        return [reply if isinstance(reply, Missing) else read(reply, 1)[0] for reply in replies]

    return answer


def _seen(service: Service) -> Shape:
    """The shape of the answer to the probe, or a failure that shows the answer."""
    reply = _ask(service, PROBE)
    describe = "describe the service in a .toml file (docs/systems-http.md)"
    if isinstance(reply, Missing) and reply.unreachable:
        raise UnreachableError(service.name, reply.reason)
    if isinstance(reply, Missing):
        what = f'could not be asked with POST {{"text": …}}: {reply.reason}'
        raise SystemFailure(service.name, f"{what}; if it expects something else, {describe}")
    for shape in SHAPES:
        if _fits(shape, reply):
            return shape
    known = ", ".join(_words(shape.reading) for shape in SHAPES)
    what = f"answered {reply.shown}; tried to read {known}; {describe}"
    raise SystemFailure(service.name, what)


def _fits(shape: Shape, reply: Reply) -> bool:
    """True where the shape gives a score; beside a label, a number may be its probability."""
    if not shape.reading.labels and _has_label(reply.value):
        return False
    return isinstance(reader(shape.reading)(reply, 1)[0], float)


def _has_label(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return any(isinstance(value.get(name), str) for name in NAMES_OF_LABELS)


def _words(reading: Reading) -> str:
    if reading.score == "@":
        return "a bare number"
    return " with ".join(f"`{path}`" for path in (reading.score, reading.confidence) if path)


def _card(name: str, shape: Shape, options: Options) -> Card:
    reading = shape.reading
    notes = [f'guessed: asked with POST {{"text": …}}, read from {_words(reading)}']
    if reading.labels:
        notes.append("a positive label scores its probability, a negative one minus it, neutral 0")
    return Card(
        name,
        options.task_among(name, TASKS),
        options.scale_of(name) or shape.scale,
        settings={"url": name, "method": "POST", "body": {"text": "{text}"}, **reading.settings},
        notes=tuple(notes),
    )
