"""People of an audit read back from its folder or pack."""

import io
import json

import polars as pl
import pytest

from small_audit import members, resealed, write_folder, zipped
from tiltmeter import audit, load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.audit.gate import gate_folder
from tiltmeter.studies.audit.stored_audit import read_audit
from tiltmeter.studies.audit.verify import pack, verify


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """An audit of people drawn by lot, and its folder."""
    where = tmp_path_factory.mktemp("drawn")
    corpus = load_corpus("names-us", people=12, frames=4)
    found = audit("vader", corpus, store=where / "store", measures="pairs")
    with pytest.MonkeyPatch.context() as patched:
        return found, write_folder(found, where / "out", patched)


def test_people_are_written_and_read_back(drawn):
    found, folder = drawn
    read = read_audit(folder)
    assert read.people.equals(found.people)
    assert read.people.equals(found.runs[0].corpus.people)
    assert read.people_of("eec").is_empty()
    listed = json.loads((folder / "run.json").read_text())["files"]
    assert "people.parquet" in [one["file"] for one in listed]


def test_a_folders_gate_weighs_people_as_the_audit_did(drawn):
    found, folder = drawn
    gate = "*<=0.05, moved.*<=0.5"
    assert gate_folder(folder, gate) == found.gate(gate)
    # counted anew from the folder's people: another margin than the audit's
    wide = "*<=0.2, moved.*<=0.5"
    again, ours = gate_folder(folder, wide), found.gate(wide)
    assert again == ours
    shares = {one.value for one in again.comparisons if one.measure == "moved"}
    assert shares == {0.0}


def test_the_people_of_a_pack_are_those_drawn_here(drawn, tmp_path):
    _, folder = drawn
    seen = [check.seen for check in verify(folder).checks if check.what == "people"]
    assert seen == [
        "names-us: 180, with 96 of 18,337 names of US first names, Census 2020; as in the corpus "
        "of that name in this Tiltmeter"
    ]
    others = verify_with(folder, tmp_path, pl.col("bearers") + 1)
    assert "NOT as in the corpus of that name" in " ".join(check.seen for check in others.checks)


def test_other_weights_do_not_give_the_findings(drawn, tmp_path):
    with pytest.raises(TiltmeterError, match="not those that the answers give"):
        verify_with(drawn[1], tmp_path, pl.lit(1.0).alias("weight"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (pl.lit(0.0).alias("weight"), "weight 0.0"),
        (pl.lit(1.5).alias("probability"), "probability 1.5"),
        (pl.lit(0.0).alias("probability"), "probability 0.0"),
        (pl.lit(-1, pl.Int64).alias("frames"), "frames -1"),
        (pl.col("weight").cast(pl.String), "expected Float64"),
        (pl.lit("x").alias("person"), "stands more than once"),
        (pl.concat_str(pl.lit("x"), "person").alias("person"), "who is not in people.parquet"),
        (pl.lit("eec").alias("corpus"), "found nobody"),
    ],
)
def test_people_as_nobody_draws_them_are_refused(drawn, tmp_path, change, said):
    with pytest.raises(TiltmeterError) as refused:
        verify_with(drawn[1], tmp_path, change)
    assert said in str(refused.value)


def verify_with(folder, tmp_path, change):
    """Verify a pack of the folder in which a column of its people is another."""
    files = members(pack(folder, tmp_path / "audit.zip"))
    table = io.BytesIO()
    pl.read_parquet(io.BytesIO(files["people.parquet"])).with_columns(change).write_parquet(table)
    files["people.parquet"] = table.getvalue()
    return verify(resealed(files, tmp_path / "changed.zip"))


def test_people_that_run_json_does_not_list_are_no_part_of_it(drawn, tmp_path):
    files = members(pack(drawn[1], tmp_path / "audit.zip"))
    files["people.parquet"] += b" "
    with pytest.raises(TiltmeterError, match=r"people\.parquet"):
        verify(zipped(files, tmp_path / "changed.zip"))
