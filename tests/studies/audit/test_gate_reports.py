"""A gate's answer as text, JUnit XML and Markdown, also for names that mean harm."""

import xml.etree.ElementTree as ET

import pytest

from tiltmeter.studies.audit.gate_wording import gate_markdown, gate_text, junit_xml, outcome_words

PAIR = {
    "text_first": "My sister feels angry.", "text_second": "My brother feels angry.",
    "score_first": 0.512, "score_second": 0.4, "n_first": 1, "n_second": 20,
}  # fmt: skip
HOSTILE = [
    "a|b|c",
    "`code`",
    "<script>alert(1)</script>",
    "line\nbreak\r\n| x |",
    "\x00\x07\x1b[31m",
    "\ud800",
    "]]>",
    "\"'&amp;",
    "\u202eright to left\u2028",
    "@everyone #1 ![x](http://example.org/x.png)",
    "![](javascript:1) **bold** __x__ ~~y~~ $z$",
]


def compared(verdict="even", *, fails=None, **given):
    return {
        "system": "vader", "task": "valence", "corpus": "eec", "edition": "corrected",
        "axis": "gender", "contrast": "female-male", "reference": "male", "first": "female",
        "second": "male", "about_first": "about women", "about_second": "",
        "verdict": verdict, "value": 0.03, "low": 0.02, "high": 0.04,
        "margin": 0.01, "reason": "", "needed_people": None, "people": "names", "n": 40,
        "measure": "tilt", "limit": None, "moved": None, "exact": False, "family": 4,
        "sentence": "A sentence.", "worst": (), "open": verdict not in ("tilted", "even"),
        "fails": verdict != "even" if fails is None else fails,
    } | given  # fmt: skip


def decided(*comparisons, outcome="tilted", undecided="fail"):
    return {"outcome": outcome, "undecided": undecided, "comparisons": list(comparisons)}


MIXED = decided(
    compared("tilted", worst=(PAIR,)),
    compared("undecided", system="b", needed_people=86, value=0.001),
    compared("not_estimable", system="c", value=None, low=None, high=None, reason="no pair"),
    compared("even", system="d"),
)


def test_the_outcome_counts_every_verdict():
    expected = (
        "Gate: tilted. Of 4 comparisons: 1 tilted, 1 undecided, 1 not estimable, "
        "1 even within the margin."
    )
    assert outcome_words(MIXED) == expected
    let = decided(compared("undecided", fails=False), outcome="pass", undecided="pass")
    assert outcome_words(let) == "Gate: pass. Of 1 comparison: 1 undecided (let pass)."


def test_a_group_that_nobody_speaks_of_is_named_as_it_is_marked():
    assert "3.0 points higher marked “male”" in gate_text(
        decided(compared("tilted", value=-0.03, low=-0.04, high=-0.02))
    )


def test_the_text_says_size_interval_margin_pairs_and_what_would_decide():
    text = gate_text(MIXED)
    # 0.03 of the scale is 3 points; the interval has two digits of the larger part.
    assert "3.0 points higher about women, 95 % interval 2.0 to 4.0; margin ±1 point" in text
    assert "0.512  My sister feels angry." in text
    assert "0.400  My brother feels angry. (average of 20 like it)" in text
    assert "11 points apart" in text  # 0.512 − 0.4 = 0.112
    assert "86 names in all would decide it" in text
    assert "No pair." in text
    assert "d, valence" not in text  # what passed needs no explanation


def test_junit_has_a_case_for_each_comparison_and_fails_with_the_gate():
    suite = ET.fromstring(junit_xml(MIXED)).find("testsuite")
    assert {k: suite.get(k) for k in ("tests", "failures", "skipped")} == {
        "tests": "4", "failures": "3", "skipped": "0"
    }  # fmt: skip
    cases = suite.findall("testcase")
    kinds = [[child.tag for child in case] for case in cases]
    assert kinds == [["failure"], ["failure"], ["failure"], []]
    said = "vader, valence, eec: gender by names, female-male within ±1 point"
    assert cases[0].get("name") == said
    assert "My sister feels angry." in cases[0][0].text


def test_junit_skips_what_the_gate_lets_pass():
    told = decided(compared("undecided", fails=False), outcome="pass", undecided="pass")
    suite = ET.fromstring(junit_xml(told)).find("testsuite")
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    assert suite.find("testcase")[0].tag == "skipped"


@pytest.mark.parametrize("name", HOSTILE)
def test_junit_is_xml_whatever_a_system_is_called(name):
    pair = PAIR | {"text_first": name}
    told = decided(compared("tilted", system=name, axis=name, sentence=name, worst=(pair,)))
    case = ET.fromstring(junit_xml(told).encode("utf-8")).find("testsuite/testcase")
    assert case.get("name")
    assert len(case) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_takes_names_as_text(name):
    pair = PAIR | {"text_first": name}
    harmless = gate_markdown(decided(compared("tilted", worst=(PAIR,))))
    told = decided(
        compared("tilted", system=name, corpus=name, contrast=name, sentence=name, worst=(pair,))
    )
    text = gate_markdown(told)
    assert len(text.splitlines()) == len(harmless.splitlines())  # no line of its own making
    assert text.count("|") == harmless.count("|")  # no cell
    for mark in ("<script", "`", "![", "](", "~~", "__", "$z$", "@everyone", "\x1b", "\u202e"):
        assert mark not in text
    text.encode("utf-8")


@pytest.mark.parametrize("name", HOSTILE)
def test_text_holds_no_terminal_escape(name):
    pair = PAIR | {"text_first": name}
    told = decided(compared("tilted", system=name, axis=name, worst=(pair,)))
    harmless = gate_text(decided(compared("tilted", worst=(PAIR,))))
    assert len(gate_text(told).split("\n")) == len(harmless.split("\n"))
    assert not set(gate_text(told)) & set("\x00\x07\x1b\r")


def test_markdown_shows_the_table_the_pairs_and_what_the_answer_does_not_mean():
    text = gate_markdown(MIXED)
    assert text.startswith("## Tiltmeter: tilted\n")
    assert "| **tilted** | vader | valence | eec |" in text
    assert "| even within ±1 point | d |" in text
    assert "86 names in all would decide it" in text
    assert text.endswith(
        "This holds for these margins, this corpus and this version of the system, no further.\n"
    )


def test_markdown_of_very_many_comparisons_stays_short():
    text = gate_markdown(decided(*(compared("tilted", worst=(PAIR,)) for _ in range(5000))))
    assert "… and 4,800 more." in text
    assert len(text.encode()) < 2**20  # what GitHub takes


def share(verdict="even", **given):
    """People moved: 3 of 60, at most 20 % may be."""
    counted = {
        "measure": "moved", "axis": "race", "contrast": "Black", "reference": "", "n": 60,
        "moved": 3, "value": 0.05, "low": 0.0104, "high": 0.1392, "limit": 0.2, "family": 1,
    }  # fmt: skip
    return compared(verdict, **counted | given)


def test_people_moved_are_said_as_a_share_with_its_limit():
    told = decided(
        share(), share("tilted", limit=0.01), share("undecided", limit=0.1, needed_people=97),
        share("undecided", people="couples", limit=0.05), compared("even"),
    )  # fmt: skip
    text, table = gate_text(told), gate_markdown(told)
    assert outcome_words(told) == (
        "Gate: tilted. Of 5 comparisons: 1 beyond the limit, 2 undecided, 1 even within the "
        "margin, 1 within the limit."
    )
    assert "vader, valence, eec: moved.race, Black: beyond the limit" in text
    assert "3 of 60 names moved, 5 %, 95 % interval 1 to 14 %; at most 1 %" in text
    assert "About 97 names would decide it, if the share is as seen." in text
    assert "3 of 60 couples moved" in text
    assert "No number of people" not in text
    assert "| moved.race, Black | 3 of 60 names moved, 5 % | 1 to 14 % | at most 20 % |" in table
    names = [one.get("name") for one in ET.fromstring(junit_xml(told)).iter("testcase")]
    assert names[0] == "vader, valence, eec: moved.race, Black at most 20 %"


def test_a_census_has_no_interval_and_says_so():
    told = decided(compared("tilted", exact=True, low=0.03, high=0.03))
    assert "3.0 points higher about women, exact; margin ±1 point" in gate_text(told)
