"""A service known by its address, asked over a real connection to a real server."""

import logging
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("httpx2", reason="needs the http extra")

import server

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems import Missing, Options, Scale, ask, open_system, resolve_form
from tiltmeter.systems.llm import chat_model
from tiltmeter.systems.service import connection as service_module
from tiltmeter.systems.service.connection import (
    CircuitBreaker,
    Limits,
    fetch,
    open_service,
    retry_after,
)
from tiltmeter.systems.service.description import PROBE, plain_service
from tiltmeter.systems.service.redaction import looks_secret, masked, secrets, shown_url

QUICK = Limits(timeout=60.0, backoff=0.005)
MODULE = "tiltmeter.systems.service.description"
"""Tests set its PROBE to what `/echo` is to answer with."""


@pytest.fixture(scope="module")
def at():
    with server.running() as address:
        yield address


@pytest.fixture
def opened(at):
    """Opens paths of the server as services that are not probed, and closes them."""
    services = []

    def open_path(path, limits=QUICK):
        services.append(open_service(path, at + path, limits, secrets([])))
        return services[-1]

    yield open_path
    for service in services:
        service.close()


def plain(url, options=None):
    """The service, asked for the form of its answers."""
    system = plain_service(url, options or Options(), QUICK)
    try:
        return resolve_form(system)
    except SystemFailure:
        system.close()
        raise


def asked(service, text="four"):
    return fetch(service, "POST", {"text": text})


def until_held(service):
    end = time.monotonic() + 300
    while not service.breaker.seconds_paused:
        assert time.monotonic() < end, "the server's pause was not kept"
        time.sleep(0.005)


# --- what is guessed ---


def test_a_plain_address_is_scored_text_by_text(at):
    system = plain(f"{at}/score")
    assert ask(system, ["four", "sevens.", ""]) == [0.04, 0.07, 0.0]
    assert system.pace.parallel == "threads"
    system.close()


def test_the_whole_spec_opens_by_its_address(at):
    system = open_system(f"{at}/score")
    assert ask(system, ["four"]) == [0.04]
    assert system.card.name == f"{at}/score"
    system.close()


@pytest.mark.parametrize(
    ("answer", "score", "read"),
    [
        ('{"score": 0.25, "compound": 0.9}', 0.25, "score"),
        ('{"sentiment": {"score": -0.5}}', -0.5, "sentiment.score"),
        ('{"compound": 0.75, "neg": 0.1}', 0.75, "compound"),
        ('{"polarity": "0.5"}', 0.5, "polarity"),
        ('{"label": "POSITIVE", "score": 0.9}', 0.9, "label"),
        ('{"label": "NEGATIVE", "score": 0.9}', -0.9, "label"),
        ('{"label": "neutral", "score": 0.9}', 0.0, "label"),
        ('[{"label": "Negative", "score": 0.75}]', -0.75, "[0].label"),
        ("0.125", 0.125, "@"),
    ],
)
def test_the_first_shape_that_fits_the_probe_is_read(at, monkeypatch, answer, score, read):
    monkeypatch.setattr(f"{MODULE}.PROBE", answer)
    system = plain(f"{at}/echo")
    assert ask(system, [answer]) == [score]
    assert system.card.settings["score"] == read
    assert system.card.notes[0].startswith('guessed: asked with POST {"text": …}, read from ')
    system.close()


@pytest.mark.parametrize(
    "answer",
    [
        '{"label": "LABEL_1", "score": 0.9}',  # 0.9 is how sure it is, not the score
        '{"sentiment": "negative", "score": 0.9}',
        '{"verdict": 1}',
        "true",
        "[]",
    ],
)
def test_an_answer_of_no_known_shape_is_shown_and_the_toml_pointed_to(at, monkeypatch, answer):
    monkeypatch.setattr(f"{MODULE}.PROBE", answer)
    with pytest.raises(SystemFailure) as failure:
        plain(f"{at}/echo")
    assert answer in str(failure.value)
    assert "docs/systems.md" in str(failure.value)


def test_a_probe_that_is_not_answered_says_why_and_points_to_the_toml(at):
    with pytest.raises(SystemFailure, match=r"HTTP 404.*toml"):
        plain(f"{at}/nothing-here")


def test_labels_bring_their_scale_and_the_users_scale_wins(at, monkeypatch):
    monkeypatch.setattr(f"{MODULE}.PROBE", '{"label": "POSITIVE", "score": 0.9}')
    guessed = plain(f"{at}/echo")
    told = plain(f"{at}/echo", Options(scale={f"{at}/echo": (0, 5)}, task="joy"))
    assert guessed.card.scale == Scale(-1, 1)
    assert (told.card.scale, told.card.task) == (Scale(0, 5), "joy")
    guessed.close()
    told.close()


def test_the_probe_is_asked_once(at):
    before = server.seen["/keep"]
    system = plain(f"{at}/keep")
    assert server.last["kept"] == {"text": PROBE}
    ask(system, ["one", "two"])
    assert server.seen["/keep"] - before == 3
    system.close()


def test_opening_asks_nothing(at):
    before = server.seen["/keep"]
    plain_service(f"{at}/keep", Options(), QUICK).close()
    assert server.seen["/keep"] == before


def test_a_probe_is_tried_three_times_only(at):
    with pytest.raises(SystemFailure, match="HTTP 504 after 3 tries"):
        plain(f"{at}/status/504")


@pytest.mark.parametrize("url", ["http://", "http:///path", "https://host:port/", "http:host"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(SystemFailure, match="no usable address"):
        plain(url)


def test_what_is_not_installed_is_named_with_its_pip_line(monkeypatch):
    monkeypatch.setattr(service_module, "NEEDED", ("no_such_module",))
    with pytest.raises(MissingExtraError, match=r"no_such_module.*tiltmeter\[http\]"):
        plain("http://127.0.0.1/score")


# --- order ---


def test_order_is_kept_when_several_threads_ask_at_once(at):
    system = plain(f"{at}/slow")  # the shorter the text, the later its answer
    texts = ["x" * length for length in range(1, 41)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: ask(system, [text])[0], texts))
    assert answers == [length / 100 for length in range(1, 41)]
    system.close()


# --- trying again ---


def test_a_server_that_asks_for_a_pause_gets_it(opened):
    service = opened("/busy/1/seconds")
    start = time.monotonic()
    assert asked(service).value == {"score": 0.04}
    assert time.monotonic() - start >= 1.0
    assert server.seen["/busy/1/seconds"] == 2


def test_a_pause_given_as_a_date_is_kept_too(opened):
    service = opened("/busy/date/x")
    start = time.monotonic()
    assert asked(service).value == {"score": 0.04}
    assert time.monotonic() - start >= 0.9  # two seconds ahead, less what HTTP dates cut off


def test_the_pause_holds_for_every_thread(opened):
    service = opened("/busy/1/shared")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(asked, service)
        until_held(service)
        start = time.monotonic()
        second = pool.submit(asked, service)
        assert second.result().value == first.result().value == {"score": 0.04}
    assert time.monotonic() - start >= 0.7
    assert server.seen["/busy/1/shared"] == 3


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("3600", 120.0),
        ("-3", 0.0),
        ("Wed, 21 Oct 2015 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2015 07:00:00 GMT", 0.0),
        ("Wed, 21 Oct 2017 07:00:00 GMT", 120.0),
        ("soon", None),
        ("nan", None),
        (None, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date_and_capped(header, seconds):
    now = datetime(2015, 10, 21, 7, 28, 0, tzinfo=UTC)
    assert retry_after(header, now) == seconds


def test_errors_that_pass_are_tried_again(opened):
    service = opened("/flaky/passes")
    assert asked(service).value == {"score": 0.04}
    assert server.seen["/flaky/passes"] == 3  # 503, 503, then the score


def test_errors_that_stay_become_missing_with_the_count_of_tries(opened):
    service = opened("/status/500")
    before = server.seen["/status/500"]
    assert asked(service) == Missing("HTTP 500 after 5 tries: this is 500")
    assert server.seen["/status/500"] - before == 5


def test_waits_double_from_try_to_try(opened):
    service = opened("/status/502", Limits(retries=3, backoff=0.1))
    start = time.monotonic()
    asked(service)
    assert time.monotonic() - start >= 0.7  # 0.1 + 0.2 + 0.4, and jitter


@pytest.mark.parametrize("code", [400, 404, 422])
def test_mistakes_of_ours_are_not_tried_again(opened, code):
    service = opened(f"/status/{code}")
    assert asked(service) == Missing(f"HTTP {code}: this is {code}")
    assert server.seen[f"/status/{code}"] == 1


def test_a_redirect_is_not_followed_but_shown_without_its_secrets(opened):
    reason = asked(opened("/status/307")).reason
    assert "http://elsewhere/x?key=***" in reason
    assert server.seen["/status/307"] == 1


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_stops_everything_at_once(opened, code):
    service = opened(f"/status/{code}")
    with pytest.raises(SystemFailure, match=f"check the key.*HTTP {code}"):
        asked(service)
    assert server.seen[f"/status/{code}"] == 1


def test_a_server_that_hangs_is_missing_after_its_timeout(opened):
    service = opened("/hang", Limits(timeout=0.05, retries=1, backoff=0.001))
    assert asked(service) == Missing("no answer within 0.05 s after 2 tries: ReadTimeout")


# --- answers that are none ---


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("[1, 2", "the answer is not JSON: [1, 2"),
        ("<html>busy</html>", "the answer is not JSON: <html>busy</html>"),
        ("", "the answer is not JSON: it is empty"),
        ("[" * 5000, "the answer is not JSON: " + "[" * 300 + "…"),
        ("{}", "there is no score at `score`; the server answered {}"),
        ('{"score": null}', 'there is no score at `score`; the server answered {"score": null}'),
        ('{"score": NaN}', 'the score at `score` is nan; the server answered {"score": NaN}'),
        ('{"score": 1e999}', 'the score at `score` is inf; the server answered {"score": 1e999}'),
        ('{"score": true}', '`score` gave no number; the server answered {"score": true}'),
        (
            '{"score": "high"}',
            '`score` gave \'high\', which is no number; the server answered {"score": "high"}',
        ),
    ],
)
def test_an_answer_without_a_score_is_missing_and_shown(at, monkeypatch, answer, reason):
    monkeypatch.setattr(f"{MODULE}.PROBE", '{"score": 0.5}')
    system = plain(f"{at}/echo")
    assert ask(system, [answer, '{"score": "0.5"}']) == [Missing(reason), 0.5]
    system.close()


def test_a_text_that_utf8_cannot_hold_is_missing(opened):
    assert asked(opened("/score"), "\ud800").reason.startswith("the text cannot be sent")


# --- a server that dies ---


def test_a_server_killed_half_way_leaves_the_rest_missing_and_soon():
    program = Path(server.__file__)
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as process:
        system = plain(f"http://127.0.0.1:{process.stdout.readline().strip()}/score")
        before = ask(system, ["one", "four"])
        process.kill()
        process.wait()
        after = ask(system, [f"text {number}" for number in range(8000)])
    assert before == [0.03, 0.04]
    assert all(isinstance(answer, Missing) for answer in after)
    assert "no connection after 5 tries" in after[0].reason
    assert after[-1].reason.startswith("not asked, since 3 requests in a row failed")
    assert "refused" in after[-1].reason
    system.close()


def test_where_somebody_waits_a_service_is_tried_once_more_at_most():
    system = chat_model("any", Options(base_url="http://127.0.0.1:9", patient=False))
    (answer,) = ask(system, ["a text"])
    assert answer.reason.startswith("no connection after 2 tries")
    system.close()


def test_a_server_that_only_errs_is_given_up_later_than_a_silent_one(opened):
    service = opened("/status/599", Limits(retries=0, backoff=0.0))
    reasons = [asked(service).reason for _ in range(22)]
    assert reasons[19] == "HTTP 599 after 1 try: this is 599"
    assert reasons[20].startswith("not asked, since 20 requests in a row failed")
    assert server.seen["/status/599"] == 20


def test_a_success_between_failures_keeps_the_breaker_closed():
    breaker = CircuitBreaker()
    for _ in range(2):
        breaker.failed("gone", silent=True)
        breaker.failed("gone", silent=True)
        breaker.succeeded()
    assert breaker.lets_through()


def test_a_server_given_up_is_asked_once_after_a_rest_and_trusted_again(monkeypatch):
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("tiltmeter.systems.service.connection.time", clock)
    breaker = CircuitBreaker(rest=30.0)
    for _ in range(3):
        breaker.failed("gone", silent=True)
    assert not breaker.lets_through()
    now[0] += 29.0
    assert not breaker.lets_through()
    now[0] += 2.0
    assert [breaker.lets_through(), breaker.lets_through()] == [True, False]
    breaker.succeeded()
    assert [breaker.lets_through(), breaker.lets_through()] == [True, True]


def test_closing_ends_a_long_wait(opened):
    service = opened("/busy/60/closed")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(asked, service)
        until_held(service)
        service.close()
        assert isinstance(waiting.result(), Missing)  # after its pause the server would answer


# --- secrets ---


def test_credentials_and_keys_in_an_address_are_sent_and_never_shown(at, caplog):
    caplog.set_level(logging.DEBUG)
    host = at.removeprefix("http://")
    system = plain(f"http://me:hunter2@{host}/locked?api_key=sesame-open&lang=en")
    assert ask(system, ["four"]) == [0.04]
    shown = repr(system.card) + str(system.card.settings) + caplog.text
    assert f"http://{host}/locked?api_key=***&lang=en" in system.card.name
    assert "HTTP Request" in caplog.text
    for secret in ("hunter2", "sesame-open", "bWU6aHVudGVyMg=="):
        assert secret not in shown
    system.close()


def test_a_server_that_repeats_what_it_was_sent_gives_no_secret_away(at):
    host = at.removeprefix("http://")
    with pytest.raises(SystemFailure) as failure:
        plain(f"http://me:hunter2@{host}/tell-all?api_key=sesame%20open")
    assert "not JSON" in str(failure.value)
    for secret in ("hunter2", "sesame", "bWU6aHVudGVyMg=="):
        assert secret not in str(failure.value)


def test_the_fingerprint_does_not_depend_on_keys_but_on_the_address(at):
    host = at.removeprefix("http://")
    urls = [
        f"http://me:one@{host}/score?key=1&lang=en",
        f"http://me:two@{host}/score?key=2&lang=en",
        f"http://me:two@{host}/score?key=2&lang=es",
    ]
    systems = [plain(url) for url in urls]
    first, second, third = (system.card.fingerprint for system in systems)
    assert first == second != third
    for system in systems:
        system.close()


def test_a_secret_longer_than_the_excerpt_leaves_no_part_of_it():
    secret = "s3cret" * 100
    assert secrets([secret]).excerpt(f"before {secret} after") == "before *** after"


def test_a_service_can_be_looked_at_without_seeing_its_secrets(at):
    service = open_service("x", at.replace("//", "//me:hunter2@"), QUICK, secrets(["hunter2"]))
    assert "hunter2" not in repr(service)
    service.close()


def test_no_secret_means_nothing_is_struck_out():
    assert secrets(["", ""]).hide("plain") == "plain"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("access_token", "x", True),
        ("subscription-key", "x", True),
        ("apiKey", "x", True),
        ("q", "sk-proj-1234", True),
        ("code", "a8f5f167f44f4964e6c998dee827110c", True),
        ("model", "Meta-Llama-3.1-8B-Instruct", False),
        ("model", "distilbert-base-uncased-finetuned-sst-2-english", False),
        ("max_tokens", "5", False),
    ],
)
def test_what_looks_like_a_key(name, value, secret):
    assert looks_secret(name, value) is secret


def test_an_address_that_cannot_be_read_is_not_shown():
    assert shown_url("http://[broken/x") == "***"


def test_a_template_is_shown_without_its_keys_and_with_its_texts():
    template = {"auth": {"token": "abc"}, "key": "{text}", "list": [{"password": "x"}], "n": 1}
    expected = {"auth": {"token": "***"}, "key": "{text}", "list": [{"password": "***"}], "n": 1}
    assert masked(template) == expected
