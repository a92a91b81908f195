"""A Ray cluster: joined where an address is given, else started here for this process alone."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.scoring.engines.local import cores

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is reported to anybody
    "RAY_BACKEND_LOG_LEVEL": "fatal",  # its logs stay in its own folder
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",  # a worker without a GPU of its own sees none
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
}
STORE_BYTES = 256 * 2**20
"""Ray's shared memory on this machine: only lines about blocks pass through it."""
LOGGERS = ("ray", "ray.data")
SAYS = "_worker_logs_enabled"
"""Whether this process prints what Ray's other processes say; its one switch has no public name."""
MOST = 4
"""Workers for each core of this machine at most."""
PATIENCE = 5.0
"""Seconds for an address to answer."""
SETTINGS, FRAME_TYPE = b"\0\0\0\x04\0\0\0\0\0", 3
"""An empty settings frame of HTTP/2 (RFC 9113, 6.5), and where it says that it is one."""


def join_cluster(address: str | None, workers: int | None) -> None:
    """See that this process has a cluster; one that it has joined already is used."""
    os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("Ray, which --engine ray asks with,", "ray") from error
    if ray.is_initialized():
        return
    if address:
        check_answers(address)
    most = min(workers or cores(), MOST * cores())
    here = {"num_cpus": most, "object_store_memory": STORE_BYTES}
    try:
        with _stderr_aside():
            ray.init(
                address or "local",
                include_dashboard=None if address else False,
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                **({} if address else here),
            )
    except (OSError, RuntimeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        where = f"the cluster at {address} cannot be joined" if address else "Ray cannot be started"
        advice = "; run this on one of its machines, with the same Ray and Python as there"
        raise TiltmeterError(f"{where}: {reason}{advice if address else ''}") from error
    setattr(ray._private.worker, SAYS, False)


@contextmanager
def _stderr_aside() -> Iterator[None]:
    """Keep what Ray's C++ says while it starts off the terminal; its log files have it too."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def check_answers(address: str) -> None:
    """Raise now where nobody listens; Ray itself would wait for long, and may end the process."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if "://" in address or not colon or not port.isdecimal():
        what = "expected HOST:PORT as `ray start --head` prints it, or auto"
        raise TiltmeterError(f"--ray-address is {address!r}; {what}")
    try:
        answers = _speaks_grpc(host, int(port))
        reason = "" if answers else "what listens there is no Ray"
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    if reason:
        raise TiltmeterError(
            f"there is no Ray cluster at {address}: {reason}; start one with "
            "`ray start --head --port PORT`, or leave --ray-address out to use this machine"
        )


def _speaks_grpc(host: str, port: int) -> bool:
    """Whether a server answers HTTP/2 with its settings, as a cluster's head does at once."""
    with socket.create_connection((host, port), PATIENCE) as head:
        if os.environ.get("RAY_USE_TLS", "0") != "0":
            return True
        head.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SETTINGS)
        return head.recv(len(SETTINGS))[FRAME_TYPE:][:1] == SETTINGS[FRAME_TYPE:][:1]


def places(workers: int | None, gpus: float) -> int:
    """How many workers the cluster has room for, or as many as asked for if they fit."""
    import ray

    have = ray.cluster_resources()
    room = int(have.get("CPU", 0))
    if gpus:
        room = min(room, int(have.get("GPU", 0) / gpus))
    if room < 1:
        wanted = f"a CPU and {gpus:g} GPUs" if gpus else "a CPU"
        found = f"{have.get('CPU', 0):g} CPUs and {have.get('GPU', 0):g} GPUs"
        raise TiltmeterError(
            f"the Ray cluster has {found}; a worker needs {wanted}. Start more machines with "
            "`ray start`, or change --ray-gpus"
        )
    return min(workers or room, room)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Ray's own words in its log files for as long as this lasts.

    What a lost machine makes it say would else stand among our own output, however it was started.
    """
    from ray._private import worker
    from ray.data import DataContext

    context = DataContext.get_current()
    switches = [(worker, SAYS), (context, "enable_progress_bars"),
                (context, "print_on_execution_start")]  # fmt: skip
    before = [getattr(where, name, None) for where, name in switches]
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    try:
        for where, name in switches:
            setattr(where, name, False)
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for (where, name), value in zip(switches, before, strict=True):
            setattr(where, name, value)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
