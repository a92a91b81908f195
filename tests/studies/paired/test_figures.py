"""The paper's figures for a run: what they draw, and that any name is only text in them."""

import struct
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from simulated_material import material_of, scored, simulated_scores, skill_of
from tiltmeter.audit_run import AuditRun, GoldSource
from tiltmeter.corpora import load_corpus
from tiltmeter.errors import MissingExtraError
from tiltmeter.report.charts import can_draw, check_drawing, png, svg
from tiltmeter.studies.audit.figures import drawn_figures
from tiltmeter.studies.paired.comparison import comparisons
from tiltmeter.studies.paired.figures import (
    box_chart,
    box_rows,
    outlier_rows,
    panel,
    point_rows,
    skill_chart,
)

pytest.importorskip("vl_convert", reason="the figures need the charts extra")

MARKUP = "<script>alert(1)</script> & \"'>]]>"
LONG = "n" * 300
EEC = load_corpus("eec")
SENTENCES = EEC.sentences()


@pytest.fixture(scope="module")
def material():
    """Six systems of three kinds, two of them with names that are markup or very long, one without
    a scale, one without an answer."""
    names = {"team00": MARKUP, "team01": LONG}
    scores = simulated_scores(SENTENCES, {"joy": 4}).with_columns(pl.col("system").replace(names))
    female = (SENTENCES["gender"] == "female").to_numpy()
    others = [
        scored(SENTENCES, "units", "joy", 7.0 * female, native=True),
        scored(SENTENCES, "silent", "joy", np.full(SENTENCES.height, np.nan)),
    ]
    return material_of(pl.concat([scores, *others]), EEC)


@pytest.fixture(scope="module")
def ranked(material):
    """The same with skill: in the order of names."""
    return replace(
        material, skill=skill_of(material), run=AuditRun(gold=GoldSource(rank_by="spearman"))
    )


@pytest.fixture(scope="module")
def drawn(ranked):
    return dict(drawn_figures(ranked))


@pytest.fixture(scope="module")
def unranked(material):
    return dict(drawn_figures(material))


def gender(material):
    return panel(material, comparisons(material)[0], "joy")


def test_every_task_and_axis_has_its_figures(drawn):
    names = [f"{kind}-joy" for kind in ("figure1-gender", "figure2-race", "strip-gender",
             "strip-race", "skill-gender", "skill-race")]  # fmt: skip
    assert set(drawn) == {f"{name}.{ending}" for name in names for ending in ("svg", "png")}


def test_without_skill_there_is_no_scatter(unranked):
    assert not [name for name in unranked if name.startswith("skill")]


def test_svgs_are_well_formed_and_hold_no_script(drawn):
    for name, data in drawn.items():
        if name.endswith(".svg"):
            tags = [one.tag.split("}")[-1] for one in ElementTree.fromstring(data).iter()]
            assert "script" not in tags
            assert not {"image", "foreignObject", "a"} & set(tags)


def test_a_system_named_like_markup_is_shown_as_text(drawn):
    texts = ElementTree.fromstring(drawn["strip-gender-joy.svg"]).itertext()
    assert any(text.startswith("<script>alert(1)</script>") for text in texts)


def test_a_long_name_is_cut(drawn):
    assert LONG[:100].encode() not in b"".join(
        text.encode() for text in ElementTree.fromstring(drawn["strip-gender-joy.svg"]).itertext()
    )


def test_pngs_are_pngs_of_a_legible_size(drawn):
    for name, data in drawn.items():
        if name.endswith(".png"):
            assert data[:8] == b"\x89PNG\r\n\x1a\n"
            width, height = struct.unpack(">II", data[16:24])
            assert 900 < width < 4000
            assert 300 < height < 4000


def test_altair_finds_no_fault_in_the_charts(ranked):
    altair = pytest.importorskip("altair", reason="checks our Vega-Lite against its schema")
    jsonschema = pytest.importorskip("jsonschema", reason="what Altair checks with")
    shown = gender(ranked)
    for chart in (box_chart(shown, 1, True), skill_chart(shown)):
        altair.LayerChart.from_dict(chart, validate=True)
        with pytest.raises(jsonschema.ValidationError):
            altair.LayerChart.from_dict(chart | {"layer": [{"mark": "nonsense"}]}, validate=True)


@pytest.mark.slow
def test_46_systems_have_20_pixels_each_and_small_files():
    shown = gender(material_of(simulated_scores(SENTENCES, {"joy": 46}), EEC))
    boxes = svg(box_chart(shown, 1, every=False))
    width = float(ElementTree.fromstring(boxes).get("width"))
    assert 46 * 20 < width < 46 * 20 + 150
    assert len(boxes) < 500_000
    assert len(png(svg(box_chart(shown, 1, every=True)))) < 3_000_000


def test_the_same_run_draws_the_same_bytes(ranked, drawn):
    name, again = next(iter(drawn_figures(ranked)))
    assert again == drawn[name]


def test_systems_stand_by_rank_else_by_name(material, ranked):
    worst_first = ranked.skill.with_columns(rank=7 - pl.col("rank"))
    by_name = sorted([MARKUP, LONG, "team02", "team03"])
    assert gender(material).systems["system"].to_list() == by_name
    assert not gender(material).by_rank
    reversed_rank = gender(replace(ranked, skill=worst_first))
    assert reversed_rank.systems["system"].to_list() == by_name[::-1]
    assert reversed_rank.by_rank


def test_skill_is_shown_by_what_systems_are_ranked_by(ranked):
    pearson = replace(ranked, run=AuditRun(gold=GoldSource(rank_by="pearson")))
    best = [gender(one).systems["skill"][0] for one in (ranked, pearson)]
    assert best == pytest.approx([0.89, 0.90])  # as skill_of makes them for rank 1
    assert "Pearson correlation" in str(skill_chart(gender(pearson)))


def test_the_order_is_said(unranked, drawn):
    assert b"Systems by name." in unranked["figure1-gender-joy.svg"]
    assert b"by rank on the gold scores (Spearman)" in drawn["figure1-gender-joy.svg"]


def test_systems_without_a_known_scale_are_left_out_and_counted(material, drawn):
    assert gender(material).left_out == 2
    assert b"2 systems have no scores on a known scale" in drawn["strip-gender-joy.svg"]


def test_both_ends_are_named_in_words(drawn):
    for name in ("figure1", "strip", "skill"):
        text = " ".join(ElementTree.fromstring(drawn[f"{name}-gender-joy.svg"]).itertext())
        assert "Δ in points of 100" in text
        assert "higher for sentences about women" in text
        assert "higher for sentences about men" in text
    assert "skill: Spearman correlation" in text


def test_boxes_are_the_quartiles_and_whiskers_of_the_differences(material):
    shown = gender(material)
    row = box_rows(shown).row(0, named=True)
    deltas = shown.deltas[0]
    first, median, third = np.quantile(deltas, (0.25, 0.5, 0.75))
    reach = 1.5 * (third - first)
    assert (row["first_quartile"], row["median"], row["third_quartile"]) == (first, median, third)
    assert row["upper"] == max(one for one in deltas if one <= third + reach)
    assert row["lower"] == min(one for one in deltas if one >= first - reach)
    assert row["mean"] == pytest.approx(deltas.mean())  # in points of 100, as Δ is


def test_points_keep_every_difference_to_the_pixel(material):
    shown = gender(material)
    points = point_rows(shown, 360)
    step = (np.nanmax(shown.deltas) - np.nanmin(shown.deltas)) / 360
    for at, system in enumerate(shown.systems["system"]):
        mine = points.filter(system=system)["difference"].to_numpy()
        nearest = np.abs(shown.deltas[at][:, None] - mine[None, :]).min(axis=1)
        assert nearest.max() <= step / 2 + 1e-9
        assert len(mine) <= 361


def test_outliers_are_beyond_the_whiskers_and_at_most_20(material):
    shown = gender(material)
    boxes = {row["system"]: row for row in box_rows(shown).to_dicts()}
    outliers = outlier_rows(shown)
    assert outliers.height
    assert outliers.group_by("system").len()["len"].max() <= 20
    for row in outliers.to_dicts():
        box = boxes[row["system"]]
        assert not box["lower"] <= row["difference"] <= box["upper"]


def test_a_system_without_any_difference_is_drawn_at_zero():
    flat = material_of(scored(SENTENCES, "flat", "joy", np.full(SENTENCES.height, 0.5)), EEC)
    assert box_rows(gender(flat))["median"].to_list() == [0.0]
    assert ElementTree.fromstring(svg(box_chart(gender(flat), 1, every=True))).tag.endswith("svg")


def test_a_run_of_nothing_but_unknown_scales_draws_nothing():
    only = material_of(
        scored(SENTENCES, "units", "joy", np.arange(SENTENCES.height), native=True), EEC
    )
    assert not dict(drawn_figures(only))


def test_missing_parts_are_named_with_the_pip_line(monkeypatch):
    assert can_draw()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tiltmeter\[charts\]'"):
        check_drawing()


def test_up_and_down_have_the_colours_of_the_page():
    from importlib import resources

    from tiltmeter.report.charts import LOOKS

    css = (resources.files("tiltmeter.report") / "templates" / "page.css").read_text("utf-8")
    for kind in ("up", "down"):
        assert f"--{kind}-mark: {LOOKS[kind][0].lower()};" in css
