"""Regressions with scikit-learn, on words and on what encoders make of texts."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.training.recipes import (
    FittedModel,
    LabelledTexts,
    Settings,
    TrainContext,
    agreement,
)
from tiltmeter.vectors import Encoder, Rows, features

if TYPE_CHECKING:
    import polars as pl


Array = NDArray[np.float64]
Build = Callable[[Settings], Any]
"""Settings to a scikit-learn estimator that is not fitted yet."""
EPSILON = 0.05
"""Errors up to a twentieth of the scale cost nothing: labels are hardly finer than that."""
WORD = re.compile(r"\b\w\w+\b")
"""As scikit-learn cuts texts into words."""
SEEN = 2
"""Texts that a word or a pair of words must stand in for `svm-tfidf`."""
SVM_COSTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
SVM_FILE = "pipeline.skops"
HIDDEN = 32
PENALTIES = (10.0, 30.0, 100.0, 300.0)
ITERATIONS = 100
HEAD_COSTS = (0.03, 0.1, 0.3, 1.0)
HEAD_FILE = "head.skops"


# ---------------------------------------------------------------- words


def svm_unigrams(train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Linear regression on whether a word stands in a text; C chosen on dev."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVR

    _check_words(train, least=1)

    def build(settings: Settings) -> Any:  # noqa: ANN401
        # Squared loss solved in the primal: the same answer every time, whatever the seed.
        regression = LinearSVR(loss="squared_epsilon_insensitive", dual=False, **settings)
        return make_pipeline(CountVectorizer(binary=True), regression)

    def weights() -> dict[str, float]:
        words, regression = selected.model[0].get_feature_names_out(), selected.model[1]
        return dict(zip(words.tolist(), regression.coef_.ravel().tolist(), strict=True))

    tried = [{"C": cost} for cost in SVM_COSTS]
    selected = select_settings(build, tried, (train + dev).texts, train, dev, context)
    return replace(_on_texts(selected), weights=weights)


def svm_tfidf(train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Kernel regression on tf-idf of one or two words seen twice; kernel and C chosen on dev."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVR

    _check_words(train, least=SEEN)

    def build(settings: Settings) -> Any:  # noqa: ANN401
        features = TfidfVectorizer(ngram_range=(1, 2), min_df=SEEN, sublinear_tf=True)
        return make_pipeline(features, SVR(epsilon=EPSILON, **settings))

    tried = [
        {"kernel": kernel, "C": cost} for kernel in ("linear", "rbf") for cost in SVM_COSTS[2:]
    ]
    return _on_texts(select_settings(build, tried, (train + dev).texts, train, dev, context))


def _check_words(train: LabelledTexts, least: int) -> None:
    """Refuse texts that hold no word to count: emoji alone, or each word in one text only."""
    counts = Counter(word for text in train.texts for word in words_of([text]))
    if max(counts.values(), default=0) < least:
        often = f" that stands in {least} of them" if counts else ""
        what = f"the {len(train.texts):,} texts of the train part hold no word{often}"
        raise TiltmeterError(f"{what}; expected words of two letters or more to learn from")


def _on_texts(selected: SelectedModel) -> FittedModel:
    """A pipeline that takes texts as they are."""
    return FittedModel(
        "sklearn",
        selected.model.predict,
        _save_estimator(selected.model, SVM_FILE),
        selected.settings,
        selected.tried,
        on_dev=selected.on_dev,
    )


def person_words(
    weights: Mapping[str, float], train: LabelledTexts, groups: Iterable[Sequence[str]]
) -> pl.DataFrame:
    """word, weight, texts (how many hold it), mean_score (of those): a row a word of the people.

    `groups` has the people of each. A word that stands in more than one, as *my* does, tells nobody
    apart and is left out. A word without a weight was not seen in training: the model is blind to
    it.

    >>> import numpy as np
    >>> seen = LabelledTexts(("my son cried", "my son sang"), np.array([0.2, 0.6]))
    >>> person_words({"son": 0.1}, seen, [["my son", "Adam"], ["my daughter"]]).rows()
    [('adam', None, 0, None), ('daughter', None, 0, None), ('son', 0.1, 2, 0.4)]
    """
    import polars as pl

    found = Counter(word for people in groups for word in words_of(people))
    words = sorted(word for word, held_by in found.items() if held_by == 1)
    held = [words_of([text]) for text in train.texts]
    rows = []
    for word in words:
        scores = [float(s) for s, inside in zip(train.scores, held, strict=True) if word in inside]
        mean = sum(scores) / len(scores) if scores else None
        rows.append((word, weights.get(word), len(scores), mean))
    schema = {"word": pl.String, "weight": pl.Float64, "texts": pl.Int64, "mean_score": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row")


def words_of(texts: Iterable[str]) -> set[str]:
    """The words of texts, each once, as scikit-learn cuts them."""
    return {word for text in texts for word in WORD.findall(text.lower())}


# ---------------------------------------------------------------- encoders


def features_mlp(train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Two layers, features → 32 → 1, with an L2 penalty chosen on dev."""
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def build(settings: Settings) -> Any:  # noqa: ANN401
        # L-BFGS on all texts at once: no learning rate, no batches, little left to chance.
        layers = MLPRegressor(
            hidden_layer_sizes=(HIDDEN,), solver="lbfgs", max_iter=ITERATIONS,
            random_state=context.seed, **settings,
        )  # fmt: skip
        return make_pipeline(StandardScaler(), layers)

    return _on_features(build, [{"alpha": one} for one in PENALTIES], train, dev, context)


def features_svr(train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Kernel regression; C chosen on dev."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    def build(settings: Settings) -> Any:  # noqa: ANN401
        return make_pipeline(StandardScaler(), SVR(epsilon=EPSILON, **settings))

    return _on_features(build, [{"C": cost} for cost in HEAD_COSTS], train, dev, context)


def _on_features(
    build: Build,
    tried: Sequence[Settings],
    train: LabelledTexts,
    dev: LabelledTexts,
    context: TrainContext,
) -> FittedModel:
    def rows_of(encoder: Encoder, texts: Sequence[str]) -> Rows:
        def tell(done: int, total: int) -> None:
            context.tell(f"{encoder.name}: {done:,} of {total:,} texts")

        return features(encoder, texts, tell=tell)

    def rows(texts: Sequence[str]) -> Array:
        each = [rows_of(encoder, texts) for encoder in context.encoders]
        return np.hstack(each).astype(np.float64)

    selected = select_settings(build, tried, rows((train + dev).texts), train, dev, context)
    return FittedModel(
        "features",
        lambda texts: selected.model.predict(rows(texts)),
        _save_estimator(selected.model, HEAD_FILE),
        selected.settings,
        selected.tried,
        on_dev=selected.on_dev,
    )


# ---------------------------------------------------------------- settings chosen on dev


@dataclass(frozen=True, slots=True)
class SelectedModel:
    """An estimator fitted on train and dev, and how its settings came about."""

    model: Any
    settings: Settings
    tried: tuple[tuple[Settings, float], ...]
    on_dev: Array
    """What these settings, fitted on train alone, said of dev."""


def select_settings(
    build: Build,
    settings: Sequence[Settings],
    x: Any,  # noqa: ANN401
    train: LabelledTexts,
    dev: LabelledTexts,
    context: TrainContext,
) -> SelectedModel:
    """The setting with the highest Pearson's r on dev, fitted on train and dev together.

    `x` is what an estimator takes for the texts of train, then of dev: the texts, or their rows.
    """
    cut = len(train.texts)
    tried, answers = [], []
    for nth, one in enumerate(settings, 1):
        context.tell(f"setting {nth} of {len(settings)}")
        model = _fit_estimator(build(one), x[:cut], train.scores)
        answers.append(np.asarray(model.predict(x[cut:]), np.float64))
        tried.append((one, agreement(answers[-1], dev.scores)))
    best = max(range(len(tried)), key=lambda nth: tried[nth][1])
    context.tell("fitting on train and dev")
    chosen = dict(tried[best][0])
    model = _fit_estimator(build(chosen), x, (train + dev).scores)
    return SelectedModel(model, chosen, tuple(tried), answers[best])


def _save_estimator(model: Any, file: str) -> Callable[[Path], str]:  # noqa: ANN401 - scikit-learn's
    """What writes an estimator into a folder, as skops."""

    def save(folder: Path) -> str:
        import skops.io

        skops.io.dump(model, folder / file)
        return file

    return save


def _fit_estimator(model: Any, x: Any, y: Array) -> Any:  # noqa: ANN401 - scikit-learn's
    """The model, fitted; how long an iterative one goes on is one of its settings, not a fault.

    On one thread: these are small products, which several threads on busy cores made nine times
    slower, and sums in another order would give another model.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return model.fit(x, y)
        except ValueError as error:
            what = f"nothing can be learned from the {len(y):,} texts ({error})"
            raise TiltmeterError(
                f"{what}; expected texts that differ in words they share"
            ) from error
