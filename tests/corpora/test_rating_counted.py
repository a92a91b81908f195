"""Very many stored outputs: counted in blocks, in any cut and order, as if they had been listed."""

import tempfile

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltmeter.corpora.rating_results import read_rating_results
from tiltmeter.corpora.rating_results.like_scores import BINS
from tiltmeter.errors import OutputError, ScoreFileError

HEAD = "System,Dataset,Sentence,Gender,Emotion,Sentiment"
COUNTED = {"few": 0}


def table(rows):
    return "\n".join([HEAD, *rows]) + "\n"


def made_up(many=60):
    """Rows of two systems: classes and words in turn, some scores alike, some missing."""
    people, words = ("male", "female", "other"), ("grim", "happy")
    return [
        f"{'ab'[n % 2]},G1E3,He {n // 2}.,{people[n % 3]},{words[n // 3 % 2]},"
        f"{'' if n % 11 == 10 else (n * 7 % 10) / 10}"
        for n in range(many)
    ]


@pytest.fixture
def read(tmp_path):
    def read_rows(*files, **how):
        for number, rows in enumerate(files):
            (tmp_path / f"part{number}.csv").write_text(table(rows))
        return read_rating_results(tmp_path, **{**COUNTED, **how})

    return read_rows


# Parts by their number of rows, a size of blocks in bytes, an order of all rows.
CUTS = st.tuples(st.integers(1, 59), st.integers(150, 1500), st.permutations(range(60)))


@given(CUTS)
@settings(max_examples=12, deadline=None)
def test_cut_and_order_do_not_matter(tmp_path_factory, cut):
    end, block, order = cut
    rows = made_up()
    mixed = [rows[place] for place in order]
    told = []
    for number, parts in enumerate([[rows], [mixed[:end], mixed[end:]]]):
        root = tmp_path_factory.mktemp("parts")
        for name, part in enumerate(parts):
            (root / f"{name}.csv").write_text(table(part))
        told.append(read_rating_results(root, **COUNTED, block=(10_000, block)[number]).rows)
    exact = pl.all().exclude("raw", "spread")
    assert told[0].select(exact).equals(told[1].select(exact))
    for name in ("raw", "spread"):
        assert told[0][name].is_null().equals(told[1][name].is_null())
        one, other = (rows[name].drop_nulls().to_numpy() for rows in told)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_equal_scores_make_one_row_and_no_spread(read):
    rows = [f"a,G1E1,He {n}.,male,grim,{(0.1, 0.7)[n % 2]}" for n in range(9)]
    found = read([*rows, "a,G1E1,She.,female,grim,0.7"]).rows
    assert found.select("gender", "n").rows() == [("female", 1), ("male", 5), ("male", 4)]
    assert found["raw"].to_list() == pytest.approx([0.7, 0.1, 0.7], abs=1e-15)
    assert found["spread"].to_list() == pytest.approx([0, 0, 0], abs=1e-15)
    # Women's and men's 0.7 are alike: dealt out anew, either could be whose.
    assert found["like"][0] == found["like"][2] != found["like"][1]


def test_scores_close_together_make_one_row_with_their_mean_and_spread(read):
    # Bins of 1/64: 0 to 0.015625. The mean of 0.001, 0.002 and 0.006 is 0.003;
    # 0.002² + 0.001² + 0.003² = 0.000014.
    scores = (0, 1, 0.016, 0.017, 0.021)
    found = read([f"a,G1E1,He {s}.,male,grim,{s}" for s in scores])
    assert BINS == 64
    assert found.rows["n"].to_list() == [1, 3, 1]
    assert found.rows["raw"].to_list() == pytest.approx([0, 0.018, 1])
    assert found.rows["spread"].to_list() == pytest.approx([0, 0.000014, 0], abs=1e-12)


def test_scores_on_both_sides_of_the_split_are_never_taken_together(read):
    rows = [f"a,G1E1,He {s}.,male,grim,{s}" for s in (0, 0.501, 0.505, 1)]
    assert read(rows).rows["n"].to_list() == [1, 2, 1]
    seen = []
    parted = read(rows, split=lambda ranges: seen.append(ranges) or {"a": 0.503}).rows
    assert parted["n"].to_list() == [1, 1, 1, 1]
    assert seen == [{"a": (0.0, 1.0)}]


def test_scores_that_lack_make_a_row_of_their_own(read):
    rows = [*(f"a,G1E1,He {n}.,male,grim," for n in range(3)), "a,G1E1,She.,female,grim,0.5"]
    found = read(rows)
    assert found.rows.select("gender", "raw", "n", "spread").rows() == [
        ("female", 0.5, 1, 0.0), ("male", None, 3, None)
    ]  # fmt: skip
    assert "a: 3 of 4 scores are missing" in found.notes


def test_sentences_said_once_more_are_left_out_even_of_another_part(read):
    rows = made_up()
    found = read(rows, [*rows[:7], "a,G1E3,He 900.,male,grim,0.2"], block=200)
    assert found.rows["n"].sum() == 61
    assert "left out 7 rows that say the same once more" in found.notes


def test_of_many_sentences_with_two_scores_the_first_are_named_and_the_rest_counted(read, tmp_path):
    rows = made_up()
    other = [row.rpartition(",")[0] + ",0.95" for row in rows if not row.endswith(",")]
    messages = []
    for how in ({"few": 10**6}, {}, {"block": 300}):
        with pytest.raises(ScoreFileError) as caught:
            read(rows, other[:20], **how)
        messages.append(str(caught.value).replace(f"{tmp_path}/", ""))
    assert messages[0] == messages[1] == messages[2]
    assert (
        "part1.csv:2: the system 'a' has the scores 0 (part0.csv:2) and 0.95 (part1.csv:2) for "
        "'He 0.' in rating-1-e3; expected one score for each sentence"
    ) in messages[0]
    assert "… and 15 more sentences with several scores" in messages[0]


def test_rows_that_tell_no_sentence_are_all_kept(tmp_path):
    (tmp_path / "a.csv").write_text("Gender,Emotion,Sentiment\n" + "male,grim,0.5\n" * 300)
    assert read_rating_results(tmp_path, **COUNTED, block=100).rows["n"].to_list() == [300]


def test_a_temporary_folder_without_room_is_told_with_what_to_do(read, monkeypatch):
    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    with pytest.raises(OutputError, match=r"No space left on device.*bytes each.* in TMPDIR"):
        read(made_up())
