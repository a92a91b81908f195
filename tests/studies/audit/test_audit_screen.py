"""The first screen of an audit: which claim leads, what is said of it, and what has no room."""

import re
from dataclasses import replace

import numpy as np
import pytest

import tiltmeter
from simulated_material import audit_html, material_of, scored
from tiltmeter.corpora import load_corpus
from tiltmeter.report.forest import Forest, ForestCell, ForestPanel, ForestRow, ForestScale
from tiltmeter.studies.audit.first_strip import claims_of, fitted, many_words
from tiltmeter.studies.paired.submissions import answer_panels, submissions

EEC = load_corpus("eec")


def screen(audit, only=None):
    """The first screen's text."""
    made = audit_html(audit, only).split('<section id="answer"')[1].split("</section>")[0]
    bare = re.sub(r'<span class="vh">.*?</span>', "", made)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).replace("&#39;", "'").split())


def reading(text):
    """A system that reads: the last word tells one sentence from another."""
    return 0.2 + 0.1 * (len(text.split()[-1]) % 5)


def women_up(texts):
    """Sentences that say "she", "her" or a woman's word score a tenth higher."""
    words = {"she", "her", "woman", "girl", "sister", "daughter", "wife", "mother", "aunt", "mom"}
    words |= {"girlfriend", "herself"}
    return [
        0.1 * bool(words & set(re.findall(r"\w+", text.lower()))) + reading(text) for text in texts
    ]  # fmt: skip


def only_tia(texts):
    """One name is a word of its own."""
    return [0.3 * ("Tia" in text) + reading(text) for text in texts]


def mute(texts):
    return [0.5 for _ in texts]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def listed(store):
    systems = {"women_up": women_up, "only_tia": only_tia, "mute": mute}
    return tiltmeter.audit(systems, corpus="eec", measures="pairs", store=store)


def test_who_tilts_comes_first_with_its_size_and_direction(listed):
    said = screen(listed)
    assert "1 of 2 systems tilts: women_up," in said
    assert "mute: no signal" in said  # counted apart, and not in silence
    assert "points of 100 higher about women" in said
    assert said.index("women_up") < said.index("only_tia")


def test_one_system_leads_with_its_own_verdict(listed):
    said = screen(listed, "women_up")
    assert "Tilted on" in said
    assert "of 3 comparisons, most:" in said


def test_undecided_says_that_the_people_are_too_few_and_what_would_decide(listed):
    said = screen(listed, "only_tia")
    assert "Undecided at a margin of 1 point of 100. 40 names and 10 couples are too few." in said
    assert "tiltmeter audit only_tia --corpus names-us" in said


def test_a_difference_that_is_one_name_says_so(listed):
    assert "1 of 40 names by more than 1 point; most of it is Tia." in screen(listed, "only_tia")


def test_no_signal_is_no_verdict(listed):
    said = screen(listed, "mute")
    assert "No signal: " in said
    assert "Even within" not in said


def test_the_telling_pair_is_two_sentences_of_the_corpus_with_their_scores(listed):
    said = screen(listed, "women_up")
    texts = set(EEC.sentences()["text"])
    made = audit_html(listed, "women_up")
    pair = re.findall(r"<q [^>]*>(.*?)</q>", made)
    bare = [re.sub(r"<[^>]+>", "", one).replace("&#39;", "'") for one in pair]
    assert set(bare) <= texts
    first, second = women_up(bare)
    for score in (first, second):
        assert f" {100 * score:.1f}" in said


def test_a_population_leads_over_a_list(store):
    audit = tiltmeter.audit(
        {"only_tia": only_tia, "women_up": women_up}, corpus=["eec", "names-us"], people=30,
        measures="pairs", store=store,
    )  # fmt: skip
    said = screen(audit)
    assert "names-us: 240 of 18,337 names" in said
    assert re.search(r"eec: \d comparisons? tilted", said)  # the list beside it, and what it found


def test_claims_are_ordered_by_verdict_before_size(listed):
    claims = claims_of(submissions(listed), answer_panels(listed))
    states = [claim.state for claim in claims]
    assert states == sorted(states, key=["tilted", "undecided", "even", "no_signal"].index)
    tilted = [abs(claim.finding.value) for claim in claims if claim.state == "tilted"]
    assert tilted == sorted(tilted, reverse=True)


def test_even_does_not_hide_a_pair_that_differs(store):
    audit = tiltmeter.audit(
        {"only_tia": only_tia}, corpus="names-us", people=150, measures="pairs",
        store=store, margin=0.05,
    )  # fmt: skip
    said = screen(audit)
    assert "Even within 5 points of 100, on all" in said


def test_no_margin_of_one_system_is_said_of_another():
    """Only findings over pairs: no verdict words at all."""
    noise = np.random.default_rng(3).normal(0.5, 0.01, EEC.size)
    material = material_of(scored(EEC.sentences(), "plain", "valence", noise), EEC)
    said = screen(replace(material, tilts=None))
    assert "No difference detected in any of 2 comparisons." in said
    assert "even" not in said.split()


def test_a_strip_has_as_many_rows_as_there_is_room_for():
    cell = ForestCell(number="1.1", says=("tilted",))
    rows = tuple(ForestRow(f"system{at}", (cell,)) for at in range(9))
    strip = Forest("a", "A", (ForestPanel("gender", ForestScale(-1, 1), ("men", "women")),), rows)
    # the head takes 4 words (System, gender, men, women) and 5 ticks, a row 3, "n more systems" 3
    assert len(strip.panels[0].scale.ticks()) == 5
    assert len(fitted(strip, 9 + 3 * 9).rows) == 9
    assert len(fitted(strip, 9 + 3 * 9 - 1).rows) == 7  # eight, and three words, are one too many
    assert len(fitted(strip, 9 + 3 * 7 + 2).rows) == 6
    assert len(fitted(strip, 0).rows) == 1


def test_words_are_counted_as_a_reader_counts_them():
    assert many_words("86 % of people — by more than 1 point.") == 8


def test_even_on_a_population_is_not_said_of_the_list_beside_it(store):
    audit = tiltmeter.audit("vader", ["eec", "names-us"], measures="pairs", store=store)
    said = screen(audit)
    assert "On names-us: Even within 1 point of 100, on all 8 comparisons." in said
    assert "eec: 3 comparisons undecided" in said


def test_a_system_that_is_undecided_on_one_axis_is_not_counted_even(store):
    audit = tiltmeter.audit(
        ["nrclex", "vader"], "names-us", measures="pairs", store=store
    )  # nrclex: even on race and gender by names, undecided by couples
    claims = claims_of(submissions(audit), answer_panels(audit))
    states = [claim.state for claim in claims]
    assert {"even", "undecided"} <= set(states)
    assert states == sorted(states, key=["tilted", "undecided", "even"].index)
    assert "Of 2 systems 1 undecided, 1 even, at a margin of 1 point of 100." in screen(audit)
