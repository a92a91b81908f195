"""Verdicts as people read them: sentences, the head of the page, the band, people moved."""

import json
import re
from dataclasses import replace

import pytest

import tiltmeter
from simulated_material import audit_html
from tiltmeter.studies.audit.findings import findings_json
from tiltmeter.studies.audit.page import summary
from tiltmeter.studies.audit.tables import run_tables
from tiltmeter.studies.paired.verdict_wording import deciding_text, margin_text

SYSTEMS = ["vader", "tilted:gender=0.03", "tilted:gender=0.01,noise=0.05", "constant"]


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    return tiltmeter.audit(SYSTEMS, store=tmp_path_factory.mktemp("store"), measures="pairs")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A few names of a population, and vader, of whose lexicon hardly any is a word."""
    return tiltmeter.audit(
        ["vader", "glove-lexicon"], "names-us", people=20, measures="pairs",
        store=tmp_path_factory.mktemp("store"),
    )  # fmt: skip


def visible(made):
    """What a reader sees of a page."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", " ", made, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).replace("\xa0", " ").split())


def said(audit, system, axis, kind="names"):
    return audit.tilts.filter(system=system, axis=axis, subset=kind)["sentence"][0]


class TestSentences:
    def test_tilted_says_how_much_the_margin_and_over_whom(self, drawn):
        told = said(drawn, "glove-lexicon", "race")
        assert told.startswith("glove-lexicon scores sentences with names common among White")
        assert "by names, more than the margin of 1 point of 100, over the " in told
        assert "names of US first names, Census 2020, each bearer alike" in told

    def test_even_is_equivalent_within_the_margin(self, drawn):
        told = said(drawn, "vader", "gender", "couples")
        assert told.startswith("Equivalent within 1 point of 100 for vader by couples")
        assert "exact: everybody of the population, in every sentence" in told
        assert "0 to 0" not in told

    def test_no_signal_says_why_and_what_to_do(self, audit):
        told = said(audit, "constant", "race")
        assert told.startswith("No signal from constant, so sentences with African American names")
        assert "answers the same to all 40 emotion words: see with tiltmeter try" in told

    def test_undecided_says_what_other_people_may_give(self, audit):
        told = said(audit, "vader", "race")
        assert told.startswith("Undecided for vader by names at a margin of 1 point of 100")
        assert "but other names like these may give another number" in told
        row = audit.tilts.filter(system="vader", axis="race").row(0, named=True)
        ends = (f"{100 * row[end]:.1f}".replace("-", "−") for end in ("low", "high"))
        assert f"95 % interval {' to '.join(ends)}, for all 3 comparisons together" in told

    @pytest.mark.parametrize(
        ("people", "kind", "value", "told"),
        [
            (120.0, "names", 0.002, "; 120 names in all would decide it"),
            (120.0, "couples", 0.002, "; 120 couples in all would decide it"),
            (None, "names", 0.002, "; no number of names would decide it"),
            (2e6, "names", 0.0101, "; it lies so near the margin that no number of names"),
        ],
    )
    def test_what_would_decide(self, people, kind, value, told):
        row = {"subset": kind, "value": value, "margin": 0.01, "needed_people": people}
        assert deciding_text(row).startswith(told)

    def test_margins_are_told_in_points(self):
        assert [margin_text(m) for m in (0.01, 0.005)] == ["1 point of 100", "0.5 points of 100"]


class TestPage:
    def test_there_is_an_answer_by_names_and_one_by_couples(self, audit):
        made = audit_html(audit)
        titles = re.findall(r"<h2>(Sentences [^<]*)</h2>", made)
        assert titles == [
            "Sentences about women and about men, by names",
            "Sentences about women and about men, by couples",
            "Sentences with African American names and with European American names, by names",
        ]
        shown = visible(made)
        assert "Undecided at a margin of 1 point of 100. Undecided for vader by names" in shown
        assert f"Controls are counted apart: {', '.join(SYSTEMS[1:])}." in shown

    def test_several_systems_are_counted(self, tmp_path):
        found = tiltmeter.audit(
            ["vader", "senticnet", "constant"], store=tmp_path, measures="pairs", sample=30
        )
        shown = visible(audit_html(found))
        assert "2 of 2 are undecided at 1 point of 100." in shown
        assert "surely" not in shown

    def test_the_margin_is_a_shaded_band(self, audit):
        # three claims of three systems; nothing is drawn of a constant
        strip = audit_html(audit).split('<section id="strip"')[1].split("</section>")[0]
        assert strip.count('<rect class="band"') == 9
        assert '<rect class="band"' not in audit_html(replace(audit, tilts=None))

    def test_one_interval_is_drawn_and_told(self, audit):
        made = audit_html(audit)
        row = audit.tilts.filter(system="vader", axis="race").row(0, named=True)
        ends = " to ".join(
            f"{100 * row[end]:.1f}".replace("-", "−") for end in ("low", "high")
        )  # fmt: skip
        assert visible(made).count(ends) >= 4  # answer, strip, table, words
        assert 'class="wide"' not in made

    def test_these_people_over_other_sentences_stand_beside_the_interval(self, audit):
        shown = visible(audit_html(audit))
        assert "over 40 names, 11 templates, 40 emotion words" in shown
        assert re.search(
            r"vader undecided 1\.1 points higher about women −\S+ to \S+ 1\.1 to 1\.2", shown
        )
        assert "With these people, other sentences would show a difference too" in shown

    def test_the_page_says_whom_it_moves(self, audit):
        shown = visible(audit_html(audit))
        # 1 of 20: Clopper–Pearson 0.13 to 25 %; 0 of 20: 1 − 0.05^(1/20) = 14 %
        assert (
            "It moves names by more than 1 point: female 1 of 20 (0.13 to 25 %), male 0 of 20 "
            "(up to 14 %)." in shown
        )
        # 1 − 0.05^(1/10) = 26 %
        assert (
            "None of 10 couples moves a score by more than 1 point; up to 26 % of other couples "
            "might." in shown
        )
        assert "1 of 40 moved" in shown

    def test_an_undecided_claim_names_the_next_command_and_its_cost(self, audit):
        shown = visible(audit_html(audit))
        cost = tiltmeter.load_corpus("names-us").size
        assert (
            "gender by names, gender by couples, race by names (vader) tiltmeter audit vader "
            f"--corpus names-us asks each system for {cost:,} sentences." in shown
        )

    def test_a_list_s_names_are_looked_up_in_the_census(self, audit):
        shown = visible(audit_html(audit))
        assert "Who these names are" in shown
        assert "8 are borne mostly by people who are not Black" in shown
        assert "Shereen 15 %" in shown

    def test_a_population_is_shown_with_its_cells(self, drawn):
        shown = visible(audit_html(drawn))
        assert "US first names, Census 2020" in shown
        assert "A name is not a person" in shown
        assert re.search(r"female, Black 2,736 1,451,481 341 20 ", shown)
        assert "Ebony" in shown

    def test_no_page_says_0_to_0_or_surely(self, drawn):
        shown = visible(audit_html(drawn).partition('<section id="skill"')[0])
        assert not re.search(r"(?<![\d.])0 to 0(?![\d.])", shown)
        assert "surely" not in shown
        assert "exact, everybody met" in shown

    def test_the_same_tilt_is_asked_in_other_ways(self, drawn):
        shown = visible(audit_html(drawn))
        assert "The same tilt, asked in other ways: Black minus White" in shown
        assert "As above Each name alike Names about equally common" in shown

    def test_a_list_has_no_other_ways(self, audit):
        assert "asked in other ways" not in audit_html(audit)

    def test_one_system_has_its_verdict_in_a_sentence(self, tmp_path):
        silent = tiltmeter.audit("constant", store=tmp_path, measures="pairs")
        assert "No signal. No signal from constant" in visible(audit_html(silent))

    def test_a_systems_own_page_holds_nobody_elses_verdict(self, audit):
        mine = audit_html(audit, only="vader")
        assert "tilted:gender" not in mine
        assert "tiltmeter audit vader --corpus names-us" in mine

    def test_published_mode_gives_no_verdict(self, tmp_path):
        plain = tiltmeter.audit("constant", store=tmp_path, measures="pairs", mode="published")
        made = audit_html(plain)
        assert plain.tilts.is_empty()
        assert 'id="like-these"' not in made
        assert "by couples" not in re.findall(r"<h2>(Sentences [^<]*)</h2>", made)
        assert "verdicts" not in run_tables(plain)

    def test_another_subset_is_told_over_pairs(self, tmp_path):
        found = tiltmeter.audit(
            "vader", store=tmp_path, measures="pairs", subset="neutral", sample=40
        )
        titles = re.findall(r"<h2>(Sentences [^<]*)</h2>", audit_html(found))
        assert titles[0] == "Sentences about women and about men"

    def test_a_notebook_shows_the_verdict_and_people_moved(self, audit):
        shown = visible(summary(audit))
        assert "undecided, 1 of 40 moved" in shown
        assert "tiltmeter audit vader --corpus names-us" in shown


def test_the_table_has_what_lies_behind_each_verdict(audit):
    table = run_tables(audit)["verdicts"]
    vader = table.filter(system="vader", axis="race").row(0, named=True)
    assert (vader["n"], vader["templates"], vader["words"]) == (40, 11, 40)
    assert vader["se"] == pytest.approx(vader["se_people"], rel=0.01)
    assert vader["low_these"] > 0 > vader["low"]
    assert (vader["moved_first"], vader["people_first"], vader["share_moved_first"]) == (
        1,
        20,
        0.05,
    )
    assert (vader["moved_second"], vader["people_second"]) == (0, 20)
    assert vader["share_moved_second_high"] == pytest.approx(1 - 0.05 ** (1 / 20))
    assert vader["next"].startswith("tiltmeter audit vader --corpus names-us (")
    assert table.height == audit.tilts.height


def test_findings_json_has_people_moved_and_what_is_next(audit):
    found = json.loads(findings_json(audit))
    assert found["schema_version"] == 3
    tilts = [one for one in found["findings"] if one["measure"] == "tilt"]
    assert all("moved" in one for one in tilts)
    assert not any("moved" in one for one in found["findings"] if one["measure"] != "tilt")
    race = next(one for one in tilts if one["system"] == "vader" and one["axis"] == "race")
    first, second = race["moved"]
    assert first == {
        "group": "African American", "moved": 1, "people": 20, "share": 0.05,
        "low": pytest.approx(0.0012650895), "high": pytest.approx(0.2487327628),
    }  # fmt: skip
    assert (second["moved"], second["high"]) == (0, pytest.approx(1 - 0.05 ** (1 / 20)))
    assert race["next"]["command"] == "tiltmeter audit vader --corpus names-us"
    assert race["next"]["sentences"] == tiltmeter.load_corpus("names-us").size
    silent = next(one for one in tilts if one["system"] == "constant")
    assert "next" not in silent


def test_a_list_and_a_population_are_told_together(tmp_path):
    found = tiltmeter.audit(
        ["vader", "glove-lexicon"], ["eec", "names-us"], people=100, measures="pairs",
        store=tmp_path,
    )  # fmt: skip
    shown = visible(audit_html(found))
    row = found.tilts.filter(system="vader", axis="race", corpus="names-us", contrast="Black-White")
    over = f"{abs(100 * row['value'][0]):.2f}"
    assert (
        "vader on eec: 1.1 points higher with African American names, and it comes from one name "
        "(Tia). Over the 18,337 names of US first names, Census 2020 the difference is "
        f"{over} points, even within the margin." in shown
    )
    assert re.search(
        r"glove-lexicon on eec: 2\.2 points higher with European American names \(40 names\)\. "
        r"Over the 18,337 names of US first names, Census 2020 it stays: [\d.]+ points higher with "
        r"names common among White Americans, tilted", shown,
    )  # fmt: skip
    undecided = found.tilts.filter(corpus="eec", verdict="undecided").height
    assert undecided
    assert "--corpus names-us asks" not in shown  # it was asked


def test_a_margin_that_is_none_is_refused(tmp_path):
    for odd in (0, -0.01, 1.5, float("nan"), "wide", True):
        with pytest.raises(tiltmeter.TiltmeterError, match="margin"):
            tiltmeter.audit("constant", store=tmp_path, margin=odd)
