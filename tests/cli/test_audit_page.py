"""The audit's words on the terminal: wide and narrow, for one pair, for nothing found."""

import pytest

import tiltmeter
from tiltmeter.cli.audit_page import show_audit
from tiltmeter.scoring import Settings
from tiltmeter.systems import Options, Scale

CORPUS = """
[corpus]
name = "small"
title = "A small corpus"
language = "en"
[axes]
gender = [
  { group = "female", phrase = "about women" },
  { group = "male", phrase = "about men" },
]
[[people]]
list = "kin"
members = [
  { subject = "my sister", gender = "female", match = "sister/brother" },
  { subject = "my brother", gender = "male", match = "sister/brother" },
  { subject = "my aunt", gender = "female", match = "aunt/uncle" },
  { subject = "my uncle", gender = "male", match = "aunt/uncle" },
]
[[words]]
list = "state"
anger = ["angry", "furious", "annoyed", "cross", "irate", "livid"]
[[templates]]
id = "1"
text = "{person} feels {state}."
[[templates]]
id = "2"
text = "I saw {person} yesterday."
"""


def reads(text):
    return 0.4 + 0.2 * ("angry" in text)


def reads_and_leans(text):
    return reads(text) + 0.1 * ("brother" in text)


def brother(text):
    return 0.5 + 0.1 * ("brother" in text) + 0.001 * ("angry" in text) * ("brother" in text)


def forgetful(text):
    return None if text == "My aunt feels angry." else 0.5


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(CORPUS, encoding="utf-8")

    def audited(systems, **options):
        where = {"corpus": str(folder / "small.toml"), "store": folder / "store"}
        known = {"options": Options(scale=Scale(0, 1)), "settings": Settings(max_missing=1)}
        return tiltmeter.audit(systems, **where, **known, **options)

    return audited


def printed(audit, capsys, monkeypatch, columns=80):
    monkeypatch.setenv("COLUMNS", str(columns))
    capsys.readouterr()
    show_audit(audit)
    return capsys.readouterr().out


def test_what_was_found_is_counted_without_zeros(told, capsys, monkeypatch):
    systems = {"a": reads_and_leans, "b": reads, "c": "constant"}
    shown = printed(told(systems), capsys, monkeypatch)
    assert "0 of 2 tilted, 2 undecided. Control apart: c." in " ".join(shown.split())
    assert "0 even" not in shown
    pairs = printed(told(systems, mode="published"), capsys, monkeypatch)
    assert "Difference detected in 1 of 2: 1 higher about men, none detected in 1." in pairs
    none = printed(told({"a": "constant", "b": "constant"}, mode="published"), capsys, monkeypatch)
    assert "No difference detected in any of 2." in none
    assert "0 higher" not in pairs + none


def test_below_four_templates_no_mark_speaks_of_other_sentences(told, capsys, monkeypatch):
    shown = printed(told({"a": reads_and_leans}), capsys, monkeypatch)
    row = next(line for line in shown.splitlines() if line.startswith("–"))
    assert row.split()[1:5] == ["a", "5", "about", "men"]
    assert "▲▼ other sentences about these people show it too" in shown
    assert "– not known" in shown


def test_moved_couples_stand_beside_the_mean(told, capsys, monkeypatch):
    shown = printed(told({"a": reads_and_leans}), capsys, monkeypatch)
    assert "1 of 2" in shown  # my brother by 10 points, my uncle not
    assert "couples whose two are that far apart" in " ".join(shown.split())


def test_undecided_names_the_command_that_decides_and_its_cost(told, capsys, monkeypatch):
    shown = printed(told({"a": reads_and_leans, "b": reads}), capsys, monkeypatch)
    assert "Undecided: gender by couples (a, b)" in shown
    assert "\n  tiltmeter audit a b --corpus names-us\n" in shown
    cost = tiltmeter.load_corpus("names-us").size
    assert f"asks each system for {cost:,} sentences" in shown


def test_a_pair_that_makes_a_difference_is_named_as_a_pair(told, capsys, monkeypatch):
    shown = printed(told({"a": brother}, mode="published"), capsys, monkeypatch)
    assert "gender: most of it comes from “my sister/my brother”" in shown
    part = printed(told({"a": brother}, subset="emotion"), capsys, monkeypatch)
    assert "▼" in part
    assert "most of it" not in part  # it is known over all sentences only


def test_one_missing_sentence_is_one(told, capsys, monkeypatch):
    shown = printed(told({"f": forgetful}), capsys, monkeypatch)
    assert "1 sentence without a score; pairs it stands in are left out" in shown


def test_a_narrow_terminal_gets_lines_with_whole_words(told, capsys, monkeypatch):
    shown = printed(told({"a": brother, "b": "constant"}), capsys, monkeypatch, columns=40)
    assert "– a\n  5 points higher about men, " in shown
    assert "1 of 2 moved" in " ".join(shown.split())
    assert "undecided" in shown
    assert all(len(line) <= 40 for line in shown.splitlines())
