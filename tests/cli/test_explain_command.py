"""`tiltmeter explain` as a user types it."""

import json

import pytest

from small_audit import small_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("explained")
    with pytest.MonkeyPatch.context() as patched:
        small_folder(where, patched, systems={"vader": "vader", "mine": lambda _: 0.5})
    return where


def test_a_sentence_is_explained_word_by_word(tiltmeter, tmp_path):
    done = tiltmeter("explain", "vader", "--text", "Tia feels happy.", "--store", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("To be asked: vader: ")
    assert "Without Tia" in done.stdout
    assert "in VADER’s lexicon: tia 2.3" in done.stdout
    assert "not how the system computes it" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    again = tiltmeter("explain", "vader", "--text", "Tia feels happy.", "--store", tmp_path)
    assert " 0 new, " in again.stdout


def test_an_audits_folder_is_explained_and_the_page_written(tiltmeter, folder, tmp_path):
    done = tiltmeter(
        "explain", "vader", "--from", folder / "out", "--store", folder / "store",
        "-o", tmp_path / "why",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "None of 8 names moves a score, so nobody carries a tilt." in said
    assert "Nothing was asked of any system." in done.stdout
    assert "The report is in" in done.stdout
    told = json.loads((tmp_path / "why" / "explain.json").read_text("utf-8"))
    assert told["asked"]["texts"] == 0
    assert [one["axis"] for one in told["claims"]] == ["gender", "region"]


def test_a_dry_run_says_the_cost_and_asks_nothing(tiltmeter, tmp_path):
    store = tmp_path / "store"
    options = ("--text", "Tia feels happy.", "--store", store)
    done = tiltmeter("explain", "vader", *options, "--dry-run")
    assert done.returncode == 0
    assert "To be asked: vader: 6 texts, 6 new, 0 stored." in done.stderr
    assert "0 stored" in tiltmeter("explain", "vader", *options).stdout


def test_json_is_all_that_stands_on_standard_output(tiltmeter, tmp_path):
    done = tiltmeter(
        "explain", "textblob", "--text", "Joy feels happy.", "--store", tmp_path, "--json", "-"
    )
    told = json.loads(done.stdout)
    assert told["sentences"][0]["score"] == pytest.approx(0.9)
    assert told["sentences"][0]["lexicon"] == "TextBlob’s lexicon"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "there is nothing to explain: give --text, --name or an audit’s folder"),
        (["--text", " "], "--text is empty"),
        (["--text", "a" * 10_000], "--text has 10,000 letters; expected at most 5,000"),
        (["--name", "a" * 200], "--name has 200 letters"),
        (["--text", "Tia sings.", "--vectors", "nowhere.vec"], "nowhere.vec"),
    ],
)
def test_what_cannot_be_explained_is_one_message_and_code_2(tiltmeter, tmp_path, words, what):
    done = tiltmeter("explain", "vader", *words, "--store", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_audit_or_lacks_the_system_is_refused(tiltmeter, folder, tmp_path):
    store = ("--store", tmp_path / "store")
    no_audit = tiltmeter("explain", "vader", "--from", tmp_path, *store)
    assert no_audit.returncode == 2
    assert "holds no results" in no_audit.stderr
    assert "expected the folder that `tiltmeter audit" in no_audit.stderr
    nowhere = tiltmeter("explain", "vader", "--from", tmp_path / "gone", *store)
    assert "there is no such folder" in nowhere.stderr
    other = tiltmeter("explain", "textblob", "--from", folder / "out", *store)
    assert other.returncode == 2
    assert "holds no system 'textblob': it holds vader, mine; say what" in other.stderr
    assert "--as" in other.stderr


def test_a_system_that_gives_no_scores_says_why(tiltmeter, tmp_path):
    done = tiltmeter("explain", "biased-female", "--text", "Tia sings.", "--store", tmp_path)
    assert done.returncode == 2
    assert "reads the row of a corpus" in done.stderr
    (tmp_path / "mine.py").write_text("def mute(text):\n    return None\n")
    mute = tiltmeter("explain", "./mine.py:mute", "--text", "Tia sings.", "--store", tmp_path)
    assert mute.returncode == 2
    assert "Traceback" not in mute.stderr


def test_scores_made_elsewhere_are_explained_from_their_audit_and_not_asked(tiltmeter, tmp_path):
    (tmp_path / "scores.csv").write_text("id,score\nt01-w01-p01,0.5\n")
    done = tiltmeter("explain", "scores.csv", "--text", "Tia sings.")
    assert done.returncode == 2
    assert "holds scores made elsewhere; name a system that can be asked" in done.stderr


def test_a_system_that_cannot_be_opened_here_is_explained_from_its_scores(tiltmeter, folder):
    done = tiltmeter("explain", "mine", "--from", folder / "out", "--store", folder / "store")
    assert done.returncode == 0, done.stderr
    assert "None of 8 names moves a score" in " ".join(done.stdout.split())
