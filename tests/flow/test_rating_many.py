"""Very many stored outputs: the same tables as when every one of them is kept."""

from functools import partial

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import read_rating_results
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow import rate, rating
from tiltmeter.systems import Options, Scale

PEOPLE = [(r, g) for r in ("European American", "African American") for g in ("male", "female")]
PEOPLE.append(("NA", "NA"))
WORDS = {"1": ["grim", "happy"], "3": ["grim", "happy"], "4": ["grim", "happy", "glad"]}


def outputs(rng, group, many=400):
    """Sentences of a group; in group 4 men are given happier words."""
    who = rng.integers(len(PEOPLE), size=many)
    race, gender = np.array(PEOPLE)[who].T
    lean = 0.5 + 0.4 * (gender == "male") * (group == "4")
    words = np.where(rng.random(many) < lean, rng.choice(WORDS[group][1:], many), "grim")
    score = np.where(words == "grim", -0.4, 0.4) + rng.normal(0, 0.3, many) + 0.1 * (who == 1)
    table = pl.DataFrame(
        {
            "Sentence": [f"sentence {n} of {group}" for n in range(many)],
            "Gender": gender,
            "Race": race if group in "34" else np.full(many, "NA"),
            "Emotion": words,
            "Sentiment": score.clip(-1, 1),
        }
    )
    missing = pl.Series(rng.random(many) < 0.03)
    return table.with_columns(Sentiment=pl.when(~missing).then("Sentiment"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root, rng = tmp_path_factory.mktemp("many"), np.random.default_rng(2)
    for system in ("one", "two", "three"):
        for group in WORDS:
            outputs(rng, group).write_csv(root / f"{system}_group{group}_e3.csv")
    signs = pl.col("Sentiment").sign().replace(0, 1)
    outputs(rng, "1").with_columns(signs).write_csv(root / "signs_group1_e3.csv")
    return root


@pytest.fixture
def many(monkeypatch):
    """Have rows counted, whatever their number, in blocks of some kilobytes."""
    counted = partial(read_rating_results, few=0, block=4_000)
    monkeypatch.setattr(rating, "read_rating_results", counted)


EXACT = ("tests", "effects", "ates", "columns")


@pytest.mark.parametrize(
    "how",
    [{}, {"mode": "published"}, {"raw": "ate", "options": Options(scale=Scale(-2.0, 2.0))}],
    ids=["corrected", "published", "ate on another scale"],
)
def test_raw_scores_tests_and_effects_are_those_of_every_row(folder, how, request):
    one = rate(results=folder, draws=0, **how)
    request.getfixturevalue("many")
    other = rate(results=folder, draws=0, **how)
    for name in ("raw", "overall", *EXACT):
        assert_equal(getattr(one.study, name), getattr(other.study, name))
    assert one.run == other.run
    (told,) = [note for note in other.notes if note not in one.notes]
    assert told.startswith("4,000 rows, more than 0: sentences with like scores are counted")
    assert [note for note in other.notes if note != told] == list(one.notes)


def assert_equal(one, other):
    assert one.schema == other.schema
    assert one.height == other.height > 0
    for name in one.columns:
        if one[name].dtype == pl.Float64:
            assert one[name].is_null().to_list() == other[name].is_null().to_list(), name
            left, right = (table[name].fill_null(0).to_numpy() for table in (one, other))
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-10, err_msg=name)
        else:
            assert one[name].to_list() == other[name].to_list(), name


def test_ratings_have_a_spread_and_a_chance_near_those_of_every_row(folder, request):
    how = {"results": folder, "draws": 200, "groups": ["1", "4"], "discretise": "no"}
    one = rate(**how)
    request.getfixturevalue("many")
    other = rate(**how)
    assert other.ratings["p"].null_count() == other.ratings.height  # nobody is named
    # ψ by chance is a sum of weights 1, 0.8 and 0.6: its middle over 200 deals may be one off.
    gender = one.ratings["column"] == "G1"
    chance = [found.ratings["by_chance"].filter(gender).to_numpy() for found in (one, other)]
    np.testing.assert_allclose(*chance, atol=1.01)
    steady = (one.ratings["steady"] - other.ratings["steady"]).abs().drop_nulls()
    assert steady.len() == 7  # signs has no outputs of group 4
    assert steady.max() < 0.2  # four standard errors of a difference: 4 · √(2 · ¼/200)
    assert rate(**how).ratings.equals(other.ratings)


@pytest.mark.usefixtures("many")
def test_a_scale_that_cannot_be_seen_is_asked_for(tmp_path):
    (tmp_path / "a.csv").write_text("Gender,Emotion,Sentiment\nmale,grim,-7\nfemale,grim,3\n")
    with pytest.raises(TiltmeterError, match="a scores from -7 to 3, which is neither"):
        rate(results=tmp_path, draws=0)
