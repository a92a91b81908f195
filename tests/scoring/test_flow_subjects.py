"""What Python users may hand over: names, functions, estimators, tables of scores, with names."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tiltmeter
from tiltmeter.errors import ScoreFileError, SystemFailure, TiltmeterError
from tiltmeter.scoring.open_systems import as_polars
from tiltmeter.systems import Card, Scale, System

TEXTS = ["a good day", "a bad day", "good good", "awful and bad", "glad", "angry and sad"]


def lengths(texts):
    return [len(text) / 128 for text in texts]


def one_length(text):
    return len(text) / 128


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def run(store):
    def run(systems, **settings):
        return tiltmeter.score(systems, "eec", **{"store": store, "sample": 4, **settings})

    return run


@pytest.fixture(scope="module")
def eec():
    return tiltmeter.load_corpus("eec").sentences()


@pytest.fixture(scope="module")
def table(eec):
    """Scores that are known: a 128th of the text's length, exact in binary."""
    return eec.select("id", "text", score=pl.col("text").str.len_chars() / 128)


def names(run):
    return [scored.card.name for scored in run.scored]


def raw(run, system):
    return run.scores.filter(pl.col("system") == system)["raw"].to_list()


# ---------------------------------------------------------------- one, several, by name


@pytest.mark.parametrize("given", ["constant", ["constant"], ("constant",), iter(["constant"])])
def test_one_system_needs_no_list(given, run):
    assert names(run(given)) == ["constant"]


def test_a_tuple_of_names_is_several_systems(run):
    assert names(run(("constant", "random"))) == ["constant", "random"]


def test_a_pair_or_a_dictionary_names_what_it_holds(run):
    by_pair = run([("mine", lengths), ("still", "constant"), "random"])
    assert names(by_pair) == ["mine", "still", "random"]
    by_name = run({"mine": lengths, "still": "constant"})
    assert names(by_name) == ["mine", "still"]
    assert raw(by_name, "mine") == raw(by_pair, "mine")
    assert set(by_name.scores["system"]) == {"mine", "still"}


def test_a_system_under_another_name_shares_its_stored_scores(tmp_path):
    asked = []

    def answer(texts):
        asked.extend(texts)
        return [0.5] * len(texts)

    system = System(Card("own", version="1"), answer)
    first = tiltmeter.score(system, "eec", store=tmp_path, sample=2)
    second = tiltmeter.score({"renamed": system}, "eec", store=tmp_path, sample=2)
    assert second.scored[0].known == first.scored[0].asked
    assert len(asked) == first.scored[0].asked + second.scored[0].check.texts
    assert second.scored[0].check.texts == 16


def test_a_system_of_the_user_s_is_not_closed_for_them(run):
    closed = []
    own = System(Card("own"), lambda texts: [0.5] * len(texts), close=lambda: closed.append(1))
    run(own)
    assert not closed


def test_everything_is_taken_together_in_audit_too(store, table):
    own = System(Card("own", scale=Scale(0, 1)), lambda texts: [0.5 for _ in texts])
    given = {"a": "constant", "b": lengths, "c": own, "d": table, "e": one_length}
    audit = tiltmeter.audit(given, store=store, sample=4, flips=0)
    assert sorted(set(audit.findings["system"])) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([3], "found int 3; expected a system's name or spec"),
        (None, "found NoneType None; expected"),
        ([["vader"]], r"found list \['vader'\]; expected"),
        ([("a", "b", "c")], r"found a tuple of 3: .*; expected \(name, system\)"),
        ([(1, "vader")], "found a tuple of 2"),
        ({1: "vader"}, "a system is called 1; expected a name"),
        ({" ": "vader"}, "expected a name"),
        ([System], "found the class System, not an object made from it"),
        (np.ones(3), "found ndarray"),
        ([], "there is no system to score with"),
        ({}, "there is no system to score with"),
    ],
)
def test_anything_else_is_refused_with_what_was_found_and_what_is_taken(given, said, run):
    with pytest.raises(TiltmeterError, match=said):
        run(given)


def test_a_function_answers_for_the_tasks_asked(run):
    found = run(lengths, tasks=["joy", "anger"])
    assert [scored.card.task for scored in found.scored] == ["joy", "anger"]


# ---------------------------------------------------------------- tables of scores


def same_as_lengths(found, system):
    assert raw(found, system) == [len(text) / 128 for text in found.sentences["text"]]


def test_a_polars_table_is_joined_by_id_and_never_asked(run, table):
    shuffled = table.drop("text").sample(fraction=1, shuffle=True, seed=1)
    found = run(shuffled)
    assert names(found) == ["scores"]
    assert found.scored[0].asked == 0
    same_as_lengths(found, "scores")


def test_a_lazy_table_and_one_with_texts_only(run, table):
    found = run([table.lazy(), table.drop("id")])
    assert names(found) == ["scores", "scores (2)"]
    same_as_lengths(found, "scores (2)")


def test_a_table_may_name_systems_and_tasks_itself(run, table):
    parts = [
        table.with_columns(system=pl.lit(system), task=pl.lit(task))
        for system in ("x", "y")
        for task in ("joy", "fear")
    ]
    found = run({"all": pl.concat(parts)})
    keys = [(scored.card.name, scored.card.task) for scored in found.scored]
    assert keys == [("x", "joy"), ("x", "fear"), ("y", "joy"), ("y", "fear")]


def test_our_own_scores_are_taken_back(run, store):
    whole = tiltmeter.score(lengths, "eec", store=store)
    found = run(whole.scores)
    assert names(found) == ["lengths"]
    same_as_lengths(found, "lengths")


def test_a_named_file_takes_the_name_and_a_folder_cannot(run, table, tmp_path):
    table.write_csv(tmp_path / "file.csv")
    assert names(run({"mine": str(tmp_path / "file.csv")})) == ["mine"]
    assert names(run([tmp_path / "file.csv"])) == ["file"]
    with pytest.raises(ScoreFileError, match="a folder holds many systems"):
        run({"mine": tmp_path})


def test_gaps_in_a_table_are_missing_and_strangers_are_left_out(run, table):
    gappy = table.with_columns(
        score=pl.when(pl.col("id") == table["id"][0]).then(float("nan")).otherwise("score")
    )
    stranger = pl.DataFrame({"id": ["?"], "text": ["Who?"], "score": [0.5]})
    found = run(pl.concat([gappy, stranger]), sample=None)
    assert found.scored[0].missing == 1
    assert found.scores["reason"].drop_nulls().to_list() == ["'NaN' is not a number"]
    assert found.reports[0].other == 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda t: t.drop("score"), "no column of scores"),
        (lambda t: t.drop("id", "text"), "no column says which sentence"),
        (lambda t: t.clear(), "found no rows in the table"),
        (lambda t: t.with_columns(id=pl.lit("?"), text=pl.lit("?")), "rows is of the corpus"),
        (lambda t: pl.concat([t, t.with_columns(pl.col("score") + 1)]), "for the same sentence"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_says_why(spoil, said, run, table):
    with pytest.raises(ScoreFileError, match=said):
        run({"mine": spoil(table)})


# ---------------------------------------------------------------- pandas


@pytest.fixture(scope="module")
def pandas():
    return pytest.importorskip("pandas", reason="pandas is not installed: pip install -e '.[dev]'")


@pytest.fixture(scope="module")
def pandas_table(pandas, table):
    return pandas.DataFrame({name: table[name].to_list() for name in table.columns})


def test_a_pandas_table_gives_what_the_polars_one_does(run, pandas_table):
    found = run({"by-pandas": pandas_table})
    same_as_lengths(found, "by-pandas")


def test_ids_may_stand_in_the_index(run, pandas_table):
    found = run({"indexed": pandas_table.drop(columns="text").set_index("id")})
    same_as_lengths(found, "indexed")


def test_pandas_gaps_and_kinds_of_columns(run, pandas, pandas_table):
    odd = pandas_table.assign(system=pandas.Categorical(["cat"] * len(pandas_table)))
    odd["score"] = odd["score"].astype("Float64")
    odd.loc[odd.index[0], "score"] = pandas.NA
    odd[7] = None
    found = run(odd, sample=None)
    assert names(found) == ["cat"]
    assert found.scored[0].missing == 1


def test_columns_of_mixed_types_and_twice_the_same_name(pandas):
    mixed = as_polars(pandas.DataFrame({"id": [1, "b"], "score": [0.5, None]}))
    assert mixed.rows() == [("1", 0.5), ("b", None)]
    with pytest.raises(TiltmeterError, match="several columns 'a'"):
        as_polars(pandas.DataFrame([[1, 2]], columns=["a", "a"]))


def test_a_pandas_series_is_no_table(run, pandas):
    with pytest.raises(TiltmeterError, match="found Series"):
        run([pandas.Series([0.5])])


def test_gold_and_meta_may_be_pandas_tables(store, pandas):
    gold = pandas.DataFrame({"text": TEXTS, "score": [0.9, 0.1, 1, 0, 0.8, 0.2]})
    meta = pandas.DataFrame({"system": ["lengths"], "algorithm": ["counting"]})
    audit = tiltmeter.audit(lengths, gold=gold, meta=meta, store=store, sample=4, flips=0)
    assert audit.skill["n"].to_list() == [6]
    assert audit.meta.rows() == [("lengths", "counting")]


def test_nobody_imports_pandas_or_scikit_learn_for_those_who_do_not(tmp_path):
    code = (
        "import sys, tiltmeter, polars as pl\n"
        "if __name__ == '__main__':\n"
        f"    tiltmeter.score([len, 'constant'], store={str(tmp_path)!r}, sample=1)\n"
        "    print([name for name in ('pandas', 'sklearn', 'transformers') if name in sys.modules])"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


# ---------------------------------------------------------------- pyarrow


def test_a_pyarrow_table_is_taken_where_pyarrow_is_there(run, table):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed here")
    same_as_lengths(run({"arrow": table.to_arrow()}), "arrow")


# ---------------------------------------------------------------- scikit-learn


@pytest.fixture(scope="module")
def sklearn():
    return pytest.importorskip(
        "sklearn", reason="scikit-learn is not installed: pip install -e '.[learn]'"
    )


def fitted(model, labels):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfVectorizer(analyzer="char"), model).fit(TEXTS, labels)


POLAR = ["positive", "negative", "positive", "negative", "positive", "negative"]


@pytest.mark.usefixtures("sklearn")
def test_a_regressor_a_classifier_and_one_with_a_margin_answer_as_they_predict(run):
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.svm import LinearSVC

    regressor = fitted(LinearRegression(), [1, 0, 1, 0, 1, 0])
    classifier = fitted(LogisticRegression(), POLAR)
    margin = fitted(LinearSVC(), POLAR)
    found = run({"regressor": regressor, "classifier": classifier, "margin": margin})
    texts = found.sentences["text"].to_list()
    assert raw(found, "regressor") == pytest.approx(regressor.predict(texts).tolist())
    assert raw(found, "classifier") == pytest.approx(classifier.predict_proba(texts)[:, 1].tolist())
    assert raw(found, "margin") == pytest.approx(margin.decision_function(texts).tolist())


@pytest.mark.usefixtures("sklearn")
def test_an_estimator_without_a_name_is_called_by_its_kind(run):
    from sklearn.linear_model import LogisticRegression

    assert names(run(fitted(LogisticRegression(), POLAR))) == ["sklearn:Pipeline"]


@pytest.mark.usefixtures("sklearn")
def test_estimators_that_cannot_answer_say_why(run):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    unfitted = make_pipeline(TfidfVectorizer(), LogisticRegression())
    with pytest.raises(SystemFailure, match="not fitted"):
        run(unfitted)
    with pytest.raises(TiltmeterError, match="found the class LogisticRegression"):
        run([LogisticRegression])
    with pytest.raises(SystemFailure, match="whose worth cannot be told"):
        run(fitted(LogisticRegression(), ["x", "y"] * 3))
    with pytest.raises(TiltmeterError, match="found TfidfVectorizer"):
        run(TfidfVectorizer())


def test_paths_are_specs_too(run):
    with pytest.raises(TiltmeterError, match="there is no file or folder"):
        run(Path("nowhere/scores.csv"))
