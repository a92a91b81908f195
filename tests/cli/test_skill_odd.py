"""What `tiltmeter skill` says where groups are small, odd or many."""

import polars as pl
import pytest

import tiltmeter
from tiltmeter.studies.skill.view import difference_sentences


def answers(text):
    """Exactly right, but a fifth too high for the group `new`."""
    digits = [letter for letter in text.split()[0] if letter.isdigit()]
    return int(digits[-1]) / 12 + 0.2 * ("new" in text) if digits else 0.5


def gold_of(sizes):
    """Texts of groups by size; the group `new` is scored 0.2 too high, all others exactly."""
    rows = [
        (f"{n} day {group}", n % 10 / 12, group) for group, size in sizes.items()
        for n in range(size)
    ]  # fmt: skip
    return pl.DataFrame(rows, ["text", "score", "group"], orient="row")


def sentences(sizes, tmp_path):
    found = tiltmeter.skill(answers, gold_of(sizes), by="group", store=tmp_path, resamples=2000)
    return list(difference_sentences(found.table, found))


@pytest.mark.parametrize("few", [3, 10, 19])
def test_a_handful_of_texts_is_never_called_a_difference_detected(few, tmp_path):
    told = " ".join(sentences({"new": few, "old": 60}, tmp_path))
    # every text of new is scored 0.2 too high: 20 points, whatever is drawn
    assert "mean error 20.0 points higher" in told
    assert f"but {few} texts are too few to call it detected." in told
    assert ": difference detected" not in told


def test_it_is_from_twenty_on(tmp_path):
    told = " ".join(sentences({"new": 20, "old": 60}, tmp_path))
    assert "mean error 20.0 points higher" in told
    assert "the intervals do not hold 0: difference detected." in told


def test_the_group_that_comes_first_is_the_one_that_is_spoken_of(tmp_path):
    told = " ".join(sentences({"old": 60, "new": 20}, tmp_path))
    assert "old beside new" in told
    assert "mean error 20.0 points lower" in told


def test_the_others_may_be_the_few(tmp_path):
    told = " ".join(sentences({"old": 60, "new": 3, "also": 3}, tmp_path))
    # old is compared with the six texts of the other two together
    assert "old beside the others" in told
    assert "but 6 texts are too few" in told
