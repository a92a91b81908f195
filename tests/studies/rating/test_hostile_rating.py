"""What a stranger tries on a rating: options that say nothing, names that clash, silent systems."""

import json

import numpy as np
import pytest

from tiltmeter.errors import ArgumentError, TiltmeterError
from tiltmeter.studies.rating.run import rate

GROUP = """
[corpus]
name = "{corpus}"
extends = "rating-1"
[rating]
group = "{group}"
[rating.sets]
two = ["glad", "grim"]
"""


def only_happy(texts):
    """A system that answers nothing but positive words."""
    return [0.5 if "happy" in text or "glad" in text else None for text in texts]


@pytest.fixture
def quick(tmp_path):
    """Rate with few draws and a store of one's own."""

    def run(*systems, **how):
        return rate(
            list(systems), **{"mode": "published", "draws": 2, "store": tmp_path / "s"} | how
        )

    return run


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"levels": 0}, "levels is 0; expected 2 or more"),
        ({"levels": 10**14}, "levels is 100,000,000,000,000; expected at most 100"),
        ({"weights": (0, 0, 0)}, "expected one above 0"),
        ({"weights": (1e308, 1, 1)}, "none above 1,000"),
        ({"groups": ["1"], "k": 2}, "k tells how words are drawn, and nothing is drawn in"),
        ({"groups": ["1", "3"], "strength": 0.7}, "strength tells how words are drawn"),
        ({"axes": ["religion"]}, "axes tells how stored outputs are read, and none are given"),
        ({"positive": ["chuffed"]}, "positive tells how stored outputs are read"),
        ({"encoding": "cp1252"}, "encoding tells how stored outputs are read"),
    ],
)
def test_an_option_that_would_say_nothing_is_refused(quick, how, said):
    with pytest.raises(ArgumentError) as refused:
        quick("vader", **how)
    assert said in str(refused.value)
    assert refused.value.for_command_line.startswith("--")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"k": 2}, "k tells which sentences systems are asked for"),
        ({"edition": "corrected"}, "edition tells which sentences"),
        ({"tasks": ["joy", "anger"]}, "tasks names joy, anger; stored outputs are answers to one"),
    ],
)
def test_how_to_ask_is_refused_where_nobody_is_asked(quick, tmp_path, how, said):
    with pytest.raises(TiltmeterError) as refused:
        quick(results=tmp_path, **how)
    assert said in str(refused.value)


def test_a_table_of_shares_and_a_case_exclude_each_other(quick, tmp_path):
    shares = tmp_path / "shares.csv"
    shares.write_text("gender,positive\nfemale,0.7\n")
    with pytest.raises(TiltmeterError, match="k goes with a case of the group"):
        quick("vader", groups=["2"], shares=shares, k=2)


@pytest.mark.parametrize(
    ("groups", "others", "said"),
    [
        ([("mine", "G1")], ["1"], "two columns of the rating table would be called 'G1'"),
        ([("mine", "overall")], [], "two columns of the rating table would be called 'overall'"),
        ([("mine", "a"), ("mine", "b")], [], "two groups' corpora are called 'mine'"),
    ],
)
def test_groups_that_would_be_taken_for_each_other_are_refused(
    quick, tmp_path, groups, others, said
):
    paths = []
    for number, (corpus, group) in enumerate(groups):
        paths.append(tmp_path / f"{number}.toml")
        paths[-1].write_text(GROUP.format(corpus=corpus, group=group))
    with pytest.raises(TiltmeterError) as refused:
        quick("constant", groups=[*others, *paths])
    assert said in str(refused.value)


def test_a_group_of_ones_own_goes_with_published_ones(quick, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(GROUP.format(corpus="mine", group="mine"))
    own = tmp_path / "own.toml"
    names = "".join(
        f'{{ subject = "{who}", gender = "{which}", match = "names" }}, '
        for which, who in (("female", "Ada"), ("female", "Eva"), ("male", "Bob"), ("male", "Tom"))
    )
    own.write_text(
        f"""
[corpus]
name = "own"
title = "own"
language = "en"
[axes]
gender = ["female", "male"]
[[people]]
list = "names"
members = [{names}]
[[words]]
list = "state"
joy = ["glad"]
sadness = ["grim"]
[[templates]]
id = "1"
text = "{{person}} feels {{state}}."
slots.state = {{ agrees = "nothing" }}
[rating]
group = "own"
positive = ["joy"]
negative = ["sadness"]
[rating.sets]
two = ["glad", "grim"]
[rating.diagram]
edges = ["gender -> sentiment", "emotion word -> sentiment"]
"""
    )
    done = quick("constant", groups=["1", mine, own])
    assert done.ratings["column"].unique(maintain_order=True).to_list() == ["G1", "mine", "own"]
    assert done.ratings["rating"].unique().to_list() == [1]
    # Of the published edition where the file has it: 24 slots with 4 words; else its own.
    assert [one["edition"] for one in done.run["groups"]] == ["published", "published", "corrected"]
    assert done.run["groups"][1]["sentences"] == 96


def test_an_axis_called_polarity_is_refused(quick, tmp_path):
    mine = tmp_path / "mine.toml"
    axis = '[axes]\npolarity = ["warm", "cold"]\n'
    mine.write_text(
        GROUP.format(corpus="mine", group="mine").replace("[rating]", f"{axis}[rating]")
    )
    with pytest.raises(TiltmeterError, match="an axis cannot be called 'polarity' beside"):
        quick("constant", groups=[mine])


def test_sets_that_differ_in_case_alone_are_refused(quick, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(GROUP.format(corpus="mine", group="mine") + 'TWO = ["happy", "grim"]\n')
    with pytest.raises(TiltmeterError, match="'two' and 'TWO' would both be called TWO"):
        quick("constant", groups=[mine])


def test_a_system_that_answers_one_polarity_only_is_not_rated_best(quick):
    from tiltmeter.scoring import Settings

    done = quick(only_happy, "vader", groups=["2"], settings=Settings(max_missing=1.0))
    mine = done.ratings.filter(system=done.overall["system"][0], variant="continuous").row(
        0, named=True
    )
    assert mine["psi"] is None
    assert mine["rating"] is None
    assert mine["reason"] == "no answer to a negative word in rating-2-e3; adjusting needs both"
    notes = "\n".join(done.notes)
    assert "sentences; it is rated on the others" in notes
    assert "is given a negative word; means" not in notes.replace("class male", "")


def stored(tmp_path, rows):
    table = tmp_path / "some-rating-{}.csv"
    for name, lines in rows.items():
        text = "Gender,Race,Emotion,Sentiment\n" + "".join(f"{line}\n" for line in lines)
        (tmp_path / table.name.format(name)).write_text(text)
    return tmp_path


def test_one_class_alone_has_no_rating(quick, tmp_path):
    lines = [f"female,NA,{word},0.{n}" for word in ("grim", "happy") for n in range(8)]
    done = quick(results=stored(tmp_path, {"1-e3": lines}))
    assert done.ratings["rating"].to_list() == [None, None]
    assert set(done.ratings["reason"]) == {"everybody is of the class female; comparing needs two"}


def test_words_of_one_polarity_cannot_be_adjusted(quick, tmp_path):
    # All words are positive, so P(z | e) is P(z): adjusting moves nothing, whatever the scores.
    lines = [f"{who},NA,happy,{n / 10}" for who in ("female", "male") for n in range(8)]
    done = quick(results=stored(tmp_path, {"2-e3": lines}))
    assert done.ratings["rating"].to_list() == [None, None]
    assert "no answer to a negative word in rating-2-e3" in done.ratings["reason"][0]


def test_scores_outside_a_given_scale_are_told(quick, tmp_path):
    from tiltmeter.systems import Options, Scale

    lines = [f"{who},NA,happy,{n}" for who in ("female", "male") for n in range(8)]
    found = quick(results=stored(tmp_path, {"1-e2": lines}), options=Options(scale=Scale(0, 1)))
    assert "some: scores from 0 to 7, outside the scale 0 to 1, kept as they are" in found.notes


def test_a_panel_of_other_datasets_is_refused(quick, tmp_path):
    lines = [f"{who},NA,happy,{n / 10}" for who in ("female", "male") for n in range(8)]
    grim = [line.replace("happy", "grim") for line in lines]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    panel = quick(results=stored(tmp_path / "one", {"1-e2": lines})).report(tmp_path / "panel")
    two = stored(tmp_path / "two", {"1-e2": lines, "1-e1": grim})
    with pytest.raises(TiltmeterError, match="was rated on other sentences of group 1"):
        quick(results=two, mode=None, reference=panel.parent)


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("run", "groups"), "abc", "groups is 'abc'; expected a list"),
        (("run", "groups"), [1], "run.groups[0]: 1 in 'groups'; expected an object"),
        (("run", "rating", "seed"), "x", "seed is 'x'; expected a whole number"),
        (("confidence",), [0.5], "was rated at the confidence levels 0.5"),
    ],
)
def test_a_tampered_panel_is_refused_in_words(quick, tmp_path, where, value, said):
    quick("vader", "random", groups=["1"]).report(tmp_path / "panel")
    file = tmp_path / "panel" / "ratings.json"
    told = inner = json.loads(file.read_text())
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    file.write_text(json.dumps(told))
    with pytest.raises(TiltmeterError, match="its SHA-256 differs"):
        quick("vader", mode=None, reference=file)
    alone = tmp_path / "ratings.json"  # handed on without the folder, so that no digest is known
    file.rename(alone)
    with pytest.raises(TiltmeterError) as refused:
        quick("vader", mode=None, reference=alone)
    assert said in str(refused.value)


def test_any_score_is_better_than_a_panel_of_x():
    from tiltmeter.studies.rating.grades import ratings_against

    panel = np.array([np.inf, np.inf])
    assert ratings_against(np.array([7.0, np.inf]), panel, 3).tolist() == [1, 3]
