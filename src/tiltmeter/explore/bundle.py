"""The explorer as one file to publish: chosen sentences, everything asked beforehand, no server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tiltmeter.corpora import read_people
from tiltmeter.errors import TiltmeterError
from tiltmeter.explore.assets import explorer_script, page_file
from tiltmeter.explore.events import Event, reading_of, scores_event, status_of, why_event
from tiltmeter.explore.live import LiveSystem
from tiltmeter.explore.session import Explorer
from tiltmeter.files import write_text
from tiltmeter.studies.explain.study import QuestionCost
from tiltmeter.studies.explain.text import TextProbe, probe_text
from tiltmeter.systems import Missing

SENTENCES = (
    "My sister feels angry.",
    "Adam made me feel happy.",
    "I talked to her yesterday.",
    "Latisha told us all about the recent wonderful events.",
)
"""What a bundle holds where no sentence is given."""
NOTE = "A published copy: these sentences alone. To type your own: tiltmeter explore"


def bundle_costs(explorer: Explorer, sentences: Sequence[str] = ()) -> list[QuestionCost]:
    """What a bundle asks of each system that has a price or is a service; nothing is asked yet."""
    plans = [_plan(explorer, sentence) for sentence in sentences or SENTENCES]
    texts = list(dict.fromkeys(text for plan in plans for text in plan.every))

    async def costs() -> list[QuestionCost]:
        every = [(system, await system.cost_of(texts)) for system in explorer.systems]
        return [
            QuestionCost(
                system.name, len(texts), cost.questions, len(texts) - cost.questions,
                cost.questions * cost.price,
            )
            for system, cost in every
            if system.costs
        ]  # fmt: skip

    return asyncio.run(costs())


def write_bundle(explorer: Explorer, folder: Path, sentences: Sequence[str] = ()) -> Path:
    """Ask everything the page may show of the sentences, and write `index.html`."""
    content = asyncio.run(_ask_everything(explorer, sentences or SENTENCES))
    data = msgspec.json.encode(content).decode()
    for mark, safe in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        data = data.replace(mark, safe)
    script = f"globalThis.TILTMETER_BUNDLE = {data};\n{explorer_script()}"
    style = page_file("explore.css")
    page = (
        page_file("index.html")
        .replace('<link rel="stylesheet" href="/static/explore.css">', f"<style>{style}</style>")
        .replace('<script src="/static/explore.js" defer></script>', _policy(script, style))
        .replace("</body>", f"<script>{script}</script>\n</body>")
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_text(page, folder / "index.html", links=False)
    return folder / "index.html"


def _policy(script: str, style: str) -> str:
    """What the page may run: its own script and style, known by their digests."""

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">\n'
        '<meta name="referrer" content="no-referrer">'
    )


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """What every system is asked for one sentence."""

    reading: Event
    texts: list[str]
    """The sentence and the one about somebody else."""
    of_names: list[str]
    probe: TextProbe

    @property
    def every(self) -> list[str]:
        """All of it."""
        return [*self.texts, *self.of_names, *self.probe.questions]


def _plan(explorer: Explorer, sentence: str) -> SentencePlan:
    people, reading = read_people(sentence), reading_of(sentence)
    texts = [one["text"] for one in reading.get("variants", ())] or [
        sentence, *([reading["swapped"]] if "swapped" in reading else [])
    ]  # fmt: skip
    of_names = list[str]()
    if "frame" in reading:
        frame = people.frame()
        of_names = [frame.text(name.name, name.gender) for name in explorer.names]
    mentions = [mention.text for mention in people.mentions if mention.kind == "name"]
    return SentencePlan(reading, texts, of_names, probe_text(texts[0], mentions))


async def _ask_everything(explorer: Explorer, sentences: Sequence[str]) -> dict[str, Any]:
    """Readings, scores, names and reasons of every sentence, as the page's script expects them."""
    held: dict[str, Any] = {}
    scores: dict[str, dict[str, Any]] = {system.name: {} for system in explorer.systems}
    for sentence in sentences:
        plan = _plan(explorer, sentence)
        names, why = list[dict[str, Any]](), list[dict[str, Any]]()
        for system in explorer.systems:
            for text, raw in zip(plan.texts, await _numbers(system, plan.texts), strict=True):
                scores[system.name][text] = raw
            if plan.of_names:
                raw_of_names = await _numbers(system, plan.of_names)
                names.append({"system": system.name} | scores_event(system, 0, raw_of_names))
                scores[system.name] |= dict(zip(plan.of_names, raw_of_names, strict=True))
            asked = await _numbers(system, plan.probe.questions)
            why.append({"system": system.name} | why_event(system, plan.probe, asked))
        held[sentence] = {"reading": plan.reading, "names": names, "why": why}
    people_of = {
        name.name: found
        for name in explorer.names
        if (found := [one for audit in explorer.audits if (one := audit.person(name.name))])
    }
    start = {
        "systems": [status_of(system) for system in explorer.systems],
        "names": [msgspec.to_builtins(name) for name in explorer.names],
        "audits": [audit.summary for audit in explorer.audits],
        "example": sentences[0],
    }
    for system in explorer.systems:
        system.close()
    return {
        "start": start, "sentences": held, "scores": scores, "people": people_of, "note": NOTE,
        "missing": "This sentence is not among those published.",
    }  # fmt: skip


async def _numbers(system: LiveSystem, texts: Sequence[str]) -> list[float | None]:
    """A system's answers as numbers; a system that is down stops the bundle with the reason."""
    found = list[float | None]()
    async for part in system.answers(texts):
        found += [None if isinstance(one, Missing) else one for one in part.answers]
    if len(found) != len(texts):
        raise TiltmeterError(f"the system {system.name!r} gave no answers: {system.why}")
    return found
