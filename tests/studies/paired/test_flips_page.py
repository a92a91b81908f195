"""Labels and ranks as people read them: the page, the tables, the terminal's lines."""

import html
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simulated_material import audit_html, material_of, ranks_of, scored, skill_of
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.audit.tables import run_tables
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.label_section import (
    changed,
    gap_words,
    label_lines,
    sentence_words,
    which_way,
)
from tiltmeter.studies.paired.labels import label_estimates
from tiltmeter.studies.paired.pairs import pair_study
from tiltmeter.studies.paired.tables import top_systems
from tiltmeter.studies.paired.wording import Sides, noise_sentences

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
FEMALE = (SENTENCES["gender"] == "female").to_numpy()
AXES = {axis.name: axis.groups for axis in EEC.axes}
CONTRASTS = [one for axis in EEC.axes for one in contrasts_of(axis.name, axis.groups)]
SIDES = Sides("about women", "about men")


def labels_of(scores, thresholds=(0.5,)):
    study = pair_study(SENTENCES, scores, CONTRASTS, flips=0)
    return label_estimates(SENTENCES, scores, study, CONTRASTS, AXES, thresholds, people=EEC.people)


def text_of(made):
    bare = re.sub(r"<(script|style).*?</\1>", "", made, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).replace("\u00a0", " ").split())


@pytest.fixture(scope="module")
def material():
    """One system that turns a sixth of its pairs, one that turns none, one without a scale."""
    frame = SENTENCES["frame"].rank("dense").to_numpy().astype(int)
    near = np.where(frame % 6 == 0, 0.49, 0.2) + 0.02 * FEMALE
    scores = pl.concat(
        [
            scored(SENTENCES, "quokka", "valence", near),
            scored(SENTENCES, "narwhal", "valence", 0.3 + 0.1 * FEMALE),
            scored(SENTENCES, "zebrafish", "valence", near * 7, native=True),
        ]
    )
    made = material_of(scores, EEC)
    return replace(made, labels=labels_of(scores), ranks=ranks_of(made), skill=skill_of(made))


def test_the_page_leads_with_sentences_and_counts_pairs_of_couples(material):
    shown = text_of(audit_html(material))
    # 24 frames of 144: every sixth sentence about women is positive, none about men
    assert "16.7 of 100 about women, 0.0 of 100 about men" in shown
    assert "in 100 sentences more are labelled positive about women" in shown
    # ten couples in each frame
    assert "240 of 1,440 pairs change label (14.8 to 18.7 %)" in shown
    assert "240 positive only in sentences about women, 0 only in those about men" in shown
    assert "none of 1,440 pairs changes label (95 % interval up to 0.26 %)" in shown
    assert "Groups are labelled unlike in 2 of 6 comparisons." in shown
    assert "1 system has no known scale, so no middle either: say --scale LOW:HIGH." in shown


def test_a_page_without_labels_has_no_such_section(material):
    made = audit_html(replace(material, labels=None, ranks=None))
    assert 'id="flips"' not in made
    assert 'id="ranks"' not in made


def test_boards_show_places_and_open_groups(material):
    made = audit_html(material)
    board = made.partition('id="ranks"')[2].partition("</section>")[0]
    shown = text_of(board)
    assert "1–2" in shown
    assert board.count('class="opens"') >= 2
    assert not re.search(r">rank \d+<", made)


def test_a_system_s_own_page_tells_its_labels_and_nobody_else(material):
    made = audit_html(material, only="narwhal")
    assert "none of 1,440 pairs changes label" in text_of(made)
    assert "quokka" not in made
    assert 'id="ranks"' not in made


def test_the_tables_hold_counts_and_shares(material):
    tables = run_tables(material)
    flips = tables["flips"].filter(system="quokka", subset="couples").row(0, named=True)
    assert (flips["n"], flips["first_higher"], flips["second_higher"]) == (1440, 240, 0)
    shares = tables["label-shares"].filter(system="quokka", axis="gender", kind="names")
    (row,) = shares.to_dicts()
    assert row["share_first"] - row["share_second"] == pytest.approx(row["label_tilt"])
    gap = tables["label-gaps"].filter(system="quokka").row(0, named=True)
    assert gap["axis"] == "gender × race"
    assert gap["share_first"] - gap["share_second"] == pytest.approx(gap["gap"])
    assert tables["tilt-ranks"].equals(material.ranks)


def test_the_terminal_says_it_only_where_groups_are_labelled_unlike(material):
    lines = label_lines(material)
    assert [who for who, _ in lines] == ["quokka", "quokka"]
    assert lines[0][1].startswith("gender by names: 17 in 100 sentences more are labelled")
    assert lines[1][1].endswith("240 of 1,440 pairs change label (14.8 to 18.7 %)")
    still = material.labels.filter(pl.col("system") != "quokka")
    assert label_lines(replace(material, labels=still)) == []
    assert label_lines(replace(material, labels=None)) == []


def test_of_many_comparisons_the_terminal_tells_the_largest(material):
    labels = material.labels.filter(pl.col("system") == "quokka", pl.col("axis") == "gender")
    many = pl.concat([labels.with_columns(system=pl.lit(f"s{n}")) for n in range(9)])
    ((who, line),) = label_lines(replace(material, labels=many))
    assert who == "labels"
    assert line.startswith("some sentences change label in 18 of 18 comparisons; most for s0")


def test_classes_are_higher_and_not_positive():
    row = {"first_higher": 3, "second_higher": 1, "p_mcnemar": 0.625}
    assert which_way(row, SIDES) == (
        "3 positive only in sentences about women, 1 only in those about men, p = 0.62"
    )
    assert which_way(row, SIDES, several=True) == (
        "3 higher in sentences about women, 1 higher in those about men, p = 0.62"
    )
    tilt = {"label_tilt": 0.02, "label_tilt_low": 0.01, "label_tilt_high": 0.03}
    said = sentence_words(tilt | {"label_tilt_p": 0.001}, SIDES, several=True)
    assert said.startswith("labels are 2.0 of 100 higher about women (1.0 to 3.0)")


def test_nothing_to_compare_is_said():
    assert changed({"n": 0, "flips": None, "flips_low": None, "flips_high": None}) == (
        "no pair has scores on both sides"
    )
    alone = dict.fromkeys(("label_tilt", "label_tilt_low", "label_tilt_high", "label_tilt_p"))
    assert sentence_words(alone, SIDES) == ""


def test_a_gap_without_an_interval_is_told_without():
    row = {
        "share_first": 0.5, "share_second": 0.4, "gap": 0.1, "low": None, "high": None, "p": None
    }  # fmt: skip
    assert gap_words(row, ("about women", "about men")) == (
        "positive in 50.0 of 100 sentences about women, 40.0 of 100 about men: 10.0 apart"
    )


def test_noise_is_told_of_systems_asked_more_than_once(material):
    assert noise_sentences(material) == []
    rng = np.random.default_rng(0)
    rounds = [
        scored(SENTENCES, "wobbly", "valence", 0.4 + rng.normal(0, 0.05, FEMALE.size)).with_columns(
            repeat=pl.lit(nth, pl.Int64)
        )
        for nth in range(3)
    ]
    (said,) = noise_sentences(replace(material, labels=labels_of(pl.concat(rounds))))
    assert said.startswith(
        "wobbly (valence, eec) was asked 3 times. Its answers to the same sentence differ by 5.0 "
        "points (standard deviation); that alone adds"
    )


def test_the_top_says_who_is_there_surely_and_who_possibly(material):
    # skill_of gives rank k the places k − 2 to k: the second may be first, so the top 1 is not sure
    top = top_systems(material).filter(axis="gender", subset="all")
    assert top.select("top", "systems", "surely", "possibly").rows() == [
        (1, 1, 1, 3), (3, 3, 3, 3), (5, 3, 3, 3), (10, 3, 3, 3),
    ]  # fmt: skip
