"""One sentence tried as a user types it."""

import json
import socket
import sys
from pathlib import Path

import pytest

from tiltmeter.corpora import swap_people
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring.trial import try_sentence, variants


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


def test_several_systems_stand_in_one_table_and_a_sentence_without_braces_is_swapped(tiltmeter):
    done = tiltmeter("try", "vader", "textblob", "She feels happy.")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Swapped: {She|He} feels happy."
    assert "1  She feels happy." in lines
    assert "2  He feels happy." in lines
    rows = [line.split() for line in lines if line.startswith(("vader ", "textblob "))]
    assert [(row[0], *row[-2:]) for row in rows] == [
        ("vader", "0.572", "0.572"), ("textblob", "0.800", "0.800"),
    ]  # fmt: skip
    assert "vader: The same score with “She” and “He”." in lines


def test_a_scale_is_inferred_as_an_audit_does_and_json_has_everything(tiltmeter, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def score(text):\n    return 0.75 if 'sister' in text else 0.5\n"
    )
    done = tiltmeter("try", "./mine.py:score", "vader", "My sister sings.", "--json", "-")
    told = json.loads(done.stdout)
    assert told["sentences"] == ["My sister sings.", "My brother sings."]
    mine, vader = told["systems"]
    assert (mine["scale"], mine["scale_known"]) == ([0.0, 1.0], "inferred")
    assert [one["score"] for one in mine["answers"]] == [0.75, 0.5]
    assert (vader["scale"], vader["scale_known"]) == ([-1.0, 1.0], "declared")
    shown = tiltmeter("try", "./mine.py:score", "My sister sings.").stdout
    assert "scale 0 to 1, inferred" in shown
    assert "25 points of 100 higher with “sister” than with “brother”." in shown


def test_a_dead_service_is_named_and_the_others_are_shown(tiltmeter):
    pytest.importorskip("httpx2", reason="needs the http extra")
    with socket.socket() as held:  # nobody listens here
        held.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{held.getsockname()[1]}/score"
        done = tiltmeter("try", "vader", dead, "She feels happy.")
    assert done.returncode == 4
    assert done.stdout.startswith(f"{dead} cannot be reached")
    assert "0.572" in done.stdout


@pytest.mark.parametrize(
    ("sentence", "braced"),
    [
        ("I made her feel angry.", "I made {her|him} feel angry."),
        ("Her mother sings.", "{Her|His} {mother|father} sings."),
        ("I saw her yesterday.", "I saw {her|him} yesterday."),
        ("I like her!", "I like {her|him}!"),
        ("The dog is his.", "The dog is {his|hers}."),
        ("His dog bit him.", "{His|Her} dog bit {him|her}."),
        ("This MAN sings.", "This {MAN|WOMAN} sings."),
        ("She's glad, isn’t she?", "{She|He}'s glad, isn’t {she|he}?"),
        ("I met Frank with Tia.", "I met {Frank|Ellen} with {Tia|Torrance}."),
        ("Two women met their aunts.", "Two {women|men} met their {aunts|uncles}."),
    ],
)
def test_people_are_swapped_where_that_can_be_done_in_one_way(sentence, braced):
    assert swap_people(sentence).braced == braced
    assert swap_people(swap_people(sentence).other).other.lower() == sentence.lower()


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("I saw her duck.", "'her' before 'duck' may stand for 'him' or 'his'"),
        ("I like her very old car.", "'her' before 'very'"),
        ("Frank answers help.", "'Frank' may be a name or a word"),
        ("Oh man, it rains.", "'man' may be a person or an exclamation"),
        ("Grace sings.", "'Grace' may be a name or a word"),
        ("Rose sings with Will.", "'Rose' may be a name or a word"),
        ("They sing.", "no person is recognised"),
    ],
)
def test_what_may_be_read_in_two_ways_is_refused_with_the_braces_to_write(sentence, what):
    with pytest.raises(TiltmeterError) as error:
        swap_people(sentence)
    assert what in str(error.value)
    assert "{sister|brother}" in str(error.value)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("The weather feels angry.", "nothing to compare; write what changes in braces"),
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


def test_a_scale_without_a_name_leaves_declared_ones_alone_and_says_so(tiltmeter):
    sentence = "My {sister|brother} feels happy."
    for systems in (["vader"], ["vader", "biased-female"]):
        done = tiltmeter("try", *systems, sentence, "--scale=-5:5")
        assert done.returncode == 0, done.stderr
        said = " ".join(done.stdout.split())
        assert "vader keeps its own scale, −1 to 1: one without a system's name, −5 to 5" in said
        assert "--scale vader=-5:5" in said
    named = tiltmeter("try", "vader", sentence, "--scale", "vader=-5:5")
    assert "scale −5 to 5" in named.stdout
    assert "keeps" not in named.stdout


@pytest.fixture
def described(tmp_path):
    """Services as a user describes them: one without a score, and one that nobody serves."""
    pytest.importorskip("httpx2", reason="needs the http extra")
    sys.path.insert(0, str(Path(__file__).parents[1] / "systems"))
    import server

    text = '[system]\nurl = "{url}"\n[answer]\nscore = "{path}"\n[limits]\nbackoff = 0.001\n'
    with server.running() as address, socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{held.getsockname()[1]}/score"
        (tmp_path / "scoreless.toml").write_text(text.format(url=f"{address}/score", path="rating"))
        (tmp_path / "dead.toml").write_text(text.format(url=dead, path="score"))
        yield address


@pytest.mark.usefixtures("described")
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("scoreless.toml", "scoreless gave no score for the sentence: there is no score at"),
        ("dead.toml", "'dead' cannot be reached"),
    ],
)
def test_a_service_without_any_score_is_an_incomplete_run(tiltmeter, spec, said):
    done = tiltmeter("try", spec, "She feels happy.")
    assert (done.returncode, done.stdout) == (4, "")
    assert said in " ".join(done.stderr.split())
    beside = tiltmeter("try", "vader", spec, "She feels happy.")
    assert beside.returncode == 4
    assert beside.stdout.startswith(spec.removesuffix(".toml"))
    assert "0.572" in beside.stdout


def test_a_prompt_of_ones_own_comes_from_a_file(tiltmeter, described, tmp_path):
    (tmp_path / "place.txt").write_text("\ufeff{text}\n", encoding="utf-8")
    asked = ("try", "openai:small", "--base-url", f"{described}/v1", "{0.3|0.4}")
    assert "0.400" in tiltmeter(*asked).stdout
    done = tiltmeter(*asked, "--prompt", "place.txt")
    assert done.returncode == 0, done.stderr
    assert "scale 0 to 1, inferred" in done.stdout
    for wrong, what in (("nowhere.txt", "No such file"), (".", "Is a directory")):
        refused = tiltmeter(*asked, "--prompt", wrong)
        assert refused.returncode == 2
        assert f"--prompt is '{wrong}', which cannot be read: {what}" in refused.stderr
