"""A tilt as a claim about people: by names, and by couples such as my mother and my father."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiltmeter.stats.clustered import (
    Source,
    crossed_variance,
    over,
    satterthwaite,
    source,
    stratified,
)
from tiltmeter.stats.moments import members
from tiltmeter.stats.paired_tests import DUST, LEVEL
from tiltmeter.stats.survey import PLENTY, floor, for_skew, hajek
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.people_sums import Couples, PeopleEffects

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Places = NDArray[np.int64]

NAMES, COUPLES = "names", "couples"
"""Whom a claim is about: people of pools, or pairs of one person a side."""
FEWEST_TEMPLATES = 4
"""Below which nothing is said of other sentences."""
BEARERS = (0, 200, 500, 2_000, 10_000)
"""Where the strata begin in which names are about equally common."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A tilt and its uncertainty; arrays of shape (rows,), NaN where there is none."""

    kind: str
    contrast: Contrast
    value: Array
    se: Array
    df: Array
    n: Counts
    """People with an effect, or couples."""
    se_people: Array
    """What people alone add, the floor in it; so the next three."""
    se_floor: Array
    se_words: Array
    se_noise: Array
    df_people: Array
    df_words: Array
    census: bool
    """Whether everybody of the population was met: then people add no sampling error."""
    se_these: Array
    """Over other sentences, with these people."""
    df_these: Array
    templates: int
    words: int
    over_people: Array
    """(rows, people or families): what each adds to the tilt; the squares add up to what was seen
    among people, and the difference of two rows is what they add to the difference of two tilts."""
    over_words: Array
    """(rows, words): the same of words."""

    def reach(self, level: float = LEVEL) -> Array:
        """Half the width of the interval at a level; 0 where nothing is left to chance."""
        return _reach(self.se, self.df, level)

    def reach_of_these(self, level: float = LEVEL) -> Array:
        """The same over other sentences, with these people."""
        return _reach(self.se_these, self.df_these, level)

    @property
    def p(self) -> Array:
        """Two-sided, of no difference."""
        return _p(self.value, self.se, self.df)

    @property
    def p_these(self) -> Array:
        """The same with these people, over other sentences."""
        return _p(self.value, self.se_these, self.df_these)


@dataclass(frozen=True, slots=True)
class CellSide:
    """People whose mean stands in a contrast, and for how much."""

    people: Places
    share: float
    stratum: int
    """Which of the other axes' cells it is of."""


def names_claim(
    effects: PeopleEffects,
    contrast: Contrast,
    axes: Sequence[str],
    width: Array,
    weight: Array | None = None,
) -> Claim | None:
    """The tilt by names; None where no pool has several people of every group.

    `weight` is what people count for, where it is not what they were drawn by.
    """
    sides = compared_sides(effects, contrast, axes)
    if not sides:
        return None
    own = effects.people["weight"].to_numpy() if weight is None else weight
    chance = effects.people["probability"].to_numpy()
    means = [
        hajek(
            effects.value[:, whom], own[whom], chance[whom], effects.noise[:, whom],
            effects.left[whom], effects.moves,
        )
        for whom in (side.people for side in sides)
    ]  # fmt: skip
    shares = np.array([side.share for side in sides])
    value = _total(shares, [one.value for one in means])
    people, ground, noise = (
        _total(shares**2, [getattr(one, name) for one in means])
        for name in ("people", "floor", "noise")
    )
    people = for_skew(people, _total(shares**3, [one.third for one in means]))
    seen = [(share**2 * one.seen, one.df) for share, one in zip(shares, means, strict=True)]
    spent = np.sum([over(v**2, df) for v, df in seen], axis=0)
    df_people = np.where(spent > 0, over(people**2, spent), np.sum([df for _, df in seen], axis=0))
    by_frame = _by_frame(effects, sides)
    frames = effects.frames
    words = _words(by_frame, frames, value)
    few = np.min([np.where(one.n > (0 if one.census else 1), 1, 0) for one in means], axis=0) < 1
    return _claim(
        NAMES, contrast, value, people, ground, noise, np.minimum(df_people, PLENTY), words,
        _these(by_frame + value[:, None], frames), few, width,
        n=np.sum([one.n for one in means], axis=0), census=all(one.census for one in means),
        frames=frames,
        apart=np.concatenate(
            [share * one.apart for share, one in zip(shares, means, strict=True)], axis=1
        ),
    )  # fmt: skip


def couples_claim(couples: Couples, contrast: Contrast, width: Array, moves: Array) -> Claim | None:
    """The tilt by couples; None where there is none.

    `moves` (rows,) is how far a word moves a score, for the floor.
    """
    if not couples.people.height:
        return None
    whole = np.maximum(couples.n.sum(axis=1), 1.0)
    value = couples.total.sum(axis=1) / whole
    there = couples.n > 0
    n = there.sum(axis=1)
    chance = couples.people["probability"].to_numpy()
    family = couples.people["family"].rank("dense").cast(pl.Int64).to_numpy() - 1
    add = members(family, int(family.max()) + 1)
    drawn = source(couples.total @ add, couples.n @ add)
    open_ = float(np.mean(1.0 - chance))
    share = couples.n / whole[:, None]
    of_each = np.divide(couples.total, couples.n, out=np.zeros(share.shape), where=there)
    spread = np.maximum(couples.squares - couples.n * of_each**2, 0.0)
    noise = np.divide(spread, couples.n * (couples.n - 1.0), out=np.zeros(share.shape),
                      where=couples.n > 1)  # fmt: skip
    alone = share**2 * np.where(noise < (DUST * width[:, None]) ** 2, 0.0, noise)
    most = max(float(couples.met.max(initial=1.0)), float(couples.frames.height))
    left = np.clip(1.0 - couples.met / most, 0.0, 1.0)
    within = (chance * left * alone).sum(axis=1)
    far = np.maximum(moves, np.sqrt((share * (of_each - value[:, None]) ** 2).sum(axis=1)))
    ground = open_ * (share**2).sum(axis=1) * floor(n, far)
    people = open_ * drawn.variance + ground + within
    nothing = np.full(couples.frame_n.shape, np.nan)
    frame = np.divide(couples.frame_total, couples.frame_n, out=nothing, where=couples.frame_n > 0)
    words = _words(frame - value[:, None], couples.frames, value)
    df = np.where(drawn.df > 0, over(people**2, over((open_ * drawn.variance) ** 2, drawn.df)), 0.0)
    df = np.where(open_ * drawn.variance > 0, df, PLENTY)
    return _claim(
        COUPLES, contrast, np.where(n > 0, value, np.nan), people, ground, alone.sum(axis=1),
        np.minimum(df, PLENTY), words, _these(frame, couples.frames),
        (n < 2) & (open_ > 0), width, n=n, census=open_ == 0, frames=couples.frames,
        apart=np.sqrt(open_) * drawn.rows,
    )  # fmt: skip


def matched_claim(
    effects: PeopleEffects, contrast: Contrast, axes: Sequence[str], width: Array
) -> tuple[Claim, float] | None:
    """The tilt among names that are about equally common, and how much of all weight is among them.

    Within strata of how many people bear a name; strata count by what people of both sides weigh
    there. None where nobody knows how common names are, or no stratum has both sides.
    """
    bearers = effects.people["bearers"]
    if bearers.null_count() == bearers.len():
        return None
    stratum_of = np.searchsorted(np.array(BEARERS), bearers.fill_null(0).to_numpy(), side="right")
    groups = list(contrast.groups or (contrast.first, contrast.second))
    compared = effects.people[contrast.axis].is_in(groups).to_numpy()
    counted = _counted(effects)
    parts, sizes = list[Claim](), list[float]()
    for stratum in np.unique(stratum_of):
        people = np.flatnonzero(stratum_of == stratum)
        some = replace(
            effects, people=effects.people[people], value=effects.value[:, people],
            noise=effects.noise[:, people], left=effects.left[people], cell=effects.cell[people],
        )  # fmt: skip
        part = names_claim(some, contrast, axes, width)
        if part is not None and not np.isnan(part.se).all():
            parts.append(part)
            sizes.append(float(counted[people][compared[people]].sum()))
    if not parts:
        return None
    share = np.array(sizes) / sum(sizes)
    squares = share**2
    variance = _total(squares, [one.se**2 for one in parts])
    spent = _total(squares**2, [over(one.se**4, one.df) for one in parts])
    errors: dict[str, Any] = {
        name: np.sqrt(_total(squares, [getattr(one, name) ** 2 for one in parts]))
        for name in ("se_people", "se_floor", "se_words", "se_noise", "se_these")
    }
    joined = replace(
        parts[0], value=_total(share, [one.value for one in parts]), se=np.sqrt(variance),
        df=np.minimum(over(variance**2, spent), PLENTY),
        n=np.sum([one.n for one in parts], axis=0), **errors,
        census=all(one.census for one in parts),
        over_people=np.concatenate(
            [part * one.over_people for part, one in zip(share, parts, strict=True)], axis=1
        ),
        over_words=_total(share, [one.over_words for one in parts]),
    )  # fmt: skip
    return joined, sum(sizes) / float(counted[compared].sum())


def _counted(effects: PeopleEffects) -> Array:
    """(people,): what each counts for, as drawn: w / π."""
    chance = effects.people["probability"].to_numpy()
    counted: Array = effects.people["weight"].to_numpy() / np.where(chance > 0, chance, 1.0)
    return counted


def _claim(
    kind: str,
    contrast: Contrast,
    value: Array,
    people: Array,
    ground: Array,
    noise: Array,
    df_people: Array,
    words: Source,
    these: tuple[Array, Array],
    few: NDArray[np.bool_],
    width: Array,
    *,
    n: Counts,
    census: bool,
    frames: pl.DataFrame,
    apart: Array,
) -> Claim:
    """All parts put together; without dust, and no degrees of freedom of what counts as 0."""
    variance = crossed_variance(people, words.variance, noise)
    each = Source(people[:, None], people, df_people, 2)
    df = np.minimum(satterthwaite(variance, [each, words]), PLENTY)
    se = np.sqrt(np.where(few | np.isnan(value), np.nan, variance))
    se = np.where(se < DUST * width, 0.0, se)
    value = np.where(np.abs(value) < DUST * width, 0.0, value)
    if not census:
        se = np.where(se == 0, np.nan, se)  # a system that nothing moves shows nothing
    se_these = np.where(these[0] < DUST * width, 0.0, these[0])
    se_people, se_floor, se_words, se_noise = (
        np.where(np.sqrt(part) < DUST * width, 0.0, np.sqrt(part))
        for part in (people, ground, words.variance, noise)
    )
    named = frames["emotion_word"].drop_nulls().n_unique()
    return Claim(
        kind, contrast, value, se, np.where(se > 0, df, np.nan), n, se_people, se_floor,
        se_words, se_noise, np.where(se_people > 0, df_people, np.nan),
        np.where(se_words > 0, words.df, np.nan), census,
        np.where(np.isnan(value), np.nan, se_these), np.where(se_these > 0, these[1], np.nan),
        frames["template"].n_unique(), named, apart, words.rows,
    )  # fmt: skip


def compared_sides(
    effects: PeopleEffects, contrast: Contrast, axes: Sequence[str]
) -> list[CellSide]:
    """Whose means are compared: by match and by cell of the other axes, all cells alike."""
    groups = list(contrast.groups or (contrast.first, contrast.second))
    people = effects.people.with_row_index("*at").filter(pl.col(contrast.axis).is_in(groups))
    others = [axis for axis in axes if axis != contrast.axis]
    frames = dict(effects.frames.group_by("match").len().rows())
    matches = [
        (float(frames.get(match, 0)), cells)
        for (match,), some in people.group_by("match", maintain_order=True)
        if (cells := _cells(some, contrast.axis, groups, others))
    ]
    whole = sum(many for many, _ in matches) or 1.0
    sides = list[CellSide]()
    for nth, (many, cells) in enumerate(matches):
        for at, cell in enumerate(cells):
            for group, whom in cell.items():
                sign = 1.0 if group == contrast.first else 0.0 if contrast.groups else -1.0
                sign -= 1.0 / len(groups) if contrast.groups else 0.0
                share = many / whole / len(cells) * sign
                sides.append(CellSide(whom, share, nth * len(people) + at))
    return sides


def _cells(
    people: pl.DataFrame, axis: str, groups: Sequence[str], others: Sequence[str]
) -> list[dict[str, Places]]:
    """The people of each group, by cell of the other axes; all in one where cells are too thin."""
    parts = [part for _, part in people.group_by(others, maintain_order=True)] if others else []
    for some in (parts, [people]):
        found = [
            {
                group: part.filter(pl.col(axis) == group)["*at"].to_numpy().astype(np.int64)
                for group in groups
            }
            for part in some
        ]
        there = [one for one in found if any(whom.size for whom in one.values())]
        if there and all(whom.size > 1 for one in there for whom in one.values()):
            return there
    return [one for one in found if min(whom.size for whom in one.values()) > 0]


def _by_frame(effects: PeopleEffects, sides: Sequence[CellSide]) -> Array:
    """(rows, frames): how far a frame's tilt lies from the whole one; NaN where a side is absent.

    Where people met a part of the frames, what is left beyond their own effects is too small by
    1 − 1/K on average, and is scaled up.
    """
    total = np.zeros((len(effects.value), effects.frames.height))
    counted = _counted(effects)
    for side in sides:
        cells = effects.cell[side.people]
        shares = np.bincount(cells, counted[side.people], effects.by_frame.shape[1])
        shares = shares / shares.sum()
        there = np.flatnonzero(shares)
        total += side.share * np.einsum("rcf,c->rf", effects.by_frame[:, there], shares[there])
    whom = np.concatenate([side.people for side in sides])
    frames, left = effects.frames.height, float(np.mean(effects.left[whom]))
    met = max((1.0 - left) * frames, 2.0)
    return total * np.sqrt(met / (met - 1.0)) if left > 0 else total


def _words(by_frame: Array, frames: pl.DataFrame, value: Array) -> Source:
    """What other words of the same emotions would add; templates and emotions stay."""
    known = ~np.isnan(by_frame)
    spoken = frames["emotion_word"].is_not_null()
    if not spoken.any():
        none = np.zeros(len(value))
        return Source(np.zeros((len(value), 0)), none, none, 0)
    emotion = pl.col("emotion").fill_null("")
    code, of_emotion = frames.filter(spoken).select(
        word=pl.struct(emotion, "emotion_word").rank("dense").cast(pl.Int64) - 1,
        emotion=emotion.rank("dense").cast(pl.Int64) - 1,
    )
    word, there = code.to_numpy(), spoken.to_numpy()
    add = members(word, int(word.max()) + 1)
    sums = np.where(known, by_frame, 0.0)[:, there] @ add
    n = known[:, there].astype(np.float64) @ add
    stratum = np.zeros(int(word.max()) + 1, np.int64)
    stratum[word] = of_emotion.to_numpy()
    return stratified(sums, n, stratum, known.sum(axis=1).astype(np.float64))


def _these(by_frame: Array, frames: pl.DataFrame) -> tuple[Array, Array]:
    """Standard error and degrees of freedom over templates and words, with these people."""
    known = ~np.isnan(by_frame)
    whole = np.maximum(known.sum(axis=1), 1).astype(np.float64)
    if frames["template"].n_unique() < FEWEST_TEMPLATES:
        return np.full(len(by_frame), np.nan), np.full(len(by_frame), np.nan)
    values, ones = np.where(known, by_frame, 0.0), known.astype(np.float64)
    word = pl.coalesce("emotion_word", pl.concat_str(pl.lit("frame "), "frame"))
    each = []
    single = pl.int_range(pl.len())
    for code in (pl.col("template"), word, single):
        names = frames.select(one=code.rank("dense").cast(pl.Int64))["one"].to_numpy() - 1
        add = members(names, int(names.max()) + 1)
        each.append(source(values @ add, ones @ add, whole))
    templates, words, frame = each
    variance = crossed_variance(templates.variance, words.variance, frame.variance)
    return np.sqrt(variance), satterthwaite(variance, [templates, words])


def _total(shares: Array, parts: Sequence[Array]) -> Array:
    found: Array = np.sum([share * one for share, one in zip(shares, parts, strict=True)], axis=0)
    return found


def _reach(se: Array, df: Array, level: float) -> Array:
    known = np.where(df > 0, df, np.nan)
    return np.where(se > 0, se * stdtrit(known, (1.0 + level) / 2.0), se)


def _p(value: Array, se: Array, df: Array) -> Array:
    """Two-sided; without any spread a difference is certain, and so is none."""
    certain = np.where(value == 0, 1.0, 0.0)
    statistic = np.divide(value, se, out=np.zeros(value.shape), where=se > 0)
    free = np.where(df > 0, df, np.nan)
    p = np.where(se > 0, 2.0 * stdtr(free, -np.abs(statistic)), certain)
    return np.where(np.isnan(se) | np.isnan(value), np.nan, p)
