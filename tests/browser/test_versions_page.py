"""The pages of two versions and of drift in a real browser, from disk, with the network off."""

import numpy as np
import polars as pl
import pytest
from odd_names import HOSTILE, LONG
from screen_words import DESKTOP, ONE_SYSTEM, PHONE, assert_first_screen, screen_words
from test_rating_page import CONTRAST

from audit_folders import scored, sentences_of, tilted, write_audit
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift
from tiltmeter.systems import UNIT, Card, System

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page with a hostile and a long name, and one of drift."""
    root = tmp_path_factory.mktemp("versions")
    sentences = sentences_of(12)
    for name, system, tilt in (("old", HOSTILE, 0.0), ("new", LONG, 0.03)):
        scores = scored(sentences, system, tilted(sentences, tilt, seed=1))
        write_audit(root / name, sentences, scores, gold={system: 0.6})
    found = compare(root / "old", root / "new")
    service = System(Card(HOSTILE, scale=UNIT), lambda texts: [0.7] * len(texts))
    moved = drift(root / "old", service, store=root / "store")
    return {"compare": found.report(root / "c"), "drift": moved.report(root / "d")}


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """Pages of one and of nine systems that changed or did not; drift in each of its verdicts."""
    root = tmp_path_factory.mktemp("states")
    sentences = sentences_of()
    nine = [f"system-{nth}" for nth in range(9)]
    made = {
        "old": [tilted(sentences)], "again": [tilted(sentences)],
        "worse": [tilted(sentences, 0.03, seed=1)],
        "wild": [tilted(sentences, 0.012, noise=0.3, seed=3)],
        "nine": [tilted(sentences, seed=nth) for nth in range(9)],
        "nine-later": [tilted(sentences, 0.01 * (nth % 4), seed=nth) for nth in range(9)],
    }  # fmt: skip
    for name, several in made.items():
        systems = ["model"] if len(several) == 1 else nine
        scores = [scored(sentences, *one) for one in zip(systems, several, strict=True)]
        write_audit(root / name, sentences, pl.concat(scores))
    compared = {
        "1 system, unchanged": ("old", "again"), "1 system, worse": ("old", "worse"),
        "1 system, better": ("worse", "old"), "1 system, undecided": ("old", "wild"),
        "9 systems, unchanged": ("nine", "nine"), "9 systems, changed": ("nine", "nine-later"),
    }  # fmt: skip
    found = {
        name: compare(*(root / one for one in folders)).report(root / name)
        for name, folders in compared.items()
    }
    known = dict(sentences.select("text").with_columns(score=pl.Series(made["old"][0])).rows())
    later = {"steady": (0.0, 0.0), "drifted": (0.05, 0.0), "undecided": (0.01, 0.02)}
    rng = np.random.default_rng(1)
    for name, (higher, noise) in later.items():

        def answers(texts, higher=higher, noise=noise):
            return [known[text] + higher + noise * rng.standard_normal() for text in texts]

        service = System(Card("model", scale=UNIT), answers)
        checked = drift(root / "old", service, store=root / "store")
        assert checked.verdict == name
        found[name] = checked.report(root / name)
    return found


STATES = (
    "1 system, unchanged", "1 system, worse", "1 system, better", "1 system, undecided",
    "9 systems, unchanged", "9 systems, changed", "steady", "drifted", "undecided",
)  # fmt: skip


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_answers_in_150_words(visit, states, name, scheme):
    page = visit(states[name], viewport=DESKTOP, color_scheme=scheme)
    assert_first_screen(page, name)
    assert page.evaluate(CONTRAST) == []
    assert page.locator("#answer .forest.moves tbody tr").count() in (2, 3, 4)
    assert page.locator("#answer .chip").count() >= 2
    page.set_viewport_size(PHONE)
    _, everything = screen_words(page, name, bottom=2 * PHONE["height"])
    assert everything <= ONE_SYSTEM


def test_a_chip_opens_the_sentence_that_says_why(visit, states):
    page = visit(states["1 system, worse"], viewport=DESKTOP)
    chips = page.locator("#answer .chip")
    assert chips.all_text_contents() == ["▲worse", "▲worse", "○same"]
    why = page.locator("#changes .findings li").first
    assert not why.is_visible()
    chips.first.click()
    assert why.is_visible()
    assert why.inner_text().startswith("Worse: the gender tilt of model by names grew by ")


def test_the_pair_that_moved_most_has_all_four_scores(visit, states):
    page = visit(states["1 system, worse"], viewport=DESKTOP)
    first, second = page.locator("#answer .two tbody tr").all()
    scores = [[float(one) for one in row.locator(".num").all_inner_texts()]
              for row in (first, second)]  # fmt: skip
    apart = [scores[0][nth] - scores[1][nth] for nth in (0, 1)]
    assert apart[1] - apart[0] >= 3.0  # the planted tilt, and noise that adds to it
    assert page.locator("#answer .two mark").count() in (2, 4)  # a name, and a pronoun


def test_what_drifted_shows_the_answer_that_moved_most_and_both_dates(visit, states):
    page = visit(states["drifted"], viewport=DESKTOP)
    then, now = map(float, page.locator("#answer .two tbody .num").all_inner_texts())
    assert now - then == pytest.approx(5.0, abs=0.11)
    assert page.locator("#answer .chip").first.text_content() == "◆drifted"
    steady = visit(states["steady"], viewport=DESKTOP)
    assert steady.locator("#answer .two").count() == 0
    assert "Baseline" in steady.locator("#answer .moved-people").inner_text()


def test_what_is_undecided_has_the_next_command(visit, states):
    page = visit(states["undecided"], viewport=DESKTOP)
    assert page.locator("#answer .step code").count() >= 1
    assert "tiltmeter drift old model --repeat 4" in page.locator("#answer").inner_text()
    decided = visit(states["1 system, worse"], viewport=DESKTOP)
    assert decided.locator("#answer .step").count() == 0


@pytest.mark.parametrize("name", ["compare", "drift"])
@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(visit, pages, name, width, scheme):
    page = visit(
        pages[name], viewport={"width": width, "height": 900}, color_scheme=scheme
    )  # fmt: skip
    for opened in (False, True):
        page.evaluate(
            "all => document.querySelectorAll('details').forEach(one => one.open ||= all)", opened
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) == []


def test_the_answer_the_figure_and_the_pairs_are_there(visit, pages):
    page = visit(pages["compare"])
    chips = page.locator("#answer .chip").all_text_contents()
    assert chips == ["▲worse", "▲worse", "○same"]  # by names, by couples
    page.locator("#changes summary").first.click()
    page.locator("#pairs summary").first.click()
    assert page.locator("#changes .drawn").count() == 3
    assert page.locator("#changes .drawn .mark.up:not(.hollow)").count() == 2
    # The heaviest change is open: gender by names. A side of its pairs is the mean of twenty
    # names, whose noise is far below the planted 3 points, so all 12 pairs moved apart; five are
    # shown, and none came closer. (Of couples, one person a side, some come closer by chance.)
    assert page.locator("#pairs details details[open] .moved").count() == 5
    assert page.locator("#pairs details details[open] .aside").inner_text() == "No pair."
    assert page.locator("#skill td.num").count() == 3
