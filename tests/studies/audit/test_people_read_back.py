"""Folders of older audits, and people read back: gate, verify, compare and drift still answer."""

import hashlib
import io
import json
import shutil

import polars as pl
import pytest

from small_audit import members, resealed, small_folder, uneven, write_folder, zipped
from tiltmeter import audit, load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.audit import stored_audit as older_folders
from tiltmeter.studies.audit.gate import gate_folder
from tiltmeter.studies.audit.stored_audit import read_audit
from tiltmeter.studies.audit.verify import pack, verify
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift

GATE = "gender<=0.05, region<=0.05"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        return small_folder(tmp_path_factory.mktemp("older"), patched)


def made_older(folder, to):
    """The folder as an audit of schema version 2 would have left it."""
    shutil.copytree(folder, to)
    (to / "people.parquet").unlink()
    rows = pl.read_parquet(to / "estimates.parquet")
    parts = ["tilt_these_people", "tilt_floor", "tilt_by_names", "tilt_matched", "moved"]
    rows = rows.filter(~pl.col("measure").is_in(parts))
    tilt = pl.col("measure").str.starts_with("tilt")
    old = rows.with_columns(subset=pl.when(tilt).then(pl.lit("all")).otherwise("subset"))
    old.write_parquet(to / "estimates.parquet")
    told = json.loads((to / "findings.json").read_text())
    for row in told["findings"]:
        row.pop("moved", None)
        row.pop("next", None)
        if row["measure"] == "tilt":
            row |= {"subset": "all", "id": f"{row['id']}-old"}
    told["schema_version"] = 2
    run = json.loads((to / "run.json").read_text())
    for one in (told["run"], run["run"]):
        one.pop("larger", None)
        for corpus in one["corpora"]:
            corpus.pop("population", None)
    (to / "findings.json").write_text(json.dumps(told))
    _relist(to, run)
    return to


def _relist(folder, run):
    """Write run.json with the digests of the files as they are now."""
    names = [one["file"] for one in run["files"] if one["file"] != "people.parquet"]
    run["files"] = [
        {"file": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
        for name in names
    ]
    (folder / "run.json").write_text(json.dumps(run))


@pytest.fixture
def older(folder, tmp_path):
    return made_older(folder, tmp_path / "older")


def test_a_gate_measures_the_claims_of_an_older_folder(folder, older):
    ours, theirs = (gate_folder(one, GATE) for one in (folder, older))
    assert [one.people for one in theirs.comparisons] == ["names"] * 4
    for one, other in zip(ours.comparisons, theirs.comparisons, strict=True):
        assert (one.verdict, one.value, one.low, one.n) == (
            other.verdict, other.value, other.low, other.n
        )  # fmt: skip
    moved = gate_folder(older, "moved.gender<=0.9").comparisons
    assert {one.contrast for one in moved} == {"female", "male"}


def test_an_older_folder_with_too_many_scores_says_why_not(older, monkeypatch):
    monkeypatch.setattr(older_folders, "MOST_READ", 10)
    with pytest.raises(TiltmeterError, match=r"older: its claims.*run the audit again"):
        gate_folder(older, GATE)


def test_an_older_pack_is_verified_but_for_its_verdicts(older, tmp_path):
    found = verify(pack(older, tmp_path / "audit.zip"))
    checks = {check.what: check.seen for check in found.checks}
    assert "4 verdicts were made by the rules of an older Tiltmeter" in checks["older rules"]
    stored = json.loads((older / "findings.json").read_text())["findings"]
    assert found.findings == sum(row["measure"] != "tilt" for row in stored) > 0
    assert "people" not in checks


@pytest.mark.parametrize("column", ["value", "p_adjusted"])
def test_a_paired_finding_of_an_older_pack_that_was_changed_is_found(older, tmp_path, column):
    files = members(pack(older, tmp_path / "audit.zip"))
    told = json.loads(files["findings.json"])
    row = next(one for one in told["findings"] if one["measure"] == "mean_difference")
    row[column] = 0.123
    files["findings.json"] = json.dumps(told).encode()
    with pytest.raises(TiltmeterError, match=rf"{column} is 0\.123 there"):
        verify(resealed(files, tmp_path / "changed.zip"))


@pytest.mark.parametrize(("version", "said"), [(99, "use a newer one"), ("3", "as no audit does")])
def test_findings_of_no_version_we_know_are_refused(folder, tmp_path, version, said):
    files = members(pack(folder, tmp_path / "audit.zip"))
    told = json.loads(files["findings.json"]) | {"schema_version": version}
    files["findings.json"] = json.dumps(told).encode()
    with pytest.raises(TiltmeterError, match=said):
        verify(resealed(files, tmp_path / "changed.zip"))


def test_an_older_folder_is_compared_and_asked_again(folder, older, tmp_path):
    done = compare(older, folder)
    assert set(done.changes["subset"]) == {"names"}
    assert set(done.changes.filter(old_system="mine")["verdict"]) == {"same"}
    assert drift(older, ("mine", uneven), of="mine", store=tmp_path / "store").verdict == "steady"


# ---------------------------------------------------------------- people


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
    assert read.touched == ()
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
