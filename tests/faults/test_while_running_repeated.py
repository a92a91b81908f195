"""The same stored scores give the same bytes, whatever runs them and how often.

Only the environment block is left out: versions, platform, command, time.
"""

import pytest
from disturbed import here, tiltmeter, without_environment

SYSTEMS = ("vader", "afinn", "tilted:gender=0.03")
ALONE = {"PYTHONHASHSEED": 0, "POLARS_MAX_THREADS": 1, "OMP_NUM_THREADS": 1}
MANY = {"PYTHONHASHSEED": 4242, "POLARS_MAX_THREADS": 8, "OMP_NUM_THREADS": 8}
MANNERS = {
    "one worker, one thread": ("1", ALONE),
    "two workers": ("2", {"PYTHONHASHSEED": 7, "POLARS_MAX_THREADS": 2, "OMP_NUM_THREADS": 2}),
    "eight workers, eight threads": ("8", MANY),
    "as it comes": ("2", {}),
}

STUDIES = {
    "findings.json": ("audit", *SYSTEMS, "--sample", "4", "--store", "store"),
    "ratings.json": ("rate", "vader", "biased-female", "random", "--draws", "20",
                     "--store", "store"),
    "embeddings.json": ("embeddings", "glove-6b-50d", "--resamples", "40", "--lexicon", "vader",
                        "--terms", "national-origin,race-names"),
}  # fmt: skip


def made(at, name, out, workers=None, **environment):
    """The bytes of a study's results, without the environment block."""
    threads = ("--workers", workers) if workers and name != "embeddings.json" else ()
    done = tiltmeter(at, *STUDIES[name], *threads, "-o", out, "-q", **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return without_environment(at / out / name)


@pytest.mark.slow
def test_findings_are_the_same_bytes_whatever_the_workers_and_threads(tmp_path):
    """Stored by one process in one order, read by others in another manner."""
    first = made(tmp_path, "findings.json", "one", "1", **ALONE)
    assert made(tmp_path, "findings.json", "many", "8", **MANY) == first


@pytest.mark.slow
def test_findings_are_the_same_bytes_in_whatever_order_systems_were_stored(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for system in reversed(SYSTEMS[:2]):
        words = ("score", system, "--sample", "3", "--store", "piecemeal", "-q")
        assert here(monkeypatch, capsys, *words) == (0, "")
    for store in ("piecemeal", "at-once"):
        words = ("audit", *SYSTEMS, "--sample", "6", "--measure", "pairs", "--store", store, "-q")
        assert here(monkeypatch, capsys, *words, "-o", f"out-{store}") == (0, "")
    first, second = (without_environment(path) for path in tmp_path.glob("out-*/findings.json"))
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_the_same_bytes_in_every_manner(tmp_path, name):
    """Each manner twice: the second time everything is stored."""
    found = {
        (manner, nth): made(tmp_path, name, f"{manner[:3]}-{nth}", workers, **environment)
        for manner, (workers, environment) in MANNERS.items()
        for nth in range(2)
    }
    assert len(set(found.values())) == 1, [key for key in found if found[key] != next(iter(found))]
