"""What `check_corpus` notices in a corpus that is not as tidy as ours."""

import polars as pl
import pytest

from tiltmeter.corpora import check_corpus, load_corpus

HEAD = """
[corpus]
name = "c"
language = "en"
review = "reviewed by A, 2026"
[axes]
gender = ["female", "male"]
"""


@pytest.fixture
def remarks(tmp_path):
    def of(body):
        path = tmp_path / "c.toml"
        path.write_text(HEAD + body, encoding="utf-8")
        report = check_corpus(load_corpus(path))
        return {remark.subject: remark for remark in report.remarks}

    return of


def people(women, men):
    return f"""
[[people]]
list = "women"
source = "s"
gender = "female"
match = "names"
members = {women}
[[people]]
list = "men"
source = "s"
gender = "male"
match = "names"
members = {men}
"""


TEMPLATE = '[[templates]]\nid = "1"\ntext = "{person} sings."\n'


def test_an_uneven_pool_is_noted_with_its_counts(remarks):
    found = remarks(people('["Ada", "Eve"]', '["Bob"]') + TEMPLATE)["balance"]
    assert not found.fine
    assert found.examples == ("1, names: 1 against 2",)


def test_an_even_pool_is_fine(remarks):
    assert remarks(people('["Ada"]', '["Bob"]') + TEMPLATE)["balance"].fine


def test_names_that_differ_in_accents_only_are_noted(remarks):
    found = remarks(people('["René", "Ada"]', '["Rene", "Bob"]') + TEMPLATE)["names"]
    assert not found.fine
    assert found.examples == ("René (female)", "Rene (male)") or found.examples == (
        "Rene (male)", "René (female)",
    )  # fmt: skip


def test_doubled_spaces_are_noted(remarks):
    found = remarks(people('["Ada"]', '["Bob"]') + TEMPLATE.replace(" sings", "  sings"))["text"]
    assert not found.fine
    assert "2 sentences" in found.text


def test_a_sentence_that_stands_twice_is_noted_with_its_ids(remarks):
    again = TEMPLATE.replace('"1"', '"2"')
    found = remarks(people('["Ada"]', '["Bob"]') + TEMPLATE + again)["repeats"]
    assert found.text == "2 sentences stand more than once, under separate IDs"
    assert found.examples[0] == "Ada sings. (t01-p01, t02-p01)"


def test_a_list_without_a_source_is_noted(remarks):
    body = people('["Ada"]', '["Bob"]').replace('source = "s"\n', "") + TEMPLATE
    assert remarks(body)["provenance"].text == "no source given for women, men"


def test_review_is_fine_once_somebody_has_read_it(remarks):
    assert remarks(people('["Ada"]', '["Bob"]') + TEMPLATE)["review"].fine


def test_a_table_is_compared_without_its_person(tmp_path):
    pl.DataFrame(
        {
            "text": ["Ada sings.", "Bob sings.", "Ada was happy.", "Bob was glad."],
            "template": ["1", "1", "2", "2"],
            "person": ["Ada", "Bob", "Ada", "Bob"],
            "gender": ["female", "male", "female", "male"],
        }
    ).write_csv(tmp_path / "t.csv")
    report = check_corpus(load_corpus(tmp_path / "t.csv"))
    assert report.pairs["frame"].to_list() == ["2"]
    assert report.pairs["differs_in"].to_list() == ["happy. / glad."]
