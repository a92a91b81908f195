"""Every table of the paired study: the paper's, where a tilt shows, verdicts, labels, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.schemas import Significance
from tiltmeter.stats.moments import Moments
from tiltmeter.studies.paired.advice import next_step
from tiltmeter.studies.paired.comparison import (
    Comparison,
    comparisons,
    main_subsets,
)
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.verdict_wording import moved_of, moved_shares

Array = NDArray[np.float64]
Places = NDArray[np.int64]

LARGEST = 20
"""Pairs shown of each submission and contrast."""
OF_A_PAIR = (
    "axis", "contrast", "first", "second", "template", "emotion", "emotion_word", "match",
    "n_first", "n_second", "text_first", "text_second",
)  # fmt: skip
"""What is shown of a pair; the texts are examples where a side has several sentences."""


def largest_pairs(material: AuditResults) -> pl.DataFrame:
    """The 20 largest differences of each submission and contrast, with sentences and scores.

    Pairs without a difference are left out; equal sizes stay in the corpus' order.
    """
    frames = []
    for comparison in comparisons(material):
        study, columns = comparison.compared.study, comparison.columns
        rows, at = largest_places(study.deltas[:, columns])
        places = columns[at]
        nth = np.arange(rows.size) - np.searchsorted(rows, rows) + 1  # rows stand together
        scores = {
            "score_first": study.first[rows, places], "score_second": study.second[rows, places],
            "difference": study.deltas[rows, places],
        }  # fmt: skip
        parts = [
            _submissions(comparison.compared, rows),
            pl.DataFrame({"place": pl.Series(nth, dtype=pl.Int64)}),
            study.pairs[places].select(*OF_A_PAIR),
            pl.DataFrame(scores),
        ]
        frames.append(pl.concat(parts, how="horizontal"))
    return _stacked(frames)


def people(material: AuditResults) -> pl.DataFrame:
    """How far each person's sentences stand from the average of those they are compared with."""
    frames = []
    for compared in material.compared:
        many, persons = compared.by_person.deviations.shape
        rows, columns = np.repeat(np.arange(many), persons), np.tile(np.arange(persons), many)
        value = pl.Series("deviation", compared.by_person.deviations.ravel()).fill_nan(None)
        named = [_submissions(compared, rows), compared.by_person.people[columns]]
        frames.append(pl.concat([*named, value.to_frame()], how="horizontal"))
    return _stacked(frames)


def templates_words(material: AuditResults) -> pl.DataFrame:
    """Mean Δ of each template and emotion word, for each submission and contrast."""
    return _stacked([_means(one, *one.compared.study.by_word) for one in comparisons(material)])


def matches(material: AuditResults) -> pl.DataFrame:
    """Mean Δ of each match ("my mother/my father", names), for each submission and contrast."""
    return _stacked([_means(one, *one.compared.study.by_match) for one in comparisons(material)])


def largest_places(deltas: Array, many: int = LARGEST) -> tuple[Places, Places]:
    """Row and column of each row's largest |Δ|, largest first; neither 0 nor missing ones.

    >>> largest_places(np.array([[0.1, -0.3, 0.0, np.nan]]))
    (array([0, 0]), array([1, 0]))
    """
    size = np.nan_to_num(np.abs(deltas))
    order = np.argsort(-coarsen(size), axis=1, kind="stable")[:, :many]
    shown = np.take_along_axis(size, order, axis=1) > 0
    return np.nonzero(shown)[0], order[shown]


def _means(comparison: Comparison, keys: pl.DataFrame, sums: Moments) -> pl.DataFrame:
    """Mean Δ over the known pairs of each group of pairs, for each submission."""
    mine = (keys["axis"] == comparison.axis) & (keys["contrast"] == comparison.contrast)
    groups, own = (
        keys.filter(mine).drop("first", "second", strict=False),
        sums.columns(mine.arg_true().to_numpy().astype(np.int64)),
    )
    rows = np.repeat(np.arange(len(own.n)), groups.height)
    cells = np.tile(np.arange(groups.height), len(own.n))
    numbers = {
        "mean_difference": own.known_mean.ravel(), "n": own.n.ravel().astype(np.int64)
    }  # fmt: skip
    submissions = _submissions(comparison.compared, rows)
    return pl.concat(
        [submissions, groups[cells], pl.DataFrame(numbers).fill_nan(None)], how="horizontal"
    )


def _submissions(compared: CorpusComparisons, rows: Places) -> pl.DataFrame:
    named = compared.submissions.select(
        "system", "task", "unit", corpus=pl.lit(compared.name), edition=pl.lit(compared.edition)
    )
    return named.select("system", "task", "corpus", "edition", "unit")[rows]


def _stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """All under each other; an axis that a corpus lacks is null there."""
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()


DIFFERENCES_KEYS = [
    "system", "task", "corpus", "edition", "mode", "axis", "contrast", "reference", "subset"
]  # fmt: skip
FOUND_BY = [*(name for name in DIFFERENCES_KEYS if name != "reference"), "measure"]
FURTHER = {
    "mean_up": "mean_up",
    "mean_down": "mean_down",
    "spread": "spread",
    "max_abs": "max_abs",
    "mean_abs": "mean_abs",
    "standardised": "standardised",
    "in_sd": "in_sd_of_scores",
}
"""Measures of which the value alone is shown, and their columns."""


def differences(material: AuditResults) -> pl.DataFrame:
    """Mean difference, its uncertainty, and what describes the differences, side by side."""
    measure, value = pl.col("measure"), pl.col("value")
    further = material.paired_estimates.group_by(DIFFERENCES_KEYS).agg(
        **{column: value.filter(measure == name).first() for name, column in FURTHER.items()},
        p_sign_flip=pl.col("p").filter(measure == "sign_flip").first(),
    )
    judged = material.paired_findings.select(*FOUND_BY, "p_adjusted", "significance")
    main = material.paired_estimates.filter(measure == "mean_difference")
    return (
        main.join(judged, on=FOUND_BY, how="left", maintain_order="left")
        .join(further, on=DIFFERENCES_KEYS, how="left", maintain_order="left")
        .with_columns(exploratory=pl.col("subset") != "all")
        .select(
            *DIFFERENCES_KEYS, pl.col("value").alias("mean_difference"),
            "unit", "se", "low", "high",
            pl.col("statistic").alias("t"), "df", "p", "p_adjusted", "significance", "p_sign_flip",
            *FURTHER.values(), "n", "n_dropped", "exploratory",
        )
    )  # fmt: skip


NOT_DESCRIBED = "not described"
NAMES = ("system", "team")
"""Columns that name systems rather than describe them."""
SEPARATOR = ";"
FAMILIES_KEYS = ["task", "corpus", "edition", "axis", "contrast", "subset"]
COUNTED = {
    "no_difference" if one == Significance.NONE else one.value: one
    for one in (Significance.UP, Significance.DOWN, Significance.NONE, Significance.NOT_ESTIMABLE)
}
SKILL = ("pearson", "spearman")


def families(material: AuditResults) -> pl.DataFrame:
    """For each column that describes systems and each of its values: how many tilt, and how far.

    A cell may hold several values, separated by `;`; its system then counts in each. A system
    without a value is `not described`. Sizes are over submissions on a known scale.
    """
    meta = material.meta if material.meta is not None else pl.DataFrame({"system": []})
    judged = _judged(material)
    found = [
        _of_column(judged, _values(meta, column), column)
        for column in meta.columns
        if column not in NAMES
    ]
    return pl.concat(found) if found else _of_column(judged.clear(), _values(meta, "system"), "")


def _judged(material: AuditResults) -> pl.DataFrame:
    """Every finding on the main subsets with its spread and its system's skill, where known."""
    keys = ["system", *FAMILIES_KEYS]
    spreads = material.paired_estimates.filter(pl.col("measure") == "spread")
    found = material.paired_findings.filter(pl.col("subset").is_in(main_subsets(material))).join(
        spreads.select(*keys, "unit", spread="value"), on=keys, how="left", maintain_order="left"
    )
    if material.skill is None:
        return found.with_columns(pl.lit(None, pl.Float64).alias(name) for name in SKILL)
    skill = material.skill.unique(["system", "task"], keep="first", maintain_order=True)
    return found.join(skill.select("system", "task", *SKILL), on=["system", "task"], how="left")


def _values(meta: pl.DataFrame, column: str) -> pl.DataFrame:
    """Each system's values in a column, a row a value; nothing for an empty cell.

    >>> _values(pl.DataFrame({"system": ["a"], "features": ["lexicon; glove"]}), "features").rows()
    [('a', 'lexicon'), ('a', 'glove')]
    """
    cell = pl.col(column).cast(pl.String)
    split = meta.select("system", value=cell.str.split(SEPARATOR)).explode("value")
    return (
        split.with_columns(pl.col("system").cast(pl.String), pl.col("value").str.strip_chars())
        .filter(pl.col("value").fill_null("") != "")
        .unique(maintain_order=True)
    )


def _of_column(judged: pl.DataFrame, values: pl.DataFrame, column: str) -> pl.DataFrame:
    """A row for each value of one column, task, contrast and subset."""
    told = judged.join(values, on="system", how="left").with_columns(
        pl.col("value_right").fill_null(NOT_DESCRIBED).alias("family"),
        known=pl.col("value_right").is_not_null(),
    )
    significance, on_scale = pl.col("significance"), pl.col("unit") == "scale"
    return (
        told.group_by("known", "family", *FAMILIES_KEYS)
        .agg(
            submissions=pl.len().cast(pl.Int64),
            **{name: (significance == kind).sum().cast(pl.Int64) for name, kind in COUNTED.items()},
            mean_size=pl.col("value").filter(on_scale).abs().mean(),
            mean_spread=pl.col("spread").filter(on_scale).mean(),
            **{f"mean_{name}": pl.col(name).mean() for name in SKILL},
            n_skill=pl.col("pearson").count().cast(pl.Int64),
        )
        .sort(*FAMILIES_KEYS, pl.col("known").not_(), "family")
        .select(
            pl.lit(column).alias("column"),
            pl.col("family").alias("value"),
            pl.exclude("known", "family"),
        )
    )


SOURCES = ("people", "floor", "words", "noise")
OTHER_WAYS = {"tilt_by_names": "each_name_alike", "tilt_matched": "equally_common"}
SIDES = ("first", "second")
BESIDE = {
    name: dtype
    for side in SIDES
    for name, dtype in {
        f"moved_{side}": pl.Int64, f"people_{side}": pl.Int64, f"share_moved_{side}": pl.Float64,
        f"share_moved_{side}_low": pl.Float64, f"share_moved_{side}_high": pl.Float64,
    }.items()
} | {"next": pl.String}  # fmt: skip
"""What stands beside each claim, and its type."""


def verdict_table(material: AuditResults) -> pl.DataFrame | None:
    """A row a submission and claim; None where nothing was held to a margin.

    `moved_first` is of the first group or of the couples, `moved_second` of the second group.
    """
    if material.tilts is None or material.tilts.is_empty():
        return None
    measure = pl.col("measure")
    behind = (
        material.paired_estimates.filter(measure.str.starts_with("tilt_"))
        .group_by(DIFFERENCES_KEYS)
        .agg(
            **{f"se_{name}": _of(f"tilt_{name}", "value") for name in SOURCES},
            templates=_of("tilt_these_people", "n"),
            words=_of("tilt_words", "n"),
            **{
                f"{name}{end}": _of(one, column)
                for one, name in OTHER_WAYS.items()
                for column, end in (("value", ""), ("low", "_low"), ("high", "_high"))
            },
        )
    )
    wide = material.tilts.join(behind, on=DIFFERENCES_KEYS, how="left", maintain_order="left")
    beside = pl.DataFrame(_beside(material), schema=BESIDE)
    others = [f"{name}{end}" for name in OTHER_WAYS.values() for end in ("", "_low", "_high")]
    return pl.concat([wide, beside], how="horizontal").select(
        *DIFFERENCES_KEYS, "verdict", "margin", pl.col("value").alias("difference"), "unit",
        "se", "df", "level", "low", "high", "p", "p_decides", "se_these", "low_these",
        "high_these", "p_these", *beside.columns[:-1], *(f"se_{name}" for name in SOURCES),
        "templates", "words", *others, "needed_people", "n", "n_dropped", "reason", "next",
    )  # fmt: skip


def _beside(material: AuditResults) -> list[dict[str, Any]]:
    """For each claim: people moved of either side, and the command that would decide it."""
    shares = moved_shares(material.paired_estimates)
    found = []
    for claim in material.tilts.iter_rows(named=True) if material.tilts is not None else ():
        row: dict[str, Any] = {}
        sides = [*moved_of(claim, shares), None, None][: len(SIDES)]
        for side, one in zip(SIDES, sides, strict=True):
            row |= {
                f"moved_{side}": one.moved if one else None,
                f"people_{side}": one.people if one else None,
                f"share_moved_{side}": one.share if one else None,
                f"share_moved_{side}_low": one.low if one else None,
                f"share_moved_{side}_high": one.high if one else None,
            }
        step = next_step(claim, material.run)
        row["next"] = step.said([claim["system"]]) if step else None
        found.append(row)
    return found


def _of(measure: str, column: str) -> pl.Expr:
    return pl.col(column).filter(pl.col("measure") == measure).first()


FLIPS_KEYS = ["system", "task", "corpus", "edition", "axis", "contrast", "reference", "subset"]
OF_A_GAP = ["system", "task", "corpus", "edition", "axis"]
REPEATS = {
    "flips_once": "flips_once", "retest_flips": "retest_flips",
    "retest": "retest_se", "retest_sd": "retest_sd",
}  # fmt: skip
"""Measures of repeats, and their columns."""


def label_shares(material: AuditResults) -> pl.DataFrame:
    """How many sentences of either group are positive: a row a submission, contrast and kind.

    `kind` is whom it is about: names or couples.
    """
    labels = _labels(material)
    tilt = labels.filter(pl.col("measure") == "label_tilt")
    first, second = groups_compared()
    found = tilt.select(
        *FLIPS_KEYS[:-1], kind="subset", people="n", label_tilt="value", label_tilt_low="low",
        label_tilt_high="high", label_tilt_p="p", first=first, second=second,
    )  # fmt: skip
    found = _with_shares(found, labels, ["kind"], pl.col("subset"))
    return _with_repeats(found, labels).drop("first", "second")


def label_flips(material: AuditResults) -> pl.DataFrame:
    """How many couples' pairs change label: a row a submission, contrast and subset."""
    labels = _labels(material)
    flips, balance = (
        labels.filter(pl.col("measure") == name) for name in ("flips", "flip_balance")
    )
    changed, more = pl.col("flips") * pl.col("n"), pl.col("balance") * pl.col("n")
    found = flips.select(
        *FLIPS_KEYS, "n", "n_dropped", flips="value", flips_low="low", flips_high="high"
    ).join(
        balance.select(
            *FLIPS_KEYS, balance="value", balance_low="low", balance_high="high", p_mcnemar="p"
        ),
        on=FLIPS_KEYS, how="left", maintain_order="left",
    )  # fmt: skip
    return found.with_columns(
        first_higher=((changed + more) / 2).round().cast(pl.Int64),
        second_higher=((changed - more) / 2).round().cast(pl.Int64),
    )


def groups_compared() -> tuple[pl.Expr, pl.Expr]:
    """The two groups of a contrast such as `female-male`, whose second is its reference."""
    second = pl.col("reference")
    return pl.col("contrast").str.strip_suffix(pl.concat_str(pl.lit("-"), second)), second


def _with_shares(
    found: pl.DataFrame, labels: pl.DataFrame, more: list[str], kind: pl.Expr
) -> pl.DataFrame:
    """Both groups' shares, `share_first` and `share_second`."""
    shares = labels.filter(pl.col("measure") == "label_share").with_columns(kind=kind)
    for one, other in (("first", "second"), ("second", "first")):
        on = [*OF_A_GAP, *more, "first", "second"]
        told = shares.select(
            *OF_A_GAP, *more, pl.col("contrast").alias(one), pl.col("reference").alias(other),
            pl.col("value").alias(f"share_{one}"),
        )  # fmt: skip
        found = found.join(told, on=on, how="left", maintain_order="left")
    return found


def _with_repeats(found: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """The columns on repeats, where systems were asked more than once."""
    there, keys = set(labels["measure"]), FLIPS_KEYS[:-1]
    for measure, column in REPEATS.items():
        if measure in there:
            mine = labels.filter(pl.col("measure") == measure, pl.col("subset") == "all")
            told = mine.select(*keys, pl.col("value").alias(column))
            found = found.join(told, on=keys, how="left", maintain_order="left")
    return found


def label_gaps(material: AuditResults) -> pl.DataFrame:
    """Of three groups or more, or of all cells, the two labelled most unlike."""
    labels = _labels(material)
    first, second = groups_compared()
    gap = labels.filter(pl.col("measure") == "label_gap").select(
        *OF_A_GAP, kind="subset", first=first, second=second, gap="value", low="low", high="high",
        p="p", people="n",
    )  # fmt: skip
    return _with_shares(gap, labels, ["kind"], pl.col("subset").str.strip_prefix("label_gap:"))


def label_tables(material: AuditResults) -> dict[str, pl.DataFrame]:
    """The tables of a run's labels and ranks that there are, by name."""
    tables = {}
    if material.labels is not None and material.labels.height:
        tables = {
            "label-shares": label_shares(material), "flips": label_flips(material),
            "label-gaps": label_gaps(material),
        }  # fmt: skip
        tables = {name: one for name, one in tables.items() if one.height}
    if material.ranks is not None and material.ranks.height:
        tables["tilt-ranks"] = material.ranks
    return tables


def _labels(material: AuditResults) -> pl.DataFrame:
    return material.paired_estimates.clear() if material.labels is None else material.labels


TOP = (1, 3, 5, 10)
RANKS_KEYS = ["task", "corpus", "edition", "axis", "contrast", "subset"]


def ranked(material: AuditResults) -> pl.DataFrame:
    """Each submission's rank by skill, 1 the best, with the best and worst that the texts allow.

    system, task, rank, rank_best, rank_worst; empty without gold.
    """
    names = ("rank", "rank_best", "rank_worst")
    if material.skill is None:
        schema = dict.fromkeys(("system", "task"), pl.String) | dict.fromkeys(names, pl.Int64)
        return pl.DataFrame(schema=schema)
    known = material.skill.filter(pl.col("rank").is_not_null())
    here = [pl.col(name) if name in known.columns else pl.col("rank").alias(name) for name in names]
    return (
        known.select("system", "task", *here)
        .group_by("system", "task", maintain_order=True)
        .agg(pl.all().min())
    )


def top_systems(material: AuditResults) -> pl.DataFrame:
    """Of the top 1, 3, 5 and 10 of a task by skill, how many show a difference and how many none.

    Ties share a rank, so that more than k systems may stand among the top k. `surely` of them are
    there whatever the luck of the gold texts, and `possibly` so many might be: where the two
    differ, the k-th place is within noise.
    """
    main = material.paired_findings.filter(pl.col("subset").is_in(main_subsets(material)))
    judged = main.join(ranked(material), on=["system", "task"], how="inner")
    significance = pl.col("significance")
    shown = {
        "no_difference" if one == Significance.NONE else one.value: one for one in Significance
    }
    counted = [
        judged.group_by(RANKS_KEYS, maintain_order=True)
        .agg(
            top=pl.lit(top, pl.Int64),
            systems=(pl.col("rank") <= top).sum().cast(pl.Int64),
            surely=(pl.col("rank_worst") <= top).sum().cast(pl.Int64),
            possibly=(pl.col("rank_best") <= top).sum().cast(pl.Int64),
            **{
                name: ((significance == kind) & (pl.col("rank") <= top)).sum().cast(pl.Int64)
                for name, kind in shown.items()
            },
        )
        .filter(pl.col("systems") > 0)
        for top in TOP
    ]
    return pl.concat(counted).sort(*RANKS_KEYS, "top")
