"""A process that opens folders, request by request, and reports what each request did in it.

It runs the commands as `command_line` does, and notes what no opened folder may bring about: code
run, programs started, addresses called. Requests and replies are lines of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from contextlib import chdir, suppress
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from honest_twin import write_twin
from resealed import FOLDER

import command_line
from explorer_server import served
from tiltmeter.errors import TiltmeterError
from tiltmeter.explore.run import explorer_of
from tiltmeter.systems import Options

ADDRESS_SPACE = 8 * 2**30
"""Bytes after which an allocation fails, so that what takes too much does not take the machine."""
STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "pickle.find_class"}
CALLS = {"socket.connect", "socket.getaddrinfo"}
FLAGGED: list[str] = []
WORKPLACE = ["/nowhere"]
"""Where the request that is being answered is done."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what no folder may bring about; a call to another machine is cut short."""
    if event in STARTS and arguments[0] != "uname":  # by which `platform` knows the processor
        FLAGGED.append(f"{event} {str(arguments[:2])[:200]}")
    elif event in CALLS:
        host = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
        FLAGGED.append(f"{event} {str(host)[:200]}")
        if event == "socket.getaddrinfo" and host not in ("127.0.0.1", "localhost"):
            raise OSError("nothing is looked up in tests")
    elif event == "exec" and isinstance(arguments[0], CodeType):
        if arguments[0].co_filename.startswith(WORKPLACE[0]):
            FLAGGED.append(f"ran {arguments[0].co_filename}")
    elif event == "import" and arguments[0] in ("trap", "sitecustomize"):
        FLAGGED.append(f"imported {arguments[0]}")


def explore(folder: Path, name: str, person: str) -> dict[str, Any]:
    """Open an audit's folder in the explorer and ask its page's questions."""
    try:
        with chdir(folder):
            words = ["vader", name]
            explorer = explorer_of(words, Options(patient=False), folder / "kept", folder / "x.csv")
        opened = explorer.audits
        with served(explorer.systems, folder, opened, names=explorer.names) as server:
            replies = {
                "start": server.ask("GET", "/api/start"),
                "evidence": server.ask("POST", "/api/evidence", {"person": person}),
            }
            server.post("/api/score", texts=["She feels sad."])
    except TiltmeterError as error:
        return {"code": error.exit_code, "out": "", "err": f"error: {error}\n"}
    failed = [
        f"{path}: {reply[0]} {reply[2]}" for path, reply in replies.items() if reply[0] != 200
    ]
    err = "\n".join(f"Traceback: the server failed on {line}" for line in failed)
    return {"code": int(bool(failed)), "out": replies["start"][2], "err": err}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked for; what it gave, and what was noted meanwhile."""
    folder = Path(request["folder"])
    if request["action"] == "twin":
        try:
            with pytest.MonkeyPatch.context() as patch:
                write_twin(folder / request["name"], folder / "twin" / FOLDER, patch)
        except Exception as error:  # whatever it is, no such audit can be made
            return {"code": 2, "out": "", "err": f"{type(error).__name__}: {error}"[:500]}
        return {"code": 0, "out": "", "err": ""}
    if request["action"] == "explore":
        return explore(folder, request["name"], request["person"])
    done = command_line.tiltmeter(
        *request["words"], folder=folder, TILTMETER_STORE="kept", OPENAI_API_KEY="sk-key",
        MY_SECRET_TOKEN="secret",
    )  # fmt: skip
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def forget_peak() -> None:
    """Have the most memory used so far counted anew, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Bytes of memory used at most since then."""
    with suppress(OSError, IndexError, ValueError):
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Answer until nobody asks any more."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests = sys.stdin
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    sys.addaudithook(watch)
    for line in requests:
        request = json.loads(line)
        FLAGGED.clear()
        WORKPLACE[0] = request["folder"]
        forget_peak()
        before = time.monotonic()
        try:
            reply = answer(request)
        except MemoryError as error:
            reply = {"code": None, "out": "", "err": f"MemoryError: {error}"}
        except Exception as error:
            import traceback

            trace = "".join(traceback.format_exception(error))
            reply = {"code": None, "out": "", "err": f"Traceback of {type(error)}\n{trace}"}
        asks_itself = request["action"] == "explore"  # its server is asked by HTTP
        flagged = [item for item in FLAGGED if not (asks_itself and "127.0.0.1" in item)]
        reply |= {"flagged": flagged, "peak": peak(), "seconds": time.monotonic() - before}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
