"""Support vector regression on words: `svm-unigrams` (K&M 2018) and `svm-tfidf` (Câmara 2022)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.train.recipes import Fitted, How, LabelledTexts

Array = NDArray[np.float64]
Settings = Mapping[str, Any]

COSTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
EPSILON = 0.05
"""Errors up to a twentieth of the scale cost nothing: labels are hardly finer than that."""
FILE = "pipeline.skops"


def svm_unigrams(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:  # noqa: ARG001
    """Linear regression on whether a word stands in a text; C chosen on dev."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVR

    def build(settings: Settings) -> Any:  # noqa: ANN401
        # Squared loss solved in the primal: the same answer every time, whatever the seed.
        regression = LinearSVR(loss="squared_epsilon_insensitive", dual=False, **settings)
        return make_pipeline(CountVectorizer(binary=True), regression)

    found = _chosen(build, ({"C": cost} for cost in COSTS), train, dev)
    return Fitted(**found, weights=lambda: _word_weights(found["predict"].__self__))


def svm_tfidf(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:  # noqa: ARG001 - exact
    """Kernel regression on tf-idf of one or two words seen twice; kernel and C chosen on dev."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVR

    def build(settings: Settings) -> Any:  # noqa: ANN401
        features = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        return make_pipeline(features, SVR(epsilon=EPSILON, **settings))

    tried = ({"kernel": kernel, "C": cost} for kernel in ("linear", "rbf") for cost in COSTS[2:])
    return Fitted(**_chosen(build, tried, train, dev))


def _chosen(
    build: Callable[[Settings], Any],
    settings: Iterable[Settings],
    train: LabelledTexts,
    dev: LabelledTexts,
) -> dict[str, Any]:
    """The setting with the highest Pearson's r on dev, fitted on train and dev together."""
    tried = []
    for one in settings:
        model = build(one).fit(train.texts, train.scores)
        tried.append((one, agreement(model.predict(dev.texts), dev.scores)))
    best, _ = max(tried, key=lambda pair: pair[1])
    both = train + dev
    model = build(best).fit(both.texts, both.scores)

    def save(folder: Path) -> str:
        import skops.io

        skops.io.dump(model, folder / FILE)
        return FILE

    return {
        "kind": "sklearn", "predict": model.predict, "save": save, "settings": dict(best),
        "tried": tuple(tried),
    }  # fmt: skip


def agreement(predicted: Array, gold: Array) -> float:
    """Pearson's r; −1, the worst there is, for a model that always answers the same."""
    if np.ptp(predicted) == 0:
        return -1.0
    return float(np.corrcoef(predicted, gold)[0, 1])


def _word_weights(pipeline: Any) -> dict[str, float]:  # noqa: ANN401
    words: Sequence[str] = pipeline[0].get_feature_names_out().tolist()
    return dict(zip(words, pipeline[1].coef_.ravel().tolist(), strict=True))
