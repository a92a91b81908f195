"""The explorer begun: systems named, audits opened, a loopback address, a link with its token."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.explore.audits import is_audit, open_audit
from tiltmeter.explore.live import live_systems, open_all
from tiltmeter.explore.session import Explorer
from tiltmeter.scoring import Store, default_store
from tiltmeter.systems import Options

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn import Server

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 500
WAITING_CONNECTIONS = 128
EXAMPLE = "My sister feels angry."


def explorer_of(
    words: Sequence[str],
    options: Options,
    store: Path | None,
    add_to: Path,
    texts: Sequence[str] = (),
) -> Explorer:
    """The systems and audits of the command line."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("the explorer", "explore")
    folders = [word for word in words if is_audit(word)]
    specs = [word for word in words if word not in folders]
    if not specs:
        raise TiltmeterError("there is no system to ask; name one, as in: tiltmeter explore vader")
    systems = live_systems(specs, options, Store(store or default_store()))
    audits = [open_audit(Path(folder)) for folder in folders]
    open_all(systems)
    return Explorer(systems, add_to, audits, texts[0] if texts else EXAMPLE)


def serve(
    explorer: Explorer, port: int, *, show: Callable[[str], None], browser: bool = False
) -> None:
    """Answer until interrupted."""
    from tiltmeter.explore.guard import new_token
    from tiltmeter.explore.server import explorer_app

    token = new_token()
    with contextlib.closing(_bound(port)) as bound:
        number = bound.getsockname()[1]
        hosts = [f"{name}:{number}" for name in (LOOPBACK, "localhost")]
        app = explorer_app(explorer, token, hosts)
        link = f"http://{LOOPBACK}:{number}/?token={token}"
        show(link)
        if browser:
            threading.Timer(0.5, webbrowser.open, [link]).start()
        server_of(app).run(sockets=[bound])


def server_of(app: ASGIApp) -> Server:
    """The server that answers: it logs no address, which holds the token, and no WebSockets."""
    import uvicorn

    config = uvicorn.Config(
        app, log_level="error", access_log=False, limit_concurrency=MOST_CONNECTIONS, ws="none",
        server_header=False, timeout_graceful_shutdown=2,
    )  # fmt: skip
    return uvicorn.Server(config)


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((LOOPBACK, port))
        bound.listen(WAITING_CONNECTIONS)  # a link that is shown can be opened
    except OSError as error:
        bound.close()
        raise TiltmeterError(
            f"port {port} cannot be had: {error.strerror}; choose another, or 0 for any"
        ) from None
    return bound
