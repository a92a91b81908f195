"""Packs that somebody has been at, or that are none: one message, and nothing is unpacked."""

import json
import os
import stat
import struct
import subprocess
import sys
import zipfile

import polars as pl
import pytest

from audit_folders import reseal
from small_audit import members, resealed, small_pack, zipped
from tiltmeter import TiltmeterError
from tiltmeter.cli import main
from tiltmeter.studies.audit.gate import gate_folder
from tiltmeter.studies.audit.verify import model_cards, verify
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return small_pack(tmp_path_factory.mktemp("packs"), patch)


def refused(path, said):
    """Both commands that open a pack refuse it, with one message that names it."""
    for read in (verify, model_cards):
        with pytest.raises(TiltmeterError, match=said) as error:
            read(path)
        assert str(path) in str(error.value)
        assert error.value.exit_code == 2


def without(files, *names):
    return {name: data for name, data in files.items() if name not in names}


def test_a_file_that_was_changed_is_named(packed, tmp_path):
    files = members(packed)
    for name in ("report.html", "scores.parquet", "run.json"):
        bad = zipped({**files, name: files[name] + b" "}, tmp_path / f"{name}.zip")
        refused(bad, f"(?s)was altered or damaged:.*{name}: is not what was written")


def test_a_file_that_was_removed_is_named(packed, tmp_path):
    bad = zipped(without(members(packed), "report.html"), tmp_path / "bad.zip")
    refused(bad, r"(?s)was altered or damaged:.*report\.html: is missing")


def test_a_file_that_was_added_is_named(packed, tmp_path):
    bad = zipped({**members(packed), "tables/more.csv": b"1"}, tmp_path / "bad.zip")
    refused(bad, r"(?s)was altered or damaged:.*tables/more\.csv: was added")


def test_a_manifest_that_was_changed_is_refused(packed, tmp_path):
    files = members(packed)
    told = json.loads(files["manifest.json"])
    cases = {
        "other": {**told, "files": told["files"][1:]},
        "twice": {**told, "files": [told["files"][0], *told["files"]]},
        "fingerprint": {**told, "fingerprint": "0" * 64},
        "newer": {**told, "schema_version": 99},
        "foreign": {**told, "tool": "another"},
        "no entry": {**told, "files": [{"file": "../../etc/passwd", "bytes": 1, "sha256": "0"}]},
        "no list": {**told, "files": None},
        "a list": [1, 2],
    }
    for name, case in cases.items():
        changed = {**files, "manifest.json": json.dumps(case).encode()}
        refused(zipped(changed, tmp_path / f"{name}.zip"), "manifest.json")


def test_every_mistake_in_a_manifest_is_said_at_once_with_its_line(packed, tmp_path):
    files = members(packed)
    told = json.loads(files["manifest.json"])
    told["files"][0] |= {"file": "../up", "bytes": 1}
    told["files"][1] |= {"bytes": -1, "sha256": "0"}
    text = json.dumps(told, indent=1)
    changed = {**files, "manifest.json": text.encode()}
    with pytest.raises(TiltmeterError) as error:
        verify(zipped(changed, tmp_path / "bad.zip"))
    said, lines = str(error.value).split("\n")[1:], text.split("\n")
    assert error.value.exit_code == 2
    assert [line.split(": ")[1] for line in said] == [
        "files[0].file", "files[1].bytes", "files[1].sha256"
    ]  # fmt: skip
    for line, wrong in zip(said, ('"../up"', "-1", '"0"'), strict=True):
        assert lines[int(line.split(":")[1]) - 1].strip(" ,").endswith(wrong)


def test_a_manifest_that_is_missing_or_no_json_is_refused(packed, tmp_path):
    files = members(packed)
    refused(zipped(without(files, "manifest.json"), tmp_path / "a.zip"), "has no manifest.json")
    broken = {**files, "manifest.json": b"{" * 100_000}
    refused(zipped(broken, tmp_path / "b.zip"), "manifest.json is damaged")


def test_a_manifest_and_a_run_that_list_other_files_are_refused(packed, tmp_path):
    """A file that was taken out of the manifest too still stands in run.json."""
    files = without(members(packed), "report.html")
    bad = resealed(files, tmp_path / "bad.zip", relist=False)
    refused(bad, r"report\.html: run\.json and manifest\.json do not speak of the same file")


@pytest.mark.parametrize(
    "name",
    [
        "../evil", "tables/../../evil", "/etc/evil", "C:/evil", "C:\\evil", "..\\evil", "a//b",
        "./a", "a\nb", "a\u202eb", "x" * 300, "tables/",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused_and_nothing_is_unpacked(packed, tmp_path, name):
    inside = tmp_path / "deep" / "folder"
    inside.mkdir(parents=True)
    before = set(tmp_path.rglob("*"))
    bad = zipped({**members(packed), name: b"!"}, inside / "bad.zip")
    refused(bad, "holds what no pack holds; nothing was unpacked")
    assert set(tmp_path.rglob("*")) - before == {bad}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR])
def test_a_link_or_device_in_a_pack_is_refused(packed, tmp_path, kind):
    bad = zipped(without(members(packed), "report.html"), tmp_path / "bad.zip")
    with zipfile.ZipFile(bad, "a") as archive:
        info = zipfile.ZipInfo("report.html")
        info.create_system, info.external_attr = 3, (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    refused(bad, r"report\.html: is a link, a folder or a device")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("report.html", "it stands there twice"),
        ("REPORT.html", r"it clashes with report\.html"),
        ("Tables/people.csv", r"it clashes with tables/people\.csv"),
    ],
)
def test_names_that_stand_twice_or_clash_are_refused(packed, tmp_path, name, said):
    bad = zipped(members(packed), tmp_path / "bad.zip")
    with zipfile.ZipFile(bad, "a") as archive:
        archive.writestr(name, "another page")
    refused(bad, said)


def test_a_zip_bomb_as_a_pack_is_not_unpacked(packed, tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.report.pack.UNPACKED", 1 << 20)  # as a gigabyte is slow
    files = members(packed)
    bomb = zipped({**files, "report.html": b"\0" * (40 << 20)}, tmp_path / "bomb.zip")
    assert bomb.stat().st_size < (40 << 20) / 100
    refused(bomb, r"would unpack to 40\.\d MB .*so nothing of it is unpacked")


def test_a_member_that_lies_about_its_size_is_refused(packed, tmp_path):
    """The list of contents says one byte; there are a million."""
    data = bytearray(zipped({**members(packed), "z": b"\0" * 10**6}, tmp_path / "a").read_bytes())
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 1)
    bad = tmp_path / "bad.zip"
    bad.write_bytes(data)
    refused(bad, "was altered or damaged")


def test_what_is_no_zip_is_refused(packed, tmp_path):
    whole = packed.read_bytes()
    cases = {
        "cut short": whole[: len(whole) // 2],
        "without its end": whole[:-10],
        "text": b"this is no zip",
        "nothing": b"",
        "an end alone": b"PK\x05\x06" + bytes(18),
        "an endless list": b"PK\x05\x06" + struct.pack("<8xHLL", 3, 2**32 - 1, 0) + b"\0\0",
    }
    for name, data in cases.items():
        bad = tmp_path / f"{name}.zip"
        bad.write_bytes(data)
        refused(bad, "is no zip file, or is cut short or damaged|is an empty zip")


def test_what_is_no_plain_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "a pipe or a device")
    refused(tmp_path / "nothing.zip", "there is no such folder or file")
    refused(tmp_path, "holds no results")


def test_flipped_bits_anywhere_are_noticed(packed, tmp_path):
    """Each of 60 places spread over the zip, in turn."""
    whole, bad = packed.read_bytes(), tmp_path / "bad.zip"
    with zipfile.ZipFile(packed) as archive:
        directory = archive.start_dir
    for at in range(0, directory, directory // 60):
        bad.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        if zipped_alike(bad, packed):
            continue  # a byte that says when or by what it was packed, and nothing of what
        with pytest.raises(TiltmeterError):
            model_cards(bad)


def zipped_alike(one, other):
    try:
        return members(one) == members(other)
    except Exception:
        return False


def test_a_folder_whose_files_were_changed_is_refused(packed, tmp_path):
    out = tmp_path / "out"
    for name, data in without(members(packed), "manifest.json").items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    (out / "report.html").write_text("better")
    refused(out, r"report\.html: is not what was written")
    (out / "report.html").unlink()
    refused(out, r"report\.html: is missing")
    (out / "report.html").symlink_to("/etc/passwd")
    refused(out, r"report\.html: is a link")


def test_the_command_ends_with_2_and_one_message(packed, tmp_path):
    bad = zipped(without(members(packed), "report.html"), tmp_path / "bad.zip")
    done = subprocess.run(
        [sys.executable, "-m", "tiltmeter", "verify", str(bad)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == f"error: {bad}: was altered or damaged:\n  report.html: is missing\n"
    assert "Verified" not in done.stdout


def altered(packed, to, place, value):
    """A pack whose run.json says something else at one place, everything resealed to fit."""
    files = members(packed)
    told, stored = json.loads(files["run.json"]), json.loads(files["findings.json"])
    at = told
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    stored.update({name: told[name] for name in ("run", "environment")})
    changed = {"run.json": told, "findings.json": stored}
    return resealed({**files, **{n: json.dumps(o).encode() for n, o in changed.items()}}, to)


BEYOND = (2**64, -(2**64), 10**400)
STATISTICS, SYSTEM, CORPUS = ("run", "statistics"), ("run", "systems", 0), ("run", "corpora", 0)
ALTERED = [
    *((*STATISTICS, "level", value) for value in (*BEYOND, 0, 1, 2, -1, None, "0.05", True)),
    *((*STATISTICS, "margins", value) for value in (None, {}, [], {"default": None})),
    *((*STATISTICS, "margins", "default", value) for value in (*BEYOND, 0, -0.1, 1e308)),
    *((*STATISTICS, "flips", value) for value in (2**62, *BEYOND, -1, 0.5)),
    *((*STATISTICS, "seed", value) for value in (*BEYOND, -1)),
    *((*STATISTICS, "thresholds", value) for value in (None, [10**400], ["x"])),
    *((*SYSTEM, "repeats", value) for value in (2**62, *BEYOND, 0, -1)),
    *((*SYSTEM, "scale_ends", value) for value in ([0, 10**400], [-(2**70), 2**70], [1, 0], [0])),
    *((*SYSTEM, "noise", value) for value in (*BEYOND, "much")),
    *((*CORPUS, "title", value) for value in ("half \ud800", None, 7)),
    *((*CORPUS, "axes", 0, "groups", value) for value in (["a", "\udfff"], ["a", "a"], [], None)),
    ("environment", "command", "tiltmeter \ud800"),
    (*CORPUS, "sample", "of some"),
    (*CORPUS, "axes", 0, "name", "region"),  # the other one's: an axis twice
]


@pytest.mark.parametrize("alteration", ALTERED, ids=lambda one: repr(one[2:])[:60])
def test_a_run_that_says_what_no_audit_says_is_one_message(packed, tmp_path, alteration):
    *place, value = alteration
    bad = altered(packed, tmp_path / "bad.zip", place, value)
    out = tmp_path / "out"
    for name, data in without(members(bad), "manifest.json").items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    for path in (bad, out):
        for read in (verify, model_cards, lambda path: gate_folder(path, "gender<=0.5")):
            with pytest.raises(TiltmeterError) as error:
                read(path)
            said = str(error.value)
            assert str(path) in said
            assert len(said.encode()) < 1000
            assert error.value.exit_code in (2, 4)


def test_a_run_that_is_no_object_is_one_message(packed, tmp_path):
    files = {**members(packed), "run.json": b"[1, 2]"}
    bad = resealed(files, tmp_path / "bad.zip", relist=False)
    refused(bad, "run.json is damaged: expected an object in JSON, found a list")


@pytest.mark.parametrize("ends", [[0, ""], ["a", "b"], [1, 0], [None, None], [[], 1], [True, 2]])
def test_a_folder_whose_scale_was_altered_is_one_message_to_drift_and_compare(
    packed, tmp_path, ends
):
    """`drift` puts new answers on the baseline's scale, `compare` two versions on one."""
    folders = [tmp_path / "good", tmp_path / "bad"]
    told = {**json.loads(members(packed)["run.json"])}
    for one in told["run"]["systems"]:
        one |= {"scale_ends": ends, "scale_known": "inferred"}
    for out in folders:
        for name, data in without(members(packed), "manifest.json").items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(data)
    good, bad = folders
    (bad / "run.json").write_text(json.dumps(told))
    for read in (lambda: drift(bad, "vader", store=tmp_path / "s"), lambda: compare(good, bad)):
        with pytest.raises(TiltmeterError, match=r"systems\[0\]\.scale_ends.*; exp") as error:
            read()
        assert str(bad) in str(error.value)


@pytest.mark.filterwarnings("error")
def test_scores_that_no_audit_writes_are_one_short_message(packed, tmp_path, monkeypatch, capsys):
    folders = {}
    for name, change in {
        "good": {}, "huge": {"score": 1e308}, "long": {"task": "y" * 200_000},
    }.items():  # fmt: skip
        folders[name] = tmp_path / name
        for file, data in without(members(packed), "manifest.json").items():
            (folders[name] / file).parent.mkdir(parents=True, exist_ok=True)
            (folders[name] / file).write_bytes(data)
        place = folders[name] / "scores.parquet"
        scores = pl.read_parquet(place)
        scores.with_columns(pl.lit(value).alias(c) for c, value in change.items()).write_parquet(
            place
        )
        reseal(folders[name])
    for name in ("huge", "long"):
        words = ["tiltmeter", "compare", str(folders["good"]), str(folders[name])]
        monkeypatch.setattr(sys, "argv", [*words, "-o", str(tmp_path / "compared")])
        with pytest.raises(SystemExit) as done:
            main()
        said = capsys.readouterr().err
        assert done.value.code == 2
        assert str(folders[name]) in said
        assert len(said) < 5000


@pytest.mark.parametrize("change", [{"value": None}, {"low": 0.5, "high": -0.5}, {"se": -1.0}])
def test_estimates_that_no_audit_writes_are_one_message(packed, tmp_path, change):
    files = members(packed)
    place = tmp_path / "estimates.parquet"
    frame = pl.read_parquet(files["estimates.parquet"])
    frame.with_columns(
        pl.lit(value, pl.Float64).alias(name) for name, value in change.items()
    ).write_parquet(place)
    bad = resealed({**files, place.name: place.read_bytes()}, tmp_path / "bad.zip")
    for read in (model_cards, lambda path: gate_folder(path, "gender<=0.5")):
        with pytest.raises(TiltmeterError, match="as no audit writes: it was altered") as error:
            read(bad)
        assert str(bad) in str(error.value)
