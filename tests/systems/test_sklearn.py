"""A scikit-learn pipeline as a system: real fits, saved with skops and read back."""

import pickle
import zipfile

import numpy as np
import pytest

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed here: pip install -e '.[learn]'"
)
skops_io = pytest.importorskip(
    "skops.io", reason="skops is not installed: pip install -e '.[learn]'"
)

from sklearn.base import BaseEstimator, TransformerMixin  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.dummy import DummyClassifier  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402

from tiltmeter.errors import SystemFailure, TiltmeterError  # noqa: E402
from tiltmeter.systems import Options, Scale, ask, from_estimator, open_system  # noqa: E402

TEXTS = ["a good day", "a bad day", "good good", "awful and bad", "glad", "sad"]
SIGNS = [1, -1, 1, -1, 1, -1]


class Shout(TransformerMixin, BaseEstimator):
    """A step of the user's own, which skops cannot know."""

    def fit(self, texts, labels=None):  # noqa: ARG002 - scikit-learn's signature
        self.fitted_ = True
        return self

    def transform(self, texts):
        return [text.upper() for text in texts]


SHOUT = f"{Shout.__module__}.Shout"


def fitted(model, labels, vectorizer=None):
    return make_pipeline(vectorizer or TfidfVectorizer(), model).fit(TEXTS, labels)


@pytest.fixture
def saved(tmp_path):
    def saved(estimator, name="model.skops"):
        skops_io.dump(estimator, tmp_path / name)
        return f"sklearn:{tmp_path / name}"

    return saved


def test_a_regressor_answers_what_it_predicts(saved):
    # counts of "good" and "bad" alone, score = good − bad: the fit is exact
    counts = CountVectorizer(vocabulary=["good", "bad"])
    estimator = fitted(LinearRegression(), [1, -1, 2, -1, 0, 0], counts)
    system = open_system(saved(estimator))
    assert ask(system, ["good good bad", "bad bad", "neither"]) == pytest.approx([1, -2, 0])
    assert system.card.scale is None
    assert system.pace.one_by_one is False
    assert system.card.notes == ("the score is what the regressor predicts",)


@pytest.mark.parametrize(
    ("names", "column"), [({1: "positive", -1: "negative"}, 1), ({1: "good", -1: "bad"}, 1)]
)
def test_a_binary_classifier_answers_the_probability_of_the_positive_label(names, column, saved):
    estimator = fitted(LogisticRegression(), [names[sign] for sign in SIGNS])
    system = open_system(saved(estimator))
    assert ask(system, TEXTS) == estimator.predict_proba(TEXTS)[:, column].tolist()
    assert system.card.scale == Scale(0.0, 1.0)
    assert f"the probability of the label '{names[1]}'" in system.card.notes[0]


def test_numeric_classes_give_the_expected_value(saved):
    estimator = fitted(LogisticRegression(), [2, -2, 2, -2, 0, 0])
    chances = estimator.predict_proba(TEXTS)  # columns −2, 0, 2
    system = open_system(saved(estimator))
    assert ask(system, TEXTS) == pytest.approx((2 * chances[:, 2] - 2 * chances[:, 0]).tolist())
    assert system.card.scale == Scale(-2.0, 2.0)


def test_an_emotion_classifier_answers_the_task_asked_for(saved):
    labels = ["joy", "anger", "joy", "anger", "joy", "sadness"]
    estimator = fitted(LogisticRegression(), labels)
    system = open_system(saved(estimator), Options(task="joy"))
    assert ask(system, TEXTS) == estimator.predict_proba(TEXTS)[:, 1].tolist()
    assert system.card.task == "joy"
    with pytest.raises(TiltmeterError, match="'fear' was asked for"):
        open_system(saved(estimator), Options(task="fear"))


@pytest.mark.parametrize(
    ("names", "side"), [({1: "pos", -1: "neg"}, 1), ({1: "good", -1: "very negative"}, -1)]
)
def test_a_classifier_without_probabilities_answers_its_distance(names, side, saved):
    # alphabetically "good" comes before "very negative", so the library's own sign is turned
    estimator = fitted(LinearSVC(), [names[sign] for sign in SIGNS])
    system = open_system(saved(estimator))
    assert ask(system, TEXTS) == (side * estimator.decision_function(TEXTS)).tolist()
    assert all(
        (score > 0) == (sign > 0) for score, sign in zip(ask(system, TEXTS), SIGNS, strict=True)
    )
    assert system.card.scale is None
    assert f"positive towards {names[1]!r}" in system.card.notes[0]


def test_several_classes_without_probabilities_give_the_predicted_label_s_value(saved):
    estimator = fitted(LinearSVC(), [3, -3, 3, -3, 0, 0])
    system = open_system(saved(estimator))
    assert ask(system, TEXTS) == [3.0, -3.0, 3.0, -3.0, 0.0, 0.0]
    assert "−3 = −3, 0 = 0, 3 = 3" in system.card.notes[0]


def test_labels_that_say_nothing_need_the_user_s_word(saved):
    estimator = fitted(LogisticRegression(), ["x" if sign > 0 else "y" for sign in SIGNS])
    spec = saved(estimator)
    with pytest.raises(SystemFailure, match="has the labels x, y, whose worth cannot be told"):
        open_system(spec)
    system = open_system(f"{spec}?labels=x:1,y:0")
    assert ask(system, TEXTS) == estimator.predict_proba(TEXTS)[:, 0].tolist()


def test_types_skops_does_not_know_are_listed_with_the_words_to_add(saved):
    estimator = make_pipeline(Shout(), CountVectorizer(lowercase=False), LinearRegression())
    spec = saved(estimator.fit(TEXTS, SIGNS))
    with pytest.raises(SystemFailure) as failure:
        open_system(spec)
    assert f"add --trust {SHOUT}" in str(failure.value)
    assert failure.value.exit_code == 2
    with pytest.raises(SystemFailure, match="does not know"):
        open_system(spec, Options(trust=("another.Type",)))
    system = open_system(spec, Options(trust=(SHOUT,)))
    assert ask(system, TEXTS) == pytest.approx(SIGNS)


class Boom:
    """Opened as a pickle, it would make a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("ending", ["pkl", "pickle", "joblib"])
def test_a_pickle_is_refused_unopened_with_the_reason_and_the_way_out(ending, tmp_path):
    path = tmp_path / f"model.{ending}"
    path.write_bytes(pickle.dumps(Boom(tmp_path / "made")))
    with pytest.raises(SystemFailure) as failure:
        open_system(f"sklearn:{path}")
    assert "is a pickle, which can run any code when it is opened" in str(failure.value)
    assert f'skops.io.dump(joblib.load("{path}"), "{tmp_path}/model.skops")' in str(failure.value)
    assert not (tmp_path / "made").exists()


def test_a_file_that_is_not_there_or_not_skops_is_told(saved, tmp_path):
    saved(LinearRegression().fit([[0], [1]], [0, 1]), "other.skops")
    with pytest.raises(SystemFailure, match=r"no file .*model\.skops; .* holds other\.skops"):
        open_system(f"sklearn:{tmp_path}/model.skops")
    (tmp_path / "text.skops").write_text("not a zip")
    with pytest.raises(SystemFailure, match="cannot be read as a skops file: BadZipFile"):
        open_system(f"sklearn:{tmp_path}/text.skops")
    with zipfile.ZipFile(tmp_path / "empty.skops", "w") as file:
        file.writestr("nothing", "")
    with pytest.raises(SystemFailure, match="cannot be read as a skops file: KeyError"):
        open_system(f"sklearn:{tmp_path}/empty.skops")


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (KMeans(2, n_init=1).fit(np.eye(3)), "is a KMeans; expected a fitted regressor or class"),
        (TfidfVectorizer().fit(TEXTS), "is a TfidfVectorizer; expected"),
        (LogisticRegression(), "it is not fitted"),
    ],
)
def test_what_gives_no_scores_is_refused(estimator, said):
    with pytest.raises(SystemFailure, match=said):
        from_estimator(estimator)


def test_an_estimator_that_takes_no_texts_says_so_with_the_text():
    estimator = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(SystemFailure) as failure:
        ask(from_estimator(estimator), ["a good day"])
    assert "expected a pipeline that takes texts" in str(failure.value)
    assert "'a good day'" in str(failure.value)


def test_the_fingerprint_follows_the_weights(saved):
    first = fitted(LinearRegression(), SIGNS)
    other = fitted(LinearRegression(), SIGNS[::-1])
    prints = [from_estimator(estimator).card.fingerprint for estimator in (first, other)]
    assert prints[0] != prints[1]
    assert from_estimator(fitted(LinearRegression(), SIGNS)).card.fingerprint == prints[0]
    card = open_system(saved(first)).card
    assert card.version.startswith("scikit-learn ")
    assert card.weights != open_system(saved(other)).card.weights


def test_an_estimator_in_hand_stays_in_this_process():
    estimator = fitted(DummyClassifier(strategy="prior"), [1, 0, 1, 0, 1, 0])
    system = from_estimator(estimator, "mine", Options(scale=Scale(-1.0, 1.0)), {"1": 1, "0": -1})
    # half the labels are 1, worth 1, and half are 0, worth −1
    assert ask(system, ["anything"]) == [0.0]
    assert (system.card.name, system.reopen, system.pace.parallel) == ("mine", None, "none")


def test_scores_do_not_depend_on_the_batch(saved):
    system = open_system(
        saved(fitted(LogisticRegression(), ["pos" if s > 0 else "neg" for s in SIGNS]))
    )
    alone = [ask(system, [text])[0] for text in TEXTS]
    assert ask(system, TEXTS) == pytest.approx(alone, abs=1e-12)
    assert ask(system, []) == []
