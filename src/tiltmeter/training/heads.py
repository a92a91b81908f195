"""Regression on what encoders make of texts: `embedding-mlp`, `encoder-mlp`, `lexicon-svr`.

The encoders stay as they are (Câmara et al. 2022, §4.1: what is measured is the tilt of what was
pre-trained); only the small model on top is learned. Their rows are computed once for a text and
kept, so that another head on the same texts takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.training.choosing import Build, Labelled, Settings, choose, save_estimator
from tiltmeter.training.recipes import Fitted, How, LabelledTexts
from tiltmeter.vectors import Encoder, features

Array = NDArray[np.float64]

HIDDEN = 32
PENALTIES = (10.0, 30.0, 100.0, 300.0)
ITERATIONS = 100
COSTS = (0.03, 0.1, 0.3, 1.0)
EPSILON = 0.05
FILE = "head.skops"


def features_mlp(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:
    """Two layers, features → 32 → 1, with an L2 penalty chosen on dev."""
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def build(settings: Settings) -> Any:  # noqa: ANN401
        # L-BFGS on all texts at once: no learning rate, no batches, little left to chance.
        layers = MLPRegressor(
            hidden_layer_sizes=(HIDDEN,), solver="lbfgs", max_iter=ITERATIONS,
            random_state=how.seed, **settings,
        )  # fmt: skip
        return make_pipeline(StandardScaler(), layers)

    return _on_features(build, [{"alpha": one} for one in PENALTIES], train, dev, how)


def features_svr(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:
    """Kernel regression; C chosen on dev."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    def build(settings: Settings) -> Any:  # noqa: ANN401
        return make_pipeline(StandardScaler(), SVR(epsilon=EPSILON, **settings))

    return _on_features(build, [{"C": cost} for cost in COSTS], train, dev, how)


def _on_features(
    build: Build, tried: Sequence[Settings], train: LabelledTexts, dev: LabelledTexts, how: How
) -> Fitted:
    def rows(texts: Sequence[str]) -> Array:
        read = [features(one, texts, tell=_counted(how, one)) for one in how.encoders]
        return np.hstack(read).astype(np.float64)

    x = rows((train + dev).texts)
    cut = len(train.texts)
    both = Labelled(x, (train + dev).scores)
    parts = {"train": Labelled(x[:cut], train.scores), "dev": Labelled(x[cut:], dev.scores)}
    found = choose(build, tried, **parts, both=both, how=how)
    return Fitted(
        "features",
        lambda texts: found.model.predict(rows(texts)),
        save_estimator(found.model, FILE),
        found.settings,
        found.tried,
        on_dev=found.on_dev,
    )


def _counted(how: How, encoder: Encoder) -> Callable[[int, int], None]:
    return lambda done, total: how.tell(f"{encoder.name}: {done:,} of {total:,} texts")
