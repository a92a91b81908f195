"""Support vector regression on words: `svm-unigrams` (K&M 2018) and `svm-tfidf` (Câmara 2022)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.training.choosing import Build, Chosen, Labelled, Settings, choose, save_estimator
from tiltmeter.training.recipes import Fitted, How, LabelledTexts
from tiltmeter.training.words import words_of

COSTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
EPSILON = 0.05
"""Errors up to a twentieth of the scale cost nothing: labels are hardly finer than that."""
SEEN = 2
"""Texts that a word or a pair of words must stand in for `svm-tfidf`."""
FILE = "pipeline.skops"


def svm_unigrams(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:
    """Linear regression on whether a word stands in a text; C chosen on dev."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVR

    _check_words(train, least=1)

    def build(settings: Settings) -> Any:  # noqa: ANN401
        # Squared loss solved in the primal: the same answer every time, whatever the seed.
        regression = LinearSVR(loss="squared_epsilon_insensitive", dual=False, **settings)
        return make_pipeline(CountVectorizer(binary=True), regression)

    found = _on_texts(build, [{"C": cost} for cost in COSTS], train, dev, how)
    return _fitted(found, weights=lambda: _word_weights(found.model))


def svm_tfidf(train: LabelledTexts, dev: LabelledTexts, how: How) -> Fitted:
    """Kernel regression on tf-idf of one or two words seen twice; kernel and C chosen on dev."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVR

    _check_words(train, least=SEEN)

    def build(settings: Settings) -> Any:  # noqa: ANN401
        features = TfidfVectorizer(ngram_range=(1, 2), min_df=SEEN, sublinear_tf=True)
        return make_pipeline(features, SVR(epsilon=EPSILON, **settings))

    tried = [{"kernel": kernel, "C": cost} for kernel in ("linear", "rbf") for cost in COSTS[2:]]
    return _fitted(_on_texts(build, tried, train, dev, how))


def _check_words(train: LabelledTexts, least: int) -> None:
    """Refuse texts that hold no word to count: emoji alone, or each word in one text only."""
    counts = Counter(word for text in train.texts for word in words_of([text]))
    if max(counts.values(), default=0) < least:
        often = f" that stands in {least} of them" if counts else ""
        what = f"the {len(train.texts):,} texts of the train part hold no word{often}"
        raise TiltmeterError(f"{what}; expected words of two letters or more to learn from")


def _on_texts(
    build: Build, tried: Sequence[Settings], train: LabelledTexts, dev: LabelledTexts, how: How
) -> Chosen:
    parts = {"train": train, "dev": dev, "both": train + dev}
    taken = {part: Labelled(texts.texts, texts.scores) for part, texts in parts.items()}
    return choose(build, tried, **taken, how=how)


def _fitted(found: Chosen, **more: Any) -> Fitted:  # noqa: ANN401
    save = save_estimator(found.model, FILE)
    return Fitted(
        "sklearn", found.model.predict, save, found.settings, found.tried, on_dev=found.on_dev,
        **more,
    )  # fmt: skip


def _word_weights(pipeline: Any) -> dict[str, float]:  # noqa: ANN401
    words: Sequence[str] = pipeline[0].get_feature_names_out().tolist()
    return dict(zip(words, pipeline[1].coef_.ravel().tolist(), strict=True))
