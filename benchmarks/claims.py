"""How quick the inference over people, templates and words is: 219 systems, against plain loops.

Run with `make bench` or `python benchmarks/claims.py`; about a minute. The peers are plain Python
(`plain_tilt.py`, `plain_formula.py`), written from the definitions alone: for each system, a loop
over resamples or deals, and in it a loop over the sentences, or one product of NumPy arrays. They
are timed on few systems and resamples, and scaled up. From the same draws both must give the same
numbers to 1e-10; permutation p-values must agree within what their own draws leave open.
statsmodels' mixed model estimates the same uncertainty in another way: its standard error must be
within a third of ours.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from claim import Claim, Work, attempted, print_claims, timed
from plain_formula import plain_tilt
from plain_tilt import Cells, dealt_p, plain_cells, resampled, resampled_with_numpy
from simulated_systems import Kind, Scene, batches, scene
from tiltmeter.measures import (
    Contrast,
    Spreads,
    TiltSums,
    crossed_bootstrap,
    crossed_tilt,
    relabelled_p,
)

Array = NDArray[np.float64]

SYSTEMS, RESAMPLES, DEALS = 219, 2_000, 4_999
KIND = Kind("people, templates, words and noise", Spreads(0.01, 0.01, 0.01, 0.05))
AGREES = 1e-10
FEW_SYSTEMS, FEW, FEW_WITH_NUMPY, FEW_DEALS = 2, 20, 400, 400
NEAR = 4 / 3
"""How far a mixed model's standard error may be from ours, a ratio."""
MINUTE = 60.0


def scores() -> Array:
    return np.concatenate(list(batches(scene(), KIND, SYSTEMS, 0)))


def bootstrap(place: Scene, values: Array) -> list[Claim]:
    """Both contrasts, all systems; the loops on a few, from the same draws."""
    cells = [plain_cells(place.sentences, values, one, place.axes) for one in place.contrasts]
    for contrast, one in zip(place.contrasts, cells, strict=True):
        must_agree_resampled(place, values, contrast, one)

    def ours() -> None:
        for contrast in place.contrasts:
            rng = np.random.default_rng(0)
            crossed_bootstrap(place.sentences, values, contrast, place.axes,
                              resamples=RESAMPLES, rng=rng)  # fmt: skip

    taken = timed(ours, 2)
    loop = _scaled(resampled, cells, FEW)
    with_numpy = _scaled(resampled_with_numpy, cells, FEW_WITH_NUMPY)
    what = f"{SYSTEMS} systems × {RESAMPLES:,} crossed bootstrap resamples, both axes"
    few = f"({FEW_SYSTEMS} systems × {FEW} resamples, scaled)"
    some = f"({FEW_SYSTEMS} systems × {FEW_WITH_NUMPY} resamples, scaled)"
    return [
        Claim(f"{what}, seconds", f"{taken:.1f} s", "a minute", taken, MINUTE, at_most=True),
        Claim(what, f"{taken:.1f} s", f"a plain Python loop {loop:,.0f} s {few}",
              loop / taken, 50.0),
        Claim(f"{what}, NumPy in the loop", f"{taken:.1f} s",
              f"a loop over systems and resamples {with_numpy:,.0f} s {some}",
              with_numpy / taken, 10.0),
    ]  # fmt: skip


Loop = Callable[[Cells, int, int, np.random.Generator], object]


def _scaled(work: Loop, cells: list[Cells], resamples: int) -> float:
    """Seconds for all systems and resamples, from some of both."""

    def run() -> None:
        for one in cells:
            for system in range(FEW_SYSTEMS):
                work(one, system, resamples, np.random.default_rng(0))

    return timed(run, 2) * SYSTEMS * RESAMPLES / (FEW_SYSTEMS * resamples)


def must_agree_resampled(place: Scene, values: Array, contrast: Contrast, cells: Cells) -> None:
    mine = crossed_bootstrap(
        place.sentences, values[:FEW_SYSTEMS], contrast, place.axes, resamples=FEW,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    ours = np.array([mine.value, mine.se, mine.low, mine.high]).T
    for work in (resampled, resampled_with_numpy):
        theirs = [work(cells, one, FEW, np.random.default_rng(0)) for one in range(FEW_SYSTEMS)]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=AGREES)


def formula(place: Scene, values: Array) -> list[Claim]:
    """The standard error by its formula."""
    loop = 0.0
    for contrast in place.contrasts:
        few = crossed_tilt(place.sentences, values[:FEW_SYSTEMS], contrast, place.axes)
        ours = np.array([few.value, few.se, few.df]).T
        start = time.perf_counter()
        theirs = [
            plain_tilt(place.sentences, one, contrast, place.axes) for one in values[:FEW_SYSTEMS]
        ]
        loop += (time.perf_counter() - start) * SYSTEMS / FEW_SYSTEMS
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=AGREES)
    taken = timed(
        lambda: [crossed_tilt(place.sentences, values, one, place.axes) for one in place.contrasts],
        3,
    )
    what = f"the tilt of {SYSTEMS} systems and its standard error over people, templates and words"
    peer = f"a plain Python loop {loop:.0f} s ({FEW_SYSTEMS} systems, scaled)"
    return [Claim(f"{what}, both axes", f"{taken:.2f} s", peer, loop / taken, 30.0)]


def permutation(place: Scene, values: Array) -> list[Claim]:
    """Names' groups dealt anew, noun phrases' signs turned."""
    loop = taken = 0.0
    for contrast in place.contrasts:
        sums = TiltSums(SYSTEMS, contrast, place.axes, np.ones(SYSTEMS))
        sums.add(place.sentences, values)
        cells = plain_cells(place.sentences, values, contrast, place.axes)
        start = time.perf_counter()
        theirs = np.array(
            [
                dealt_p(cells, one, FEW_DEALS, np.random.default_rng(one))
                for one in range(FEW_SYSTEMS)
            ]
        )
        scaled = SYSTEMS * DEALS / (FEW_SYSTEMS * FEW_DEALS)
        loop += (time.perf_counter() - start) * scaled
        ours = relabelled_p(sums, np.random.default_rng(0), DEALS)
        error = np.sqrt(ours * (1 - ours) / FEW_DEALS)[:FEW_SYSTEMS] + 2 / FEW_DEALS
        assert np.all(np.abs(ours[:FEW_SYSTEMS] - theirs) < 4 * error), (ours[:FEW_SYSTEMS], theirs)
        taken += timed(partial(_deal, sums), 3)
    what = f"{SYSTEMS} systems × {DEALS:,} deals of names and noun phrases, both axes"
    peer = f"a loop over systems and deals {loop:.0f} s ({FEW_SYSTEMS} × {FEW_DEALS}, scaled)"
    return [Claim(what, f"{taken:.2f} s", peer, loop / taken, 50.0)]


def _deal(sums: TiltSums) -> None:
    relabelled_p(sums, np.random.default_rng(0), DEALS)


def mixed_model(place: Scene, values: Array) -> list[Claim]:
    """One system's noun-phrase pairs: a mixed model with crossed effects."""
    contrast = place.contrasts[0]
    named = place.sentences["match"] == "names"
    rows, system = place.sentences.filter(~named), values[:1, (~named).to_numpy()]
    mine = crossed_tilt(rows, system, contrast, place.axes)
    start = time.perf_counter()
    theirs = with_statsmodels(rows, system[0], contrast)
    peer = time.perf_counter() - start
    apart = max(theirs / mine.se[0], mine.se[0] / theirs)
    assert apart < NEAR, (theirs, mine.se[0])
    taken = timed(lambda: crossed_tilt(rows, system, contrast, place.axes))
    what = (
        f"one system, {mine.n[0]:,} pairs of noun phrases, uncertainty over three crossed samples"
    )
    said = (
        f"statsmodels' MixedLM {peer:.1f} s (its standard error is {theirs / mine.se[0]:.2f} ours)"
    )
    return [Claim(what, f"{taken:.3f} s", said, peer / taken, 20.0)]


def with_statsmodels(rows: pl.DataFrame, scores: Array, contrast: Contrast) -> float:
    """The intercept's standard error, of the differences of pairs."""
    import pandas as pd  # type: ignore[import-untyped]
    from statsmodels.regression.mixed_linear_model import MixedLM

    scored = rows.with_columns(score=pl.Series(scores))
    wide = scored.pivot(on=contrast.axis, index=["frame", "match", "template", "emotion_word"],
                        values="score")  # fmt: skip
    word = wide["emotion_word"].fill_null(wide["frame"])
    pairs = pd.DataFrame({
        "delta": (wide[contrast.first] - wide[contrast.second]).to_numpy(),
        "match": wide["match"].to_list(), "template": wide["template"].to_list(),
        "word": word.to_list(), "all": 1,
    })  # fmt: skip
    crossed = {name: f"0 + C({name})" for name in ("match", "template", "word")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = MixedLM.from_formula(
            "delta ~ 1", pairs, groups="all", vc_formula=crossed, re_formula="0"
        ).fit()
    return float(fitted.bse["Intercept"])


def main() -> None:
    place, values = scene(), scores()
    works: dict[str, Work] = {
        "crossed bootstrap": lambda: bootstrap(place, values),
        "the standard error": lambda: formula(place, values),
        "names dealt anew": lambda: permutation(place, values),
        "against a mixed model": lambda: mixed_model(place, values),
    }
    print_claims("claims over people, templates and words", attempted(works))


if __name__ == "__main__":
    main()
