"""Single sentences that a page holds: whose, how many, and what is left out."""

import base64

import numpy as np
import polars as pl
import pytest

from simulated_material import material_of, scored
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.packing import Phrasebook, split_texts
from tiltmeter.studies.paired.single_sentences import MANY, single_sentences
from tiltmeter.studies.paired.submissions import panels, submissions


@pytest.fixture(scope="module")
def sentences():
    return load_corpus("eec").sentences()


def held_of(sentences, systems, budget=10**9):
    """Systems of whom the nth gives women's sentences n thousandths more, and Ebony's 0.2."""
    women = (sentences["gender"] == "female").to_numpy()
    ebony = (sentences["person"] == "Ebony").to_numpy()
    scores = [
        scored(sentences, f"s{nth}", "valence", 0.5 + 0.001 * nth * women + 0.2 * ebony)
        for nth in range(systems)
    ]
    material = material_of(pl.concat(scores))
    compared, of = material.compared[0], submissions(material)
    people = compared.by_person.people
    held = single_sentences(compared, panels(compared, 0), of, people, budget)
    return held, compared, of


def numbers(packed):
    return np.frombuffer(base64.b64decode(packed), "<u2")


def test_a_page_of_few_systems_holds_every_sentence_and_its_scores(sentences):
    held, compared, of = held_of(sentences, 2)
    assert held.scored
    assert held.at.tolist() == list(range(8640))
    common = held.common(compared.by_person.people)
    known = compared.by_person.people["person"].to_list()
    assert common["others"] == []
    assert [known[nth] for nth in numbers(common["person"])] == sentences["person"].to_list()
    book, notes = Phrasebook(), {}
    entry = held.entry(1, of[1], 1.0, book, notes)
    ebony = sentences.with_row_index("nth").filter(person="Ebony")["nth"][0]
    assert book.texts[numbers(entry["singles"])[ebony]] == "70.1"
    assert "Only Ebony" not in " ".join(notes)


def test_a_page_of_many_systems_holds_but_the_pairs_of_the_largest_swaps(sentences):
    held, _, of = held_of(sentences, MANY + 1)
    assert not held.scored
    assert 0 < held.at.size < 8640
    book, notes = Phrasebook(), {}
    entry = held.entry(0, of[0], 1.0, book, notes)
    assert entry["singles"] is None
    first = numbers(entry["swaps"][1]["rows"]).reshape(-1, 8)[0]  # names by race
    assert "Ebony" in sentences["text"][int(held.at[first[0]])]
    assert first[2:4].tolist() == [144, 1]
    assert [book.texts[place] for place in first[4:]] == ["20", "20", "70.0", "50.0"]
    assert "Only Ebony moves a score: nobody else’s swaps do." in notes


def test_where_not_all_fit_whole_people_are_held_the_furthest_first(sentences):
    held, *_ = held_of(sentences, 2, budget=2 * 1000)
    assert held.scored
    assert held.at.size <= 1000
    whole = sentences[held.at].group_by("person").len().filter(len=144)["person"].to_list()
    assert "Ebony" in whole
    assert len(whole) >= 5


def test_texts_are_whole_again_whatever_they_share():
    texts = ["aaa", "aa", "a", "She is sad.", "He is sad.", "other", ""]
    frames = [1, 1, 1, 2, 2, 3, 4]
    packed = split_texts(texts, frames)
    frame, middle = numbers(packed["frame"]), numbers(packed["middle"])
    ends, middles = packed["ends"], packed["middles"]
    assert texts == [
        ends[of][0] + middles[own] + ends[of][1] for of, own in zip(frame, middle, strict=True)
    ]
