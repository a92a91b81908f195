"""What a Parquet file unpacks to, read from its headers alone."""

import io

import polars as pl
import pytest

from tiltmeter.files import parquet_frame
from tiltmeter.parquet_headers import DamagedParquet, unpacked_size


def test_what_a_file_unpacks_to_is_read_from_its_pages():
    """16 bytes a text, 8 a number, and what the pages themselves unpack to."""
    file = io.BytesIO()
    pl.DataFrame({"t": ["ab"] * 1000, "n": range(1000)}).write_parquet(file, row_group_size=100)
    size = unpacked_size(file.getvalue())
    assert (size.rows, size.columns) == (1000, 2)
    assert 24_000 < size.memory < 24_000 + 20_000


@pytest.mark.parametrize("cut", [0, 4, 11, 40, -9, -1])
def test_headers_that_are_not_whole_are_refused(cut):
    file = io.BytesIO()
    pl.DataFrame({"t": ["ab"] * 10}).write_parquet(file)
    with pytest.raises(DamagedParquet):
        unpacked_size(file.getvalue()[:cut])


def test_a_large_table_of_different_texts_still_opens(tmp_path):
    """400 MB in memory, of a file of 20 MB or so."""
    path = tmp_path / "large.parquet"
    numbers = pl.select(pl.int_range(4_000_000)).to_series()
    texts = pl.concat_str(pl.lit("sentence "), numbers.cast(pl.String))
    columns = {f"c{nth}": pl.lit("the same") for nth in range(4)}
    pl.DataFrame({"n": numbers}).with_columns(text=texts, **columns).write_parquet(path)
    assert unpacked_size(path.read_bytes()).memory > 2**28
    assert parquet_frame(path).shape == (4_000_000, 6)
