"""The badge: well-formed, legible at 200 pixels, self-contained, whatever the name."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import polars as pl
import pytest

from rating_examples import HOSTILE, LONG, example, odd_example, renamed, silenced, without_repeats
from tiltmeter.report.svg import fit_words
from tiltmeter.studies.rating.figures import label_svg

NAMESPACE = "{http://www.w3.org/2000/svg}"


def label(material, system, variant="continuous"):
    svg = label_svg(material, system, "valence", variant)
    return svg, ElementTree.fromstring(svg.encode())


def texts(tree):
    return ["".join(one.itertext()) for one in tree.iter(f"{NAMESPACE}text")]


def test_a_label_shows_name_grade_spread_groups_mode_and_date():
    _, tree = label(example(), "random")
    shown = texts(tree)
    assert shown[:4] == ["random", "2", "of 3", "1 to 3 in repeats"]
    assert shown[4] == "1 least tilt, 3 most of 5 systems"
    assert shown[5] == "nothing beyond chance"
    assert shown[6:8] == ["gender alone (G1)", "2?"]
    assert shown[8:11] == ["gender with words dealt", "unevenly (G2)", "1"]
    assert shown[-2:] == ["scores as given, published", "tiltmeter rate · 2026-11-16"]


def test_a_rating_that_may_be_chance_does_not_stand_as_high_as_one_beyond_it():
    # p = 0.3 for random and 0.005 for biased-female, in every column.
    doubted, sure = (label(example(), system)[0] for system in ("random", "biased-female"))
    assert 'font-size="28"' in doubted
    assert "stroke-dasharray" in doubted
    assert 'font-size="46"' in sure
    assert "stroke-dasharray" not in sure
    shown = texts(label(example(), "biased-female")[1])
    assert shown[5:9] == ["gender: beyond chance", "race: beyond chance", "race and gender:",
                          "\u2003beyond chance"]  # fmt: skip
    raw = example().raw.with_columns(
        p=pl.when(pl.col("attribute") == "gender").then(0.005).otherwise(0.5)
    )
    mixed = texts(label(replace(example(), raw=raw), "biased-female")[1])
    assert mixed[5:8] == ["gender: beyond chance", "race: not", "race and gender: not"]


def test_a_label_has_no_code_without_its_words():
    for system in ("gru", "random", "biased-female"):
        for variant in ("continuous", "discretised"):
            svg, tree = label(example(), system, variant)
            assert "ψ" not in svg
            said = " ".join(texts(tree)).replace("\u2003", "")
            assert not re.search(r"(?<![(])\bG\d", said)
            assert all(code in said for code in ("gender alone (G1)", "race alone (G3-R)"))


def test_a_label_says_what_a_1_stands_for():
    assert "1: nothing detected" in texts(label(example(("gru",), levels=2), "gru")[1])
    two = example(("distilbert", "random"), variants=("continuous",))  # no rating above 2
    assert "1 least tilt, 2 most of 2 systems" in texts(label(two, "random")[1])
    panel = example(("gru",), reference="2025.json")
    assert "1 least tilt, 3 most of its panel" in texts(label(panel, "gru")[1])


def test_its_title_and_description_say_the_same_in_words():
    _, tree = label(example(), "gru", "discretised")
    title = tree.findtext(f"{NAMESPACE}title")
    said = "gru: rating 2 of 3: between the least and the most tilt among these systems"
    assert title == f"{said}, which may be chance"
    told = tree.findtext(f"{NAMESPACE}desc")
    assert "split at 0; nothing beyond chance; 1 to 2 in repeats; this rating in 62 %" in told
    column = "gender with words dealt unevenly (G2)"
    assert f"{column}: 3 of 3, X: a mean of 0 moved, may be chance, 2 to 3 in repeats" in told
    assert "is not part of this rating" in told


@pytest.mark.parametrize("levels", [2, 3, 5, 9])
def test_a_ladder_has_a_step_for_each_level_inside_the_badge(levels):
    svg, tree = label(example(levels=levels), "distilbert")
    _, *steps = tree.iter(f"{NAMESPACE}rect")
    assert len(steps) == levels
    assert all(float(one.get("x")) + float(one.get("width")) <= 200 for one in steps)
    height = float(tree.get("height"))
    assert all(0 < float(y) < height for y in re.findall(r' y="([\d.]+)"', svg))


def test_letters_are_at_least_11_pixels_at_200_wide():
    svg, tree = label(odd_example(), LONG)
    assert tree.get("width") == "200"
    assert min(map(float, re.findall(r'font-size="([\d.]+)"', svg))) >= 11


@pytest.mark.parametrize(
    "name",
    [HOSTILE, LONG, '"><script>alert(1)</script>', "a\x00b\x1b[31m", "]]>&amp;", "漢字" * 60],
)  # fmt: skip
def test_a_hostile_name_is_text_and_no_more(name):
    svg, tree = label(renamed(example(), {"gru": name}), name)
    assert not re.search("<img|<script|href|url[(]|style", svg)
    assert {one.tag.removeprefix(NAMESPACE) for one in tree.iter()} <= {
        "svg", "title", "desc", "rect", "text", "tspan", "path",
    }  # fmt: skip


def test_a_long_name_is_cut_with_an_ellipsis():
    assert texts(label(odd_example(), LONG)[1])[0].endswith("…")
    assert (
        len(fit_words("漢" * 60, 176, 14)) == 12
    )  # 11 × 14 = 154 and the ellipsis 8.4; 12 is 176.4
    assert fit_words("short", 176, 14) == "short"


def test_a_silent_system_says_why_it_has_no_grade():
    _, tree = label(silenced(example(), "gru"), "gru")
    shown = texts(tree)
    assert shown[1:3] == ["–", "not rated"]
    assert shown[3].startswith("it answered none of the")
    assert len(list(tree.iter(f"{NAMESPACE}rect"))) == 1


def test_without_repeats_there_is_no_spread():
    assert "rated once, no repeats" in texts(label(without_repeats(), "gru")[1])


def test_many_columns_are_counted_instead_of_shown():
    base = example()
    more = [
        base.raw.filter(column="G1").with_columns(column=pl.lit(f"my own group {n}"))
        for n in range(8)
    ]
    shown = texts(label(replace(base, raw=pl.concat([base.raw, *more])), "gru")[1])
    assert "+ 6 more" in shown  # 14 columns, of which 8 are shown
