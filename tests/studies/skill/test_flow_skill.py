"""`tiltmeter.skill`: whatever can be scored, on gold of any kind, with groups and without."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tiltmeter
from tiltmeter.errors import CorpusError, IncompleteError, ScoreFileError, TiltmeterError
from tiltmeter.scoring import Settings
from tiltmeter.systems import Card, Missing, Options, System, parse_scale

SEMEVAL = Path(__file__).parents[4] / "shared" / "data" / "semeval2018"
needs_semeval = pytest.mark.skipif(not SEMEVAL.is_dir(), reason=f"no SemEval data in {SEMEVAL}")

N = 40
RNG = np.random.default_rng(5)
SCORES = RNG.random(N).round(3)
GOLD = pl.DataFrame(
    {
        "id": [f"tw-{nth}" for nth in range(N)],
        "text": [f"text {nth} {'x' * int(30 * score)}" for nth, score in enumerate(SCORES)],
        "score": SCORES,
        "written by": ["women", "men"] * (N // 2),
    }
)


def lengths(texts):
    return [len(text) / 50 for text in texts]


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")

    def state(systems, gold=GOLD, **settings):
        return tiltmeter.skill(systems, gold, **{"store": store, "resamples": 200, **settings})

    return state


def value(found, measure, **keys):
    [row] = found.table.filter(pl.col("measure") == measure, **keys).to_dicts()
    return row["value"]


def test_a_function_is_asked_and_its_numbers_are_scipy_s(state):
    found = state(lengths)
    x = np.array(lengths(GOLD["text"]))
    assert value(found, "pearson") == pytest.approx(stats.pearsonr(x, SCORES).statistic)
    assert value(found, "spearman") == pytest.approx(stats.spearmanr(x, SCORES).statistic)
    assert value(found, "mae") == pytest.approx(np.abs(x - SCORES).mean())
    assert value(found, "mean_error") == pytest.approx((x - SCORES).mean())
    assert found.groups.is_empty()
    assert found.differences.is_empty()
    assert ("lengths", "scale 0 to 1, inferred: every answer lies within it") in found.notes


def test_numbers_are_those_of_the_audit_s_skill(state, tmp_path):
    audit = tiltmeter.audit(["vader"], gold=GOLD, sample=4, flips=0, store=tmp_path)
    found = state(["vader"])
    for name in ("pearson", "spearman"):
        assert value(found, name) == audit.skill[name][0]


def test_a_declared_scale_is_put_on_0_to_1_before_errors_are_taken(state):
    # −1..1 to 0..1: (x + 1) / 2
    signed = System(Card("signed", scale=parse_scale("-1:1")), lambda texts: [0.5 for _ in texts])
    found = state([signed])
    assert value(found, "mean_error") == pytest.approx(0.75 - SCORES.mean())
    assert value(found, "pearson") is None


def test_groups_come_in_order_of_appearance_and_the_first_has_the_second_taken_off(state):
    found = state([lengths], by="written by")
    assert found.groups["group"].unique(maintain_order=True).to_list() == ["women", "men"]
    assert set(found.differences.select("group", "against").rows()) == {("women", "men")}
    women, men = (value(found, "mae", group=one, n=20, by="written by", n_missing=0)
                  for one in ("women", "men"))  # fmt: skip
    assert found.differences.filter(measure="mae")["value"][0] == pytest.approx(women - men)


def test_a_group_may_be_called_otherwise_than_its_column_is_spelt(state):
    assert state([lengths], by="Written_By").groups.height == 8


def test_integer_groups_and_empty_cells(state):
    gold = GOLD.with_columns(year=pl.Series([2017, 2018, None, 2018] * 10))
    found = state([lengths], gold, by="year")
    assert found.groups["group"].unique(maintain_order=True).to_list() == ["2017", "2018"]
    assert (
        "year",
        "10 of 40 texts have no group; they count over all texts, and in no group",
    ) in found.notes
    assert ("year 2017", "10 texts: fewer than 20, so the numbers say little") in found.notes
    assert set(found.overall["n"]) == {40}


def test_a_table_of_scores_a_file_and_a_folder_are_joined(state, tmp_path):
    scores = GOLD.select("id", score=1 - pl.col("score"))
    scores.write_csv(tmp_path / "mine.csv")
    (tmp_path / "teams").mkdir()
    for team in ("one", "two"):
        scores.head(30).write_csv(tmp_path / "teams" / f"{team}.csv")
    found = state([("table", scores), tmp_path / "mine.csv", tmp_path / "teams", lengths])
    named = found.overall.filter(measure="pearson")
    assert set(named["system"]) == {"table", "mine", "one", "two", "lengths"}
    counted = dict(named.select("system", "n").rows())
    assert (counted["table"], counted["one"]) == (40, 30)
    assert value(found, "pearson", system="table") == pytest.approx(-1)
    assert value(found, "mae", system="mine") == pytest.approx(np.abs(1 - 2 * SCORES).mean())
    what = "its skill rests on 30 of 40 gold texts; it has no score for the others"
    assert ("two", what) in found.notes


def test_scores_are_joined_by_text_where_there_are_no_ids(state):
    scores = GOLD.select("text", score=pl.col("score"))
    found = state([scores], GOLD.drop("id"))
    assert value(found, "mae") == pytest.approx(0)


def test_two_systems_of_one_name_are_told_apart(state):
    found = state([lambda text: len(text) / 50, lambda text: len(text) / 60])
    assert found.overall["system"].n_unique() == 2


def test_each_task_has_its_own_gold(state):
    gold = pl.concat([
        GOLD.with_columns(task=pl.lit("joy")),
        GOLD.with_columns(task=pl.lit("anger"), score=1 - pl.col("score")),
    ])  # fmt: skip
    found = state([lengths], gold, tasks=["joy", "anger"])
    assert value(found, "pearson", task="joy") == pytest.approx(
        -value(found, "pearson", task="anger")
    )


def test_who_has_no_skill_has_a_row_that_says_why(state):
    found = state(["biased-female", "constant", lengths], by="written by")
    row = found.overall.filter(system="biased-female", measure="mae").to_dicts()[0]
    assert row["value"] is None
    assert row["reason"].startswith("a control that answers from the corpus' rows")
    assert value(found, "mae", system="constant", group="men") is not None
    assert value(found, "pearson", system="constant", group="men", n_missing=0) is None


def test_gold_for_another_task_alone_is_an_error_that_names_both(state):
    with pytest.raises(
        TiltmeterError, match=r"vader \(valence\): no gold scores for valence; .*joy"
    ):
        state(["vader"], GOLD.with_columns(task=pl.lit("joy")))


def test_a_system_that_fails_stops_the_run_only_where_it_is_the_only_one(state):
    gaps = System(Card("gaps"), lambda texts: [Missing("no idea") for _ in texts])
    with pytest.raises(IncompleteError, match="gaps gave no score for"):
        state([gaps])
    found = state([gaps, lengths])
    reason = found.overall.filter(system="gaps")["reason"][0]
    assert reason.startswith("it could not be asked: gaps gave no score")
    allowed = state([gaps], settings=Settings(max_missing=1.0))
    assert allowed.overall["value"].null_count() == 4
    assert allowed.overall["reason"][0] == "0 of 40 texts have a score; at least 3 are needed"


def test_nothing_is_asked_where_only_stored_scores_are_wanted(state, tmp_path):
    with pytest.raises(IncompleteError, match="has no stored score for 40 of 40 gold texts"):
        state([lengths], store=tmp_path / "new", settings=Settings(reuse="stored"))


@pytest.mark.parametrize(
    ("gold", "by", "message"),
    [
        (GOLD, "writen by", "no column is called 'writen by': did you mean 'written by'"),
        (GOLD, "dialect", r"no column is called 'dialect'.*there are 'id', 'text', 'score'"),
        (GOLD, "id", "the column 'id' holds the IDs; expected one with a group for each text"),
        (GOLD, "score", "the column 'score' holds the gold scores"),
        (GOLD.with_columns(one=pl.lit("x")), "one", "has only the value 'x'; expected two groups"),
        (GOLD.with_columns(no=pl.lit(None)), "no", "is empty throughout; expected two groups"),
        (GOLD.with_columns(a_b=pl.lit(1), **{"a b": pl.lit(2)}), "A-B", "could each be 'A-B'"),
        (
            pl.concat([GOLD, GOLD.head(1).with_columns(pl.lit("men").alias("written by"))]),
            "written by",
            "'tw-0' stands in 'women' .* and 'men' .*; expected one group for each",
        ),
        (
            pl.concat([GOLD.with_columns(pl.col("id", "text") + str(k)) for k in range(2)])
            .with_row_index("row")
            .with_columns(row=pl.col("row") % 51),
            "row",
            "'row' has 51 different values in 80 texts; expected at most 50 groups",
        ),
    ],
)
def test_a_column_that_tells_no_groups_apart_is_refused_before_anything_is_asked(
    state, gold, by, message
):
    def never(_text):
        raise AssertionError("asked")

    with pytest.raises(TiltmeterError, match=message):
        state([never], gold, by=by)


def test_gold_without_texts_cannot_be_put_to_a_system(state):
    with pytest.raises(TiltmeterError, match="have IDs but no texts"):
        state(["vader"], GOLD.drop("text"))


def test_scores_of_other_texts_are_an_error(state):
    with pytest.raises(ScoreFileError):
        state([GOLD.select(id=pl.col("id") + "z", score="score")])


def test_what_is_no_gold_is_refused(state):
    for gold in (None, 3, pl.DataFrame({"text": [], "score": []})):
        with pytest.raises((TiltmeterError, CorpusError)):
            state([lengths], gold)


def test_scores_on_an_unknown_scale_have_no_error_until_it_is_said(state):
    def letters(text):
        return float(len(text))

    found = state([letters])
    row = found.overall.filter(measure="mae").to_dicts()[0]
    assert row["value"] is None
    assert row["reason"].startswith("its scale is not known")
    scale = parse_scale("0:50")
    said = state([letters], options=Options(scale=scale))
    assert value(said, "mae") == pytest.approx(
        np.abs(np.array(lengths(GOLD["text"])) - SCORES).mean()
    )


def test_the_result_shows_itself_in_a_few_lines(state):
    found = state([lengths], by="written by")
    lines = repr(found).splitlines()
    assert lines[0] == "Skill on gold: Pearson (95 % intervals)"
    assert lines[-1] == "  tables: .overall .groups .differences .table"
    assert any(line.startswith("  lengths, valence, women − men: ") for line in lines)
    assert "<table" in found._repr_html_()


@needs_semeval
def test_real_tweets_and_a_real_system(state):
    found = state(["vader"], SEMEVAL / "2018-Valence-reg-En-test-gold.txt", tasks=["valence"])
    [row] = found.overall.filter(measure="pearson").to_dicts()
    assert row["n"] > 900
    assert 0.5 < row["low"] < row["value"] < row["high"] < 0.75
