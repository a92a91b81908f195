"""Why a name, or a sentence, has its score: what is asked of the system, and what it comes to.

The sentence, each word left out in turn, the sentence without its names, each name by itself, and
the sentence with a typical name in its place. What can be read of the system stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.ranking import coarsen, coarsen_column
from tiltmeter.studies.explain.carriers import Carriers
from tiltmeter.studies.explain.knowledge import (
    KnownWords,
    LinearScore,
    NearWord,
    linear_model,
)
from tiltmeter.studies.explain.material import TiltMaterial
from tiltmeter.studies.explain.text import TextExplanation, TextProbe, explain_text, probe_text
from tiltmeter.studies.paired.claims import NAMES
from tiltmeter.systems import System

MOST_NAMES = 5
"""Names of an audit that are asked about."""
GENDER = "gender"


@dataclass(frozen=True, slots=True)
class NameSwap:
    """A typical name in the place of another, as the reader may check it."""

    name: str
    typical: str
    text: str


@dataclass(frozen=True, slots=True)
class SentenceProbe:
    """What is asked of a system about one sentence and the names in it."""

    probe: TextProbe
    swaps: tuple[NameSwap, ...]
    of_name: str = ""
    """The name it is asked for; nothing where a user typed the sentence."""

    @property
    def questions(self) -> tuple[str, ...]:
        """Every text that is asked, each once; none that is blank."""
        every = (*self.probe.questions, *(one.text for one in self.swaps))
        return tuple(text for text in dict.fromkeys(every) if text.strip())


@dataclass(frozen=True, slots=True)
class SentenceExplanation:
    """Why a sentence has its score."""

    asked: SentenceProbe
    found: TextExplanation
    with_typical: tuple[float | None, ...]
    """The score with a typical name, for each swap."""
    unit: str
    source: str
    """Which word list of the system's was read; nothing where none can be."""
    known: Mapping[str, float]
    """The sentence's words that the system knows, with their numbers."""
    knows_names: Mapping[str, bool | None]
    """By name; None where nobody can tell."""
    subwords: Mapping[str, tuple[str, ...]]
    near: Mapping[str, Sequence[NearWord]]
    linear: LinearScore | None

    @property
    def name(self) -> str:
        """The name it was asked for."""
        return self.asked.of_name

    @property
    def text(self) -> str:
        """The sentence."""
        return self.asked.probe.text

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        linear = self.linear
        return {
            "name": self.name or None,
            "text": self.text,
            "score": self.found.score,
            "unit": self.unit,
            "without_names": self.found.without_names,
            "names_alone": dict(self.found.names_alone),
            "with_typical": [
                {"name": one.name, "typical": one.typical, "text": one.text, "score": score}
                for one, score in zip(self.asked.swaps, self.with_typical, strict=True)
            ],
            "words": [
                {"word": one.word.text, "start": one.word.start, "effect": one.effect,
                 "is_name": one.is_name, "lexicon": one.lexicon}
                for one in self.found.effects
            ],
            "words_left": self.asked.probe.shortened,
            "lexicon": self.source or None,
            "knows_names": dict(self.knows_names),
            "subwords": {name: list(parts) for name, parts in self.subwords.items()},
            "near": {
                name: [
                    {"word": one.word, "cosine": one.cosine, "rating": one.rating} for one in some
                ]
                for name, some in self.near.items()
            },
            "weights": None if linear is None else {
                "parts": dict(linear.parts), "intercept": linear.intercept,
                "total": linear.total, "decision": linear.decision,
            },
        }  # fmt: skip


def swap_name(text: str, name: str, typical: str) -> str:
    """The sentence with another name.

    >>> swap_name("Tia told Tiana.", "Tia", "Mary")
    'Mary told Tiana.'
    """
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: typical, text)


def probe_sentence(text: str, typical: Mapping[str, str], of_name: str = "") -> SentenceProbe:
    """What to ask about a sentence; `typical` has a typical name for each name in it."""
    swaps = [
        NameSwap(name, other, swap_name(text, name, other))
        for name, other in typical.items()
        if other and other != name
    ]
    return SentenceProbe(probe_text(text, list(typical)), tuple(swaps), of_name)


def explain_sentence(
    asked: SentenceProbe,
    scores: Mapping[str, float | None],
    unit: str,
    known: KnownWords | None,
    system: System,
    near: Mapping[str, Sequence[NearWord]],
) -> SentenceExplanation:
    """What the answers come to, beside what can be read of the system."""
    text, names = asked.probe.text, asked.probe.names
    values = known.values(text) if known else {}
    model = linear_model(system)
    cut = system.subwords
    return SentenceExplanation(
        asked,
        explain_text(asked.probe, scores, values if known else None),
        tuple(scores.get(one.text) for one in asked.swaps),
        unit,
        known.title if known else "",
        values,
        {name: known.knows(name) if known else None for name in names},
        {name: tuple(cut(name)) for name in names} if cut else {},
        {name: near[name] for name in names if name in near},
        model.take_apart(text) if model else None,
    )


# ---------------------------------------------------------------- names of an audit


def names_to_ask(found: Sequence[Carriers], most: int = MOST_NAMES) -> list[tuple[str, Carriers]]:
    """Whose scores to ask about: those that carry the largest tilts, of each claim in turn."""
    claims = [one for one in found if one.claim.kind == NAMES]
    claims.sort(key=lambda one: -coarsen(abs(one.claim.value)))
    lists = [[one.name for one in each.people if one.moves][:most] for each in claims]
    chosen: dict[str, Carriers] = {}
    for nth in range(most):
        for each, names in zip(claims, lists, strict=True):
            if nth < len(names) and len(chosen) < most:
                chosen.setdefault(names[nth], each)
    return list(chosen.items())


def sentence_with(material: TiltMaterial, place: int, name: str) -> SentenceProbe | None:
    """The sentence in which a name stands out most, and a typical name to put into it.

    Typical is the name nearest to the middle of those of the same gender, where the corpus knows
    genders; of several the one with most bearers. None where the corpus has no such name.
    """
    effects = material.study.effects
    mine = effects.people.filter(person=name)
    if mine.is_empty():
        return None
    match = mine["match"][0]
    there = material.sentences.with_columns(y=pl.Series(material.values[place])).filter(
        pl.col("match") == match, pl.col("y").is_not_nan()
    )
    width = max(float(material.width[place]), 1e-300)
    apart = (pl.col("y") - pl.col("y").mean().over("frame")).abs() / width
    own = (
        there.with_columns(apart=apart)
        .filter(person=name)
        .sort(coarsen_column(pl.col("apart")), descending=True, maintain_order=True)
    )
    if own.is_empty():
        return None
    text = str(own["text"][0])
    return probe_sentence(text, {name: typical_name(material, place, name)}, name)


def typical_name(material: TiltMaterial, place: int, name: str) -> str:
    """The name of the same match and gender whose effect lies nearest to the middle."""
    effects = material.study.effects
    people = effects.people.with_columns(value=pl.Series(effects.value[place]))
    mine = people.filter(person=name).row(0, named=True)
    others = people.filter(pl.col("match") == mine["match"], pl.col("value").is_not_nan())
    if GENDER in material.axes and mine[GENDER] is not None:
        others = others.filter(pl.col(GENDER) == mine[GENDER])
    middle = float(np.median(others["value"].to_numpy()))
    width = float(material.width[place])
    near = (((pl.col("value") - middle).abs() / max(width, 1e-300)) * 1e4).round(0)
    ordered = others.filter(pl.col("person") != name).sort(
        near, pl.col("bearers").fill_null(0), descending=[False, True], maintain_order=True
    )
    return str(ordered["person"][0]) if ordered.height else ""


def with_another_name(probe: SentenceProbe, name: str) -> SentenceProbe:
    """The sentence about another name, with the one that stood there as the typical one."""
    text = swap_name(probe.probe.text, probe.of_name, name)
    return probe_sentence(text, {name: probe.of_name}, name)


def all_questions(probes: Iterable[SentenceProbe]) -> list[str]:
    """Every text, each once."""
    return list(dict.fromkeys(text for one in probes for text in one.questions))
