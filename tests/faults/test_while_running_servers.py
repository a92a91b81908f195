"""A server that hangs, resets, lies about lengths, never ends: missing with a reason, and soon.

Each of these is a real connection to a real server (`liar.py`). What a well-behaved server may do
wrong (errors, pauses, no JSON) is in tests/systems/test_http.py.
"""

import tracemalloc
from types import SimpleNamespace

import pytest

pytest.importorskip("httpx2", reason="needs the http extra")

import liar

from tiltmeter.errors import SystemFailure
from tiltmeter.systems import Missing
from tiltmeter.systems.service.connection import LONGEST_RETRY_AFTER, Limits, fetch, open_service
from tiltmeter.systems.service.redaction import secrets

QUICK = Limits(timeout=60.0, retries=1, backoff=0.001)
IMPATIENT = Limits(timeout=0.2, retries=0, backoff=0.0)
"""Only for what never answers: on a busy machine anything else may take longer."""
MEGABYTE = 2**20


@pytest.fixture(scope="module")
def server():
    with liar.lying() as running:
        yield running


@pytest.fixture
def asked(server):
    """Asks a path of the server once and gives what came of it."""
    services = []

    def ask(path, limits=QUICK, headers=None):
        service = open_service("liar", server[1] + path, limits, secrets([]), headers)
        services.append(service)
        return fetch(service, "POST", {"text": "four"})

    yield ask
    for service in services:
        service.close()


def test_a_good_answer_is_read_packed_or_not(asked):
    assert asked("/good").value == asked("/packed").value == {"score": 0.25}


# --- lengths ---


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/too-long", "no connection after 2 tries: peer closed connection"),
        ("/half-chunked", "no connection after 2 tries: peer closed connection"),
        ("/huge-length", "no connection after 2 tries: peer closed connection"),
        ("/no-length", "no connection after 2 tries: "),
        ("/garbage", "no connection after 2 tries: "),
        ("/too-short", 'the answer is not JSON: {"score":'),
    ],
)
def test_a_length_that_is_not_kept_is_missing_with_the_reason(asked, path, reason):
    assert asked(path).reason.startswith(reason)


def test_an_answer_cut_short_does_not_spoil_the_next(server):
    service = open_service("liar", server[1] + "/too-short", QUICK, secrets([]))
    first = fetch(service, "POST", {"text": "one"})
    object.__setattr__(service, "url", server[1] + "/good")
    then = fetch(service, "POST", {"text": "two"})
    service.close()
    assert isinstance(first, Missing)
    assert then.value == {"score": 0.25}


# --- no end ---


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/endless", "the answer is longer than 8 MB"),
        ("/bomb", "the answer is longer than 8 MB"),
        ("/endless-error", "HTTP 400"),
        ("/endless-headers", "no connection after 2 tries: "),
    ],
)
def test_an_answer_without_an_end_is_cut_off(asked, path, reason):
    tracemalloc.start()
    said = asked(path).reason
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said.startswith(reason)
    assert peak < 64 * MEGABYTE  # the bomb alone is 128


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/packed-half", "the answer, packed as gzip, is cut off"),
        ("/not-packed", "the answer is said to be packed as gzip and is not"),
        ("/packed-oddly", "the answer is packed as 'zstd'; expected gzip"),
    ],
)
def test_an_answer_packed_wrongly_is_missing(asked, path, reason):
    assert asked(path) == Missing(reason)


# --- no word, or one now and then ---


def test_a_server_that_hangs_is_waited_for_no_longer_than_the_timeout(asked):
    said = "no answer within 0.2 s after 1 try: ReadTimeout"
    assert asked("/hang", IMPATIENT) == Missing(said)


def test_a_connection_that_is_reset_is_tried_again_and_then_missing(asked, server):
    before = server[0].seen["/reset"]
    assert asked("/reset").reason.startswith("no connection after 2 tries: ")
    assert server[0].seen["/reset"] - before == 2


@pytest.mark.parametrize("path", ["/trickle", "/trickled-headers"])
def test_an_answer_that_trickles_is_given_up_in_the_end(asked, path, monkeypatch):
    # The server sends something fifty times a second and never ends: no wait takes 60 seconds.
    monkeypatch.setattr("tiltmeter.systems.service.connection.WHOLE_ANSWER", 0.01)
    said = "no whole answer within 0.6 s after 1 try: it came too slowly"
    assert asked(path, Limits(timeout=60.0, retries=0)) == Missing(said)


def test_an_absurd_pause_is_kept_for_two_minutes_at_most(server, monkeypatch):
    clock = SimpleNamespace(monotonic=lambda: 100.0)  # it stands still
    monkeypatch.setattr("tiltmeter.systems.service.connection.time", clock)
    once = Limits(timeout=60.0, retries=0)
    service = open_service("liar", server[1] + "/wait-for-ever", once, secrets([]))
    assert fetch(service, "POST", {"text": "four"}).reason == "HTTP 503 after 1 try"
    held = service.breaker.seconds_paused
    service.close()
    assert held == LONGEST_RETRY_AFTER


# --- what it is said to be ---


@pytest.mark.parametrize("path", ["/called-html", "/odd-letters"])
def test_an_answer_is_read_as_what_it_is_and_not_as_what_it_is_called(asked, path):
    assert asked(path).value == {"score": 0.25}


def test_no_key_follows_a_redirect_to_another_host(asked, server):
    before, heard = server[0].seen["/good"], len(server[0].heard)
    reply = asked("/elsewhere", headers={"Authorization": "Bearer hunter2"})
    assert reply.reason.startswith("HTTP 307: the server redirects to http://localhost:")
    assert server[0].seen["/good"] == before
    sent = server[0].heard[heard:]
    assert len(sent) == 1  # the first host got the key, and nobody else anything
    assert "hunter2" in sent[0]


# --- every way at once, as a user meets it ---


def test_a_server_that_lies_to_the_probe_is_one_clear_message(server):
    from tiltmeter.systems import Options, resolve_form
    from tiltmeter.systems.service.description import plain_service

    system = plain_service(server[1] + "/endless", Options(), QUICK)
    with pytest.raises(SystemFailure, match="the answer is longer than 8 MB; if it expects"):
        resolve_form(system)
    system.close()
