"""The explorer's server: the page, whom a text mentions, scores as they come, and why.

Scores stream as lines of JSON, each as soon as a system has it: `{"system", "start", "raw",
"scale"}`, `{"system", "waiting"}` where one is slow, `{"system", "down"}` where it fails, and
`{"done": true}` in the end. Every name and every word are asked about only where that is free or
agreed to; else `{"system", "cost"}` says how many questions it is, and the price of one.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from tiltmeter.corpora import read_people
from tiltmeter.errors import TiltmeterError
from tiltmeter.explore.assets import STATIC, explorer_script, page_file
from tiltmeter.explore.events import Event, reading_of, scores_event, status_of, why_event
from tiltmeter.explore.guard import Guard
from tiltmeter.explore.live import LiveState, LiveSystem
from tiltmeter.explore.requests import (
    MOST_BYTES,
    CorpusRequest,
    EvidenceRequest,
    NamesRequest,
    ReadRequest,
    ScoreRequest,
    WhyRequest,
    read_request,
)
from tiltmeter.explore.session import Explorer, add_sentences
from tiltmeter.studies.explain.text import probe_text
from tiltmeter.systems import Missing

WAITING = 1.0
"""Seconds after which the page is told that a system is still busy, and again each time."""


def explorer_app(explorer: Explorer, token: str, hosts: Sequence[str]) -> ASGIApp:
    """The server as an ASGI application, guarded."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        for system in explorer.systems:
            system.open_soon()
        yield
        for system in explorer.systems:
            system.close()

    handlers = Handlers(explorer)
    routes = [
        Route("/", handlers.index),
        Route("/static/{name}", handlers.static),
        Route("/api/start", handlers.start),
        Route("/api/status", handlers.status),
        Route("/api/read", handlers.read, methods=["POST"]),
        Route("/api/score", handlers.score, methods=["POST"]),
        Route("/api/names", handlers.names, methods=["POST"]),
        Route("/api/why", handlers.why, methods=["POST"]),
        Route("/api/corpus", handlers.corpus, methods=["POST"]),
        Route("/api/evidence", handlers.evidence, methods=["POST"]),
    ]
    errors = {TiltmeterError: _as_error, ClientDisconnect: _as_gone}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=errors)
    return Guard(app, token, hosts)


class Handlers:
    """What each address answers."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer

    async def index(self, _: Request) -> Response:
        """The page."""
        return Response(page_file("index.html"), media_type="text/html")

    async def static(self, request: Request) -> Response:
        """A file of the page, by its name in a fixed list."""
        kind = STATIC.get(request.path_params["name"])
        if kind is None:
            return JSONResponse({"error": "there is no such file"}, status_code=404)
        name = request.path_params["name"]
        content = explorer_script() if name == "explore.js" else page_file(name)
        return Response(content, media_type=kind)

    async def start(self, _: Request) -> Response:
        """Everything the page needs to begin."""
        explorer = self.explorer
        return _json(
            {
                "systems": [status_of(system) for system in explorer.systems],
                "names": [msgspec.to_builtins(name) for name in explorer.names],
                "corpus": explorer.corpus.name,
                "audits": [audit.summary for audit in explorer.audits],
                "example": explorer.example,
            }
        )

    async def status(self, _: Request) -> Response:
        """How each system is at the moment."""
        return _json({"systems": [status_of(system) for system in self.explorer.systems]})

    async def read(self, request: Request) -> Response:
        """Whom a text mentions, its counterpart, and whether a name can stand in it."""
        asked = read_request(await _body(request), ReadRequest)
        return _json(reading_of(asked.text, asked.decisions))

    async def score(self, request: Request) -> Response:
        """Scores of texts."""
        asked = read_request(await _body(request), ScoreRequest)
        systems = self.explorer.named(asked.systems)
        return _stream(systems, asked.texts, each=scores_event)

    async def names(self, request: Request) -> Response:
        """Scores of a text about every name."""
        asked = read_request(await _body(request), NamesRequest)
        frame = read_people(asked.text, asked.decisions).frame()
        texts = [frame.text(name.name, name.gender) for name in self.explorer.names]
        return _stream(
            self.explorer.named(asked.systems), texts, each=scores_event, agreed=asked.agreed
        )

    async def why(self, request: Request) -> Response:
        """What each word does to the score, the names alone, and the system's lexicon."""
        asked = read_request(await _body(request), WhyRequest)
        people = read_people(asked.text, asked.decisions)
        probe = probe_text(asked.text, [one.text for one in people.mentions if one.kind == "name"])

        return _stream(
            self.explorer.named(asked.systems),
            probe.questions,
            whole=lambda system, raw: why_event(system, probe, raw),
            agreed=asked.agreed,
        )

    async def corpus(self, request: Request) -> Response:
        """Sentences added to the user's corpus."""
        asked = read_request(await _body(request), CorpusRequest)
        rows = add_sentences(self.explorer.corpus, asked.sentences)
        return _json({"file": self.explorer.corpus.name, "rows": rows})

    async def evidence(self, request: Request) -> Response:
        """What the audits opened here know of one name."""
        asked = read_request(await _body(request), EvidenceRequest)
        found = [
            evidence for audit in self.explorer.audits if (evidence := audit.person(asked.person))
        ]
        return _json({"audits": found})


def _stream(
    systems: Sequence[LiveSystem],
    texts: Sequence[str],
    *,
    each: Callable[[LiveSystem, int, Sequence[Any]], Event] | None = None,
    whole: Callable[[LiveSystem, Sequence[float | None]], Event] | None = None,
    agreed: Sequence[str] | None = None,
) -> StreamingResponse:
    """Lines of JSON from all systems at once, as they come: of each batch, or of all together.

    `agreed`: who may be asked at a price; None: everybody.
    """

    async def ask(system: LiveSystem, events: asyncio.Queue[Event]) -> None:
        name, every = {"system": system.name}, list[float | None]()
        try:
            if agreed is not None and system.name not in agreed:
                cost = await system.cost_of(texts)
                if cost.questions:
                    await events.put(name | {"cost": msgspec.to_builtins(cost)})
                    return
            async for part in system.answers(texts):
                if each is not None:
                    await events.put(name | each(system, part.start, part.answers))
                every += [None if isinstance(one, Missing) else one for one in part.answers]
            if whole is not None:
                await events.put(name | await asyncio.to_thread(whole, system, every))
        except Exception as error:  # one system's failure is not the others'
            await events.put(name | {"down": _reason(system, error)})

    async def lines() -> AsyncIterator[bytes]:
        events: asyncio.Queue[Event] = asyncio.Queue()
        running = {asyncio.create_task(ask(system, events)): system for system in systems}
        began = asyncio.get_running_loop().time()
        try:
            while running or not events.empty():
                try:
                    yield _line(await asyncio.wait_for(events.get(), WAITING if running else 0.01))
                except TimeoutError:
                    seconds = round(asyncio.get_running_loop().time() - began)
                    for task, system in running.items():
                        if not task.done() and seconds:
                            yield _line({"system": system.name, "waiting": seconds})
                running = {task: one for task, one in running.items() if not task.done()}
            yield _line({"done": True})
        finally:
            for task in running:
                task.cancel()

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def _reason(system: LiveSystem, error: Exception) -> str:
    if system.state is LiveState.DOWN and system.why:
        return system.why
    return str(error) or type(error).__name__


async def _body(request: Request) -> bytes:
    """A request's body, read no further than it may be long."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise TiltmeterError(f"the request is larger than {MOST_BYTES:,} bytes")
    return bytes(body)


def _json(content: Event) -> Response:
    return Response(msgspec.json.encode(content), media_type="application/json")


def _line(event: Event) -> bytes:
    return msgspec.json.encode(event) + b"\n"


async def _as_error(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=400)


async def _as_gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)
