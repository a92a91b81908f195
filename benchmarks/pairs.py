"""How quick the paired study is: 219 systems, both axes, all subsets, against pandas and SciPy.

Run with `make bench` or `python benchmarks/pairs.py`. The peer is what a competent user would
write: merge all scores with the sentences, average by frame, match and group, unstack, and
`scipy.stats.ttest_rel` for every system, axis and subset. (Merging system by system is a quarter
slower.) Both must agree to 1e-10 before any time counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl

from claim import Claim, print_claims, timed
from tiltmeter import load_corpus
from tiltmeter.measures import Contrast, contrasts_of, pair_study

SYSTEMS, SD = 219, 0.1
AGREES = 1e-10
GROWTH, GROWN = (1, 4, 16), 55
"""How the number of systems or sentences grows, and the number of systems it starts from."""
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


def growth(sentences: pl.DataFrame, contrasts: list[Contrast], by: str, flips: int | None) -> Claim:
    """The exponent b of time = a · sizeᵇ, fitted on three sizes; 1 is linear."""
    seconds = []
    for times in GROWTH:
        corpus = larger(sentences, times if by == "sentences" else 1)
        scores = simulated(corpus, GROWN * (times if by == "systems" else 1))
        work = lambda c=corpus, s=scores: pair_study(c, s, contrasts, flips=flips)  # noqa: E731
        seconds.append(timed(work, 3))
    exponent = float(np.polyfit(np.log(GROWTH), np.log(seconds), 1)[0])
    listed = ", ".join(f"{second:.2f}" for second in seconds)
    tests = "with sign flips" if flips is None else "t-tests"
    return Claim(
        f"growth in {by}, {tests}: exponent at {', '.join(f'{times}×' for times in GROWTH)}",
        f"{listed} s", "1 is linear", exponent, 1.1, at_most=True,
    )  # fmt: skip


def main() -> None:
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    claims = against_pandas(sentences, contrasts)
    for by in ("systems", "sentences"):
        claims += [growth(sentences, contrasts, by, flips) for flips in (0, None)]
    print_claims("pairs", claims)


if __name__ == "__main__":
    main()
