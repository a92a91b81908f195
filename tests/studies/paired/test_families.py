"""Tilt and skill by family of systems."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simulated_material import material_of, scored
from tiltmeter.corpora import load_corpus
from tiltmeter.studies.paired.tables import families

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
FEMALE = (SENTENCES["gender"] == "female").to_numpy()


@pytest.fixture(scope="module")
def material():
    """Four systems: women 0.04 higher, 0.02 higher, 0.02 lower, and all the same."""
    shifts = {"svm": 0.04, "mlp": 0.02, "rules": -0.02, "stranger": 0.0}
    scores = pl.concat(
        scored(SENTENCES, name, "joy", 0.5 + shift * FEMALE) for name, shift in shifts.items()
    )
    meta = pl.DataFrame(
        {
            "system": ["svm", "mlp", "rules"],
            "team": ["A", "B", "C"],
            "algorithm": ["linear", "neural", "rules"],
            "features": ["glove; lexicon", "glove", " lexicon ;"],
        }
    )
    skill = pl.DataFrame(
        {"system": ["svm", "mlp"], "task": "joy", "pearson": [0.6, 0.7], "spearman": [0.5, 0.8],
         "rank": [2, 1]}
    )  # fmt: skip
    return replace(material_of(scores, EEC), meta=meta, skill=skill)


def row(material, column, value, axis="gender"):
    found = families(material).filter(column=column, value=value, axis=axis, subset="all")
    assert found.height == 1
    return found.row(0, named=True)


def test_a_family_counts_its_systems_by_what_they_show(material):
    glove = row(material, "features", "glove")
    assert (glove["submissions"], glove["up"], glove["down"]) == (2, 2, 0)
    # (0.04 + 0.02) / 2, and skill (0.6 + 0.7) / 2 and (0.5 + 0.8) / 2
    assert glove["mean_size"] == pytest.approx(0.03)
    assert glove["mean_pearson"] == pytest.approx(0.65)
    assert glove["mean_spearman"] == pytest.approx(0.65)


def test_a_system_counts_in_each_of_its_values(material):
    lexicon = row(material, "features", "lexicon")
    assert (lexicon["submissions"], lexicon["up"], lexicon["down"]) == (2, 1, 1)
    assert lexicon["mean_size"] == pytest.approx(0.03)  # sizes do not cancel
    assert lexicon["mean_pearson"] == pytest.approx(0.6)  # of the one whose skill is known
    assert lexicon["n_skill"] == 1


def test_systems_without_a_description_are_counted(material):
    unknown = row(material, "algorithm", "not described")
    assert (unknown["submissions"], unknown["no_difference"]) == (1, 1)
    assert unknown["mean_pearson"] is None


def test_names_of_systems_and_teams_are_no_families(material):
    assert set(families(material)["column"]) == {"algorithm", "features"}


def test_every_column_accounts_for_every_submission_where_values_are_single(material):
    counted = families(material).filter(column="algorithm", axis="race", subset="all")
    assert counted["submissions"].sum() == 4


def test_a_description_without_columns_gives_no_families(material):
    assert families(replace(material, meta=material.meta.select("system"))).is_empty()


def test_values_that_are_numbers_or_empty_are_read_as_text(material):
    meta = pl.DataFrame({"system": ["svm", "mlp", "gone"], "layers": [2, None, 3]})
    found = families(replace(material, meta=meta, skill=None)).filter(axis="gender", subset="all")
    assert found.select("value", "submissions").rows() == [("2", 1), ("not described", 3)]
    assert np.isnan(found["mean_pearson"].fill_null(np.nan).to_numpy()).all()
