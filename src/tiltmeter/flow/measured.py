"""Scores measured: of corpora that are held, and of those gone through in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.flow.large import LargeRun, large_studies
from tiltmeter.flow.regressing import Wanted, regression_of, regression_sums
from tiltmeter.flow.runs import Run
from tiltmeter.measures import (
    Contrast,
    PairStudy,
    RegressionStudy,
    SignalSums,
    TiltSums,
    pair_study,
    signal_estimates,
    signals_from,
    tilt_estimates,
    tilts_from,
)

CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one run."""

    pairs: PairStudy
    tilts: pl.DataFrame
    """Estimates over people, templates and words; none in published mode."""
    signal: pl.DataFrame
    """Whether scores move with the emotion words; nothing in published mode."""
    fit: RegressionStudy | None


def measured(
    runs: Sequence[Run],
    contrasts: Sequence[Sequence[Contrast]],
    wanted: Wanted,
    *,
    mode: str,
    flips: int | None,
    seed: int,
) -> list[Measured]:
    """Each run's paired study, its tilts, and its regression where one is wanted."""
    found = []
    for run, compare in zip(runs, contrasts, strict=True):
        axes = [axis.name for axis in run.corpus.axes]
        if isinstance(run, LargeRun):
            found.append(_large(run, compare, wanted, axes, mode=mode, seed=seed))
            continue
        less = {"resamples": 0} if run.in_parts else {}
        study = pair_study(
            run.sentences, run.scores, compare, mode=mode, flips=0 if less else flips, seed=seed
        )
        tilts = tilt_estimates(
            run.sentences, run.scores, compare, axes, mode=mode, seed=seed, **less
        )
        heard = signal_estimates(run.sentences, run.scores, mode=mode)
        if mode != CORRECTED:
            tilts, heard = tilts.clear(), heard.clear()
        found.append(Measured(study, tilts, heard, regression_of(run, wanted, mode)))
    return found


def _large(
    run: LargeRun,
    compare: Sequence[Contrast],
    wanted: Wanted,
    axes: Sequence[str],
    *,
    mode: str,
    seed: int,
) -> Measured:
    """The same in one pass over the sentences."""
    sums = regression_sums(run.corpus, run.submissions, wanted, mode=mode)
    width = run.submissions["width"].to_numpy()
    kept = [
        TiltSums(run.submissions.height, one, axes, width)
        for one in (dict.fromkeys(compare) if mode == CORRECTED else ())
    ]
    signal = SignalSums(run.submissions.height)
    study, fit = large_studies(run, compare, sums, (*kept, signal), mode)
    of = {"corpus": run.corpus.name, "edition": run.corpus.edition, "mode": mode}
    heard = signals_from(signal, run.submissions, of)
    return Measured(
        study,
        tilts_from(kept, run.submissions, of, seed),
        heard if mode == CORRECTED else heard.clear(),
        fit,
    )
