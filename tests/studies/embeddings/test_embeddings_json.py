"""embeddings.json: its keys and bytes, and that every number of the study is in it."""

import json
from dataclasses import replace

import polars as pl
import pytest

from made_up_embeddings import (
    GLOVE,
    HOSTILE,
    NAMES,
    NEWS,
    ORIGIN,
    RELIGION,
    TEXTS,
    all_refused,
    made_up_material,
    odd_material,
)
from tiltmeter.studies.embeddings.tables import embeddings_json

STUDY = made_up_material()


@pytest.fixture(scope="module")
def text():
    return embeddings_json(STUDY)


@pytest.fixture(scope="module")
def told(text):
    return {one["name"]: one for one in json.loads(text)["embeddings"]}


def test_the_keys_stand_in_the_order_of_the_contract(text):
    whole = json.loads(text)
    assert list(whole) == [
        *("schema_version", "environment", "run", "notes", "comparisons", "embeddings"),
    ]
    assert whole["schema_version"] == 2
    assert {one["classifier"]["classes"] for one in whole["embeddings"]} == {"balanced"}
    assert whole["run"]["polarity"] == "negative"
    assert [one["name"] for one in whole["embeddings"]] == [GLOVE, NEWS, TEXTS]
    assert list(whole["embeddings"][0]) == [
        *("name", "spec", "kind", "format", "dimension", "digest", "licence", "asked", "found"),
        *("respelled", "remarks", "classifier", "lists", "weat", "others", "links", "mitigation"),
    ]


def test_a_list_has_its_rnsb_terms_and_groups(told):
    names = next(one for one in told[NEWS]["lists"] if one["list"] == NAMES)
    assert list(names) == [
        *("list", "title", "rnsb", "low", "high", "bias", "even_low", "even_high", "by_chance"),
        *("p", "p_adjusted", "n_terms", "n_found", "coverage", "most", "least", "reason"),
        *("terms", "groups", "correlations"),
    ]
    assert (names["n_terms"], names["n_found"], names["coverage"]) == (10, 9, 0.9)
    adam, latisha = names["terms"][0], names["terms"][-1]
    assert (adam["term"], adam["found_as"], adam["group"]) == ("Adam", "adam", "European American")
    assert (latisha["term"], latisha["found_as"], latisha["share"]) == ("Latisha", None, None)
    assert "embedding" not in adam
    assert names["groups"][0]["first"] == "European American"
    assert names["rnsb"] == round_to_ten(STUDY.rnsb.filter(embedding=NEWS, list=NAMES)["rnsb"][0])


def round_to_ten(value):
    return float(f"{value:.10g}")


def test_two_embeddings_are_compared_on_the_terms_that_both_hold(text):
    compared = json.loads(text)["comparisons"]
    assert compared == [
        {
            key: round_to_ten(value) if isinstance(value, float) else value
            for key, value in row.items()
        }
        for row in STUDY.comparisons.to_dicts()
    ]
    assert len(compared) > 2


def test_a_refused_list_has_a_reason_and_no_number(told):
    religion = next(one for one in told[NEWS]["lists"] if one["list"] == RELIGION)
    assert religion["rnsb"] is None
    assert religion["reason"].startswith("2 of 7 terms")
    assert religion["correlations"] == []


def test_a_classifier_has_the_ridges_it_was_chosen_from(told):
    classifier = told[GLOVE]["classifier"]
    assert (classifier["lexicon"], classifier["balanced"]) == ("Hu & Liu 2004", 0.87)
    chosen = [one["ridge"] for one in classifier["ridges"] if one["chosen"]]
    assert chosen == [3.16227766]  # the square root of 10, ten digits


def test_tests_links_and_mitigation_are_nested(told):
    career = next(one for one in told[GLOVE]["weat"] if one["test"] == "weat-6")
    assert career["words"][0] == {"side": "first", "word": "John", "association": 0.06}
    link = told[GLOVE]["links"][0]
    assert (link["system"], len(link["names"]), link["gaps"][0]["share"]) == (
        *("embedding-mlp", 12),
        0.62,
    )
    assert told[GLOVE]["links"][1]["names"] == []
    assert len(told[GLOVE]["mitigation"]) == 32
    assert told[TEXTS]["mitigation"] == []
    assert told[GLOVE]["remarks"] == list(STUDY.remarks[GLOVE])


def test_a_list_or_a_test_has_a_line_of_its_own(text):
    lines = text.splitlines()
    assert len([line for line in lines if line.startswith('        {"list": ')]) == 9
    assert len([line for line in lines if line.startswith('        {"test": "weat-1"')]) == 3
    assert text.endswith("\n    }\n  ]\n}\n")


def test_the_same_study_is_the_same_bytes_whatever_the_environment(text):
    assert embeddings_json(made_up_material()) == text
    there = embeddings_json(replace(STUDY, environment={"time": "later", "command": "x\udc80"}))
    assert there != text
    assert there[there.index('  "run": ') :] == text[text.index('  "run": ') :]
    there.encode()


def test_what_is_no_number_is_null():
    odd = STUDY.rnsb.with_columns(p=pl.lit(float("nan")), high=pl.lit(float("inf")))
    text = embeddings_json(replace(STUDY, rnsb=odd))
    first = json.loads(text, parse_constant=pytest.fail)["embeddings"][0]["lists"][0]
    assert (first["p"], first["high"]) == (None, None)


def test_names_of_any_kind_come_back():
    whole = json.loads(embeddings_json(odd_material()))
    assert whole["embeddings"][0]["name"] == HOSTILE
    assert whole["embeddings"][0]["remarks"] == [HOSTILE]
    terms = [one["term"] for one in whole["embeddings"][0]["lists"][0]["terms"]]
    assert "\x00bell\x07" in terms


def test_a_refused_embedding_keeps_its_classifier_and_terms():
    one = json.loads(embeddings_json(all_refused()))["embeddings"][0]
    assert one["classifier"]["reason"].startswith("the classifier tells")
    assert {of["list"]: of["rnsb"] for of in one["lists"]} == dict.fromkeys(
        (ORIGIN, RELIGION, NAMES)
    )


def test_nothing_read_is_still_json():
    nothing = {name: pl.DataFrame() for name in STUDY.__dataclass_fields__ if name in FRAMES}
    assert json.loads(embeddings_json(replace(STUDY, **nothing)))["embeddings"] == []


FRAMES = {
    *(
        "comparisons",
        "embeddings",
        "classifiers",
        "ridges",
        "rnsb",
        "terms",
        "groups",
        "correlations",
        "plane",
    ),
    *("weat", "associations", "others", "links", "link_names", "link_gaps", "mitigation"),
}
