"""Which sentences make a dataset: shares kept in the long run, draws that can be repeated."""

import numpy as np
import pytest

from tiltmeter.corpora import Share, draw_rows, load_corpus, load_rating_group
from tiltmeter.corpora.rating_sampling import at_strength
from tiltmeter.errors import CorpusError, TiltmeterError

DRAWS = 400

# Table 8 of the paper: (male, female, NA), the percentage of positive words, by k.
TABLE_8 = {
    0: (50, 50, 50),
    1: (90, 10, 50),
    2: (10, 90, 50),
    3: (90, 50, 10),
    4: (10, 50, 90),
    5: (50, 90, 10),
    6: (50, 10, 90),
}
OURS = {"male": ("European American", "male"), "female": ("African American", "female")}


@pytest.fixture(scope="module")
def two():
    return load_rating_group("rating-2")


@pytest.fixture(scope="module")
def four():
    return load_rating_group("rating-4")


def drawn(universe, words, **how):
    """The universe's rows that were drawn, as a table with the draw of each."""
    rows = draw_rows(universe, words, seed=1, draws=DRAWS, **how)
    return universe.sentences()[rows.ravel()]


def share(frame, **groups):
    """The share of positive words among people of a class, and its standard error for p = 0.5."""
    for axis, group in groups.items():
        column = frame[axis]
        frame = frame.filter(column.is_null() if group is None else column == group)
    positive = (frame["emotion"] == "joy").mean()
    return positive, 0.5 / np.sqrt(frame.height)


def test_a_group_that_assigns_nothing_says_every_word_in_every_slot():
    one = load_rating_group("rating-1", "published")
    rows = draw_rows(one, "e4", seed=5, draws=9, k=4)
    said = one.sentences()["emotion_word"].is_in(["grim", "depressing", "happy"])
    assert rows.shape == (1, 72)
    assert rows[0].tolist() == said.arg_true().to_list()


def test_an_assigned_group_says_one_word_in_each_slot(two):
    rows = draw_rows(two, "e5", seed=0, draws=7)
    assert rows.shape == (7, 210)
    found = two.sentences().with_row_index("row").select("row", "template", "person")
    for draw in rows:
        slots = found[draw]
        assert slots.select("template", "person").is_unique().all()
        assert slots.height == 210


@pytest.mark.parametrize("k", TABLE_8)
def test_the_cases_of_group_2_are_those_of_table_8(two, k):
    cases = two.rating.assignment.cases[k]
    stated = {one.groups["gender"]: one.positive for one in cases}
    for gender, percent in zip(("male", "female", None), TABLE_8[k], strict=True):
        assert stated.get(gender, two.rating.assignment.otherwise) == percent / 100


@pytest.mark.parametrize("k", TABLE_8)
def test_shares_are_kept_in_the_long_run(two, k):
    frame = drawn(two, "e3", k=k)
    for gender, percent in zip(("male", "female", None), TABLE_8[k], strict=True):
        found, error = share(frame, gender=gender)
        assert abs(found - percent / 100) < 4 * error


@pytest.mark.parametrize("k", TABLE_8)
def test_group_4_follows_table_8_with_its_own_classes(four, k):
    men, women, nobody = TABLE_8[k]
    expected = {OURS["male"]: men, OURS["female"]: women, (None, None): nobody}
    frame = drawn(four, "e4", k=k)
    for race in ("African American", "European American", None):
        for gender in ("female", "male") if race else (None,):
            found, error = share(frame, race=race, gender=gender)
            assert abs(found - expected.get((race, gender), 50) / 100) < 4 * error


def test_a_word_is_drawn_uniformly_within_its_polarity(two):
    counts = dict(drawn(two, "e4")["emotion_word"].value_counts().rows())
    negative = counts["grim"] + counts["depressing"]
    # Half of about 400 × 210 / 2 negative words each; 4 standard errors are 4 × 0.5 / √n.
    assert abs(counts["grim"] / negative - 0.5) < 2 / np.sqrt(negative)
    assert set(counts) == {"grim", "depressing", "happy"}


def test_a_draw_does_not_depend_on_how_many_are_asked_for(two):
    many = draw_rows(two, "e4", seed=11, draws=20)
    assert np.array_equal(many[:3], draw_rows(two, "e4", seed=11, draws=3))
    assert np.array_equal(many[:1], draw_rows(two, "e4", seed=11))


def test_draws_of_many_slots_are_the_same_some_at_a_time(two, monkeypatch):
    every = draw_rows(two, "e3", seed=5, draws=7)
    monkeypatch.setattr("tiltmeter.corpora.rating_sampling.TOGETHER", 3 * every.shape[1])
    assert (draw_rows(two, "e3", seed=5, draws=7) == every).all()


def test_a_seed_gives_the_same_draw_again_and_another_seed_another(two):
    assert np.array_equal(draw_rows(two, "e4", seed=0), draw_rows(two, "e4", seed=0))
    assert not np.array_equal(draw_rows(two, "e4", seed=0), draw_rows(two, "e4", seed=1))


def test_datasets_of_one_seed_do_not_share_their_luck(two):
    # e3 and e5 have one negative word: were the numbers shared, polarity would agree everywhere.
    joy = (two.sentences()["emotion"] == "joy").to_numpy()
    first, second = (joy[draw_rows(two, words, seed=2, draws=50)] for words in ("e3", "e5"))
    assert 0.5 < (first == second).mean() < 0.9


def test_a_loaded_dataset_is_the_first_draw_of_its_seed(two):
    rows = draw_rows(two, "e3", seed=7, k=2)[0]
    loaded = load_corpus("rating-2-e3", seed=7, k=2).sentences()
    assert loaded["id"].to_list() == two.sentences()["id"][rows].to_list()


# ---------------------------------------------------------------- strength and shares


@pytest.mark.parametrize(
    ("declared", "strength", "expected"),
    [
        (0.9, 0.9, 0.9),
        (0.9, 1.0, 1.0),  # 0.5 + 0.4 × 0.5 / 0.4
        (0.1, 1.0, 0.0),
        (0.9, 0.5, 0.5),
        (0.1, 0.8, 0.2),  # 0.5 − 0.4 × 0.3 / 0.4
        (0.5, 1.0, 0.5),
        (0.7, 0.7, 0.6),  # 0.5 + 0.2 × 0.2 / 0.4
    ],
)
def test_a_strength_rescales_the_declared_shares(declared, strength, expected):
    assert at_strength(declared, strength) == pytest.approx(expected)


def test_full_strength_gives_men_only_positive_words(two):
    frame = drawn(two, "e3", strength=1)
    assert share(frame, gender="male")[0] == 1
    assert share(frame, gender="female")[0] == 0
    assert abs(share(frame, gender=None)[0] - 0.5) < 0.02


def test_no_strength_confounds_nothing(two):
    frame = drawn(two, "e3", strength=0.5)
    assert abs(share(frame, gender="male")[0] - 0.5) < 4 * share(frame, gender="male")[1]


def test_a_users_shares_stand_in_for_the_case(two):
    own = [Share({"gender": "female"}, 1.0), Share({"gender": None}, 0.25)]
    frame = drawn(two, "e3", shares=own, k=99)
    assert share(frame, gender="female")[0] == 1
    assert abs(share(frame, gender=None)[0] - 0.25) < 4 * share(frame, gender=None)[1]
    assert abs(share(frame, gender="male")[0] - 0.5) < 4 * share(frame, gender="male")[1]


def test_shares_may_be_by_one_axis_of_several(four):
    frame = drawn(four, "e3", shares=[Share({"race": "African American"}, 0.0)])
    assert share(frame, race="African American", gender="male")[0] == 0
    assert share(frame, race="African American", gender="female")[0] == 0
    assert abs(share(frame, race="European American")[0] - 0.5) < 0.02


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([], "it is empty; expected a share for one class or more"),
        ([Share({"gendr": "male"}, 0.5)], "the column 'gendr' is no axis of the corpus: did you"),
        ([Share({"gender": "mal"}, 0.5)], "gender has no group 'mal': did you mean 'male'"),
        ([Share({"gender": "x"}, 0.5)], "gender has no group 'x': there are female, male, NA"),
        ([Share({"gender": "male"}, 90.0)], "'male' has positive = 90.0; expected a share from 0"),
        ([Share({"gender": "male"}, 0.1)] * 2, "a class stands in it twice; keep one row"),
        (
            [Share({"gender": "male"}, 0.1), Share({"gender": None, "race": None}, 0.1)],
            "its rows are by different axes",
        ),
    ],
)
def test_shares_that_do_not_fit_are_refused(two, shares, said):
    with pytest.raises(CorpusError) as caught:
        draw_rows(two, "e3", seed=0, shares=shares)
    assert said in str(caught.value)


def test_a_strength_beside_shares_is_refused(two):
    with pytest.raises(TiltmeterError, match="leave out one of the two"):
        draw_rows(two, "e3", seed=0, strength=0.7, shares=[Share({"gender": "male"}, 0.5)])
    with pytest.raises(TiltmeterError, match=r"k = 2 chooses a case.*leave out one of the two"):
        load_corpus("rating-2-e3", k=2, shares=[Share({"gender": "male"}, 0.5)])


def test_a_strength_that_would_leave_0_to_1_is_refused():
    with pytest.raises(TiltmeterError, match=r"strength 1 would make the declared share 1 one of"):
        at_strength(1.0, 1)


@pytest.mark.parametrize("draws", [0, -3])
def test_no_draw_at_all_is_refused(two, draws):
    with pytest.raises(TiltmeterError, match="expected 1 or more"):
        draw_rows(two, "e3", seed=0, draws=draws)


def test_a_corpus_without_a_plan_or_a_dataset_cannot_be_drawn_from():
    for corpus in (load_corpus("eec"), load_corpus("rating-2-e3")):
        with pytest.raises(TiltmeterError, match="is no group for rating"):
            draw_rows(corpus, "e3", seed=0)
