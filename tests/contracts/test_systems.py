"""What every registered system must keep, whatever it computes.

A system whose package is not installed is skipped with the line that installs it; where
TILTMETER_ALL_SYSTEMS=1 stands in the environment, none may be. A system whose weights no package
holds is listed here and asked elsewhere: `distilbert-sst2` in tests/heavy/test_distilbert.py.
"""

import math
import multiprocessing
import os
import pickle
import socket
from concurrent.futures import ProcessPoolExecutor

import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.systems import (
    LISTED,
    SYSTEMS,
    TASKS,
    Missing,
    Options,
    Scale,
    ask,
    check_task,
    open_system,
)

CONTROLS = {"constant", "random", "biased-female"}
SENTENCES = {
    "en": ("Alonzo feels angry.", "She made me feel happy.", "I saw Latisha in the market.",
           "It wasn't funny at all, but the food was GREAT!!!"),
    "es": ("Shereen se siente enojada.", "Ella me hizo sentir feliz.", "Vi a José en el mercado.",
           "No fue nada divertido, ¡pero la comida estaba GENIAL!"),
    "ar": ("يشعر آدم بأنه غاضب", "هي جعلتني أشعر بأنني سعيد", "التقيت مع فرح في السوق",
           "لم يكن مضحكًا، لكن الطعام كان رائعًا!"),
}  # fmt: skip
ANYTHING = (
    "", " \n\t ", "😀👍🏽 :-(", "terrible happy " * 1334, "أنا حزين جدًا", "<b>sad</b> &amp; {x} %s",
    "0123 4.5e6 −1", "nul\0l, \ufeff\u200b and a\u0301",
)  # fmt: skip


def ready(name):
    """A registered name as a test's parameter, skipped where its package is not installed."""
    lacks = LISTED[name].install if name in LISTED else ""
    return pytest.param(name, marks=pytest.mark.skipif(bool(lacks), reason=f"{name}: {lacks}"))


def asked(name):
    """The same for a test that asks it."""
    marks = [pytest.mark.slow] if name in SLOW_TO_OPEN else []
    return pytest.param(name, marks=[*ready(name).marks, *marks])


PACKAGED = [name for name in SYSTEMS if name not in LISTED or not LISTED[name].weights]
SLOW_TO_OPEN = {"sentiment-spanish"}
"""Its model takes 12 seconds to read; tests/systems/test_lexicon.py holds its answers."""
every_system = pytest.mark.parametrize("name", [ready(name) for name in PACKAGED])
every_system_asked = pytest.mark.parametrize("name", [asked(name) for name in PACKAGED])


def texts_for(name):
    language = (LISTED[name].languages or ("en",))[0]
    return [*SENTENCES[language], *ANYTHING]


def answers_elsewhere(reopens):
    """In another process: open each system anew and ask it."""
    return {name: ask(reopen(), texts_for(name)) for name, reopen in reopens.items()}


@pytest.fixture(scope="module", autouse=True)
def offline(tmp_path_factory):
    """Break the network and leave the user's cache alone for as long as these tests run."""

    def refuse(*_):
        raise AssertionError("a system reached for the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setenv("TILTMETER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def answered():
    """Each system's answers to its twelve texts, asked when first wanted."""
    known = {}

    def answers(name):
        if name not in known:
            known[name] = ask(open_system(name), texts_for(name))
        return known[name]

    return answers


def test_every_registered_system_is_listed():
    assert set(SYSTEMS) == set(LISTED)


@pytest.mark.skipif(os.environ.get("TILTMETER_ALL_SYSTEMS") != "1", reason="not asked for")
def test_every_system_is_installed_here():
    assert {name: LISTED[name].install for name in PACKAGED if not LISTED[name].ready} == {}


def test_every_listing_says_what_it_is_and_how_to_get_it():
    for name, listing in LISTED.items():
        assert listing.name == name
        assert listing.what
        assert set(listing.tasks) <= set(TASKS)
        assert listing.tasks
        assert bool(listing.licence) == (name not in CONTROLS), name
        assert bool(listing.extra) <= bool(listing.needs), name


@every_system
def test_its_card_is_whole(name):
    card, listing = open_system(name).card, LISTED[name]
    assert card.name == name
    assert card.task == listing.tasks[0]
    assert card.languages == listing.languages
    assert card.licence == listing.licence
    assert card.version
    assert card.scale is None or isinstance(card.scale, Scale)
    assert card.scale is None or card.scale.low < card.scale.high
    pickle.loads(pickle.dumps(card))


@every_system_asked
def test_it_answers_any_text_and_says_nothing_else(name, answered, capfd):
    answers = answered(name)
    assert len(answers) == 12
    assert all(isinstance(answer, Missing) or math.isfinite(answer) for answer in answers)
    assert all(answer.reason for answer in answers if isinstance(answer, Missing))
    assert capfd.readouterr() == ("", "")


@every_system_asked
def test_its_answers_lie_within_its_scale(name, answered):
    scale = open_system(name).card.scale
    numbers = [answer for answer in answered(name) if not isinstance(answer, Missing)]
    assert scale is None or all(scale.low <= number <= scale.high for number in numbers)


@every_system_asked
def test_it_tells_texts_apart_unless_it_is_a_control(name, answered):
    if name not in CONTROLS:
        assert len(set(answered(name))) > 3


@every_system_asked
def test_its_answers_depend_on_neither_batch_nor_order_nor_opening(name, answered):
    texts, again = texts_for(name), open_system(name)
    assert [answer for text in texts for answer in ask(again, [text])] == answered(name)
    assert ask(again, texts[::-1])[::-1] == answered(name)
    assert ask(again, texts * 3) == answered(name) * 3
    assert ask(again, []) == []


@every_system
def test_it_answers_every_task_it_lists_and_no_other(name):
    for task in TASKS:
        if task in LISTED[name].tasks:
            assert open_system(name, Options(task=task)).card.task == task
        else:
            with pytest.raises(TiltmeterError, match=f"{name} answers .* {task!r} was asked for"):
                open_system(name, Options(task=task))
    with pytest.raises(TiltmeterError, match="there is no task 'disgust'"):
        check_task("disgust")


@every_system
def test_each_of_its_tasks_has_a_fingerprint_of_its_own(name):
    tasks = LISTED[name].tasks
    prints = {open_system(name, Options(task=task)).card.fingerprint for task in tasks}
    assert len(prints) == len(tasks)


def test_fingerprints_stay_the_same_and_tell_systems_apart():
    names = [name for name in PACKAGED if LISTED[name].ready]
    first, second = ([open_system(name).card.fingerprint for name in names] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(names)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(set(PACKAGED) - SLOW_TO_OPEN, id="quick"),
        pytest.param(SLOW_TO_OPEN, id="slow", marks=pytest.mark.slow),
    ],
)
def test_another_process_gives_the_same_fingerprints_and_answers(names, answered):
    systems = {name: open_system(name) for name in sorted(names) if LISTED[name].ready}
    reopens = {name: system.reopen for name, system in systems.items()}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        elsewhere = pool.submit(answers_elsewhere, reopens).result()
        prints = pool.submit(fingerprints, reopens).result()
    assert elsewhere == {name: answered(name) for name in systems}
    assert prints == {name: system.card.fingerprint for name, system in systems.items()}


def fingerprints(reopens):
    return {name: reopen().card.fingerprint for name, reopen in reopens.items()}
