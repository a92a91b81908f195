"""Compiled templates, kept where Python keeps compiled modules: to compile them takes 0.2 s."""

from __future__ import annotations

import marshal
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import write_aside


class CompiledTemplates(BytecodeCache):
    """Templates by name and checksum of their text; none where the folder cannot be written to."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template that was compiled from the same text."""
        with suppress(OSError, EOFError, ValueError, TypeError):
            checksum, code = marshal.loads(self._place(bucket).read_bytes())  # noqa: S302
            if checksum == bucket.checksum and isinstance(code, CodeType):
                bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, unless Python is told to keep none."""
        if sys.dont_write_bytecode:
            return
        data = marshal.dumps((bucket.checksum, bucket.code))
        with suppress(OSError, TiltmeterError):
            write_aside(self._place(bucket), lambda file: file.write(data))

    def _place(self, bucket: Bucket) -> Path:
        source = Path(__file__).with_name(f"{bucket.key}-jinja-{jinja2.__version__}")
        return Path(cache_from_source(f"{source}.py"))  # has the version of Python in its name
