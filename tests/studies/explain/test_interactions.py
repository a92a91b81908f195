"""In which words a tilt shows: planted on one word, one emotion, one template, and nowhere."""

import numpy as np
import polars as pl
import pytest

from planted_material import claim, is_person, material, sentences
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.explain.interactions import interactions_of
from tiltmeter.studies.explain.wording import interaction_sentence

WOMAN = (pl.col("gender") == "female").cast(pl.Float64)
ANGRY = (pl.col("emotion_word") == "angry").fill_null(False).cast(pl.Float64)


def by(found, of, axis="gender", kind="names"):
    every = interactions_of(found, claim(found, axis, kind))
    return next(one for one in every if one.of == of)


def named(interactions):
    return {one.category: one for one in interactions.found}


@pytest.mark.parametrize("kind", ["names", "couples"])
def test_a_tilt_in_one_word_is_found_on_that_word(kind):
    words = by(material(0.5 + 0.1 * WOMAN * ANGRY), "word", kind=kind)
    # 2 of 10 frames have the word: the tilt is 0.02, within the word 0.1, elsewhere 0
    assert words.claim.value == pytest.approx(0.02)
    found = named(words)
    assert set(found) == {"glad", "happy", "angry", "furious"}
    assert words.found[0].category == "angry"
    assert found["angry"].tilt == pytest.approx(0.1)
    assert found["angry"].interaction == pytest.approx(0.08)
    for other in ("glad", "happy", "furious"):
        assert found[other].tilt == pytest.approx(0, abs=1e-12)
    assert found["angry"].alike
    assert found["angry"].apart


def test_emotions_and_templates_are_apart_too():
    found = material(0.5 + 0.1 * WOMAN * (pl.col("template") == "t2").cast(pl.Float64))
    templates = named(by(found, "template"))
    assert templates["t2"].tilt == pytest.approx(0.1)
    assert templates["t2"].interaction == pytest.approx(0.05)
    assert templates["t1"].tilt == pytest.approx(0, abs=1e-12)
    assert templates["t2"].example == "I saw Ann glad today."
    emotions = by(found, "emotion")
    assert {one.category for one in emotions.found} == {"joy", "anger", "none"}
    assert emotions.apart == 0
    assert interaction_sentence(emotions) == "The same in all 3 emotions."


def test_a_name_that_moves_only_with_one_word_is_the_words_interaction():
    words = by(material(0.5 + 0.3 * is_person("Ann") * ANGRY), "word")
    top = words.found[0]
    # Ann is one of three in one of two cells: the tilt within the word is 0.3 / 3 / 2
    assert (top.category, top.tilt) == ("angry", pytest.approx(0.05))
    assert not top.apart  # one name of twelve tells little of others
    assert top.low < 0 < top.high


def test_between_noise_the_planted_word_alone_stands_out():
    rng = np.random.default_rng(2)
    of = load_corpus("eec").sentences().drop("race")
    noise = 0.02 * rng.standard_normal(of.height)
    planted = of.select(0.1 * WOMAN * ANGRY).to_series().fill_null(0.0).to_numpy()
    words = by(material(0.5 + noise + planted, of), "word")
    assert len(words.found) == 40
    assert [one.category for one in words.found if one.apart] == ["angry"]
    top = words.found[0]
    assert top.low < 0.1 * (1 - 4 / 144) < top.high


def test_where_nothing_is_planted_few_words_are_called_apart():
    rng, of = np.random.default_rng(8), sentences()
    person = of["person"].rank("dense").to_numpy().astype(int) - 1
    word = of["emotion_word"].fill_null("").rank("dense").to_numpy().astype(int) - 1
    false = 0
    for _ in range(200):
        # people differ, and each has quirks with words of their own: no group × word
        effect = 0.02 * rng.standard_normal(person.max() + 1)
        quirk = 0.02 * rng.standard_normal((person.max() + 1, word.max() + 1))
        noise = 0.01 * rng.standard_normal(of.height)
        found = material(0.5 + effect[person] + quirk[person, word] + noise, of)
        false += by(found, "word").apart > 0
    assert false <= 20, false  # 5 % is aimed at; 20 of 200 is four standard errors beyond


def test_who_met_a_part_of_the_frames_gets_the_whole_interaction():
    rng = np.random.default_rng(1)
    of = load_corpus("eec").sentences().drop("race").filter(match="names")
    people = of["person"].unique(maintain_order=True).to_list()
    frames = of["frame"].unique(maintain_order=True).to_list()
    met = pl.DataFrame(
        [(person, frame) for person in people for frame in rng.permutation(frames)[:48]],
        schema={"person": pl.String, "frame": pl.String}, orient="row",
    )  # fmt: skip
    some = of.join(met, on=["person", "frame"], how="semi", maintain_order="left")
    anger = (pl.col("emotion") == "anger").fill_null(False).cast(pl.Float64)
    emotions = named(by(material(0.5 + 0.1 * WOMAN * anger, some), "emotion"))
    share = of.filter(emotion="anger")["frame"].n_unique() / len(frames)
    assert emotions["anger"].interaction == pytest.approx(0.1 * (1 - share), rel=0.03)
