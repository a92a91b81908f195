"""What would decide an undecided claim, people moved in words, and what a page keeps of many."""

import shlex

import msgspec
import numpy as np
import polars as pl
import pytest

from simulated_material import compared_of, scored
from tiltmeter.audit_run import AuditedCorpus, AuditedSystem, AuditRun, LargerDraw, PopulationFacts
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.advice import next_step, next_steps, people_wanted
from tiltmeter.studies.paired.page_data import PEOPLE, kept_people
from tiltmeter.studies.paired.verdict_wording import (
    MovedShare,
    between,
    moved_brief,
    moved_sentence,
)

COUNTS = {"bearers": None, "effective": 9.0, "drawn": 9, "certain": 0, "words": None}
CELLS = [
    {"groups": {"gender": gender, "race": race}, "names": many, "word_examples": [], **COUNTS}
    for gender in ("female", "male")
    for race, many in (("Black", 2000), ("White", 900), ("Hispanic", 5000))
]
POPULATION = msgspec.convert(
    {"title": "US first names", "cells": CELLS, "weights": "bearers", "people": 9, "frames": 4,
     "all_frames": 9, "frames_met": [4, 4, 4], "seed": 0, "listed": 9, "listed_bearers": None,
     **dict.fromkeys(("source", "licence", "note", "rule"), "")},
    PopulationFacts,
)  # fmt: skip


def claim(**facts):
    usual = {
        "system": "mine", "task": "valence", "corpus": "list", "axis": "race",
        "contrast": "Black-White", "reference": "White", "subset": "names",
        "verdict": "undecided", "margin": 0.01, "value": 0.002, "needed_people": 500.0,
    }  # fmt: skip
    return usual | facts


def run(*larger, population=None, **more):
    corpora = (AuditedCorpus("list", population=population),)
    return AuditRun(corpora=corpora, larger=larger, **more)


def draw(**facts):
    usual = {"corpus": "list", "axes": ("gender", "race"), "ask": "names-us", "people": None,
             "sentences": 25886}  # fmt: skip
    return LargerDraw(**usual | facts)


def test_a_next_command_is_words_whatever_a_folder_calls_its_systems_and_people():
    strange = draw(ask="$(touch ran)", people="9; touch ran")
    step = next_step(claim(), run(strange))
    words = ["tiltmeter", "audit", "`touch ran`", "./--force", "--corpus", "$(touch ran)"]
    command = step.command(["`touch ran`", "--force"])
    assert shlex.split(command) == [*words, "--people", "9; touch ran"]
    assert command.count("'") == 6


@pytest.mark.parametrize(
    ("needed", "wanted"),
    [
        (500.0, 130),  # of four cells, female and male, Black and White: 125 each
        (1605.0, 410),  # 401.25, to two digits
        (3600.0, "all"),  # 900 each, and one cell has no more
        (None, None),
        (2e6, None),
    ],
)
def test_people_of_a_cell_follow_from_those_needed_in_all(needed, wanted):
    assert people_wanted(claim(needed_people=needed), POPULATION) == wanted


def test_couples_of_a_population_are_all_there():
    assert people_wanted(claim(subset="couples"), POPULATION) is None


def test_a_list_leads_to_a_population():
    step = next_step(claim(), run(draw()))
    assert step.command(["mine"]) == "tiltmeter audit mine --corpus names-us"
    assert step.facts("mine") == {
        "command": "tiltmeter audit mine --corpus names-us", "sentences": 25886, "why_none": None,
    }  # fmt: skip


def test_a_population_leads_to_more_of_its_people():
    more = draw(ask="own names.toml", people=130, sentences=40_000)
    step = next_step(claim(), run(more, population=POPULATION))
    told = step.said(["a b", "c"])
    assert told == (
        "tiltmeter audit 'a b' c --corpus 'own names.toml' --people 130 (40,000 sentences a system)"
    )


def test_near_the_margin_no_number_of_names_decides():
    near = claim(value=0.0101, needed_people=None)
    step = next_step(near, run(population=POPULATION))
    assert step.said(["mine"]) == (
        "the difference lies so near the margin of 1 point that no number of names decides it"
    )
    words = next_step(claim(needed_people=None), run(population=POPULATION))
    assert words.why.startswith("no number of names decides it: emotion words alone")


def test_nothing_is_said_of_a_decided_claim_or_of_an_axis_that_no_population_has():
    assert next_step(claim(verdict="even"), run(draw())) is None
    assert next_step(claim(axis="age"), run(draw())) is None


def test_a_system_known_by_its_file_has_to_be_asked_by_others():
    step = next_step(claim(), run(draw(), scores_from_files=["mine"]))
    assert step.command(["mine"]) == "tiltmeter corpus export names-us -o FILE"
    assert step.said(["mine"]).endswith("have each scored, and audit the scores")


def test_claims_with_the_same_step_share_a_line_and_controls_have_none():
    rows = [
        claim(system=name, subset=kind)
        for kind in ("names", "couples")
        for name in ("a", "b", "c", "d", "control")
    ]
    told = run(draw(), systems=(AuditedSystem("control", "valence", "list", control="planted"),))
    (found,) = next_steps(pl.DataFrame(rows), told)
    assert found.subject == "race by names, race by couples (a, b, c and 1 more)"
    assert found.said == "tiltmeter audit a b c … --corpus names-us (25,886 sentences a system)"


def shares(first, second):
    return [MovedShare("Black", *first), MovedShare("White", *second)]


def test_people_moved_are_counted_of_a_list_and_weighed_of_a_population():
    assert moved_brief(shares((1, 20, 0.05, 0.0, 0.25), (0, 20, 0.0, 0.0, 0.14))) == "1 of 40"
    # by bearers: (0.5 + 0.3) / 2
    assert moved_brief(shares((2, 9, 0.5, 0.4, 0.6), (1, 9, 0.3, 0.1, 0.5))) == "40 %"
    assert moved_brief(shares((0, 600, 0.0, 0.0, 0.004), (0, 600, 0.0, 0.0, 0.001))) == "none"
    assert moved_brief([]) == ""


def test_a_census_is_exact_and_says_so():
    census = MovedShare("female-male", 33, 42, 33 / 42, 33 / 42, 33 / 42)
    assert between(census) == "exact: everybody was met"
    assert moved_sentence([census], "couples", 0.01).endswith("(exact: everybody was met).")
    nobody = MovedShare("female-male", 0, 42, 0.0, 0.0, 0.0)
    assert moved_sentence([nobody], "couples", 0.02) == (
        "None of 42 couples moves a score by more than 2 points: everybody was met."
    )


def test_an_interval_whose_ends_read_the_same_is_left_out():
    assert between(MovedShare("Hispanic", 3, 4062, 5e-6, 4e-6, 6e-6)) == ""
    assert between(MovedShare("Black", 9, 4495, 0.002, 0.002, 0.0024)) == "0.20 to 0.24 %"


def test_of_many_people_those_furthest_out_of_every_group_are_kept():
    corpus = load_corpus("names-us", people=100)
    sentences = corpus.sentences()
    shift = np.where(sentences["person"] == sentences["person"][-1], 0.2, 0.0)
    compared, _ = compared_of(scored(sentences, "a", "valence", 0.5 + shift), corpus)
    (kept,) = kept_people(compared, [0])
    assert kept.size <= PEOPLE < compared.by_person.people.height
    some = compared.by_person.people[kept]
    assert sentences["person"][-1] in some["person"].to_list()
    cells = some.filter(pl.col("race").is_not_null()).group_by("gender", "race").len()
    assert cells.height == 8
    assert cells["len"].n_unique() == 1  # as many of each
    couples = compared.by_person.people.filter(pl.col("race").is_null()).height
    assert some.filter(pl.col("race").is_null()).height == couples


def test_a_list_is_kept_whole():
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    score = np.full(sentences.height, 0.5)
    compared, _ = compared_of(scored(sentences, "a", "valence", score), corpus)
    assert kept_people(compared, [0]) is None
