"""What can be read of a system: lexicons, a linear model's weights, near words."""

import numpy as np
import pytest

from tiltmeter.studies.explain.knowledge import known_words, linear_model, near_words, own_lexicon
from tiltmeter.systems import Options, from_callable, from_estimator, open_system

TEXTS = [
    "Tia feels happy", "Tia loves it", "a lovely happy day", "happy and glad", "Adam feels awful",
    "Adam hates it", "an awful grim day", "grim and sad",
]  # fmt: skip
LABELS = [1, 1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("system", "word", "value"),
    [
        ("vader", "tia", 2.3), ("textblob", "happy", 0.8), ("nrclex", "grim", -1.0),
        ("senticnet-es", "triste", -0.349),
    ],
)  # fmt: skip
def test_lexicons_are_read_as_the_systems_use_them(system, word, value):
    assert own_lexicon(system)[word] == value
    known = known_words(system)
    assert known.values(f"The {word.capitalize()}!")[word] == value
    assert known.knows(word.capitalize())
    assert not known.knows("Qwrtzq")


def test_the_numbers_of_glove_lexicon_make_its_score():
    known = known_words("glove-lexicon")
    odds = known.values("Jamal feels Qwrtzq.")
    assert set(odds) == {"jamal", "feels"}
    (score,) = open_system("glove-lexicon", Options()).answer(["Jamal feels Qwrtzq."])
    assert score == pytest.approx(1 / (1 + np.exp(-np.mean([*odds.values()]))))


def test_of_a_black_box_nothing_is_claimed():
    system = from_callable(lambda _: 0.5, "mine")
    assert known_words("mine", system) is None
    assert linear_model(system) is None
    assert linear_model(None) is None


@pytest.fixture(params=["counts", "tf-idf", "regression", "sparse"])
def pipeline(request):
    pytest.importorskip("sklearn", reason="needs the learn extra")
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    made = {
        "counts": make_pipeline(CountVectorizer(), LogisticRegression()),
        "tf-idf": make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0)),
        "regression": make_pipeline(CountVectorizer(), Ridge()),
        "sparse": make_pipeline(CountVectorizer(), LogisticRegression()),
    }[request.param]
    made.fit(TEXTS, np.array(LABELS, float) if request.param == "regression" else LABELS)
    if request.param == "sparse":
        made[-1].sparsify()
    return made


def test_a_linear_models_weights_add_up_to_what_scikit_learn_says(pipeline):
    model = linear_model(from_estimator(pipeline, "mine"))
    text = "Tia feels awful and unheard"
    found = model.take_apart(text)
    ask = getattr(pipeline, "decision_function", pipeline.predict)
    assert found.decision == pytest.approx(float(ask([text])[0]), abs=1e-12)
    assert found.total == pytest.approx(found.decision, abs=1e-12)
    parts = dict(found.parts)
    assert {"tia", "feels", "awful", "and"} <= set(parts)
    assert "unheard" not in parts
    assert parts["tia"] > 0 > parts["awful"]


def test_its_vocabulary_tells_known_names(pipeline):
    known = known_words("mine", from_estimator(pipeline, "mine"))
    assert known.knows("Tia")
    assert not known.knows("Jamal")
    assert known.value_of("happy") > 0


def test_several_classes_have_no_one_number():
    pytest.importorskip("sklearn", reason="needs the learn extra")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    made = make_pipeline(CountVectorizer(), LogisticRegression())
    made.fit(TEXTS, [0, 0, 1, 1, 2, 2, 1, 0])
    assert linear_model(from_estimator(made, "mine", labels={"0": 0, "1": 0.5, "2": 1})) is None


def test_near_words_are_those_of_the_largest_cosine(tmp_path):
    vectors = tmp_path / "small.txt"
    vectors.write_text("happy 1 0\nawful -1 0.1\nglad 0.9 0.5\nTia 0.9 0.1\nSue 0 0\n")
    found = near_words(str(vectors), ["Tia", "Jamal"], many=2)
    assert set(found) == {"Tia"}
    assert [one.word for one in found["Tia"]] == ["happy", "glad"]
    assert found["Tia"][0].cosine == pytest.approx(0.9 / np.hypot(0.9, 0.1))
    assert found["Tia"][0].rating == 2.7
