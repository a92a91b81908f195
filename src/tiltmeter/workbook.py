"""The first sheet of an Excel workbook as a table of text, within bounds.

A workbook is a zip file of XML: a few kilobytes can unpack to gigabytes, and two cells in opposite
corners can stand for seventeen thousand million. Both are looked at before anything is read.
What cannot be read is an OSError whose `strerror` says why, as in `files`.
"""

from __future__ import annotations

import errno
import io
import logging
import re
import zipfile
from typing import TYPE_CHECKING

from tiltmeter.files import MB, UNPACKED

if TYPE_CHECKING:
    import polars as pl

WORKBOOK = ".xlsx"
MOST_CELLS = 20_000_000
"""Cells of a sheet, empty ones too: a million sentences in twenty columns."""
CELL = re.compile(rb"""\br=["']([A-Z]{1,3})([0-9]{1,7})["']""")
"""Where a cell stands, in the XML of a sheet."""
LONGEST = 24
"""Letters that a cell's place may take; so much of a piece is looked at again with the next."""
NEEDS = (
    "a workbook is read by fastexcel, which is not installed: pip install 'tiltmeter[xlsx]', or "
    "save the sheet as CSV in UTF-8"
)


def workbook_frame(data: bytes) -> tuple[pl.DataFrame, list[str]]:
    """The first sheet, its first row the column names, every cell text; and what to know of it.

    Names that stand twice are kept: whoever reads the table says what is wrong with them.
    """
    try:
        import fastexcel
    except ImportError as error:
        raise OSError(errno.ENOENT, NEEDS) from error
    _check_size(data)
    logging.getLogger("calamine").addHandler(logging.NullHandler())  # what is wrong is said below
    try:
        book = fastexcel.read_excel(data)
        names = book.sheet_names
        cells = book.load_sheet(0, header_row=None, dtypes="string").to_polars() if names else None
    except BaseException as error:  # its panics are no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        what = f"the file is damaged or no workbook ({said}); save it anew"
        raise OSError(errno.EINVAL, what) from error
    if cells is None or not cells.height:
        raise OSError(errno.EINVAL, "its first sheet is empty; expected column names, then rows")
    if len(names) < 2:
        return cells, []
    others = ", ".join(repr(name) for name in names[1:4]) + (" and more" if len(names) > 4 else "")
    return cells, [f"read the first sheet, {names[0]!r}; not read: {others}"]


def _check_size(data: bytes) -> None:
    """Raise for a workbook that unpacks to too much, or whose sheets span too many cells.

    Parts are unpacked piece by piece, which also shows whether their size is the one they tell.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            unpacked = sum(part.file_size for part in parts)
            if unpacked > UNPACKED:
                what = f"it would unpack to {unpacked / 2**30:,.1f} GB, so it is not opened"
                raise OSError(errno.EFBIG, what)
            for part in parts:
                rows, columns, rest = 0, 0, b""
                with archive.open(part) as file:
                    while piece := file.read(MB):
                        if part.filename.endswith(".xml"):
                            for letters, number in CELL.findall(rest + piece):
                                rows = max(rows, int(number))
                                columns = max(columns, column_number(letters))
                            rest = piece[-LONGEST:]
                if rows * columns > MOST_CELLS:
                    what = f"a sheet spans {rows:,} rows of {columns:,} columns"
                    raise OSError(errno.EFBIG, f"{what}; at most {MOST_CELLS:,} cells are read")
    except OSError:
        raise
    except Exception as error:  # zipfile lets through those of whatever it unpacks with
        what = f"the file is damaged or no workbook ({error}); save it anew"
        raise OSError(errno.EINVAL, what) from error


def column_number(letters: bytes) -> int:
    """The number of a column.

    >>> column_number(b"A"), column_number(b"AA"), column_number(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
