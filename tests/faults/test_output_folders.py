"""An output folder that somebody else made: nothing outside it is written, nobody waits for it."""

import json
import os
import subprocess
import sys

import pytest

from small_audit import small_folder
from tiltmeter.errors import OutputError
from tiltmeter.report.folder import check_folder, marked, results_in

PATIENCE = 120
SMALL = ("--sample", "11", "--measure", "pairs", "-q")
COMMANDS = {
    "audit": ("audit", "vader", *SMALL, "-o", "O"),
    "compare": ("compare", "out", "out", "-q", "-o", "O"),
    "drift": ("drift", "audited", "vader", "-q", "-o", "O"),
    "explain": ("explain", "vader", "--text", "Tia is glad.", "-q", "-o", "O"),
    "rate": ("rate", "vader", "--groups", "1", "--draws", "0", "-q", "-o", "O"),
    "embeddings": ("embeddings", "toy.vec", "-q", "-o", "O"),
}

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links")


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder with audits to compare."""
    place = tmp_path_factory.mktemp("places")
    with pytest.MonkeyPatch.context() as patch:
        small_folder(place, patch)
    code, said = run(place, "audit", "vader", *SMALL, "-o", "audited")
    assert code == 0, said
    (place / "toy.vec").write_text("she 1 2\nhe 2 1\ngood 1 1\nbad 0 1\n")
    return place


def run(folder, *words):
    """What a command ends with and says."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tiltmeter", *words], cwd=folder, text=True,
        env={**os.environ, "TILTMETER_STORE": str(folder / "store")},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _, said = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        pytest.fail(f"{words[0]} waits for ever")
    return child.returncode, " ".join(said.split())


def ours(folder, **others):
    """A folder that says it is Tiltmeter's, as a stranger may write one."""
    folder.mkdir()
    told = {"schema_version": 2, "tool": "tiltmeter", "complete": True, "files": [], **others}
    (folder / "run.json").write_text(json.dumps(told))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_called_run_json_is_not_waited_for(command, places, tmp_path):
    folder = tmp_path / "O"
    folder.mkdir()
    os.mkfifo(folder / "run.json")
    words = [str(folder) if word == "O" else word for word in COMMANDS[command]]
    code, said = run(places, *words)
    assert (code, "holds no results of an earlier audit" in said) == (2, True), said


def test_a_device_called_run_json_is_not_read(tmp_path):
    folder = tmp_path / "O"
    folder.mkdir()
    (folder / "run.json").symlink_to("/dev/zero")
    assert marked(folder) is None
    with pytest.raises(OutputError, match="holds no results of an earlier audit"):
        check_folder(folder)


def test_a_run_json_of_gigabytes_is_not_read(tmp_path):
    with (tmp_path / "run.json").open("wb") as file:
        file.truncate(2**33)
    assert marked(tmp_path) is None


def test_a_link_in_an_output_folder_is_replaced_and_not_followed(places, tmp_path):
    folder, home = ours(tmp_path / "O"), tmp_path / "bashrc"
    home.write_text("mine")
    for name in ("report.html", "scores.parquet", "findings.json"):
        (folder / name).symlink_to(home)
    os.mkfifo(folder / "estimates.parquet")
    words = [str(folder) if word == "O" else word for word in COMMANDS["audit"]]
    code, said = run(places, *words)
    assert code == 0, said
    assert home.read_text() == "mine"
    assert not (folder / "report.html").is_symlink()
    assert "<html" in (folder / "report.html").read_text()
    assert run(places, "verify", str(folder), "-q")[0] == 0


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_linked_folder_in_an_output_folder_is_refused_before_anything_is_asked(
    force, places, tmp_path
):
    folder, victim = ours(tmp_path / "O"), tmp_path / "victim"
    victim.mkdir()
    (folder / "tables").symlink_to(victim)
    words = [str(folder) if word == "O" else word for word in COMMANDS["audit"]]
    code, said = run(places, *words, *force)
    assert code == 2
    assert "tables: is a link, which results are not written through" in said
    assert list(victim.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["run.json", "tables"]


def test_no_file_is_written_through_any_linked_folder(tmp_path):
    folder, victim = ours(tmp_path / "O"), tmp_path / "victim"
    victim.mkdir()
    (folder / "other").symlink_to(victim)
    with pytest.raises(OutputError, match="other: is a link"), results_in(folder, {}, {}) as writer:
        writer.text("other/deep/file.txt", "new")
    assert list(victim.iterdir()) == []


def test_a_users_own_folder_may_be_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    check_folder(tmp_path / "out")
    with results_in(tmp_path / "out", {}, {}) as writer:
        writer.text("tables/one.txt", "new")
    assert (tmp_path / "disk" / "tables" / "one.txt").read_text() == "new"
    assert marked(tmp_path / "disk")["complete"] is True


def test_a_file_that_the_user_names_may_be_a_link(places, tmp_path):
    (tmp_path / "there.json").write_text("old")
    (tmp_path / "f.json").symlink_to(tmp_path / "there.json")
    words = [str(tmp_path / "O") if word == "O" else word for word in COMMANDS["compare"]]
    code, said = run(places, *words, "--json", str(tmp_path / "f.json"))
    assert code == 0, said
    assert (tmp_path / "f.json").is_symlink()
    assert json.loads((tmp_path / "there.json").read_text())
