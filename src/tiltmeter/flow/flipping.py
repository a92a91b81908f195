"""Scores read as labels and systems ranked by tilt: what an audit adds where scores are held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.large import LargeRun
from tiltmeter.flow.runs import Run
from tiltmeter.measures import (
    Contrast,
    PairStudy,
    Thresholds,
    label_estimates,
    thresholds_given,
    tilt_ranks,
)

CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class ReadAsLabels:
    """What labels and ranks come to; None where no run is held."""

    estimates: pl.DataFrame | None = None
    """Label flips, gaps and repeats, as the `estimates` table."""
    ranks: pl.DataFrame | None = None
    """Systems by size of tilt, with the ranks that the data allow."""


def read_as_labels(
    runs: Sequence[Run],
    studies: Sequence[PairStudy],
    contrasts: Sequence[Sequence[Contrast]],
    thresholds: Thresholds,
    *,
    mode: str,
) -> ReadAsLabels:
    """The labels and ranks of every run that is held; a large corpus has none.

    Nor has the published mode, which keeps to what the papers tell.
    """
    if mode != CORRECTED:
        return ReadAsLabels()
    held = [
        (run, study, compare)
        for run, study, compare in zip(runs, studies, contrasts, strict=True)
        if not isinstance(run, LargeRun) and not run.in_parts
    ]
    if not held:
        return ReadAsLabels()
    labels, ranks = list[pl.DataFrame](), list[pl.DataFrame]()
    for run, study, compare in held:
        axes = {axis.name: axis.groups for axis in run.corpus.axes}
        asked_again = any(one.repeats > 1 for one in run.scored)
        labels.append(
            label_estimates(
                run.sentences,
                run.scores if asked_again else run.matrix,
                study,
                compare,
                axes,
                thresholds,
                people=run.corpus.people,
                mode=mode,
            )
        )
        ranks.append(tilt_ranks(run.sentences, run.matrix, compare, list(axes), run.corpus.people))
    return ReadAsLabels(pl.concat(labels), pl.concat(ranks))


def thresholds_said(text: str | None) -> Thresholds:
    """The thresholds of a command line, as in `0.4,0.6`.

    >>> thresholds_said("0.4,0.6"), thresholds_said(None)
    ((0.4, 0.6), (0.5,))
    """
    if text is None:
        return thresholds_given(None)
    try:
        return thresholds_given([float(part) for part in text.split(",")])
    except ValueError:
        what = f"--threshold is {text!r}; expected a number between 0 and 1"
        raise TiltmeterError(f"{what}, or several with commas: 0.4,0.6") from None
