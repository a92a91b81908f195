"""Stored scores asked again: what counts as the same, as change and as noise."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.scoring import (
    Block,
    Settings,
    Store,
    blocks_of,
    score_blocks,
    score_system,
    texts_of,
)
from tiltmeter.scoring.spot_check import Agreement, draw, spot_check
from tiltmeter.systems import Card, Missing, Pace, Scale, System

TEXTS = [f"text {nth}" for nth in range(100)]
SENTENCES = pl.DataFrame({"corpus": "c", "id": TEXTS, "text": TEXTS})


class Asked:
    """A system that answers `of` a text's number, and remembers what it was asked."""

    def __init__(self, of, pace=None, **card):
        self.texts, self._of = [], of
        self.system = System(
            Card("asked", scale=Scale(0.0, 1.0), **card), self._answer, pace or Pace()
        )

    def _answer(self, texts):
        self.texts += texts
        return [self._of(int(text.split()[1])) for text in texts]


def linear(number):
    return number / 1000


def scores(system, store, **settings):
    return score_system(system, texts_of(SENTENCES), store, Settings(**settings))


def in_blocks(system, store, **settings):
    cut = [Block(pl.Series("text", TEXTS[start : start + 30])) for start in range(0, 100, 30)]
    return score_blocks(system, blocks_of(lambda: cut), store, Settings(**settings))


@pytest.fixture
def store(tmp_path):
    """Holds the scores of `linear`."""
    kept = Store(tmp_path / "store")
    scores(Asked(linear).system, kept)
    return kept


def test_the_same_answers_cost_sixteen_questions(store):
    again = Asked(linear)
    scored = scores(again.system, store)
    assert (scored.asked, scored.known, scored.check.agreement) == (0, 100, Agreement.SAME)
    assert len(again.texts) == len(set(again.texts)) == scored.check.texts == 16
    assert scored.written[0] <= scored.written[1]


@pytest.mark.parametrize("scoring", [scores, in_blocks])
def test_another_answer_drops_what_is_stored_and_asks_anew(tmp_path, scoring):
    kept = Store(tmp_path)
    scoring(Asked(linear).system, kept)
    trained = Asked(lambda number: linear(number) + 0.2)
    found = scoring(trained.system, kept)
    assert (found.asked, found.known, found.check.agreement) == (100, 0, Agreement.CHANGED)
    assert "16 of 16 stored scores asked again differ, by up to 0.2" in " ".join(found.notes)
    stored = dict(kept.read(trained.system.card.fingerprint)[0].select("text", "raw").rows())
    assert stored == {text: linear(nth) + 0.2 for nth, text in enumerate(TEXTS)}


def test_a_large_run_notices_what_a_small_one_stored(store):
    """Blocks are looked up by text where none of their own is stored."""
    found = in_blocks(Asked(lambda number: linear(number) / 2).system, store)
    assert (found.asked, found.check.agreement) == (100, Agreement.CHANGED)


@pytest.mark.parametrize(
    ("moved", "agreement"), [(0.9e-6, Agreement.SAME), (1.1e-6, Agreement.CHANGED)]
)
def test_a_millionth_of_the_scale_is_no_difference(store, moved, agreement):
    assert scores(Asked(lambda n: linear(n) + moved).system, store).check.agreement is agreement


def test_answers_that_vary_anyway_are_kept_and_said_to(tmp_path):
    kept, rng = Store(tmp_path), np.random.default_rng(0)
    noisy = Asked(lambda _: rng.random())
    first = scores(noisy.system, kept)
    again = scores(noisy.system, kept)
    assert again.check.agreement is Agreement.VARY
    assert again.scores.equals(first.scores)


def test_a_change_larger_than_the_noise_is_a_change(tmp_path):
    """Each of 16 stored answers stands apart from two new ones: by chance once in 3¹⁶ runs."""
    kept, rng = Store(tmp_path), np.random.default_rng(0)
    scores(Asked(lambda n: linear(n) + 1e-4 * rng.random()).system, kept)
    trained = Asked(lambda n: linear(n) + 0.3 + 1e-4 * rng.random())
    assert scores(trained.system, kept).check.agreement is Agreement.CHANGED


def test_noise_is_hardly_ever_taken_for_a_change():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(300):
        noisy = Asked(lambda _: rng.normal())
        drawn = pl.DataFrame({"text": TEXTS[:16], "raw": rng.normal(size=16)})
        found.append(spot_check(noisy.system, drawn).agreement)
    assert set(found) == {Agreement.VARY}


def test_an_answer_that_is_no_longer_given_is_a_change(store):
    silent = Asked(lambda _: Missing("retired"))
    scored = scores(silent.system, store, max_missing=1.0)
    assert (scored.check.agreement, scored.missing) == (Agreement.CHANGED, 100)


SERVICE = {"pace": Pace(1, "threads", 4)}


@pytest.mark.parametrize("costly", [SERVICE, {"price": 0.01}])
def test_what_costs_is_asked_again_only_on_request(tmp_path, costly):
    kept, service = Store(tmp_path), Asked(linear, **costly)
    scores(service.system, kept)
    service.texts.clear()
    assert scores(service.system, kept).check.agreement is Agreement.NOT_ASKED
    assert service.texts == []
    assert scores(service.system, kept, check=5).check.agreement is Agreement.SAME
    assert len(service.texts) == 5


def test_a_service_that_fails_has_not_changed(tmp_path):
    kept = Store(tmp_path)
    scores(Asked(linear, **SERVICE).system, kept)
    dead = Asked(lambda _: Missing("connection refused"), **SERVICE)
    scored = scores(dead.system, kept, check=8)
    assert (scored.check.agreement, scored.check.reason, scored.missing) == (
        Agreement.NO_ANSWER, "connection refused", 0
    )  # fmt: skip


@pytest.mark.parametrize("settings", [{"check": 0}, {"reuse": "stored"}])
def test_nothing_is_asked_where_the_user_says_so(store, settings):
    again = Asked(linear)
    assert scores(again.system, store, **settings).check.agreement is Agreement.NOT_ASKED
    assert again.texts == []


def test_batches_may_move_an_answer_as_far_as_their_probe_allows(store):
    """Stored in batches and asked one by one: padding moves a float32 model by that much."""
    padded = Asked(lambda n: linear(n) + 9e-6, Pace(one_by_one=False))
    assert scores(padded.system, store).check.agreement is Agreement.SAME


def test_the_same_texts_are_drawn_for_the_same_scores():
    stored = pl.DataFrame({"text": TEXTS, "repeat": 0, "raw": [1.0] * 100})
    mark = Card("asked").fingerprint
    assert draw(stored, 16, mark).equals(draw(stored, 16, mark))
    assert draw(stored, 200, mark).height == 100
    assert draw(stored.with_columns(raw=None), 16, mark).is_empty()


def test_a_text_is_dated_by_the_shards_that_hold_it(store):
    """Scores of another corpus, asked later, do not make these look newer."""
    first = scores(Asked(linear).system, store).written
    more = texts_of(pl.DataFrame({"corpus": "d", "id": ["x"], "text": ["text 900"]}))
    score_system(Asked(linear).system, more, store, Settings())
    assert scores(Asked(linear).system, store).written == first
    assert score_system(Asked(linear).system, more, store, Settings()).written > first
