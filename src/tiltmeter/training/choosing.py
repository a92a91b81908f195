"""Settings chosen on dev: the highest Pearson's r there; then fitted anew on train and dev."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.training.recipes import How

Array = NDArray[np.float64]
Settings = Mapping[str, Any]
ALIKE = 1e-4
"""Answers that spread less than this, on the labels' scale of 0 to 1, are one and the same."""
Build = Callable[[Settings], Any]
"""Settings to a scikit-learn estimator that is not fitted yet."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """What an estimator takes, texts or rows of numbers, and what people said."""

    x: Any
    y: Array


@dataclass(frozen=True, slots=True)
class Chosen:
    """An estimator fitted on train and dev, and how its settings came about."""

    model: Any
    settings: Settings
    tried: tuple[tuple[Settings, float], ...]
    on_dev: Array
    """What these settings, fitted on train alone, said of dev."""


def choose(
    build: Build,
    settings: Sequence[Settings],
    *,
    train: Labelled,
    dev: Labelled,
    both: Labelled,
    how: How,
) -> Chosen:
    """The setting with the highest Pearson's r on dev, fitted on train and dev together."""
    tried, said = [], []
    for nth, one in enumerate(settings, 1):
        how.tell(f"setting {nth} of {len(settings)}")
        said.append(np.asarray(_fitted(build(one), train).predict(dev.x), np.float64))
        tried.append((one, agreement(said[-1], dev.y)))
    best = max(range(len(tried)), key=lambda nth: tried[nth][1])
    how.tell("fitting on train and dev")
    chosen = dict(tried[best][0])
    return Chosen(_fitted(build(chosen), both), chosen, tuple(tried), said[best])


def agreement(predicted: Array, gold: Array) -> float:
    """Pearson's r; −1, the worst there is, for a model that always answers the same.

    A penalty that is too high leaves answers that differ by a millionth of the scale: r would still
    be there, and nothing of it when the model is fitted anew.
    """
    if np.std(predicted) < ALIKE:
        return -1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        r = float(np.corrcoef(predicted, gold)[0, 1])
    return r if np.isfinite(r) else -1.0  # answers or labels too large or too alike to be squared


def save_estimator(model: Any, file: str) -> Callable[[Path], str]:  # noqa: ANN401 - scikit-learn's
    """What writes an estimator into a folder, as skops."""

    def save(folder: Path) -> str:
        import skops.io

        skops.io.dump(model, folder / file)
        return file

    return save


def _fitted(model: Any, labelled: Labelled) -> Any:  # noqa: ANN401 - scikit-learn's
    """The model, fitted; how long an iterative one goes on is one of its settings, not a fault.

    On one thread: these are small products, which several threads on busy cores made nine times
    slower, and sums in another order would give another model.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return model.fit(labelled.x, labelled.y)
        except ValueError as error:
            what = f"nothing can be learned from the {len(labelled.y):,} texts ({error})"
            raise TiltmeterError(
                f"{what}; expected texts that differ in words they share"
            ) from error
