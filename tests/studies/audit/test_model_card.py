"""A section for a model card: what it says, and that no name in it comes alive."""

import re
import subprocess

import pytest
from msgspec.structs import replace

from carded import card_of, estimate, estimates, finding, run
from tiltmeter.errors import TiltmeterError
from tiltmeter.report.markup import code, plain, starting
from tiltmeter.studies.audit.model_card import (
    assessed,
    card_files,
    card_markdown,
    card_yaml,
    quoted,
    yaml_text,
)

HOSTILE = [
    "<script>alert(1)</script>", "a|b", "*bold* _it_ `code` ~~no~~", "[x](javascript:1)",
    "![i](http://evil.example/x.png)", "@everyone", "www.evil.example", "---\nmodel-index: 1",
    "# head", "- item", "1. item", "$x$", "\u202eevil", "a\u2028b", "\\", "\x00\x1b[31m", "&amp;",
]  # fmt: skip


def test_a_card_says_what_was_asked_found_and_not_meant():
    text = card_markdown(card_of([finding()]))
    assert text.startswith("## Assessment of tilt with Tiltmeter\n\nDoes vader score the same")
    assert (
        "It was asked for valence of 8,640 sentences of Equity Evaluation Corpus (eec, corrected "
        "edition, en). Pairs of sentences that differ only in the person were compared: 1,584 on "
        "gender (female-male)." in text
    )
    assert (
        "- **even within ±1 point** (gender, female-male): Equivalent within 1 point of 100."
        in text
    )
    assert "### What this does not mean" in text
    assert "- command: `tiltmeter audit vader`" in text
    assert "- Tiltmeter 0.1.0, 2026-11-16" in text
    assert "- corpus eec: SHA-256 `24b0`" in text
    assert "bonferroni over 2 comparisons, level 0.05, seed 0" in text
    assert not re.search("unbiased|fair|passed", text)


BESIDE = {
    "moved": [
        {"group": "female", "moved": 1, "people": 20, "share": 0.05, "low": 0.00127, "high": 0.249},
        {"group": "male", "moved": 0, "people": 20, "share": 0.0, "low": 0.0, "high": 0.139},
    ],
    "next": {
        "command": "tiltmeter audit vader --corpus names-us", "sentences": 25886, "why_none": None,
    },
}  # fmt: skip


def test_both_claims_stand_apart_and_other_subsets_are_left_out():
    rows = [
        finding(verdict="undecided", subset="names", sentence="Undecided for vader.", **BESIDE),
        finding(measure="mean_difference", verdict=None, sentence="vader scores higher."),
        finding(subset="neutral", sentence="Exploratory."),
        finding(measure="marginal_effect", subset="neutral", verdict=None, sentence="By fit."),
    ]
    text = card_markdown(card_of(rows))
    assert (
        "### Verdicts\n\n- **undecided** (gender, female-male, by names): Undecided for vader. It "
        "moves names by more than 1 point: female 1 of 20 (0.13 to 25 %), male 0 of 20 (up to "
        "14 %). To decide it: `tiltmeter audit vader --corpus names-us`, which asks for 25,886 "
        "sentences.\n\n### In these sentences\n\n- vader scores higher.\n\n"
        "### Axes told apart (regression)\n\n- By fit." in text
    )
    assert "Exploratory" not in text


def test_flips_and_skill_stand_there_where_they_are_known():
    rows = [
        estimate(measure="flips", value=0.025, low=0.018, high=0.034, n=1600, unit="share"),
        estimate(measure="pearson", subset="gold", corpus="tweets", axis="", contrast="",
                 value=0.713, low=0.66, high=0.76, n=449, unit="correlation"),
    ]  # fmt: skip
    text = card_markdown(card_of([finding()], rows))
    assert (  # 0.025 × 1,600 = 40
        "gender (female-male): 40 of 1,600 pairs change label with the person (2.5 %, 95 % "
        "interval 1.8 % to 3.4 %)." in text
    )
    assert (
        "- valence: Pearson 0.71 (95 % interval 0.66 to 0.76) with the gold scores of tweets, "
        "449 texts." in text
    )
    assert "Labels" not in card_markdown(card_of([finding()]))


def test_the_metadata_is_one_entry_with_task_dataset_and_metrics():
    assert card_yaml(card_of([finding()])).split("further.\n")[1] == (
        'model-index:\n- name: "vader"\n  results:\n  - task:\n      type: "text-classification"\n'
        '      name: "sentiment: valence"\n    dataset:\n      name: "Equity Evaluation Corpus"\n'
        '      type: "eec"\n      config: "corrected"\n      revision: "24b0"\n    metrics:\n'
        '    - type: "tilt"\n      name: "tilt, gender: female-male"\n      value: 0.0012\n'
        '      args:\n        verdict: "even"\n        margin: 0.01\n        low: -0.0011\n'
        '        high: 0.0035\n        unit: "scale"\n        pairs: 1584\n'
        '        tool: "tiltmeter 0.1.0"\n'
    )


def test_without_a_number_there_is_no_metric():
    lost = finding(value=None, low=None, high=None, verdict="not_estimable")
    assert card_yaml(card_of([lost])).endswith("{}\n")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_comes_alive_in_markdown(name):
    told = run(system=name, title=name)
    rows = [finding(system=name, axis=name, contrast=name, sentence=f"{name} scores.")]
    command = f"tiltmeter audit {name}"
    text = card_markdown(card_of(rows, [estimate(system=name)], told, command=command))
    shown = re.sub(r"(`+) ?.*? ?\1", "", re.sub(r"\\[\\`*_\[\]|~$<]", "", text))  # escapes, code
    assert not re.search(r"<[a-z/!?]|\]\(|!\[|://|www\.|@|[|~$]", shown, re.IGNORECASE)
    lines = text.split("\n")
    assert all(re.match(r"## |### |- |Does |It was |$", line) for line in lines)
    assert sum(line.startswith("#") for line in lines) == 4  # one title and three sections


STRANGE = [
    "tiltmeter audit vader $(touch ran)", "tiltmeter audit vader; touch ran",
    "tiltmeter audit `touch ran`", "tiltmeter audit vader\ntouch ran",
    "tiltmeter audit vader > ran", "tiltmeter audit vader || touch ran",
    "tiltmeter audit 'vader' && touch ran", "tiltmeter audit vader & touch ran",
    "touch ran", "touch ran; tiltmeter audit vader", "X=$(touch ran) tiltmeter audit vader",
    "tiltmeter store prune --older-than 0", "/tmp/tiltmeter audit vader", "$(touch ran)",
    "tiltmeter audit 'vader", "tiltmeter audit vader\u202e", "tiltmeter audit \x1b[31mvader",
    "tiltmeter audit " + "a" * 10_000, " ", "tiltmeter",
]  # fmt: skip


@pytest.mark.parametrize("command", STRANGE)
def test_a_command_of_a_card_that_is_pasted_runs_tiltmeter_alone(command, tmp_path):
    """A shell runs each; `tiltmeter` is a program that writes down that it was called."""
    called, stub = tmp_path / "called", tmp_path / "bin" / "tiltmeter"
    stub.parent.mkdir()
    stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> "{called}"\n')
    stub.chmod(0o755)
    step = {"command": command, "sentences": 9, "why_none": None}
    card = card_markdown(card_of([finding(verdict="undecided", next=step)], command=command))
    pasted = re.findall(r"(?:command|decide it): (`+) ?(.*?) ?\1(?:$|,)", card, re.MULTILINE)
    for _, shown in pasted:
        subprocess.run(
            ["/bin/sh", "-c", shown], cwd=tmp_path, check=True,
            env={"PATH": f"{stub.parent}:/usr/bin:/bin"},
        )  # fmt: skip
    assert not (tmp_path / "ran").exists()
    assert set(called.read_text().split() if called.exists() else []) <= {"audit"}
    assert len(pasted) in (0, 2)
    assert card.count("not shown, as it is none that repeats an audit") == 2 - len(pasted)


def test_a_command_of_an_audit_stands_on_its_card_as_it_was_given():
    command = "tiltmeter audit 'cmd:python score.py' ./my.py:score --scale=-1:1 -o 'a b' --people 9"
    assert f"- command: `{command}`\n" in card_markdown(card_of([finding()], command=command))


def test_a_command_that_is_no_text_is_one_message():
    with pytest.raises(TiltmeterError, match=r"found 7 for a command.*expected a text"):
        card_markdown(card_of([finding()], command=7))


def test_text_at_the_start_of_a_line_makes_no_list_or_heading():
    assert [starting(one) for one in ("- a", "1. a", "# a", "> a", "2026")] == [
        "\\- a", "1\\. a", "\\# a", "\\> a", "2026",
    ]  # fmt: skip
    assert plain("- a") == "- a"
    assert code("``x") == "``` ``x ```"


def test_yaml_quotes_every_text_and_no_number():
    told = {"a": "no", "b": 'x"\n- y: 1', "c": True, "d": None, "e": 1e-7, "f": 3, "g": 0.5}
    assert yaml_text(told) == (
        'a: "no"\nb: "x\\"\\n- y: 1"\nc: true\nd: null\ne: 1.0e-07\nf: 3\ng: 0.5\n'
    )
    assert quoted("\ud800 \x85 😀") == '"\ufffd \\U00000085 😀"'


def test_every_system_has_two_files_of_its_own():
    told = run()
    systems = tuple(replace(told.systems[0], system=name) for name in ("A b", "a-b", "../up"))
    told = replace(told, systems=systems)
    cards = assessed([], estimates([estimate()]), told, {})
    names = [name for name, _ in card_files(cards)]
    assert len(set(names)) == 6
    assert all(re.fullmatch(r"model-cards/[a-z0-9-]+\.(md|yaml)", name) for name in names)
