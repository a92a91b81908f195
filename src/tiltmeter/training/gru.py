"""`gru`: embedding, two GRU layers, softmax over seven classes (Rating 2023, after Cho 2014).

Labels become classes v = round(6 · score): exactly the classes of SemEval's ordinal files, the
nearest of seven for scores. Nothing is pre-trained: what it knows, it has from the texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.systems import GruNetwork
from tiltmeter.training.choosing import agreement
from tiltmeter.training.gru_torch import CLASSES, EMBEDDING, learn
from tiltmeter.training.recipes import Fitted, How, LabelledTexts

Array = NDArray[np.float64]
Settings = Mapping[str, Any]

SETTINGS: tuple[Settings, ...] = (
    {"hidden": 64, "dropout": 0.3},
    {"hidden": 64, "dropout": 0.5},
    {"hidden": 32, "dropout": 0.5},
)
LONGEST = 15
PATIENCE = 3
"""Epochs without a higher r on dev after which a setting is left."""
FILE = "gru.safetensors"


@dataclass(frozen=True, slots=True)
class Try:
    """A setting at the epoch that served it best."""

    settings: Settings
    r: float
    said: Array
    """What it said of dev."""


def gru(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:
    """Fit a GRU classifier; hidden size, dropout and epochs chosen on dev."""
    count = len(SETTINGS)
    tried = [
        _tried(settings, train, dev, how, f"setting {nth} of {count}")
        for nth, settings in enumerate(SETTINGS, start=1)
    ]
    best = _best(tried)
    network = _refitted(best.settings, train + dev, how)

    def save(folder: Path) -> str:
        network.save(folder / FILE)
        return FILE

    return Fitted(
        "gru",
        lambda texts: scores(network, texts),
        save,
        {**best.settings, "embedding": EMBEDDING, "answer": "mean"},
        tuple((one.settings, one.r) for one in tried),
        on_dev=best.said,
    )


def scores(network: GruNetwork, texts: Sequence[str]) -> Array:
    """Σ p(v) · v/6: the mean answer on the labels' scale, 0 to 1."""
    return network.chances(texts) @ (np.arange(CLASSES) / (CLASSES - 1))


def nearest_classes(labelled: LabelledTexts) -> NDArray[np.int64]:
    """The classes round(6 · score), or an error where all are the same.

    >>> nearest_classes(LabelledTexts(("a", "b", "c"), np.array([0, 1 / 6, 0.7]))).tolist()
    [0, 1, 4]
    """
    found = np.rint(labelled.scores * (CLASSES - 1)).astype(np.int64)
    if found.min() == found.max():
        what = f"every score of the training texts lies nearest to class {found[0]} of 0 to 6"
        raise TiltmeterError(f"{what}; expected texts of at least two classes")
    return found


def _tried(
    settings: Settings, train: LabelledTexts, dev: LabelledTexts, how: How, which: str
) -> Try:
    """A setting fitted on train until dev has not gained for some epochs."""
    epochs: list[Try] = []

    def go_on(network: GruNetwork) -> bool:
        said = scores(network, dev.texts)
        so_far = {**settings, "epochs": len(epochs) + 1}
        epochs.append(Try(so_far, agreement(said, dev.scores), said))
        how.tell(f"{which}, epoch {len(epochs)}")
        return len(epochs) < min(LONGEST, int(_best(epochs).settings["epochs"]) + PATIENCE)

    learn(train.texts, nearest_classes(train), settings, how.seed, go_on)
    return _best(epochs)


def _best(tried: Sequence[Try]) -> Try:
    return max(tried, key=lambda one: one.r)


def _refitted(settings: Settings, both: LabelledTexts, how: How) -> GruNetwork:
    """The network after the chosen number of epochs on all texts."""
    done: list[GruNetwork] = []

    def go_on(network: GruNetwork) -> bool:
        done.append(network)
        how.tell(f"train and dev together, epoch {len(done)} of {settings['epochs']}")
        return len(done) < int(settings["epochs"])

    learn(both.texts, nearest_classes(both), settings, how.seed, go_on)
    return done[-1]
