"""How quick the paired study is: 219 systems, both axes, all subsets, against pandas and SciPy.

Run with `make bench` or `python benchmarks/pairs.py`. The peer is what a competent user would
write: merge all scores with the sentences, average by frame, match and group, unstack, and
`scipy.stats.ttest_rel` for every system, axis and subset. (Merging system by system is a quarter
slower.) Both must agree to 1e-10 before any time counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl

from claim import Claim, Growth, Work, attempted, print_claims, timed
from growth import grown
from tiltmeter import load_corpus
from tiltmeter.studies.paired.contrasts import Contrast, contrasts_of
from tiltmeter.studies.paired.pairs import pair_study

SYSTEMS, SD = 219, 0.1
AGREES = 1e-10
GROWN_SYSTEMS, TIMES = (5, 50, 500), (1, 10, 100)
"""How many systems there are as they grow, and how many times the corpus as sentences do."""
Key = tuple[str, str, str]
"""System, axis, subset."""


def simulated(sentences: pl.DataFrame, systems: int, seed: int = 0) -> pl.DataFrame:
    """The scores table of systems that answer with noise, in four decimals as submissions are.

    With more, one difference in some ten thousand is below a millionth of the scale by chance; it
    counts as 0 with us and not with the peer.
    """
    size = sentences.height
    names = pl.Series([f"system {number}" for number in range(systems)])
    scores = np.random.default_rng(seed).normal(0.5, SD, systems * size).round(4)
    return pl.DataFrame(
        {
            "system": names.gather(np.repeat(np.arange(systems), size)),
            "task": pl.Series(["valence"]).new_from_index(0, systems * size),
            "corpus": sentences["corpus"].gather(np.tile(np.arange(size), systems)),
            "id": sentences["id"].gather(np.tile(np.arange(size), systems)),
            "repeat": np.zeros(systems * size, np.int64),
            "raw": scores,
            "score": scores,
            "reason": pl.Series([None], dtype=pl.String).new_from_index(0, systems * size),
        }
    )


def with_pandas(
    sentences: pd.DataFrame, scores: pd.DataFrame, contrasts: list[Contrast]
) -> dict[Key, tuple[float, float]]:
    """Mean difference and p-value for each system, axis and subset."""
    from scipy.stats import ttest_rel

    found: dict[Key, tuple[float, float]] = {}
    merged = scores.merge(sentences, on="id")
    for contrast in contrasts:
        keys = ["system", "frame", "match", "template", "emotion", contrast.axis]
        named = merged.dropna(subset=[contrast.axis])
        means = named.groupby(keys, dropna=False, sort=False)["score"].mean()
        sides = means.unstack(contrast.axis).reset_index()
        for system, own in sides.groupby("system", sort=False):
            for subset, part in pandas_subsets(own):
                first, second = part[contrast.first], part[contrast.second]
                p = ttest_rel(first, second).pvalue if len(part) > 1 else np.nan
                found[str(system), contrast.axis, subset] = (first - second).mean(), p
    return found


def pandas_subsets(means: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    yield "all", means
    neutral = means["emotion"].isna()
    yield "neutral", means[neutral]
    yield "emotion", means[~neutral]
    for name, part in means.groupby("emotion"):
        yield f"emotion:{name}", part
    for name, part in means.groupby("template"):
        yield f"template:{name}", part


def as_found(estimates: pl.DataFrame) -> dict[Key, tuple[float, float]]:
    rows = estimates.filter(pl.col("measure") == "mean_difference")
    columns = ("system", "axis", "subset", "value", "p")
    return {
        (system, axis, subset): (value, np.nan if p is None else p)
        for system, axis, subset, value, p in rows.select(columns).rows()
    }


def pandas_of(frame: pl.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(frame.to_dict(as_series=False))


def must_agree(mine: dict[Key, tuple[float, float]], peer: dict[Key, tuple[float, float]]) -> None:
    assert mine.keys() == peer.keys(), mine.keys() ^ peer.keys()
    keys = sorted(mine)
    ours, theirs = (np.array([found[key] for key in keys]) for found in (mine, peer))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=AGREES)


def against_pandas(sentences: pl.DataFrame, contrasts: list[Contrast]) -> list[Claim]:
    scores = simulated(sentences, SYSTEMS)
    theirs = pandas_of(sentences), pandas_of(scores.select("system", "id", "score"))
    mine = as_found(pair_study(sentences, scores, contrasts, flips=0).estimates)
    must_agree(mine, with_pandas(*theirs, contrasts))
    taken = timed(lambda: with_pandas(*theirs, contrasts), 2)
    plain = timed(lambda: pair_study(sentences, scores, contrasts, flips=0))
    flipped = timed(lambda: pair_study(sentences, scores, contrasts))
    said = f"pandas group-by and ttest_rel {taken:.1f} s"
    what = f"{SYSTEMS} systems × {sentences.height:,} sentences, both axes, all subsets"
    return [
        Claim(what, f"{plain:.2f} s", said, taken / plain, 40.0),
        Claim(f"{what}, and sign flips the peer has not", f"{flipped:.2f} s", said,
              taken / flipped, 5.0),
    ]  # fmt: skip


def larger(sentences: pl.DataFrame, times: int) -> pl.DataFrame:
    """The corpus several times over, each copy with frames of its own."""
    copies = [
        sentences.with_columns((pl.col(name) + f"/{copy}") for name in ("id", "frame"))
        for copy in range(times)
    ]
    return pl.concat(copies)


def study(sentences: pl.DataFrame, systems: int) -> Callable[[], object]:
    """The work of a whole paired study, sign flips and all."""
    scores, contrasts = simulated(sentences, systems), contrasts_of_eec()
    return lambda: pair_study(sentences, scores, contrasts)


def of_systems(systems: int) -> Callable[[], object]:
    return study(load_corpus("eec").sentences(), systems)


def of_sentences(size: int) -> Callable[[], object]:
    sentences = load_corpus("eec").sentences()
    copies = max(1, round(size / sentences.height))
    return study(larger(sentences, copies).head(size), GROWN_SYSTEMS[0])


def contrasts_of_eec() -> list[Contrast]:
    axes = load_corpus("eec").axes
    return [one for axis in axes for one in contrasts_of(axis.name, axis.groups)]


def growth() -> list[Growth]:
    size = load_corpus("eec").sentences().height
    few = f"the paired study of {GROWN_SYSTEMS[0]} systems"
    return [
        grown(f"the paired study of {size:,} sentences", "systems", of_systems, GROWN_SYSTEMS),
        grown(few, "sentences", of_sentences, [size * times for times in TIMES]),
    ]


def main() -> None:
    sentences, contrasts = load_corpus("eec").sentences(), contrasts_of_eec()
    works: dict[str, Work] = {
        "against pandas": lambda: against_pandas(sentences, contrasts),
        "growth": growth,
    }
    print_claims("pairs", attempted(works))


if __name__ == "__main__":
    main()
