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
    assert "Difference detected in 1 of 2: 1 higher about men, none detected in 1." in shown
    assert "Control apart: c." in " ".join(shown.split())
    none = printed(told({"a": "constant", "b": "constant"}), capsys, monkeypatch)
    assert "No difference detected in any of 2." in none
    assert "0 higher" not in shown + none


def test_a_pair_that_makes_a_difference_is_named_as_a_pair(told, capsys, monkeypatch):
    shown = printed(told({"a": brother}), capsys, monkeypatch)
    assert "gender: most of it comes from “my sister/my brother”" in shown
    part = printed(told({"a": brother}, subset="emotion"), capsys, monkeypatch)
    assert "▼" in part
    assert "most of it" not in part  # it is known over all sentences only


def test_one_missing_sentence_is_one(told, capsys, monkeypatch):
    shown = printed(told({"f": forgetful}), capsys, monkeypatch)
    assert "1 sentence without a score; pairs it stands in are left out" in shown


def test_a_narrow_terminal_gets_lines_with_whole_words(told, capsys, monkeypatch):
    shown = printed(told({"a": brother, "b": "constant"}), capsys, monkeypatch, columns=40)
    assert "▼ a\n  5 points higher about men, " in shown
    assert "undecided" in shown
    assert all(len(line) <= 40 for line in shown.splitlines())
