"""Race, gender and their product on the page of a reproduction, beside what the paper prints."""

from dataclasses import replace

import polars as pl
import pytest

from made_up_margins import PHRASES, effects, languages, published
from tiltmeter.report.page import render
from tiltmeter.report.study import write
from tiltmeter.report.table import Cell
from tiltmeter.studies.training.paper_tables import (
    compared_groups,
    language_tables,
    paper_tables,
    regression_findings,
    tweet_readers,
)
from tiltmeter.studies.training.reproduce import Results

SYSTEMS = {"svm-tfidf-ar": "svm-tfidf", "embedding-mlp-ar": "embedding-mlp"}
PRINTED = ((0.003, ""), (0.029, "***"), (None, ""))


def results(**more):
    skill = pl.DataFrame(
        {"language": "ar", "task": "anger", "system": list(SYSTEMS), "recipe": SYSTEMS.values(),
         "test_n": 448, "test_pearson": 0.4, "test_pearson_low": 0.3, "test_pearson_high": 0.5,
         "read_through": ["", "vectors of 2,283 training tweets, 300d, PPMI + SVD"]}
    )  # fmt: skip
    tilts = pl.DataFrame(
        schema=dict.fromkeys(("language", "corpus", "title", "system", "task", "axis",
                              "about_first", "about_second", "significance"), pl.String)
        | dict.fromkeys(("value", "low", "high", "spread"), pl.Float64) | {"n": pl.Int64}
    )  # fmt: skip
    printed = pl.DataFrame(
        schema={"language": pl.String, "task": pl.String, "name": pl.String, "pearson": pl.Float64,
                "ours": pl.String}
    )  # fmt: skip
    given = {
        "effects": effects(SYSTEMS, ("anger", "joy")),
        "published_effects": published("SVM-tfidf", "svm-tfidf", "anger", PRINTED),
        "languages": languages("svm-tfidf", "anger"),
        "phrases": PHRASES,
    }
    return Results(skill, printed, tilts, **(given | more))


def test_naive_and_crossed_errors_are_counted_side_by_side():
    first, second, *rest = regression_findings(results())
    # 2 systems × 2 tasks × 3 effects; the 4 of gender have p = 0.03 by naive errors alone
    assert first.startswith("Of 12 coefficients of Beta regression, 4 have p ≤ 0.05 if all")
    assert "and 0 if names and templates may vary. About 1 would by chance." in first
    assert second == "The latter are 0 by race, 0 by gender, 0 by race × gender."
    assert not rest


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        (
            "gender",
            "sentences about women are scored 2.0 points of 100 higher than sentences about men",
        ),
        (
            "race",
            "sentences with Anglo names are scored 0.10 points of 100 higher than",
        ),
        ("gender:race", "sentences about women, compared with those about men, are scored"),
    ],
)
def test_the_largest_clear_effect_is_said_in_words(axis, said):
    clear = pl.when((pl.col("axis") == axis) & (pl.col("measure") == "coefficient"))
    rows = results().effects.with_columns(p=clear.then(0.01).otherwise("p"))
    told = list(regression_findings(results(effects=rows)))[-1]
    assert said in told


def test_ours_stand_above_the_paper_s_row_on_the_scale_of_least_squares():
    (one,) = paper_tables(results())
    lines = [(line.system, line.published) for line in one.least_squares.lines]
    assert lines == [("svm-tfidf-ar", False), ("SVM-tfidf", True), ("embedding-mlp-ar", False)]
    assert not any(line.published for line in one.beta.lines)
    race, gender, product = one.least_squares.effects
    assert str(one.least_squares.lines[0].shown("anger", gender)) == "0.020**"
    assert str(one.least_squares.lines[1].shown("anger", gender)) == "0.029***"
    assert str(one.least_squares.lines[1].shown("anger", product)) == "–"
    assert str(one.beta.lines[0].shown("anger", race)) == "−0.004"
    assert any("cannot be read in our copy" in note for note in one.least_squares.notes)


def test_the_difference_to_the_paper_is_said_in_words():
    (one,) = paper_tables(results())
    # race: |−0.001 − 0.003| = 0.004, gender: |0.020 − 0.029| = 0.009; the product cannot be read
    assert one.says == (
        "svm-tfidf-ar beside SVM-tfidf: 2 of 2 coefficients lie within 0.01. The farthest: gender, "
        "anger, 0.020, published 0.029. Of the 1 that the paper marks at 0.05, 1 is so here, the "
        "same way; of the others, none.",
    )


def test_two_languages_stand_side_by_side_with_the_test():
    (one,) = language_tables(results())
    assert one.table.caption == "Arabic | English"
    heads = [column.header for column in one.table.shown("html")]
    assert heads == ["System", "Race", "Gender", "Race × gender"]
    gender = one.table.cells("html")[0][2]
    assert gender == Cell("−2.0 | 1.0", "p = 0.004", kind="best")
    assert one.says.startswith("1 of 3 tests have p ≤ 0.05; about 0 would by chance")


def test_the_page_says_what_the_tables_are_and_are_not():
    page = render(results().page())
    said = ("the outputs of only one of its systems were released",
            "embedding-mlp-ar reads word vectors made of the training tweets",
            "Table 5: Corpus eec-ar", "0.029<sup>***</sup>", "tables/margins-table-5.tex",
            "tables/margins-table-5-least-squares.csv")  # fmt: skip
    assert [words for words in said if words not in page] == []
    assert "higher with the names of the group compared (Arab), or for women" in page
    assert compared_groups(results().effects) == "Arab"


def test_other_word_vectors_are_not_said_to_be_of_tweets():
    skill = results().skill.with_columns(read_through=pl.lit("fastText 300d"))
    assert tweet_readers(replace(results(), skill=skill)) == ""


def test_a_reproduction_without_regressions_has_no_such_section(tmp_path):
    bare = results(effects=None, published_effects=None, languages=None)
    assert 'id="effects"' not in render(bare.page())
    write(bare, tmp_path)
    assert not (tmp_path / "tables").exists()


def test_the_tables_are_written_in_both_scales(tmp_path):
    write(results(), tmp_path)
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert names == {
        "margins.csv", "margins-languages.csv", "margins-table-5.csv", "margins-table-5.tex",
        "margins-table-5-least-squares.csv", "margins-table-5-least-squares.tex",
    }  # fmt: skip
    shown = pl.read_csv(tmp_path / "tables" / "margins-table-5-least-squares.csv")
    assert shown["system"].to_list() == [
        "svm-tfidf-ar",
        "SVM-tfidf (published)",
        "embedding-mlp-ar",
    ]
    assert shown["anger: Gender"].to_list() == ["0.020**", "0.029***", "0.020**"]
    latex = (tmp_path / "tables" / "margins-table-5-least-squares.tex").read_text()
    assert "0.029$^{{*}{*}{*}}$" in latex
    assert "least squares" in latex
