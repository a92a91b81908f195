"""What labels are worth: read where their names say it, asked for where they do not."""

import pytest

from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems import Options, Scale
from tiltmeter.systems.labels import label_values, split_labels

UNIT, SIGNED = Scale(0.0, 1.0), Scale(-1.0, 1.0)


@pytest.mark.parametrize(
    ("labels", "values", "scale"),
    [
        (["NEGATIVE", "POSITIVE"], (0, 1), UNIT),
        (["pos", "neg"], (1, 0), UNIT),
        (["NEG", "NEU", "POS"], (-1, 0, 1), SIGNED),
        (["neutral", "positive", "negative"], (0, 1, -1), SIGNED),
        (["Very Negative", "Negative", "Neutral", "Positive", "Very_Positive"],
         (-1, -0.5, 0, 0.5, 1), SIGNED),
        (["1 star", "2 stars", "3 stars", "4 stars", "5 stars"], (1, 2, 3, 4, 5), Scale(1, 5)),
        (["سلبي", "إيجابي"], (0, 1), UNIT),
        (["negativo", "neutro", "positivo"], (-1, 0, 1), SIGNED),
    ],
)  # fmt: skip
def test_names_that_say_it_are_read(labels, values, scale):
    found = label_values("m", labels, Options(), {})
    assert (found.values, found.scale, found.task) == (values, scale, "valence")


@pytest.mark.parametrize(
    ("task", "values"), [("joy", (0, 1, 0)), ("sadness", (1, 0, 0)), (None, (0, 0, 1))]
)
def test_an_emotion_is_the_probability_of_its_label(task, values):
    # without a task: the first of anger, fear, joy, sadness that the model knows
    found = label_values("m", ["Sadness", "joy", "anger"], Options(task=task), {})
    assert (found.values, found.scale, found.task) == (values, UNIT, task or "anger")


def test_a_task_that_the_labels_do_not_answer_is_refused():
    with pytest.raises(TiltmeterError, match="answers anger, joy; 'fear' was asked for"):
        label_values("m", ["joy", "anger"], Options(task="fear"), {})
    with pytest.raises(TiltmeterError, match="answers valence; 'joy' was asked for"):
        label_values("m", ["neg", "pos"], Options(task="joy"), {})


@pytest.mark.parametrize(
    "labels",
    [["LABEL_0", "LABEL_1"], ["0", "1"], ["toxic", "clean"], ["neutral", "positive"],
     ["positive", "mixed", "negative"]],
)  # fmt: skip
def test_names_that_do_not_say_it_are_not_guessed(labels):
    with pytest.raises(SystemFailure) as failure:
        label_values("hf:m", labels, Options(), {})
    assert f"has the labels {', '.join(labels)}" in str(failure.value)
    assert f"?labels={labels[0]}:0,{labels[1]}:1" in str(failure.value)


def test_numbers_count_only_where_the_caller_says_they_are_values():
    found = label_values("m", [-3, 0, 3], Options(), {}, numbers_count=True)
    assert (found.values, found.scale) == ((-3, 0, 3), Scale(-3, 3))


def test_the_user_s_word_comes_first():
    path, given = split_labels("hf:m", "a/m?labels=neg:0,LABEL_1:2.5")
    assert (path, given) == ("a/m", {"neg": 0.0, "LABEL_1": 2.5})
    found = label_values("hf:m", ["LABEL_1", "neg"], Options(task="fear"), given)
    assert (found.values, found.scale, found.task) == ((2.5, 0.0), Scale(0.0, 2.5), "fear")
    assert split_labels("hf:m", "a/m") == ("a/m", {})


@pytest.mark.parametrize(
    "said", ["", "a", "a:1", "a:1,b:x", "a:1,b:1", ":0,b:1", "a:0,a:1", "a:0,b:inf"]
)
def test_labels_that_cannot_be_read_are_shown(said):
    with pytest.raises(SystemFailure, match="expected \\?labels=LABEL:NUMBER") as failure:
        split_labels("hf:m", f"m?labels={said}")
    assert f"cannot read {said!r}" in str(failure.value)


def test_every_label_must_be_spoken_of_and_no_other():
    with pytest.raises(SystemFailure, match="has no label 'LABLE_0': did you mean 'LABEL_0'"):
        label_values("m", ["LABEL_0", "LABEL_1"], Options(), {"LABLE_0": 0, "LABEL_1": 1})
    with pytest.raises(SystemFailure, match="has a label 'b' of which \\?labels= says nothing"):
        label_values("m", ["a", "b", "c"], Options(), {"a": 0, "c": 1})


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["neg", "pos"], "the score is the probability of the label 'pos'"),
        (["neg", "neu", "pos"], "the score is −1 · P(neg) + 0 · P(neu) + 1 · P(pos)"),
        (["pos", "neu", "neg"], "the score is 1 · P(pos) + 0 · P(neu) − 1 · P(neg)"),
    ],
)
def test_the_mapping_is_said_in_words(labels, words):
    assert str(label_values("m", labels, Options(), {})) == words
