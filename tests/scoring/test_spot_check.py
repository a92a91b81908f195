"""Stored scores asked again: what counts as the same, as change and as noise."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.scoring import (
    Block,
    Settings,
    Store,
    blocks_of,
    score_blocks,
    score_system,
    texts_of,
)
from tiltmeter.scoring.spot_check import Agreement, draw, draw_across_groups, spot_check
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


@pytest.mark.parametrize(
    ("settings", "agreement"),
    [({"check": 0}, Agreement.NOT_ASKED), ({"reuse": "stored"}, Agreement.NOT_WANTED)],
)
@pytest.mark.parametrize("for_gate", [False, True])
def test_nothing_is_asked_where_the_user_says_so(store, settings, agreement, for_gate):
    again = Asked(linear)
    found = scores(again.system, store, for_gate=for_gate, **settings)
    assert found.check.agreement is agreement
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


# --- for a gate ---

EEC = load_corpus("eec").sentences()
IN_GROUPS = EEC.unique("text", keep="first", maintain_order=True).select(
    "text", "gender", "race", "emotion_word", raw=pl.lit(0.5)
)
ASKED = IN_GROUPS.select("text", "raw", "gender", "race", "emotion_word")
HASHES = IN_GROUPS["text"].hash(3)
CHANGES = {
    "a random sixth": IN_GROUPS.filter(HASHES % 6 == 0),
    "one race": IN_GROUPS.filter(race="African American"),
    "a tenth of one race": IN_GROUPS.filter(
        (pl.col("race") == "African American") & (HASHES % 10 == 0)
    ),
    "one word": IN_GROUPS.filter(emotion_word="angry"),
    "no word": IN_GROUPS.filter(pl.col("emotion_word").is_null()),
}


def mark(number):
    return Card("asked", version=str(number)).fingerprint


@pytest.fixture(scope="module")
def draws():
    """What 300 systems with the same stored scores would be asked again."""
    return [set(draw_across_groups([ASKED], 200, mark(nth))["text"]) for nth in range(300)]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_sixth_or_of_one_group_is_among_200_texts(draws, change):
    """Of 66 texts about a race none is of a changed tenth in 0.9⁶⁶ = 0.1 % of draws."""
    changed = set(CHANGES[change]["text"])
    assert sum(not changed.isdisjoint(drawn) for drawn in draws) >= 297


def test_each_group_and_word_is_drawn_alike_and_always_the_same():
    drawn = draw_across_groups([ASKED], 200, mark(0))
    assert drawn.equals(draw_across_groups([ASKED], 200, mark(0)))
    groups = ASKED.join(drawn, on="text", how="semi")
    assert groups.height == 200
    for column, values in (("gender", 2), ("race", 3), ("emotion_word", 41)):
        counts = groups[column].value_counts()["count"]
        assert len(counts) == values  # without a race or a word too
        assert counts.min() >= 200 // values - 2
    few = ASKED.join(draw_across_groups([ASKED], 16, mark(0)), on="text", how="semi")
    assert few["race"].value_counts()["count"].min() >= 4


def test_a_rare_group_is_drawn_whatever_the_others_are():
    """One text in a thousand is about them."""
    rare = pl.when(pl.int_range(pl.len()) % 1000 == 7).then(pl.lit("few")).otherwise(pl.lit("many"))
    drawn = draw_across_groups([ASKED.with_columns(race=rare)], 200, mark(0))
    texts = ASKED.with_columns(race=rare).filter(race="few")["text"]
    assert set(texts) <= set(drawn["text"])


def test_blocks_are_drawn_from_as_a_whole():
    """Each block has its own word, as in a corpus that is gone through in parts."""
    blocks = ASKED.partition_by("emotion_word")
    drawn = draw_across_groups(blocks, 200, mark(0))
    counts = ASKED.join(drawn, on="text", how="semi")["emotion_word"].value_counts()["count"]
    assert (drawn.height, len(counts)) == (200, 41)
    assert counts.min() >= 3


@pytest.mark.parametrize("size", [0, 5, 200])
def test_fewer_stored_scores_than_wanted_are_all_drawn(size):
    few = ASKED.head(size)
    assert set(draw_across_groups([few], 200, mark(0))["text"]) == set(few["text"])
    assert draw_across_groups([], 200, mark(0)).is_empty()
    assert draw_across_groups([few.select("text", "raw")], 200, mark(0)).height == size


class Model:
    """A system that answers by the length of a text, more to some, and remembers what it heard."""

    def __init__(self, raised=(), noise=0.0, pace=None, **card):
        self.texts, self._raised, self._noise = [], set(raised), noise
        self._rng = np.random.default_rng(5)
        card = Card("model", scale=Scale(0.0, 1.0), **card)
        self.system = System(card, self._answer, pace or Pace())

    def _answer(self, texts):
        self.texts += texts
        return [
            len(text) / 200 + 0.3 * (text in self._raised) + self._noise * self._rng.normal()
            for text in texts
        ]


FRAMES = EEC.filter(pl.col("emotion_word").is_in(["angry", "happy"]) | (pl.col("template") == "1"))


def held(system, store, **settings):
    return score_system(system, texts_of(FRAMES), store, Settings(for_gate=True, **settings))


def in_parts(system, store, **settings):
    frames = FRAMES.partition_by("frame", maintain_order=True)
    blocks = blocks_of(
        lambda: (Block(frame["text"].unique(maintain_order=True)) for frame in frames),
        lambda: frames,
    )
    return score_blocks(system, blocks, store, Settings(for_gate=True, **settings))


@pytest.mark.parametrize("scoring", [held, in_parts])
@pytest.mark.parametrize("pace", [SERVICE["pace"], Pace()])
def test_a_gate_notices_a_change_of_one_group_alone_and_asks_everything_anew(
    tmp_path, scoring, pace
):
    kept = Store(tmp_path)
    size = FRAMES["text"].n_unique()
    assert scoring(Model(pace=pace).system, kept).asked == size
    same = Model(pace=pace)
    assert scoring(same.system, kept).check.agreement is Agreement.SAME
    assert len(same.texts) == len(set(same.texts)) == 200
    changed = Model(FRAMES.filter(race="African American")["text"], pace=pace)
    found = scoring(changed.system, kept)
    assert (found.check.agreement, found.asked, found.known) == (Agreement.CHANGED, size, 0)


@pytest.mark.parametrize("scoring", [held, in_parts])
def test_what_has_a_price_is_asked_sixteen_texts_of_every_group(tmp_path, scoring):
    kept, priced = Store(tmp_path), {"pace": SERVICE["pace"], "price": 0.01}
    scoring(Model(**priced).system, kept)
    again = Model(**priced)
    check = scoring(again.system, kept).check
    assert (check.agreement, check.texts, check.few_for_price) == (Agreement.SAME, 16, True)
    assert FRAMES.filter(pl.col("text").is_in(again.texts))["race"].n_unique() == 3
    assert not scoring(Model(**priced).system, kept, check=20).check.few_for_price


def test_only_what_is_stored_is_asked_again(tmp_path):
    """Part of a corpus is stored: the rest is asked now, and is current."""
    kept, model = Store(tmp_path), Model()
    score_system(model.system, texts_of(FRAMES.head(90)), kept, Settings())
    stored, again = set(model.texts), Model()
    found = held(again.system, kept)
    assert (found.check.agreement, found.check.texts) == (Agreement.SAME, len(stored))
    assert found.asked == FRAMES["text"].n_unique() - len(stored)


@pytest.mark.parametrize("change", ["one race", "a random sixth"])
def test_a_change_of_some_answers_shows_in_a_system_that_varies(change):
    """Among 200 answers that vary by 0.01, 0.3 more for a third or a sixth of them."""
    noticed = 0
    for number in range(10):
        drawn = draw_across_groups([ASKED], 200, mark(number))["text"]
        stored = pl.DataFrame({"text": drawn, "raw": Model(noise=0.01)._answer(drawn.to_list())})
        model = Model(CHANGES[change]["text"], noise=0.01)
        model._rng = np.random.default_rng(number + 100)
        noticed += spot_check(model.system, stored).agreement is Agreement.CHANGED
    assert noticed == 10


def test_noise_of_200_answers_is_no_change():
    for number in range(60):
        drawn = ASKED["text"].head(200)
        stored = pl.DataFrame({"text": drawn, "raw": Model(noise=0.1)._answer(drawn.to_list())})
        model = Model(noise=0.1)
        model._rng = np.random.default_rng(number + 100)
        assert spot_check(model.system, stored).agreement is Agreement.VARY


def test_a_service_that_is_gone_is_not_asked_two_hundred_times(tmp_path):
    kept, heard = Store(tmp_path), []
    scores(Asked(linear, **SERVICE).system, kept)

    def refuse(number):
        heard.append(number)
        return Missing("connection refused", unreachable=True)

    scored = scores(Asked(refuse, **SERVICE).system, kept, for_gate=True)
    assert scored.check.agreement is Agreement.NO_ANSWER
    assert (len(heard), scored.check.texts) == (8, 100)


@pytest.mark.parametrize(
    ("lost", "unreachable", "agreement"),
    [
        (1, True, Agreement.SAME),  # a third of the requests failed: the others answer alike
        (2, True, Agreement.NO_ANSWER),  # two thirds: too few
        (1, False, Agreement.CHANGED),  # refused, where it answered before
    ],
)
def test_a_service_that_fails_at_times_or_refuses_some(tmp_path, lost, unreachable, agreement):
    kept = Store(tmp_path)
    scores(Asked(linear, **SERVICE).system, kept)

    def some(number):
        if number % 3 < lost:
            return Missing("no", unreachable=unreachable)
        return linear(number)

    scored = scores(Asked(some, **SERVICE).system, kept, for_gate=True, max_missing=1.0)
    assert scored.check.agreement is agreement
