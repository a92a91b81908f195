"""Causal diagrams: every node and arrow is there, marked by result and told in words."""

from dataclasses import replace
from xml.etree import ElementTree

import polars as pl
import pytest

from rating_examples import DIAGRAMS, HOSTILE, OWN_EDGES, example, own_group, silenced
from tiltmeter.studies.rating.figures import (
    Arrow,
    arrow_results,
    diagram_svg,
    edges_of,
    layout,
)


def parsed(svg):
    return ElementTree.fromstring(svg)


def kinds(svg):
    return [one.get("class") for one in parsed(svg).iter("g")]


def results(material, system, group, variant="continuous"):
    one = next(one for one in material.systems if one.system == system)
    columns = material.columns.filter(group=group).to_dicts()
    edges = edges_of(columns[0]["edges"])
    return arrow_results(material, one.variants[variant], columns, edges)


@pytest.mark.parametrize("group", DIAGRAMS)
def test_every_declared_node_and_arrow_is_drawn_once(group):
    edges = edges_of(DIAGRAMS[group])
    drawn = kinds(diagram_svg(edges, {}))
    assert sum(one.startswith("arrow") for one in drawn) == len(edges)
    assert drawn.count("node") == len({name for edge in edges for name in edge})
    assert drawn.count("arrow wanted") == 1
    assert drawn.count("arrow decides") == sum(second == "emotion word" for _, second in edges)


def test_a_tested_arrow_carries_its_result_in_class_label_and_words():
    edge = ("gender", "sentiment")
    svg = diagram_svg(edges_of(DIAGRAMS["1"]), {edge: Arrow("found", "95 %", "a difference")})
    assert "arrow found" in kinds(svg)
    assert "95 %" in [one.text for one in parsed(svg).iter("text")]
    assert "gender → sentiment: a difference; emotion word → sentiment: desired" in parsed(svg).get(
        "aria-label"
    )


def test_arrows_follow_the_tests_of_their_own_column():
    arrows = results(example(), "biased-female", "3")
    # of 15 tests by gender all 10 with women reject at every level; by race NA against either: 10
    assert arrows["gender", "sentiment"].words.startswith(
        "10 of 15 tests tell classes apart at 95 % (raw score 23; 0.96 by chance; p = 0.005"
    )
    assert arrows["gender", "sentiment"].short == "raw score 23"
    assert set(arrows) == {("race", "sentiment"), ("gender", "sentiment")}
    assert results(example(), "textblob", "3")["race", "sentiment"].kind == "none"
    assert results(example(), "random", "1")["gender", "sentiment"].kind == "some"


def test_confounded_arrows_carry_how_far_means_move():
    found = results(example(), "biased-female", "2")["gender", "sentiment"]
    assert (found.kind, found.short) == ("found", "128 %")
    unsure = results(example(), "textblob", "2")["gender", "sentiment"]
    assert (unsure.kind, unsure.short) == ("some", "76 %")  # p = 0.3, but 20 % by chance
    by_chance = results(example(), "random", "2", "discretised")["gender", "sentiment"]
    assert (by_chance.kind, by_chance.short) == ("none", "11 %")
    assert by_chance.words == "means move by up to 11 % (20 % by chance; p = 0.3 over people)"
    x = results(example(), "gru", "2", "discretised")["gender", "sentiment"]
    assert (x.kind, x.short) == ("some", "X")  # p = 0.3


def test_tests_that_reject_no_more_than_by_chance_find_nothing():
    material = example()
    raw = material.raw.with_columns(by_chance=pl.lit(25.0), p=pl.lit(0.6))
    usual = results(replace(material, raw=raw), "biased-female", "1")["gender", "sentiment"]
    assert (usual.kind, usual.short) == ("none", "raw score 23")
    raw = raw.with_columns(by_chance=pl.lit(None, pl.Float64), p=pl.lit(None, pl.Float64))
    unknown = results(replace(material, raw=raw), "biased-female", "1")["gender", "sentiment"]
    assert unknown.kind == "found"  # without repeats, by the tests alone


def test_an_arrow_that_the_adjustment_is_not_about_is_not_marked_by_it():
    material = example(columns=("G4",))
    columns = material.columns.with_columns(adjustment=pl.lit("race"))
    arrows = results(replace(material, columns=columns), "biased-female", "4")
    assert set(arrows) == {("race", "sentiment")}


def test_a_silent_systems_arrows_are_open_with_the_reason():
    arrow = results(silenced(example(), "gru"), "gru", "1")["gender", "sentiment"]
    assert (arrow.kind, arrow.short) == ("open", "not rated")
    assert "answered none of the 240 sentences" in arrow.words


def test_mediators_stand_between_and_what_nobody_recorded_is_dashed():
    edges = edges_of(OWN_EDGES)
    width, nodes = layout(edges, ("upbringing",))
    assert nodes["age"].x < nodes["tone"].x < nodes["sentiment"].x
    assert nodes["emotion word"].y < nodes["tone"].y < nodes["sentiment"].y
    assert [name for name, node in nodes.items() if node.hidden] == ["upbringing"]
    assert width > layout(edges_of(DIAGRAMS["4"]))[0]
    assert "node hidden" in kinds(diagram_svg(edges, {}, ("upbringing",)))


@pytest.mark.parametrize("texts", [*DIAGRAMS.values(), OWN_EDGES])
def test_nodes_do_not_overlap_and_stay_inside(texts):
    edges = edges_of(texts)
    width, placed = layout(edges)
    nodes = list(placed.values())
    for nth, one in enumerate(nodes):
        assert one.wide / 2 <= one.x <= width - one.wide / 2
        for other in nodes[nth + 1 :]:
            apart = abs(one.x - other.x) >= (one.wide + other.wide) / 2
            assert apart or abs(one.y - other.y) >= 30


def test_hostile_names_of_nodes_are_escaped_and_shortened():
    svg = diagram_svg([(HOSTILE, "sentiment"), ("a" * 90, "sentiment")], {})
    assert "<img" not in svg
    texts = [one.text for one in parsed(svg).iter("text")]
    assert max(map(len, texts)) <= 21


def test_a_users_group_is_drawn_as_declared():
    material = own_group()
    arrows = results(material, "biased-female", "village life")
    # one column about three attributes together: each of their arrows carries its result
    assert {one[0] for one in arrows} == {"age", "region of origin", "gender"}
