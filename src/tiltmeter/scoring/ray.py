"""Asking a system on many machines with Ray: blocks of texts out, shards of answers in.

    driver   hands a block to each worker, and the next one to whichever is done
    worker   opens the system once, asks, writes SHARDS/<fingerprint>/<time>-block-<key>.parquet
    driver   takes the shard into the store as word of it comes

Answers pass neither through Ray nor through the driver's memory, and only the texts in hand do. A
shard's name is given by the driver, so that a block that is asked again after a machine was lost
has the same one: none is there twice. Ray starts a lost worker anew elsewhere and gives it the same
block, a few times; workers with nothing left to do make room for it.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import (
    ArgumentError,
    MissingExtraError,
    StoreError,
    SystemFailure,
    TiltmeterError,
    argument,
)
from tiltmeter.files import is_plain_file, parquet_frame, read_capped
from tiltmeter.scoring.local import ask_all, cores
from tiltmeter.scoring.plan import ROWS, Block
from tiltmeter.scoring.store import (
    BLOCK,
    LINK,
    Store,
    answer_frame,
    check_shard,
    rename_into_place,
    shard_bytes,
    shard_name,
)
from tiltmeter.systems.protocol import Answer, Card, Pace, System

if TYPE_CHECKING:
    from tiltmeter.scoring.run import Settings


ALONE = ("memory",)
"""Protocols whose files only one process sees."""
EACH = 4
"""Blocks for each worker of a small corpus: enough that none waits long for the last."""
BATCHES, LEAST = 32, 256
"""Batches of such a block at most, and texts at least: seconds of work, whatever the system."""
TRIES = 3
"""How often a block is begun: a system that ends its process every time must not go on for ever."""
MOST = 4
"""Workers for each core of this machine at most."""
STORE_BYTES = 256 * 2**20
"""Ray's shared memory on this machine: only texts in hand pass through it."""
PATIENCE = 5.0
"""Seconds for an address to answer."""
SEEN_WITHIN = 10.0
"""Seconds that a shared disk may take to show what another machine wrote."""
PRINTS = "_worker_logs_enabled"
"""Whether this process prints, among our output, what Ray says of lost workers; Ray 2.60 has no
public name for it."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is reported to anybody
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",  # a worker without a GPU of its own sees none
}


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """A folder that several machines write to: on a shared disk, or an address fsspec opens.

    A file is there whole or not at all: on a disk it is written aside, flushed and renamed; in an
    object store one put is all it takes. It pickles, so that workers open it for themselves.
    """

    url: str
    files: Any
    """The fsspec file system."""
    path: str
    """Where the folder is in it."""

    @property
    def on_disk(self) -> bool:
        """True where the operating system knows it."""
        return "file" in self.files.protocol

    def is_folder(self, path: Path) -> bool:
        """Whether it is that folder on disk."""
        return self.on_disk and Path(self.path).resolve() == path.resolve()

    def within(self, name: str) -> ShardFolder:
        """A folder in it; an error where that name is a link, which may lead anywhere."""
        inner = replace(self, url=f"{self.url.rstrip('/')}/{name}", path=f"{self.path}/{name}")
        if self.on_disk and Path(inner.path).is_symlink():
            raise StoreError(
                f"{inner.path} {LINK}; expected a folder of shards. Remove the link, or name "
                f"another place with {argument('shards')} URL"
            )
        return inner

    def make(self) -> None:
        """See that the folder is there; an object store has none."""
        if self.on_disk:
            with self._wording_errors("written"):
                Path(self.path).mkdir(mode=0o700, parents=True, exist_ok=True)

    def shards(self) -> list[str]:
        """The names of the blocks' shards in it, in order; none where it is not there."""
        with self._wording_errors("read"):
            self.files.invalidate_cache()
            try:
                found = self.files.ls(self.path, detail=False)
            except FileNotFoundError:
                return []
        if self.on_disk:
            found = [path for path in found if is_plain_file(Path(path))]
        names = sorted(str(path).rstrip("/").rpartition("/")[2] for path in found)
        return [name for name in names if BLOCK in name and name.endswith(".parquet")]

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        with self._wording_errors("read"):
            if self.on_disk:
                return is_plain_file(Path(self.path, name))
            self.files.invalidate_cache()
            return bool(self.files.exists(f"{self.path}/{name}"))

    def put(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all; its folder must be there."""
        with self._wording_errors("written"):
            if self.on_disk:
                rename_into_place(Path(self.path) / name, lambda aside: aside.write_bytes(data))
            else:
                self.files.pipe_file(f"{self.path}/{name}", data)

    def get(self, name: str) -> bytes:
        """What a file holds."""
        with self._wording_errors("read"):
            if self.on_disk:
                return read_capped(Path(self.path, name), links=False)
            self.files.invalidate_cache()
            return bytes(self.files.cat_file(f"{self.path}/{name}"))

    def remove(self, tries: int = 5) -> None:
        """Delete it with all that is in it, as far as that can be done; on a disk its files alone.

        A worker of a run that was interrupted may still write into it while it goes; what is left
        then is named and cleared by `tiltmeter store verify`, and is no reason to fail.
        """
        for _ in range(tries):
            with suppress(Exception):  # any of fsspec's file systems may raise its own
                if self.on_disk:
                    folder = Path(self.path)
                    for path in folder.iterdir():
                        if path.is_symlink() or not path.is_dir():
                            path.unlink(missing_ok=True)
                    folder.rmdir()
                    return
                self.files.invalidate_cache()
                if self.files.exists(self.path):
                    self.files.rm(self.path, recursive=True)
                return

    @contextmanager
    def _wording_errors(self, doing: str) -> Iterator[None]:
        """Say in one sentence what any of fsspec's file systems may raise."""
        try:
            yield
        except Exception as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise StoreError(
                f"the shards' folder {self.url} cannot be {doing}: {reason.splitlines()[0]}; "
                f"what was stored before is safe. Name another with {argument('shards')} URL, and "
                "run the same command again"
            ) from error


def open_folder(url: str) -> ShardFolder:
    """The folder at a path or an address such as s3://bucket/prefix."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingExtraError(f"fsspec, which opens {argument('shards')},", "ray") from error
    try:
        files, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise ArgumentError(
            "shards",
            f"{url} cannot be opened: {str(error).splitlines()[0]}; expected a folder that"
            " all workers see, or an address whose package is installed, as s3fs is for s3://",
        ) from error
    protocols = files.protocol if isinstance(files.protocol, tuple | list) else (files.protocol,)
    if set(protocols) & set(ALONE):
        raise ArgumentError(
            "shards",
            f"{url} is in the memory of this process, which no worker sees; name a folder that all "
            "of them see, or an address such as s3://bucket/prefix",
        )
    return ShardFolder(url, files, str(path).rstrip("/"))


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known of a block that is done, without its answers."""

    block: Block
    path: Path
    """The shard in the store."""
    texts: int
    missing: int
    reason: str
    """The last reason why there is no score."""


@dataclass(frozen=True, slots=True)
class Job:
    """What every worker of a run is told."""

    opening: bytes
    """A pickled function that opens the system, made by the process that sends it."""
    card: Card
    pace: Pace
    """As the sender found it to hold: a batch of 1 where batches matter."""
    threads: int
    """Side by side within one worker; 1 but for systems that wait for a network."""
    shards: ShardFolder
    folder: str
    """Where the sender stands; specs and modules may be named from there."""
    modules: tuple[str, ...]
    """The sender's sys.path."""
    gpus: float = 0.0


def ask_blocks(
    system: System, blocks: Iterable[Block], store: Store, settings: Settings
) -> Generator[Manifest, None, None]:
    """Ask blocks, and tell of each as its shard is in the store.

    `system` is asked in batches of its pace: see that they were checked before.
    """
    join_cluster(settings.ray_address, settings.workers)
    import ray
    import ray.cloudpickle

    card, pace, most = system.card, system.pace, _places(system, settings)
    # What opens the system elsewhere: its `reopen`, else the system itself, if it can be sent
    try:
        opening = bytes(ray.cloudpickle.dumps(system.reopen or (lambda: system)))
    except Exception as error:
        what = (
            f"cannot be sent to other machines ({type(error).__name__}: {error}); name it so that "
            "they can open it, as in module:callable, or use --engine local"
        )
        raise SystemFailure(card.name, what) from error
    threads = (settings.workers or pace.workers or cores()) if pace.parallel == "threads" else 1
    job = Job(
        opening, card, pace, threads, shards_of(store, card, settings), str(Path.cwd()),
        tuple(place for place in sys.path if place), settings.ray_gpus,
    )  # fmt: skip
    _make_folder(store, card)
    job.shards.make()
    stored = [path.name for path in store.shards(card.fingerprint)]
    newest = max([*stored, *job.shards.shards()], default="")
    worker_class = ray.remote(
        num_cpus=1, num_gpus=settings.ray_gpus, max_restarts=-1, max_task_retries=TRIES - 1
    )(Worker)
    running, idle = dict[Any, tuple[Any, Block]](), list[Any]()
    left = iter(blocks)
    block = next(left, None)
    try:
        while running or block is not None:
            while block is not None and (idle or len(running) < most):
                worker = idle.pop() if idle else worker_class.remote(job)
                name = shard_name(block.key, after=newest)
                running[worker.answer.remote(block, name)] = worker, block
                block = next(left, None)
            done, line = _first_done(running, card)
            worker, answered = running.pop(done)
            if block is not None:
                idle.append(worker)
            del worker  # the last word of it ends it, which makes room for one that was lost
            yield _take_over(line, answered, job.shards, store, card)
    finally:
        for worker, _ in running.values():
            ray.kill(worker)


def split(block: Block, system: System, settings: Settings) -> list[Block]:
    """A block in memory cut into smaller ones, so that all workers have some."""
    join_cluster(settings.ray_address, settings.workers)
    size = block_size(block.texts.len(), system.pace.batch, _places(system, settings))
    starts = range(0, block.texts.len(), size)
    return [Block(block.texts.slice(start, size), block.repeat) for start in starts]


def block_size(texts: int, batch: int, workers: int) -> int:
    """Texts of a block: whole batches, so that they are cut as on one machine.

    >>> block_size(8640, 256, 2), block_size(8640, 32, 2), block_size(10, 256, 2)
    (1280, 1024, 256)
    """
    wanted = min(max(-(-texts // (workers * EACH)), LEAST), max(BATCHES * batch, LEAST), ROWS)
    return -(-wanted // batch) * batch


def _first_done(running: Iterable[Any], card: Card) -> tuple[Any, dict[str, Any]]:
    """What a worker sends back of the block that is done first."""
    import ray

    try:
        [done], _ = ray.wait(list(running))
        line: dict[str, Any] = ray.get(done)
    except ray.exceptions.RayActorError as error:
        what = (
            f"ended {TRIES} workers while asked the same block of texts (out of memory, or it "
            "stopped Python itself); what was answered is stored"
        )
        raise SystemFailure(card.name, what) from error
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1]
        what = f"could not be asked on the Ray cluster: {reason}; what was answered is stored"
        raise SystemFailure(card.name, what) from error
    if line["trouble"]:
        kinds: dict[str, type[TiltmeterError]] = {
            one.__name__: one for one in (SystemFailure, StoreError)
        }
        kind = kinds.get(line["kind"], TiltmeterError)
        trouble = kind.__new__(kind)
        TiltmeterError.__init__(trouble, line["trouble"])  # with a worker's whole message
        raise trouble
    return done, line


def _take_over(
    line: dict[str, Any], block: Block, shards: ShardFolder, store: Store, card: Card
) -> Manifest:
    """A block's manifest, once its shard is in the store."""
    name = line["shard"]
    path = store.path / card.fingerprint / name
    if shards.is_folder(path.parent):
        end = time.monotonic() + SEEN_WITHIN  # a shared disk may show it a moment later
        while not path.exists() and time.monotonic() < end:
            os.listdir(path.parent)  # noqa: PTH208 - makes a network disk look again
            time.sleep(0.1)
        there = path.exists()
    else:
        there = _take(shards, name, store, card)
    if not there:
        raise StoreError(
            f"the worker {line['host']} wrote {shards.url}/{name}, which cannot be read "
            "from here: do all machines share that place? Name one that they share with "
            f"{argument('shards')}, as in {argument('shards')} s3://bucket/prefix"
        )
    return Manifest(block, path, line["texts"], line["missing"], line["reason"])


def take_shards(store: Store, card: Card, settings: Settings) -> None:
    """Take into the store what lies in the shards' folder from runs that were stopped.

    A shard that is damaged is left alone, and its texts are asked again.
    """
    folder, own = shards_of(store, card, settings), store.path / card.fingerprint
    if not folder.is_folder(own):
        for name in folder.shards():
            if not (own / name).exists():
                _take(folder, name, store, card)


def shards_of(store: Store, card: Card, settings: Settings) -> ShardFolder:
    """Where the workers write this system's shards: the store's own folder if nothing was said."""
    return open_folder(settings.shards or str(store.path.absolute())).within(card.fingerprint)


def _take(folder: ShardFolder, name: str, store: Store, card: Card) -> bool:
    """Copy a shard into the store under the same name; False where it is damaged."""
    path, data = _make_folder(store, card) / name, folder.get(name)
    try:
        rename_into_place(path, lambda aside: aside.write_bytes(data))
    except OSError as error:
        raise StoreError(
            f"the store {store.path} cannot be written: {error.strerror or error}; the shard is in "
            f"{folder.url}. Free some space, and run the same command again"
        ) from error
    if check_shard(path) is None:
        return True
    path.unlink(missing_ok=True)
    return False


def _make_folder(store: Store, card: Card) -> Path:
    try:
        return store.make_folder(card)
    except OSError as error:
        raise store.unwritable(error) from error


class Worker:
    """One loaded system on some machine, and the blocks it is asked.

    It may be killed at any moment: a shard is there whole or not at all, and one that is there is
    not asked again. Whatever goes wrong is sent back in words.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.system: System | None = None

    def answer(self, block: Block, shard: str) -> dict[str, Any]:
        """Ask a block, write its shard, and say what became of it."""
        report: dict[str, Any] = {"shard": shard, "host": socket.gethostname(), "trouble": ""}
        doing = "could not be opened"
        try:
            self.system = self.system or self._open()
            doing = "failed"
            if self.job.shards.has(shard):  # written before a worker was lost
                answers = parquet_frame(self.job.shards.get(shard))
            else:
                # Answers in the order of the texts, whatever order their batches come in
                texts, found = block.texts.to_list(), dict[str, Answer]()
                for batch in ask_all(self.system, texts, self.job.threads):
                    found.update(zip(batch.texts, batch.answers, strict=True))
                answers = answer_frame(texts, [found[text] for text in texts], block.repeat)
                self.job.shards.put(shard, shard_bytes(answers))
        except Exception as error:
            # As one of our own errors, with the machine it happened on
            where = f"the worker {report['host']}"
            trouble: Exception = error
            if isinstance(error, StoreError):
                trouble = StoreError(f"{error} (said by {where})")
            elif not isinstance(error, TiltmeterError):
                first = (str(error).splitlines() or [""])[0]
                what = f"{doing} on {where}: {type(error).__name__}: {first}"
                trouble = SystemFailure(self.job.card.name, what)
            return report | {"kind": type(trouble).__name__, "trouble": str(trouble)}
        reasons, missing = answers["reason"].drop_nulls(), answers["raw"].null_count()
        reason = reasons[-1] if reasons.len() else ""
        return report | {"texts": answers.height, "missing": missing, "reason": reason}

    def _open(self) -> System:
        """The system, opened where the sender stands as far as this machine has that place."""
        import ray.cloudpickle as pickle

        job = self.job
        if Path(job.folder).is_dir():
            os.chdir(job.folder)
        if not job.gpus:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""  # or all workers of a machine share its first
        sys.path.extend(place for place in job.modules if place not in sys.path)
        # What the driver of this same run sent, as Ray sends this very object; no user's file.
        opened: Callable[[], System] = pickle.loads(job.opening)
        system = opened()
        if system.card.fingerprint != job.card.fingerprint:
            what = (
                f"is another one on the worker {socket.gethostname()} than where the run was "
                "started: another version, other files or settings; install the same on all"
            )
            raise SystemFailure(job.card.name, what)
        return replace(system, pace=job.pace)


def join_cluster(address: str | None, workers: int | None) -> None:
    """See that this process has a cluster: the one at an address, else one started here."""
    os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError(f"Ray, which {argument('engine')} ray asks with,", "ray") from error
    if ray.is_initialized():
        return
    if address:
        check_address(address)
    most = min(workers or cores(), MOST * cores())
    here = {"num_cpus": most, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    try:
        ray.init(
            address or "local",
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            **({} if address else here),
        )
    except (OSError, RuntimeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        where = f"the cluster at {address} cannot be joined" if address else "Ray cannot be started"
        advice = "; run this on one of its machines, with the same Ray and Python as there"
        raise TiltmeterError(f"{where}: {reason}{advice if address else ''}") from error
    setattr(ray._private.worker, PRINTS, False)


def check_address(address: str) -> None:
    """Raise now where nobody listens; Ray itself would wait for long, and may end the process."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if "://" in address or not colon or not port.isdecimal():
        what = "expected HOST:PORT as `ray start --head` prints it, or auto"
        raise ArgumentError("ray_address", f"is {address!r}; {what}")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise TiltmeterError(
            f"there is no Ray cluster at {address}: {getattr(error, 'strerror', None) or error}; "
            f"start one with `ray start --head --port PORT`, or leave {argument('ray_address')} "
            "out to use this machine"
        ) from error


def _places(system: System, settings: Settings) -> int:
    """How many workers: as many as the cluster has room for, or fewer if fewer are asked for.

    One for a service, whose limits hold for a process, not for a cluster.
    """
    import ray

    if system.pace.parallel == "threads":
        return 1
    have, gpus = ray.cluster_resources(), settings.ray_gpus
    room = int(have.get("CPU", 0))
    if gpus:
        room = min(room, int(have.get("GPU", 0) / gpus))
    if room < 1:
        wanted = f"a CPU and {gpus:g} GPUs" if gpus else "a CPU"
        found = f"{have.get('CPU', 0):g} CPUs and {have.get('GPU', 0):g} GPUs"
        raise TiltmeterError(
            f"the Ray cluster has {found}; a worker needs {wanted}. Start more machines with "
            f"`ray start`, or change {argument('ray_gpus')}"
        )
    return min(settings.workers or room, room)
