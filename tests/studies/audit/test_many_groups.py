"""Axes with many groups: each beside the average of all, from the audit to what is made of it."""

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import tiltmeter
from large_corpora import in_parts_too
from many_groups import write_many_groups
from tiltmeter import api
from tiltmeter.corpora import check_corpus, load_corpus, pair_counts
from tiltmeter.errors import TiltmeterError

GROUPS = [f"G{nth:02}" for nth in range(6)]
PEOPLE = 24
"""Names of a group: three, as a smaller list would have, decide nothing."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_many_groups(tmp_path_factory.mktemp("many"), len(GROUPS), people=PEOPLE)


@pytest.fixture(scope="module")
def audit(files, tmp_path_factory):
    table, scores = files
    return tiltmeter.audit(scores, table, store=tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def folder(audit, tmp_path_factory):
    where = tmp_path_factory.mktemp("out") / "audit"
    audit.report(where, figures=True)
    return where


def means(audit):
    return audit.estimates.filter(measure="mean_difference", subset="all")


def test_each_group_is_compared_with_the_average_and_the_planted_one_found(audit):
    found = means(audit).filter(task="joy")
    assert found["contrast"].to_list() == [f"{group}-average" for group in GROUPS]
    assert set(found["reference"]) == {"average"}
    assert found["value"].sum() == pytest.approx(0.0, abs=1e-12)
    # 0.05 planted for one of six stands 0.05 · 5/6 = 0.0417 above the average of all
    assert found.filter(contrast="G01-average")["value"][0] == pytest.approx(0.0417, abs=0.005)
    tilted = audit.tilts.filter(verdict="tilted")["contrast"].unique().to_list()
    assert tilted == ["G01-average"]


def test_sentences_say_higher_and_lower_than_the_average_and_name_no_group_average(audit):
    said = audit.findings.filter(subset="all")["sentence"].to_list()
    more = [one for one in said if "sentences marked “G01” 4" in one]
    assert all("higher than the same sentences of all groups on average" in one for one in more)
    assert more
    assert any("lower than the same sentences of all groups on average" in one for one in said)
    assert not any("“average”" in one for one in said)


def test_all_pairs_and_a_reference_are_as_before(files, tmp_path):
    table, scores = files
    pairs = tiltmeter.audit(scores, table, store=tmp_path, all_pairs=True, flips=0)
    assert means(pairs)["contrast"].n_unique() == 15
    beside = tiltmeter.audit(scores, table, store=tmp_path, reference={"race": "G00"}, flips=0)
    assert means(beside)["contrast"].unique(maintain_order=True).to_list() == [
        f"{group}-G00" for group in GROUPS[1:]
    ]
    with pytest.raises(TiltmeterError, match="all_pairs is 'yes'"):
        tiltmeter.audit(scores, table, store=tmp_path, all_pairs="yes")


def test_four_groups_are_compared_two_by_two(tmp_path):
    table, scores = write_many_groups(tmp_path, 4, people=2, every=24, tasks=("joy",))
    found = tiltmeter.audit(scores, table, store=tmp_path / "store", flips=0)
    assert means(found)["contrast"].n_unique() == 6


def test_the_regression_holds_many_groups_against_their_average_too(files, tmp_path):
    table, scores = files
    found = tiltmeter.audit(scores, table, store=tmp_path, measures=["pairs", "regression"],
                            subset="all", flips=0)  # fmt: skip
    effects = found.estimates.filter(measure="least_squares")["contrast"].unique().to_list()
    assert sorted(effects) == [f"{group}-average" for group in GROUPS]


def test_in_parts_every_number_is_the_same(files, tmp_path, monkeypatch):
    held = tiltmeter.audit("random:seed=3", files[0], store=tmp_path, stream=False, flips=0)
    monkeypatch.setattr(tiltmeter.corpora.Corpus.blocks, "__defaults__", (50,))
    parts = tiltmeter.audit("random:seed=3", files[0], store=tmp_path, stream=True)
    assert_frame_equal(parts.estimates, in_parts_too(held), rel_tol=1e-9, abs_tol=1e-12)


def test_the_gate_names_a_group_by_its_contrast(audit):
    assert audit.gate("race<=0.01").outcome == "tilted"
    decision = audit.gate({"*": 0.03, "race:G01-average": 0.1})
    assert decision.outcome == "pass"
    with pytest.raises(TiltmeterError, match="G01-avrage"):
        audit.gate("race:G01-avrage<=0.01")


def test_a_folder_is_verified_gated_compared_and_planned_from(folder):
    run = json.loads((folder / "run.json").read_text())["run"]
    assert run["statistics"]["all_pairs"] is False
    assert api.verify(folder).findings > 0
    decision = api.gate_folder(folder, "race<=0.01")
    assert decision.outcome == "tilted"
    worst = next(one for one in decision.comparisons if one.verdict == "tilted").worst
    assert worst[0].n_second == 6 * PEOPLE  # the average is over all names of six groups
    changes = api.compare(folder, folder).changes
    assert changes["contrast"].n_unique() == 6
    assert set(changes["verdict"]) == {"same"}
    planned = api.plan(folder=folder).table
    assert planned.height > 0


def test_figures_are_one_of_an_axis_and_task_and_the_papers_tables_are_of_two_groups(folder):
    drawn = sorted(path.name for path in (folder / "figures").iterdir())
    assert drawn == [
        f"{kind}-race-{task}.{ending}"
        for kind in ("figure", "strip")
        for task in ("anger", "joy")
        for ending in ("png", "svg")
    ]
    page = (folder / "report.html").read_text()
    assert all(f"figures/{name}" in page for name in drawn if name.startswith("figure"))
    assert not list((folder / "tables").glob("table*race*"))


def test_frames_that_lack_a_group_are_counted_and_none_is_refused_with_what_to_do(files, tmp_path):
    table, scores = files
    every = pl.read_csv(table)
    some = every.filter(~((pl.col("race") == "G05") & (pl.col("template") == 1)))
    some.write_csv(tmp_path / "some.csv")
    found = tiltmeter.audit(scores, tmp_path / "some.csv", store=tmp_path / "store", flips=0)
    lost = every.filter(template=1)["emotion_word"].n_unique()
    assert any(
        f"{lost} matches of frames lack some group" in one for one in found.compared[0].notes
    )
    report = check_corpus(load_corpus(tmp_path / "some.csv"))
    assert any(f"{lost} of" in note.text and "--all-pairs" in note.text for note in report.notes)
    every.filter(~((pl.col("race") == "G05") & (pl.col("template") != 1))).filter(
        ~((pl.col("race") == "G04") & (pl.col("template") == 1))
    ).write_csv(tmp_path / "none.csv")
    with pytest.raises(TiltmeterError, match=r"all 6 groups.*--all-pairs"):
        tiltmeter.audit(scores, tmp_path / "none.csv", store=tmp_path / "store", flips=0)


def test_a_corpus_counts_its_groups_pairs_with_the_average(files):
    corpus = load_corpus(files[0])
    counts = pair_counts(corpus.sentences(), corpus.axes[0])
    assert set(counts) == {(group, "average") for group in GROUPS}
    assert set(counts.values()) == {24}
