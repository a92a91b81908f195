"""Controls answer what they say they answer, row by row."""

import statistics

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.systems import Missing, Options, Scale, ask, open_system


@pytest.fixture(scope="module")
def eec():
    return load_corpus("eec").sentences()


def scored(spec, sentences):
    return sentences.with_columns(score=pl.Series(open_system(spec).rows(sentences)))


def difference(table, axis, first, second):
    """Per frame, the mean of one group minus that of the other (METHODS §2, names only)."""
    names = table.filter(pl.col("match") == "names")
    mean = pl.col("score").mean().over("frame", axis)
    wide = names.with_columns(mean).unique(["frame", axis]).pivot(axis, index="frame",
                                                                  values="score")  # fmt: skip
    return wide[first] - wide[second]


def test_constant_answers_one_half():
    system = open_system("constant")
    assert ask(system, ["I am happy", ""]) == [0.5, 0.5]
    assert system.card.scale == Scale(0, 1)


def test_random_is_uniform_from_minus_one_to_one():
    answers = sorted(ask(open_system("random"), [f"text {i}" for i in range(10_000)]))
    # Kolmogorov–Smirnov: the largest gap to the uniform law stays below 1.63 / √n, p = 0.01
    gap = max(abs((x + 1) / 2 - rank / 10_000) for rank, x in enumerate(answers))
    assert gap < 0.0163
    assert -1 < answers[0] < -0.99
    assert 0.99 < answers[-1] < 1


def test_random_depends_on_the_text_and_the_seed_alone():
    texts = [f"text {i}" for i in range(50)]
    forward = ask(open_system("random"), texts)
    backward = [ask(open_system("random"), [text])[0] for text in reversed(texts)]
    assert forward == backward[::-1]
    assert forward == ask(open_system("random:seed=0"), texts)
    other = ask(open_system("random:seed=7"), texts)
    assert not set(forward) & set(other)
    assert abs(statistics.correlation(forward, other)) < 0.4


def test_random_with_a_seed_is_a_system_of_its_own():
    assert open_system("random:seed=7").card.name == "random:seed=7"
    assert open_system("random:seed=7").card.fingerprint != open_system("random").card.fingerprint


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("random:seed=x", "seed must be a whole number; found 'x'"),
        ("random:sed=1", "'sed' is not a setting; known are seed"),
        ("random:7", "'7' is not KEY=VALUE"),
        ("random:seed=1,seed=2", "'seed=2' stands twice"),
    ],
)
def test_a_wrong_setting_is_named(spec, message):
    with pytest.raises(TiltmeterError, match=message):
        open_system(spec)


def test_biased_female_answers_one_for_women_and_minus_one_for_the_rest(eec):
    table = scored("biased-female", eec)
    assert dict(table.group_by("gender").agg(pl.col("score").unique()).iter_rows()) == {
        "female": [1.0],
        "male": [-1.0],
    }
    nobody = pl.DataFrame({"gender": ["female", None]})
    assert open_system("biased-female").rows(nobody) == [1.0, -1.0]


@pytest.mark.parametrize("spec", ["biased-female", "tilted:gender=0.03"])
def test_a_control_that_reads_rows_has_no_answer_to_a_bare_text(spec):
    (answer,) = ask(open_system(spec), ["She is happy."])
    assert isinstance(answer, Missing)
    assert "reads the row of a corpus" in answer.reason


def test_a_planted_tilt_is_found_exactly(eec):
    table = scored("tilted:gender=0.03", eec)
    found = difference(table, "gender", "female", "male")
    assert found.len() == 144
    assert found.to_list() == pytest.approx([0.03] * 144, abs=1e-12)
    pairs = table.filter(pl.col("match") != "names").sort("frame", "match", "gender")
    assert (pairs["score"][::2] - pairs["score"][1::2]).to_list() == pytest.approx([0.03] * 1440)


def test_frames_differ_before_the_tilt_and_stay_within_the_scale(eec):
    scores = scored("tilted:gender=-0.2,race=African American:0.2", eec)["score"]
    assert scores.n_unique() > 144
    assert scores.min() >= 0
    assert scores.max() <= 1


def test_two_axes_are_tilted_each_by_its_own_size(eec):
    table = scored("tilted:gender=-0.02,race=African American:0.05", eec)
    gender = difference(table, "gender", "female", "male")
    race = difference(table, "race", "African American", "European American")
    assert gender.to_list() == pytest.approx([-0.02] * 144, abs=1e-12)
    assert race.to_list() == pytest.approx([0.05] * 144, abs=1e-12)


def test_naming_the_other_group_turns_the_tilt_round(eec):
    found = difference(scored("tilted:gender=male:0.03", eec), "gender", "female", "male")
    assert found.to_list() == pytest.approx([-0.03] * 144, abs=1e-12)


def test_sentences_without_a_group_are_not_moved(eec):
    untouched = eec.filter(pl.col("race").is_null())
    race = scored("tilted:race=African American:0.1", eec).filter(pl.col("race").is_null())
    none = scored("tilted:gender=0", eec).filter(pl.col("race").is_null())
    assert untouched.height == 2880
    assert race["score"].to_list() == none["score"].to_list()


def test_a_tilt_stands_on_the_scores_of_its_base(eec):
    few = eec.head(200)
    # VADER's compound from −1..1 to 0.2..0.8 is 0.5 + 0.3 · compound
    base = [0.5 + 0.3 * answer for answer in ask(open_system("vader"), few["text"].to_list())]
    shift = [0.05 if gender == "female" else -0.05 for gender in few["gender"]]
    expected = [score + moved for score, moved in zip(base, shift, strict=True)]
    system = open_system("tilted:gender=0.1,base=vader")
    assert system.rows(few) == pytest.approx(expected, abs=1e-12)
    assert system.card.languages == ("en",)


def test_noise_is_normal_and_seeded_by_the_sentences_id(eec):
    still = scored("tilted:gender=0.03", eec)["score"]
    noisy = scored("tilted:gender=0.03,noise=0.02,seed=3", eec)["score"]
    deviations = noisy - still
    # 8,640 deviates: the mean's standard error is 0.0002, that of the deviation 0.00015
    assert abs(deviations.mean()) < 0.001
    assert deviations.std() == pytest.approx(0.02, abs=0.0008)
    assert (deviations.abs() < 0.02).mean() == pytest.approx(0.6827, abs=0.02)
    turned = scored("tilted:gender=0.03,noise=0.02,seed=3", eec.reverse())["score"].reverse()
    assert turned.to_list() == noisy.to_list()
    other = scored("tilted:gender=0.03,noise=0.02,seed=4", eec)["score"]
    assert abs(statistics.correlation(deviations, other - still)) < 0.05


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("race=0.03", "name the group of race to raise: race=GROUP:0.03"),
        ("gender=0.3", "gender must be a number from −0.2 to 0.2; found '0.3'"),
        ("gender=much", "gender must be a number from −0.2 to 0.2; found 'much'"),
        ("gender=nan", "found 'nan'"),
        ("gender=0.03,noise=-1", "noise must be a number of at least 0; found '-1'"),
        ("gender=0.03,noise=inf", "found 'inf'"),
        ("gender=0.2,race=Latino:0.2,age=old:0.1", "together exceed 0.4"),
        ("noise=0.1", "plants no tilt; write tilted:gender=0.03"),
        ("", "plants no tilt"),
        ("gender", "'gender' is not KEY=VALUE"),
        ("gender=0.03,base=afinn", "the base 'afinn' has no declared scale; choose another"),
        ("gender=0.03,base=biased-female", "the base 'biased-female' reads rows itself"),
        ("gender=0.03,base=vadr", "did you mean 'vader'"),
    ],
)
def test_a_tilt_that_cannot_be_planted_is_refused(target, message):
    if "afinn" in target:
        pytest.importorskip("afinn")
    with pytest.raises(TiltmeterError, match=message):
        open_system(f"tilted:{target}")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("age=old:0.03", "the axis 'age', which these sentences have not: it has gender, race"),
        ("rac=x:0.03", "did you mean 'race'"),
        ("race=Latino:0.03", "it has African American, European American"),
        ("gender=femal:0.03", "did you mean 'female'"),
    ],
)
def test_an_axis_or_group_the_corpus_has_not_is_named_with_what_it_has(eec, target, message):
    system = open_system(f"tilted:{target}")
    with pytest.raises(SystemFailure, match=message):
        system.rows(eec)


def test_biased_female_needs_an_axis_gender_with_women():
    with pytest.raises(SystemFailure, match=r"the axis 'gender', which these .* it has none"):
        open_system("biased-female").rows(pl.DataFrame({"text": ["Hello."]}))
    with pytest.raises(SystemFailure, match=r"group of gender 'female', .* it has F, M"):
        open_system("biased-female").rows(pl.DataFrame({"gender": ["F", "M"]}))


def test_controls_answer_every_task():
    for spec in ("constant", "random", "biased-female", "tilted:gender=0.03"):
        assert open_system(spec, Options(task="joy")).card.task == "joy"


def test_different_tilts_are_different_systems():
    specs = ["gender=0.03", "gender=male:0.03", "gender=0.03,noise=0.01", "gender=0.03,base=vader"]
    cards = [open_system(f"tilted:{spec}").card for spec in specs]
    assert len({card.fingerprint for card in cards}) == 4
    assert cards[0].name == "tilted:gender=0.03"
    assert cards[1].notes == ("a control with planted tilts, in points of 100: gender male +3",)
