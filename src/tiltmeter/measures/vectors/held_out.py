"""What a classifier is worth on words that it did not see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

REACH = 1.959964
"""Standard errors of a 95 % interval."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """How well words that were not fitted on are told apart."""

    accuracy: float
    balanced: float
    """The mean of the two polarities' accuracies: 0.5 is guessing, whatever their sizes."""
    se: float
    auc: float
    log_loss: float
    """Both polarities of the weight that the fit gave them."""

    @property
    def interval(self) -> tuple[float, float]:
        """Of the balanced accuracy, 95 %."""
        return self.balanced - REACH * self.se, self.balanced + REACH * self.se


def held_out_by(odds: Array, negative: NDArray[np.bool_], weights: Array | None = None) -> HeldOut:
    """What log-odds of being negative are worth; the weights are the log-loss's."""
    right = (odds > 0) == negative
    rates = [float(right[negative == side].mean()) for side in (True, False)]
    sizes = [np.count_nonzero(negative == side) for side in (True, False)]
    balanced = sum(rates) / 2
    variance = sum(p * (1 - p) / n for p, n in zip(rates, sizes, strict=True)) / 4
    return HeldOut(
        float(right.mean()),
        balanced,
        float(np.sqrt(variance)),
        _auc(odds, negative),
        float(np.average(log_losses(odds, negative), weights=weights)),
    )


def log_losses(odds: Array, negative: NDArray[np.bool_]) -> Array:
    """−log of the probability given to what each word is."""
    losses: Array = np.logaddexp(0.0, np.where(negative, -odds, odds))
    return losses


def _auc(odds: Array, negative: NDArray[np.bool_]) -> float:
    """How often a negative word has the higher log-odds than a positive one; ties count half."""
    from scipy.stats import rankdata

    many, few = np.count_nonzero(negative), np.count_nonzero(~negative)
    above = rankdata(odds)[negative].sum() - many * (many + 1) / 2
    return float(above / (many * few))
