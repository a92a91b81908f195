"""What a claim's error will be before anyone is asked, from how people are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.stats.clustered import stratified
from tiltmeter.stats.survey import PLENTY, floor, mean_bounds, over
from tiltmeter.studies.paired.claims import COUPLES, NAMES, CellSide, Claim
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.people_sums import Couples, PeopleEffects

Array = NDArray[np.float64]

PAIR = 2.0
"""A couple's difference has the noise of two sentences."""


@dataclass(frozen=True, slots=True)
class Spreads:
    """Standard deviations in parts of the scale, and how far words move a score."""

    people: float
    """Of the people of a group, from name to name."""
    couples: float
    """Of the differences within couples, from family to family."""
    words: float
    """Of the tilt from one emotion word to the next of its emotion."""
    noise: float
    """Of one person's sentences, beyond person and sentence."""
    moves: float
    """Of sentences with different emotion words: how far a name that is a word may move one."""


@dataclass(frozen=True, slots=True)
class CellDesign:
    """How the people of one cell count in their mean; see the module."""

    people: float
    """How many are drawn."""
    sentences: float
    chance: float
    """Σ (1 − π) h²."""
    df: float
    floor: float
    """Σ (1 − π) h² · p₀ (1 − p₀)."""
    drawn: float
    """What the noise of a sentence counts in the variance over people."""
    noise: float
    """Σ h² / K."""


@dataclass(frozen=True, slots=True)
class ClaimDesign:
    """What determines the error of a claim: arrays over its cells, (cells,), weighed as it does."""

    contrast: Contrast
    kind: str
    people: int
    templates: int
    words: int
    sentences: int
    """Of the people compared."""
    chance: Array
    df: Array
    floor: Array
    drawn: Array
    noise: Array
    word: float
    """C_words."""
    df_words: float

    @property
    def census(self) -> bool:
        """Whether everybody of the population comes."""
        return not self.chance.any()


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """A claim's standard error and degrees of freedom as they are to be expected."""

    se: float
    df: float


FEWEST_FREE = 0.1
"""Degrees of freedom at least: where nobody can be drawn anew, no study reaches anything."""


def expected_error(design: ClaimDesign, spreads: Spreads) -> ExpectedError:
    """What such spreads make of a design.

    Two cells of 20 names alike, σ_people = 0.01 alone: √(2 · 0.01²/20 · 1.0232), where the floor
    adds p₀ (1 − p₀) = 0.0232; 38 · 1.0232² degrees of freedom.

    >>> cell = listed_cell(20, 144)
    >>> made = names_design(Contrast("race", "A", "B"), [(1.0, cell), (-1.0, cell)], no_words())
    >>> found = expected_error(made, Spreads(0.01, 0.0, 0.0, 0.0, 0.0))
    >>> round(found.se, 6), round(found.df)
    (0.003199, 40)
    """
    own = spreads.people if design.kind == NAMES else spreads.couples
    moves = max(spreads.moves, own)
    seen = own**2 * design.chance + spreads.noise**2 * design.drawn
    ground = moves**2 * design.floor
    people = float(seen.sum() + ground.sum())
    spent = float(over(seen**2, design.df).sum())
    df = max(people**2 / spent if spent > 0 else float(design.df.sum()), FEWEST_FREE)
    words = spreads.words**2 * design.word
    both = words + spreads.noise**2 * float(design.noise.sum())
    variance = max(people + words, both)
    spent = people**2 / df + (both**2 / design.df_words if design.df_words > 0 else 0.0)
    most = df + design.df_words
    whole = min(variance**2 / spent, most, PLENTY) if spent > 0 else PLENTY
    return ExpectedError(float(np.sqrt(variance)), whole)


def couples_spreads(design: ClaimDesign, claim: Claim, row: int, moves: float) -> Spreads:
    """The spreads that would make a claim by couples such as it is: the same backwards."""
    seen, noise, words = (
        float(np.nan_to_num(one)) ** 2
        for one in (
            np.sqrt(max(claim.se_people[row] ** 2 - claim.se_floor[row] ** 2, 0.0)),
            claim.se_noise[row], claim.se_words[row],
        )
    )  # fmt: skip
    one = _root(noise, float(design.noise.sum()))
    own = _root(seen - one**2 * float(design.drawn.sum()), float(design.chance.sum()))
    return Spreads(0.0, own, _root(words - noise, design.word), one, moves)


def names_spreads(
    design: ClaimDesign,
    claim: Claim,
    row: int,
    effects: PeopleEffects,
    sides: Sequence[CellSide],
    rng: np.random.Generator,
) -> tuple[Spreads, tuple[float, float] | None]:
    """A system's spreads in a claim by names, and between what the one of people lies.

    The bounds are of nine times in ten (`mean_bounds`), from the squares (t − μ)²/(1 − h) of those
    whom chance brought; none is taken for larger than w², unless it was seen: a name that is taken
    for a word moves a score like a word. None in a census.
    """
    chance, weight = (effects.people[name].to_numpy() for name in ("probability", "weight"))
    squares, counts, alone, within = [], [], [], 0.0
    for side in sides:
        t, pi, s = (one[side.people] for one in (effects.value[row], chance, effects.noise[row]))
        raw = np.where(np.isnan(t), 0.0, weight[side.people] / np.where(pi > 0, pi, 1.0))
        h = raw / max(float(raw.sum()), 1e-300)
        open_ = (pi < 1.0) & (raw > 0) & (h < 1.0)
        apart = (t - np.nansum(h * t))[open_]
        squares.append(apart**2 / (1.0 - h[open_]))
        counts.append((side.share**2 * (1.0 - pi) * h**2)[open_])
        alone.append(s[open_])
        within += side.share**2 * float((pi * effects.left[side.people] * h**2 * s).sum())
    x, c, s = (np.concatenate(one) for one in (squares, counts, alone))
    total = max(float(c.sum()), 1e-300)
    noise = float((c * s).sum())
    people = np.sqrt(max(float((c * x).sum()) - noise, 0.0) / total)
    words = float(np.nan_to_num(claim.se_words[row] ** 2 - claim.se_noise[row] ** 2))
    moves = float(effects.moves[row])
    one = _root(noise + within, float(design.drawn.sum()))
    found = Spreads(float(people), 0.0, _root(words, design.word), one, moves)
    if x.size < 2:
        return found, None
    low, high = mean_bounds(x * c / (total / x.size), moves**2, rng)
    own = noise / total
    return found, (float(np.sqrt(max(low - own, 0.0))), float(np.sqrt(max(high - own, 0.0))))


def _root(variance: float, coefficient: float) -> float:
    return float(np.sqrt(max(variance, 0.0) / coefficient)) if coefficient > 0 else 0.0


# ------------------------------------------------------------ designs


@dataclass(frozen=True, slots=True)
class WordDesign:
    """The sentences of a claim: how many templates and words, and how words count."""

    templates: int
    words: int
    squares: float
    """Σ (n_w/N)² over words."""
    df: float
    frames: int


def no_words(frames: int = 1) -> WordDesign:
    """Sentences without emotion words."""
    return WordDesign(1, 0, 0.0, 0.0, frames)


def words_in(frames: pl.DataFrame) -> WordDesign:
    """The words of some frames, each a row; emotion words are drawn within their emotion."""
    spoken = frames.filter(pl.col("emotion_word").is_not_null()).with_columns(
        pl.col("emotion").fill_null("")
    )
    each = spoken.group_by("emotion", "emotion_word").len().sort("emotion", "emotion_word")
    if each.is_empty():
        return replace(no_words(frames.height), templates=frames["template"].n_unique())
    n = each["len"].to_numpy().astype(np.float64)[None, :]
    emotion = each["emotion"].rank("dense").cast(pl.Int64).to_numpy() - 1
    some = each.group_by("emotion", maintain_order=True).agg(pl.len())["len"].to_numpy()[emotion]
    several = some > 1
    return WordDesign(
        frames["template"].n_unique(), each["emotion_word"].n_unique(),
        float(((n[0, several] / frames.height) ** 2).sum()),
        float(stratified(np.zeros(n.shape), n, emotion).df[0]), frames.height,
    )  # fmt: skip


def listed_cell(people: float, frames: int) -> CellDesign:
    """So many people alike of a population without end, each in every frame."""
    n = np.float64(people)
    return CellDesign(
        people, people * frames, float(1 / n), float(max(n - 1, 0.0)), float(floor(n, 1.0) / n),
        float(1 / n / frames), float(1 / n / frames),
    )  # fmt: skip


def sampled_cell(weight: Array, probability: Array, frames: Array, size: int) -> CellDesign:
    """The people of a cell as they were drawn; `frames` is how many of `size` each meets."""
    raw = weight / np.where(probability > 0, probability, 1.0)
    return _cell(raw / raw.sum(), probability, frames, size, np.ones(weight.size))


def population_cell(weight: Array, people: int | None, frames: int | None, size: int) -> CellDesign:
    """So many people of a cell's whole population as they will be drawn; None: all.

    `weight` (names,) is what each counts for; the more it does, the more frames a name meets.

    >>> found = population_cell(np.ones(20), 5, 8, 144)
    >>> round(found.people, 6), round(found.sentences, 6), round(found.chance, 6)  # (1 − 1/4)/5
    (5.0, 40.0, 0.15)
    """
    tau = _threshold(weight, people)
    chance = np.minimum(1.0, weight / tau) if tau > 0 else np.ones(weight.size)
    load = np.maximum(1.0, weight / max(tau, float(weight.mean())))
    met = np.full(weight.size, float(size))
    if frames is not None:
        met = np.minimum(size, np.ceil(frames * load - 1e-9))
    return _cell(weight / weight.sum() / chance, chance, met, size, chance)


def _threshold(weight: Array, people: int | None) -> float:
    """τ with Σ min(1, w/τ) = people; 0 where all come.

    With the k heaviest certain to come, τ = (the weight of the others) / (people − k); k is the
    first of which no other is heavier than τ.
    """
    if people is None or people >= weight.size:
        return 0.0
    heaviest = np.sort(weight)[::-1]
    others = np.cumsum(heaviest[::-1])[::-1][:people]
    taus = others / (people - np.arange(people))
    return float(taus[np.argmax(heaviest[:people] <= taus)])


def _cell(h: Array, chance: Array, frames: Array, size: int, count: Array) -> CellDesign:
    """Sums over people, each counted as often as they are there."""
    open_ = (1.0 - chance) * h**2
    total, squares = float((count * open_).sum()), float((count * open_**2).sum())
    unsure = np.where(chance < 1.0, h, 0.0)
    effective = over(np.asarray((count * unsure).sum() ** 2), np.asarray((count * unsure**2).sum()))
    left = 1.0 - frames / size
    return CellDesign(
        float(count.sum()), float((count * frames).sum()), total,
        total**2 / squares - 1.0 if squares > 0 else PLENTY, float(total * floor(effective, 1.0)),
        float((count * (open_ + chance * left * h**2) / frames).sum()),
        float((count * h**2 / frames).sum()),
    )  # fmt: skip


def names_design(
    contrast: Contrast, cells: Sequence[tuple[float, CellDesign]], words: WordDesign
) -> ClaimDesign:
    """The design of a claim by names, from its cells and their shares in the tilt."""
    squares = np.array([share**2 for share, _ in cells])

    def weighed(name: str) -> Array:
        return np.asarray(squares * np.array([getattr(cell, name) for _, cell in cells]))

    return ClaimDesign(
        contrast, NAMES, round(sum(cell.people for _, cell in cells)), words.templates,
        words.words, round(sum(cell.sentences for _, cell in cells)), weighed("chance"),
        np.array([cell.df for _, cell in cells]), weighed("floor"), weighed("drawn"),
        weighed("noise"), words.squares, words.df,
    )  # fmt: skip


def names_drawn(
    effects: PeopleEffects, sides: Sequence[CellSide], contrast: Contrast
) -> ClaimDesign:
    """The design of a claim by names as its people were drawn."""
    weight, chance = (effects.people[name].to_numpy() for name in ("weight", "probability"))
    size = max(effects.frames.height, 1)
    met = np.maximum((1.0 - effects.left) * size, 1.0)
    cells = [
        (side.share, sampled_cell(weight[at], chance[at], met[at], size))
        for side in sides
        for at in (side.people,)
    ]
    return names_design(contrast, cells, words_in(effects.frames))


def couples_design(couples: Couples, contrast: Contrast) -> ClaimDesign:
    """The design of a claim by couples: families are drawn, couples share what they have."""
    words = words_in(couples.frames)
    chance = couples.people["probability"].to_numpy()
    open_ = float(np.mean(1.0 - chance))
    share = couples.met / couples.met.sum()
    family = couples.people["family"].rank("dense").cast(pl.Int64).to_numpy() - 1
    of_family = np.bincount(family, share)
    clusters = float((of_family**2).sum())
    size = max(float(couples.met.max(initial=1.0)), float(couples.frames.height))
    left = np.clip(1.0 - couples.met / size, 0.0, 1.0)
    alone = PAIR * share**2 / couples.met
    n = np.float64(couples.people.height)
    free = float(1.0 / clusters - 1.0) if of_family.size > 1 else 0.0
    return ClaimDesign(
        contrast, COUPLES, couples.people.height, words.templates, words.words,
        round(2 * couples.met.sum()), np.array([open_ * clusters]), np.array([free]),
        np.array([open_ * float((share**2).sum()) * float(floor(n, 1.0))]),
        np.array([float(((open_ + chance * left) * alone).sum())]),
        np.array([float(alone.sum())]), words.squares, words.df,
    )  # fmt: skip
