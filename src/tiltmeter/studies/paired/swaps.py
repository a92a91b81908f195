"""Who was put in whose place: single pairs of sentences, grouped by their two people.

The paired study averages the twenty names of a group; here every sentence stands against every
sentence of the other group in the same frame and match, as `Ebony ↔ Amanda` in one of them. A swap
is two people with all pairs of theirs. What is computed for people to read is how far single pairs
lie apart; estimates and verdicts are of averages, and are made elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen, coarsen_column
from tiltmeter.report.numbers import SCALE
from tiltmeter.schemas import SENTENCES
from tiltmeter.stats.paired_tests import without_dust
from tiltmeter.studies.paired.comparison import columns_of
from tiltmeter.studies.paired.packing import score_rounding
from tiltmeter.studies.paired.people_sums import people_of_matches, pooled_matches
from tiltmeter.studies.paired.results import CorpusComparisons, SentenceScores
from tiltmeter.studies.paired.submissions import ContrastPanel, ShownSubmission
from tiltmeter.studies.paired.verdict_wording import COUPLES, NAMES

Array = NDArray[np.float64]
Places = NDArray[np.int64]

MOST = 2_000_000
"""Single pairs of a contrast that are looked at; of more, those of every second frame, or third."""
WORST = 20
"""The largest swaps, among which an intersection is looked for."""
TWICE = 2
"""So often may a person stand among the largest swaps."""
DRIVES = 0.8
"""The part of the largest swaps that an intersection has where it drives them."""
FEW = 1 / 3
"""The part of all people that an intersection is at most: more drive nothing by being many."""
NEAR = 1e-9
"""Of a finding: a swap that lies apart as far but for rounding counts as as far."""


@dataclass(frozen=True, eq=False)
class Swaps:
    """Every single pair of one contrast; a swap's pairs stand together, in the corpus' order."""

    pairs: pl.DataFrame
    """swap, match, person_first, person_second, kind (names or couples), and first, second: where
    its two sentences stand."""
    scored: SentenceScores
    width: Array
    """(submissions,): each one's scale."""

    @cached_property
    def starts(self) -> Places:
        """Where each swap's pairs begin."""
        return np.flatnonzero(np.diff(self.pairs["swap"].to_numpy(), prepend=-1))

    @cached_property
    def axes(self) -> list[str]:
        """The axes that people have groups on."""
        return [one for one in self.scored.sentences.columns if one not in SENTENCES.columns]

    @cached_property
    def turns(self) -> Places:
        """Each swap's turn among those alike in size: by the place of its people in their groups.

        Without turns, whoever stands first in the corpus would seem to drive what all share.
        """
        sentences = self.scored.sentences.select("person", *self.axes)
        people = sentences.unique(maintain_order=True).with_columns(
            turn=pl.int_range(pl.len(), dtype=pl.Int64).over(self.axes)
            if self.axes else pl.int_range(pl.len(), dtype=pl.Int64)
        )  # fmt: skip
        turn = sentences.join(
            people, on=["person", *self.axes], how="left", nulls_equal=True, maintain_order="left"
        )["turn"]
        at = self.pairs[self.starts] if self.starts.size else self.pairs.clear()
        both = [turn.gather(at[side]).to_numpy() for side in ("first", "second")]
        turns: Places = np.maximum(*both)
        return turns

    @cached_property
    def people(self) -> NDArray[np.int64]:
        """(swaps, 2): a number for each of the two people of a swap."""
        names = [self.pairs[f"person_{side}"].gather(self.starts) for side in ("first", "second")]
        numbers = pl.concat(names).cast(pl.String).fill_null("").rank("dense")
        return numbers.to_numpy().astype(np.int64).reshape(2, -1).T

    @cached_property
    def cells(self) -> list[tuple[str | None, ...]]:
        """Of each sentence, its person's group on every axis."""
        return self.scored.sentences.select(self.axes).rows()

    @cached_property
    def people_by_cell(self) -> Counter[tuple[str | None, ...]]:
        """How many of all who are swapped are of each combination of groups."""
        every = pl.concat(
            [self.pairs.select(pl.col(f"person_{side}").alias("person"), place=side)
             for side in ("first", "second")]
        ).unique("person", keep="first")  # fmt: skip
        return Counter(self.cells[at] for at in every["place"].to_list())

    def differences(self, row: int) -> Array:
        """First minus second of one submission, without dust; NaN where a score is missing."""
        scores = self.scored.values[[row]]
        first, second = (scores[:, self.pairs[side].to_numpy()] for side in ("first", "second"))
        return without_dust(first - second, self.width[[row]]).ravel()


def swaps_of(compared: CorpusComparisons, axis: str, first: str, second: str) -> Swaps | None:
    """The swaps of one contrast; None where single sentences are not held.

    Where `second` is the average of all groups, everybody else stands on that side.
    """
    if compared.scored is None:
        return None
    sentences = compared.scored.sentences
    pooled = pooled_matches(sentences, axis, people_of_matches(compared.corpus.people))
    placed = sentences.select(
        "frame", "match", "person", group=pl.col(axis),
        place=pl.int_range(pl.len(), dtype=pl.Int64),
    )  # fmt: skip
    beside = ["frame", "match"]
    group = pl.col("group")
    others = group != first if compared.is_average(axis, second) else group == second
    ours = placed.filter(group == first).select(*beside, "place", "person")
    theirs = placed.filter(others).select(*beside, "place", "person")
    many = ours.group_by(beside).len("ours").join(theirs.group_by(beside).len("n"), on=beside)
    step = -(-int((many["ours"] * many["n"]).sum()) // MOST)
    if step > 1:
        frames = sentences["frame"].unique(maintain_order=True).gather_every(step)
        ours = ours.filter(pl.col("frame").is_in(frames.implode()))
    people = ["match", "person_first", "person_second"]
    pairs = (
        ours.join(theirs, on=beside, suffix="_second")
        .rename({"place": "first", "place_second": "second", "person": "person_first"})
        .sort("first", "second")
    )
    numbered = pairs.select(people).unique(maintain_order=True)
    numbered = numbered.with_columns(swap=pl.int_range(pl.len(), dtype=pl.Int64))
    kind = pl.when(pl.col("match").is_in(sorted(pooled))).then(pl.lit(NAMES))
    return Swaps(
        pairs.join(numbered, on=people, how="left", nulls_equal=True)
        .sort("swap", "first", "second")
        .select("swap", *people, "first", "second", kind=kind.otherwise(pl.lit(COUPLES))),
        compared.scored,
        compared.submissions["width"].to_numpy(),
    )


@dataclass(frozen=True, slots=True)
class Swap:
    """One person put in another's place: all pairs of the two."""

    people: tuple[str, str]
    many: int
    """Pairs with both scores."""
    mean: float
    """First minus second, on average over them."""
    places: tuple[int, int]
    """Where the two sentences of its worst pair stand: the largest difference of the mean's way."""
    worst: float
    """That pair's difference."""


@dataclass(frozen=True, slots=True)
class LargestSwaps:
    """The swaps that move one submission most, the largest first."""

    swaps: tuple[Swap, ...]
    """Nobody more than twice, unless there is only one person who moves anything."""
    moving: int
    """How many of all swaps move anything."""
    every: int
    """How many there are with both scores."""
    only: str = ""
    """The one person without whom no swap moves anything."""


def largest_swaps(swaps: Swaps, row: int, most: int = WORST) -> LargestSwaps:
    """The swaps with the largest mean difference either way, of different people.

    By size, and by turns where they are alike, a swap is taken while neither of its people has been
    taken twice. Where one person is part of every swap that moves anything, the cap would
    leave two: there it does not hold.
    """
    pairs, apart = swaps.pairs, swaps.differences(row)
    starts = swaps.starts
    if not starts.size:
        return LargestSwaps((), 0, 0)
    known = ~np.isnan(apart)
    many = np.add.reduceat(known.astype(np.int64), starts)
    with np.errstate(invalid="ignore"):
        means = np.add.reduceat(np.where(known, apart, 0.0), starts) / many
    sizes = np.abs(np.nan_to_num(means))
    width = float(swaps.width[row] or 1.0)
    steps = coarsen(sizes, width)
    order = np.lexsort((swaps.turns, -steps))
    order = order[steps[order] > 0]
    people = swaps.people
    only = _in_all(people[order])
    taken, left, chosen = Counter[int](), order, list[int]()
    while left.size and len(chosen) < most:
        nth = int(left[0])
        chosen.append(nth)
        left = left[1:]
        taken.update(people[nth].tolist())
        full = [] if only is not None else [one for one in people[nth] if taken[one] >= TWICE]
        if full:
            left = left[~np.isin(people[left], full).any(axis=1)]
    ends = np.append(starts[1:], apart.size)
    found = []
    for nth in chosen:
        own = apart[starts[nth] : ends[nth]] * np.sign(means[nth])
        at = int(starts[nth]) + int(np.nanargmax(coarsen(own, width)))
        pair = pairs.row(at, named=True)
        found.append(Swap(
            (str(pair["person_first"]), str(pair["person_second"])), int(many[nth]),
            float(means[nth]), (int(pair["first"]), int(pair["second"])), float(apart[at]),
        ))  # fmt: skip
    alone = ""
    if only is not None and found:
        side = int(people[chosen[0]].tolist().index(only))
        alone = found[0].people[side]
    return LargestSwaps(tuple(found), int(order.size), int((many > 0).sum()), alone)


def _in_all(people: NDArray[np.int64]) -> int | None:
    """Who is part of every one of several swaps; nobody of a single swap, which has two."""
    if len(people) < TWICE + 1:
        return None
    shared = [one for one in people[0].tolist() if (people == one).any(axis=1).all()]
    return shared[0] if shared else None


@dataclass(frozen=True, slots=True)
class Intersection:
    """People who share a group on every axis, and how many of the largest swaps are theirs."""

    groups: dict[str, str]
    """By axis."""
    many: int
    of: int


def driving_intersections(swaps: Swaps, largest: LargestSwaps) -> tuple[Intersection, ...]:
    """The intersections of groups, as of women and African American names, that drive the worst.

    An intersection drives them where at least four fifths of the twenty largest swaps mention
    somebody of it, while at most a third of the people compared belong to it. Since nobody is
    counted more than twice, one name alone is no intersection. Four fifths, since chance alone
    comes to 16 of 20 in 1 of 100 audits of the EEC with noise for scores, and to 14 in 1 of 6.
    The most frequent first; fewer than twenty swaps are too few to say.
    """
    axes = swaps.axes
    if largest.only or len(largest.swaps) < WORST or len(axes) < TWICE:
        return ()
    cells, people = swaps.cells, swaps.people_by_cell
    found = Counter[tuple[str | None, ...]]()
    for one in largest.swaps[:WORST]:
        found.update(list(dict.fromkeys(cells[at] for at in one.places if None not in cells[at])))
    everybody = sum(people.values())
    return tuple(
        Intersection(dict(zip(axes, map(str, cell), strict=True)), many, WORST)
        for cell, many in found.most_common()
        if many >= DRIVES * WORST and people[cell] <= FEW * everybody
    )


def intersection_words(found: Sequence[Intersection], compared: CorpusComparisons) -> str:
    """The intersections in one sentence; nothing where there is none."""
    said = [
        f"{one.many} of the {one.of} largest swaps are of sentences "
        + " ".join(compared.phrase(axis, group) for axis, group in one.groups.items())
        for one in found
    ]
    return f"{'; '.join(said)}." if said else ""


@dataclass(frozen=True, slots=True)
class TellingPair:
    """Two sentences that differ in one person, and what one submission gave to each."""

    first: str
    second: str
    score_first: float
    """A part of the scale, or in the system's own units."""
    score_second: float
    unit: str
    width: float
    """Of the submission's scale, or of its own range."""
    people: tuple[str, str]
    """Who was put in whose place; nobody where the scores are averages over several."""
    averaged: tuple[int, int] = (1, 1)
    """Of how many sentences each score is the average; the texts are one of them."""
    places: tuple[int, int] | None = None
    """Where the two sentences stand in their corpus."""

    @property
    def texts(self) -> tuple[str, str]:
        """Both scores as a page says them: points of 100 with one decimal, or own units."""
        rounding = score_rounding(self.unit, self.width)
        return rounding.say(self.score_first), rounding.say(self.score_second)

    @property
    def levels(self) -> tuple[float, float] | None:
        """Both as parts of the scale, for bars; None in units of the system's own."""
        return (self.score_first, self.score_second) if self.unit == SCALE else None


def telling_pair(
    compared: CorpusComparisons, one: ShownSubmission, panel: ContrastPanel
) -> TellingPair | None:
    """The pair that shows best what was found of one submission and contrast; None without any.

    Of the swaps of the claim's kind, between two people of one group on every other axis where
    there are any: those that lie apart the finding's way by at least as much as the finding, on
    average over their pairs. Of these the median one by size, neither the weakest nor the worst,
    and of its pairs the one furthest apart that way, the first of those in the corpus that are
    alike. Where single sentences are not held, the largest average pair of that direction.
    """
    found = one.told.get(panel.key)
    value = found.value if found else None
    width = float(compared.submissions["width"][one.row])
    if value is None:
        return None
    swaps = swaps_of(compared, panel.axis, panel.first, panel.second)
    if swaps is None:
        return _largest_average(compared, one, panel, value, width)
    pairs = swaps.pairs.with_columns(apart=pl.Series(swaps.differences(one.row)))
    pairs = pairs.filter(pl.col("apart").is_not_nan())
    if panel.people:
        pairs = pairs.filter(kind=panel.people)
    alike = pairs.filter(_alike_elsewhere(compared, swaps, pairs, panel.axis))
    pairs = pairs if alike.is_empty() else alike
    apart = pl.col("apart") * (-1.0 if value < 0 else 1.0)
    means = pairs.group_by("swap", maintain_order=True).agg(apart.mean(), largest=apart.max())
    enough = means.filter(pl.col("apart") >= abs(value) * (1.0 - NEAR), pl.col("largest") > 0)
    if enough.is_empty():  # a claim that weighs people may exceed what any two of them show
        enough = means.filter(pl.col("largest") > 0)
    if enough.is_empty():
        return None
    size = coarsen_column(pl.col("apart") / width)
    typical = enough.sort(size, "swap")["swap"][(enough.height - 1) // 2]
    own = pairs.filter(swap=typical)
    row = own.row(int(own.select(coarsen_column(apart / width).arg_max()).item()), named=True)
    texts, scores = swaps.scored.sentences["text"], swaps.scored.values[one.row]
    at = int(row["first"]), int(row["second"])
    return TellingPair(
        texts[at[0]], texts[at[1]], float(scores[at[0]]), float(scores[at[1]]), one.unit, width,
        (row["person_first"], row["person_second"]), places=at,
    )  # fmt: skip


def _alike_elsewhere(
    compared: CorpusComparisons, swaps: Swaps, pairs: pl.DataFrame, axis: str
) -> pl.Series:
    """Whether the two people of each pair are of one group on every other axis."""
    sentences = swaps.scored.sentences
    same = pl.repeat(True, pairs.height, eager=True)
    for other in compared.corpus.axes:
        if other.name != axis:
            first, second = (
                sentences[other.name].gather(pairs[side]) for side in ("first", "second")
            )
            same &= first.eq_missing(second)
    return same


def _largest_average(
    compared: CorpusComparisons,
    one: ShownSubmission,
    panel: ContrastPanel,
    value: float,
    width: float,
) -> TellingPair | None:
    """The largest of the average pairs that are held, of the direction of the finding."""
    study, at = compared.study, columns_of(compared, panel.axis, panel.contrast)
    single = (study.pairs["n_first"] == 1) & (study.pairs["n_second"] == 1)
    if panel.people:
        at = at[single.gather(at).to_numpy() == (panel.people == COUPLES)]
    apart = np.nan_to_num(study.deltas[one.row, at]) * (-1.0 if value < 0 else 1.0)
    if not at.size or apart.max() <= 0:
        return None
    place = int(at[int(coarsen(apart, width).argmax())])
    row = study.pairs.row(place, named=True)
    return TellingPair(
        row["text_first"], row["text_second"], float(study.first[one.row, place]),
        float(study.second[one.row, place]), one.unit, width, ("", ""),
        averaged=(row["n_first"], row["n_second"]),
    )  # fmt: skip
