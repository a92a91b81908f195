"""Scores measured: of corpora that are held, and of those gone through in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.findings import Margins
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
    """Claims about people, as estimates; none in published mode."""
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
    margins: Margins,
) -> list[Measured]:
    """Each run's paired study, its tilts, and its regression where one is wanted."""
    found = []
    for run, compare in zip(runs, contrasts, strict=True):
        axes = [axis.name for axis in run.corpus.axes]
        if isinstance(run, LargeRun):
            found.append(_large(run, compare, wanted, axes, margins, mode=mode))
            continue
        study = pair_study(
            run.sentences, run.matrix, compare, mode=mode, seed=seed,
            flips=0 if run.in_parts else flips,
        )  # fmt: skip
        tilts = tilt_estimates(
            run.sentences, run.matrix, compare, axes, people=run.corpus.people, mode=mode,
            margins={axis: margins.of(axis) for axis in axes},
        )  # fmt: skip
        heard = signal_estimates(run.sentences, run.matrix, mode=mode)
        if mode != CORRECTED:
            tilts, heard = tilts.clear(), heard.clear()
        found.append(Measured(study, tilts, heard, regression_of(run, wanted, mode)))
    return found


def _large(
    run: LargeRun,
    compare: Sequence[Contrast],
    wanted: Wanted,
    axes: Sequence[str],
    margins: Margins,
    *,
    mode: str,
) -> Measured:
    """The same in one pass over the sentences."""
    sums = regression_sums(run.corpus, run.submissions, wanted, mode=mode)
    width = run.submissions["width"].to_numpy()
    corrected = mode == CORRECTED
    tilts = TiltSums(
        run.submissions.height, compare if corrected else (), axes, width, run.corpus.people
    )
    signal = SignalSums(run.submissions.height)
    kept = (tilts, signal) if corrected else (signal,)
    study, fit = large_studies(run, compare, sums, kept, mode)
    of = {"corpus": run.corpus.name, "edition": run.corpus.edition, "mode": mode}
    heard = signals_from(signal, run.submissions, of)
    return Measured(
        study,
        tilts_from(tilts.study(), run.submissions, of, margins={a: margins.of(a) for a in axes}),
        heard if corrected else heard.clear(),
        fit,
    )
