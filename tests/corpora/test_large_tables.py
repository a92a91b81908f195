"""A table too large to be held is gone through in parts, and is the same corpus as in memory."""

import os
import pickle
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.corpora import large_table, load_corpus, spool, table_suspects
from tiltmeter.corpora.columns import choose
from tiltmeter.corpora.table_corpus import table_corpus
from tiltmeter.corpora.table_file import TableFile
from tiltmeter.corpora.table_look import LINE, Look
from tiltmeter.corpora.together import BROUGHT
from tiltmeter.errors import CorpusError, OutputError, TiltmeterError
from tiltmeter.schemas import SENTENCES, validate

LAID_OUT = "laid out in parts in the cache, as tables/"
HEAD = "id,text,template,person,gender,match\n"


def in_parts(path, monkeypatch, block=60, **said):
    """A corpus read as a large one, some bytes at a time."""
    with monkeypatch.context() as patch:
        patch.setattr(large_table, "LARGE", 0)
        patch.setattr(large_table, "BLOCK", block)
        patch.setattr("tiltmeter.corpora.together.ROWS", 5)
        patch.setattr(large_table, "CELLS", 3)
        return table_corpus(path, **said)


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    """The folder where large tables are laid out, one for each test."""
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


@pytest.fixture
def mine(tmp_path):
    """A sound table of 8 frames of a woman and a man."""
    rows = [f"{n}-{g},{g} sings {n}.,{n},{g},{g},p\n" for n in range(8) for g in ("fem", "mal")]
    path = tmp_path / "mine.csv"
    path.write_text(HEAD + "".join(rows))
    return path


@pytest.fixture
def scattered(mine, tmp_path):
    """The same, all women first."""
    head, *rows = mine.read_text().splitlines(keepends=True)
    path = tmp_path / "scattered.csv"
    path.write_text(head + "".join(sorted(rows, key=lambda row: row.split(",")[3])))
    return path


# ------------------------------------------------------------------ the same corpus

SAID = st.sampled_from(["", "1", "2", "3"])
ROW = st.tuples(
    st.sampled_from([*"abcdefghijklmnopqrst", ""]),
    st.sampled_from(["x", "y", "Jose\u0301", " "]),
    SAID,
    st.sampled_from(["Ann", "ann", "Bob", "Cy", ""]),
    st.sampled_from(["f", "m", "M", "", "n"]),
    st.sampled_from(["p", "q"]),
)
SOUND_ROW = st.tuples(st.sampled_from(["x", "y"]), SAID.filter(bool), st.sampled_from("fm"))


def outcome(read):
    """What reading comes to: a corpus, or what is wrong."""
    try:
        return read()
    except CorpusError as error:
        return str(error)


def own_notes(corpus):
    return [note for note in corpus.notes if note != BROUGHT and LAID_OUT not in note]


@settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    rows=st.lists(ROW, min_size=1, max_size=25),
    columns=st.sets(st.integers(1, 5), min_size=3),
    block=st.integers(20, 400),
    groups=st.sampled_from([(), ("f", "m"), ("m", "f", "z")]),
)
def test_whatever_is_wrong_is_said_as_of_a_table_in_memory(
    rows, columns, block, groups, tmp_path, monkeypatch
):
    kept = [0, *sorted(columns)]
    names = HEAD.strip().split(",")
    lines = [",".join(row[n] for n in kept) for row in [names, *rows]]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    said = {"axes": {"gender": groups}} if groups else {}
    held = outcome(lambda: table_corpus(tmp_path / "t.csv", **said))
    parts = outcome(lambda: in_parts(tmp_path / "t.csv", monkeypatch, block, **said))
    if isinstance(held, str):
        assert parts == held
    else:
        assert own_notes(parts) == list(held.notes)


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    rows=st.lists(SOUND_ROW, max_size=25),
    block=st.integers(20, 400),
    ending=st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]),
    size=st.integers(1, 30),
)
def test_the_same_sentences_come_out_frames_together(
    rows, block, ending, size, tmp_path, monkeypatch
):
    first = [("x", frame, group) for frame in "123" for group in "fm"]
    frame = pl.DataFrame([*rows, *first], ["text", "template", "gender"], orient="row")
    path = tmp_path / f"t{ending}"
    {
        ".csv": frame.write_csv,
        ".tsv": lambda to: frame.write_csv(to, separator="\t"),
        ".jsonl": frame.write_ndjson,
        ".parquet": lambda to: frame.write_parquet(to, row_group_size=4),
    }[ending](path)
    held, parts = table_corpus(path), in_parts(path, monkeypatch, block)
    # In memory the file's order is kept; in parts frames come as they begin, rows as they stand.
    every = held.sentences()
    begins = pl.col("nth").min().over("frame")
    together = every.with_row_index("nth").sort(begins, maintain_order=True).drop("nth")
    assert validate(parts.sentences(), SENTENCES).equals(together)
    assert (BROUGHT in parts.notes) == (not every.equals(together))
    assert (parts.axes, parts.language, parts.size) == (held.axes, held.language, held.size)
    assert (parts.name, parts.edition, parts.title) == (held.name, held.edition, held.title)
    assert own_notes(parts) == list(held.notes)
    sizes = [batch.height for batch in parts.batches(size)]
    assert sizes[:-1] == [size] * (held.size // size - (held.size % size == 0))
    assert parts.survey.together


def test_an_exported_corpus_keeps_its_axes_phrases_and_checksum(tmp_path, monkeypatch):
    spanish = load_corpus("eec-es", "published")
    spanish.sentences().write_parquet(tmp_path / "mine.parquet")
    monkeypatch.setattr(large_table, "LARGE", 1000)
    monkeypatch.setattr(large_table, "BLOCK", 64 * 1000)
    back = load_corpus(tmp_path / "mine.parquet")
    assert back.axes == spanish.axes
    assert (back.name, back.edition, back.language) == ("eec-es", "published", "es")
    assert back.checksum == spanish.checksum
    assert back.sentences().equals(spanish.sentences())
    assert back.lazy().collect().equals(spanish.sentences())


def test_many_repeats_are_counted_though_few_are_looked_at(tmp_path, monkeypatch):
    # 200 IDs stand twice and 200 persons on both sides; five of each are named.
    rows = [f"i{n},t,1,p{n},{g},x\n" for g in "fm" for n in range(200)]
    (tmp_path / "t.csv").write_text(HEAD + "".join(rows))
    held = outcome(lambda: table_corpus(tmp_path / "t.csv"))
    assert "… and 195 more IDs that stand more than once" in held
    assert "… and 195 more persons on both sides of an axis" in held
    assert outcome(lambda: in_parts(tmp_path / "t.csv", monkeypatch, 500)) == held


def test_an_id_that_only_shares_a_hash_is_not_reported():
    look = Look(choose(["id", "text", "template", "gender"], {}, {}))
    frame = pl.DataFrame({"id": ["a", "b"], "text": "t", "template": "1", "gender": ["f", "m"]})
    rows = look.add(TableFile(Path("t.csv"), frame, pl.Series([2, 3])))
    look.ids.append(rows["id"].head(1).hash().to_numpy())  # as if another had the hash of 'a'
    found, many = table_suspects.repeated_ids(look, lambda columns: iter([rows.select(columns)]))
    assert (found.height, many) == (0, 0)
    assert rows[LINE].to_list() == [2, 3]


def test_a_column_that_holds_lists_further_down_is_refused(tmp_path, monkeypatch):
    row = '{"text":%s,"gender":"%s","template":1}\n'
    rows = [row % ('"a"', "f"), row % ('"b"', "m"), row % ('["c"]', "f"), row % ('["d"]', "m")]
    (tmp_path / "t.jsonl").write_text("".join(rows))
    said = outcome(lambda: in_parts(tmp_path / "t.jsonl", monkeypatch, 90))
    assert "the column 'text' (text) holds List(String); expected text" in said
    assert "text is empty" not in said


# ------------------------------------------------------------------ what is large


def test_a_table_is_large_by_its_rows_or_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(large_table, "LARGE", 4)  # of text: 4 × 128 = 512 bytes
    frame = pl.DataFrame({"text": ["a"] * 5})
    frame.write_parquet(tmp_path / "five.parquet")
    frame.head(4).write_parquet(tmp_path / "four.parquet", compression="uncompressed")
    (tmp_path / "short.csv").write_text("x" * 512)
    (tmp_path / "long.csv").write_text("x" * 513)
    found = {path.name: large_table.is_large_table(path) for path in tmp_path.glob("*.*")}
    small = (tmp_path / "four.parquet").stat().st_size <= 512
    assert found == {
        "five.parquet": True,
        "four.parquet": not small,
        "short.csv": False,
        "long.csv": True,
    }
    assert not large_table.is_large_table(tmp_path)
    assert not large_table.is_large_table(tmp_path / "none.parquet")


def test_a_short_file_of_many_rows_is_large_after_all(mine, monkeypatch):
    # 16 rows in 16 × 128 bytes at most: read whole, then found to have more than 10.
    monkeypatch.setattr(large_table, "LARGE", 10)
    assert not large_table.is_large_table(mine)
    assert LAID_OUT in table_corpus(mine).notes[-1]


def test_a_small_table_is_not_laid_out(mine, tables):
    assert not any(LAID_OUT in note for note in table_corpus(mine).notes)
    assert not tables.exists()


def test_a_large_table_that_looks_published_is_to_be_read_as_ones_own(tmp_path, monkeypatch):
    names = "ID,Sentence,Template,Person,Gender,Race,Emotion,Emotion word\n"
    rows = "1,a,1,A,f,x,,\n2,b,1,B,m,y,,\n"
    (tmp_path / "t.csv").write_text(names + rows)
    said = outcome(lambda: in_parts(tmp_path / "t.csv", monkeypatch, reference=lambda: None))
    assert "say which column is what: --column text=Sentence" in said
    told = {"columns": {"text": "Sentence"}, "reference": lambda: None}
    assert in_parts(tmp_path / "t.csv", monkeypatch, **told).size == 2


def test_an_axis_of_too_many_groups_is_refused(mine, monkeypatch):
    monkeypatch.setattr("tiltmeter.corpora.table_look.MOST_GROUPS", 1)
    said = outcome(lambda: in_parts(mine, monkeypatch))
    assert "gender has more than 1 groups; expected few" in said


def test_more_rows_than_can_be_known_are_refused(mine, monkeypatch, tables):
    monkeypatch.setattr(large_table, "MOST_ROWS", 5)
    said = outcome(lambda: in_parts(mine, monkeypatch))
    assert "found more than 5 rows, the most that are read; part the file" in said
    assert not list(tables.iterdir())


# ------------------------------------------------------------------ laid out once


def nothing_is_read(monkeypatch):
    def never(*_):
        raise AssertionError("the table was gone through again")

    monkeypatch.setattr(large_table, "_gone_through", never)


def test_a_table_is_gone_through_once(scattered, monkeypatch, tables):
    first = in_parts(scattered, monkeypatch)
    (place,) = tables.iterdir()
    assert first.notes[-1].endswith(f"{LAID_OUT}{place.name}")
    nothing_is_read(monkeypatch)
    again = in_parts(scattered, monkeypatch)
    assert again.sentences().equals(first.sentences())
    assert replace(again, write=first.write) == first
    elsewhere = scattered.rename(scattered.with_name("other.csv"))
    assert in_parts(elsewhere, monkeypatch).title == "other.csv"


def test_another_content_or_another_reading_is_laid_out_anew(mine, monkeypatch, tables):
    in_parts(mine, monkeypatch)
    in_parts(mine, monkeypatch, axes={"gender": ("mal", "fem")})
    mine.write_text(mine.read_text().replace("sings", "hums"))
    assert "hums" in in_parts(mine, monkeypatch).sentences()["text"][0]
    assert len(list(tables.iterdir())) == 3


@pytest.mark.parametrize("harm", ["cut", "gone", "no facts", "other facts"])
def test_a_damaged_layout_is_made_anew(mine, monkeypatch, tables, harm):
    before = in_parts(mine, monkeypatch).sentences()
    (place,) = tables.iterdir()
    part, facts = place / "part-00001.parquet", place / "table.json"
    {
        "cut": lambda: part.write_bytes(part.read_bytes()[:-4]),
        "gone": part.unlink,
        "no facts": facts.unlink,
        "other facts": lambda: facts.write_text("[1]"),
    }[harm]()
    assert in_parts(mine, monkeypatch).sentences().equals(before)
    nothing_is_read(monkeypatch)
    assert in_parts(mine, monkeypatch).sentences().equals(before)
    assert [one.name for one in tables.iterdir()] == [place.name]


def test_what_is_interrupted_leaves_nothing(mine, monkeypatch, tables):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(large_table, "bring_together", stopped)
    monkeypatch.setattr(spool.Spool, "keep", stopped)
    with pytest.raises(KeyboardInterrupt):
        in_parts(mine, monkeypatch)
    assert not list(tables.iterdir())


def test_what_a_killed_process_left_is_never_used_and_goes_after_a_day(mine, monkeypatch, tables):
    in_parts(mine, monkeypatch)
    (place,) = tables.iterdir()
    half, old = tables / f".{place.name}.half", tables / ".0000.old"
    place.rename(half)
    (half / "table.json").unlink()
    old.mkdir()
    yesterday = time.time() - 25 * 3600
    os.utime(old, (yesterday, yesterday))
    assert in_parts(mine, monkeypatch).size == 16
    assert {one.name for one in tables.iterdir()} == {place.name, half.name}


def test_two_at_once_give_one(mine, monkeypatch, tables):
    gone_through = large_table._gone_through

    def meanwhile(reading, place):
        monkeypatch.setattr(large_table, "_gone_through", gone_through)
        in_parts(mine, monkeypatch)  # another process, which is quicker
        return gone_through(reading, place)

    monkeypatch.setattr(large_table, "_gone_through", meanwhile)
    assert in_parts(mine, monkeypatch).sentences().height == 16
    assert len(list(tables.iterdir())) == 1


def test_a_file_that_changes_meanwhile_is_not_used(mine, monkeypatch, tables):
    gone_through = large_table._gone_through

    def meanwhile(reading, place):
        facts = gone_through(reading, place)
        mine.write_text(mine.read_text() + "x,y,1,z,fem,p\n")
        return facts

    monkeypatch.setattr(large_table, "_gone_through", meanwhile)
    assert "it was changed meanwhile; run it again" in outcome(lambda: in_parts(mine, monkeypatch))
    assert not list(tables.iterdir())


# ------------------------------------------------------------------ where it cannot be laid out


def test_a_cache_that_cannot_be_written_is_one_message(mine, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "file"))
    with pytest.raises(OutputError, match="name another place with TILTMETER_CACHE=FOLDER"):
        in_parts(mine, monkeypatch)


@pytest.mark.parametrize("which", ["mine", "scattered"])
def test_a_full_cache_is_one_message_and_leaves_nothing(which, request, monkeypatch, tables):
    resource = pytest.importorskip("resource", reason="limits on files are POSIX here")
    path, before = request.getfixturevalue(which), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(OutputError) as caught:
            in_parts(path, monkeypatch)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "File too large; a large table is first laid out there in parts" in str(caught.value)
    assert not list(tables.iterdir())


def test_parts_that_vanish_while_they_are_used_are_one_message(mine, monkeypatch, tables):
    corpus = in_parts(mine, monkeypatch)
    (place,) = tables.iterdir()
    (place / "part-00000.parquet").unlink()
    with pytest.raises(TiltmeterError, match=r"is gone or damaged .* laid out anew"):
        corpus.sentences()


def test_it_can_be_sent_to_another_process(mine, monkeypatch):
    corpus = in_parts(mine, monkeypatch)
    assert pickle.loads(pickle.dumps(corpus)).sentences().equals(corpus.sentences())
