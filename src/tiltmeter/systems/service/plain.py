"""A service known by its address alone: sensible guesses, made once and written down.

The text is sent as POST {"text": …}. Before the first score one neutral sentence is asked, and the
first shape in `SHAPES` that fits its answer is how every answer is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from msgspec import structs

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure, UnreachableError
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    SIGNED,
    Answer,
    Card,
    Missing,
    Pace,
    Scale,
    System,
    with_unknown_form,
)
from tiltmeter.systems.service.connection import (
    Limits,
    Reply,
    Service,
    check_address,
    fetch,
    open_service,
    require_http,
)
from tiltmeter.systems.service.redaction import secrets, shown_url, url_secrets
from tiltmeter.systems.service.score_extractor import ScoreExtractor

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
class AnswerShape:
    """One form an answer may have, and the scale that goes with it, where one does."""

    extractor: ScoreExtractor
    scale: Scale | None = None

    def __str__(self) -> str:
        paths = (self.extractor.score, self.extractor.confidence)
        return "a bare number" if paths[0] == "@" else " with ".join(f"`{p}`" for p in paths if p)

    def fits(self, reply: Reply) -> bool:
        """True where it gives a score; beside a label, a number may be its probability."""
        value = reply.value if isinstance(reply.value, Mapping) else {}
        has_label = any(isinstance(value.get(name), str) for name in NAMES_OF_LABELS)
        if has_label and not self.extractor.labels:
            return False
        return isinstance(self.extractor.extract(reply, 1)[0], float)


SHAPES = (
    AnswerShape(ScoreExtractor("label", POLARITY, "score"), SIGNED),
    AnswerShape(ScoreExtractor("[0].label", POLARITY, "[0].score"), SIGNED),
    AnswerShape(ScoreExtractor("score")),
    AnswerShape(ScoreExtractor("sentiment.score")),
    AnswerShape(ScoreExtractor("compound"), SIGNED),
    AnswerShape(ScoreExtractor("polarity")),
    AnswerShape(ScoreExtractor("@")),
)
"""In the order they are tried: a labelled probability, then named numbers, then a bare one."""


def plain_service(target: str, options: Options, limits: Limits | None = None) -> System:
    """Open a service by its address; nothing is sent before a score is wanted."""
    require_http()
    limits = limits or Limits()
    check_address("http", target)
    name = shown_url(target)
    service = open_service(name, target, limits, secrets(url_secrets(target)))
    few = structs.replace(limits, retries=min(limits.retries, PROBE_RETRIES))

    def form(shape: AnswerShape) -> System:
        card, pace = _card(name, shape, options), Pace(1, "threads", limits.concurrency)
        return System(card, partial(_answer, service, shape.extractor), pace, close=service.close)

    return with_unknown_form(
        [form(shape) for shape in SHAPES], lambda: form(_probe(replace(service, limits=few)))
    )


def _answer(service: Service, extractor: ScoreExtractor, texts: Sequence[str]) -> list[Answer]:
    replies = [fetch(service, "POST", {"text": text}) for text in texts]
    return [one if isinstance(one, Missing) else extractor.extract(one, 1)[0] for one in replies]


def _probe(service: Service) -> AnswerShape:
    """The shape of the answer to the probe, or a failure that shows the answer."""
    reply = fetch(service, "POST", {"text": PROBE})
    describe = "describe the service in a .toml file (docs/systems.md#a-description)"
    if isinstance(reply, Missing) and reply.unreachable:
        raise UnreachableError(service.name, reply.reason)
    if isinstance(reply, Missing):
        what = f'could not be asked with POST {{"text": …}}: {reply.reason}'
        raise SystemFailure(service.name, f"{what}; if it expects something else, {describe}")
    for shape in SHAPES:
        if shape.fits(reply):
            return shape
    what = f"answered {reply.shown}; tried to read {', '.join(map(str, SHAPES))}; {describe}"
    raise SystemFailure(service.name, what)


def _card(name: str, shape: AnswerShape, options: Options) -> Card:
    notes = [f'guessed: asked with POST {{"text": …}}, read from {shape}']
    if shape.extractor.labels:
        notes.append("a positive label scores its probability, a negative one minus it, neutral 0")
    asked = {"url": name, "method": "POST", "body": {"text": "{text}"}}
    return Card(
        name,
        options.task_among(name, TASKS),
        options.scale_of(name) or shape.scale,
        settings={**asked, **shape.extractor.settings},
        notes=tuple(notes),
    )
