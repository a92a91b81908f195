"""How quick a rating is: 50 systems, 16 datasets, 200 draws of each, against pandas and SciPy.

Run with `make bench` or `python benchmarks/rating.py`; a minute or two. The first peer is the plain
loop that the paper's algorithms read like: for every draw, dataset and system a data frame with
Gender, Race, Emotion and Sentiment; group-by means, t by the paper's formula, `scipy.stats.t.ppf`,
backdoor adjustment by group-by, `np.array_split`. The second is pandas at its best: all systems and
draws of a dataset in one long frame, and one group-by. Both get the very rows that we draw. They
are timed on a few draws of all systems and scaled up, since each draw costs the same; on those
draws their raw scores and ratings must equal ours before any time counts.

Our time is the whole study's: drawing, tests of every dataset, ratings, their spread, the order of
every two systems, tables; and what the peers have not, 199 more datasets by chance and one without
each person. Both sides have one thread for linear algebra.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
from numpy.typing import NDArray
from scipy import stats
from threadpoolctl import threadpool_limits

from claim import Claim, Growth, Work, attempted, print_claims, timed
from growth import grown
from tiltmeter.corpora import Corpus
from tiltmeter.stats.causal import EPSILON
from tiltmeter.studies.rating.grades import RatingConfig, rating_config, ratings_of
from tiltmeter.studies.rating.groups import Measure, RatingColumn, RatingGroup, columns_of
from tiltmeter.studies.rating.measure import rating_study
from tiltmeter.studies.rating.psi import draws_of, raw_scores, scored_sums
from tiltmeter.studies.rating.scored_groups import Drawing, build_groups, load_groups
from tiltmeter.studies.rating.study import Ratings

Array = NDArray[np.float64]
Index = NDArray[np.int64]

SYSTEMS, DRAWS, LEVELS = 50, 200, 3
SAMPLE = (0, 101)
"""Draws that the loop is timed on."""
LONG = tuple(range(10))
"""Draws that one long frame is timed on."""
GROWN_SYSTEMS, GROWN_DRAWS = (5, 50, 500), (20, 200, 2_000)
GROWN_ROWS, AT_ONCE = (10_000, 100_000, 1_000_000), 500_000
WORDS = ("grim", "happy", "depressing")
CLASSES = (
    ("male", "European American"), ("female", "European American"), ("male", "African American"),
    ("female", "African American"), ("NA", "NA"),
)  # fmt: skip
FEW_SYSTEMS, FEW_DRAWS = 10, 50
"""How many there are of the one while the other grows."""
AGREES = 1e-9
SPREAD, TILT, NOISE = 0.5, 0.1, 0.2
Peer = Callable[["Setting", Sequence[int]], Array]
"""From some draws to ψ of (columns, draws, systems)."""


@dataclass(frozen=True, eq=False)
class Setting:
    """An edition's groups with everybody's scores, and how they are rated."""

    corpora: list[Corpus]
    scores: Array
    config: RatingConfig
    groups: list[RatingGroup]
    columns: list[RatingColumn]
    weights: Mapping[str, Array]
    frames: Mapping[str, pd.DataFrame]
    """Sentences of each group as a peer knows them."""

    def rows(self, dataset: str, draw: int) -> Index:
        """The sentences of a draw, one that was taken twice standing twice."""
        weights = self.weights[dataset][draw].astype(np.int64)
        return np.repeat(np.arange(weights.size), weights)

    def study(self) -> Ratings:
        """The whole study, datasets drawn anew."""
        submissions = [(f"system {number}", "valence") for number in range(len(self.scores))]
        groups = build_groups(self.corpora, self.scores, Drawing(draws=DRAWS))
        return rating_study(groups, submissions, LEVELS, self.config)


def setting(mode: str) -> Setting:
    """One practice on its own edition of the datasets."""
    corpora = load_groups(("1", "2", "3", "4"), mode)
    scores = np.hstack([made_up(corpus, seed) for seed, corpus in enumerate(corpora)])
    config = rating_config(mode=mode, discretise="no", repeats=DRAWS - 1)
    groups = build_groups(corpora, scores, Drawing(draws=DRAWS))
    columns = [
        column
        for group in groups
        for column in columns_of(group, config.raw, published=config.published)
    ]
    weights = {
        dataset.name: draws_of(group, dataset, config.repeats, config.seed)[:]
        for group in groups
        for dataset in group.datasets
    }
    frames = {group.name: pandas_of(group) for group in groups}
    return Setting(corpora, scores, config, groups, columns, weights, frames)


def made_up(corpus: Corpus, seed: int, systems: int = SYSTEMS) -> Array:
    """Systems that read words, tilt by gender and are noisy, in four decimals as files have."""
    rng = np.random.default_rng(seed)
    sentences = corpus.sentences()
    word = sentences["emotion_word"].rank("dense").to_numpy().astype(np.int64) - 1
    female = (sentences["gender"] == "female").fill_null(False).to_numpy()
    words = rng.normal(0, SPREAD, (systems, word.max() + 1))[:, word]
    tilt = rng.normal(0, TILT, (systems, 1)) * female
    noise = rng.normal(0, NOISE, (systems, word.size))
    scores: Array = np.clip(words + tilt + noise, -1, 1).round(4)
    return scores


def pandas_of(group: RatingGroup) -> pd.DataFrame:
    """Race, Gender and both as one, NA where not said, and the emotion word's polarity."""
    told = {axis: group.sentences[axis].fill_null("NA").to_list() for axis in group.axes}
    frame = pd.DataFrame({**told, "Emotion": group.sentences["polarity"].to_list()})
    if len(group.axes) > 1:
        frame[" × ".join(group.axes)] = frame[list(group.axes)].agg(" ".join, axis=1)
    return frame


# ---------------------------------------------------------------- the plain loop


def by_loop(made: Setting, draws: Sequence[int]) -> Array:
    psi = np.zeros((len(made.columns), len(draws), len(made.scores)))
    for group in made.groups:
        mine = [at for at, column in enumerate(made.columns) if column.group is group]
        for number, draw in enumerate(draws):
            for dataset in group.datasets:
                rows = made.rows(dataset.name, draw)
                frame = made.frames[group.name].iloc[rows].copy()
                for system, scores in enumerate(group.scores):
                    frame["Sentiment"] = scores[rows]
                    for at in mine:
                        place = at, number, system
                        psi[place] = with_dataset(psi[place], frame, made.columns[at], made.config)
    return psi


def with_dataset(
    psi: float, frame: pd.DataFrame, column: RatingColumn, config: RatingConfig
) -> float:
    """Rejections add up over datasets; of impacts the largest counts."""
    if column.measure == Measure.WRS:
        return psi + loop_rejections(compared(frame, column), column.attribute, config)
    return max(psi, loop_impact(frame, column.attribute))


def compared(frame: pd.DataFrame, column: RatingColumn) -> pd.DataFrame:
    """The rows that a column is about: without people of whom the attribute is not said."""
    return frame[frame[column.attribute] != "NA"] if column.without_na else frame


def loop_rejections(frame: pd.DataFrame, attribute: str, config: RatingConfig) -> float:
    by_class = frame.groupby(attribute)["Sentiment"].agg(["mean", "var", "count"])
    moments = (by_class[name].to_numpy() for name in ("mean", "var", "count"))
    return float(rejected(config, *moments))


def loop_impact(frame: pd.DataFrame, attribute: str) -> float:
    observed = frame.groupby("Emotion")["Sentiment"].mean()
    cells = frame.groupby(["Emotion", attribute])["Sentiment"].mean().unstack()
    share = cells.notna() * frame[attribute].value_counts()
    adjusted = (cells * share).sum(axis=1) / share.sum(axis=1)
    return float(100 * ((adjusted - observed).abs() / observed.abs()).max())


def rejected(config: RatingConfig, mean: Array, var: Array, n: Array) -> Array:
    """Algorithm 1 on one dataset; classes along the last axis."""
    first, second = np.array(list(combinations(range(mean.shape[-1]), 2))).T
    error = var / n
    squared = error[..., first] + error[..., second]
    t = (mean[..., first] - mean[..., second]) / (np.sqrt(squared) + EPSILON)
    df = n[..., first] + n[..., second] - 2
    if not config.published:
        parts = error**2 / (n - 1)
        df = squared**2 / (parts[..., first] + parts[..., second])
    critical = stats.t.ppf(1 - config.tail / 2, df[..., None])
    found: Array = (np.array(config.weights) * (np.abs(t)[..., None] > critical)).sum(axis=(-1, -2))
    return found


# ---------------------------------------------------------------- one long frame


def by_long_frame(made: Setting, draws: Sequence[int]) -> Array:
    psi = []
    for column in made.columns:
        long = [long_frame(made, column, one.name, draws) for one in column.group.datasets]
        if column.measure == Measure.WRS:
            some = [compared(one, column) for one in long]
            found = [long_rejections(one, column.attribute, made.config) for one in some]
            psi.append(np.sum(found, axis=0))
        else:
            psi.append(np.max([long_impact(one, column.attribute) for one in long], axis=0))
    return np.reshape(psi, (len(made.columns), len(draws), len(made.scores)))


def long_frame(
    made: Setting, column: RatingColumn, dataset: str, draws: Sequence[int]
) -> pd.DataFrame:
    """A run is a system in a draw."""
    scores, parts = column.group.scores, []
    sentences = made.frames[column.group.name].astype("category")
    for number, draw in enumerate(draws):
        rows = made.rows(dataset, draw)
        runs = np.repeat(np.arange(len(scores)) + number * len(scores), rows.size)
        frame = sentences.iloc[np.tile(rows, len(scores))]
        parts.append(frame.assign(Run=runs, Sentiment=scores[:, rows].ravel()))
    return pd.concat(parts)


def long_rejections(long: pd.DataFrame, attribute: str, config: RatingConfig) -> Array:
    grouped = long.groupby(["Run", attribute], observed=True)["Sentiment"]
    by_class = grouped.agg(["mean", "var", "count"]).unstack()
    return rejected(config, *(by_class[name].to_numpy() for name in ("mean", "var", "count")))


def long_impact(long: pd.DataFrame, attribute: str) -> Array:
    cells = long.groupby(["Run", "Emotion", attribute], observed=True)["Sentiment"]
    by_cell = cells.agg(["mean", "sum", "count"]).unstack()
    total, n = (by_cell[name].sum(axis=1) for name in ("sum", "count"))
    size = by_cell["count"].groupby("Run").sum()
    share = by_cell["mean"].notna() * size.reindex(by_cell.index, level="Run")
    adjusted = (by_cell["mean"] * share).sum(axis=1) / share.sum(axis=1)
    change = 100 * (adjusted - total / n).abs() / (total / n).abs()
    worst: Array = change.groupby("Run").max().to_numpy()
    return worst


# ---------------------------------------------------------------- agreement and time


def ours(made: Setting, draws: Sequence[int]) -> Array:
    psi = []
    for column in made.columns:
        mine = {one.name: made.weights[one.name] for one in column.group.datasets}
        sums = scored_sums(column, column.group.scores, mine, made.config)
        found = raw_scores(column, sums, made.config)
        psi.append(np.column_stack([found.psi, found.repeated])[:, list(draws)].T)
    return np.array(psi)


def rated(psi: Array) -> Index:
    """Algorithm 4 as a peer writes it, on the last axis."""
    ratings = np.empty(psi.shape, np.int64)
    for place in np.ndindex(psi.shape[:-1]):
        parts = np.array_split(np.sort(psi[place]), LEVELS)
        tops = [part[-1] for part in parts]
        ratings[place] = 1 + np.searchsorted(tops, psi[place])
    return ratings


def must_agree(made: Setting, peer: Peer, draws: Sequence[int]) -> None:
    """The same raw scores and ratings; of the datasets at hand also as the study tells them."""
    mine, theirs = ours(made, draws), peer(made, draws)
    np.testing.assert_allclose(mine, theirs, rtol=AGREES, atol=AGREES)
    ratings = np.apply_along_axis(ratings_of, -1, mine, LEVELS)
    np.testing.assert_array_equal(ratings, rated(theirs.round(6)))
    told = made.study().raw
    np.testing.assert_allclose(told["psi"].to_numpy(), mine[:, 0].ravel(), rtol=AGREES)
    np.testing.assert_array_equal(told["rating"].to_numpy(), ratings[:, 0].ravel())


def scaled(made: Setting, peer: Peer, draws: Sequence[int]) -> float:
    """What all draws would take, from some of them."""
    must_agree(made, peer, draws)
    return timed(lambda: rated(peer(made, draws).round(6)), 3) * DRAWS / len(draws)


def claims_of(mode: str) -> list[Claim]:
    made = setting(mode)
    seconds = timed(made.study)
    loop, long = scaled(made, by_loop, SAMPLE), scaled(made, by_long_frame, LONG)
    datasets = sum(len(group.datasets) for group in made.groups)
    largest = max(len(made.rows(name, 0)) for name in made.weights)
    what = f"{SYSTEMS} systems × {datasets} datasets × {DRAWS} draws, {mode}"
    said = f"{what}: at most {largest:,} sentences each"
    return [
        Claim(said, f"{seconds:.2f} s", f"pandas and SciPy loop {loop:,.0f} s, from"
              f" {len(SAMPLE)} draws", loop / seconds, 30.0),
        Claim(f"{what}, against one frame", f"{seconds:.2f} s",
              f"one long pandas frame {long:,.1f} s, from {len(LONG)} draws", long / seconds, 3.0),
    ]  # fmt: skip


def rating_of(systems: int, draws: int) -> Callable[[], object]:
    """The work of a whole study of the paper's datasets, drawn anew."""
    corpora = load_groups(("1", "2", "3", "4"), "published")
    scores = np.hstack([made_up(one, seed, systems) for seed, one in enumerate(corpora)])
    config = rating_config(mode="published", discretise="no", repeats=draws - 1)
    submissions = [(f"system {number}", "valence") for number in range(systems)]

    def work() -> object:
        groups = build_groups(corpora, scores, Drawing(draws=draws))
        with threadpool_limits(1):
            return rating_study(groups, submissions, LEVELS, config)

    return work


def of_systems(systems: int) -> Callable[[], object]:
    return rating_of(max(systems, LEVELS), FEW_DRAWS)


def of_draws(draws: int) -> Callable[[], object]:
    return rating_of(FEW_SYSTEMS, draws)


def of_rows(rows: int) -> Callable[[], object]:
    """The work of rating one system's stored outputs, so many rows of a CSV file."""
    from tiltmeter import rate

    path = Path(tempfile.mkdtemp()) / "outputs.csv"
    rng = np.random.default_rng(1)
    with path.open("wb") as file:
        for begin in range(0, rows, AT_ONCE):
            outputs(begin, min(AT_ONCE, rows - begin), rng).write_csv(
                file, include_header=not begin
            )
    return lambda: rate(results=path)


def outputs(begin: int, many: int, rng: np.random.Generator) -> pl.DataFrame:
    """Rows of stored outputs as the paper's are: sentence, gender, race, emotion, sentiment."""
    number = np.arange(begin, begin + many)
    who, word = number % len(CLASSES), number // len(CLASSES) % len(WORDS)
    level = np.array([-0.5, 0.5, -0.4])[word] + 0.05 * (who % 2)
    said = zip(number.tolist(), word.tolist(), strict=True)
    return pl.DataFrame(
        {
            "Sentence": [f"Person {nth} feels {WORDS[at]} today." for nth, at in said],
            "Gender": np.array([gender for gender, _ in CLASSES])[who],
            "Race": np.array([race for _, race in CLASSES])[who],
            "Emotion": np.array(WORDS)[word],
            "Sentiment": np.clip(rng.normal(level, 0.3), -1, 1).round(6),
        }
    )


def growth() -> list[Growth]:
    return [
        grown("a rating of stored outputs", "rows", of_rows, GROWN_ROWS),
        grown(f"a rating with {FEW_DRAWS} draws", "systems", of_systems, GROWN_SYSTEMS),
        grown(f"a rating of {FEW_SYSTEMS} systems", "draws", of_draws, GROWN_DRAWS),
    ]


def main() -> None:
    works: dict[str, Work] = {
        "against pandas and SciPy, published": lambda: claims_of("published"),
        "against pandas and SciPy, corrected": lambda: claims_of("corrected"),
        "growth": growth,
    }
    with threadpool_limits(1):
        print_claims("rating", attempted(works))


if __name__ == "__main__":
    main()
