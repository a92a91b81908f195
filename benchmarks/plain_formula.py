"""The standard error of a tilt over people, templates and words, as a plain loop writes it.

V = V_people + V_sentences − V_noise and V_sentences = V_templates + V_words − V_frames, neither
less than what it is made of. For one system with all its scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from plain_tilt import Key, pairs_of
from tiltmeter.measures import Contrast

Array = NDArray[np.float64]
Numbers = list[tuple[Key, float]]
"""Numbers, each with the cluster it is in."""


def plain_tilt(
    sentences: pl.DataFrame, scores: Array, contrast: Contrast, axes: Sequence[str]
) -> tuple[float, float, float]:
    """The tilt, its standard error and degrees of freedom."""
    rows, others = sentences.to_dicts(), [axis for axis in axes if axis != contrast.axis]
    deltas: list[tuple[float, Key]] = []
    single: Numbers = []
    single_frames: Numbers = []
    names: dict[Key, Numbers] = defaultdict(list)
    for first, second, key in pairs_of(rows, contrast):
        delta = _mean(scores[n] for n in first) - _mean(scores[n] for n in second)
        deltas.append((delta, key))
        if len(first) == 1 and len(second) == 1:
            single.append(((key[1],), delta))
            single_frames.append(((key[0],), delta))
            continue
        for side, sign in ((first, 1.0), (second, -1.0)):
            cells: dict[Key, list[int]] = defaultdict(list)
            for nth in side:
                cells[tuple(str(rows[nth][axis]) for axis in others)].append(nth)
            for cell, some in cells.items():
                middle = _mean(scores[n] for n in some)
                names[key[1], str(sign), *cell] += [
                    ((str(rows[n]["person"]),), sign * (scores[n] - middle) / len(side))
                    for n in some
                ]
    size = len(deltas)
    value = _mean(delta for delta, _ in deltas)
    people = [_clusters(some, size) for some in (single, *names.values()) if some]
    v_people = sum(v for v, _ in people)
    df_people = v_people**2 / sum(v**2 / df for v, df in people)
    v_templates, df_templates = _clusters([((key[2],), one) for one, key in deltas], size)
    v_words, df_words = _clusters([((key[3],), one) for one, key in deltas], size)
    frames = _groups([((key[0],), one) for one, key in deltas])
    v_frames = sum((sum(f) - len(f) * value) ** 2 for f in frames) / size**2
    v_frames *= len(frames) / (len(frames) - 1)
    noise = _noise(single, single_frames, names) * len(frames) / (len(frames) - 1) / size**2
    v_sentences = max(v_templates + v_words - v_frames, v_templates, v_words)
    total = max(v_people + v_sentences - noise, v_people, v_sentences)
    parts = ((v_people, df_people), (v_templates, df_templates), (v_words, df_words))
    spent = sum(v**2 / df for v, df in parts)
    return value, total**0.5, min(total**2 / spent, sum(df for _, df in parts))


def _clusters(numbers: Numbers, whole: int) -> tuple[float, float]:
    """A source's variance and degrees of freedom, from the matrix of its quadratic form."""
    groups = _groups(numbers)
    n = np.array([len(one) for one in groups], np.float64)
    sums, shares = np.array([sum(one) for one in groups]), n / n.sum()
    apart = sums - n * sums.sum() / n.sum()
    centred = np.eye(len(n)) - shares[None, :]
    form = centred.T @ np.diag(shares**2 / (1 - shares)) @ centred
    scale = (shares**2).sum() / np.trace(form)
    df = np.trace(form) ** 2 / np.trace(form @ form)
    return float(scale * (apart**2 / (1 - shares)).sum() / whole**2), float(df)


def _noise(single: Numbers, frames: Numbers, names: dict[Key, Numbers]) -> float:
    """What neither a person nor a frame accounts for, scaled to all of them."""
    left = sum(_within(some) for some in names.values())
    many = sum(len(_groups(some)) for some in names.values())
    total = left * many / (many - len(names)) if names else 0.0
    if single:
        middle, units = _mean(one for _, one in single), len(_groups(single))
        between = sum(len(one) * (_mean(one) - middle) ** 2 for one in _groups(frames))
        total += max(_within(single) - between, 0.0) * units / (units - 1)
    return total


def _within(numbers: Numbers) -> float:
    return sum((x - _mean(one)) ** 2 for one in _groups(numbers) for x in one)


def _groups(numbers: Numbers) -> list[list[float]]:
    found: dict[Key, list[float]] = defaultdict(list)
    for key, number in numbers:
        found[key].append(number)
    return list(found.values())


def _mean(numbers: Iterable[float]) -> float:
    listed = [float(one) for one in numbers]
    return sum(listed) / len(listed)
