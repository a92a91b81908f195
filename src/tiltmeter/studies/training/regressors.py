"""Regressions with scikit-learn, on words and on what encoders make of texts."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.ranking import coarsen
from tiltmeter.stats.moments import one_thread
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
        words, regression = pipeline[0].get_feature_names_out(), pipeline[1]
        return dict(zip(words.tolist(), regression.coef_.ravel().tolist(), strict=True))

    tried = [{"C": cost} for cost in SVM_COSTS]
    pipeline, fitted = select_settings(build, tried, train, dev, context)
    return replace(fitted, weights=weights)


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
    return select_settings(build, tried, train, dev, context)[1]


def _check_words(train: LabelledTexts, least: int) -> None:
    """Refuse texts that hold no word to count: emoji alone, or each word in one text only."""
    counts = Counter(word for text in train.texts for word in words_of([text]))
    if max(counts.values(), default=0) < least:
        often = f" that stands in {least} of them" if counts else ""
        what = f"the {len(train.texts):,} texts of the train part hold no word{often}"
        raise TiltmeterError(f"{what}; expected words of two letters or more to learn from")


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

    penalties = [{"alpha": penalty} for penalty in PENALTIES]
    return select_settings(build, penalties, train, dev, context, encoded=True)[1]


def features_svr(train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Kernel regression; C chosen on dev."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    def build(settings: Settings) -> Any:  # noqa: ANN401
        return make_pipeline(StandardScaler(), SVR(epsilon=EPSILON, **settings))

    costs = [{"C": cost} for cost in HEAD_COSTS]
    return select_settings(build, costs, train, dev, context, encoded=True)[1]


# ---------------------------------------------------------------- settings chosen on dev


def select_settings(
    build: Build,
    settings: Sequence[Settings],
    train: LabelledTexts,
    dev: LabelledTexts,
    context: TrainContext,
    *,
    encoded: bool = False,
) -> tuple[Any, FittedModel]:
    """The setting with the highest Pearson's r on dev, fitted on train and dev together.

    `encoded` estimators take what the context's encoders make of texts, the others the texts.
    """

    def encoder_rows(encoder: Encoder, texts: Sequence[str]) -> Rows:
        def tell(done: int, total: int) -> None:
            context.tell(f"{encoder.name}: {done:,} of {total:,} texts")

        return features(encoder, texts, tell=tell)

    def inputs(texts: Sequence[str]) -> Any:  # noqa: ANN401
        if not encoded:
            return texts
        return np.hstack([encoder_rows(one, texts) for one in context.encoders]).astype(np.float64)

    both, cut = train + dev, len(train.texts)
    x = inputs(both.texts)
    tried, answers = [], []
    for nth, setting in enumerate(settings, 1):
        context.tell(f"setting {nth} of {len(settings)}")
        model = _fit_estimator(build(setting), x[:cut], train.scores)
        answers.append(np.asarray(model.predict(x[cut:]), np.float64))
        tried.append((setting, agreement(answers[-1], dev.scores)))
    best = max(range(len(tried)), key=lambda nth: coarsen(tried[nth][1]))
    context.tell("fitting on train and dev")
    chosen = dict(tried[best][0])
    final = _fit_estimator(build(chosen), x, both.scores)

    def save(folder: Path) -> str:
        import skops.io

        file = HEAD_FILE if encoded else SVM_FILE
        skops.io.dump(final, folder / file)
        return file

    return final, FittedModel(
        "features" if encoded else "sklearn", lambda texts: final.predict(inputs(texts)), save,
        chosen, tuple(tried), on_dev=answers[best],
    )  # fmt: skip


def _fit_estimator(model: Any, x: Any, y: Array) -> Any:  # noqa: ANN401 - scikit-learn's
    """The model, fitted; how long an iterative one goes on is one of its settings, not a fault.

    On one thread: these are small products, which several threads on busy cores made nine times
    slower, and sums in another order would give another model.
    """
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return model.fit(x, y)
        except ValueError as error:
            what = f"nothing can be learned from the {len(y):,} texts ({error})"
            raise TiltmeterError(
                f"{what}; expected texts that differ in words they share"
            ) from error
