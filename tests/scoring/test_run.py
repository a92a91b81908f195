"""Scoring from end to end with systems made in the test."""

import itertools
import subprocess
import sys
import threading

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import IncompleteError, SystemFailure, TiltmeterError
from tiltmeter.schemas import SCORES, validate
from tiltmeter.scoring import Settings, Store, score_system, texts_of
from tiltmeter.systems import Card, Missing, Pace, Scale, System

EEC = texts_of(load_corpus("eec").sentences())


def length(text):
    return len(text) / 100


def system(answer=None, name="length", **pace):
    def answers(texts):
        return [(answer or length)(text) for text in texts]

    return System(Card(name, scale=Scale(0.0, 1.0)), answers, Pace(**pace))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_every_sentence_gets_its_score(store):
    scored = score_system(system(), EEC, store, Settings())
    expected = [length(text) for text in EEC.sentences["text"]]
    assert validate(scored.scores, SCORES)["raw"].to_list() == expected
    assert scored.scores["id"].equals(EEC.sentences["id"])
    assert (scored.asked, scored.known, scored.missing) == (8640, 0, 0)


def test_a_second_run_asks_nothing(store):
    first = score_system(system(), EEC, store, Settings())

    def never(text):
        raise AssertionError(f"asked again: {text}")

    again = score_system(system(never), EEC, store, Settings(check=0))
    assert (again.asked, again.known) == (0, 8640)
    assert again.scores.equals(first.scores)


def test_a_longer_corpus_asks_only_what_is_new(store):
    half = texts_of(EEC.sentences.head(4000))
    score_system(system(), half, store, Settings())
    scored = score_system(system(), EEC, store, Settings())
    assert (scored.asked, scored.known) == (4640, 4000)


def test_equal_texts_are_asked_once(store):
    asked = []
    texts = texts_of(load_corpus("eec-ar").sentences())
    scored = score_system(system(lambda text: asked.append(text) or 0.5), texts, store, Settings())
    assert len(asked) == len(set(asked)) == 7800
    assert scored.scores.height == 8040
    assert scored.missing == 0


@pytest.mark.parametrize("parallel", ["none", "threads"])
@pytest.mark.parametrize("batch", [1, 7, 256, 10_000])
def test_scores_do_not_depend_on_batches_or_workers(store, parallel, batch):
    few = texts_of(EEC.sentences.head(500))
    expected = score_system(system(), few, Store(store.path / "x"), Settings()).scores
    found = score_system(system(batch=batch, parallel=parallel, workers=4), few, store, Settings())
    assert found.scores.equals(expected)


def test_answers_come_side_by_side_when_a_system_waits(store):
    together, tried_alone = threading.Barrier(6), threading.current_thread()

    def wait(text):
        if threading.current_thread() is not tried_alone:
            together.wait(300)  # six at a time, or never
        return length(text)

    few = texts_of(EEC.sentences.head(60))
    scored = score_system(
        system(wait, batch=1, parallel="threads", workers=6), few, store, Settings()
    )
    assert scored.missing == 0


def test_missing_answers_are_nulls_with_their_reason(store):
    def moody(text):
        return Missing("the server slept") if "angry" in text else 0.5

    scored = score_system(system(moody), EEC, store, Settings(max_missing=1.0))
    lost = scored.scores.filter(pl.col("raw").is_null())
    assert scored.missing == lost.height == 4 * 60
    assert lost["reason"].unique().to_list() == ["the server slept"]
    assert scored.scores.filter(pl.col("raw").is_not_null())["reason"].null_count() == 8400


def test_missing_answers_are_asked_again_next_time(store):
    def moody(text):
        return Missing("slept") if "angry" in text else 0.5

    score_system(system(moody), EEC, store, Settings(max_missing=1.0))
    scored = score_system(system(lambda _: 0.5), EEC, store, Settings())
    assert (scored.asked, scored.known, scored.missing) == (240, 8400, 0)


def test_too_much_missing_stops_the_run_and_keeps_what_was_gathered(store):
    counter = itertools.count()

    def dying(text):
        return length(text) if next(counter) < 1000 else Missing("connection refused")

    with pytest.raises(IncompleteError, match=r"connection refused.*stored") as caught:
        score_system(system(dying, batch=10), EEC, store, Settings(max_missing=0.01))
    assert caught.value.exit_code == 4
    assert next(counter) < 1200  # 1 % of 8,640 is 86: it did not go on to the end
    scored = score_system(system(), EEC, store, Settings())
    assert scored.known == 1000
    assert scored.missing == 0


def test_reuse_stored_asks_nothing_and_gaps_are_null(store):
    score_system(system(), texts_of(EEC.sentences.head(60)), store, Settings())
    scored = score_system(system(), EEC, store, Settings(reuse="stored"))
    assert (scored.asked, scored.missing) == (0, 8640 - 60)
    assert scored.scores["reason"].drop_nulls().unique().to_list() == ["not in the store"]


def test_reuse_never_asks_all_anew_and_uses_the_new_answers(store):
    score_system(system(lambda _: 0.1), EEC, store, Settings())
    scored = score_system(system(lambda _: 0.9), EEC, store, Settings(reuse="never"))
    assert scored.asked == 8640
    assert scored.scores["raw"].unique().to_list() == [0.9]


def test_what_was_asked_anew_stays_anew(store):
    score_system(system(lambda _: 0.1), EEC, store, Settings())
    score_system(system(lambda _: 0.9), EEC, store, Settings(reuse="never"))
    later = score_system(system(lambda _: 0.1), EEC, store, Settings(check=0))
    assert later.asked == 0
    assert later.scores["raw"].unique().to_list() == [0.9]


def test_a_tolerable_gap_stays_tolerable_when_the_run_is_repeated(store):
    def stubborn(text):
        return None if text.startswith("Ebony feels") else 0.5  # 20 of 8,640: 0.23 %

    for _ in range(2):
        scored = score_system(system(stubborn), EEC, store, Settings(max_missing=0.01))
        assert scored.missing == 20


def test_repeats_are_all_kept_and_their_spread_is_told(store):
    values = itertools.cycle([0.2, 0.4])
    few = texts_of(EEC.sentences.head(1))
    scored = score_system(system(lambda _: next(values)), few, store, Settings(repeats=2))
    assert scored.scores["repeat"].to_list() == [0, 1]
    assert scored.scores["raw"].to_list() == [0.2, 0.4]
    # the standard deviation of 0.2 and 0.4 with n − 1 = 1 is 0.1·√2
    assert scored.noise == pytest.approx(0.1 * 2**0.5)


def test_one_repeat_tells_no_spread(store):
    assert score_system(system(), EEC, store, Settings()).noise is None


def test_answers_outside_the_scale_are_kept_counted_and_shown(store):
    scored = score_system(system(lambda t: 1.07 if "angry" in t else 0.5), EEC, store, Settings())
    assert scored.resolved_scale.outside == 240
    assert scored.resolved_scale.first_outside.startswith("1.07 for 'She feels angry.'")
    assert scored.scores["score"].max() == pytest.approx(1.07)


@pytest.mark.parametrize(
    ("values", "scale"),
    [((0.0, 0.7), Scale(0, 1)), ((-0.5, 0.7), Scale(-1, 1)), ((-2.0, 3.0), None)],
)
def test_an_undeclared_scale_is_seen_from_the_answers(store, values, scale):
    low, high = values
    bare = System(Card("bare"), lambda texts: [low if "sad" in t else high for t in texts])
    scored = score_system(bare, EEC, store, Settings())
    assert scored.resolved_scale.scale == scale
    if scale is None:
        assert scored.scores["score"].null_count() == 8640
        assert scored.scores["raw"].null_count() == 0
    else:
        assert scored.scores["score"].max() == pytest.approx(scale.to_unit(high))


def test_a_users_scale_wins_over_the_declared_one(store):
    scored = score_system(system(), EEC, store, Settings(), scale=Scale(0.0, 2.0))
    assert scored.scores["score"][0] == pytest.approx(scored.scores["raw"][0] / 2)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda _: "0.5", "answered str '0.5'; expected a number"),
        (lambda _: float("nan"), "answered nan; expected a finite number"),
        (lambda _: float("inf"), "answered inf"),
        (lambda _: 10**400, "answered inf"),
        (lambda _: [0.5], "answered list"),
    ],
)
def test_what_is_no_number_is_an_error_that_names_system_and_text(store, answer, message):
    with pytest.raises(SystemFailure, match="'odd'") as caught:
        score_system(system(answer, name="odd"), EEC, store, Settings())
    assert message in str(caught.value)
    assert "'She feels angry.'" in str(caught.value)


def test_the_wrong_number_of_answers_is_an_error(store):
    short = System(Card("short"), lambda texts: [0.5] * (len(texts) - 1))
    with pytest.raises(SystemFailure, match="gave 255 answers to 256 texts"):
        score_system(short, EEC, store, Settings())


def test_none_is_a_missing_score_and_no_zero(store):
    scored = score_system(system(lambda _: None), EEC, store, Settings(max_missing=1.0))
    assert scored.missing == 8640
    assert scored.scores["raw"].null_count() == 8640


def test_a_system_whose_batches_matter_is_asked_one_by_one_and_noted(store):
    def centred(texts):
        mean = sum(len(text) for text in texts) / len(texts)
        return [0.5 + (len(text) - mean) / 1000 for text in texts]

    moody = System(Card("centred", scale=Scale(0, 1)), centred, Pace(one_by_one=False))
    scored = score_system(moody, texts_of(EEC.sentences.head(100)), store, Settings())
    assert scored.scores["raw"].unique().to_list() == [0.5]
    assert "one by one" in scored.notes[0]


def test_a_system_that_answers_at_random_is_noted_and_keeps_its_batches(store):
    counter = itertools.count()
    fickle = System(
        Card("fickle", scale=Scale(0, 1)),
        lambda texts: [next(counter) % 7 / 10 for _ in texts],
        Pace(one_by_one=False),
    )
    scored = score_system(fickle, texts_of(EEC.sentences.head(100)), store, Settings())
    assert "--repeat" in scored.notes[0]


def test_a_broken_shard_is_noted_and_its_texts_are_asked_again(store):
    score_system(system(), EEC, store, Settings())
    (shard,) = (store.path / system().card.fingerprint).glob("*.parquet")
    shard.write_bytes(b"PAR1 and then nothing")
    scored = score_system(system(), EEC, store, Settings())
    assert scored.asked == 8640
    assert shard.name in scored.notes[0]


def test_controls_read_rows_and_are_not_stored(store):
    def women(rows):
        return [1.0 if gender == "female" else 0.0 for gender in rows["gender"]]

    control = System(Card("women", scale=Scale(0, 1)), lambda texts: [0.0] * len(texts), rows=women)
    scored = score_system(control, EEC, store, Settings())
    assert scored.scores["raw"].sum() == 4320
    assert store.entries() == []


@pytest.mark.parametrize(
    "bad", [{"reuse": "sometimes"}, {"repeats": 0}, {"max_missing": 1.5}, {"max_missing": -0.1}]
)
def test_settings_that_make_no_sense_are_refused(bad):
    with pytest.raises(TiltmeterError):
        Settings(**bad)


def test_a_script_without_a_main_guard_runs_once_though_processes_help(tmp_path):
    script = tmp_path / "plain.py"
    script.write_text(
        "import tiltmeter\n"
        "from tiltmeter.scoring import local\n"
        "local.WORTH_HELP = 0.0\n"
        "started = []\n"
        "plain = local._helped\n"
        "def helped(*given):\n"
        "    started.append(1)\n"
        "    return plain(*given)\n"
        "local._helped = helped\n"
        "print('the script begins')\n"
        "run = tiltmeter.score(['textblob'], store='kept', sample=20)\n"
        "print(len(started), run.scores['score'].null_count())\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["the script begins", "1 0"], done.stderr
