"""K&M 2018, §6, on real tweets: a linear model on word unigrams, and how it tilts.

They report for their SVM-Unigrams Δ-spreads of 0.09 to 0.2 on gender and below 0.002 on race. A
model that is linear in single words gives every race pair the same Δ, since only names differ:
the degenerate case of a test with no spread, met in the wild.
"""

from pathlib import Path

import polars as pl
import pytest

import tiltmeter
from tiltmeter.corpora import semeval_files
from tiltmeter.studies.training.run import train

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "semeval2018"
TASKS = ("anger", "fear", "joy", "sadness")

pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"the tweets of SemEval-2018 are not here: {DATA}"
)


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    done = {}
    for task in TASKS:
        train("svm-unigrams", place / task, task=task, data=DATA)
        gold = semeval_files(DATA, "en", task).test
        done[task] = tiltmeter.audit(
            str(place / task), gold=gold, store=place / "store", measures="pairs", flips=0
        )
    return done


def measured(audit, axis, measure):
    rows = audit.estimates.filter(
        (pl.col("axis") == axis) & (pl.col("measure") == measure) & (pl.col("subset") == "all")
    )
    return rows.row(0, named=True)


@pytest.mark.parametrize("task", TASKS)
def test_the_spread_on_gender_is_of_the_paper_s_order(audits, task):
    assert 0.07 < measured(audits[task], "gender", "spread")["value"] < 0.25


@pytest.mark.parametrize("task", TASKS)
def test_race_differs_by_the_same_amount_in_every_pair(audits, task):
    assert measured(audits[task], "race", "spread")["value"] < 1e-9
    test = measured(audits[task], "race", "mean_difference")
    assert (test["p"], test["statistic"]) == (0.0, None)
    assert 0 < abs(test["value"]) < 0.01
    sentence = audits[task].findings.filter(axis="race", subset="all")["sentence"][0]
    assert "by the same amount in all 144 pairs" in sentence


@pytest.mark.parametrize("task", TASKS)
def test_the_model_knows_something(audits, task):
    assert 0.35 < audits[task].skill["pearson"][0] < 0.65
