"""How each fit went: a row a submission, with the reason where there is none."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.regression.fitting import Fitted
from tiltmeter.measures.regression.parts import Summed
from tiltmeter.measures.regression.reduction import Reduced
from tiltmeter.measures.stats.members import members

FITS = {
    "system": pl.String, "task": pl.String, "subset": pl.String, "n": pl.Int64,
    "n_dropped": pl.Int64, "people": pl.Int64, "templates": pl.Int64, "clipped": pl.Int64,
    "edge": pl.Int64, "precision": pl.Float64, "log_likelihood": pl.Float64,
    "iterations": pl.Int64, "converged": pl.Boolean, "reason": pl.String,
    "least_squares_reason": pl.String,
}  # fmt: skip


def fits_table(submissions: pl.DataFrame, part: Summed, fitted: Fitted) -> pl.DataFrame:
    """How the fit of each submission went."""
    design, atoms = part.design, part.atoms
    beta, size = fitted.beta, design.mean.shape[1]
    common = fitted.precision.shape[1] == 1
    phi = np.exp(beta.parameters[:, size]) if common else np.full(len(beta.parameters), np.nan)
    many = submissions.height
    return pl.DataFrame(
        {
            "system": submissions["system"],
            "task": submissions["task"],
            "subset": [part.subset] * many,
            "n": atoms.n,
            "n_dropped": part.size - atoms.n,
            "people": _seen(atoms, design.person, design.people.height),
            "templates": _seen(atoms, design.template, len(design.templates)),
            "clipped": atoms.clipped,
            "edge": atoms.edge,
            "precision": pl.Series(phi).fill_nan(None),
            "log_likelihood": pl.Series(beta.log_likelihood).fill_nan(None),
            "iterations": beta.iterations,
            "converged": beta.converged,
            "reason": list(fitted.reasons),
            "least_squares_reason": list(fitted.least_reasons),
        },
        FITS,
    )


def _seen(atoms: Reduced, of: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """How many names, or templates, have a score of each submission."""
    found: NDArray[np.int64] = np.count_nonzero(atoms.sums.n @ members(of, size) > 0, axis=1)
    return found
