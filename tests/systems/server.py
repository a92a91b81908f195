"""A real server on this machine that answers well, slowly, wrongly or not at all.

A text is scored by its length, as `len(text) / 100`. Run as a program it prints its port first,
and can then really be killed, and started again on the same port: `server.py PORT`.
"""

import socket
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

app = FastAPI()
seen = Counter()
"""How often each path was asked, and what was last sent to it."""
last = {}
released = threading.Event()
"""Set when the server ends: until then `/hang` does not answer."""


def value(text):
    return len(text) / 100


@app.middleware("http")
async def count(request: Request, then):
    seen[request.url.path] += 1
    return await then(request)


@app.post("/score")
@app.put("/score")
def score(body: dict):
    return {"score": value(body["text"])}


@app.get("/score")
def score_by_query(q: str, lang: str = ""):
    last["lang"] = lang
    return {"result": {"score": value(q)}}


@app.post("/slow")
def slow(body: dict):
    time.sleep(0.001 * (50 - len(body["text"])))
    return {"score": value(body["text"])}


@app.post("/hang")
def hang():
    released.wait()
    return {"score": 0}


@app.post("/batch")
def batch(body: dict):
    last["batch"] = body["texts"]
    return {"results": [{"score": value(text)} for text in body["texts"]]}


@app.post("/short")
def short(body: dict):
    return {"results": [{"score": 0.5} for _ in body["texts"][1:]]}


@app.post("/keep")
def keep(body: dict):
    last["kept"] = body
    return {"score": 0.5}


@app.post("/busy/{seconds}/{key}")
def busy(seconds: str, key: str, body: dict):
    if seen[f"/busy/{seconds}/{key}"] > 1:
        return {"score": value(body["text"])}
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    return Response("slow down", 429, {"Retry-After": when if seconds == "date" else seconds})


@app.post("/flaky/{key}")
def flaky(key: str, body: dict):
    return {"score": value(body["text"])} if seen[f"/flaky/{key}"] > 2 else Response("oh", 503)


@app.post("/dies-after/{many}")
def dies_after(many: int, body: dict):
    if seen[f"/dies-after/{many}"] > many:
        return Response("gone", 503)
    return {"score": value(body["text"])}


@app.post("/status/{code}")
def status(code: int):
    return Response(f"this is {code}", code, {"Location": "http://me:secret@elsewhere/x?key=k"})


@app.post("/echo")
def echo(body: dict):
    return Response(body["text"], media_type="application/json")


@app.post("/tell-all")
def tell_all(request: Request, body: dict):
    sent = [*request.headers.values(), str(request.url), str(body)]
    return Response(" ".join(sent), body.get("code", 200))


@app.post("/locked")
def locked(request: Request, body: dict):
    if request.headers.get("authorization") in ("Bearer hunter2", "Basic bWU6aHVudGVyMg=="):
        return {"score": value(body["text"])}
    return JSONResponse({"error": f"no, {request.headers.get('authorization')}"}, 401)


@app.post("/v1/chat/completions")
def chat(request: Request, body: dict):
    """A model that says back what it is told; `refuse:` makes it refuse."""
    last["chat"], last["key"] = body, request.headers.get("authorization")
    text = body["messages"][-1]["content"]
    if text.startswith("refuse:"):
        return {"choices": [{"message": {"content": None, "refusal": text[7:]}}]}
    if text.startswith("raw:"):
        return Response(text[4:], media_type="application/json")
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@app.post("/prose/v1/chat/completions")
def prose():
    said = "I would say 3 things: rating 0.75, sure 0.5"
    return {"choices": [{"message": {"role": "assistant", "content": said}}]}


def _listening(port=0):
    # asyncio turns off Nagle's delays only for a socket that says it is TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    return listener, listener.getsockname()[1]


def _server():
    return uvicorn.Server(
        uvicorn.Config(app, http="h11", ws="none", lifespan="off", log_level="critical")
    )


@contextmanager
def running():
    """The server in a thread, for as long as it is asked; gives its address."""
    released.clear()
    listener, port = _listening()
    server = _server()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        released.set()
        server.should_exit = True
        thread.join()
        listener.close()


if __name__ == "__main__":
    listener, port = _listening(*map(int, sys.argv[1:]))
    listener.listen()
    print(port, flush=True)
    _server().run(sockets=[listener])
