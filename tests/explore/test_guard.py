"""The explorer answers its own page alone: other hosts, origins, methods, tokens, logs."""

import http.client
import re
import secrets
import socket
import subprocess
import sys

import anyio
import pytest

from explorer_server import TOKEN, live_function, served
from tiltmeter.explore import guard
from tiltmeter.explore.bundle import write_bundle
from tiltmeter.explore.guard import HEADERS, Guard
from tiltmeter.explore.session import Explorer

METHODS = ("HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "BREW")


@pytest.fixture(scope="module")
def even(tmp_path_factory):
    with served([live_function("even", lambda _: 0.5)], tmp_path_factory.mktemp("e")) as server:
        yield server


def raw(server, request):
    """What a socket is answered to some bytes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
        connection.sendall(request)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read()


@pytest.mark.parametrize("method", METHODS)
def test_no_other_method_gets_anywhere(even, method):
    assert even.ask(method, "/api/score")[0] == 405
    assert even.ask(method, "/api/corpus")[0] == 405
    assert even.ask(method, "/", X_Tiltmeter_Token=None)[0] == 403
    _, headers, _ = even.ask(method, "/api/score", Origin="http://evil.example")
    assert not any("access-control" in name.lower() for name in headers)


def test_a_preflight_from_another_page_is_refused(even):
    asks = {"Origin": "http://evil.example", "Access_Control_Request_Method": "POST"}
    status, headers, _ = even.ask("OPTIONS", "/api/corpus", **asks, X_Tiltmeter_Token=None)
    assert status == 403
    assert not any("access-control" in name.lower() for name in headers)


def test_a_websocket_is_not_opened(even):
    upgrade = (
        f"GET /api/start HTTP/1.1\r\nHost: 127.0.0.1:{even.port}\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    )
    assert raw(even, f"{upgrade}\r\n".encode())[0] == 403
    with_token = f"{upgrade}X-Tiltmeter-Token: {TOKEN}\r\n\r\n".encode()
    assert raw(even, with_token)[0] == 200  # answered as any request, never 101
    sent = []

    async def connect():
        async def send(message):
            sent.append(message)

        await Guard(None, TOKEN, ["x"])({"type": "websocket"}, None, send)

    anyio.run(connect)
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    "lines",
    [
        "Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n",
        "Host: 127.0.0.1:{port}\r\nContent-Length: abc\r\n",
        "Host: 127.0.0.1:{port}\r\nContent-Length: -5\r\n",
        "",
    ],
    ids=["two hosts", "no number", "negative", "no host"],
)
def test_a_malformed_request_is_refused_and_the_server_goes_on(even, lines):
    given = f"X-Tiltmeter-Token: {TOKEN}\r\n" + lines.format(port=even.port)
    status, _ = raw(even, f"POST /api/score HTTP/1.1\r\n{given}\r\n".encode())
    assert status in (400, 403)
    assert even.score("still here")[0] == {"even": {"still here": 0.5}}


def test_a_body_without_a_length_is_read_no_further_than_it_may_be_long(even):
    head = (
        f"POST /api/score HTTP/1.1\r\nHost: 127.0.0.1:{even.port}\r\n"
        f"X-Tiltmeter-Token: {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    part = b"200000\r\n" + b"x" * 0x200000 + b"\r\n0\r\n\r\n"
    status, text = raw(even, head.encode() + part)
    assert (status, b"1,500,000" in text) == (400, True)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        (None, "/api/start"), ("", "/api/start"), (TOKEN[:-1], "/api/start"),
        (TOKEN + "x", "/api/start"), ("\xff\xfe", "/api/start"), (None, "/?token="),
        (None, "/?token=%C3%BF%FF"), (None, f"/?token={TOKEN[:-1]}"),
        (None, f"/api/start?token={TOKEN}"),
    ],
)  # fmt: skip
def test_a_token_is_compared_whole_and_in_constant_time(even, monkeypatch, given, address):
    compared, as_usual = [], secrets.compare_digest

    def compare(one, other):
        compared.append((one, other))
        return as_usual(one, other)

    monkeypatch.setattr(guard.secrets, "compare_digest", compare)
    assert even.ask("GET", address, X_Tiltmeter_Token=given)[0] == 403
    assert [other for _, other in compared] == [TOKEN.encode()]
    assert even.ask("GET", f"/?token={TOKEN}", X_Tiltmeter_Token=None)[0] == 200


def test_each_answer_has_the_headers_of_the_guard(even):
    answers = [
        even.ask("GET", f"/?token={TOKEN}"), even.ask("GET", "/nowhere"),
        even.ask("PUT", "/api/score"), even.ask("GET", "/", Host="evil.example"),
        even.ask("POST", "/api/score", b"{"), even.ask("GET", "/static/explore.js"),
        even.ask("POST", "/api/score", b"x" * 2_000_000),
    ]  # fmt: skip
    assert [status for status, _, _ in answers] == [200, 404, 405, 403, 400, 200, 413]
    for _, headers, text in answers:
        assert headers.items() >= HEADERS.items()
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
        assert TOKEN not in text


def test_tokens_are_long_and_never_the_same():
    tokens = {guard.new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 32


def test_a_letter_that_stands_for_a_name_s_place_may_be_in_a_text(even):
    (reading,) = even.post("/api/read", text="Adam \0 feels fine.")
    assert reading["swapped"] == "Amanda \0 feels fine."


def test_the_command_prints_its_token_once_and_logs_it_never(tmp_path):
    words = ["explore", "vader", "--no-browser", "--store", "s"]
    command = [sys.executable, "-m", "tiltmeter", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        try:
            said = "".join(process.stdout.readline() for _ in range(3))
            port, token = re.search(r"127\.0\.0\.1:(\d+)/\?token=([\w-]+)", said).groups()
            for path, body, status in [
                (f"/?token={token}", None, 200),
                (f"/x?token={token}", None, 403),
                (f"/?token={token}", "{}", 405),
                ("/api/score", '{"texts": ["x"], "systems": ["none"]}', 400),
            ]:
                connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=120)
                method = "POST" if body else "GET"
                given = {"X-Tiltmeter-Token": token} if body else {}
                connection.request(method, path, body, given)
                assert connection.getresponse().status == status
                connection.close()
        finally:
            process.terminate()
        more, complaints = process.communicate(timeout=300)
    assert said.count(token) == 1
    assert token not in more + complaints
    assert not [one for one in tmp_path.rglob("*") if one.is_file() and token in str(one)]


def test_a_bundle_holds_no_token_and_no_path_of_this_machine(tmp_path):
    explorer = Explorer([live_function("even", lambda _: 0.5)], tmp_path / "kept.csv", names=[])
    text = write_bundle(explorer, tmp_path / "site", ["She sings."]).read_text()
    assert str(tmp_path) not in text
    assert TOKEN not in text
    assert 'name="referrer" content="no-referrer"' in text
    assert not re.search(r"(src|href)=.https?:", text)
