"""Signal: whether a system's scores move with the emotion words, or only by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import fdtrc

from tiltmeter.claims.estimates import EstimateBlock, estimates_table
from tiltmeter.scoring.matrix import Scores, score_matrix
from tiltmeter.stats.moments import members
from tiltmeter.stats.paired_tests import DUST
from tiltmeter.studies.paired.contrasts import GroupLabel, places_in
from tiltmeter.studies.paired.pairs import OWN, GroupSums, corpus_labels

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SIGNAL = "signal"
"""The measure: the share of emotion words told apart; its statistic is F, its n the words."""
ALL = "all"
WORD = ("emotion", "emotion_word")
ERRORS = 2.0
"""Standard errors beyond which a word is told apart."""
MOST = 500_000
"""Words in templates that are held; a corpus with more is not assessed."""


@dataclass(frozen=True, slots=True)
class WordSignal:
    """What was seen of each submission; arrays of shape (submissions,) or (submissions, words)."""

    words: pl.DataFrame
    """emotion, emotion_word."""
    known: Flags
    """Which words have scores beside another word of their template."""
    told: Flags
    """Which of them are told apart."""
    f: Array
    """Infinite where scores move with the words and never within one; NaN without two words."""
    df: Array
    """Degrees of freedom within words."""
    p: Array


class SignalSums:
    """Takes blocks of sentences with their scores, and keeps sums by template and word."""

    def __init__(self, submissions: int) -> None:
        self._sums = GroupSums(submissions, ("template", *WORD), MOST)

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block and its scores, (submissions, sentences); neutral sentences are left out."""
        worded = sentences["emotion_word"].is_not_null().to_numpy()
        self._sums.add(sentences.filter(worded), values[:, worded])

    def signal(self, width: Array) -> WordSignal:
        """What all blocks come to; `width` is each submission's scale, (submissions,)."""
        keys = self._sums.keys
        templates, words = (
            keys.select(by).unique(maintain_order=True) for by in (["template"], WORD)
        )
        n, mean, m2 = (getattr(self._sums.moments, name) for name in ("n", "mean", "m2"))
        template = places_in(keys, templates, ["template"])
        known, middle, level = _levels(n, mean, template)
        between = np.where(known, n * (mean - level) ** 2, 0.0).sum(axis=1)
        within = np.where(known, m2, 0.0).sum(axis=1)
        df = np.where(known, n - 1, 0.0).sum(axis=1)
        in_template = known @ members(template, templates.height)
        df_between = known.sum(axis=1) - (in_template > 0).sum(axis=1)
        # Mean squares without floating-point dust; F is infinite without any spread within words.
        dust = (DUST * width) ** 2
        noise, signal = within / np.maximum(df, 1), between / np.maximum(df_between, 1)
        noise, signal = (np.where(square < dust, 0.0, square) for square in (noise, signal))
        f = np.divide(signal, noise, out=np.where(signal > 0, np.inf, 0.0), where=noise > 0)
        f = np.where(df_between > 0, f, np.nan)
        p = np.where(np.isinf(f), 0.0, fdtrc(np.maximum(df_between, 1), np.maximum(df, 1), f))
        add = members(places_in(keys, words, WORD), words.height)
        apart = np.where(known, mean - middle, 0.0) @ add
        times, sentences = known.astype(np.float64) @ add, np.where(known, n, 0.0) @ add
        error = np.sqrt(noise[:, None] / np.maximum(sentences, 1.0))
        far = np.abs(apart) / np.maximum(times, 1.0) > DUST * width[:, None] + ERRORS * error
        return WordSignal(words, times > 0, far & (times > 0), f, df, np.where(df > 0, p, np.nan))


def signal_estimates(
    sentences: pl.DataFrame, scores: Scores, *, mode: str = "corrected"
) -> pl.DataFrame:
    """Every submission's signal as rows of `estimates`: on all words, and on its task's own."""
    matrix = score_matrix(scores, sentences)
    sums = SignalSums(len(matrix.values))
    sums.add(sentences, matrix.values)
    run = {**corpus_labels(sentences), "mode": mode}
    return signals_from(sums, matrix.submissions, run)


def signals_from(
    sums: SignalSums, submissions: pl.DataFrame, run: Mapping[str, str]
) -> pl.DataFrame:
    """The same from sums over blocks."""
    found, tasks = sums.signal(submissions["width"].to_numpy()), submissions["task"]
    blocks, emotion = [], found.words["emotion"].to_numpy()
    own = np.array([emotion == task for task in tasks], bool).reshape(found.known.shape)
    every = np.ones_like(own)
    for subset, of, rows in (
        (ALL, every, np.arange(tasks.len())),
        (OWN, own, np.flatnonzero(own.any(axis=1))),
    ):
        words = (found.known & of)[rows].sum(axis=1)
        distinct = (found.told & of)[rows].sum(axis=1)
        share = np.divide(distinct, words, out=np.full(words.shape, np.nan), where=words > 0)
        statistic = np.where(np.isfinite(found.f), found.f, np.nan)[rows]
        columns = {
            "value": share, "statistic": statistic, "df": found.df[rows], "p": found.p[rows],
            "n": words, "n_dropped": of[rows].sum(axis=1) - words,
        }  # fmt: skip
        blocks.append(EstimateBlock(GroupLabel(), subset, SIGNAL, rows, columns, "share of words"))
    return estimates_table(blocks, submissions, run)


def _levels(n: Array, mean: Array, template: NDArray[np.int64]) -> tuple[Flags, Array, Array]:
    """By word in a template: whether another word is there, their median, and their mean."""
    known = np.zeros(n.shape, bool)
    middle, level = np.zeros_like(mean), np.zeros_like(mean)
    order = np.argsort(template, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(template[order])) + 1):
        scored = n[:, at] > 0
        several = scored.sum(axis=1) > 1
        known[:, at] = scored & several[:, None]
        rows = np.flatnonzero(several)
        if rows.size:
            here = np.where(scored, mean[:, at], np.nan)[rows]
            weight = n[np.ix_(rows, at)]
            middle[np.ix_(rows, at)] = np.nanmedian(here, axis=1, keepdims=True)
            total = np.nansum(weight * here, axis=1) / weight.sum(axis=1)
            level[np.ix_(rows, at)] = total[:, None]
    return known, middle, level
