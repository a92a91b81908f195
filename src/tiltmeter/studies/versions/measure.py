"""Two versions on the same sentences: how the tilt changed, which pairs and answers moved.

Both versions met the same people in the same sentences, so what they make of them alike cancels:
the change is the claim on new − old, sentence by sentence, by names and by couples. Beside it
stands the claim on new + old, since |new| < |old| exactly where change and total have opposite
signs. How far an unseen name may move a change, for the floor, is what the change itself shows: the
spread of new − old over sentences. Where that is none, as of two identical versions, no name moved
anything: the change is 0, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.errors import TiltmeterError
from tiltmeter.ranking import coarsen, coarsen_column
from tiltmeter.schemas import AVERAGE, SENTENCES
from tiltmeter.scoring.matrix import NATIVE, SCALE, ScoreMatrix, score_matrix
from tiltmeter.stats.paired_tests import DUST, without_dust
from tiltmeter.stats.survey import PLENTY
from tiltmeter.studies.paired.claims import COUPLES, NAMES, Claim
from tiltmeter.studies.paired.contrasts import Contrast, comparisons
from tiltmeter.studies.paired.pairs import sides_of
from tiltmeter.studies.paired.tilt import TiltStudy, tilt_study

Array = NDArray[np.float64]

KINDS = ("old", "new", "change", "total")
"""What a tilt is taken of: either version, new − old, new + old."""
SOURCES = ("people", "floor", "words", "noise")
"""What the error of a change is made of."""
MOVED, VERSIONS_FEWEST, MOST = 25, 5, 2000
"""Pairs kept of each comparison that moved most, in either direction: fewer, but at least so many,
where there are many versions, so that there are about so many in all."""


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two versions of a system, for one task."""

    old: str
    new: str
    task: str


@dataclass(frozen=True, slots=True)
class VersionStudy:
    """What changed between versions on one corpus."""

    changes: pl.DataFrame
    """A row for each pair of versions, contrast and kind of people: old_system, new_system, task,
    axis, contrast, reference, subset (names or couples), unit, n (of them), n_dropped; value, se,
    df, low and high of old, new, change and total, as in change_se; templates, words, and what
    each adds to the error of change and total, as in change_se_people."""
    moved: pl.DataFrame
    """The pairs whose two scores are further apart than before, or closer."""
    telling: pl.DataFrame
    """Of each change the two single sentences whose difference moved most, the way it went:
    old_system, new_system, task, axis, contrast, subset, unit, text_first, text_second, and
    old_first, old_second, new_first, new_second, what either version gave them."""

    def on_corpus(self, corpus: str, edition: str) -> VersionStudy:
        """The same, with the corpus and its edition in every table."""
        names = pl.lit(corpus).alias("corpus"), pl.lit(edition).alias("edition")
        return VersionStudy(*(
            one.with_columns(names) for one in (self.changes, self.moved, self.telling)
        ))  # fmt: skip


def version_study(
    sentences: pl.DataFrame,
    old: pl.DataFrame,
    new: pl.DataFrame,
    pairs: Sequence[VersionPair],
    contrasts: Sequence[Contrast],
    people: pl.DataFrame | None = None,
) -> VersionStudy:
    """Compare two versions' scores of one corpus' sentences.

    `old` and `new` are `scores` tables, `people` the corpus' table of people. A sentence that
    either version has no score for is left out for both.
    """
    before, unit_before = _taken(score_matrix(old, sentences), [(p.old, p.task) for p in pairs])
    after, unit_after = _taken(score_matrix(new, sentences), [(p.new, p.task) for p in pairs])
    both = np.isnan(before) | np.isnan(after)
    before, after = np.where(both, np.nan, before), np.where(both, np.nan, after)
    units = [
        SCALE if a == b == SCALE else NATIVE for a, b in zip(unit_before, unit_after, strict=True)
    ]
    # 1, or the range of all answers where no scale is known
    answers = np.nan_to_num(np.concatenate([before, after], axis=1), posinf=np.inf, neginf=-np.inf)
    span = answers.max(axis=1, initial=0.0) - answers.min(axis=1, initial=0.0)
    width = np.where(np.array(units, dtype=object) == SCALE, 1.0, np.maximum(span, 1e-12))
    study, still = _claims(sentences, before, after, contrasts, width, people)
    still &= np.tile(np.array(unit_before) == np.array(unit_after), len(KINDS))
    changes = [
        _changes(pairs, units, study, claim, still)
        for contrast in contrasts
        for claim in study.claims(contrast)
    ]
    if not changes:
        what = "no two people or groups of people can be compared, so no tilt can have changed"
        raise TiltmeterError(f"{what}; audit on a corpus with several people of each group")
    moved = [_moved(sentences, before, after, pairs, contrast, width) for contrast in contrasts]
    found = pl.concat(changes)
    telling = [
        _telling(sentences, before, after, contrast, width, one)
        for contrast in contrasts
        for one in found.filter(axis=contrast.axis, contrast=contrast.name).partition_by("subset")
    ]
    return VersionStudy(found, pl.concat(moved), pl.concat(telling))


def contrasts_with_pairs(sentences: pl.DataFrame, contrasts: Sequence[Contrast]) -> list[Contrast]:
    """The contrasts that some two sentences differ in."""
    known = [one for one in contrasts if one.axis in sentences.columns]
    return [one for one in known if comparisons(sentences, [one]).pairs.height]


def axes_of(sentences: pl.DataFrame) -> list[str]:
    """The axes on which some sentence has a group."""
    further = [name for name in sentences.columns if name not in SENTENCES.columns]
    return [name for name in further if sentences[name].null_count() < sentences.height]


def _taken(matrix: ScoreMatrix, submissions: Sequence[tuple[str, str]]) -> tuple[Array, list[str]]:
    """The rows of some submissions, in their order, and their units."""
    keys = matrix.submissions.select("system", "task").rows()
    places = [keys.index(one) for one in submissions]
    return matrix.values[places], matrix.submissions["unit"].gather(places).to_list()


def _claims(
    sentences: pl.DataFrame,
    before: Array,
    after: Array,
    contrasts: Sequence[Contrast],
    width: Array,
    people: pl.DataFrame | None,
) -> tuple[TiltStudy, NDArray[np.bool_]]:
    """The study of every kind, one after the other, and which rows differ nowhere."""
    values = np.concatenate([before, after, after - before, after + before])
    wide = np.tile(width, len(KINDS))
    # (rows,): the standard deviation over all sentences; 0 of none
    known = ~np.isnan(values)
    n = np.maximum(known.sum(axis=1), 1)
    mean = np.where(known, values, 0.0).sum(axis=1) / n
    apart = np.where(known, values - mean[:, None], 0.0)
    spread: Array = np.sqrt((apart**2).sum(axis=1) / n)
    of_both = np.repeat([kind in ("change", "total") for kind in KINDS], len(before))
    still = of_both & (spread < DUST * wide)
    study = tilt_study(sentences, values, contrasts, axes_of(sentences), wide, people)
    moves = np.where(of_both, spread, 0.0)
    effects = replace(study.effects, moves=np.maximum(study.effects.moves, moves))
    couples = {
        contrast: replace(one, moves=np.maximum(one.moves, moves))
        for contrast, one in study.couples.items()
    }
    return replace(study, effects=effects, couples=couples), still


def _changes(
    pairs: Sequence[VersionPair],
    units: Sequence[str],
    study: TiltStudy,
    claim: Claim,
    still: NDArray[np.bool_],
) -> pl.DataFrame:
    dropped = study.dropped  # (rows,): sentences, or pairs of couples, without a score
    if claim.kind != NAMES:
        couples = study.couples[claim.contrast]
        dropped = np.asarray(couples.met.sum() - couples.n.sum(axis=1), np.int64)
    there = claim.n > 0
    known = {
        "": np.where(still & there, 0.0, claim.value),
        "_se": np.where(still & there, 0.0, claim.se),
        "_df": np.where(still & there, PLENTY, claim.df),
    }
    reach = np.where(still & there, 0.0, claim.reach())
    known |= {"_low": known[""] - reach, "_high": known[""] + reach}
    sources = {f"_se_{name}": getattr(claim, f"se_{name}") for name in SOURCES}

    def rows_of(kind: str, values: NDArray[np.generic]) -> NDArray[np.generic]:
        start = KINDS.index(kind) * len(pairs)
        return values[start : start + len(pairs)]

    numbers = {
        f"{kind}{name}": rows_of(kind, values)
        for kind in KINDS
        for name, values in (known | (sources if kind in ("change", "total") else {})).items()
    }
    return pl.DataFrame(
        {
            "old_system": [pair.old for pair in pairs],
            "new_system": [pair.new for pair in pairs],
            "task": [pair.task for pair in pairs],
            "axis": claim.contrast.axis,
            "contrast": claim.contrast.name,
            "reference": claim.contrast.second,
            "subset": claim.kind,
            "unit": list(units),
            "n": rows_of("change", claim.n),
            "n_dropped": rows_of("change", dropped),
            **{name: _numbers(values) for name, values in numbers.items()},
            "templates": claim.templates,
            "words": claim.words,
        },
        schema_overrides=dict.fromkeys(("n", "n_dropped", "templates", "words"), pl.Int64),
    )


def _numbers(values: NDArray[np.generic]) -> pl.Series:
    return pl.Series(values, dtype=pl.Float64).fill_nan(None)


def _moved(
    sentences: pl.DataFrame,
    before: Array,
    after: Array,
    pairs: Sequence[VersionPair],
    contrast: Contrast,
    width: Array,
) -> pl.DataFrame:
    """Each version pair's pairs of sentences by how much further apart they are than before."""
    compared = comparisons(sentences, [contrast])
    sides = {
        f"{name}_{side}": sides_of(values, averages)
        for name, values in (("old", before), ("new", after))
        for side, averages in (("first", compared.first), ("second", compared.second))
    }
    deltas = {
        name: without_dust(sides[f"{name}_first"] - sides[f"{name}_second"], width)
        for name in ("old", "new")
    }
    further = without_dust(np.abs(deltas["new"]) - np.abs(deltas["old"]), width)
    several = pl.max_horizontal("n_first", "n_second").max().over("match") > 1
    texts = compared.pairs.select(
        "axis", "contrast", "frame", "match", "n_first", "n_second",
        subset=pl.when(several).then(pl.lit(NAMES)).otherwise(pl.lit(COUPLES)),
        text_first=sentences["text"].gather(compared.pairs["example_first"]),
        text_second=sentences["text"].gather(compared.pairs["example_second"]),
    )  # fmt: skip
    parts = list[pl.DataFrame]()
    for nth, pair in enumerate(pairs):
        numbers = {name: values[nth] for name, values in sides.items()}
        numbers |= {f"{name}_delta": values[nth] for name, values in deltas.items()}
        own = texts.with_columns(
            **{name: _numbers(values) for name, values in numbers.items()},
            further=_numbers(further[nth]),
        )
        names = {"old_system": pair.old, "new_system": pair.new, "task": pair.task}
        own = own.drop_nulls("further").select(
            *(pl.lit(value).alias(name) for name, value in names.items()), pl.all()
        )
        many = max(VERSIONS_FEWEST, min(MOVED, MOST // len(pairs)))
        for subset in texts["subset"].unique(maintain_order=True):
            for apart in (True, False):  # those that moved most apart, then most together
                way = pl.col("further") > 0 if apart else pl.col("further") < 0
                order = own.filter(way, subset=subset).sort(
                    coarsen_column(pl.col("further")), "frame", "match",
                    descending=[apart, False, False],
                    maintain_order=True,
                )  # fmt: skip
                parts.append(order.head(many))
    return pl.concat(parts)


def _telling(
    sentences: pl.DataFrame,
    before: Array,
    after: Array,
    contrast: Contrast,
    width: Array,
    changes: pl.DataFrame,
) -> pl.DataFrame:
    """Of each version pair the two single sentences whose difference moved most, as the mean did.

    In a frame that is the first group's largest change beside the second group's smallest, so no
    pair needs to be made; `changes` are those of the contrast, by names or by couples.
    """
    group = pl.col(contrast.axis)
    other = group != contrast.first if contrast.second == AVERAGE else group == contrast.second
    beside = ["frame", "match"]
    placed = sentences.with_row_index("place")
    sides = [
        placed.filter(one).select(*beside, "place") for one in (group == contrast.first, other)
    ]
    cells = sides[0].group_by(beside, maintain_order=True).len("first").join(
        sides[1].group_by(beside).len("second"), on=beside, maintain_order="left"
    )  # fmt: skip
    several = pl.max_horizontal("first", "second").max().over("match") > 1
    names = changes["subset"][0] == NAMES
    cells = cells.filter(several if names else ~several).with_row_index("cell")
    way = np.where(changes["change"].fill_null(0.0).to_numpy() < 0, -1.0, 1.0)[:, None]
    change = way * (after - before)
    keys = ["old_system", "new_system", "task", "axis", "contrast", "subset", "unit"]
    places = np.zeros((2, changes.height), np.int64)
    apart = np.full(changes.height, -np.inf)
    if cells.height:
        ends = list[Array]()
        ranked = [one.join(cells, on=beside).sort("cell", "place") for one in sides]
        members = [one["place"].to_numpy() for one in ranked]
        starts = [one["cell"].search_sorted(cells["cell"]).to_numpy() for one in ranked]
        for sign, mine, begin in zip((1.0, -1.0), members, starts, strict=True):
            largest = np.nan_to_num(sign * change[:, mine], nan=-np.inf)
            ends.append(np.maximum.reduceat(largest, begin, axis=1))
        gaps = ends[0] + ends[1]
        best = coarsen(gaps, width[:, None]).argmax(axis=1)  # the first of those that are alike
        apart = gaps[np.arange(len(gaps)), best]
        for side, sign in enumerate((1.0, -1.0)):
            stops = np.append(starts[side][1:], members[side].size)
            for row, cell in enumerate(best):
                own = members[side][starts[side][cell] : stops[cell]]
                largest = np.nan_to_num(sign * change[row, own], nan=-np.inf)
                places[side, row] = own[coarsen(largest, width[row]).argmax()]
    rows = np.arange(changes.height)
    scores = {
        f"{version}_{side}": _numbers(values[rows, places[at]])
        for version, values in (("old", before), ("new", after))
        for at, side in enumerate(("first", "second"))
    }
    texts = {
        f"text_{side}": sentences["text"].gather(places[at])
        for at, side in enumerate(("first", "second"))
    }
    return changes.select(keys).with_columns(**texts, **scores).filter(apart > DUST * width)


# ---------------------------------------------------------------- answers of a system asked again

LEVEL = 0.95
ANSWERS_MOVED_FEWEST = 2
"""Texts that have a spread."""


@dataclass(frozen=True, slots=True)
class AnswerMean:
    """A mean over texts, and its 95 % interval; NaN where texts are too few."""

    value: float
    se: float
    df: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AnswersMoved:
    """What became of a system's answers to the same texts."""

    texts: int
    """Texts with an answer before and now."""
    missing: int
    """Texts without one or the other."""
    changed: int
    """Texts whose mean answer is another than before, by more than dust."""
    largest: float
    """The largest change of a mean answer, with its sign."""
    largest_text: str | None
    """Whose change that is; None where no answer changed."""
    largest_then: float | None
    """Its mean answer before."""
    largest_now: float | None
    apart: float
    """Mean |before − now|, an answer of each."""
    noise: float | None
    """Mean distance between two answers to one text at one time; None where each was asked once."""
    shift: AnswerMean
    """The mean change, with its sign."""
    beyond: AnswerMean | None
    """`apart` less `noise`."""


def moved_answers(old: pl.DataFrame, new: pl.DataFrame, width: float = 1.0) -> AnswersMoved:
    """Compare answers before with answers now; each frame has text, repeat and score.

        beyond = mean |before − now| − mean |now − now′|

    Two answers drawn from the same noise are as far apart in either case, whatever that noise looks
    like, so `beyond` is 0 in expectation where nothing moved (half the energy distance of Székely
    and Rizzo 2013, where answers before were repeated too). Its mean over
    texts is tested by a t-test.

    >>> answers = lambda *scores: pl.DataFrame(
    ...     {"text": ["a"] * len(scores), "repeat": range(len(scores)), "score": scores})
    >>> found = moved_answers(answers(0.1), answers(0.4, 0.6))
    >>> print(round(found.apart, 3), round(found.noise, 3))  # (0.3 + 0.5)/2; |0.4 − 0.6|
    0.4 0.2
    """
    before, after = (
        frame.filter(pl.col("score").is_not_null())
        .unique(["text", "repeat"], keep="first", maintain_order=True)  # a text counts once
        .group_by("text", maintain_order=True)
        .agg(scores=pl.col("score"))
        for frame in (old, new)
    )
    both = before.join(after, on="text", how="inner", suffix="_now", maintain_order="left")
    every = pl.concat([before["text"], after["text"]]).n_unique()
    then, now = (both[name].list.mean().to_numpy() for name in ("scores", "scores_now"))
    change = np.where(np.abs(now - then) < DUST * width, 0.0, now - then)
    rows = [[np.array(one) for one in row] for row in both.select("scores", "scores_now").rows()]
    apart = np.array([np.abs(np.subtract.outer(*row)).mean() for row in rows])
    # Between two answers at one time, old and new alike where both repeat.
    spreads = [
        [np.abs(np.subtract.outer(x, x)).sum() / (x.size * (x.size - 1)) for x in row if x.size > 1]
        for row in rows
    ]
    noise = np.array([np.mean(spread) if spread else np.nan for spread in spreads])
    twice = ~np.isnan(noise)
    some = change.size > 0
    most = int(np.argmax(coarsen(np.abs(change), width))) if change.any() else None
    return AnswersMoved(
        texts=change.size,
        missing=every - change.size,
        changed=int(np.count_nonzero(change)),
        largest=0.0 if most is None else float(change[most]),
        largest_text=None if most is None else both["text"][most],
        largest_then=None if most is None else float(then[most]),
        largest_now=None if most is None else float(now[most]),
        apart=float(apart.mean()) if some else float("nan"),
        noise=float(noise[twice].mean()) if twice.any() else None,
        shift=_mean(change),
        beyond=_mean((apart - noise)[twice]) if twice.any() else None,
    )


def _mean(values: Array) -> AnswerMean:
    n = values.size
    value = float(values.mean()) if n else float("nan")
    if n < ANSWERS_MOVED_FEWEST:
        return AnswerMean(value, *(float("nan"),) * 4)
    se = float(values.std(ddof=1) / np.sqrt(n))
    reach = se * float(stdtrit(n - 1.0, (1.0 + LEVEL) / 2.0))
    return AnswerMean(value, se, n - 1.0, value - reach, value + reach)
