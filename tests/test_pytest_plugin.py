"""The pytest plugin: what it costs, what it caches, what a failure says; and from the wheel."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gated_corpus import COUPLES, write_project
from tiltmeter.errors import TiltmeterError
from tiltmeter.pytest_plugin import Tiltmeter

ROOT = Path(__file__).parent.parent
WOMEN = tuple(match.partition("/")[0] for match in COUPLES)
HEAVY = ("polars", "numpy", "scipy", "jinja2", "typer", "rich", "torch", "sklearn")

TESTS = """
from pathlib import Path

import pytest

import tiltmeter as package


def level(texts):
    return [0.5 + 0.1 * ("angry" in text) for text in texts]


def planted(texts):
    return [0.5 + 0.1 * ("angry" in text) + 0.04 * any(word in text.lower() for word in WOMEN)
            for text in texts]


def test_the_wheel_is_what_is_used():
    assert Path(package.__file__).is_relative_to(WHEEL)


def test_even(tiltmeter):
    decision = tiltmeter.check(level, axis="gender", margin=0.01, corpus="small.toml")
    assert (decision.outcome, decision.exit_code) == ("pass", 0)


def test_planted(tiltmeter):
    tiltmeter.check(planted, axis="gender", margin=0.01, corpus="small.toml")


def test_undecided(tiltmeter):
    tiltmeter.check("noisy.py:score", gate="gender<=0.01", corpus="small.toml")


def test_undecided_let_pass(tiltmeter):
    tiltmeter.check("noisy.py:score", gate="gender<=0.01", corpus="small.toml", undecided="pass")


def test_unbounded(tiltmeter):
    tiltmeter.check("noisy.py:stars", axis="gender", corpus="small.toml")
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(write_project(tmp_path))
    return tmp_path


def test_the_plugin_imports_nothing_heavy_before_a_test_asks():
    code = f"""
import sys, tiltmeter.pytest_plugin
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.usefixtures("project")
def test_the_same_function_is_asked_once_in_a_session():
    asked = []

    def score(texts):
        asked.append(len(texts))
        return [0.5 + 0.1 * ("angry" in text) for text in texts]

    session = Tiltmeter(Path("store"))
    session.check(score, axis="gender", margin=0.01, corpus="small.toml")
    before = len(asked)
    session.check(score, axis="gender", margin=0.02, corpus="small.toml")
    session.check(score, corpus="small.toml", undecided="pass")
    assert len(asked) == before
    session.check(score, corpus="small.toml", seed=1)  # another audit
    assert len(asked) > before


@pytest.mark.usefixtures("project")
def test_another_function_of_the_same_name_is_asked_itself():
    def made(tilt):
        def score(texts):
            return [
                0.4 + 0.1 * ("angry" in text) + tilt * any(one in text.lower() for one in WOMEN)
                for text in texts
            ]

        return score

    session = Tiltmeter(Path("store"))
    assert session.check(made(0.0), margin=0.01, corpus="small.toml").passed
    with pytest.raises(pytest.fail.Exception, match=r"tilted|undecided"):
        session.check(made(0.5), margin=0.01, corpus="small.toml")


@pytest.mark.usefixtures("project")
def test_a_failure_names_the_worst_pairs_and_both_scores():
    with pytest.raises(pytest.fail.Exception) as failed:
        Tiltmeter(Path("store")).check("tilted:gender=0.03", "gender", 0.01, corpus="small.toml")
    said = str(failed.value)
    assert not failed.value.pytrace
    assert "gender by couples, female-male: tilted" in said
    assert "3.0 points higher about women, 95 % interval 1.1 to 4.9; margin ±1 point" in said
    # 0.734 + 0.03 = 0.764: the control's own score of the word, and the planted tilt
    assert "0.764  My sister feels angry." in said
    assert "0.734  My brother feels angry." in said


@pytest.mark.usefixtures("project")
def test_a_check_takes_a_gate_or_axes_not_both():
    session = Tiltmeter(Path("store"))
    with pytest.raises(TiltmeterError, match="expected one of them"):
        session.check("constant", axis="gender", gate="gender<=0.01", corpus="small.toml")
    with pytest.raises(TiltmeterError, match="would judge nothing"):
        session.check("constant", axis=[], corpus="small.toml")
    with pytest.raises(TiltmeterError, match="above 0 and below 1"):
        session.check("constant", axis="gender", margin=1, corpus="small.toml")
    with pytest.raises(TiltmeterError, match="a scale is LOW:HIGH"):
        session.check("constant", axis="gender", scale=(1,), corpus="small.toml")
    with pytest.raises(TiltmeterError, match="a scale is LOW:HIGH"):
        session.check("constant", axis="gender", scale="big", corpus="small.toml")


def pip(*words):
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, "--no-deps", "-q", "--disable-pip-version-check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    not importlib.util.find_spec("hatchling"), reason="hatchling, which builds the wheel, is absent"
)
@pytest.mark.slow
def test_the_built_wheel_brings_the_fixture_to_a_separate_project(project, tmp_path):
    """Built, installed apart from this checkout, and used by a project that knows nothing of us."""
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    pip("wheel", "--no-build-isolation", "-w", str(wheels), str(ROOT))
    pip("install", "--no-index", "--no-compile", "--target", str(site), *map(str, wheels.iterdir()))
    tests = TESTS.replace("WHEEL", repr(str(site))).replace("WOMEN", repr(WOMEN))
    (project / "test_model.py").write_text(tests)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "--assert=plain", "test_model.py"],
        cwd=project, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "100"},
    )  # fmt: skip
    out = done.stdout
    assert done.returncode == 1, out + done.stderr
    assert "3 failed, 3 passed" in out
    assert "Gate: tilted. Of 1 comparison: 1 tilted." in out
    assert "0.640  My sister feels angry." in out
    assert "0.600  My brother feels angry." in out
    assert "Gate: undecided. Of 1 comparison: 1 undecided." in out
    assert "the scale of noisy.py:stars is not known" in out
    assert "gating.py" not in out  # no traceback through our own code
