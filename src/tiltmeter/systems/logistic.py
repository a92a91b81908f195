"""Logistic regression with a ridge, and the small file its weights are kept in."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.errors import OutputError
from tiltmeter.files import write_aside

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DECIMALS = 9
"""Weights are rounded to these, so that another processor's last digits do not rename a model."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A linear model: log-odds = x · slopes + intercept."""

    slopes: Floats
    """(d,)"""
    intercept: float

    @property
    def digest(self) -> str:
        """A hash of the weights, the same on every machine: 32 hexadecimal digits."""
        numbers = " ".join(f"{number:.{DECIMALS}f}" for number in [*self.slopes, self.intercept])
        return hashlib.sha256(numbers.encode()).hexdigest()[:32]


def fit_logistic(x: Floats, y: NDArray[np.bool_], ridge: float = 1.0) -> Weights:
    """Minimise Σ log-loss + ridge/2 · ‖slopes‖² by Newton's method; the intercept is free.

    x is (n, d), y is (n,). The same as scikit-learn's LogisticRegression with C = 1/ridge.
    """
    import numpy as np

    design = np.column_stack([x, np.ones(len(x))])
    penalty = np.append(np.full(x.shape[1], ridge), 0.0)
    beta: Floats = np.zeros(design.shape[1])
    for _ in range(100):
        p = (1 + np.tanh(design @ beta / 2)) / 2
        gradient = design.T @ (p - y) + penalty * beta
        hessian = (design.T * (p * (1 - p))) @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 10.0 ** -(DECIMALS + 3):
            break
    beta = np.round(beta, DECIMALS) + 0.0  # no −0, which would hash otherwise than 0
    return Weights(beta[:-1], float(beta[-1]))


def kept(path: Path, build: Callable[[], Weights]) -> Weights:
    """The weights in a file, or built anew and kept there if the file is absent or damaged."""
    weights = _read(path)
    if weights is None:
        weights = build()
        with suppress(OutputError):  # nowhere to keep them: they are built again next time
            _write(path, weights)
    return weights


def _read(path: Path) -> Weights | None:
    import numpy as np

    damaged = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            slopes, intercept = arrays["slopes"], arrays["intercept"]
    except (*damaged, NotImplementedError):
        return None
    whole = slopes.ndim == 1 and slopes.size and intercept.shape == ()
    if not whole or slopes.dtype != np.float64 or intercept.dtype != np.float64:
        return None
    return Weights(slopes, float(intercept)) if np.isfinite([*slopes, intercept]).all() else None


def _write(path: Path, weights: Weights) -> None:
    import numpy as np

    slopes, intercept = weights.slopes, np.float64(weights.intercept)
    write_aside(path, lambda file: np.savez(file, slopes=slopes, intercept=intercept))
