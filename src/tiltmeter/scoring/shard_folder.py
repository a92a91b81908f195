"""A folder that several machines write to: on a shared disk, or an address that fsspec opens.

    SHARDS/<fingerprint>/<time>-block-<key>.parquet    as in a store, whose shards these are

A file is there whole or not at all: on a disk it is written aside, flushed and renamed; in an
object store one put is all it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtraError, StoreError, TiltmeterError
from tiltmeter.scoring.store import BLOCK, rename_into_place

ALONE = ("memory",)
"""Protocols whose files only one process sees."""


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """A folder by its address; it pickles, so that workers open it for themselves."""

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
        """A folder in it."""
        return replace(self, url=f"{self.url.rstrip('/')}/{name}", path=f"{self.path}/{name}")

    def make(self) -> None:
        """See that the folder is there; an object store has none."""
        if self.on_disk:
            with self._telling("written"):
                Path(self.path).mkdir(mode=0o700, parents=True, exist_ok=True)

    def shards(self) -> list[str]:
        """The names of the blocks' shards in it, in order; none where it is not there."""
        with self._telling("read"):
            self.files.invalidate_cache()
            try:
                found = self.files.ls(self.path, detail=False)
            except FileNotFoundError:
                return []
        names = sorted(str(path).rstrip("/").rpartition("/")[2] for path in found)
        return [name for name in names if BLOCK in name and name.endswith(".parquet")]

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        with self._telling("read"):
            self.files.invalidate_cache()
            return bool(self.files.exists(f"{self.path}/{name}"))

    def put(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all; its folder must be there."""
        with self._telling("written"):
            if self.on_disk:
                rename_into_place(Path(self.path) / name, lambda aside: aside.write_bytes(data))
            else:
                self.files.pipe_file(f"{self.path}/{name}", data)

    def get(self, name: str) -> bytes:
        """What a file holds."""
        with self._telling("read"):
            self.files.invalidate_cache()
            return bytes(self.files.cat_file(f"{self.path}/{name}"))

    def remove(self, tries: int = 5) -> None:
        """Delete it with all that is in it, as far as that can be done.

        A worker of a run that was interrupted may still write into it while it goes; what is left
        then is named and cleared by `tiltmeter store verify`, and is no reason to fail.
        """
        for _ in range(tries):
            with suppress(Exception):  # any of fsspec's file systems may raise its own
                self.files.invalidate_cache()
                if self.files.exists(self.path):
                    self.files.rm(self.path, recursive=True)
                return

    @contextmanager
    def _telling(self, doing: str) -> Iterator[None]:
        """Say in one sentence what any of fsspec's file systems may raise."""
        try:
            yield
        except Exception as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise StoreError(
                f"the shards' folder {self.url} cannot be {doing}: {reason.splitlines()[0]}; "
                "what was stored before is safe. Name another with --shards URL, and run the same "
                "command again"
            ) from error


def open_folder(url: str) -> ShardFolder:
    """The folder at a path or an address such as s3://bucket/prefix."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingExtraError("fsspec, which opens --shards,", "ray") from error
    try:
        files, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise TiltmeterError(
            f"--shards {url} cannot be opened: {str(error).splitlines()[0]}; expected a folder "
            "that all workers see, or an address whose package is installed, as s3fs is for s3://"
        ) from error
    protocols = files.protocol if isinstance(files.protocol, tuple | list) else (files.protocol,)
    if set(protocols) & set(ALONE):
        raise TiltmeterError(
            f"--shards {url} is in the memory of this process, which no worker sees; name a folder "
            "that all of them see, or an address such as s3://bucket/prefix"
        )
    return ShardFolder(url, files, str(path).rstrip("/"))
