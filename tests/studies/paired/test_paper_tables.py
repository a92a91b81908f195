"""The paper's tables for a run: groups, averages, names; and every further table."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simulated_material import (
    TASKS,
    compared_of,
    kind_of,
    material_from,
    material_of,
    scored,
    simulated_scores,
    skill_of,
)
from tiltmeter.claims.judge import Rule
from tiltmeter.corpora import load_corpus
from tiltmeter.report.phrases import slug, unique_slugs
from tiltmeter.studies.audit.tables import group_tables, run_tables
from tiltmeter.studies.paired.comparison import abbreviated

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
FEMALE = (SENTENCES["gender"] == "female").to_numpy()
KINDS = ("none", "up", "down")


@pytest.fixture(scope="module")
def shared_task():
    """The paper's setting: 219 submissions to five tasks, of three known kinds."""
    material = material_of(simulated_scores(SENTENCES), EEC, rule=Rule(family=438))
    return replace(material, skill=skill_of(material))


def stepped(above: float, below: float, template: str) -> np.ndarray:
    """Scores whose Δ is `above` on one template and `below` on every other, on gender."""
    here = (SENTENCES["template"] == template).to_numpy()
    return 0.5 + FEMALE * np.where(here, above, below)


@pytest.fixture(scope="module")
def small():
    """Three submissions with differences known by hand, one of them without a scale."""
    steps = pl.concat(
        [
            scored(SENTENCES, "a", "anger", stepped(0.10, -0.02, "1")),
            scored(SENTENCES, "b", "anger", stepped(0.30, -0.04, "8")),
            scored(SENTENCES, "c", "anger", 10 * stepped(0.1, -0.02, "1"), native=True),
            scored(SENTENCES, "same", "valence", np.full(SENTENCES.height, 0.5)),
            scored(SENTENCES, "empty", "valence", np.full(SENTENCES.height, np.nan)),
        ]
    )
    return material_of(steps, EEC)


def table(material, name):
    return next(one for one in group_tables(material) if one.name == name)


def rows(table, task):
    return table.frame.filter(pl.col("task") == task).drop("corpus", "task").rows()


def test_each_of_219_submissions_falls_into_the_group_it_was_made_for(shared_task):
    found = shared_task.findings.filter(pl.col("subset") == "all")
    made = [kind_of(int(name.removeprefix("team"))) for name in found["system"]]
    assert found.height == 219 * 2
    assert found["significance"].to_list() == made


@pytest.mark.parametrize("name", ["table5-gender-all", "table7-race-all"])
def test_tables_count_the_submissions_of_each_kind_in_each_task(shared_task, name):
    for task, many in TASKS.items():
        made = [kind_of(nth) for nth in range(many)]
        expected = [*(made.count(kind) for kind in KINDS), many]
        assert [row[2] for row in rows(table(shared_task, name), task)] == expected


def test_the_averages_of_simulated_kinds_lean_as_planted(shared_task):
    none, up, down, everyone = table(shared_task, "table7-race-all").frame.head(4).to_dicts()
    # Race pairs are means of 20 names: Δ is about ±0.02 with a noise of 0.03 · √(2/20) = 0.0095.
    assert up["up"] == pytest.approx(0.02, abs=0.002)
    assert down["down"] == pytest.approx(-0.02, abs=0.002)
    assert none["up"] == pytest.approx(-none["down"], abs=0.002)
    weights = [row["n_up"] for row in (none, up, down)]
    mean = np.average([row["up"] for row in (none, up, down)], weights=weights)
    assert everyone["up"] == pytest.approx(mean)


def test_tables_have_the_papers_blocks_and_groups_in_order(shared_task):
    gender = table(shared_task, "table5-gender-all").frame
    assert gender["task"].unique(maintain_order=True).to_list() == sorted(TASKS)
    assert gender["group"].head(4).to_list() == [
        "F=M not significant",
        "F↑–M↓ significant",
        "F↓–M↑ significant",
        "All",
    ]
    race = table(shared_task, "table7-race-all")
    assert tuple(column.header for column in race.columns[2:]) == ("AA↑–EA↓", "AA↓–EA↑")
    assert race.frame["group"][0] == "AA=EA not significant"
    assert "(AA: African American)" in race.notes[0]
    assert "144 pairs" in race.notes[0]
    assert "438 comparisons" in race.notes[0]


def test_the_papers_tables_come_first(shared_task):
    assert [one.name for one in group_tables(shared_task)] == [
        "table5-gender-all",
        "table6-gender-neutral",
        "table7-race-all",
        "table-race-neutral",
    ]


def test_averages_are_per_submission_first_then_over_the_group(small):
    none, up, down, everyone = rows(table(small, "table5-gender-all"), "anger")
    # a: Δ = 0.10 in 20 words × 11 = 220 pairs of template 1, −0.02 in the other 1,364;
    #    mean (22 − 27.28) / 1,584 = −0.0033, se = 0.0415 / √1,584 = 0.00104: down.
    # b: Δ = 0.30 in the 11 pairs of template 8, −0.04 in the other 1,573: down.
    # Per submission: up (0.10 + 0.30) / 2 = 0.20, down (−0.02 − 0.04) / 2 = −0.03.
    # Over pairs at once the first would be (22 + 3.3) / 231 = 0.11.
    assert none[2:] == (0, None, 0, None, 0)
    assert up[2:] == (0, None, 0, None, 0)
    assert down[2:] == (3, pytest.approx(0.20), 2, pytest.approx(-0.03), 2)
    assert everyone == ("All", "all", *down[2:])


def test_submissions_without_a_scale_are_counted_but_not_averaged(small):
    note = table(small, "table5-gender-all").notes[0]
    assert "1 submission has no known scale: counted here, but not in the averages." in note


def test_what_is_not_estimable_has_a_row_only_where_there_is_any(small):
    valence = rows(table(small, "table5-gender-all"), "valence")
    assert [row[1] for row in valence] == ["none", "up", "down", "not_estimable", "all"]
    assert valence[3] == ("Not estimable", "not_estimable", 1, None, 0, None, 0)
    assert valence[4][2] == 2


def test_a_submission_without_differences_of_a_sign_is_left_out_of_that_average(small):
    # On the neutral templates 8 to 11, b has Δ = 0.30 in 11 pairs, and a has no Δ above 0.
    mean = rows(table(small, "table6-gender-neutral"), "anger")[-1]
    assert mean == ("All", "all", 3, pytest.approx(0.30), 1, pytest.approx(-0.03), 2)


def test_another_subset_has_a_table_of_its_own(small):
    names = [one.name for one in group_tables(replace(small, subset="emotion:anger"))]
    assert "table-gender-emotion-anger" in names


def test_an_axis_of_three_groups_has_a_table_for_each_contrast(tmp_path):
    rows = [
        (f"The {age} {who} {does}.", age, f"The {who} {does}.", f"{age} {who}", "1", who)
        for age in ("young", "middle", "old")
        for who in ("clerk", "nurse")
        for does in ("smiles", "frowns")
    ]
    columns = ["text", "age", "frame", "person", "template", "match"]
    pl.DataFrame(rows, columns, orient="row").write_csv(tmp_path / "own.csv")
    own = load_corpus(str(tmp_path / "own.csv"))
    sentences = own.sentences()
    young = (sentences["age"] == "young").to_numpy()
    found = group_tables(material_of(scored(sentences, "s", "joy", 0.5 + 0.1 * young), own))
    told = {one.name: tuple(column.header for column in one.columns[2:]) for one in found}
    assert told == {
        "table-age-all-middle-old": ("M↑–O↓", "M↓–O↑"),
        "table-age-all-middle-young": ("M↑–Y↓", "M↓–Y↑"),
        "table-age-all-old-young": ("O↑–Y↓", "O↓–Y↑"),
    }


def test_several_corpora_are_told_apart_by_name():
    other = load_corpus("eec-latino")
    both = [compared_of(scored(one.sentences(), "s", "joy", np.full(one.size, 0.5)), one)
            for one in (EEC, other)]  # fmt: skip
    estimates = pl.concat(found for _, found in both)
    names = [one.name for one in group_tables(material_from([c for c, _ in both], estimates))]
    assert {"table5-gender-all-eec", "table5-gender-all-eec-latino"} <= set(names)
    assert len(set(names)) == len(names)


def test_a_run_without_findings_has_no_tables(small):
    empty = replace(
        small,
        paired_findings=small.paired_findings.clear(),
        paired_estimates=small.paired_estimates.clear(),
    )
    assert group_tables(empty) == ()
    assert all(frame.is_empty() for name, frame in run_tables(empty).items() if name != "people")


@pytest.mark.parametrize(
    ("groups", "short"),
    [
        (["female", "male"], ["F", "M"]),
        (["African American", "European American"], ["AA", "EA"]),
        (["Latino", "Anglo"], ["L", "A"]),
        (["Arab", "Anglo"], ["Ar", "An"]),
        (["non-binary", "nurse"], ["NB", "N"]),
        (["same thing", "same think"], ["same thing", "same think"]),
        (["امرأة", "رجل"], ["ا", "ر"]),
        (["", "x"], ["", "x"]),
    ],
)
def test_groups_are_abbreviated_and_told_apart(groups, short):
    assert list(abbreviated(groups).values()) == short


def test_file_names_are_safe_and_unique():
    names = ["A", "a", "../../etc/passwd", "<b>x</b>", "n" * 300, "n" * 301, "con", "محبط", "", "é"]
    made = unique_slugs(names)
    assert len({one.lower() for one in made.values()}) == len(names)
    assert all(0 < len(one) <= 70 and one.isascii() for one in made.values())
    assert all(set(one) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for one in made.values())
    assert slug("con") != "con"


def test_a_name_made_to_take_another_ones_file_gets_its_own():
    stolen = unique_slugs(["A b", "a b"])["A b"]
    made = unique_slugs(["A b", "a b", stolen])
    assert len(set(made.values())) == 3


def test_differences_hold_every_estimate_side_by_side(small):
    wide = run_tables(small)["differences"]
    tests = small.estimates.filter(pl.col("measure") == "mean_difference")
    assert wide.height == tests.height
    one = wide.row(by_predicate=(pl.col("system") == "a") & (pl.col("axis") == "gender")
                   & (pl.col("subset") == "all"), named=True)  # fmt: skip
    assert one["mean_difference"] == pytest.approx((220 * 0.10 - 1364 * 0.02) / 1584)
    assert (one["mean_up"], one["mean_down"]) == (pytest.approx(0.10), pytest.approx(-0.02))
    assert one["spread"] == pytest.approx(0.12)
    assert one["max_abs"] == pytest.approx(0.10)
    assert one["mean_abs"] == pytest.approx((220 * 0.10 + 1364 * 0.02) / 1584)
    assert (one["n"], one["n_dropped"], one["exploratory"]) == (1584, 0, False)
    assert one["significance"] == "down"
    assert one["p_adjusted"] == pytest.approx(10 * one["p"])  # 5 submissions × 2 axes


def test_only_subsets_are_exploratory(small):
    wide = run_tables(small)["differences"]
    assert (wide["exploratory"] == (wide["subset"] != "all")).all()


def test_largest_pairs_are_the_20_largest_with_both_sentences(shared_task):
    found = run_tables(shared_task)["largest-pairs"]
    mine = found.filter(system="team07", task="joy", axis="race")
    compared = shared_task.compared[0]
    place = compared.submissions.with_row_index().filter(system="team07", task="joy")["index"][0]
    race = (compared.study.pairs["axis"] == "race").to_numpy()
    sizes = np.sort(np.abs(compared.study.deltas[place, race]))[::-1][:20]
    assert mine["difference"].abs().to_list() == sizes.tolist()
    assert mine["place"].to_list() == list(range(1, 21))
    gap = mine["score_first"] - mine["score_second"] - mine["difference"]
    assert gap.abs().max() < 1e-12
    assert set(mine["n_first"]) == {20}
    assert mine["text_first"][0] in set(SENTENCES.filter(race="African American")["text"])


def test_pairs_without_a_difference_are_not_among_the_largest(small):
    assert run_tables(small)["largest-pairs"].filter(system="same").is_empty()


def test_templates_and_words_average_the_pairs_of_each(small):
    cells = run_tables(small)["templates-words"].filter(system="a", axis="gender")
    assert cells.height == 144
    first, rest = cells.filter(template="1"), cells.filter(pl.col("template") != "1")
    assert first["mean_difference"].to_list() == pytest.approx([0.10] * 20)
    assert rest["mean_difference"].to_list() == pytest.approx([-0.02] * 124)
    assert set(cells["n"]) == {11}


def test_matches_average_over_frames_and_count_what_was_missing(small):
    found = run_tables(small)["matches"]
    mine = found.filter(system="b", axis="gender", match="she/he").row(0, named=True)
    # 1 frame of template 8 at 0.30, the other 143 frames at −0.04.
    assert mine["mean_difference"] == pytest.approx((0.30 - 143 * 0.04) / 144)
    empty = found.filter(system="empty", match="she/he").row(0, named=True)
    assert (empty["mean_difference"], empty["n"]) == (None, 0)


def test_people_stand_beside_their_match(small):
    found = run_tables(small)["people"]
    she, he = (found.filter(system="b", person=one).row(0, named=True) for one in ("she", "he"))
    # Each is half of Δ away from the average of the two.
    assert she["deviation"] == pytest.approx((0.30 - 143 * 0.04) / 144 / 2)
    assert he["deviation"] == pytest.approx(-she["deviation"])
    assert (she["gender"], she["race"], she["n"]) == ("female", None, 144)


def test_top_systems_count_how_many_of_the_most_skilled_show_no_difference(shared_task):
    top = run_tables(shared_task)["top-systems"]
    mine = top.filter(task="anger", axis="gender", subset="all")
    # Ranked by name, and made up, down, none by turns: none are the 3rd, 6th and 9th.
    assert mine.select("top", "systems", "no_difference", "up", "down").rows() == [
        (1, 1, 0, 1, 0),
        (3, 3, 1, 1, 1),
        (5, 5, 1, 2, 2),
        (10, 10, 3, 4, 3),
    ]


def test_skill_and_families_are_there_only_where_they_are_known(small, shared_task):
    assert not {"skill", "top-systems", "families"} & set(run_tables(small))
    assert {"skill", "top-systems"} <= set(run_tables(shared_task))
