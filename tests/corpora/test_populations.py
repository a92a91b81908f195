"""People as populations: who belongs, who is drawn, and which frames they meet."""

import json
import pickle
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from tiltmeter.corpora import census_standing, check_corpus, group_standings, load_corpus
from tiltmeter.corpora.people_sampling import (
    DrawOptions,
    inclusion_probability,
    lot,
    places,
    priority_sample,
    stride,
)
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import PEOPLE, validate

# Line numbers matter: the tests of messages count them.
REGISTER = """\
[corpus]
name = "register"
language = "en"

[axes]
gender = ["female", "male"]

[population]
people = "names.csv"
bearers = "count"
shares = "percent"
match = "first names"
draw = 3
frames = 2

[population.axes]
gender = { female = { column = "women", least = 0.9 }, male = { column = "women", most = 0.1 } }

[[people]]
list = "couples"
members = [
  { subject = "my mother", gender = "female", match = "mother/father", family = "parents" },
  { subject = "my father", gender = "male", match = "mother/father", family = "parents" },
]

[[words]]
list = "state"
joy = ["glad", "happy", "merry"]
fear = ["scared", "afraid"]

[[templates]]
id = "1"
text = "{person} feels {state}."

[[templates]]
id = "2"
text = "I saw {person}."
"""
NAMES = """\
name,count,women,word
Ann,400,99,no
Eve,200,98.5,yes
Ida,100,97,no
Uma,50,96,no
Ivy,50,95,yes
Kim,700,50,no
Bob,300,1,yes
Tom,80,2,no
Max,20,3,no
"""
FRAMES = 6
"""Five words in template 1, and template 2."""


@pytest.fixture
def register(tmp_path):
    """Write the register and its corpus file, perhaps changed, and load it."""

    def write(corpus=REGISTER, names=NAMES, **draw):
        (tmp_path / "names.csv").write_text(names)
        (tmp_path / "register.toml").write_text(corpus)
        return load_corpus(tmp_path / "register.toml", **draw)

    return write


@pytest.fixture
def refused(register, tmp_path):
    """What is said of a register that cannot be used, with the folder left out."""

    def complaint(corpus=REGISTER, names=NAMES, **draw):
        with pytest.raises(TiltmeterError) as caught:
            register(corpus, names, **draw)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return complaint


def drawn(corpus):
    """The people of a corpus by name, without the couples."""
    people = corpus.people.filter(pl.col("match") == "first names")
    return {row["person"]: row for row in people.to_dicts()}


# ---------------------------------------------------------------- the population


def test_those_within_the_bounds_belong_and_others_do_not(register):
    whole = register(people="all").population
    assert [(cell.groups["gender"], cell.names, cell.bearers) for cell in whole.cells] == [
        ("female", 5, 800),
        ("male", 3, 400),
    ]  # Kim, half of whose bearers are women, is in neither
    assert (whole.names, whole.bearers, whole.listed, whole.listed_bearers) == (8, 1200, 9, 1900)
    assert (
        whole.rule == "gender (female: women share at least 90 %; male: women share at most 10 %)"
    )


def test_how_uneven_a_cell_is_is_told_by_its_effective_names(register):
    women = register().population.cells[0]
    # (400 + 200 + 100 + 50 + 50)² / (400² + 200² + 100² + 2 · 50²)
    assert women.effective == pytest.approx(800**2 / 215_000)
    assert register(weights="names").population.cells[0].effective == pytest.approx(5)


def test_a_table_of_employees_needs_no_bearers(register):
    corpus = REGISTER.replace('bearers = "count"\nshares = "percent"\n', "").replace(
        '{ female = { column = "women", least = 0.9 }, male = { column = "women", most = 0.1 } }',
        '{ column = "sex", female = "F", male = ["M", "m"] }',
    )
    found = register(corpus, "name,sex\nAnn,F\nEve,F\nBob,M\nTom,m\nSam,?\n")
    assert sorted(drawn(found)) == ["Ann", "Bob", "Eve", "Tom"]
    assert found.population.bearers is None
    assert found.population.weights == "names"
    assert {row["weight"] for row in drawn(found).values()} == {1.0}
    assert "gender (female: sex is F; male: sex is M or m)" in found.population.rule


def test_a_column_whose_values_are_the_groups_needs_no_more(register):
    corpus = REGISTER.replace('bearers = "count"\nshares = "percent"\n', "").replace(
        '{ female = { column = "women", least = 0.9 }, male = { column = "women", most = 0.1 } }',
        '"sex"',
    )
    found = register(corpus, "name,sex\nAnn,female\nEve,female\nBob,male\nTom,male\n")
    assert found.population.names == 4


def test_a_name_needs_as_many_bearers_as_the_rule_says(register):
    corpus = REGISTER.replace('"count"', '{ column = "count", least = 80 }')
    found = register(corpus, people="all")
    assert sorted(drawn(found)) == ["Ann", "Bob", "Eve", "Ida", "Tom"]
    assert found.population.rule.endswith("at least 80 bearers")


def test_a_bound_counts_as_met_however_it_is_rounded(register):
    # 0.07 · 100 is 7.000000000000001 in floating point.
    corpus = REGISTER.replace("least = 0.9", "least = 0.07").replace("most = 0.1", "most = 0.06")
    found = register(corpus, NAMES.replace("Ida,100,97", "Ida,100,7"), people="all")
    assert "Ida" in drawn(found)


MISTAKES = {
    "no table": (
        ('people = "names.csv"\n', ""),
        ["register.toml:8: [population] needs people"],
    ),
    "table not there": (
        ("names.csv", "nobody.csv"),
        ["register.toml:9: the table of people: the file cannot be read", "nobody.csv: No such"],
    ),
    "unknown key": (
        ("draw = 3", "drawn = 3"),
        ["register.toml:13: unknown key 'drawn' in [population]: did you mean 'draw'?"],
    ),
    "unknown unit": (
        ('shares = "percent"', 'shares = "permille"'),
        ["register.toml:11: shares is 'permille'; expected 'fraction' or 'percent'"],
    ),
    "unknown weights": (
        ("draw = 3", 'weights = "people"'),
        ["register.toml:13: weights is 'people'; expected 'bearers' or 'names'"],
    ),
    "weights without bearers": (
        ('bearers = "count"', 'weights = "bearers"'),
        ["register.toml:10: weights is 'bearers', and no column says how many bear a name"],
    ),
    "draw of one": (
        ("draw = 3", "draw = 1"),
        ["register.toml:13: draw is 1; expected a whole number from 2 up, or 'all'"],
    ),
    "no frames": (
        ("frames = 2", "frames = 0"),
        ["register.toml:14: frames is 0; expected a whole number from 1 up, or 'all'"],
    ),
    "missing column": (
        ('bearers = "count"', 'bearers = "counts"'),
        ["register.toml:10: no column 'counts' in names.csv for bearers: did you mean 'count'?"],
    ),
    "missing column of a share": (
        ('male = { column = "women"', 'male = { column = "men"'),
        ["no column 'men' in names.csv for male (gender)"],
    ),
    "unknown axis": (
        ("[population.axes]\ngender", "[population.axes]\ngende"),
        ["register.toml:17: [population.axes] has 'gende', which is no axis: did you mean"],
    ),
    "group left out": (
        (', male = { column = "women", most = 0.1 } }', " }"),
        ["register.toml:17: the rule of 'gender' says nothing of 'male'; every group needs a line"],
    ),
    "unknown group": (
        ("male = { column", "man = { column"),
        ["'man' is no group of 'gender'"],
    ),
    "bounds that are percent": (
        ("least = 0.9", "least = 90"),
        ["register.toml:17: axes.gender.female.least is 90; expected a fraction of a whole"],
    ),
    "two groups": (
        ("most = 0.1", "most = 0.99"),
        ["names.csv: 'Ann' falls into two groups of gender (female and male)", "raise the least"],
    ),
    "empty cell": (
        ("most = 0.1", "most = 0.001"),
        ["nobody in the table is male; widen the rule, or leave the group out of the axis"],
    ),
    "the match of a list": (
        ('match = "first names"', 'match = "mother/father"'),
        ["the population's match 'mother/father' is that of a list of [[people]] too"],
    ),
    "the name of a list": (
        ('match = "first names"', 'list = "couples"'),
        ["the population is called 'couples', as a list of [[people]] is"],
    ),
    "a listed person": (
        ('"my mother"', '"ann"'),
        ["'Ann' stands in the population and in 'couples'; keep one"],
    ),
    "rating": (
        ("[[words]]", '[rating]\ngroup = "1"\n\n[[words]]'),
        ["[rating] and [population] are both here"],
    ),
    "held fixed": (
        (
            'text = "I saw {person}."',
            'text = "I saw {person} with {other}."\nslots.other.people = ["names"]',
        ),
        ["slot 'other' of template '2' holds the population fixed"],
    ),
}


@pytest.mark.parametrize(("change", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_section_is_told_with_its_line(refused, change, said):
    old, new = change
    assert old in REGISTER
    message = refused(REGISTER.replace(old, new))
    assert all(part in message for part in said), message


ROWS = {
    "share outside": (
        ("Ann,400,99", "Ann,400,990"),
        ["names.csv:2: women is '990'; expected a share from 0 to 100 (percent)"],
    ),
    "share that is none": (
        ("Eve,200,98.5", "Eve,200,most"),
        ["names.csv:3: women is 'most'; expected a share from 0 to 100 (percent)"],
    ),
    "bearers in parts": (
        ("Ida,100", "Ida,100.5"),
        ["names.csv:4: count is '100.5'; expected a whole number of bearers, 1 or more"],
    ),
    "nobody bears it": (
        ("Ida,100", "Ida,0"),
        ["names.csv:4: count is '0'; expected a whole number of bearers, 1 or more"],
    ),
    "blank name": (
        ("Uma,50", ",50"),
        ["names.csv: no name, or one with a control character, in line 5"],
    ),
    "twice in a cell": (
        ("Ivy,50", "ann,50"),
        ["names.csv: 'Ann' stands 2 times, in lines 2 and 6; keep one row"],
    ),
    "twice in two cells": (
        ("Tom,80", "Ann,80"),
        ["names.csv: 'Ann' stands 2 times, in lines 2 and 9, and falls into two cells"],
    ),
}


@pytest.mark.parametrize(("change", "said"), ROWS.values(), ids=ROWS)
def test_a_mistake_in_the_table_is_told_with_its_line(refused, change, said):
    old, new = change
    assert old in NAMES
    message = refused(names=NAMES.replace(old, new))
    assert all(part in message for part in said), message


def test_a_column_of_lists_is_no_column_of_names(register, tmp_path):
    pl.DataFrame({"name": [["Ann"], ["Bob"]], "sex": ["female", "male"]}).write_parquet(
        tmp_path / "names.parquet"
    )
    corpus = REGISTER.split("[population]")[0] + (
        '[population]\npeople = "names.parquet"\naxes.gender = "sex"\n'
    )
    with pytest.raises(TiltmeterError, match=r"column 'name' holds List\(String\); expected text"):
        register(corpus)


@pytest.mark.parametrize("table", ["x" * 5000 + ".csv", "names.txt", ".", "no such table", "\x00"])
def test_a_table_that_cannot_be_one_is_told_and_no_traceback(refused, table):
    said = REGISTER.replace('"names.csv"', json.dumps(table))
    assert "register.toml:9: " in refused(said)


def test_our_table_of_the_census_serves_other_rules(register):
    corpus = REGISTER.replace('"names.csv"', '"us-first-names"').replace(
        '"count"', '{ column = "bearers", least = 1000000 }'
    )
    corpus = corpus.replace('"percent"', '"hundredths of a percent"').replace('"women"', '"female"')
    assert {"Mary", "John"} <= set(drawn(register(corpus, people="all")))


def test_names_are_kept_in_nfc(register):
    found = register(names=NAMES.replace("Eve", "Zoe\u0308"), people="all")
    assert "Zo\u00eb" in drawn(found)


def test_every_mistake_is_told_at_once(refused):
    message = refused(
        REGISTER.replace("draw = 3", "draw = 1").replace("frames = 2", "frames = 0"),
        NAMES.replace("Ann,400,99", "Ann,4x,990"),
    )
    assert "draw is 1" in message
    assert "frames is 0" in message


def test_a_share_that_the_table_leaves_out_puts_a_name_in_no_group(register):
    found = register(names=NAMES.replace("Ivy,50,95", "Ivy,50,"), people="all")
    assert "Ivy" not in drawn(found)


def test_a_file_that_extends_another_may_change_its_draw_or_bring_another_table(register, tmp_path):
    register()
    (tmp_path / "more.toml").write_text(
        '[corpus]\nname = "more"\nlanguage = "en"\nextends = "register.toml"\n'
        "[population]\ndraw = 4\n"
    )
    found = load_corpus(tmp_path / "more.toml")
    assert found.population.people == 4
    assert found.population.bearers == 1200
    (tmp_path / "own.csv").write_text("name,sex\nLea,female\nMia,female\nJon,male\nTim,male\n")
    (tmp_path / "own.toml").write_text(
        '[corpus]\nname = "own"\nlanguage = "en"\nextends = "register.toml"\n'
        '[population]\npeople = "own.csv"\naxes.gender = "sex"\n'
    )
    own = load_corpus(tmp_path / "own.toml")
    assert own.population.names == own.population.drawn == 4
    assert own.population.frames == "all"


# ---------------------------------------------------------------- the draw


def test_priority_sampling_by_hand():
    # priorities w/u: 40/0.8 = 50, 20/0.5 = 40, 10/0.4 = 25, 5/0.5 = 10, 5/0.0625 = 80
    weight = np.array([40.0, 20.0, 10.0, 5.0, 5.0])
    luck = np.array([0.8, 0.5, 0.4, 0.5, 0.0625])
    rows, tau = priority_sample(weight, luck, 3)
    assert (rows.tolist(), tau) == ([4, 0, 1], 25.0)
    # min(1, w/25): 5/25, certain, 20/25; the estimated total is 25 + 40 + 25 = 90 (80 in truth)
    probability = inclusion_probability(weight[rows], tau)
    assert probability.tolist() == [0.2, 1.0, 0.8]
    assert (weight[rows] / probability).sum() == pytest.approx(90)


def test_all_of_them_is_a_census():
    weight, luck = np.array([3.0, 2.0]), np.array([0.5, 0.25])
    for people in (2, 5, "all"):
        rows, tau = priority_sample(weight, luck, people)
        assert (sorted(rows.tolist()), tau) == ([0, 1], 0.0)
    assert inclusion_probability(weight, 0.0).tolist() == [1.0, 1.0]


def test_a_lot_depends_on_the_seed_and_the_name_alone():
    assert lot(0, "John") == lot(0, "John") != lot(1, "John")
    # The first 53 bits of BLAKE2b-64 of "0\0John", plus one, over 2**53.
    assert lot(0, "John") == 0.23126022456741147
    lots = np.array([lot(seed, "John") for seed in range(4000)])
    assert lots.min() > 0
    assert lots.max() <= 1
    assert abs(lots.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 4000)


def test_the_estimates_of_a_draw_are_right_on_average():
    """Horvitz–Thompson totals have no bias; the ratio of two has one of order 1/n, not seen."""
    rng = np.random.default_rng(5)
    names = [f"n{number}" for number in range(60)]
    weight = np.ceil(rng.pareto(1.2, 60) * 20 + 1)
    effect = rng.normal(size=60) + (weight > 50)
    totals, means = [], []
    for seed in range(2000):
        luck = np.array([lot(seed, name) for name in names])
        rows, tau = priority_sample(weight, luck, 20)
        share = weight[rows] / inclusion_probability(weight[rows], tau)
        totals.append((share * effect[rows]).sum())
        means.append((share * effect[rows]).sum() / share.sum())
    for found, truth in (
        (np.array(totals), (weight * effect).sum()),
        (np.array(means), (weight * effect).sum() / weight.sum()),
    ):
        assert abs(found.mean() - truth) < 4 * found.std() / np.sqrt(found.size)


def test_names_drawn_alike_have_one_probability(register):
    people = drawn(register(weights="names"))
    assert {
        row["probability"] for name, row in people.items() if name not in ("Bob", "Tom", "Max")
    } == {3 / 5}
    assert {row["weight"] for row in people.values()} == {1.0}


def test_a_cell_with_no_more_names_than_are_drawn_is_whole(register):
    people = drawn(register())
    assert {people[name]["probability"] for name in ("Bob", "Tom", "Max")} == {1.0}


def test_the_order_of_the_table_does_not_matter_for_the_draw(register):
    first, *rest = NAMES.splitlines()
    upside_down = "\n".join([first, *reversed(rest)])
    one, other = drawn(register()), drawn(register(names=upside_down))
    assert one == other


def test_another_seed_draws_others_and_the_same_one_the_same(register):
    chosen = [frozenset(drawn(register(seed=seed, people=2))) for seed in range(20)]
    assert len(set(chosen)) > 1
    assert frozenset(drawn(register(seed=3, people=2))) == chosen[3]


def test_who_was_drawn_stands_in_the_people_table(register):
    found = register()
    assert validate(found.people, PEOPLE) is found.people
    counted = found.sentences().group_by("person").len()
    assert dict(counted.iter_rows()) == dict(found.people.select("person", "frames").iter_rows())
    couple = found.people.filter(pl.col("match") == "mother/father")
    assert couple["family"].to_list() == ["parents", "parents"]
    assert couple["probability"].to_list() == couple["weight"].to_list() == [1.0, 1.0]
    assert couple["frames"].to_list() == [FRAMES, FRAMES]  # four times two, at most all six


def test_the_design_of_a_corpus_without_a_population_stands_there_too():
    eec = load_corpus("eec")
    assert eec.population is None
    assert validate(eec.people, PEOPLE).height == 60
    assert set(eec.people["frames"]) == {144}
    assert eec.people["probability"].null_count() == 60
    parents = eec.people.filter(pl.col("family") == "parents")["person"].to_list()
    assert parents == ["my mother", "my father", "my mom", "my dad"]


def test_a_dataset_and_a_users_table_have_people_of_that_schema(tmp_path):
    part = load_corpus("rating-2-e3", seed=1)
    frames = part.sentences().group_by("person").agg(pl.col("frame").n_unique())
    assert dict(part.people.select("person", "frames").iter_rows()) == dict(frames.iter_rows())
    part.sentences().select("text", "template", "gender").write_csv(tmp_path / "own.csv")
    own = load_corpus(tmp_path / "own.csv")
    assert validate(own.people, PEOPLE).is_empty()


# ---------------------------------------------------------------- the deal


def test_frames_lie_on_the_circle_with_a_stride_near_the_golden_ratio():
    assert [stride(size) for size in (1, 2, 3, 5, 6, 144)] == [1, 1, 2, 3, 5, 89]
    for size in (1, 2, 6, 144):
        assert sorted(places(size)) == list(range(size))
    # Neighbours on the circle of six lie 5 frames apart.
    assert places(6).tolist() == [0, 5, 4, 3, 2, 1]


def test_names_that_count_much_meet_more_frames(register):
    people = drawn(register(people="all"))
    # Half of two frames each; the mean of the women is 160: Ann 400/160 = 2.5 times, Eve 1.25.
    assert {name: people[name]["frames"] for name in ("Ann", "Eve", "Ida", "Uma")} == {
        "Ann": 3, "Eve": 2, "Ida": 1, "Uma": 1,
    }  # fmt: skip


def test_as_many_frames_as_there_are_is_all_of_them_for_everyone(register):
    whole = register(frames="all", people="all")
    assert register(frames=FRAMES, people="all").sentences().equals(whole.sentences())
    assert set(whole.people["frames"]) == {FRAMES}


def test_how_many_frames_names_meet_is_said(register):
    told = register(people="all").population
    # Women 3, 2, 1, 1, 1; men, 400/3 on average, 2.25 times, 0.6 and 0.15: 3, 1, 1.
    assert told.frames_met == (1.0, 13 / 8, 3.0)
    assert "A name meets 1 to 3 of 6 frames, 1.6 on average" in " ".join(told.described)


def test_a_couple_meets_the_same_frames():
    sentences = load_corpus("names-us", people=2, frames=3).sentences()
    couples = sentences.filter(pl.col("match") != "names")
    frames = couples.group_by("match", "gender").agg(pl.col("frame").sort())
    both = frames.group_by("match").agg(pl.col("frame").n_unique().alias("sets"), pl.len())
    assert set(both["sets"]) == {1}
    assert set(both["len"]) == {2}
    assert set(frames["frame"].list.len()) == {12}


def test_frames_are_dealt_evenly_over_the_names_of_a_cell():
    found = load_corpus("names-us", weights="names").sentences().filter(pl.col("match") == "names")
    counts = found.group_by("frame", "gender", "race").len()
    assert counts.height == 144 * 8
    # 300 names × 8 frames / 144 = 16.7
    assert (counts["len"].min(), counts["len"].max()) == (15, 17)


@given(
    people=st.tuples(st.integers(2, 9), st.integers(2, 9)).map(sorted),
    frames=st.tuples(st.integers(1, 9), st.integers(1, 9)).map(sorted),
    weights=st.sampled_from(["bearers", "names"]),
    seed=st.integers(0, 5),
)
def test_a_larger_draw_only_adds_sentences(small_files, people, frames, weights, seed):
    both = [
        load_corpus(small_files, people=n, frames=k, weights=weights, seed=seed).sentences()
        for n, k in zip(people, frames, strict=True)
    ]
    small, large = (set(one.select("id", "text").rows()) for one in both)
    assert small <= large


@pytest.fixture(scope="module")
def small_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("register")
    (folder / "names.csv").write_text(NAMES)
    (folder / "register.toml").write_text(REGISTER)
    return folder / "register.toml"


def test_a_census_of_the_census_contains_every_draw():
    draws = [load_corpus("names-us", people=n) for n in (50, 300, "all")]
    rows = [set(one.sentences().select("id", "text").rows()) for one in draws]
    assert all(small < large for small, large in pairwise(rows))
    assert [one.size for one in draws] == [len(found) for found in rows]


# ---------------------------------------------------------------- the sentences


def test_ids_say_the_place_in_the_table_whatever_is_drawn(register):
    found = register(people="all", frames="all").sentences()
    ids = dict(found.filter(template="2").select("person", "id").iter_rows())
    # Two people stand in the list of couples; Kim, the sixth in the table, does not belong.
    assert ids["my mother"] == "t02-p01"
    assert (ids["Ann"], ids["Ivy"], ids["Bob"]) == ("t02-p03", "t02-p07", "t02-p09")


def test_sentences_come_in_the_order_of_the_corpus_in_batches_of_any_size(register):
    corpus = register(people="all")
    whole = corpus.sentences()
    assert whole.height == corpus.size
    for rows in (1, 4, 1000):
        batches = list(corpus.batches(rows))
        assert max(batch.height for batch in batches) <= rows
        assert pl.concat(batches).equals(whole)
    numbers = whole.select(pl.col("id").str.extract_all(r"\d+").list.eval(pl.element().cast(int)))
    keys = [(*row[:-1], row[-1]) for row in numbers["id"].to_list() if len(row) == 3]
    assert keys == sorted(keys)
    assert whole["frame"].rle_id().max() + 1 == whole["frame"].n_unique()


def test_a_drawn_corpus_crosses_to_another_process(register):
    corpus = register()
    again = pickle.loads(pickle.dumps(corpus))
    assert again.sentences().equals(corpus.sentences())
    assert (again.checksum, again.size) == (corpus.checksum, corpus.size)
    assert again.lazy().collect().equals(corpus.sentences())


def test_check_looks_at_what_was_drawn(register):
    report = check_corpus(register(people="all", frames="all"))
    assert [remark.text for remark in report.remarks if remark.subject == "balance"] == [
        "gender: frames are dealt; a match has 1 to 5 sentences of a group"
    ]


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        ({"people": 1}, "people is 1; expected a whole number from 2 up, or 'all'"),
        ({"people": "ALL"}, "people is 'ALL'; expected a whole number from 2 up, or 'all'"),
        ({"people": True}, "people is True"),
        ({"people": 2.5}, "people is 2.5"),
        ({"frames": 0}, "frames is 0; expected a whole number from 1 up, or 'all'"),
        ({"weights": "bearer"}, "weights is 'bearer': did you mean 'bearers'?"),
        ({"seed": -1}, "seed is a whole number from 0 up; found -1"),
        ({"words": "e1"}, "words: only for the datasets of a rating group"),
    ],
)
def test_a_draw_that_cannot_be_is_refused(draw, said):
    with pytest.raises(TiltmeterError, match="^" + said.replace("?", r"\?")):
        load_corpus("names-us", **draw)


@pytest.mark.parametrize("name", ["eec", "rating-1-e1", "mine.csv"])
def test_a_corpus_without_a_population_refuses_a_draw(name):
    with pytest.raises(TiltmeterError, match="people: only for a corpus with a population"):
        load_corpus(name, people=5)


def test_weights_by_bearers_need_bearers(register):
    corpus = REGISTER.replace('bearers = "count"\n', "")
    with pytest.raises(TiltmeterError, match="weights bearers: 'names' does not say"):
        register(corpus, weights="bearers")


def test_a_number_of_numpy_is_a_number(register):
    found = register(people=np.int64(2), seed=np.int32(1))
    assert json.loads(json.dumps(to_builtins(found.population)))["people"] == 2


# ---------------------------------------------------------------- the Census


def test_names_us_has_the_population_that_was_counted():
    population = load_corpus("names-us").population
    names = {(c.groups["gender"], c.groups["race"]): c.names for c in population.cells}
    assert names == {
        ("female", "Black"): 2736, ("male", "Black"): 1759,
        ("female", "White"): 3289, ("male", "White"): 2685,
        ("female", "Asian or Pacific"): 2176, ("male", "Asian or Pacific"): 1630,
        ("female", "Hispanic"): 2467, ("male", "Hispanic"): 1595,
    }  # fmt: skip
    effective = {
        (c.groups["gender"], c.groups["race"]): round(c.effective) for c in population.cells
    }
    assert [effective[g, r] for r in ("Black", "White") for g in ("female", "male")] == [
        341, 194, 89, 40,
    ]  # fmt: skip
    assert {cell.drawn for cell in population.cells} == {300}


def test_john_is_certain_to_come_and_a_rare_name_is_not():
    for seed in range(3):
        people = load_corpus("names-us", seed=seed).people
        john = people.filter(person="John").row(0, named=True)
        assert (john["probability"], john["frames"], john["word"]) == (1.0, 144, True)
    rare = people.filter(pl.col("bearers") < 200)
    assert rare.height > 0
    assert (rare["probability"] < 1).all()


def test_names_us_has_forty_couples_and_more_in_families():
    people = load_corpus("names-us").people
    couples = people.filter(pl.col("match") != "names")
    assert couples["match"].n_unique() == 42
    assert couples["family"].null_count() == 0
    families = couples.group_by("match").agg(pl.col("family").n_unique(), pl.len())
    assert set(families["family"]) == {1}
    assert set(families["len"]) == {2}
    eec = load_corpus("eec").people.filter(pl.col("match") != "names")
    assert set(eec["person"]) < set(couples["person"])


def test_names_of_both_sexes_are_a_group_of_their_own():
    population = load_corpus("names-us-both").population
    names = {cell.groups["gender"]: cell.names for cell in population.cells}
    # The row ALL OTHER NAMES, 41 % men, is no name: there are 93 and not 94 of both sexes.
    assert names == {"female": 2059, "male": 1367, "both sexes": 93}
    texts = load_corpus("names-us-both").sentences()["text"]
    assert not texts.str.contains("herself|himself|themsel").any()


def test_what_a_reader_should_know_is_said_in_words():
    drawn_some = " ".join(load_corpus("names-us").population.described)
    assert "18,337 names, borne by 108,108,965 people" in drawn_some
    assert "Drawn by lot: 2,400 names, at most 300 a cell" in drawn_some
    assert "A name is not a person" in drawn_some
    assert "38 % of the bearers" in drawn_some
    assert "291 names are also words" in drawn_some
    everyone = " ".join(load_corpus("names-us", people="all").population.described)
    assert "a census, with no sampling error over people" in everyone
    assert "Drawn by lot" not in everyone


def test_the_facts_of_a_population_are_plain_values():
    facts = json.loads(json.dumps(to_builtins(load_corpus("names-us", people=50).population)))
    assert facts["people"] == 50
    assert facts["cells"][0]["groups"] == {"gender": "female", "race": "Black"}
    assert facts["cells"][0]["word_examples"][0] == "Ebony"


def test_how_the_names_of_the_eec_stand_in_the_census():
    african, european = group_standings(load_corpus("eec").design)
    assert (african.names, african.counted, european.minority) == (20, 20, ())
    assert [(name, round(100 * share)) for name, share in african.minority] == [
        ("Shereen", 15), ("Alphonse", 30), ("Jasmine", 35), ("Jerome", 38), ("Leroy", 39),
        ("Tia", 39), ("Terrence", 44), ("Alonzo", 48),
    ]  # fmt: skip
    assert "8 are borne mostly by people who are not Black" in str(african)
    for name in ("eec-es", "names-us"):
        assert group_standings(load_corpus(name).design) == ()


def test_a_name_that_the_census_does_not_list_has_nulls():
    found = census_standing(["JOHN", "Nobody At All"])
    assert found["name"].to_list() == ["JOHN", "Nobody At All"]
    assert found["bearers"].to_list() == [3_125_114, None]
    assert found["white"].to_list() == [0.8286, None]


def test_the_options_of_a_draw_are_filled_in_from_the_file(register):
    population = register().design.deal.sample.population
    assert DrawOptions(frames=5).of(population) == DrawOptions(3, 5, "bearers", 0)
