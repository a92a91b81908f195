"""Tables 3 to 5 of Câmara et al. (2022) from a reproduction: ours from the audits, theirs as
printed."""

import polars as pl
import pytest

from labelled_days import write_spanish
from tiltmeter import audit
from tiltmeter.studies.training.paper_tables import (
    TABLES_3_TO_5,
    across_languages,
    effect_cells,
    effects_of,
)
from tiltmeter.studies.training.reproduce import group_phrases, reproduce


def letters(weight):
    """A system that scores by the length of the words, so that names differ a little."""
    return lambda texts: [0.3 + weight * len(text) / 100 for text in texts]


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """Two recipes in English and Spanish; one that is not the paper's."""
    store = tmp_path_factory.mktemp("store")

    def audited(language, corpora):
        systems = {f"{name}-{language}": letters(weight)
                   for name, weight in (("svm-tfidf", 0.4), ("gru", 0.2))}  # fmt: skip
        return audit(systems, corpora, tasks=["joy", "valence"], store=store, flips=0)

    return {"en": audited("en", ["eec-latino"]), "es": audited("es", ["eec-es"])}


RECIPES = {f"{name}-{code}": name for name in ("svm-tfidf", "gru") for code in ("en", "es")}


def test_effects_are_of_the_paper_s_systems_emotions_and_corpora(audits):
    found = effects_of(audits, RECIPES)
    assert found.select("table", "corpus", "system", "task").unique(maintain_order=True).rows() == [
        (4, "eec-latino", "svm-tfidf-en", "joy"), (4, "eec-es", "svm-tfidf-es", "joy")
    ]  # fmt: skip
    ours = found.filter(corpus="eec-es", measure="coefficient").select("axis", "value", "p")
    audited = (
        audits["es"]
        .regressed[0]
        .estimates.filter(measure="coefficient", system="svm-tfidf-es", task="joy")
    )
    assert ours.rows() == audited.select("axis", "value", "p").rows()
    assert effects_of({}, {}) is None


def test_one_recipe_in_two_languages_is_one_system(audits):
    found = across_languages(audits)
    there = found.select("system", "corpus_first", "corpus_second").unique().sort("system").rows()
    assert there == [("gru", "eec-es", "eec-latino"), ("svm-tfidf", "eec-es", "eec-latino")]
    assert across_languages({}) is None
    assert group_phrases(audits)["race", "Latino"] == "with Latino names"


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory):
    data = write_spanish(tmp_path_factory.mktemp("semeval"), "joy")
    folder = tmp_path_factory.mktemp("reproduction") / "out"
    found = reproduce(data, folder, recipes=["svm-tfidf"], store=tmp_path_factory.mktemp("store"))
    return folder, found


def test_the_one_command_writes_the_tables_of_the_languages_at_hand(reproduction):
    folder, found = reproduction
    names = {path.name for path in (folder / "tables").iterdir()}
    assert {"margins-table-4.csv", "margins-table-4.tex", "margins-table-4-least-squares.csv",
            "margins-table-4-least-squares.tex", "margins.csv"} == names  # fmt: skip
    shown = pl.read_csv(folder / "tables" / "margins-table-4-least-squares.csv")
    assert shown.select("language", "system").rows() == [
        ("Spanish (eec-es)", "svm-tfidf-es"), ("Spanish (eec-es)", "SVM-tfidf (published)")
    ]  # fmt: skip
    assert shown["joy: Gender"][1] == "0.015***"  # as the paper prints it
    assert set(found.effects["task"]) == {"joy"}


def test_the_page_puts_them_beside_the_paper_s(reproduction):
    folder, _ = reproduction
    page = (folder / "results.html").read_text()
    assert "Race and gender told apart" in page
    assert "0.015<sup>***</sup>" in page  # SVM-tfidf, Spanish, joy, gender: Table 4
    assert "training tweets, which" not in page  # there is no embedding-mlp here


def test_published_coefficients_are_those_of_the_paper_s_tables():
    cells = {
        (row.corpus, row.name, task, effect): (value, stars)
        for row in TABLES_3_TO_5
        for task, effect, value, stars in effect_cells(row)
    }
    assert len(cells) == 15 * 12
    # Read off the paper's Tables 3, 4 and 5.
    assert cells["eec", "BERT+", "joy", "race"] == (-0.052, "***")
    assert cells["eec-es", "fastText", "anger", "gender"] == (0.053, "***")
    assert cells["eec-es", "BERT+", "fear", "gender:race"] == (0.042, "***")
    assert cells["eec-ar", "SVM-tfidf", "fear", "gender"] == (-0.021, "***")
    assert cells["eec-arab", "SVM-tfidf", "sadness", "race"] == (0.004, "")
    assert cells["eec-ar", "fastText", "joy", "race"] == (None, "")
    assert {row.table for row in TABLES_3_TO_5} == {3, 4, 5}
