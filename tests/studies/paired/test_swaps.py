"""Single pairs by swap: which pair tells best what was found, by hand."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simulated_material import material_of, scored
from tiltmeter import audit
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.submissions import answer_panels, panels, submissions
from tiltmeter.studies.paired.swaps import (
    driving_intersections,
    intersection_words,
    largest_swaps,
    swaps_of,
    telling_pair,
)


@pytest.fixture(scope="module")
def sentences():
    return load_corpus("eec").sentences()


def audited(sentences, effect, *, native=False):
    """One system that gives 0.5, and `effect` more to the sentences of each person named."""
    score = 0.5 + sentences["person"].replace_strict(effect, default=0.0).to_numpy()
    return material_of(scored(sentences, "s", "valence", score, native=native))


def told_by(material, axis):
    (one,), compared = submissions(material), material.compared[0]
    panel = next(panel for panel in panels(compared, 0) if panel.axis == axis)
    return telling_pair(compared, one, panel)


def test_every_name_stands_against_every_name_of_the_other_group_in_its_frame(sentences):
    compared = audited(sentences, {}).compared[0]
    pairs = swaps_of(compared, "race", "African American", "European American").pairs
    assert pairs.height == 144 * 20 * 20
    assert pairs["swap"].n_unique() == 20 * 20
    assert set(pairs["kind"]) == {"names"}
    text, frame = sentences["text"], sentences["frame"]
    assert (frame.gather(pairs["first"]) == frame.gather(pairs["second"])).all()
    assert text[pairs["first"][0]] != text[pairs["second"][0]]
    gender = swaps_of(compared, "gender", "female", "male").pairs
    kinds = dict(gender.group_by("kind").agg(pl.col("swap").n_unique()).rows())
    assert kinds == {"names": 400, "couples": 10}


def test_a_telling_pair_is_neither_the_weakest_nor_the_worst(sentences):
    # Of African American names three are scored 0.1, 0.2 and 0.3 higher: the mean is 0.03, so
    # 60 swaps reach it (3 names × 20), and the median by size is one of the 20 with 0.2.
    found = told_by(audited(sentences, {"Ebony": 0.1, "Jasmine": 0.2, "Lamar": 0.3}), "race")
    assert found.people[0] == "Jasmine"
    assert (found.score_first, found.score_second) == pytest.approx((0.7, 0.5))
    assert found.texts == ("70.0", "50.0")
    assert found.levels == pytest.approx((0.7, 0.5))
    assert "Jasmine" in found.first
    assert found.people[1] in found.second
    assert found.first.replace("Jasmine", found.people[1]) == found.second
    assert found.averaged == (1, 1)


def test_it_goes_the_way_of_the_finding(sentences):
    # Ebony 0.1 higher, Jasmine 0.3 lower: on average African American names are 0.01 lower
    found = told_by(audited(sentences, {"Ebony": 0.1, "Jasmine": -0.3}), "race")
    assert found.people[0] == "Jasmine"
    assert found.score_first < found.score_second


def test_of_its_pairs_it_is_the_one_furthest_apart(sentences):
    score = np.full(sentences.height, 0.5)
    ebony = (sentences["person"] == "Ebony").to_numpy()
    score[ebony] += 0.05
    furthest = int(np.flatnonzero(ebony)[77])
    score[furthest] += 0.2
    found = told_by(material_of(scored(sentences, "s", "valence", score)), "race")
    assert found.first == sentences["text"][furthest]
    assert found.score_first == pytest.approx(0.75)
    assert found.places[0] == furthest


def test_where_nothing_differs_no_pair_tells_anything(sentences):
    assert told_by(audited(sentences, {}), "race") is None


def test_scores_without_a_scale_are_said_in_their_own_units(sentences):
    found = told_by(audited(sentences, {"Ebony": 2.0}, native=True), "race")
    assert found.texts == ("2.50", "0.50")
    assert found.levels is None


def test_of_a_corpus_too_large_to_be_held_it_is_the_largest_average_pair(sentences):
    material = audited(sentences, {"Ebony": 0.2, "my mother": 0.1})
    compared = replace(material.compared[0], scored=None)
    (one,) = submissions(material)
    gender = next(panel for panel in panels(compared, 0) if panel.axis == "gender")
    found = telling_pair(compared, one, gender)
    assert "mother" in found.first
    assert found.averaged == (1, 1)
    names = telling_pair(compared, one, replace(gender, people=""))
    assert names == found
    race = next(panel for panel in panels(compared, 0) if panel.axis == "race")
    assert telling_pair(compared, one, race).averaged == (20, 20)
    assert telling_pair(compared, one, race).score_first == pytest.approx(0.51)  # one of 20


def test_a_claim_by_names_and_one_by_couples_have_pairs_of_their_own():
    found = audit(["tilted:gender=0.03"], store=None)
    (one,) = submissions(found)
    for panel in answer_panels(found)[0]:
        pair = telling_pair(found.compared[0], one, panel)
        if panel.axis == "gender":
            assert pair.score_first > pair.score_second
            assert ("my " in pair.first.lower()) <= (panel.people == "couples")
            assert pair == telling_pair(found.compared[0], one, panel)


# ------------------------------------------------------------------ the largest swaps


def largest_of(sentences, effect, axis="race"):
    compared = audited(sentences, effect).compared[0]
    panel = next(panel for panel in panels(compared, 0) if panel.axis == axis)
    swaps = swaps_of(compared, axis, panel.first, panel.second)
    return compared, swaps, largest_swaps(swaps, 0)


def of_group(sentences, **groups):
    """Who belongs to some groups, in the corpus' order."""
    return sentences.filter(**groups)["person"].unique(maintain_order=True).to_list()


def test_the_largest_swaps_are_of_different_people(sentences):
    # Ebony is 0.3 higher and Jasmine 0.2, so the 40 largest swaps are theirs; Nichelle's 0.1 next.
    found = largest_of(sentences, {"Ebony": 0.3, "Jasmine": 0.2, "Nichelle": 0.1})[2]
    firsts = [swap.people[0] for swap in found.swaps]
    assert firsts == ["Ebony", "Ebony", "Jasmine", "Jasmine", "Nichelle", "Nichelle"]
    people = [one for swap in found.swaps for one in swap.people]
    assert max(people.count(one) for one in people) == 2
    assert [swap.mean for swap in found.swaps] == pytest.approx([0.3, 0.3, 0.2, 0.2, 0.1, 0.1])
    assert {swap.many for swap in found.swaps} == {144}
    assert (found.moving, found.every, found.only) == (60, 400, "")


def test_one_person_who_alone_moves_anything_may_stand_more_often(sentences):
    found = largest_of(sentences, {"Ebony": 0.3})[2]
    assert {swap.people[0] for swap in found.swaps} == {"Ebony"}
    assert len({swap.people[1] for swap in found.swaps}) == len(found.swaps) == 20
    assert (found.moving, found.only) == (20, "Ebony")


def test_where_nobody_moves_anything_there_is_no_swap(sentences):
    found = largest_of(sentences, {})[2]
    assert found.swaps == ()
    assert (found.moving, found.every) == (0, 400)


def test_a_swaps_worst_pair_is_the_one_furthest_apart_its_way(sentences):
    score = np.full(sentences.height, 0.5)
    ebony = np.flatnonzero((sentences["person"] == "Ebony").to_numpy())
    score[ebony] += 0.05
    score[ebony[3]] = 0.1  # 0.4 apart, but the other way
    score[ebony[77]] = 0.8
    compared = material_of(scored(sentences, "s", "valence", score)).compared[0]
    swaps = swaps_of(compared, "race", "African American", "European American")
    worst = largest_swaps(swaps, 0).swaps[0]
    assert worst.mean == pytest.approx((142 * 0.05 - 0.4 + 0.3) / 144)
    assert worst.worst == pytest.approx(0.3)
    assert worst.places[0] == ebony[77]


def test_a_planted_intersection_is_named(sentences):
    women = of_group(sentences, race="African American", gender="female")
    # each a little apart from the next, so that the order is theirs alone
    effect = {person: 0.05 + 0.001 * nth for nth, person in enumerate(women)}
    for axis in ("race", "gender"):
        compared, swaps, largest = largest_of(sentences, effect, axis)
        found = driving_intersections(swaps, largest)
        # all others score alike: nobody of them drives anything by standing first in the corpus
        assert [(one.groups, one.many, one.of) for one in found] == [
            ({"gender": "female", "race": "African American"}, 20, 20)
        ]
        assert intersection_words(found, compared) == (
            "20 of the 20 largest swaps are of sentences about women with African American names."
        )


def test_a_group_alone_is_no_intersection(sentences):
    names = of_group(sentences, race="African American")
    # women and men by turns, so that neither has four fifths of the largest
    women = of_group(sentences, race="African American", gender="female")
    men = [one for one in names if one not in women]
    turns = [one for both in zip(women, men, strict=True) for one in both]
    effect = {person: 0.05 + 0.001 * nth for nth, person in enumerate(turns)}
    compared, swaps, largest = largest_of(sentences, effect)
    assert len(largest.swaps) == 20
    found = driving_intersections(swaps, largest)
    assert found == ()
    assert intersection_words(found, compared) == ""


def test_one_name_is_no_intersection(sentences):
    for effect in ({"Ebony": 0.3}, {"Ebony": 0.3, "Alonzo": 0.01}):
        _, swaps, largest = largest_of(sentences, effect)
        assert driving_intersections(swaps, largest) == ()


def test_the_telling_pair_differs_in_nothing_but_the_axis(sentences):
    # women and African Americans both score higher: a pair of both would show more than race does
    names = sentences["race"].is_not_null()
    values = (
        0.3
        + 0.2 * ((sentences["gender"] == "female") & names).to_numpy()
        + 0.1 * (sentences["race"] == "African American").fill_null(False).to_numpy()
    )
    found = material_of(scored(sentences, "both", "valence", values), load_corpus("eec"))
    one = submissions(found)[0]
    panel = next(panel for panel in answer_panels(found)[0] if panel.axis == "race")
    pair = telling_pair(found.compared[0], one, panel)
    assert abs(pair.score_first - pair.score_second) == pytest.approx(0.1)
    first, second = (sentences.row(place, named=True) for place in pair.places)
    assert first["gender"] == second["gender"]
    assert {first["race"], second["race"]} == {"African American", "European American"}
