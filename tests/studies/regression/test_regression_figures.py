"""The figures of regressions: what they draw, said in words, within the schema."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from simulated_material import scored
from simulated_regressions import regressed_material
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.regression.figures import (
    MOST,
    drawn_effects,
    effects_chart,
    ends,
    languages_chart,
    phrases_of,
    regression_figure_names,
    regression_figures,
    two_languages,
)

pytest.importorskip("vl_convert", reason="the figures need the charts extra")

LATINO, SPANISH = load_corpus("eec-latino"), load_corpus("eec-es")
MARKUP = "<script>alert(1)</script>"


def scores(corpus, system, female, seed, task="anger"):
    rows = corpus.sentences()
    women = (rows["gender"] == "female").fill_null(False).to_numpy()
    noise = np.random.default_rng(seed).normal(0, 0.02, rows.height)
    return scored(rows, system, task, 0.5 + female * women + noise)


@pytest.fixture(scope="module")
def material():
    english = [scores(LATINO, MARKUP, 0.05, 0), scores(LATINO, "flat", 0.0, 1),
               scores(LATINO, "flat", 0.0, 3, "joy")]  # fmt: skip
    spanish = [scores(SPANISH, MARKUP, -0.05, 2)]
    return regressed_material([(LATINO, pl.concat(english)), (SPANISH, pl.concat(spanish))])


@pytest.fixture(scope="module")
def drawn(material):
    return dict(regression_figures(material))


def texts(data):
    return " ".join(ElementTree.fromstring(data).itertext())


def test_every_corpus_and_every_two_languages_have_a_figure(material, drawn):
    names = [one.name for one in regression_figure_names(material)]
    assert names == ["effects-eec-latino", "effects-eec-es", "languages-eec-es-eec-latino"]
    assert set(drawn) == {f"{name}.{ending}" for name in names for ending in ("svg", "png")}


def test_both_ends_are_named_in_words_and_markup_is_text(drawn):
    said = texts(drawn["effects-eec-latino.svg"])
    for words in ("higher for sentences about women", "higher for sentences about men",
                  "points of 100", "let names and templates vary",
                  "as if all sentences were independent", MARKUP):  # fmt: skip
        assert words in said
    tags = {
        one.tag.split("}")[-1]
        for one in ElementTree.fromstring(drawn["effects-eec-latino.svg"]).iter()
    }
    assert not {"script", "image", "foreignObject"} & tags


def test_the_languages_figure_has_both_languages_and_the_test(drawn):
    said = texts(drawn["languages-eec-es-eec-latino.svg"])
    assert "Spanish" in said
    assert "English" in said
    assert "p < 0.001" in said  # the planted effects point opposite ways


def test_effects_are_in_points_and_the_naive_interval_beside_them(material):
    shown = next(drawn_effects(material))
    row = shown.rows.row(by_predicate=(pl.col("system") == MARKUP) & (pl.col("axis") == "gender"),
                         named=True)  # fmt: skip
    assert row["value"] == pytest.approx(5.0, abs=0.5)  # planted: 0.05, 5 points of 100
    assert row["low"] < row["value"] < row["high"]
    assert row["naive_low"] < row["value"] < row["naive_high"]
    assert row["group"] == "above 0"


def test_least_squares_are_drawn_where_they_are_the_measure_and_have_one_interval():
    material = regressed_material([(LATINO, scores(LATINO, "s", 0.05, 0))], mode="published")
    shown = next(drawn_effects(material))
    assert shown.measure == "least_squares"
    assert shown.rows["naive_low"].null_count() == shown.rows.height
    assert "of least squares" in str(effects_chart(shown))


def test_a_product_s_ends_say_what_differs(material):
    phrases = phrases_of(material.compared[0])
    below, above = ends(("gender:race", "female-male:Latino-Anglo", "male:Anglo"), phrases)
    assert below == "about women beside men: higher with Anglo names"
    assert above == "about women beside men: higher with Latino names"


def test_only_the_largest_of_many_systems_are_drawn_and_the_rest_counted(material):
    one = material.regressed[0]
    few = one.estimates.filter(system="flat", task="joy")
    many = [few.with_columns(system=pl.lit(f"s{at:03}"), value=pl.col("value") + at / 1e4)
            for at in range(MOST + 5)]  # fmt: skip
    fits = pl.concat([one.fits.filter(system="flat", task="joy")] * (MOST + 5))
    wide = replace(one, estimates=pl.concat(many), fits=fits)
    shown = next(drawn_effects(replace(material, regressed=(wide,))))
    assert shown.rows["system"].n_unique() == MOST
    assert shown.smaller == 5
    assert "5 submissions with smaller effects not shown." in str(effects_chart(shown))


def test_what_cannot_be_estimated_is_counted_not_drawn():
    flat = scored(LATINO.sentences(), "constant", "anger", np.full(LATINO.sentences().height, 0.5))
    both = pl.concat([flat, scores(LATINO, "s", 0.05, 0)])
    shown = next(drawn_effects(regressed_material([(LATINO, both)])))
    assert shown.rows["system"].unique().to_list() == ["s"]
    assert shown.left_out == 1
    alone = regressed_material([(LATINO, flat)])
    assert not regression_figure_names(alone)


def test_altair_finds_no_fault_in_the_charts(material):
    altair = pytest.importorskip("altair", reason="checks our Vega-Lite against its schema")
    jsonschema = pytest.importorskip("jsonschema", reason="what Altair checks with")
    phrases = phrases_of(material.compared[0])
    charts = [effects_chart(next(drawn_effects(material))),
              languages_chart(next(two_languages(material.languages)), phrases)]  # fmt: skip
    for chart in charts:
        altair.ConcatChart.from_dict(chart, validate=True)
        with pytest.raises(jsonschema.ValidationError):
            altair.ConcatChart.from_dict(chart | {"concat": [{"mark": "nonsense"}]}, validate=True)
