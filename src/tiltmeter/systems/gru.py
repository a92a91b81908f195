"""A trained GRU (Rating 2023, §3.1) as a system: seven classes v, and v/3 − 1 for an answer.

Two answers, and `"answer"` among the settings in `model.json` says which; change it there.

mean    Σ p(v) · (v/3 − 1), the default. It moves whenever the probabilities do.
class   v/3 − 1 of the likeliest class, as published. It has seven values, so a sentence and its
        counterpart differ by nothing or by at least a sixth of the scale: small tilts are hidden,
        and a tilt that happens to cross a boundary is magnified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.gru_file import read_network
from tiltmeter.systems.gru_network import CLASSES, GruNetwork
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SIGNED, Card, Pace, System

if TYPE_CHECKING:
    from tiltmeter.systems.trained import Model

READING = 1
"""Raised whenever texts are cut up or computed in another way."""
MEANS = {
    "mean": "the score is the mean of seven classes, Σ p(v) · (v/3 − 1)",
    "class": "the score is v/3 − 1 of the likeliest of seven classes, as published: seven values",
}


def gru_model(model: Model, options: Options) -> System:
    """Open the network in a trained model's folder."""
    settings = model.card.get("settings")
    chosen = settings.get("answer", "mean") if isinstance(settings, dict) else "mean"
    if not isinstance(chosen, str) or chosen not in MEANS:
        what = f"is to answer {chosen!r} by its model.json; expected {' or '.join(MEANS)}"
        raise SystemFailure(model.name, what)
    card = Card(
        model.name,
        str(options.task),
        options.scale_of(model.name) or SIGNED,
        version=f"gru {READING}",
        settings={"answer": chosen},
        weights=model.digest,
        notes=(MEANS[chosen],),
    )
    answer = _answering(read_network(model.name, model.weights), chosen)
    return System(card, answer, Pace(batch=2048, one_by_one=False))


def _answering(network: GruNetwork, chosen: str) -> Callable[[Sequence[str]], list[float]]:
    worth = [place / 3 - 1 for place in range(CLASSES)]

    def mean(texts: Sequence[str]) -> list[float]:
        return list((network.chances(texts) @ worth).tolist())

    def likeliest(texts: Sequence[str]) -> list[float]:
        return [worth[place] for place in network.chances(texts).argmax(axis=1)]

    return mean if chosen == "mean" else likeliest
