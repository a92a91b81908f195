"""An output folder as a pack: the same bytes every time, without keys, or none at all."""

import json
import os
import stat
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from audit_folders import reseal
from small_audit import members, small_corpus, small_folder, write_folder
from tiltmeter import TiltmeterError, audit
from tiltmeter.files import write_text
from tiltmeter.scoring import Settings
from tiltmeter.studies.audit.verify import fingerprint_of, pack


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return small_folder(tmp_path_factory.mktemp("packing"), patch)


@pytest.fixture
def copied(folder, tmp_path):
    """A copy of the folder that a test may harm."""
    for path in folder.rglob("*"):
        if path.is_file():
            to = tmp_path / "out" / path.relative_to(folder)
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())
    return tmp_path / "out"


def test_a_pack_holds_everything_that_the_audit_left(folder, tmp_path):
    found = members(pack(folder, tmp_path / "audit.zip"))
    assert {
        "manifest.json", "run.json", "findings.json", "estimates.parquet", "scores.parquet",
        "sentences.parquet", "report.html", "tables/differences.csv", "model-cards/mine.md",
    } <= set(found)  # fmt: skip
    listed = json.loads(found["manifest.json"])["files"]
    assert {one["file"] for one in listed} == set(found) - {"manifest.json"}
    assert all(one["bytes"] == len(found[one["file"]]) for one in listed)


def test_two_packs_of_one_folder_are_the_same_file(folder, copied, tmp_path):
    one = pack(folder, tmp_path / "one.zip")
    for path in copied.rglob("*"):  # another time, other permissions: the same results
        os.utime(path, (1e9, 1e9))
        path.chmod(0o700)
    other = pack(copied, tmp_path / "deep" / "other.zip")
    assert one.read_bytes() == other.read_bytes()
    assert fingerprint_of(one) == fingerprint_of(other) == fingerprint_of(folder)


def test_members_bear_no_time_owner_or_odd_permission(folder, tmp_path):
    with zipfile.ZipFile(pack(folder, tmp_path / "audit.zip")) as archive:
        every = archive.infolist()
    assert {one.date_time for one in every} == {(1980, 1, 1, 0, 0, 0)}
    assert {one.external_attr >> 16 for one in every} == {stat.S_IFREG | 0o644}
    names = [one.filename for one in every]
    assert names == ["manifest.json", *sorted(names[1:])]


def test_what_a_folder_holds_besides_is_not_packed(copied, tmp_path):
    (copied / "my notes.txt").write_text("between us")
    assert "my notes.txt" not in members(pack(copied, tmp_path / "audit.zip"))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (
            lambda out: (out / "report.html").write_text("better"),
            "report.html: is not what was written",
        ),
        (lambda out: (out / "tables/people.csv").unlink(), "tables/people.csv: is missing"),
        (lambda out: linked(out / "report.html"), "report.html: is a link"),
        (lambda out: (out / "run.json").unlink(), "holds no results"),
        (lambda out: half_done(out), "the results are not all there"),
    ],
    ids=["changed", "missing", "a link", "no run.json", "half done"],
)
def test_a_folder_that_is_not_what_the_audit_left_is_not_packed(copied, tmp_path, harm, said):
    harm(copied)
    with pytest.raises(TiltmeterError, match=said):
        pack(copied, tmp_path / "audit.zip")
    assert not list(tmp_path.glob("*audit.zip*"))


def linked(path):
    path.rename(path.with_suffix(".old"))
    path.symlink_to(path.with_suffix(".old"))


def half_done(out):
    told = json.loads((out / "run.json").read_text())
    write_text(json.dumps({**told, "complete": False}), out / "run.json")


def test_a_file_that_is_no_pack_is_not_replaced(folder, tmp_path):
    target = tmp_path / "thesis.zip"
    target.write_text("years of work")
    with pytest.raises(TiltmeterError, match="is there already, and is no pack"):
        pack(folder, target)
    assert target.read_text() == "years of work"


def test_an_earlier_pack_is_replaced(folder, tmp_path):
    first = pack(folder, tmp_path / "audit.zip").read_bytes()
    assert pack(folder, tmp_path / "audit.zip").read_bytes() == first


def test_results_that_are_no_audit_are_not_packed(copied, tmp_path):
    told = json.loads((copied / "run.json").read_text())
    told["files"] = [one for one in told["files"] if one["file"] != "findings.json"]
    write_text(json.dumps(told), copied / "run.json")
    with pytest.raises(TiltmeterError, match=r"hold no findings\.json"):
        pack(copied, tmp_path / "audit.zip")


def test_a_key_of_this_machine_is_not_packed(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "Equity")  # too short to be looked for
    pack(folder, tmp_path / "audit.zip")
    monkeypatch.setenv("MY_API_KEY", "bonferroni")  # stands in run.json
    with pytest.raises(TiltmeterError, match=r"holds the value of \$MY_API_KEY"):
        pack(folder, tmp_path / "other.zip")
    assert not (tmp_path / "other.zip").exists()


def test_a_command_with_a_key_in_it_is_not_packed(copied, tmp_path):
    for name in ("findings.json", "run.json"):
        told = json.loads((copied / name).read_text())
        told["environment"]["command"] = "tiltmeter audit cmd:run --api-key abcdef"
        write_text(json.dumps(told), copied / name)
    reseal(copied)
    with pytest.raises(
        TiltmeterError, match=r"the command in run\.json holds what looks like a key"
    ):
        pack(copied, tmp_path / "audit.zip")


class Echo(BaseHTTPRequestHandler):
    """A service that needs a key, and repeats it where it refuses to answer."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Authorization"]
        good = body["text"] != "Ann feels glad."
        said = {"score": len(body["text"]) / 100} if good else {"error": f"not for {key}"}
        self.send_response(200 if good else 400)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_):
        """Keep the terminal quiet."""


def test_no_key_of_a_service_gets_into_a_pack(tmp_path, monkeypatch):
    server = HTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("SERVICE_KEY", "very-secret-key-0815")
    described = tmp_path / "service.toml"
    described.write_text(
        f'[system]\nurl = "http://127.0.0.1:{server.server_port}/"\nscale = [0, 1]\n'
        '[request]\nbody = {text = "{text}"}\n'
        'headers = {Authorization = "Bearer ${SERVICE_KEY}"}\n[answer]\nscore = "score"\n'
    )
    found = audit(
        [str(described)], small_corpus(tmp_path), store=tmp_path / "store",
        settings=Settings(max_missing=0.5),
    )  # fmt: skip
    server.shutdown()
    server.server_close()
    packed = pack(write_folder(found, tmp_path / "out", monkeypatch), tmp_path / "audit.zip")
    assert found.scores["raw"].null_count() == 1
    for name, data in members(packed).items():
        assert b"very-secret-key" not in data, name
    reasons = found.scores["reason"].drop_nulls()
    assert not reasons.str.contains("very-secret-key").any()


def test_a_pack_is_written_whole_or_not_at_all(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space")))
    with pytest.raises(TiltmeterError, match="cannot be written: No space"):
        pack(folder, tmp_path / "audit.zip")
    assert not list(tmp_path.glob("*audit.zip*"))
