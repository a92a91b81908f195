"""What the page is told: readings of a sentence, scores, reasons, and how each system is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tiltmeter.corpora import Mention, PeopleInText, read_people
from tiltmeter.errors import TiltmeterError
from tiltmeter.explore.live import LiveSystem
from tiltmeter.scoring.matrix import NATIVE, SCALE
from tiltmeter.scoring.trial import BRACES, variants
from tiltmeter.studies.explain.knowledge import OWN_VECTORS, known_words, near_words
from tiltmeter.studies.explain.sentences import SentenceProbe, explain_sentence
from tiltmeter.studies.explain.text import TextProbe, explain_text
from tiltmeter.studies.explain.wording import readings_of_system
from tiltmeter.systems import Missing

Event = dict[str, Any]
BRACED = (
    "Braces say what changes here. For every name, write the sentence about one person, without "
    "braces."
)


def reading_of(sentence: str, decisions: Mapping[int, str] | None = None) -> Event:
    """Mentions, the sentences to compare and the frame for names, each with why not."""
    if BRACES.search(sentence):
        return _braced_reading(sentence)
    people = read_people(sentence, decisions)
    reading: Event = {
        "mentions": [_mention_event(one) for one in people.mentions],
        "others": [{"start": one.start, "text": one.text} for one in people.others],
    }
    return reading | _swap_event(people) | _frame_event(people)


def _braced_reading(sentence: str) -> Event:
    """A sentence whose user wrote what changes: `My {sister|brother} sings.`."""
    reading: Event = {"mentions": [], "others": [], "no_names": BRACED}
    try:
        made = variants(sentence)
    except TiltmeterError as error:
        return reading | {"no_swap": str(error), "variants": []}
    return reading | {
        "braced": sentence,
        "variants": [{"text": text, "words": words.split(" … ")} for words, text in made],
    }


def _mention_event(mention: Mention) -> Event:
    return {
        "start": mention.start, "text": mention.text, "kind": mention.kind.value,
        "gender": mention.gender, "race": mention.race, "doubt": mention.doubt,
        "choices": mention.choices, "changes": mention.changes,
    }  # fmt: skip


def _swap_event(people: PeopleInText) -> Event:
    try:
        swap = people.swap()
    except TiltmeterError as error:
        return {"no_swap": str(error)}
    words = [msgspec.to_builtins(word) for word in swap.words]
    return {"swapped": swap.other, "braced": swap.braced, "words": words}


def _frame_event(people: PeopleInText) -> Event:
    try:
        return {"frame": dict(people.frame().parts)}
    except TiltmeterError as error:
        return {"no_names": str(error)}


def status_of(system: LiveSystem) -> Event:
    """How a system is at the moment."""
    card = system.system.card if system.system else None
    return {
        "name": system.name, "state": system.state, "why": system.why,
        "task": card.task if card else None, "version": card.version if card else "",
        "scale": _scale(system), "stored": system.stored,
        "costs": system.costs, "price": card.price if card else 0,
    }  # fmt: skip


def _scale(system: LiveSystem) -> Event | None:
    found = system.scale
    if found.scale is None:
        return None
    return {"low": found.scale.low, "high": found.scale.high, "known": found.known.value}


def scores_event(system: LiveSystem, start: int, answers: Sequence[Any]) -> Event:
    """Answers from one place on, with the scale they are on."""
    raw = [None if isinstance(one, Missing) else one for one in answers]
    reasons = [one.reason if isinstance(one, Missing) else None for one in answers]
    event: Event = {"start": start, "raw": raw, "scale": _scale(system)}
    return event | ({"reasons": reasons} if any(reasons) else {})


def why_event(system: LiveSystem, probe: TextProbe, raw: Sequence[float | None]) -> Event:
    """What the words of a text do to a system's score of it, and what can be read of the system."""
    scale = system.scale.scale
    unit = [None if one is None else scale.to_unit(one) if scale else one for one in raw]
    scores = dict(zip(probe.questions, unit, strict=True))
    known = known_words(system.name, system.system)
    vectors = OWN_VECTORS.get(system.name)
    near = near_words(vectors, probe.names) if vectors and probe.names else {}
    event: Event = {
        "asked": len(raw), "shortened": probe.shortened, "lexicon": known is not None, "facts": [],
    }  # fmt: skip
    if system.system is None:  # closed since it answered
        return event | {"why": msgspec.to_builtins(explain_text(probe, scores))}
    asked = SentenceProbe(probe, ())
    found = explain_sentence(asked, scores, SCALE if scale else NATIVE, known, system.system, near)
    facts = [f"{label}: {words}." for label, words in readings_of_system(found)]
    return event | {"why": msgspec.to_builtins(found.found), "facts": facts}
