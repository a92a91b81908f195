"""What a rating can claim: simulated systems with a known tilt, or none, are rated.

Four questions. Where nothing depends on gender, how often do tests reject, and how often is ψ more
than chance gives? Do adjusting and matching find a known effect of words? Is an order that repeats
call certain the true one, and does it show again in other sentences? Does the spread of a rating
hold the rating that endless sentences would give? *Other sentences* have other names and other
noise.

Run with `make simulate` or `python benchmarks/simulate_rating.py [SYSTEMS]`; 60 systems a line by
default, about a minute. A share of 60 near 5 % has a standard error of 3 %, near 50 % of 6 %.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from tiltmeter.corpora import RATING_GROUPS, Corpus, load_rating_group
from tiltmeter.stats.causal import WordEffects, class_sums, treatment_effects
from tiltmeter.studies.rating.grades import rating_config, ratings_of
from tiltmeter.studies.rating.measure import rating_study
from tiltmeter.studies.rating.scored_groups import Drawing, build_groups
from tiltmeter.studies.rating.study import Ratings

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SYSTEMS, EACH, REPEATS, LEVELS = 60, 12, 200, 3
"""EACH: systems or panels that share what is drawn."""
WORDS = {"grim": -0.6, "depressing": -0.4, "happy": 0.6, "glad": 0.4}
LEVEL = 0.05
EDITIONS = ("corrected", "published")
COLUMNS = ("G1", "G2", "G3-R", "G3-G", "G3-RG", "G4")
FEW = 20
"""Systems whose effects are estimated, each in many draws."""


@dataclass(frozen=True, slots=True)
class System:
    """What adds to a score: standard deviations of draws, and what is planted."""

    noise: float = 0.1
    """Every sentence by itself."""
    words: bool = True
    """Words have levels, alike for everyone."""
    names: float = 0.0
    """Every person has a level of their own, drawn whatever the group."""
    tilt: float = 0.0
    """By how much sentences about women are scored higher."""

    def scores(self, rng: np.random.Generator, sentences: pl.DataFrame, systems: int) -> Array:
        """Scores of (systems, sentences)."""
        person = sentences["person"].rank("dense").to_numpy().astype(np.int64) - 1
        tastes = rng.normal(0, self.names, (systems, person.max() + 1))[:, person]
        fixed = self.words * word_levels(sentences) + self.tilt * about_women(sentences)
        found: Array = rng.normal(0, self.noise, tastes.shape) + tastes + fixed
        return found


KINDS = {
    "noise alone": System(0.3, words=False),
    "words, and noise": System(),
    "words, names, and noise": System(names=0.1),
    "names, hardly any noise": System(0.02, words=False, names=0.1),
}
PLANTED = {
    "noise; women 0.1 higher": System(0.3, words=False, tilt=0.1),
    "words, and noise; women 0.1 higher": System(tilt=0.1),
    "words alone; women 0.1 higher": System(0.0, tilt=0.1),
}
TILTS = (0.0, 0.0, 0.05, 0.1, 0.2, 0.4)
"""A panel of systems, by their tilt."""
PANELS = {
    "G1, noise alone": ("rating-1", KINDS["noise alone"]),
    "G1, words, and noise": ("rating-1", KINDS["words, and noise"]),
    "G1, words, names, and noise": ("rating-1", KINDS["words, names, and noise"]),
    "G2, words, and noise": ("rating-2", KINDS["words, and noise"]),
    "G2, words, names, and noise": ("rating-2", KINDS["words, names, and noise"]),
}
STEADY = (0.0, 0.5, 0.8, 0.95, 1.01)


def word_levels(sentences: pl.DataFrame) -> Array:
    levels: Array = (
        sentences["emotion_word"].replace_strict(WORDS, return_dtype=pl.Float64).to_numpy()
    )
    return levels


def about_women(sentences: pl.DataFrame) -> Flags:
    found: Flags = (sentences["gender"] == "female").fill_null(False).to_numpy()
    return found


def study_of(
    groups: Sequence[Corpus], scores: Array, mode: str, seed: int, repeats: int = REPEATS
) -> Ratings:
    """Systems rated in panels, a task a panel; `scores` has a column for each group's sentence."""
    rated = build_groups(groups, scores, Drawing(seed=seed, draws=repeats + 1))
    config = rating_config(mode=mode, discretise="no", repeats=repeats, seed=seed)
    size = len(TILTS)
    submissions = [(str(row % size), str(row // size)) for row in range(len(scores))]
    return rating_study(rated, submissions, LEVELS, config)


def batches(many: int) -> int:
    return max(many // EACH, 1)


def percent(flags: pl.Series) -> str:
    known = flags.drop_nulls()
    return f"{np.mean(known.to_numpy()):.0%}" if len(known) else "–"


def titled(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column)
    return table


# ---------------------------------------------------------------- how often tests reject


def rejections(mode: str, systems: int) -> Table:
    """Shares of tests that reject at each level; of systems whose p is small."""
    by_chance = " / ".join(f"{100 * one:g}" for one in rating_config(mode=mode).tail)
    table = titled(
        f"{mode}: % of tests that reject at 95 / 70 / 60 % (by chance {by_chance}); systems with"
        f" p ≤ {LEVEL}",
        "scores", "G1, one word", "G1, more words", "G3-RG, one word", "G3-RG, more words",
        *(f"p: {column}" for column in COLUMNS),
    )  # fmt: skip
    groups = [load_rating_group(name, mode) for name in RATING_GROUPS]
    for seed, (name, kind) in enumerate((KINDS | PLANTED).items()):
        tests, raw = tested(groups, kind, mode, systems, seed)
        cells = [
            rejected(tests, column, words)
            for column in ("G1", "G3-RG")
            for words in (("E1", "E2"), ("E3", "E4", "E5"))
        ]
        small = [raw.filter(pl.col("column") == column)["p"] <= LEVEL for column in COLUMNS]
        table.add_row(name, *cells, *map(percent, small))
    return table


def tested(
    groups: Sequence[Corpus], kind: System, mode: str, systems: int, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tests and raw scores; what is drawn and permuted is shared by a few systems only."""
    rng, sentences = np.random.default_rng(seed), [group.sentences() for group in groups]
    studies = []
    for batch in range(batches(systems)):
        scores = np.hstack([kind.scores(rng, one, EACH) for one in sentences])
        studies.append(study_of(groups, scores, mode, batch))
    return pl.concat(one.tests for one in studies), pl.concat(one.raw for one in studies)


def rejected(tests: pl.DataFrame, column: str, words: tuple[str, ...]) -> str:
    """The share of tests that reject at each level, in per cent."""
    mine = tests.filter(pl.col("column") == column, pl.col("words").is_in(words))["rejected"]
    shares = [(mine > others).cast(pl.Float64).sum() / len(mine) for others in (2, 1, 0)]
    return " / ".join(f"{100 * share:.0f}" for share in shares)


# ---------------------------------------------------------------- a known effect of words


def effects(edition: str, draws: int) -> Table:
    """Errors of three estimates of an effect of 1.2, where women are scored 0.4 higher."""
    table = titled(
        f"{edition}, G2-E3: error of an effect of 1.2 in hundredths (mean ± spread); draws in which"
        " a class has words of one polarity only",
        "effect of words", "strength", "naive", "adjusted", "matched", "draws",
    )  # fmt: skip
    for name, more in (("the same for everyone", 0.0), ("0.4 larger for women than for men", 0.4)):
        for strength in (0.6, 0.8, 0.9):
            told = estimated(load_rating_group("rating-2", edition), draws, strength, more)
            errors = [100 * (one - 1.2) for one in (told.naive, told.adjusted, told.matched)]
            cells = [f"{np.nanmean(one):+.1f} ± {np.nanstd(one):.1f}" for one in errors]
            table.add_row(name, f"{strength:g}", *cells, percent(pl.Series(told.unmatched[0] > 0)))
    return table


def estimated(corpus: Corpus, draws: int, strength: float, more: float) -> WordEffects:
    """The effect by three estimates in many draws; over all classes it is 1.2 whatever `more`."""
    sentences = corpus.sentences()
    gender = sentences["gender"].fill_null("").to_numpy()
    own = more / 4 * ((gender == "female") * 1.0 - (gender == "male"))
    scores = System(tilt=0.4).scores(np.random.default_rng(0), sentences, FEW)
    scores += own * np.sign(word_levels(sentences))
    (group,) = build_groups([corpus], scores, Drawing(draws=draws, strength=strength))
    weights = np.zeros((draws, sentences.height))
    np.put_along_axis(weights, group.datasets[0].rows, 1.0, axis=1)
    classes, place = group.classes(group.axes)
    sums = class_sums(scores, weights, place * 2 + group.polarity, len(classes) * 2)
    return treatment_effects(sums.over(len(classes), 2))


# ---------------------------------------------------------------- orders, ratings and their spread


@dataclass(frozen=True, eq=False, slots=True)
class Panels:
    """Panels whose systems differ in nothing but their tilt and their luck."""

    systems: pl.DataFrame
    """Ratings with their spread; `again` is of the same systems in other sentences."""
    pairs: pl.DataFrame
    """Every two systems of a panel, the lower ψ first."""


def panels(group: str, kind: System, many: int) -> Panels:
    corpus = load_rating_group(group)
    systems, pairs = zip(*(_batch(corpus, kind, at) for at in range(batches(many))), strict=True)
    return Panels(pl.concat(systems), pl.concat(pairs))


def _batch(corpus: Corpus, kind: System, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng, sentences = np.random.default_rng([seed, 1]), corpus.sentences()
    tilts = np.tile(TILTS, EACH)[:, None] * about_women(sentences)
    here, there = (
        study_of([corpus], kind.scores(rng, sentences, len(tilts)) + tilts, "corrected", *how)
        for how in ((2 * seed, REPEATS), (2 * seed + 1, 0))
    )
    whose = ["task", "system"]
    other = there.raw.select(*whose, psi_again="psi", again="rating")
    systems = here.raw.join(other, on=whose).with_columns(pl.col("system").cast(pl.Int64))
    pairs = here.order.filter(pl.col("column") != "overall")
    pairs = pairs.with_columns(pl.col("first", "second").cast(pl.Int64))
    for side in ("first", "second"):
        mine = systems.select(
            "task", pl.col("system").alias(side), pl.col("psi", "psi_again").name.suffix(f"_{side}")
        )
        pairs = pairs.join(mine, on=["task", side])
    return systems, pairs


def orders(found: Mapping[str, Panels]) -> Table:
    """Neighbours of a panel: their order at hand, what repeats call certain, other sentences."""
    said = [f"{low:g} and {high:g}" for low, high in pairwise(TILTS)]
    table = titled("Two systems with tilts of …", "group, scores", "", *said)
    what = ("true order at hand", "certain", "… and true", "… and again in other sentences")
    for name, many in found.items():
        cells = [neighbours(many.pairs, place) for place in range(len(TILTS) - 1)]
        for label, shares in zip(what, zip(*cells, strict=True), strict=True):
            table.add_row(name if label == what[0] else "", label, *shares)
    return table


def neighbours(pairs: pl.DataFrame, place: int) -> tuple[str, str, str, str]:
    """Shares of panels; of the last two, among those whose order is called certain."""
    known = TILTS[place] < TILTS[place + 1]
    true = (pl.col("first") == place) & (pl.col("psi_first") < pl.col("psi_second"))
    mine = pairs.filter(pl.min_horizontal("first", "second") == place,
                        pl.max_horizontal("first", "second") == place + 1)  # fmt: skip
    told = mine.select(
        true=true & known,
        certain=pl.col("certain") & (pl.col("lower") > 0),
        again=pl.col("psi_again_first") < pl.col("psi_again_second"),
    )
    certain = told.filter("certain")
    return (
        percent(told["true"]) if known else "–", percent(told["certain"]),
        percent(certain["true"]), percent(certain["again"]),
    )  # fmt: skip


def spreads(found: Mapping[str, Panels]) -> Table:
    """Whether spreads hold the long-run rating, and whether a rating comes again."""
    bins = [f"steady {low:.0%} to {min(high, 1):.0%}" for low, high in pairwise(STEADY)]
    table = titled(
        "Spreads of ratings that hold the long-run rating; that are one rating wide; ratings that"
        " come again in other sentences (of how many), by how steady they are",
        "group, scores", "hold", "one wide", *bins,
    )  # fmt: skip
    for name, many in found.items():
        told = many.systems.join(long_run(many.systems), on="system")
        holds = told.select(pl.col("long_run").is_between("low", "high")).to_series()
        narrow = told["low"] == told["high"]
        cells = [
            came_again(told.filter(pl.col("steady").is_between(low, high, closed="left")))
            for low, high in pairwise(STEADY)
        ]
        table.add_row(name, percent(holds), percent(narrow), *cells)
    return table


def came_again(told: pl.DataFrame) -> str:
    return f"{percent(told['rating'] == told['again'])} ({told.height:,})"


def long_run(systems: pl.DataFrame) -> pl.DataFrame:
    """The rating of each system by its mean ψ in all sentences that were drawn."""
    both = (pl.col("psi") + pl.col("psi_again")) / 2
    means = systems.group_by("system").agg(both.mean().alias("mean")).sort("system")
    ratings = ratings_of(means["mean"].to_numpy(), LEVELS)
    return means.select("system", long_run=pl.Series(ratings))


def main() -> None:
    systems = int(sys.argv[1]) if len(sys.argv) > 1 else SYSTEMS
    console = Console(width=150)
    print(f"{systems:,} simulated systems or panels a line")
    with threadpool_limits(1):
        for mode in EDITIONS:
            console.print(rejections(mode, systems))
        for edition in EDITIONS:
            console.print(effects(edition, systems * 10))
        found = {name: panels(*how, systems) for name, how in PANELS.items()}
        console.print(orders(found))
        console.print(spreads(found))


if __name__ == "__main__":
    main()
