"""What an organiser knows of the systems, as a table."""

import polars as pl
import pytest

from tiltmeter.corpora import read_system_metadata
from tiltmeter.errors import CorpusError


def test_a_table_with_a_column_system_is_read_as_it_stands(tmp_path):
    path = tmp_path / "systems.csv"
    path.write_text("team,system,algorithm,year\nA,a1,LSTM,2018\nB, b1 ,SVM,\n")
    about = read_system_metadata(path)
    assert about.frame.columns == ["system", "team", "algorithm", "year"]
    assert about.frame.rows() == [("a1", "A", "LSTM", "2018"), ("b1", "B", "SVM", None)]
    assert (about.name, about.notes) == ("systems.csv", ())


@pytest.mark.parametrize("column", ["Team", "name"])
def test_another_column_may_name_the_systems_and_that_is_said(column):
    about = read_system_metadata(pl.DataFrame({column: ["a", "b"], "algorithm": ["SVM", "CNN"]}))
    assert about.frame.columns == ["system", "algorithm"]
    assert about.notes == (f"meta: system ← {column}",)


def test_systems_that_stand_twice_and_rows_without_one_are_named_with_their_lines(tmp_path):
    path = tmp_path / "systems.csv"
    path.write_text("system,algorithm\na,SVM\nb,CNN\n,GRU\na,LSTM\n")
    with pytest.raises(CorpusError) as caught:
        read_system_metadata(path)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{path}:4: the system is empty in line 4; expected a name",
        f"{path}:5: the system 'a' stands in lines 2 and 5; expected one row for each",
    ]


def test_a_table_without_systems_is_refused_with_its_columns():
    with pytest.raises(
        CorpusError, match=r"expected system \(or team, name\); there are algorithm"
    ):
        read_system_metadata(pl.DataFrame({"algorithm": ["SVM"]}))


def test_a_table_of_names_alone_says_nothing():
    with pytest.raises(CorpusError, match="found only the systems' names; expected what is known"):
        read_system_metadata(pl.DataFrame({"system": [1, 2]}))


def test_the_exact_name_is_taken_before_one_that_is_like_it():
    about = read_system_metadata(pl.DataFrame({"System": ["x"], "system": ["y"]}))
    assert about.frame.rows() == [("y", "x")]


def test_a_column_of_lists_is_named(tmp_path):
    path = tmp_path / "systems.jsonl"
    path.write_text('{"system": "a", "features": ["x", "y"]}\n')
    with pytest.raises(CorpusError, match=r"the column 'features' holds List.*parted by ;"):
        read_system_metadata(path)


def test_advice_that_has_no_option_here_is_not_given(tmp_path):
    path = tmp_path / "systems.csv"
    path.write_bytes("system,algorithm\nvader,naïve\n".encode("latin-1"))
    with pytest.raises(CorpusError) as error:
        read_system_metadata(path)
    assert "save the file as UTF-8" in str(error.value)
    assert "--encoding" not in str(error.value)
