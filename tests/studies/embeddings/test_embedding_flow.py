"""Embeddings assessed end to end: real vectors, the paper's case studies, systems, mending."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_lexicon, load_terms
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.embeddings.run import assess_embeddings

SHARED = Path(__file__).parents[4] / "shared" / "data"
WORD2VEC = SHARED / "word-vectors" / "gnews300-union-unitnorm.npz"
HU_LIU = SHARED / "hu-liu"
WITH_SHARED = pytest.mark.skipif(
    not (WORD2VEC.is_file() and HU_LIU.is_dir()), reason=f"needs {WORD2VEC} and {HU_LIU}"
)
QUICK = {"tests": [], "resamples": 60, "lexicon": ["vader"]}


@pytest.fixture(scope="module")
def glove():
    return assess_embeddings("glove-6b-50d", terms=["national-origin", "religion"], **QUICK)


def value(study, what, **where):
    return study.rnsb.filter(**where)[what].item()


# ---------------------------------------------------------------- real vectors


def test_glove_has_both_case_studies_of_the_paper(glove):
    assert value(glove, "rnsb", list="national-origin") == pytest.approx(0.392, abs=0.002)
    assert value(glove, "rnsb", list="religion") == pytest.approx(0.366, abs=0.002)
    assert value(glove, "n_found", list="national-origin") == 15
    missing = glove.terms.filter(pl.col("found_as").is_null())
    assert missing["term"].to_list() == ["shintoist", "paganist"]
    for row in glove.rnsb.iter_rows(named=True):
        assert 0 <= row["low"] <= row["rnsb"] <= row["high"]
        assert row["even_low"] < row["by_chance"] < row["even_high"]
        assert 0.05 < row["p"] < 1  # no more uneven than everyday words, with this lexicon


@WITH_SHARED
def test_word2vec_has_national_origin_with_its_gaps_and_no_religion():
    study = assess_embeddings(
        WORD2VEC, terms=["national-origin", "religion"], lexicon=[HU_LIU], tests=[], resamples=60
    )
    assert value(study, "rnsb", list="national-origin") == pytest.approx(0.1598, abs=0.001)
    origin = study.terms.filter(list="national-origin")
    gaps = origin.filter(pl.col("found_as").is_null())["term"].to_list()
    assert gaps == ["swedish", "filipino", "norwegian"]
    assert origin.filter(term="irish")["found_as"].item() == "Irish"
    assert value(study, "rnsb", list="religion") is None
    assert value(study, "reason", list="religion").startswith("6 of 14 terms are there")
    assert not study.refused


@WITH_SHARED
def test_the_published_numbers_that_the_documents_print():
    study = assess_embeddings(
        ["glove-6b-50d", str(WORD2VEC)], terms=["national-origin", "religion"], lexicon=[HU_LIU],
        mode="published", tests=[],
    )  # fmt: skip
    glove = dict(study.rnsb.filter(embedding="glove-6b-50d").select("list", "rnsb").iter_rows())
    assert glove == pytest.approx({"national-origin": 0.3183, "religion": 0.2322}, abs=5e-4)
    other = study.rnsb.filter(embedding=WORD2VEC.name, list="national-origin")["rnsb"].item()
    assert other == pytest.approx(0.0309, abs=5e-4)
    assert study.rnsb["low"].null_count() == study.rnsb["p"].null_count() == 4


# ---------------------------------------------------------------- planted vectors from a file


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A GloVe file: VADER's words on two sides of one axis, fifteen terms anywhere."""
    lexicon = load_lexicon(["vader"])
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("planted") / "planted.txt"
    rows = [(word, -1.5) for word in lexicon.positive] + [(w, 1.5) for w in lexicon.negative]
    origin = [term.text for term in load_terms("national-origin").terms]
    rows += [(word, 3.0 if word == "mexican" else -0.5) for word in origin]
    with path.open("w") as file:
        for word, centre in rows:
            vector = rng.normal(size=6) * 0.7 + np.array([centre, 0, 0, 0, 0, 0])
            file.write(f"{word} {' '.join(f'{number:.5f}' for number in vector)}\n")
    return path


def test_a_planted_tilt_is_found_on_the_term_that_has_it(planted):
    study = assess_embeddings(planted, terms=["national-origin"], **QUICK)
    assert value(study, "most") == "mexican"
    assert value(study, "rnsb") > 0.5
    assert study.classifiers["balanced"].item() > 0.9
    shares = study.terms.sort("share", descending=True)
    assert shares["term"][0] == "mexican"
    assert shares["share_low"][0] > 1 / 15


def test_two_embeddings_with_one_name_are_told_apart(planted, tmp_path):
    twin = tmp_path / planted.name
    twin.write_bytes(planted.read_bytes())
    study = assess_embeddings([planted, twin], terms=["national-origin"], **QUICK)
    assert study.embeddings["embedding"].to_list() == ["planted.txt", "planted.txt (2)"]
    [told] = study.comparisons.rows(named=True)
    assert (told["difference"], told["low"], told["high"]) == (0, 0, 0)


def test_what_is_not_covered_is_refused_and_told(planted):
    study = assess_embeddings(planted, terms=["religion"], **QUICK)
    assert study.refused
    assert value(study, "reason").startswith("0 of 14 terms are there")
    assert study.plane.height == 0
    assert "assessed, 0 of 1 RNSB" in repr(study)


def test_a_floor_of_ones_own_lets_more_or_less_through(planted):
    everything = assess_embeddings(planted, terms=["national-origin"], coverage=1.0, **QUICK)
    assert value(everything, "rnsb") is not None


def test_exact_case_takes_no_other_spelling(tmp_path, planted):
    text = planted.read_text().replace("\nirish ", "\nIrish ")
    path = tmp_path / "case.txt"
    path.write_text(text)
    either = assess_embeddings(path, terms=["national-origin"], **QUICK)
    exact = assess_embeddings(path, terms=["national-origin"], case="exact", **QUICK)
    assert either.terms.filter(term="irish")["found_as"].item() == "Irish"
    assert exact.terms.filter(term="irish")["found_as"].item() is None
    assert either.embeddings["respelled"].item() == 1


# ---------------------------------------------------------------- systems and mending


def test_the_tilt_of_a_system_made_of_the_vectors_is_already_in_them(tmp_path):
    study = assess_embeddings(
        "glove-6b-50d", terms=["race-names"], systems=["glove-lexicon", "textblob"],
        store=tmp_path, **QUICK,
    )  # fmt: skip
    made, other = study.links.sort("system").rows(named=True)
    assert (made["system"], made["n"]) == ("glove-lexicon", 40)
    assert made["pearson"] < -0.85
    assert made["high"] < -0.7
    assert other["reason"] == "the system scores all names alike: there is no tilt to explain"
    names = study.link_names.filter(system="glove-lexicon")
    assert set(names["group"]) == {
        f"{gender} {race}"
        for gender in ("female", "male")
        for race in ("African American", "European American")
    }
    gap = study.link_gaps.filter(system="glove-lexicon", axis="race").row(0, named=True)
    assert 0.5 < gap["share"] < 1.5


def test_mending_measures_before_and_after():
    study = assess_embeddings(
        "glove-6b-50d", terms=["gender"], tests=["weat-7"], mitigate=["hard"], resamples=60,
        lexicon=["vader"],
    )  # fmt: skip
    told = study.mitigation.filter(pl.col("measure").is_in(["weat", "probe", "rnsb"]))
    cells = {(row["measure"], row["method"]): row["value"] for row in told.iter_rows(named=True)}
    assert cells["weat", "hard"] < cells["weat", "none"] - 0.5
    assert cells["probe", "hard"] > 0.8  # what is left can still be told apart
    assert cells["rnsb", "none"] == pytest.approx(value(study, "rnsb"))


# ---------------------------------------------------------------- what is wrong is said first


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"mode": "printed"}, "mode is 'printed'; expected one of corrected, published"),
        ({"polarity": "neutral"}, "polarity is 'neutral'; expected one of negative, positive"),
        ({"case": "any"}, "case is 'any'; expected one of fallback, exact"),
        ({"coverage": 0}, "coverage is 0; expected a share above 0 and up to 1"),
        ({"resamples": 7}, "resamples is 7; expected at least 40, or 0 for no intervals"),
        ({"resamples": 10**9}, "resamples is 1000000000; expected at most 10000"),
        ({"seed": 2**32, "mode": "published"}, "seed is 4294967296; expected one below"),
        ({"mitigate": ["hard"], "directions": []}, "mitigate needs a direction"),
        ({"seed": -1}, "seed is a whole number from 0 up; found -1"),
        ({"ridge": 0.0}, "ridge is 0; expected a number above 0"),
        ({"ridge": 1.0, "mode": "published"}, "ridge goes with mode corrected"),
        ({"mitigate": ["gentle"]}, "mitigate names 'gentle'; expected hard, soft, inlp"),
        ({"terms": ["religions"]}, "did you mean 'religion'"),
        ({"lexicon": ["vadr"]}, "did you mean 'vader'"),
        ({"tests": ["weet"]}, "did you mean 'weat'"),
        ({"mitigate": ["hard"], "directions": ["gendr"]}, "did you mean 'gender'"),
        ({"directions": ["gender"]}, "directions goes with mitigate, which is not given"),
        ({"similarities": "pairs.tsv"}, "similarities goes with mitigate"),
        ({"analogies": "questions.txt"}, "analogies goes with mitigate"),
        ({"corpus": "eec"}, "corpus goes with systems, which is not given"),
        ({"tasks": ["joy"]}, "tasks goes with systems"),
        ({"terms": ["none"]}, "neither terms nor word tests are asked for"),
        ({"in_sentences": True}, "in_sentences is for encoders of texts"),
    ],
)
def test_what_is_said_wrongly_is_refused_before_anything_is_read(tmp_path, how, told):
    broken = tmp_path / "empty.txt"
    broken.write_bytes(b"")
    with pytest.raises(TiltmeterError) as error:
        assess_embeddings(broken, **{**QUICK, **how})
    assert told in str(error.value)


def test_no_embedding_and_an_unknown_one_are_refused():
    with pytest.raises(TiltmeterError, match="no embedding is named"):
        assess_embeddings([])
    with pytest.raises(TiltmeterError, match="did you mean 'glove-6b-50d'"):
        assess_embeddings("glove-6b-50", **QUICK)


def test_a_file_without_any_word_asked_for_is_refused_and_not_an_error(tmp_path):
    path = tmp_path / "other.txt"
    path.write_text("".join(f"qq{n} 0.1 0.2 0.{n}\n" for n in range(9)))
    study = assess_embeddings(path, **{**QUICK, "terms": ["gender"], "tests": ["weat-6"]})
    assert study.refused
    assert study.rnsb["n_found"].item() == 0
    assert "it holds 0 positive and 0 negative words" in study.rnsb["reason"].item()
    assert study.weat["reason"].null_count() == 0


def test_no_lists_are_a_study_of_word_tests_alone():
    study = assess_embeddings(
        "glove-6b-50d", terms=["none"], tests=["weat-1"], lexicon=["vader"], resamples=0
    )
    assert study.rnsb.height == 0
    assert not study.refused
    assert study.weat["effect"].item() == pytest.approx(1.08, abs=0.01)


def test_the_same_seed_gives_the_same_numbers_and_another_other_intervals(glove):
    again = assess_embeddings("glove-6b-50d", terms=["national-origin", "religion"], **QUICK)
    assert again.rnsb.equals(glove.rnsb)
    other = assess_embeddings(
        "glove-6b-50d", terms=["national-origin", "religion"], seed=5, **QUICK
    )
    assert other.rnsb["low"].to_list() != glove.rnsb["low"].to_list()


def test_a_list_does_not_depend_on_the_lists_beside_it(glove):
    alone = assess_embeddings("glove-6b-50d", terms=["religion"], **QUICK)
    both = glove.rnsb.filter(list="religion")
    assert alone.rnsb["rnsb"].item() == pytest.approx(both["rnsb"].item())
    assert alone.rnsb["low"].item() == pytest.approx(both["low"].item())


def test_terms_of_another_language_are_not_held_against_english_words():
    study = assess_embeddings("glove-6b-50d", terms=["gender", "gender-es"], coverage=0.3, **QUICK)
    english, spanish = study.rnsb.rows(named=True)
    assert english["p"] is not None
    assert spanish["rnsb"] is not None
    assert spanish["p"] is spanish["by_chance"] is None
    told = " ".join(study.notes)
    assert "not held against ordinary words, which are English: gender-es" in told
    assert "the list gender-es is in 'es', the lexicon in 'en'" in told


def test_a_long_list_is_assessed_and_has_no_correlations(tmp_path, planted):
    words = sorted(load_lexicon(["vader"]).positive)[:300]
    listed = tmp_path / "long.toml"
    listed.write_text(
        '[list]\nname = "long"\ntitle = "Long"\nlanguage = "en"\nsource = "ours"\n'
        f"[[terms]]\nwords = {json.dumps(words)}\n"
    )
    study = assess_embeddings(planted, terms=[listed], **QUICK)
    assert study.rnsb["n_found"].item() == 300
    assert study.correlations.height == 0
    assert study.report(tmp_path / "out").exists()
