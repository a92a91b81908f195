"""Every file in examples/ runs, or loads, as it stands."""

import subprocess
import sys
from pathlib import Path

import pytest

from tiltmeter import load_corpus

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = {*EXAMPLES.glob("*.py")} - {EXAMPLES / "rating_from_authors.py"}
"""Without the one that needs a folder: test_rating_from_authors.py."""


@pytest.mark.parametrize("path", sorted(SCRIPTS), ids=lambda path: path.name)
def test_the_script_runs(path, tmp_path):
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_corpus_loads(path):
    assert load_corpus(path).sentences().height > 0
