"""Verdicts as people read them: sentences, the head of the page, the band, both intervals."""

import re
from dataclasses import replace

import polars as pl
import pytest

import tiltmeter
from tiltmeter.report import margin_told, page, run_tables, summary
from tiltmeter.report.verdict_wording import deciding_told

SYSTEMS = ["vader", "tilted:gender=0.03", "tilted:gender=0.01,noise=0.05", "constant"]


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    return tiltmeter.audit(SYSTEMS, store=tmp_path_factory.mktemp("store"), measures="pairs")


def visible(made):
    """What a reader sees of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", made).replace("\xa0", " ").split())


def said(audit, system, axis):
    found = audit.tilts.filter(
        pl.col("system") == system, pl.col("axis") == axis, pl.col("subset") == "all"
    )
    return found["sentence"][0]


class TestSentences:
    def test_tilted_says_how_much_and_the_margin(self, audit):
        told = said(audit, "tilted:gender=0.03", "gender")
        assert told.startswith("tilted:gender=0.03 scores sentences about women 3.0 points of 100")
        assert "surely more than the margin of 1 point of 100" in told

    def test_even_is_equivalent_within_the_margin(self, audit):
        assert said(audit, "vader", "gender").startswith("Equivalent within 1 point of 100 for")
        even = said(audit, "tilted:gender=0.03", "race")
        assert "the same score in every pair" in even

    def test_no_signal_says_why_and_what_to_do(self, audit):
        told = said(audit, "constant", "race")
        assert told.startswith("No signal from constant, so sentences with African American names")
        assert "answers the same to all 40 emotion words: see with tiltmeter try" in told

    def test_tilted_without_a_signal_says_both(self, tmp_path):
        found = tiltmeter.audit("biased-female", store=tmp_path, measures="pairs")
        told = said(found, "biased-female", "gender")
        assert "surely more than the margin" in told
        assert "Besides it gives no signal: it answers the same to all 40 emotion words" in told

    def test_undecided_says_what_another_draw_may_give(self, audit):
        told = said(audit, "vader", "race")
        assert told.startswith("Undecided for vader at a margin of 1 point of 100")
        assert "95 % interval −1.5 to 3.8" in told

    @pytest.mark.parametrize(
        ("people", "templates", "value", "told"),
        [
            (120.0, None, 0.002, "120 people in all would decide it"),
            (120.0, 30.0, 0.002, "120 people or 30 templates in all"),
            (None, None, 0.002, "no number of people alone"),
            (400_000.0, None, 0.0101, "so near the margin"),
        ],
    )
    def test_what_would_decide(self, people, templates, value, told):
        row = {"subset": "all", "value": value, "margin": 0.01}
        row |= {"needed_people": people, "needed_templates": templates}
        assert told in deciding_told(row)

    def test_margins_are_told_in_points(self):
        assert [margin_told(m) for m in (0.01, 0.005)] == ["1 point of 100", "0.5 points of 100"]


class TestPage:
    def test_the_answer_begins_with_the_verdicts(self, audit):
        shown = visible(page(audit.material))
        assert "Even within 1 point of 100. Equivalent within 1 point of 100 for vader" in shown
        apart = ", ".join(SYSTEMS[1:])
        assert f"Controls are counted apart: {apart}." in shown

    def test_several_systems_are_counted(self, tmp_path):
        found = tiltmeter.audit(
            ["vader", "senticnet", "constant"], store=tmp_path, measures="pairs", sample=30
        )
        shown = visible(page(found.material))
        assert "None of 2 surely tilts by more than 1 point of 100." in shown

    def test_the_margin_is_a_shaded_band(self, audit):
        assert page(audit.material).count('<rect class="band"') == 8
        assert '<rect class="band"' not in page(replace(audit.material, tilts=None))

    def test_both_intervals_stand_side_by_side(self, audit):
        shown = visible(page(audit.material))
        assert "These sentences, and sentences like these" in shown
        assert "40 people or pairs of people, 11 templates, 40 emotion words" in shown
        these = (
            r"vader undecided 1\.1 points higher with African American names 1\.\d+ to 1\.\d+ −1\.5"
        )
        assert re.search(these, shown)
        assert "people (±2.3)" in shown

    def test_one_system_has_its_verdict_in_a_sentence(self, tmp_path):
        alone = tiltmeter.audit("vader", store=tmp_path, measures="pairs")
        assert "Even within 1 point of 100." in visible(page(alone.material))
        silent = tiltmeter.audit("constant", store=tmp_path, measures="pairs")
        assert "No signal. No signal from constant" in visible(page(silent.material))

    def test_a_systems_own_page_holds_nobody_elses_verdict(self, audit):
        mine = page(audit.material, only="vader")
        assert "tilted:gender" not in mine

    def test_published_mode_gives_no_verdict(self, tmp_path):
        plain = tiltmeter.audit("constant", store=tmp_path, measures="pairs", mode="published")
        made = page(plain.material)
        assert plain.tilts.is_empty()
        assert 'id="like-these"' not in made
        assert "verdicts" not in run_tables(plain.material)

    def test_a_notebook_shows_the_verdict(self, audit):
        assert "even within 1 point" in visible(summary(audit.material))


def test_the_table_has_what_lies_behind_each_verdict(audit):
    table = run_tables(audit.material)["verdicts"]
    vader = table.filter(system="vader", axis="race", subset="all").row(0, named=True)
    assert (vader["people"], vader["templates"], vader["words"]) == (40, 11, 40)
    assert vader["se"] == pytest.approx(vader["se_people"], rel=0.01)
    assert vader["p_dealt_anew"] == 1
    assert vader["low_these"] > 0 > vader["low"]
    assert table.height == audit.tilts.height


def test_a_margin_that_is_none_is_refused(tmp_path):
    for odd in (0, -0.01, 1.5, float("nan"), "wide", True):
        with pytest.raises(tiltmeter.TiltmeterError, match="margin"):
            tiltmeter.audit("constant", store=tmp_path, margin=odd)
