"""Labels, ranks and repeats through the whole audit, in Python and on the command line."""

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tiltmeter
from tiltmeter.cli import app
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Settings
from tiltmeter.studies.audit.options import thresholds_from


def near(text):
    """0.49, and 0.51 where a woman is spoken of by a pronoun."""
    return 0.51 if {"she", "her"} & set(text.lower().rstrip(".").split()) else 0.49


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    systems = {"near": near, "still": lambda text: 0.2 + 0.05 * (len(text.split()[-1]) % 5)}
    return tiltmeter.audit(systems, sample=12, store=store, measures="pairs")


def flips(audit, **where):
    found = audit.estimates.filter(pl.col("measure") == "flips", pl.col("subset") == "couples")
    return found.filter(**where)["value"].to_list()


def test_an_audit_counts_the_pairs_that_change_label(audit):
    # she/he is one of ten couples in each frame
    assert flips(audit, system="near", axis="gender") == [pytest.approx(1 / 10)]
    assert flips(audit, system="still") == [0.0]
    assert audit.run.statistics.thresholds == (0.5,)


def test_an_audit_ranks_systems_by_size_of_tilt(audit):
    board = audit.ranks.filter(axis="gender", kind="couples")
    assert board["system"].to_list() == ["near", "still"]
    assert board["of"].to_list() == [2, 2]
    # one couple of ten makes all of it: they cannot be told apart
    assert board["rank_worst"].to_list() == [2, 2]


def test_another_threshold_moves_the_labels(tmp_path):
    found = tiltmeter.audit(near, sample=12, store=tmp_path, measures="pairs", threshold=0.6)
    assert flips(found) == [0.0]
    assert found.run.statistics.thresholds == (0.6,)


def test_a_wrong_threshold_is_refused_before_anything_is_asked(tmp_path):
    def never(text):
        raise AssertionError(text)

    with pytest.raises(TiltmeterError, match=r"^threshold is 3"):
        tiltmeter.audit(never, store=tmp_path, threshold=3)


def test_repeats_are_told_of_and_their_noise_is_in_the_tilt(tmp_path):
    rng = np.random.default_rng(0)

    def noisy(text):
        return float(np.clip(0.5 + 0.0 * len(text) + rng.normal(0, 0.1), 0, 1))

    found = tiltmeter.audit(
        noisy, sample=12, store=tmp_path, measures="pairs", settings=Settings(repeats=2)
    )
    rows = dict(
        found.estimates.filter(axis="gender", subset="all").select("measure", "value").rows()
    )
    assert rows["retest_sd"] == pytest.approx(0.1, rel=0.2)
    tilt = found.estimates.filter(measure="tilt", axis="gender", subset="couples").row(
        0, named=True
    )
    # noise is all there is: the tilt's own error is about what repeats say that noise adds
    assert tilt["se"] == pytest.approx(rows["retest"], rel=0.6)


def test_a_corpus_gone_through_in_parts_says_what_is_left_out(tmp_path):
    found = tiltmeter.audit("constant", store=tmp_path, stream=True, measures="pairs")
    assert found.labels is None
    notes = " ".join(note for one in found.compared for note in one.notes)
    assert "label flips, the largest gap between groups" in notes


def test_the_command_line_takes_one_threshold_or_several(tmp_path):
    assert thresholds_from("0.4,0.6") == (0.4, 0.6)
    ran = CliRunner().invoke(
        app, ["audit", "constant", "--threshold", "0.6", "--dry-run", "--store", str(tmp_path)]
    )
    assert ran.exit_code == 0, ran.output


def test_a_threshold_that_is_no_number_ends_with_one_line(tmp_path):
    ran = CliRunner().invoke(
        app, ["audit", "constant", "--threshold", "high", "-o", str(tmp_path / "out")]
    )
    assert ran.exit_code != 0
    assert "--threshold is 'high'" in ran.exception.for_command_line
