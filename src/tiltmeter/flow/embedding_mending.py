"""An identity direction taken out of an embedding: RNSB, WEAT and quality before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from tiltmeter.corpora import Direction
from tiltmeter.flow.embedding_words import Quality, Vocabulary
from tiltmeter.measures import (
    DirectionWords,
    MendingStudy,
    RnsbManner,
    Space,
    mending_study,
    rnsb_study,
    weat_study,
)

RESAMPLES = 200
"""Resamples before and after each method: fewer than for the study itself, which has the last
word on a number."""


def mended(
    space: Space,
    words: Vocabulary,
    methods: Sequence[str],
    manner: RnsbManner,
    found_as: Mapping[str, str],
) -> list[MendingStudy]:
    """A study for each direction."""
    fewer = replace(manner, resamples=min(RESAMPLES, manner.resamples))

    def measured(moved: Space) -> Iterator[Mapping[str, Any]]:
        study = rnsb_study(
            moved, words.identities, words.sentiment, words.ordinary, fewer, found_as
        )
        yield from map(_of_rnsb, study.rnsb.iter_rows(named=True))
        yield from map(_of_classifier, study.classifiers.iter_rows(named=True))
        tests = weat_study(
            moved, words.word_sets, coverage=manner.coverage, seed=manner.seed,
            resamples=fewer.resamples,
        )  # fmt: skip
        known = tests.weat.filter(pl.col("reason").is_null())
        yield from map(_of_test, known.iter_rows(named=True))

    quality = words.quality or Quality(None, ())
    return [
        mending_study(
            space, _words(one), methods=methods, measured=measured,
            similarities=quality.similarities, analogies=quality.analogies,
            others=(*words.lexicon.positive, *words.lexicon.negative, *words.ordinary),
            seed=manner.seed,
        )
        for one in words.directions
    ]  # fmt: skip


def _words(one: Direction) -> DirectionWords:
    return DirectionWords(
        one.name, one.title, one.first_name, one.second_name, one.pairs, one.first, one.second,
        one.neutral,
    )  # fmt: skip


def _of_rnsb(row: Mapping[str, Any]) -> Mapping[str, Any]:
    told = {"value": row["rnsb"], "low": row["low"], "high": row["high"], "n": row["n_found"]}
    return {"measure": "rnsb", "what": row["list"], **told, "reason": row["reason"]}


def _of_classifier(row: Mapping[str, Any]) -> Mapping[str, Any]:
    ends = {"low": row["balanced_low"], "high": row["balanced_high"]}
    told = {"value": row["balanced"], **ends, "n": row["n_positive"] + row["n_negative"]}
    return {"measure": "accuracy", "what": row["lexicon"], **told, "reason": row["reason"]}


def _of_test(row: Mapping[str, Any]) -> Mapping[str, Any]:
    told = {"value": row["effect"], "low": row["low"], "high": row["high"]}
    many = row["n_first"] + row["n_second"]
    return {"measure": "weat", "what": row["test"], **told, "n": many, "reason": None}
