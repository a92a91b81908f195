"""Signal: whether scores move with the emotion words, beside hand-derived values and references."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from tiltmeter import load_corpus
from tiltmeter.studies.paired.signal import SIGNAL, SignalSums, signal_estimates

PEOPLE = ("Ann", "Bea", "Cid", "Dan")
WORDS = {"glad": "joy", "angry": "anger", "sad": "sadness", "afraid": "fear"}


def table(people=PEOPLE, words=WORDS, templates=("1", "2"), neutral=True):
    """Every person with every word in every template, and once without a word."""
    rows = [
        {
            "id": f"{template}-{word}-{person}", "corpus": "c", "edition": "corrected",
            "template": template, "person": person, "emotion": words.get(word),
            "emotion_word": word,
        }
        for template in templates
        for word in (*words, *((None,) if neutral else ()))
        for person in people
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def scores_of(sentences, values, task="valence"):
    known = pl.Series(np.asarray(values, float)).fill_nan(None)
    return sentences.select("corpus", "id").with_columns(
        system=pl.lit("mine"), task=pl.lit(task), repeat=pl.lit(0, pl.Int64), raw=known,
        score=known, reason=pl.lit(None, pl.String),
    )  # fmt: skip


def signal(sentences, values, task="valence"):
    found = signal_estimates(sentences, scores_of(sentences, values, task))
    return {row["subset"]: row for row in found.filter(measure=SIGNAL).to_dicts()}


def by_word(sentences, **values):
    return np.array([values.get(word, 0.5) for word in sentences["emotion_word"]], float)


def test_f_and_the_share_of_words_told_apart_by_hand():
    # One template, three words, two people: glad 0.9 and 0.7, sad 0.2 and 0.4, angry 0.3 and 0.3.
    # Means 0.8, 0.3, 0.3; all 7/15. Between: 2·((1/3)² + 2·(1/6)²) = 1/3, over 2. Within:
    # 2·0.01 + 2·0.01 = 0.04, over 3. F = (1/6)/(0.04/3) = 12.5. The middle word is at 0.3;
    # glad is 0.5 away, and 2·√(0.04/3/2) = 0.163.
    sentences = table(PEOPLE[:2], {"glad": "joy", "sad": "sadness", "angry": "anger"}, ("1",))
    found = signal(sentences, [0.9, 0.7, 0.2, 0.4, 0.3, 0.3, 0.0, 1.0])["all"]
    assert found["statistic"] == pytest.approx(12.5)
    assert (found["df"], found["n"]) == (3, 3)
    assert found["value"] == pytest.approx(1 / 3)
    assert found["p"] == pytest.approx(stats.f.sf(12.5, 2, 3))


def test_one_template_is_scipys_one_way_analysis_of_variance():
    rng = np.random.default_rng(3)
    sentences = table(templates=("1",), neutral=False)
    values = rng.random(sentences.height)
    found = signal(sentences, values)["all"]
    told = stats.f_oneway(*values.reshape(len(WORDS), len(PEOPLE)))
    assert found["statistic"] == pytest.approx(told.statistic)
    assert found["p"] == pytest.approx(told.pvalue)


def test_several_templates_are_words_within_templates_as_statsmodels_has_them():
    rng = np.random.default_rng(4)
    sentences = table(neutral=False)
    values = rng.random(sentences.height)
    frame = pd.DataFrame(sentences.to_dict(as_series=False) | {"y": values})
    fitted = anova_lm(ols("y ~ C(template) + C(template):C(emotion_word)", frame).fit())
    found = signal(sentences, values)["all"]
    words = fitted.loc["C(template):C(emotion_word)"]
    assert found["statistic"] == pytest.approx(words["F"])
    assert found["p"] == pytest.approx(words["PR(>F)"])


def test_a_lexicon_tells_the_words_it_holds_from_the_rest():
    found = signal(table(), by_word(table(), glad=0.9))
    assert found["all"]["value"] == 0.25
    assert found["all"]["p"] == 0
    assert found["all"]["statistic"] is None  # no spread within a word: F is infinite


def test_a_constant_tells_none_apart_also_in_floating_point():
    found = signal(table(), np.full(table().height, 0.1 + 0.2))["all"]
    assert (found["value"], found["statistic"], found["p"]) == (0, 0, 1)


def test_scores_that_follow_the_person_alone_move_with_no_word():
    people = np.array([ord(name[0]) % 7 / 7 for name in table()["person"]])
    found = signal(table(), people)["all"]
    assert (found["value"], found["statistic"]) == (0, 0)


def test_words_of_a_tasks_own_emotion_are_counted_by_themselves():
    sentences = table(words=WORDS | {"happy": "joy"})
    found = signal(sentences, by_word(sentences, glad=0.9), task="joy")
    assert found["all"]["value"] == pytest.approx(1 / 5)
    assert (found["own-emotion"]["value"], found["own-emotion"]["n"]) == (0.5, 2)
    assert set(signal(sentences, by_word(sentences))) == {"all"}  # valence has no words of its own


@pytest.mark.parametrize(
    "sentences",
    [table(words={"glad": "joy"}), table(words={})],
    ids=["one word a template", "no emotion words"],
)
def test_without_two_words_in_a_template_nothing_is_said(sentences):
    found = signal(sentences, np.random.default_rng(1).random(sentences.height))["all"]
    assert (found["value"], found["statistic"], found["n"]) == (None, None, 0)


def test_words_without_scores_are_left_out_and_counted():
    sentences = table()
    values = by_word(sentences, glad=0.9)
    values[(sentences["emotion_word"] == "sad").fill_null(False).to_numpy()] = math.nan
    found = signal(sentences, values)["all"]
    assert (found["n"], found["n_dropped"]) == (3, 1)
    assert found["value"] == pytest.approx(1 / 3)


def test_blocks_give_what_the_whole_gives():
    sentences = load_corpus("eec").sentences()
    values = np.random.default_rng(5).random((2, sentences.height))
    values[1] += by_word(sentences, angry=0.6, happy=0.9)
    whole, parts = SignalSums(2), SignalSums(2)
    whole.add(sentences, values)
    for at in range(0, sentences.height, 700):
        parts.add(sentences[at : at + 700], values[:, at : at + 700])
    one, other = (sums.signal(np.ones(2)) for sums in (whole, parts))
    assert np.allclose(one.f, other.f, rtol=1e-10)
    assert (one.told == other.told).all()


def test_random_scores_pass_the_test_as_often_as_its_level_says():
    # 2,000 systems that answer by chance, on the words of one template of the EEC.
    sentences = load_corpus("eec").sentences().filter(template="1")
    sums = SignalSums(2000)
    sums.add(sentences, np.random.default_rng(6).random((2000, sentences.height)))
    p = sums.signal(np.ones(2000)).p
    for level in (0.05, 0.01):
        reach = 4 * math.sqrt(level * (1 - level) / 2000)
        assert abs((p < level).mean() - level) < reach


def test_a_planted_signal_is_recovered_from_under_noise():
    sentences = load_corpus("eec").sentences()
    words = sentences["emotion_word"].unique(maintain_order=True).drop_nulls().to_list()
    lifted = dict.fromkeys(words[::4], 0.1)  # one word in four moves scores by a tenth
    noise = np.random.default_rng(7).normal(0, 0.1, sentences.height)
    planted = np.array([lifted.get(word, 0.0) for word in sentences["emotion_word"]]) + noise
    found = signal(sentences, planted)["all"]
    assert found["p"] < 1e-10
    assert found["value"] == pytest.approx(0.25, abs=0.08)
