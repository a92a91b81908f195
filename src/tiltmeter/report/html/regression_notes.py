"""How regressions were fitted and what could not be, in short paragraphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.report.html.effects import Fit, Regression
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import count
from tiltmeter.report.regression_names import LEAST_SQUARES, errors_of
from tiltmeter.report.regression_wording import fitted_on, opposite_signs, unestimated

NAMED = 3
"""Submissions named before the rest is only counted."""


def reasons(one: Regression) -> list[tuple[str, str]]:
    """Who cannot be estimated and why; submissions with the same reason together."""
    return [(_listed(who), reason) for reason, who in unestimated(one.regressed).items()]


def _listed(who: Sequence[str]) -> str:
    more = f" and {len(who) - NAMED:,} more" if len(who) > NAMED else ""
    return ", ".join(who[:NAMED]) + more


ERRORS = {
    "crossed": (
        "Sentences that share a name or a template are not independent. Errors are clustered over "
        "names and over templates at once, corrected for how few there are (CR2, Satterthwaite "
        "degrees of freedom). In simulations (benchmarks/simulate_regression.py) such intervals "
        "hold the truth as often as they promise, with one exception: where a tilt rests on few "
        "names, all in one direction, they held it in 77 % of cases instead of 95 %. Then look at "
        "the names that pull it."
    ),
    "mixed": (
        "Sentences that share a name or a template are not independent. Names and templates are "
        "random parts of a linear model of the logit; the coefficients beside it are those of the "
        "Beta regression."
    ),
    "naive": (
        "Errors are those of the fit itself, as if all sentences were independent. Sentences share "
        "names and templates, so that they are often far too small."
    ),
}
PUBLISHED = (
    "The paper calls its coefficients Beta coefficients; the code behind it reports ordinary least "
    "squares, so they are on the scale of scores, not of the logit. Its errors treat all sentences "
    "as independent. A coefficient of one axis is the difference where the other axes are at their "
    "reference group, not an average over all of it."
)


def notes(found: Sequence[Regression], material: Material) -> Iterator[str]:
    """How it was fitted, each a short paragraph; nothing where nothing was."""
    if all(fit.reason for one in found for fit in one.fits):
        return
    if any(one.main == LEAST_SQUARES for one in found):
        yield PUBLISHED
    else:
        yield ERRORS[errors_of(material.run)]
    yield _fitted_on(found)
    for one in found:
        if said := opposite_signs(one.regressed, material):
            yield " ".join(said)
    squeezed = [fit for one in found for fit in one.fits if not fit.reason and fit.facts["edge"]]
    if squeezed:
        yield _squeezed(squeezed)
    yield from _settled(found)


def _fitted_on(found: Sequence[Regression]) -> str:
    several = len(found) > 1
    parts = [
        f"{one.regressed.corpus}, {said}" if several else said
        for one in found
        for said in fitted_on(one.regressed)
    ]
    return f"Fitted on: {'; '.join(parts)}."


def _squeezed(fits: Sequence[Fit]) -> str:
    """Scores that a Beta distribution cannot hold, counted."""
    named = [
        f"{fit.system} ({fit.task}) {fit.facts['edge']:,} of {fit.facts['n']:,}" for fit in fits
    ]
    clipped = sum(int(fit.facts["clipped"]) for fit in fits)
    beyond = f", {clipped:,} of them from beyond it" if clipped else ""
    return (
        "A Beta distribution has no 0 and no 1. Where some scores stand at an end, all of the "
        f"submission’s are squeezed inwards, y to (y (n − 1) + 0.5) / n: {_listed(named)} scores"
        f"{beyond}. Least squares takes every score as it is."
    )


def _settled(found: Sequence[Regression]) -> Iterator[str]:
    fits = [fit for one in found for fit in one.fits if not fit.reason]
    settled = [fit for fit in fits if fit.facts["converged"]]
    if len(fits) == 1 and settled:
        yield f"The fit converged in {count(int(fits[0].facts['iterations']), 'step')}."
    elif fits:
        most = max(int(fit.facts["iterations"]) for fit in fits)
        yield f"{len(settled):,} of {count(len(fits), 'fit')} converged, in {most} steps or fewer."
