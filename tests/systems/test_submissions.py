"""A folder of submissions as SemEval's teams handed them in, written here from our own corpus."""

import os

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import ScoreFileError
from tiltmeter.systems import ScoreDirection, read_scores
from tiltmeter.systems.score_files.report import against_the_others

HEAD = "ID\tTweet\tAffect Dimension\tIntensity Score"
TWEETS = [
    '2018-En-00001\t"@someone he said "what?\tanger\t0.4',
    "2018-En-00002\tlate again :( \tanger\t0.5",
    '2018-En-mystery-16900\tOne of the other sentences, "unlike ours\tanger\t0.6',
]


@pytest.fixture(scope="module")
def eec():
    """The sentences of the generated corpus, under its own IDs."""
    return load_corpus("eec").sentences()


@pytest.fixture(scope="module")
def theirs(eec):
    """The same sentences under the IDs of the authors' file."""
    number = pl.int_range(1, pl.len() + 1).cast(pl.String).str.zfill(5)
    return eec.with_columns(pl.format("2018-En-mystery-{}", number).alias("id"))


@pytest.fixture(scope="module")
def scores(eec):
    """A score for each sentence, to three digits."""
    return np.random.default_rng(7).random(eec.height).round(3)


def near(scores, seed):
    """Another system's scores: the same, and something of its own."""
    return (0.8 * scores + 0.2 * np.random.default_rng(seed).random(len(scores))).round(3)


def lines(sentences, scores, task="anger"):
    """The rows of a submission, without tweets."""
    rows = zip(sentences["id"], sentences["text"], scores, strict=True)
    return [f"{each}\t{text}\t{task}\t{score:.3f}" for each, text, score in rows]


def write(path, rows, ending="\r\n", encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ending.join([HEAD, *rows, ""]).encode(encoding))
    return path


def report(found, name):
    (only,) = [each for each in found.reports if each.path.name == name]
    return only


def of(found, system):
    return found.scores.filter(pl.col("system") == system)


def test_a_submission_is_joined_on_the_ids_of_the_authors_file(tmp_path, theirs, scores):
    rows = [*TWEETS, *lines(theirs, scores)]
    found = read_scores(write(tmp_path / "team.txt", rows), theirs)
    assert found.scores["raw"].to_list() == scores.tolist()
    assert found.scores["id"].to_list() == theirs["id"].to_list()
    only = found.reports[0]
    assert (only.rows, only.matched, only.other) == (8643, 8640, 3)
    assert (only.missing, only.duplicated, only.tasks) == (0, 0, ("anger",))
    assert only.notes == ("joined on ID",)


def test_a_submission_is_joined_on_text_where_the_corpus_has_other_ids(
    tmp_path, eec, theirs, scores
):
    misspelt = theirs.with_columns(pl.col("text").str.replace_all("disappointed", "dissapointed"))
    assert misspelt["text"].str.contains("dissapointed").sum() == 240
    path = write(tmp_path / "team.txt", [*lines(misspelt, scores), *TWEETS])
    found = read_scores(path, eec)
    assert found.scores["raw"].to_list() == scores.tolist()
    assert found.reports[0].notes == ("joined on text",)


@pytest.mark.parametrize("with_text", [True, False])
def test_ids_alone_need_the_authors_file(tmp_path, eec, theirs, scores, with_text):
    rows = lines(theirs.with_columns(text=pl.lit("…")), scores)
    path = write(tmp_path / "team.txt", rows)
    if not with_text:
        path.write_text("ID,score\n2018-En-mystery-05498,0.5\n")
    with pytest.raises(ScoreFileError) as caught:
        read_scores(path, eec)
    assert caught.value.exit_code == 2
    assert "2018-En-mystery-0" in str(caught.value)
    assert "--corpus Equity-Evaluation-Corpus.csv" in str(caught.value)


def test_a_reason_all_files_share_is_said_once(tmp_path, eec):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("ID\tscore\n2018-En-mystery-05498\t0.5\n")
    with pytest.raises(ScoreFileError) as caught:
        read_scores(tmp_path, eec)
    assert "each of its 2 files: it has SemEval's IDs" in str(caught.value)
    assert len(caught.value.problems) == 1


def test_one_bad_file_is_set_aside_and_the_others_go_on(tmp_path, theirs, scores):
    write(tmp_path / "good.txt", lines(theirs, scores))
    write(tmp_path / "also.txt", lines(theirs, near(scores, 1)))
    (tmp_path / "bad.txt").write_bytes(b"\x00\x01\x02")
    (tmp_path / "notes.zip").write_bytes(b"PK\x03\x04")
    found = read_scores(tmp_path, theirs)
    assert [each.path.name for each in found.reports] == [
        "also.txt", "bad.txt", "good.txt", "notes.zip",
    ]  # fmt: skip
    assert list(found.cards) == [("also", "anger"), ("good", "anger")]
    assert "NUL byte" in report(found, "bad.txt").set_aside
    assert "'.zip', so not opened" in report(found, "notes.zip").set_aside
    assert report(found, "good.txt").set_aside is None
    assert found.scores.height == 2 * 8640


def test_all_bad_lists_every_file_with_its_reason(tmp_path, theirs):
    (tmp_path / "a.txt").write_bytes(b"")
    (tmp_path / "b.csv").write_text("id,score\n")
    with pytest.raises(ScoreFileError) as caught:
        read_scores(tmp_path, theirs)
    first, second = caught.value.problems
    assert first.where.endswith("a.txt")
    assert "found nothing" in first.what
    assert second.where.endswith("b.csv")
    assert "no rows" in second.what


def test_an_empty_folder_is_refused(tmp_path, theirs):
    (tmp_path / ".hidden.csv").write_text("id,score\n")
    with pytest.raises(ScoreFileError, match="the folder is empty"):
        read_scores(tmp_path, theirs)


def test_a_sub_folder_is_one_system_with_a_file_for_each_task(tmp_path, theirs, scores):
    write(tmp_path / "team a" / "EI-reg_en_anger_pred.txt", lines(theirs, scores, "anger"))
    write(tmp_path / "team a" / "V-reg_en_pred.txt", lines(theirs, scores, "valence"))
    write(tmp_path / "b.txt", lines(theirs, scores, "joy"))
    found = read_scores(tmp_path, theirs)
    assert list(found.cards) == [("b", "joy"), ("team a", "anger"), ("team a", "valence")]


def test_two_files_never_share_a_system_and_task(tmp_path, theirs, scores):
    for place in ("t/one.txt", "t/two.txt", "x.txt", "x.tsv", "t/joy.txt"):
        task = "joy" if "joy" in place else "anger"
        write(tmp_path / place, lines(theirs, scores, task))
    for place in ("long1.csv", "long2.csv"):
        (tmp_path / place).write_text(f"system,task,id,score\nsame,anger,{theirs['id'][0]},0.5\n")
    found = read_scores(tmp_path, theirs)
    assert sorted(found.cards) == [
        ("same (long1.csv)", "anger"),
        ("same (long2.csv)", "anger"),
        ("t", "joy"),
        ("t/one", "anger"),
        ("t/two", "anger"),
        ("x.tsv", "anger"),
        ("x.txt", "anger"),
    ]
    assert found.scores.select("system", "task", "id").is_unique().all()


def test_names_that_break_terminals_and_tables_are_mended(tmp_path, theirs, scores):
    write(tmp_path / "<script>.txt", lines(theirs, scores))
    write(tmp_path / "red\x1b[31m.txt", lines(theirs, scores))
    broken = os.fsencode(tmp_path) + b"/half\xff.txt"
    os.rename(write(tmp_path / "half.txt", lines(theirs, scores)), broken)  # noqa: PTH104
    found = read_scores(tmp_path, theirs)
    assert sorted(system for system, _ in found.cards) == [
        "<script>",
        "half\ufffd",
        "red\ufffd[31m",
    ]


def test_links_that_leave_the_folder_are_not_followed(tmp_path, theirs, scores):
    outside = write(tmp_path / "outside" / "secret.txt", lines(theirs, scores))
    folder = tmp_path / "folder"
    write(folder / "own.txt", lines(theirs, scores))
    (folder / "leaves.txt").symlink_to(outside)
    (folder / "stays.txt").symlink_to(folder / "own.txt")
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    (folder / "away").symlink_to(outside.parent)
    found = read_scores(folder, theirs)
    assert sorted(system for system, _ in found.cards) == ["own", "stays"]
    assert "leads out of the folder" in report(found, "leaves.txt").set_aside
    assert "a link to a folder" in report(found, "away").set_aside
    assert "cannot be read" in report(found, "loop.txt").set_aside


def test_a_pipe_is_not_waited_for(tmp_path, theirs, scores):
    write(tmp_path / "own.txt", lines(theirs, scores))
    os.mkfifo(tmp_path / "pipe.txt")
    assert "not a plain file" in report(read_scores(tmp_path, theirs), "pipe.txt").set_aside


@pytest.fixture
def crowd(tmp_path, theirs, scores):
    """A folder of four ordinary systems, with places for odd ones."""
    for seed in range(4):
        write(tmp_path / f"team{seed}.txt", [*TWEETS, *lines(theirs, near(scores, seed))])
    return tmp_path


def test_a_system_upside_down_is_found_and_kept_as_it_is(crowd, theirs, scores):
    upside = (1 - near(scores, 9)).round(3)
    write(crowd / "upside.txt", lines(theirs, upside))
    found = read_scores(crowd, theirs)
    assert [each.upside_down for each in found.reports] == [False] * 4 + [True]
    assert of(found, "upside")["raw"].to_list() == upside.tolist()
    assert "probably upside down" in report(found, "upside.txt").remarks[-1]


def test_chance_is_not_called_upside_down(crowd, theirs):
    for seed in range(20, 30):
        noise = np.random.default_rng(seed).random(theirs.height)
        write(crowd / f"noise{seed}.txt", lines(theirs, noise))
    found = read_scores(crowd, theirs)
    assert not any(each.upside_down for each in found.reports)


def test_two_systems_cannot_tell_which_is_upside_down(tmp_path, theirs, scores):
    write(tmp_path / "a.txt", lines(theirs, scores))
    write(tmp_path / "b.txt", lines(theirs, 1 - scores))
    found = read_scores(tmp_path, theirs)
    assert not any(each.upside_down for each in found.reports)


def test_a_constant_system_is_found_and_judges_nobody(crowd, theirs):
    write(crowd / "still.txt", lines(theirs, np.full(theirs.height, 0.5)))
    found = read_scores(crowd, theirs)
    assert [each.constant for each in found.reports] == [True, False, False, False, False]
    assert not report(found, "still.txt").upside_down
    assert "every score is 0.5" in report(found, "still.txt").notes


def test_what_is_missing_is_counted_with_its_reason(crowd, theirs, scores):
    write(crowd / "part.txt", lines(theirs, scores)[: 8640 * 6 // 10])
    found = read_scores(crowd, theirs)
    part = report(found, "part.txt")
    assert (part.matched, part.missing) == (5184, 3456)  # 60 % and 40 % of 8,640
    rows = of(found, "part")
    assert rows.height == 8640
    assert rows["raw"].null_count() == 3456
    assert rows.filter(pl.col("raw").is_null())["reason"].unique().to_list() == ["not in part.txt"]
    assert rows.filter(pl.col("raw").is_not_null())["reason"].null_count() == 5184


def test_hostile_files_harm_nobody_else(crowd, theirs, scores):
    good = lines(theirs, near(scores, 5))
    write(
        crowd / "latin.txt", ["2018-En-1\tcafé piñata ¡ay!\tanger\t0.1", *good], encoding="latin-1"
    )
    write(crowd / "marked.txt", good, encoding="utf-8-sig")
    mixed = "\r\n".join([HEAD, *good[:100], ""]) + "\n".join([*good[100:200], ""])
    (crowd / "mixed.txt").write_bytes((mixed + "\r".join([*good[200:], ""])).encode())
    write(crowd / "twice.txt", [*good, good[0]])
    write(crowd / "apart.txt", [*good, lines(theirs, 1 - scores)[0]])
    write(crowd / "nan.txt", [good[0].rsplit("\t", 1)[0] + "\tNaN", *good[1:]])
    found = read_scores(crowd, theirs)
    for name in ("latin", "marked", "mixed", "twice"):
        assert of(found, name)["raw"].to_list() == near(scores, 5).tolist(), name
    assert report(found, "twice.txt").duplicated == 1
    assert "for the same sentence" in report(found, "apart.txt").set_aside
    assert of(found, "nan")["reason"][0] == "'NaN' is not a number"
    assert report(found, "nan.txt").missing == 1
    assert "Windows-1252" in " ".join(report(found, "latin.txt").notes)


def test_the_result_does_not_depend_on_the_workers(crowd, theirs, scores):
    write(crowd / "upside.txt", lines(theirs, 1 - scores)[:5000])
    (crowd / "bad.txt").write_text("nothing here")
    one, many = (read_scores(crowd, theirs, workers=count) for count in (1, 8))
    assert one.scores.equals(many.scores)
    assert one.reports == many.reports
    assert dict(one.cards) == dict(many.cards)


def test_a_task_without_one_number_among_others_stays_null(tmp_path, theirs):
    first = theirs["id"][0]
    (tmp_path / "x.csv").write_text(f"id,anger,joy\n{first},0.5,\n")
    found = read_scores(tmp_path, theirs)
    joy = found.scores.filter(pl.col("task") == "joy")
    assert joy["raw"].null_count() == 8640
    assert joy["reason"][0] == "the score is empty"


def test_the_median_of_the_others_is_the_plain_one():
    """Against the definition, spelt out: standardise, leave one out, take the median, correlate."""
    rng = np.random.default_rng(3)
    for systems in (3, 4, 7, 8):
        scores = rng.normal(size=(systems, 50)) + np.linspace(-1, 1, 50)
        scores[rng.random(scores.shape) < 0.1] = np.nan
        scores[0, :5] = scores[1, :5]  # ties
        z = (scores - np.nanmean(scores, 1, keepdims=True)) / np.nanstd(scores, 1, keepdims=True)
        expected = []
        for own in range(systems):
            others = np.delete(z, own, axis=0)
            enough = np.isfinite(others).sum(axis=0) >= 2
            both = enough & np.isfinite(z[own])
            medians = np.nanmedian(others[:, both], axis=0)
            expected.append(np.corrcoef(z[own, both], medians)[0, 1])
        assert against_the_others(scores) == pytest.approx(expected, abs=1e-12)


def test_files_of_the_same_name_are_called_by_their_folders_too(tmp_path, theirs, scores):
    for team in ("a", "b"):
        write(tmp_path / team / "anger.txt", lines(theirs, scores))
    found = read_scores([tmp_path / "a", tmp_path / "b"], theirs)
    assert [each.name for each in found.reports] == ["a/anger.txt", "b/anger.txt"]


@pytest.mark.parametrize(
    ("others", "gold", "upside_down", "said"),
    [
        (-0.9, None, True, "probably upside down: its correlation with the median"),
        (-0.9, (0.5, 0.4, 0.6), False, "not upside down: its correlation with the gold"),
        (-0.9, (-0.5, -0.6, -0.4), True, "upside down: its correlation with the gold"),
        (-0.9, (0.02, -0.1, 0.14), True, "probably upside down: its correlation with the median"),
        (None, (-0.5, -0.6, -0.4), True, "upside down: its correlation with the gold"),
    ],
)
def test_gold_scores_have_the_last_word_on_a_direction_where_they_are_clear(
    others, gold, upside_down, said
):
    one = ScoreDirection("team", "anger", others, gold)
    assert one.upside_down is upside_down
    assert one.note.startswith(said)


def test_a_weak_correlation_with_gold_is_no_direction():
    # plainly below 0, and yet no more than −0.2: a poor system, not one that is turned round
    assert not ScoreDirection("team", "anger", None, (-0.1, -0.15, -0.05)).against_gold
