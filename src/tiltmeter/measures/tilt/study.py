"""The claims on every contrast and submission, as rows of the `estimates` table.

In `subset` stands whom a claim is about: names or couples. Beside each `tilt` stand what its error
is made of (`tilt_people`, `tilt_floor`, `tilt_words`, `tilt_noise`), the same people over other
sentences (`tilt_these_people`), each name alike (`tilt_by_names`) and names about equally common
(`tilt_matched`), and by group the share of people moved (`moved`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast
from tiltmeter.measures.estimates import Block, Columns, estimates_table
from tiltmeter.measures.matrix import SCALE, Scores, score_matrix
from tiltmeter.measures.pairs import OF_A_RUN
from tiltmeter.measures.stats.paired import LEVEL
from tiltmeter.measures.tilt.claims import (
    COUPLES,
    NAMES,
    Claim,
    couples_claim,
    matched_claim,
    names_claim,
)
from tiltmeter.measures.tilt.couple_sums import Couples, CoupleSums
from tiltmeter.measures.tilt.moved import Moved, moved_couples, moved_names
from tiltmeter.measures.tilt.people_sums import (
    Effects,
    PeopleSums,
    people_of_matches,
    pooled_matches,
)

Array = NDArray[np.float64]

TILT, MOVED = "tilt", "moved"
THESE, BY_NAMES, MATCHED = "tilt_these_people", "tilt_by_names", "tilt_matched"
SOURCES = ("people", "floor", "words", "noise")
MARGIN = 0.01
"""Beyond which somebody counts as moved, where nobody says otherwise: 1 point of 100."""


@dataclass(frozen=True, slots=True)
class TiltStudy:
    """What blocks of sentences came to, before contrasts are taken."""

    effects: Effects
    couples: Mapping[Contrast, Couples]
    axes: tuple[str, ...]
    width: Array
    dropped: Mapping[str, NDArray[np.int64]]
    """By kind: sentences or pairs without a score, (rows,)."""

    def claims(self, contrast: Contrast) -> list[Claim]:
        """The claims on a contrast: by names, by couples, or both."""
        names = names_claim(self.effects, contrast, self.axes, self.width)
        pairs = couples_claim(self.couples[contrast], contrast, self.width, self.moves(contrast))
        return [one for one in (names, pairs) if one is not None]

    def moves(self, contrast: Contrast) -> Array:
        """How far words move a score: of names' sentences, else of the couples' own."""
        if self.effects.frames.height:
            return self.effects.moves
        return self.couples[contrast].moves


class TiltSums:
    """Takes blocks of whole frames of one corpus, and keeps what all contrasts need."""

    def __init__(
        self,
        rows: int,
        contrasts: Sequence[Contrast],
        axes: Sequence[str],
        width: Array,
        people: pl.DataFrame | None = None,
    ) -> None:
        """`width` is each row's scale, (rows,); `people` the table of who was drawn, if any."""
        self._axes, self._width = tuple(axes), width
        drawn = people if people is not None and people.height else None
        self._many = people_of_matches(drawn)
        self._people = PeopleSums(rows, axes, width, drawn)
        self._couples = {
            one: CoupleSums(rows, one, width, drawn) for one in dict.fromkeys(contrasts)
        }

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block and its scores, (rows, sentences); NaN where missing."""
        pooled = {axis: pooled_matches(sentences, axis, self._many) for axis in self._axes}
        self._people.add(sentences, values, set().union(*pooled.values()))
        for one in self._couples.values():
            if one.contrast.axis in pooled:
                one.add(sentences, values, pooled[one.contrast.axis])

    def study(self) -> TiltStudy:
        """What it all came to."""
        couples = {one: sums.couples() for one, sums in self._couples.items()}
        return TiltStudy(
            self._people.effects(), couples, self._axes, self._width,
            {NAMES: self._people.dropped},
        )  # fmt: skip


def tilt_study(
    sentences: pl.DataFrame,
    values: Array,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    width: Array | None = None,
    people: pl.DataFrame | None = None,
) -> TiltStudy:
    """The study of sentences in hand; `values` is (rows, sentences): scores, labels, changes."""
    sums = TiltSums(
        len(values), contrasts, axes, np.ones(len(values)) if width is None else width, people
    )
    sums.add(sentences, values)
    return sums.study()


def tilt_estimates(
    sentences: pl.DataFrame,
    scores: Scores,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    *,
    people: pl.DataFrame | None = None,
    margins: Mapping[str, float] | None = None,
    mode: str = "corrected",
) -> pl.DataFrame:
    """Every submission's claims on every contrast.

    `people` is the corpus' table of people; `margins` says by axis from where on somebody counts as
    moved.
    """
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    study = tilt_study(sentences, matrix.values, contrasts, axes, width, people)
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return tilts_from(study, matrix.submissions, {**of, "mode": mode}, margins=margins)


def tilts_from(
    study: TiltStudy,
    submissions: pl.DataFrame,
    of: Mapping[str, str],
    *,
    margins: Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """The same from a study whose sentences went by in blocks."""
    blocks = [
        *(block for contrast in study.couples for block in _of_contrast(study, contrast)),
        *_moved(study, margins or {}, (submissions["unit"] == SCALE).to_numpy()),
    ]
    return estimates_table(blocks, submissions, of)


def _of_contrast(study: TiltStudy, contrast: Contrast) -> Iterator[Block]:
    rows = np.arange(study.width.size)
    for claim in study.claims(contrast):
        dropped = study.dropped.get(claim.kind)
        if dropped is None:
            pairs = study.couples[contrast]
            dropped = (pairs.met.sum() - pairs.n.sum(axis=1)).astype(np.int64)
        yield Block(contrast, claim.kind, TILT, rows, _columns(claim, dropped))
        yield Block(contrast, claim.kind, THESE, rows, _these(claim, dropped))
        none = np.zeros(rows.size, np.int64)
        for name in SOURCES:
            df = {"people": claim.df_people, "words": claim.df_words}.get(name)
            many = np.full(rows.size, claim.words) if name == "words" else claim.n
            error = getattr(claim, f"se_{name}")
            columns = {"value": error, "n": many, "n_dropped": none}
            columns |= {} if df is None else {"df": df}
            yield Block(contrast, claim.kind, f"{TILT}_{name}", rows, columns)
        if claim.kind == NAMES:
            yield from _other_weights(study, contrast, dropped)


def _other_weights(
    study: TiltStudy, contrast: Contrast, dropped: NDArray[np.int64]
) -> Iterator[Block]:
    """Each name alike, where people count by bearers; and names about equally common."""
    rows, people = np.arange(study.width.size), study.effects.people
    if people["bearers"].null_count() == people.height:
        return
    if people["weight"].n_unique() > 1:
        alike = names_claim(
            study.effects, contrast, study.axes, study.width, np.ones(people.height)
        )
        if alike is not None:
            yield Block(contrast, NAMES, BY_NAMES, rows, _columns(alike, dropped))
    matched = matched_claim(study.effects, contrast, study.axes, study.width)
    if matched is not None:
        claim, covered = matched
        columns = {**_columns(claim, dropped), "statistic": np.full(rows.size, covered)}
        yield Block(contrast, NAMES, MATCHED, rows, columns)


def _columns(claim: Claim, dropped: NDArray[np.int64]) -> Columns:
    reach = claim.reach(LEVEL)
    statistic = np.divide(
        claim.value, claim.se, out=np.full(claim.value.shape, np.nan), where=claim.se > 0
    )
    return {
        "value": claim.value, "se": claim.se, "low": claim.value - reach,
        "high": claim.value + reach, "statistic": statistic, "df": claim.df, "p": claim.p,
        "n": claim.n, "n_dropped": dropped,
    }  # fmt: skip


def _these(claim: Claim, dropped: NDArray[np.int64]) -> Columns:
    """The same people over other sentences: templates are counted in `n`."""
    reach = claim.reach_these(LEVEL)
    return {
        "value": claim.value, "se": claim.se_these, "low": claim.value - reach,
        "high": claim.value + reach, "df": claim.df_these, "p": claim.p_these,
        "n": np.full(claim.value.size, claim.templates), "n_dropped": dropped,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Group:
    """What a share is of: a group of an axis, or the couples of a contrast."""

    axis: str
    name: str
    second: str = ""


def _moved(
    study: TiltStudy, margins: Mapping[str, float], scaled: NDArray[np.bool_]
) -> Iterator[Block]:
    """By group; only of submissions with a scale, of which a margin is a part."""
    axes = dict.fromkeys(contrast.axis for contrast in study.couples)
    for axis in axes if study.effects.people.height else ():
        for one in moved_names(study.effects, axis, margins.get(axis, MARGIN)):
            yield _share_block(_Group(axis, one.group), NAMES, one, scaled)
    for contrast, couples in study.couples.items():
        if couples.people.height:
            one = moved_couples(couples, contrast, margins.get(contrast.axis, MARGIN))
            group = _Group(contrast.axis, contrast.name, contrast.second)
            yield _share_block(group, COUPLES, one, scaled)


def _share_block(group: _Group, kind: str, moved: Moved, scaled: NDArray[np.bool_]) -> Block:
    """The share, its interval, how many were moved (`statistic`), and up (`df`), of how many."""
    rows = np.flatnonzero(scaled)
    shares, up = [moved.shares[row] for row in rows], [float(moved.up[row]) for row in rows]
    numbers = {
        "value": [one.value for one in shares], "low": [one.low for one in shares],
        "high": [one.high for one in shares],
        "statistic": [float(one.marked) for one in shares], "df": up,
    }  # fmt: skip
    columns: Columns = {name: np.array(values) for name, values in numbers.items()} | {
        "n": np.array([one.n for one in shares], np.int64),
        "n_dropped": np.zeros(rows.size, np.int64),
    }
    return Block(group, kind, MOVED, rows, columns, unit="share")
