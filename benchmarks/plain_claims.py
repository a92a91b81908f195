"""A claim by names as plain Python writes it from the definitions: the peer of `claims.py`.

Nothing of Tiltmeter's own arithmetic is used. A score is a person's effect plus its frame's, by
least squares; a cell's mean is Hájek's; the variance over people has two stages, the floor, and is
raised for skew (docs/verdicts.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Row = tuple[str, str, str, str, bool]
"""person, frame, gender, race, and whether the sentence has an emotion word."""


@dataclass(frozen=True, slots=True)
class Person:
    """How somebody was drawn."""

    weight: float
    probability: float


def plain_claim(
    rows: Sequence[Row],
    scores: Sequence[float],
    people: Mapping[str, Person],
    groups: tuple[str, str],
) -> tuple[float, float]:
    """The tilt between two groups of race, averaged over gender, and its error over people."""
    in_frame: dict[str, list[float]] = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        in_frame[row[1]].append(score)
    mean = {frame: sum(some) / len(some) for frame, some in in_frame.items()}
    met: dict[str, list[str]] = defaultdict(list)
    apart: dict[str, list[float]] = defaultdict(list)
    cell: dict[str, tuple[str, str]] = {}
    spoken: dict[str, bool] = {}
    for (person, frame, gender, race, word), score in zip(rows, scores, strict=True):
        met[person].append(frame)
        apart[person].append(score - mean[frame])
        cell[person], spoken[frame] = (gender, race), word
    shift = _frames(met, apart, in_frame)
    effect = {
        person: sum(a - shift[f] for a, f in zip(apart[person], met[person], strict=True))
        / len(met[person])
        for person in met
    }
    level = [mean[f] + shift[f] for f in in_frame if spoken[f]]
    moves = max(np.var(level), np.var(list(effect.values())))
    value = variance = third = 0.0
    genders = sorted({gender for gender, _ in cell.values()})
    for gender in genders:
        for race, sign in zip(groups, (1.0, -1.0), strict=True):
            share = sign / len(genders)
            mine = [person for person in met if cell[person] == (gender, race)]
            found, spread, skew = _cell(mine, effect, apart, people, len(in_frame), float(moves))
            value += share * found
            variance += share**2 * spread
            third += share**3 * skew
    raised = 1.0 + 2.0 * min(third**2 / variance**3, 0.25)
    return value, float(np.sqrt(variance * raised))


def _frames(
    met: Mapping[str, list[str]],
    apart: Mapping[str, list[float]],
    in_frame: Mapping[str, list[float]],
) -> dict[str, float]:
    """What frames are beside their mean: the normal equations, filled in loops."""
    at = {frame: nth for nth, frame in enumerate(in_frame)}
    matrix, right = np.zeros((len(at), len(at))), np.zeros(len(at))
    for frame, some in in_frame.items():
        matrix[at[frame], at[frame]] = len(some)
    for person, frames in met.items():
        each = sum(apart[person]) / len(frames)
        for one in frames:
            right[at[one]] -= each
            for other in frames:
                matrix[at[one], at[other]] -= 1.0 / len(frames)
    solved = np.linalg.lstsq(matrix, right, rcond=1e-10)[0]
    solved -= solved.mean()
    return {frame: float(solved[nth]) for frame, nth in at.items()}


def _cell(
    mine: Sequence[str],
    effect: Mapping[str, float],
    apart: Mapping[str, list[float]],
    people: Mapping[str, Person],
    frames: int,
    moves: float,
) -> tuple[float, float, float]:
    """A cell's mean, its variance over people, and the third cumulant of what people add."""
    raw = {one: people[one].weight / (people[one].probability or 1.0) for one in mine}
    whole = sum(raw.values())
    share = {one: raw[one] / whole for one in mine}
    mean = sum(share[one] * effect[one] for one in mine)
    variance = chance = third = some = squares = 0.0
    for one in mine:
        h, pi, k = share[one], people[one].probability, len(apart[one])
        adds = h * np.sqrt((1.0 - pi) / (1.0 - h)) * (effect[one] - mean)
        variance, third = variance + adds**2, third + adds**3
        chance += (1.0 - pi) * h**2
        if pi < 1.0:
            some, squares = some + h, squares + h**2
        own = sum(apart[one]) / k
        noise = sum((a - own) ** 2 for a in apart[one]) / (k * (k - 1)) if k > 1 else 0.0
        variance += pi * (1.0 - k / frames) * h**2 * noise
    if squares:
        p = 0.5 / (some**2 / squares + 1.0)
        variance += chance * p * (1.0 - p) * moves
    return mean, float(variance), float(third)
