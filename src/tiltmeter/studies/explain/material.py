"""What explanations of an audit's findings are made from: sentences, scores, and what was claimed.

An audit in memory and an audit's folder give the same `TiltMaterial`. From it a claim is made anew
without some of its people, or among some of them, with the audit's own interval: their scores are
taken out, and everything is computed as the audit computes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.verdict import p_decides, verdicts
from tiltmeter.report.numbers import SCALE
from tiltmeter.schemas import Verdict
from tiltmeter.studies.paired.claims import COUPLES, NAMES, Claim
from tiltmeter.studies.paired.contrasts import Contrast, contrast_between
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.tilt import TiltStudy, tilt_study
from tiltmeter.studies.paired.wording import Phrases, Sides, sides_of

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Whom = tuple[str, ...]
"""Names, or matches of couples."""

MOST_CELLS = 4_000_000
"""Scores that are computed with at a time."""
OF_A_CLAIM = ("system", "task", "corpus", "axis", "contrast", "subset")


@dataclass(frozen=True, slots=True)
class ExplainedClaim:
    """A judged tilt: of one system and task, on one contrast, by names or by couples."""

    row: Mapping[str, Any]
    """As `judge_tilts` gives it."""
    place: int
    """Where its submission stands among the scores."""
    contrast: Contrast
    sides: Sides

    @property
    def kind(self) -> str:
        """Names or couples."""
        return str(self.row["subset"])

    @property
    def value(self) -> float:
        """The tilt."""
        return float(self.row["value"])

    @property
    def unit(self) -> str:
        """Scale or native."""
        return str(self.row["unit"])

    @property
    def keys(self) -> dict[str, str]:
        """What its rows are found by."""
        return {name: str(self.row[name]) for name in OF_A_CLAIM}


@dataclass(frozen=True, slots=True)
class ClaimAgain:
    """The same claim of other people: its value, its interval at the audit's level, its verdict."""

    value: float | None
    low: float | None
    high: float | None
    verdict: str
    n: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


NO_CLAIM = ClaimAgain(None, None, None, Verdict.NOT_ESTIMABLE, 0)


@dataclass(frozen=True, eq=False)
class TiltMaterial:
    """One corpus' sentences and scores, and the claims that were made of them."""

    corpus: str
    sentences: pl.DataFrame
    values: Array
    """(submissions, sentences); NaN where there is no score."""
    width: Array
    """(submissions,)"""
    axes: tuple[str, ...]
    people: pl.DataFrame
    claims: tuple[ExplainedClaim, ...]

    @property
    def contrasts(self) -> list[Contrast]:
        """Everything that was compared."""
        return list(dict.fromkeys(one.contrast for one in self.claims))

    @cached_property
    def study(self) -> TiltStudy:
        """Everybody's effect, and all couples."""
        return self._study(self.sentences, self.values, self.width, self.contrasts)

    def _study(
        self, sentences: pl.DataFrame, values: Array, width: Array, contrasts: Sequence[Contrast]
    ) -> TiltStudy:
        return tilt_study(sentences, values, contrasts, self.axes, width, self.people)

    def without(self, asked: Sequence[tuple[ExplainedClaim, Whom]]) -> list[ClaimAgain]:
        """Each claim without some of its people, made anew.

        Where everybody met every frame, their sentences are left out; else their scores, in one
        pass over many: people's effects are then fitted together, and that takes the time.
        """
        if not self.study.effects.left.any():
            return self._leave_sentences_out(asked)
        some = max(1, MOST_CELLS // max(self.sentences.height, 1))
        parts = (asked[at : at + some] for at in range(0, len(asked), some))
        return [one for part in parts for one in self._leave_scores_out(part)]

    def _leave_sentences_out(
        self, asked: Sequence[tuple[ExplainedClaim, Whom]]
    ) -> list[ClaimAgain]:
        alike: dict[tuple[str, Whom], list[int]] = {}
        for nth, (claim, whom) in enumerate(asked):
            alike.setdefault((claim.kind, whom), []).append(nth)
        found = dict[int, ClaimAgain]()
        for (_, whom), places in alike.items():
            claims = [asked[nth][0] for nth in places]
            kept = ~self._sentences_of(claims[0], whom)
            rows = np.array([claim.place for claim in claims], np.int64)
            again = self._again(
                claims, self.sentences.filter(kept), self.values[rows][:, kept], self.width[rows]
            )
            found |= dict(zip(places, again, strict=True))
        return [found[nth] for nth in range(len(asked))]

    def _leave_scores_out(self, asked: Sequence[tuple[ExplainedClaim, Whom]]) -> list[ClaimAgain]:
        rows = np.array([claim.place for claim, _ in asked], np.int64)
        values = self.values[rows]
        for nth, (claim, whom) in enumerate(asked):
            values[nth, self._sentences_of(claim, whom)] = np.nan
        claims = [claim for claim, _ in asked]
        return self._again(claims, self.sentences, values, self.width[rows])

    def _again(
        self,
        claims: Sequence[ExplainedClaim],
        sentences: pl.DataFrame,
        values: Array,
        width: Array,
    ) -> list[ClaimAgain]:
        """A claim for each row of scores."""
        contrasts = list(dict.fromkeys(claim.contrast for claim in claims))
        study = self._study(sentences, values, width, contrasts)
        found: dict[tuple[Contrast, str], Claim] = {
            (contrast, one.kind): one for contrast in contrasts for one in study.claims(contrast)
        }
        return [
            claim_again(claim, found.get((claim.contrast, claim.kind)), nth)
            for nth, claim in enumerate(claims)
        ]

    def _sentences_of(self, claim: ExplainedClaim, whom: Whom) -> NDArray[np.bool_]:
        """Where the sentences of some people of a claim stand."""
        column = "match" if claim.kind == COUPLES else "person"
        mine = pl.col(column).is_in(list(whom)) & pl.col("match").is_in(self._matches(claim))
        return self.sentences.select(mine.fill_null(False)).to_series().to_numpy()

    def _matches(self, claim: ExplainedClaim) -> list[str]:
        people = self.study.effects.people
        if claim.kind == COUPLES:
            people = self.study.couples[claim.contrast].people
        return people["match"].unique(maintain_order=True).to_list()

    def among(self, claim: ExplainedClaim, names: Sequence[str]) -> tuple[ClaimAgain, float]:
        """The claim by names, made anew of some of them alone, and how far these lie apart.

        That is the standard deviation of their effects, fitted among themselves.
        """
        mine = self.sentences["person"].is_in(list(names)).fill_null(False)
        mine &= self.sentences["match"].is_in(self._matches(claim))
        sentences = self.sentences.filter(mine)
        if sentences.is_empty():
            return NO_CLAIM, 0.0
        study = self._study(
            sentences, self.values[[claim.place]][:, mine.to_numpy()], self.width[[claim.place]],
            [claim.contrast],
        )  # fmt: skip
        own = next((one for one in study.claims(claim.contrast) if one.kind == NAMES), None)
        effects = study.effects.value[0]
        spread = float(np.nanstd(effects)) if np.isfinite(effects).any() else 0.0
        return claim_again(claim, own, 0), spread


def claim_again(claim: ExplainedClaim, found: Claim | None, nth: int) -> ClaimAgain:
    """A claim made anew, held against the audit's margin at the level that decided there."""
    if found is None or np.isnan(found.value[nth]):
        return NO_CLAIM
    value, se, df = (float(one[nth]) for one in (found.value, found.se, found.df))
    margin, level = float(claim.row["margin"]), float(claim.row["level"])
    reach = float(found.reach(1.0 - level)[nth])
    p = p_decides([value], [se], [df], [margin])
    verdict = str(verdicts(np.array([value]), p, np.array([margin]), level)[0])
    if claim.unit != SCALE:
        verdict = str(Verdict.NOT_ESTIMABLE)
    elif claim.row["verdict"] == Verdict.NO_SIGNAL and verdict != Verdict.TILTED:
        verdict = str(Verdict.NO_SIGNAL)
    low, high = (None, None) if np.isnan(reach) else (value - reach, value + reach)
    return ClaimAgain(value, low, high, verdict, int(found.n[nth]))


def claims_of(
    tilts: pl.DataFrame, submissions: pl.DataFrame, sentences: pl.DataFrame, phrases: Phrases
) -> tuple[ExplainedClaim, ...]:
    """The claims of one corpus on the submissions in hand that have a number."""
    places = {key: nth for nth, key in enumerate(submissions.select("system", "task").rows())}
    corpus, found = sentences["corpus"][0], []
    for row in tilts.filter(corpus=corpus).iter_rows(named=True):
        place = places.get((row["system"], row["task"]))
        if place is None or row["value"] is None:
            continue
        second = str(row["reference"])
        first = str(row["contrast"]).removesuffix(f"-{second}")
        contrast = contrast_between(sentences, str(row["axis"]), first, second)
        found.append(ExplainedClaim(row, place, contrast, sides_of(row, phrases)))
    return tuple(found)


def materials_of(audit: AuditResults) -> tuple[TiltMaterial, ...]:
    """An audit in memory; a corpus too large to be held is left out."""
    if audit.tilts is None:
        return ()
    phrases = {
        (one.name, axis.name, group): axis.phrase(group)
        for one in audit.compared
        for axis in one.corpus.axes
        for group in axis.groups
    }
    return tuple(
        TiltMaterial(
            one.name, one.scored.sentences, one.scored.values,
            one.submissions["width"].to_numpy(), tuple(axis.name for axis in one.corpus.axes),
            one.corpus.people,
            claims_of(audit.tilts, one.submissions, one.scored.sentences, phrases),
        )
        for one in audit.compared
        if one.scored is not None and one.scored.sentences.height
    )  # fmt: skip
