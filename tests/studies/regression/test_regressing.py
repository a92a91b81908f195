"""The regressions of an audit, told from studies that were fitted elsewhere."""

import numpy as np
import pytest

from tiltmeter import audit, load_corpus
from tiltmeter.claims.judge import Rule
from tiltmeter.scoring.matrix import score_matrix
from tiltmeter.studies.audit.analyse import phrases_of
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.run import Wanted, judge_regressions, regression_sums

SYSTEMS = ["tilted:gender=0.03,noise=0.02", "random"]
BOTH = Wanted(("pairs", "regression"), Model(), everywhere=False)


@pytest.fixture(scope="module")
def in_memory(tmp_path_factory):
    return audit(SYSTEMS, "eec", store=tmp_path_factory.mktemp("store"))


def test_blocks_of_an_audit_give_its_findings(in_memory):
    # A large audit has no frame of all sentences: corpora, submissions and blocks are all it needs.
    (run,) = in_memory.runs
    matrix = score_matrix(run.scores, run.sentences)
    sums = regression_sums(run.corpus, matrix.submissions, BOTH, mode="corrected")
    for begin in range(0, run.sentences.height, 1000):
        block = slice(begin, begin + 1000)
        sums.add(run.sentences[block], matrix.values[:, block])
    told = judge_regressions(
        [run.corpus], [sums.study()], BOTH, Rule(), phrases_of([run.corpus]),
        mode="corrected", subset="all", apart=in_memory.apart,
    )  # fmt: skip
    (expected,), (found,) = in_memory.regressed, told.studies
    assert told.settings == in_memory.run.regression
    words = ["id", "system", "axis", "contrast", "n", "family", "significance", "sentence"]
    assert found.findings.select(words).equals(expected.findings.select(words))
    assert np.allclose(found.estimates["value"], expected.estimates["value"], rtol=1e-9, atol=1e-12)


def test_a_regression_is_summed_only_where_one_is_wanted(in_memory):
    eec = in_memory.runs[0].corpus
    one_axis = load_corpus("rating-1")
    submissions = score_matrix(in_memory.runs[0].scores, in_memory.runs[0].sentences).submissions
    how = {"mode": "corrected"}
    pairs = Wanted(("pairs",), Model(), everywhere=False)
    assert regression_sums(eec, submissions, pairs, **how) is None
    asked = Wanted(("regression",), Model(), everywhere=True)
    assert len(one_axis.axes) < 2
    assert regression_sums(one_axis, submissions, BOTH, **how) is None
    assert regression_sums(one_axis, submissions, asked, **how) is not None
