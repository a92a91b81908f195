"""Whether answers hold: stored ones against asking again, and batches against single texts.

A fingerprint covers a system's card, which is not all that its answers depend on: a function loads
a model file, a program reads its data, a service is changed behind its address. Where stored scores
are about to be used, some of their texts are asked again first. Of n texts drawn at random, one
that has changed is among them with probability 1 − (1 − q)ⁿ, q being the share that has changed:
16 texts find 95 of 100 changes that move a sixth of the answers.

Padding in a batch can move a float32 model a little, and a faulty one a lot. So before a system
that takes batches is asked for real, a few texts are asked together, again, and one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.scoring.local import ask_all
from tiltmeter.systems.protocol import Answer, Missing, System, ask

Array = NDArray[np.float64]

ASKED_AGAIN = 16
"""Texts asked again of a system that is free to ask; of others as many as the user says."""
TOLERANCE = 1e-6
"""Of the scale: what the measures take for no difference. A system that takes batches may move by
as much as the batch probe lets pass, since its stored answers come from other batches."""
BATCH_TOLERANCE = 1e-5
"""Of the scale; what a float32 model may move without being noticed."""
PROBED = 8
"""Texts asked together and one by one."""
LEAST_LIKELY = 1e-4
"""How rarely chance alone may make stored answers of a varying system look like another one's."""


class Agreement(StrEnum):
    """What came of asking again."""

    NOT_ASKED = "not asked"
    SAME = "same"
    VARY = "vary"
    """The new answers differ from each other too: the stored ones are as good as any."""
    CHANGED = "changed"
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class SpotCheck:
    """What became of a few stored scores that were asked again."""

    agreement: Agreement = Agreement.NOT_ASKED
    texts: int = 0
    """How many were asked again."""
    moved: int = 0
    """How many of them differ from what is stored."""
    largest: float = 0.0
    """The largest difference, in the system's own unit; infinite where there is no answer now."""
    reason: str = ""
    """Why there was no answer."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say where a system no longer answers as its stored scores say."""
        if self.agreement is not Agreement.CHANGED:
            return ()
        far = f", by up to {self.largest:.2g}" if np.isfinite(self.largest) else ""
        return (
            f"it has changed under the same version and settings: {self.moved:,} of "
            f"{self.texts:,} stored scores asked again differ{far}; what was stored of it is "
            "dropped, and everything was asked anew",
        )


NOT_CHECKED = SpotCheck()


def texts_to_check(system: System, wanted: int | None) -> int:
    """How many texts to ask again: as the user says, else none where asking costs."""
    if wanted is not None:
        return wanted
    return 0 if system.costs else ASKED_AGAIN


def draw(stored: pl.DataFrame, many: int, fingerprint: str) -> pl.DataFrame:
    """Some stored scores (text, raw), the same for the same fingerprint and scores."""
    known = stored.filter(pl.col("raw").is_not_null() & (pl.col("repeat") == 0))
    rng = np.random.default_rng(int(fingerprint[:16], 16))
    drawn = rng.choice(known.height, min(many, known.height), replace=False)
    return known[np.sort(drawn)].select("text", "raw")


def spot_check(system: System, drawn: pl.DataFrame, workers: int | None = None) -> SpotCheck:
    """Ask drawn texts again; a second time where the answers are others, to tell change from noise.

    Texts are asked one by one where a batch may matter: what is stored is within the batch probe's
    tolerance of that, whatever batches it was asked in.
    """
    if drawn.is_empty():
        return NOT_CHECKED
    alone = system.pace.one_by_one
    asked = system if alone else replace(system, pace=replace(system.pace, batch=1))
    texts, stored = drawn["text"].to_list(), drawn["raw"].to_numpy()
    answers = _ask(asked, texts, workers)
    again, many = _numbers(answers), len(texts)
    if system.costs:  # a service that fails has not changed
        there = ~np.isnan(again)
        if not there.any():
            reasons = (one.reason for one in answers if isinstance(one, Missing))
            return SpotCheck(Agreement.NO_ANSWER, many, reason=next(reasons, ""))
        texts = [text for text, one in zip(texts, there, strict=True) if one]
        stored, again = stored[there], again[there]
    scale = system.card.scale
    width = scale.width if scale else float(np.ptp(stored))
    tolerance = (TOLERANCE if alone else BATCH_TOLERANCE) * width
    apart = _apart(stored, again)
    moved = int((apart > tolerance).sum())
    if not moved:
        return SpotCheck(Agreement.SAME, many)
    once_more = _numbers(_ask(asked, texts, workers))
    if system.costs:
        once_more = np.where(np.isnan(once_more), again, once_more)
    varies = bool((_apart(again, once_more) > tolerance).any())
    changed = not varies or stored_stand_apart(stored, again, once_more)
    found = Agreement.CHANGED if changed else Agreement.VARY
    return SpotCheck(found, many, moved, float(apart.max()))


def stored_stand_apart(stored: Array, again: Array, once_more: Array) -> bool:
    """Whether a varying system's stored answers are surely not of the same kind as the new ones.

    Of three answers of one kind to a text, each is the one apart from the other two equally often:
    the stored one in at most a third of the texts. That it is so in all n of them has a probability
    of 3⁻ⁿ at most.

    >>> noise = np.arange(10.0) / 1000
    >>> stored_stand_apart(noise, noise + 0.5, 0.501 - noise), stored_stand_apart(noise, noise, -noise)
    (True, False)
    """  # noqa: E501
    near = _apart(again, once_more)
    apart = np.minimum(_apart(stored, again), _apart(stored, once_more))
    differ = np.maximum(near, apart) > 0
    n = int(differ.sum())
    return bool((near < apart)[differ].all()) and 3.0**-n < LEAST_LIKELY


def _ask(system: System, texts: Sequence[str], workers: int | None) -> list[Answer]:
    found: dict[str, Answer] = {}
    for batch in ask_all(system, texts, workers):
        found.update(zip(batch.texts, batch.answers, strict=True))
    return [found[text] for text in texts]


def _numbers(answers: Sequence[Answer]) -> Array:
    return np.array([np.nan if isinstance(one, Missing) else one for one in answers])


def _apart(first: Array, second: Array) -> Array:
    """How far answers lie apart; without end where only one of two is there."""
    apart = np.abs(first - second)
    lost = np.isnan(first) != np.isnan(second)
    found: Array = np.where(lost, np.inf, np.nan_to_num(apart, nan=0.0))
    return found


def check_batch_invariance(system: System, texts: Sequence[str]) -> tuple[System, list[str]]:
    """The system to ask, one text at a time where its batches matter, and what to say about it."""
    few = list(dict.fromkeys(texts))[:PROBED]
    if system.pace.one_by_one or system.pace.batch == 1 or len(few) < 2:
        return system, []
    together, again = _numbers(ask(system, few)), _numbers(ask(system, few))
    there = together[~np.isnan(together)]
    spread = max(float(np.ptp(there)) if there.size else 0.0, 1.0)
    tolerance = BATCH_TOLERANCE * (system.card.scale.width if system.card.scale else spread)
    if _apart(together, again).max() > tolerance:
        note = "answers differ from one call to the next; --repeat N measures by how much"
        return system, [note]
    alone = _numbers([answer for text in few for answer in ask(system, [text])])
    moved = _apart(together, alone).max()
    if moved <= tolerance:
        return system, []
    note = f"answers move by {moved:.2g} with the batch they are in, so texts are asked one by one"
    return replace(system, pace=replace(system.pace, batch=1)), [note]
