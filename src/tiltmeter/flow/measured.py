"""Scores measured: of corpora that are held, and of those gone through in parts."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.flow.large import LargeRun, large_studies
from tiltmeter.flow.regressing import Wanted, regression_of, regression_sums
from tiltmeter.flow.runs import Run
from tiltmeter.measures import Contrast, PairStudy, RegressionStudy, pair_study


def measured(
    runs: Sequence[Run],
    contrasts: Sequence[Sequence[Contrast]],
    wanted: Wanted,
    *,
    mode: str,
    subset: str,
    flips: int | None,
    seed: int,
) -> tuple[tuple[PairStudy, ...], list[RegressionStudy | None]]:
    """The paired study of each run, and its regression where one is wanted."""
    pairs, fits = list[PairStudy](), list[RegressionStudy | None]()
    for run, compare in zip(runs, contrasts, strict=True):
        if isinstance(run, LargeRun):
            sums = regression_sums(run.corpus, run.submissions, wanted, mode=mode, subset=subset)
            study, fit = large_studies(run, compare, sums, mode)
        else:
            study = pair_study(
                run.sentences, run.scores, compare, mode=mode, flips=flips, seed=seed
            )  # fmt: skip
            fit = regression_of(run, wanted, mode, subset)
        pairs.append(study)
        fits.append(fit)
    return tuple(pairs), fits
