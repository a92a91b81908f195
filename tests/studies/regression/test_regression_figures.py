"""The figures of regressions: what they draw, said in words."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from simulated_material import scored
from simulated_regressions import regressed_material
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.regression.forests import MOST, regression_figures, shown_effects
from tiltmeter.studies.regression.wording import phrases_of

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
    return {name: data for figure in regression_figures(material) for name, data in figure.files()}


def texts(data):
    return " ".join(" ".join(ElementTree.fromstring(data).itertext()).split())


def test_every_corpus_and_every_two_languages_have_a_figure(material, drawn):
    names = [figure.name for figure in regression_figures(material)]
    assert names == ["effects-eec-latino", "effects-eec-es", "languages-eec-es-eec-latino"]
    assert set(drawn) == {f"{name}.{ending}" for name in names for ending in ("svg", "png")}
    assert drawn["effects-eec-es.png"].startswith(b"\x89PNG")


def test_both_ends_are_named_in_words_and_markup_is_text(drawn):
    said = texts(drawn["effects-eec-latino.svg"])
    for words in ("higher about women", "higher about men", "points of 100",
                  "let names and templates vary", "as if all sentences were independent",
                  MARKUP):  # fmt: skip
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
    forest = regression_figures(material)[0].forest
    gender = [panel.title for panel in forest.panels].index("gender")
    cell = next(row for row in forest.rows if row.label == MARKUP).cells[gender]
    mark = cell.marks[0]
    assert mark.value == pytest.approx(5.0, abs=0.5)  # planted: 0.05, 5 points of 100
    assert mark.low < mark.value < mark.high
    assert cell.behind[0] < mark.value < cell.behind[1]
    assert mark.side == "up"


def test_least_squares_are_drawn_where_they_are_the_measure_and_have_one_interval():
    material = regressed_material([(LATINO, scores(LATINO, "s", 0.05, 0))], mode="published")
    figure = regression_figures(material)[0]
    assert all(cell.behind is None for row in figure.forest.rows for cell in row.cells)
    assert "of least squares" in figure.key


def test_a_product_s_ends_say_what_differs():
    product = ("gender:race", "female-male:Latino-Anglo", "male:Anglo")
    effect = shown_effects([product], phrases_of(LATINO), "marginal_effect")[0]
    assert effect.less == "about women beside men: higher with Anglo names"
    assert effect.more == "about women beside men: higher with Latino names"


def test_only_the_largest_of_many_systems_are_drawn_and_the_rest_counted(material):
    one = material.regressed[0]
    few, fit, found = (frame.filter(system="flat", task="joy")
                       for frame in (one.estimates, one.fits, one.findings))  # fmt: skip
    many = [pl.concat([frame.with_columns(system=pl.lit(f"s{at:03}")) for at in range(MOST + 5)])
            for frame in (fit, found)]  # fmt: skip
    sizes = [few.with_columns(system=pl.lit(f"s{at:03}"), value=pl.col("value") + at / 1e4)
             for at in range(MOST + 5)]  # fmt: skip
    wide = replace(one, estimates=pl.concat(sizes), fits=many[0], findings=many[1])
    figure = regression_figures(replace(material, regressed=(wide,)))[0]
    assert len(figure.forest.rows) == MOST
    assert "5 submissions with smaller effects not shown." in figure.key


def test_what_cannot_be_estimated_is_counted_not_drawn():
    flat = scored(LATINO.sentences(), "constant", "anger", np.full(LATINO.sentences().height, 0.5))
    both = pl.concat([flat, scores(LATINO, "s", 0.05, 0)])
    figure = regression_figures(regressed_material([(LATINO, both)]))[0]
    assert [row.label for row in figure.forest.rows] == ["s"]
    assert "1 submission cannot be estimated and not shown." in figure.key
    alone = regressed_material([(LATINO, flat)])
    assert not regression_figures(alone)
