"""A service behind a URL: described in full by a TOML file, or known by its address alone.

A description says where the service is, how it is asked and where the score is. Its `[request]`
holds placeholders, which are replaced in the structure and never in its JSON: `"{text}"` is one
text, alone or inside a longer string; `"{texts}"`, always alone, is the list of a batch; `${NAME}`
is a variable of the environment, filled in once, before any text.

Known by its address alone, a service is sent POST {"text": …}. Before the first score one neutral
sentence is asked, and the first shape in `SHAPES` that fits its answer is how every answer is read.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field, structs

from tiltmeter.columns import TASKS
from tiltmeter.errors import ArgumentError, CorpusError, Problem, SystemFailure, UnreachableError
from tiltmeter.records import HIDDEN, Record, RecordFile, RuleError, Text, check_record, read_toml
from tiltmeter.systems.llm import answer_reader
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
    check_address,
    fetch,
    is_address,
    open_service,
    require_http,
)
from tiltmeter.systems.service.redaction import (
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


Whole = Annotated[int, Meta(ge=1, description="a whole number from 1")]
Texts = dict[str, Annotated[str, Meta(description="a text", extra=HIDDEN)]]


class SystemTable(Record, kw_only=True):
    """`[system]`: where the service is, and what is known of it."""

    url: Annotated[
        str, Meta(description="an address", examples=["https://host/score"], extra=HIDDEN)
    ]
    name: Text = ""
    method: str = METHODS[0]
    task: Literal["valence", "anger", "fear", "joy", "sadness"] | None = None
    languages: Annotated[
        tuple[Text, ...], Meta(description='a list of texts, as in ["en", "es"]')
    ] = ()
    scale: tuple[float, float] | None = None
    licence: Text = ""
    version: Text = ""

    def __post_init__(self) -> None:
        wrong = {}
        if not is_address(self.url):
            wrong["url"] = "url: expected an address, http://HOST or https://HOST"
        elif "${" in self.url:
            what = "variables stand in headers, query or body only; write the address out"
            wrong["url"] = f"url: {what}"
        if self.method.upper() not in METHODS:
            wrong["method"] = f"method is {self.method!r}; expected {', '.join(METHODS)}"
        low, high = self.scale or (0.0, 1.0)
        if not low < high or not math.isfinite(high - low):
            wrong["scale"] = f"scale is {[low, high]}; expected [LOW, HIGH], as in [-1, 1]"
        if wrong:
            raise RuleError(wrong)


class RequestTable(Record, kw_only=True):
    """`[request]`: what is sent; the texts stand in it as placeholders."""

    body: Any = None
    """A table or list as it is, or a text that holds JSON."""
    query: Texts = field(default_factory=dict)
    headers: Texts = field(default_factory=dict)
    batch: Whole = 1

    def __post_init__(self) -> None:
        try:
            json.dumps(self.template)
        except TypeError:
            what = "body holds a date or time, which JSON has not: write it as a text"
            raise RuleError({"body": what}) from None
        except (ValueError, RecursionError) as error:
            what = f"body: expected a table, or a text holding JSON: {error}"
            raise RuleError({"body": what}) from None

    @property
    def template(self) -> Any:  # noqa: ANN401 - any JSON value
        """The body with its placeholders; a text is read as JSON."""
        body = json.loads(self.body) if isinstance(self.body, str) else self.body
        if not isinstance(body, dict | list | str | None):
            raise ValueError("it is neither a table nor a list")
        return body


class AnswerTable(Record, kw_only=True):
    """`[answer]`: JMESPaths into the answer, and what its labels stand for."""

    score: Annotated[str, Meta(description="a JMESPath", examples=["sentiment.score"])]
    labels: Annotated[dict[str, float], Meta(description="a table of label = number")] = field(
        default_factory=dict
    )
    confidence: str = ""

    def __post_init__(self) -> None:
        wrong = {}
        for key, expression in (("score", self.score), ("confidence", self.confidence or "@")):
            try:
                compile_path(expression)
            except ValueError as error:
                first = str(error).strip().split("\n")[0].rstrip(": ")
                wrong[key] = f"{key}: expected a JMESPath expression: {first}"
        if not all(map(math.isfinite, self.labels.values())):
            wrong["labels"] = "labels: expected numbers that are finite"
        if self.confidence and not self.labels:
            what = "a confidence goes with labels; write labels = { POSITIVE = 1, NEGATIVE = -1 }"
            wrong["confidence"] = what
        if wrong:
            raise RuleError(wrong)


class Description(Record, kw_only=True):
    """The whole file."""

    system: SystemTable
    answer: AnswerTable
    request: RequestTable = field(default_factory=RequestTable)
    limits: Limits = field(default_factory=Limits)


def _request_problems(file: RecordFile, found: Description) -> Iterator[Problem]:
    """What is wrong between keys that are each right, and with the environment."""
    request, get = found.request, found.system.method.upper() == "GET"
    body = {} if request.body is None else {"body": request.template}
    templates = {**body, "query": request.query}
    leaves = dict(_leaves(templates))

    def problem(where: str, what: str) -> Problem:
        key = re.split(r"[.\[]", where)[0]
        return Problem(file.at(["request", key]), f"[request] {where}: {what}")

    if get and body:
        yield problem("body", "a GET has no body; use query instead")
    if not _asks_for_texts(templates) and (body or get):
        what = f'the text is nowhere in it; write "{TEXT}" where it belongs'
        yield problem("query" if get else "body", what)
    for where, leaf in leaves.items():
        if TEXTS in leaf and (leaf != TEXTS or where.startswith("query")):
            yield problem(where, f'"{TEXTS}" is a list and stands alone, in the body')
    if TEXTS in leaves.values() and any(TEXT in leaf for leaf in leaves.values()):
        yield problem("body", f'use either "{TEXT}" or "{TEXTS}", not both')
    elif request.batch > 1 and _asks_for_texts(templates) and TEXTS not in leaves.values():
        yield problem("batch", f'a batch of {request.batch} needs "{TEXTS}" in the body')
    for where, name in _variables({**templates, "headers": request.headers}):
        if not name.isidentifier() or name not in os.environ:
            what = f"the environment has no variable {name!r}; set it before you run Tiltmeter"
            yield problem(where, what)


def described_service(target: str, options: Options) -> System:
    """Open the service a TOML file describes; nothing is sent before the first text."""
    require_http()
    path = Path(target)
    try:
        file = read_toml(path, "a description with [system] and [answer]", compose=False)
    except CorpusError as error:
        raise SystemFailure(str(path), f"cannot be used as described: {error}") from error
    found, problems = check_record(file, Description)
    if found is not None and not problems:
        problems = list(_request_problems(file, found))
    if problems or found is None:
        listing = "\n".join(f"  {problem}" for problem in problems)
        raise SystemFailure(str(path), f"cannot be used as described:\n{listing}")
    limits = found.limits if options.patient else found.limits.while_somebody_waits()
    most, method = found.request.batch, found.system.method.upper()
    body, query = found.request.template, found.request.query
    if found.request.body is None and not _asks_for_texts(query):
        body = {"text": TEXT} if most == 1 else {"texts": TEXTS}
    template = {"body": body, "query": query, "headers": found.request.headers}
    many = any(leaf == TEXTS for _, leaf in _leaves([body, query]))
    system, answer = found.system, found.answer
    if options.parse is not None and answer.labels:
        what = f"reads a number, and {path} has labels; leave out --parse, or [answer] labels"
        raise ArgumentError("parse", what)
    extractor = ScoreExtractor(
        answer.score, answer.labels, answer.confidence, many=many, parse=options.parse or "",
        read=None if options.parse is None else answer_reader(options.parse),
    )  # fmt: skip
    name, url = system.name or path.stem, shown_url(system.url)
    notes = [f"asked with {method} {url}; the score is at `{extractor.score}`"]
    if extractor.parse:
        notes.append(f"the number is read from what stands there with --parse {extractor.parse}")
    if extractor.labels:
        listed = ", ".join(f"{label} = {number:g}" for label, number in extractor.labels.items())
        sure = extractor.confidence
        times = f", times the probability at `{sure}`" if sure else ""
        notes.append(f"labels are scored {listed}{times}".replace("-", "−"))
    settings = {
        "url": url, "method": method, "body": masked(body), "query": masked(query),
        **extractor.settings,
    }  # fmt: skip
    card = Card(
        name,
        options.task_among(name, (system.task,) if system.task else TASKS),
        options.scale_of(name, Scale(*system.scale) if system.scale else extractor.scale),
        system.languages,
        system.version,
        system.licence,
        settings,
        price=limits.price / most,
        notes=tuple(notes),
    )
    request = _with_variables(template)
    # Whatever is sent and must not be shown
    values = [os.environ[variable].strip() for _, variable in _variables(template)]
    values += url_secrets(system.url)
    values += header_secrets(request["headers"])
    for where, leaf in _leaves([request["body"], request["query"]]):
        if looks_secret(where.rpartition(".")[2], leaf) and TEXT not in leaf and leaf != TEXTS:
            values.append(leaf)
    headers = {header: value.strip() for header, value in request["headers"].items()}
    service = open_service(name, system.url, limits, secrets(values), headers)

    def answers(texts: Sequence[str]) -> list[Answer]:
        answered: list[Answer] = []
        for start in range(0, len(texts), most):
            part = texts[start : start + most]
            body, query = (with_texts(request[key], part) for key in ("body", "query"))
            reply = fetch(service, method, body, list(query.items()))
            if isinstance(reply, Missing):
                answered += [reply] * len(part)
            else:
                answered += extractor.extract(reply, len(part))
        return answered

    pace = Pace(most, "threads", limits.concurrency, one_by_one=not many or most == 1)
    return System(card, answers, pace, close=service.close)


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


def _asks_for_texts(template: object) -> bool:
    """True where a placeholder for a text stands somewhere in a template."""
    return any(TEXT in leaf or TEXTS in leaf for _, leaf in _leaves(template))


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
    limits = limits if options.patient else limits.while_somebody_waits()
    check_address("http", target)
    name = shown_url(target)
    service = open_service(name, target, limits, secrets(url_secrets(target)))

    def form(shape: AnswerShape) -> System:
        extractor = shape.extractor
        notes = [f'guessed: asked with POST {{"text": …}}, read from {shape}']
        if extractor.labels:
            what = "a positive label scores its probability, a negative one minus it, neutral 0"
            notes.append(what)
        asked = {"url": name, "method": "POST", "body": {"text": "{text}"}}
        card = Card(
            name,
            options.task_among(name, TASKS),
            options.scale_of(name, shape.scale),
            settings={**asked, **extractor.settings},
            notes=tuple(notes),
        )

        def answer(texts: Sequence[str]) -> list[Answer]:
            replies = [fetch(service, "POST", {"text": text}) for text in texts]
            return [
                reply if isinstance(reply, Missing) else extractor.extract(reply, 1)[0]
                for reply in replies
            ]

        pace = Pace(1, "threads", limits.concurrency)
        return System(card, answer, pace, close=service.close)

    def probe() -> System:
        """In the shape of the answer to the probe, or a failure that shows the answer."""
        few = structs.replace(limits, retries=min(limits.retries, PROBE_RETRIES))
        reply = fetch(replace(service, limits=few), "POST", {"text": PROBE})
        describe = "describe the service in a .toml file (docs/systems.md#a-description)"
        if isinstance(reply, Missing) and reply.unreachable:
            raise UnreachableError(name, reply.reason)
        if isinstance(reply, Missing):
            what = f'could not be asked with POST {{"text": …}}: {reply.reason}'
            raise SystemFailure(name, f"{what}; if it expects something else, {describe}")
        for shape in SHAPES:
            if shape.fits(reply):
                return form(shape)
        what = f"answered {reply.shown}; tried to read {', '.join(map(str, SHAPES))}; {describe}"
        raise SystemFailure(name, what)

    return with_unknown_form([form(shape) for shape in SHAPES], probe)
