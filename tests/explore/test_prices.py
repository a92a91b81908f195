"""What has a price is asked about names, words or a bundle only after its cost is said."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from command_line import in_own_process
from explorer_server import live_function, served
from tiltmeter.explore.live import LiveState, LiveSystem
from tiltmeter.systems import Card, Scale, System

SERVICE = """
[system]
name = "service"
url = "http://127.0.0.1:{port}/score"
scale = [0, 1]
[answer]
score = "score"
[limits]
price = 0.01
"""


class Answering(BaseHTTPRequestHandler):
    """Scores every text 0.5 and remembers it."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.texts.append(json.loads(body)["text"])
        answer = b'{"score": 0.5}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def service(tmp_path):
    """A service with a price, described in service.toml."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.texts = []
        running = threading.Thread(target=server.serve_forever, daemon=True)
        running.start()
        (tmp_path / "service.toml").write_text(SERVICE.format(port=server.server_port))
        yield server
        server.shutdown()
        running.join()


@pytest.fixture
def priced():
    """A system with a price, and the texts that it was asked."""
    texts = []

    def answer(asked):
        texts.extend(asked)
        return [0.5] * len(asked)

    def opens():
        return System(Card("priced", scale=Scale(0.0, 1.0), price=0.01), answer)

    return LiveSystem("priced", opens, None, None), texts


def test_every_name_is_asked_at_a_price_only_where_that_is_agreed_to(priced, tmp_path):
    system, texts = priced
    with served([system, live_function("free", lambda _: 0.5)], tmp_path) as server:
        names = len(server.explorer.names)
        events = server.post("/api/names", text="Adam sings.")
        assert [event["cost"] for event in events if event.get("system") == "priced"] == [
            {"questions": names, "price": 0.01}
        ]
        assert {event["system"] for event in events if "raw" in event} == {"free"}
        assert texts == []
        events = server.post("/api/names", text="Adam sings.", systems=["priced"], agreed=["free"])
        assert [*events[0]] == ["system", "cost"]
        assert texts == []
        agreed = {"systems": ["priced"], "agreed": ["priced"]}
        events = server.post("/api/names", text="Adam sings.", **agreed)
        assert sum(len(event["raw"]) for event in events if "raw" in event) == names
        assert len(texts) == names
        again = server.post("/api/names", text="Adam sings.", systems=["priced"])
        assert all("cost" not in event for event in again)  # all is answered: nothing is asked
        assert len(texts) == names


def test_every_word_is_asked_at_a_price_only_where_that_is_agreed_to(priced, tmp_path):
    system, texts = priced
    with served([system], tmp_path) as server:
        (event, _) = server.post("/api/why", text="Adam feels furious.")
        assert event == {"system": "priced", "cost": {"questions": 5, "price": 0.01}}
        assert texts == []
        (event, _) = server.post("/api/why", text="Adam feels furious.", agreed=["priced"])
        assert event["asked"] == 5


def test_a_system_that_was_down_is_opened_before_it_is_said_to_be_free(priced, tmp_path):
    system, texts = priced
    with served([system], tmp_path) as server:
        system._close_system()
        system.state = LiveState.DOWN
        assert not system.costs  # nobody knows while it is closed
        events = server.post("/api/names", text="Adam sings.")
        assert "cost" in events[0]
        assert texts == []


def test_a_bundle_says_its_price_before_it_asks_and_asks_no_more(service, tmp_path):
    words = ("explore", "service.toml", "vader", "--bundle", "site", "--store", "s")
    said = in_own_process(*words, "--text", "Adam sings.", "--dry-run", folder=tmp_path)
    assert (said.returncode, service.texts) == (0, []), said.stderr
    assert not (tmp_path / "site").exists()
    (line,) = [line for line in said.stderr.splitlines() if line.startswith("To be asked: ")]
    texts, new = map(int, re.findall(r"service.toml: (\d+) texts, (\d+) new", line)[0])
    assert texts == new > 600  # each name, and a few words
    assert f"at a price of {new * 0.01:.2f}" in line
    done = in_own_process(*words, "--text", "Adam sings.", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert line in done.stderr
    assert len(service.texts) == len(set(service.texts)) == new
    again = in_own_process(*words, "--text", "Adam sings.", folder=tmp_path)
    assert f"{texts} texts, 0 new, {texts} stored" in again.stderr
    assert len(service.texts) == new


def test_a_dry_run_of_a_page_is_refused(tmp_path):
    done = in_own_process("explore", "vader", "--dry-run", folder=tmp_path)
    assert (done.returncode, "--bundle" in done.stderr) == (2, True), done.stderr
