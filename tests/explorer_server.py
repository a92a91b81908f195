"""An explorer served for tests: the real server, on a port of its own, in a thread."""

import http.client
import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.explore.live import LiveSystem, live_systems
from tiltmeter.explore.run import server_of
from tiltmeter.explore.server import explorer_app
from tiltmeter.explore.session import Explorer, explorer_names
from tiltmeter.scoring import Store
from tiltmeter.systems import Card, Options, Scale, System

TOKEN = "a-token-for-tests"


@dataclass
class Served:
    """A running explorer and how to ask it."""

    port: int
    explorer: Explorer

    @property
    def link(self):
        return f"http://127.0.0.1:{self.port}/?token={TOKEN}"

    def ask(self, method, path, body=None, **headers):
        """Status, headers and body of one request; `headers` replace the usual ones."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        usual = {"Host": f"127.0.0.1:{self.port}", "X-Tiltmeter-Token": TOKEN}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        every = {name: value for name, value in (usual | given).items() if value is not None}
        content = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, content, every)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def post(self, path, **body):
        """The lines of JSON that a request gives."""
        status, _, text = self.ask("POST", path, body)
        assert status == 200, text
        return [json.loads(line) for line in text.splitlines()]

    def score(self, *texts, **more):
        """Raw scores by system, and what else was said."""
        events = self.post("/api/score", texts=list(texts), **more)
        scores = {}
        for event in events:
            for nth, raw in enumerate(event.get("raw", ())):
                scores.setdefault(event["system"], {})[texts[event["start"] + nth]] = raw
        return scores, events


@contextmanager
def served(systems, folder, audits=(), names=None, example="My sister feels angry."):
    """Serve systems, named by their specs or as `LiveSystem`s."""
    opened = [
        system
        if isinstance(system, LiveSystem)
        else live_systems([system], Options(), Store(Path(folder) / "store"))[0]
        for system in systems
    ]
    names = explorer_names(5) if names is None else names
    explorer = Explorer(opened, Path(folder) / "explored.csv", audits, example, names)
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    port = bound.getsockname()[1]
    app = explorer_app(explorer, TOKEN, [f"127.0.0.1:{port}", f"localhost:{port}"])
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    bound.listen(128)
    try:
        yield Served(port, explorer)
    finally:
        server.should_exit = True
        thread.join(60)
        bound.close()


def live_function(name, function, folder=None):
    """A function from one text to a number as a live system on 0 to 1."""

    def opens():
        card = Card(name, scale=Scale(0.0, 1.0))
        return System(card, lambda texts: [function(text) for text in texts])

    return LiveSystem(name, opens, Store(Path(folder)) if folder else None, None)
