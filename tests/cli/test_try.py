"""One sentence tried as a user types it."""

import os
import subprocess
import sys

import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.flow import try_sentence, variants


@pytest.fixture
def tiltmeter(tmp_path):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "tiltmeter", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "80"},
        )  # fmt: skip

    return run


def test_both_scores_and_the_difference_stand_under_each_other(tiltmeter, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def score(text):\n    return 0.5 if 'sister' in text else 0.43\n"
    )
    done = tiltmeter("try", "./mine.py:score", "My {sister|brother} feels angry.", "--scale", "0:1")
    assert done.returncode == 0, done.stderr
    assert "My sister feels angry." in done.stdout
    assert "43.0" in done.stdout
    assert "7.0 points of 100 higher with “sister” than with “brother”." in done.stdout
    assert not (tmp_path / "tiltmeter-out").exists()


def test_several_systems_answer_in_turn(tiltmeter):
    done = tiltmeter("try", "vader", "constant", "My {sister|brother} feels angry.")
    assert done.stdout.index("vader (valence") < done.stdout.index("constant (valence")
    assert done.stdout.count("The same score with “sister” and “brother”.") == 2


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("My sister feels angry.", "nothing to compare; write what changes in braces"),
        ("My {sister} feels angry.", "nothing to compare"),
        ("{She|He} lost {her|his|their} keys.", "hold 2 and 3 words; expected as many in each"),
        ("My {sister|sister} sings.", "are the same; nothing to compare"),
    ],
)
def test_a_sentence_without_a_comparison_is_refused(tiltmeter, sentence, what):
    done = tiltmeter("try", "vader", sentence)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr
    assert "Traceback" not in done.stderr


def test_a_system_that_reads_rows_says_why_it_has_no_score(tiltmeter):
    done = tiltmeter("try", "biased-female", "My {sister|brother} sings.")
    assert done.returncode == 0
    assert "No score to compare: biased-female reads the row of a corpus" in done.stdout


def test_scores_made_elsewhere_cannot_be_asked(tmp_path):
    (tmp_path / "scores.csv").write_text("id,score\nt01-w01-p01,0.5\n")
    with pytest.raises(TiltmeterError, match="name a system that can be asked"):
        try_sentence(str(tmp_path / "scores.csv"), "My {sister|brother} sings.")


def test_three_variants_are_each_compared_with_the_first():
    assert [text for _, text in variants("{Ana|Eva|Noor} sings.")] == [
        "Ana sings.", "Eva sings.", "Noor sings.",
    ]  # fmt: skip


def test_markup_and_escapes_in_a_sentence_are_only_text(tiltmeter):
    done = tiltmeter("try", "vader", "[bold]{a|b}\x1b[31m </script>")
    assert done.returncode == 0
    assert "[bold]a" in done.stdout
    assert "\x1b" not in done.stdout
