"""One system in two languages: which corpora match, and the test of a difference."""

from types import SimpleNamespace

import polars as pl
import pytest
from scipy import stats

from tiltmeter.schemas import ESTIMATES
from tiltmeter.studies.regression.run import DIFFERENCES, between_languages


def corpus(name, language, minority):
    axes = {"gender": ("female", "male"), "race": (minority, "Anglo")}
    named = tuple(SimpleNamespace(name=axis, groups=groups) for axis, groups in axes.items())
    return SimpleNamespace(name=name, language=language, axes=named)


CORPORA = [
    corpus("eec-latino", "en", "Latino"),
    corpus("eec-es", "es", "Latino"),
    corpus("eec-arab", "en", "Arab"),
]


def row(system, corpus, value, se, df, measure="coefficient"):
    keys = {"system": system, "task": "joy", "corpus": corpus, "edition": "corrected"}
    keys |= {"mode": "corrected", "axis": "gender", "contrast": "female-male"}
    keys |= {"reference": "male", "subset": "own-emotion", "measure": measure, "unit": "logit"}
    numbers = {"value": value, "se": se, "low": value - se, "high": value + se}
    numbers |= {"statistic": value / se if se else None, "df": df, "p": 0.5}
    return keys | numbers | {"n": 1400, "n_dropped": 0}


def table(*rows):
    return pl.DataFrame(rows, infer_schema_length=None).select(*ESTIMATES.columns)


def test_corpora_match_where_groups_are_the_same_and_languages_are_not():
    rows = table(*(row("svm", one.name, 0.1, 0.1, 9.0) for one in CORPORA))
    for corpora in (CORPORA, CORPORA[::-1]):
        found = between_languages(rows, corpora)
        assert found.select("corpus_first", "corpus_second").rows() == [("eec-es", "eec-latino")]


def test_a_system_of_each_language_is_one_by_its_name():
    rows = [row("svm-es", "eec-es", 0.3, 0.03, 9.0), row("svm", "eec-latino", 0.1, 0.04, 20.0)]
    assert between_languages(table(*rows), CORPORA)["system"].to_list() == ["svm"]
    rows[1] |= {"system": "svm-es"}
    assert between_languages(table(*rows), CORPORA).height == 0


def test_a_system_and_its_namesake_of_one_language_are_two():
    # svm and svm-es both answer Spanish: neither may take the other's place beside svm in English.
    found = between_languages(
        table(
            row("svm", "eec-es", 0.3, 0.03, 9.0),
            row("svm-es", "eec-es", 0.5, 0.03, 9.0),
            row("svm", "eec-latino", 0.1, 0.04, 20.0),
        ),
        CORPORA,
    )
    assert found.select("system", "value_first", "value_second").rows() == [("svm", 0.3, 0.1)]


def test_the_difference_is_welchs():
    # 0.30 − 0.10 = 0.20; se = √(0.03² + 0.04²) = 0.05; df = 0.05⁴/(0.03⁴/9 + 0.04⁴/20)
    found = between_languages(
        table(
            row("svm-es", "eec-es", 0.30, 0.03, 9.0), row("svm-en", "eec-latino", 0.1, 0.04, 20.0)
        ),
        CORPORA,
    ).row(0, named=True)
    df = 0.05**4 / (0.03**4 / 9 + 0.04**4 / 20)
    assert found["system"] == "svm"
    assert (found["language_first"], found["language_second"]) == ("es", "en")
    assert found["difference"] == pytest.approx(0.2)
    assert found["se"] == pytest.approx(0.05)
    assert found["df"] == pytest.approx(df)
    assert found["p"] == pytest.approx(2 * stats.t.sf(4.0, df))
    assert found["high"] == pytest.approx(0.2 + stats.t.ppf(0.975, df) * 0.05)


def test_without_degrees_of_freedom_it_is_the_normal_distribution():
    rows = [row("s", "eec-es", 0.3, 0.03, None), row("s", "eec-latino", 0.1, 0.04, None)]
    found = between_languages(table(*rows), CORPORA).row(0, named=True)
    assert found["p"] == pytest.approx(2 * stats.norm.sf(4.0))
    assert found["df"] is None


def test_two_that_are_exactly_the_same_do_not_differ():
    rows = [row("s", "eec-es", 0.0, 0.0, 5.0), row("s", "eec-latino", 0.0, 0.0, 5.0)]
    found = between_languages(table(*rows), CORPORA).row(0, named=True)
    assert (found["difference"], found["p"]) == (0.0, 1.0)


def test_certain_and_different_is_certain():
    rows = [row("s", "eec-es", 0.1, 0.0, 5.0), row("s", "eec-latino", 0.0, 0.0, 5.0)]
    assert between_languages(table(*rows), CORPORA)["p"][0] == 0.0


def test_who_answers_in_one_language_only_is_left_out():
    rows = [row("s", "eec-es", 0.1, 0.1, 5.0), row("other", "eec-latino", 0.0, 0.1, 5.0)]
    found = between_languages(table(*rows), CORPORA)
    assert found.height == 0
    assert found.schema == DIFFERENCES


def test_what_cannot_be_estimated_is_left_out():
    rows = [row("s", "eec-es", 0.1, 0.1, 5.0), row("s", "eec-latino", 0.0, 0.1, 5.0)]
    rows[0] |= dict.fromkeys(("value", "se", "low", "high", "statistic", "df", "p"))
    assert between_languages(table(*rows), CORPORA).height == 0
