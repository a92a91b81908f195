"""Where one attribute confounds another, classes are compared with that one held fixed."""

import polars as pl
import pytest

from tiltmeter import rate
from tiltmeter.errors import TiltmeterError
from tiltmeter.systems import parse_scale

GROUP = """
[corpus]
name = "ages"
language = "en"
[axes]
gender = ["female", "male"]
age = ["young", "old"]
[[people]]
list = "people"
match = "people"
members = [
  { subject = "Ana", gender = "female", age = "young" },
  { subject = "Eva", gender = "female", age = "young" },
  { subject = "Ida", gender = "female", age = "young" },
  { subject = "Zoe", gender = "female", age = "old" },
  { subject = "Tom", gender = "male", age = "young" },
  { subject = "Ben", gender = "male", age = "old" },
  { subject = "Max", gender = "male", age = "old" },
  { subject = "Leo", gender = "male", age = "old" },
  { subject = "somebody" },
]
[[words]]
list = "mood"
joy = ["happy", "glad"]
sadness = ["sad", "grim"]
[[templates]]
id = "1"
text = "{person} feels {mood}."
[[templates]]
id = "2"
text = "I made {person} feel {mood}."
[rating]
group = "ages"
positive = ["joy"]
negative = ["sadness"]
[rating.sets]
all = ["happy", "glad", "sad", "grim"]
[rating.diagram]
edges = ["age -> gender", "age -> sentiment", "gender -> sentiment", "emotion word -> sentiment"]
"""
YOUNG = ("Ana", "Eva", "Ida", "Tom")


@pytest.fixture
def group(tmp_path):
    path = tmp_path / "ages.toml"
    path.write_text(GROUP)
    return path


def by_age(text):
    """Young people are scored 1 higher, women and men alike."""
    return 0.5 if any(name in text for name in YOUNG) else -0.5


def test_a_difference_that_is_age_alone_is_not_called_gender(group, tmp_path):
    done = rate({"by age": by_age}, groups=[group], draws=0, store=tmp_path / "store")
    columns = dict(done.columns.select("column", "adjustment").rows())
    assert columns == {"ages-G": "age", "ages-A": "", "ages-GA": ""}
    tests = done.tests.filter(column="ages-G", variant="continuous")
    # Plain means differ: 3 of 4 women and 1 of 4 men are young. Within ages they do not.
    assert tests.select("first", "second", "mean_first", "mean_second", "t").rows() == [
        ("female", "male", 0.25, -0.25, 0.0)
    ]
    psi = dict(done.ratings.filter(variant="continuous").select("column", "psi").rows())
    assert psi["ages-G"] == 0
    assert psi["ages-A"] > 0


def test_people_without_a_class_share_no_stratum_and_are_not_compared(group, tmp_path):
    done = rate({"by age": by_age}, groups=[group], draws=0, store=tmp_path / "store")
    compared = done.tests.filter(column="ages-G")
    assert "NA" not in compared["second"].to_list()
    assert done.tests.filter(pl.col("column") == "ages-A")["second"].unique().sort().to_list()


def test_a_system_that_answers_nothing_has_a_page_that_says_so(group, tmp_path):
    from tiltmeter.scoring import Settings

    done = rate(
        {"silent": lambda _: None, "by age": by_age}, groups=[group], draws=0,
        store=tmp_path / "store", settings=Settings(max_missing=1.0),
    )  # fmt: skip
    page = done.report(tmp_path / "out").read_text()
    assert "it answered none of the sentences" in page
    alone = rate(
        {"silent": lambda _: None}, groups=["1"], draws=0, mode="published",
        store=tmp_path / "store", settings=Settings(max_missing=1.0),
    )  # fmt: skip
    assert "it answered none of the sentences" in alone.report(tmp_path / "two").read_text()


def test_a_scale_wider_than_numbers_go_is_refused():
    with pytest.raises(TiltmeterError, match="a scale is LOW:HIGH"):
        parse_scale("-1e308:1e308")
