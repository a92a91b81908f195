"""WEAT, the word embedding association test of Caliskan, Bryson & Narayanan (2017).

Are the first target words closer to the good attributes, and the second to the bad ones? Each
target has an association s(w, A, B) = mean cos(w, a) − mean cos(w, b); the effect size d is the
difference between the two sets' mean associations in standard deviations of all of them.

p is of the permutation test of that difference over all divisions of the targets into sets of the
sizes found, without replacement. It is two-sided in every mode: the direction is asked for, not
assumed. The paper's is one-sided; with sets of one size it is half of ours, where the effect points
the way that was expected. The statistic is the difference of means. It is the paper's difference of
sums where the sets have one size; where they do not, sums would differ under the null as well.

The interval is a percentile bootstrap: targets are drawn anew within X and within Y, attributes
within A and within B. So it covers the choice of words, had as many others been taken of the same
kinds: in simulations with 8 or 25 words a set it held the mean d of such choices in 97 to 99 %. It
does not cover the training of the vectors. Nor does it say what d more words would give: the fewer
the attributes, the more of their noise stands in d's denominator, and the smaller it is.

The two answer different questions. p takes the attributes as they are, the interval does not: where
p is small and the interval holds 0, the effect depends on which attributes were taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.measures.stats.cosines import associations
from tiltmeter.measures.stats.permutations import DRAWS
from tiltmeter.measures.stats.threads import one_thread
from tiltmeter.measures.vectors.other_measures import OTHERS, other_rows
from tiltmeter.measures.vectors.space import Space
from tiltmeter.measures.vectors.weat_numbers import (
    CORRECTED,
    COVERAGE,
    RESAMPLES,
    Manner,
    numbers_of,
)
from tiltmeter.measures.vectors.word_tests import SIDES, Held, WordSets, held_of

WEAT: dict[str, Any] = {
    **dict.fromkeys(("embedding", "test", "title", "kind", *SIDES), pl.String),
    **dict.fromkeys(("effect", "low", "high", "p"), pl.Float64),
    "exact": pl.Boolean,
    **dict.fromkeys(("permutations", *(f"n_{side}" for side in SIDES), "missing"), pl.Int64),
    "published": pl.Float64,
    "reason": pl.String,
    "missing_words": pl.List(pl.String),
}
ASSOCIATIONS = {
    **dict.fromkeys(("embedding", "test", "side", "word"), pl.String),
    "association": pl.Float64,
}


@dataclass(frozen=True, slots=True, eq=False)
class WeatStudy:
    """The tests of one embedding."""

    weat: pl.DataFrame
    """A row for each test; a reason and null numbers where words are too few."""
    associations: pl.DataFrame
    """A row for each target word that the embedding holds."""
    others: pl.DataFrame
    """Further measures of the same tests."""


def weat_study(
    space: Space,
    tests: Sequence[WordSets],
    *,
    coverage: float = COVERAGE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    permutations: int = DRAWS,
    mode: str = CORRECTED,
) -> WeatStudy:
    """Every test on the words of a space; both modes give the same, as nothing was corrected."""
    manner = Manner(coverage, resamples, seed, permutations, mode)
    return study_of([(space, test) for test in tests], "weat", manner)


def study_of(tests: Sequence[tuple[Space, WordSets]], kind: str, manner: Manner) -> WeatStudy:
    """Tests, each on its space, as the frames of a study."""
    held = [(space.name, held_of(space, test, manner.coverage)) for space, test in tests]
    with one_thread():
        rows = [_row(name, kind, each, manner) for name, each in held]
        words = [row for name, each in held for row in _association_rows(name, each)]
        others = [row for name, each in held for row in other_rows(name, each)]
    return WeatStudy(
        pl.DataFrame(rows, schema=WEAT, orient="row"),
        pl.DataFrame(words, schema=ASSOCIATIONS, orient="row"),
        pl.DataFrame(others, schema=OTHERS, orient="row"),
    )


def _row(embedding: str, kind: str, held: Held, manner: Manner) -> dict[str, Any]:
    test = held.test
    named = {side: name for side, (name, _) in zip(SIDES, test.sets, strict=True)}
    row = dict.fromkeys(WEAT) | {
        "embedding": embedding,
        "test": test.name,
        "title": test.title,
        "kind": kind,
        **named,
        **held.sizes,
        "missing": len(held.missing),
        "published": test.published,
        "reason": held.reason,
        "missing_words": list(held.missing),
    }
    return row if held.reason else row | numbers_of(held, manner)


def _association_rows(embedding: str, held: Held) -> list[dict[str, Any]]:
    """The targets in the order of the test; none where the test is refused."""
    if held.reason:
        return []
    of, test = held.vectors, held.test
    rows = []
    for side, asked in (("first", test.first), ("second", test.second)):
        found = associations(of[side], of["good"], of["bad"])
        by_word = dict(zip(held.words[side], found.tolist(), strict=True))
        rows += [
            {
                "embedding": embedding,
                "test": test.name,
                "side": side,
                "word": word,
                "association": by_word[word],
            }
            for word in asked
            if word in by_word
        ]
    return rows
