"""A user's own `[rating]`: what it makes, and everything that can be wrong in it, with its line."""

import pytest

from tiltmeter.corpora import class_name, draw_rows, load_corpus, load_rating_group, read_shares
from tiltmeter.errors import CorpusError, TiltmeterError

# Line numbers matter: the tests of messages count them.
MINE = """\
[corpus]
name = "mine"
language = "en"

[axes]
age = ["old", "young"]
gender = ["female", "male"]
place = ["town", "village"]

[[people]]
list = "named"
match = "names"
members = [
  { subject = "Ann", age = "old", gender = "female", place = "town" },
  { subject = "Eve", age = "young", gender = "female", place = "village" },
  { subject = "Bob", age = "old", gender = "male", place = "village" },
  { subject = "Tom", age = "young", gender = "male", place = "town" },
]

[[people]]
list = "others"
match = "names"
agreement = "plural"
members = [{ subject = "they", object = "them" }]

[[words]]
list = "mood"
joy = ["cheerful", "merry"]
anger = ["cross"]
fear = ["afraid", "uneasy"]

[[templates]]
id = "1"
text = "{person} {be} {mood} today."
slots.be = { agrees = "person", female = "is", male = "is", plural = "are" }

[[templates]]
id = "2"
text = "I met {person}, {mood} as ever."
slots.person.form = "object"

[rating]
group = "moods"
positive = ["joy"]
negative = ["anger", "fear"]

[rating.sets]
few = ["cheerful", "cross"]
all = ["cheerful", "merry", "cross", "afraid", "uneasy"]

[rating.diagram]
edges = [
  "gender -> sentiment", "emotion word -> sentiment", "age -> emotion word",
  "upbringing -> emotion word", "upbringing -> gender", "place -> emotion word",
]
unobserved = ["upbringing"]

[rating.assignment]
by = ["age", "place"]
otherwise = 0.4

[rating.assignment.k]
1 = [{ age = "old", place = "town", positive = 1.0 }, { age = "NA", place = "NA", positive = 0 }]
7 = [{ age = "young", place = "town", positive = 0.8 }]
"""
NO_ASSIGNMENT = MINE[: MINE.index("[rating.assignment]")]
EDGES = '"gender -> sentiment", "emotion word -> sentiment", "age -> emotion word",'


@pytest.fixture
def mine(corpus_file):
    return corpus_file(MINE)


# ---------------------------------------------------------------- what it makes


def test_a_users_own_group_has_three_axes_and_its_own_words(mine):
    universe = load_rating_group(mine)
    plan = universe.rating
    assert universe.size == 5 * 5 * 2
    assert plan.group == "moods"
    assert plan.polarity == {"joy": "positive", "anger": "negative", "fear": "negative"}
    assert ("upbringing", "gender") in plan.edges
    assert plan.unobserved == ("upbringing",)
    assert plan.assignment.by == ("age", "place")
    assert sorted(plan.assignment.cases) == [1, 7]
    assert plan.assignment.cases[1][1].groups == {"age": None, "place": None}


def test_without_words_a_users_file_is_the_universe(mine):
    assert load_corpus(mine).size == 50
    assert load_corpus(mine).name == "mine"


def test_a_users_dataset_follows_its_shares(mine):
    universe = load_rating_group(mine)
    found = universe.sentences()[draw_rows(universe, "all", seed=0, draws=500).ravel()]
    people = found["person"].unique()
    shares = {name: (found.filter(person=name)["emotion"] == "joy").mean() for name in people}
    assert shares["Ann"] == 1.0
    assert shares["they"] == 0.0
    # 1,000 slots each at the 0.4 of all others: 4 standard errors are 4 × √(0.24 / 1000) = 0.062.
    assert all(abs(shares[name] - 0.4) < 0.062 for name in ("Eve", "Bob", "Tom"))


def test_words_that_agree_with_a_person_follow_their_agreement(mine):
    texts = load_corpus(mine, words="few", seed=1).sentences()["text"].to_list()
    assert "They are cross today." in texts
    assert "I met them, cross as ever." in texts
    assert "Ann is cheerful today." in texts


def test_a_dataset_of_a_users_file_is_called_after_both(mine):
    corpus = load_corpus(mine, words="few", k=7, seed=3)
    assert corpus.name == "mine-few"
    assert corpus.size == 10
    assert corpus.notes == (
        "mine, words few: cheerful, cross",
        "one word for each person in each template, drawn with seed 3",
        "share of positive words (k = 7): young town 0.8; all others 0.4",
    )


def test_an_unknown_case_lists_those_there_are(mine):
    with pytest.raises(TiltmeterError, match="no case k = 2 here; expected one of 1, 7"):
        load_corpus(mine, words="few", k=2)


def test_a_users_table_of_shares_stands_in_for_k(mine, tmp_path):
    table = tmp_path / "shares.csv"
    table.write_text("gender,positive\nfemale,1\nmale,0\nNA,1\n")
    found = load_corpus(mine, words="all", shares=table).sentences()
    assert set(found.filter(found["gender"] == "male")["emotion"]) <= {"anger", "fear"}
    assert set(found.filter(found["gender"] != "male")["emotion"]) == {"joy"}
    assert set(found.filter(found["gender"].is_null())["emotion"]) == {"joy"}
    assert load_corpus(mine, words="all", shares=str(table)).sentences().equals(found)


def test_an_edition_may_have_sets_of_its_own(load):
    two = MINE + '[editions.corrected]\n[editions.published]\nsets = { few = ["merry", "cross"] }\n'
    assert load(two).rating.sets["few"] == ("cheerful", "cross")
    assert load(two, "published").rating.sets["few"] == ("merry", "cross")
    assert load(two, "published").rating.sets["all"][0] == "cheerful"


def test_a_file_that_extends_a_group_may_change_one_part(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        '[corpus]\nname = "own"\nextends = "rating-1"\n[rating]\ngroup = "own"\n'
        '[rating.sets]\ngrim = ["grim"]\n'
    )
    plan = load_rating_group(path).rating
    assert plan.sets == {"grim": ("grim",)}
    assert plan.edges == (("gender", "sentiment"), ("emotion word", "sentiment"))
    assert load_corpus(path, words="grim").size == 210


def test_a_class_reads_in_the_order_of_its_axes():
    assert class_name({"age": "old", "place": None}) == "old NA"


# ---------------------------------------------------------------- everything that can be wrong


def wrong(name, *changes, said):
    return pytest.param(changes, said, id=name)


MISTAKES = [
    wrong("unknown key", ('group = "moods"', 'group = "moods"\ncolour = 1'),
          said="mine.toml:44: unknown key 'colour' in [rating]: expected group, positive"),
    wrong("no group", ('group = "moods"\n', ""),
          said='mine.toml:42: [rating] needs group, for instance group = "1"'),
    wrong("group is a number", ('group = "moods"', "group = 2"),
          said="mine.toml:43: group is 2; expected text"),
    wrong("group is blank", ('group = "moods"', 'group = " "'),
          said="mine.toml:43: group is ' '; expected text"),
    wrong("an emotion of neither polarity", (', "fear"]', "]"),
          said="mine.toml:42: the emotion 'fear' is neither positive nor negative; list it as one"),
    wrong("an emotion of both", ('["joy"]', '["joy", "fear"]'),
          said="mine.toml:45: the emotion 'fear' stands twice, as positive and as negative"),
    wrong("an emotion no word has", ('["joy"]', '["joy", "feer"]'),
          said="mine.toml:44: positive has 'feer', and no word is of that emotion: did you mean"),
    wrong("polarity is text", ('positive = ["joy"]', 'positive = "joy"'),
          said="mine.toml:44: positive is 'joy'; expected a list of emotions"),
    wrong("an unknown word", ('few = ["cheerful"', 'few = ["cheerfull"'),
          said="mine.toml:48: the set 'few' has 'cheerfull', which no list of words holds: did"),
    wrong("a word twice", ('few = ["cheerful"', 'few = ["cheerful", "cheerful"'),
          said="mine.toml:48: the set 'few' has 'cheerful' 2 times; keep one"),
    wrong("an empty set", ('few = ["cheerful", "cross"]', "few = []"),
          said="mine.toml:48: sets.few is []; expected a list of words"),
    wrong("a word that is no text", ('few = ["cheerful"', "few = [5"),
          said="mine.toml:48: 5 in 'sets.few'; expected text"),
    wrong("a set that is text", ('few = ["cheerful", "cross"]', 'few = "cross"'),
          said="mine.toml:48: sets.few is 'cross'; expected a list of words"),
    wrong("a set's name that cannot go into a dataset's", ("few =", '"a b" ='),
          said="the set 'a b' goes into names of datasets; expected letters and digits"),
    wrong("no sets", ('few = ["cheerful", "cross"]\n', ""),
          ('all = ["cheerful", "merry", "cross", "afraid", "uneasy"]\n', ""),
          said="no [rating.sets]; say which words make a dataset"),
    wrong("sets is no table", ('[rating.sets]\nfew = ["cheerful", "cross"]\nall = ', "sets = "),
          said="expected a table of words, as in e1 = "),
    wrong("a set of one polarity where words are drawn", ('"cheerful", "cross"]', '"cross"]'),
          said="mine.toml:48: template '1' has no word of the set 'few' that is positive; words"),
    wrong("no diagram", ("[rating.diagram]\n", "[rating.diagrm]\n"),
          said="mine.toml:51: unknown key 'diagrm' in [rating]: did you mean 'diagram'"),
    wrong("a needed table lacks", ("[rating.diagram]\n", "[rating.diagrm]\n"),
          said="mine.toml:42: [rating] needs diagram; expected [rating.diagram] with edges"),
    wrong("a diagram without edges", ("edges = [\n", "edgs = [\n"),
          said='[rating.diagram] needs edges, for instance edges = ["gender -> sentiment"]'),
    wrong("an edge without an arrow", (EDGES, EDGES + ' "gender sentiment",'),
          said="mine.toml:53: 'gender sentiment' is no arrow; expected \"cause -> effect\""),
    wrong("an edge with two arrows", (EDGES, EDGES + ' "age -> gender -> sentiment",'),
          said="is no arrow; expected"),
    wrong("an edge to itself", (EDGES, EDGES + ' "age -> age",'), said="'age -> age' is no arrow"),
    wrong("an edge twice", (EDGES, EDGES + ' "gender -> sentiment",'),
          said="mine.toml:53: 'gender -> sentiment' stands twice; keep one"),
    wrong("an unknown node", (EDGES, EDGES + ' "gendre -> sentiment",'),
          said="'gendre -> sentiment' has the node 'gendre': did you mean 'gender'"),
    wrong("a node nobody declared", (EDGES, EDGES + ' "wealth -> sentiment",'),
          said="has the node 'wealth': known are age, gender, place, emotion word, sentiment"),
    wrong("edges is text", ("edges = [\n", 'edges = "a -> b"\nrest = [\n'),
          said="mine.toml:52: diagram.edges is 'a -> b'; expected a list of arrows"),
    wrong("no edges", ("edges = [\n", "edges = []\nedgs = [\n"),
          said="mine.toml:52: diagram.edges is []; expected a list of arrows"),
    wrong("an unobserved axis", ('["upbringing"]', '["upbringing", "age"]'),
          said="unobserved has 'age', which is a node already"),
    wrong("words by an axis the diagram keeps apart", ('"age -> emotion word"', '"age -> gender"'),
          said="words are assigned by 'age', and no arrow of the diagram says so; add \"age ->"),
    wrong("by an unknown axis", ('by = ["age", "place"]', 'by = ["age", "plac"]'),
          said="mine.toml:59: by has 'plac', which is no axis: did you mean 'place'"),
    wrong("by is text", ('by = ["age", "place"]', 'by = "age"'),
          said="mine.toml:59: assignment.by is 'age'; expected the axes words are assigned by"),
    wrong("by no axis", ('by = ["age", "place"]', "by = []"),
          said="mine.toml:59: assignment.by is []; expected the axes words are assigned by"),
    wrong("by an axis twice", ('by = ["age", "place"]', 'by = ["age", "place", "age"]'),
          said="mine.toml:59: by has 'age' 2 times; keep one"),
    wrong("a share past 1", ("positive = 1.0", "positive = 90"),
          said="mine.toml:63: k = 1 has positive = 90; expected a share from 0 to 1"),
    wrong("a share that is text", ("positive = 0.8", 'positive = "most"'),
          said="mine.toml:64: k = 7 has positive = 'most'; expected a share from 0 to 1"),
    wrong("a share that is no number", ("positive = 0.8", "positive = nan"),
          said="mine.toml:64: k = 7 has positive = nan; expected a share from 0 to 1"),
    wrong("a share that is no table", ('7 = [{ age = "young", place = "town", positive = 0.8 }]',
                                       '7 = ["young"]'),
          said="mine.toml:64: 'young' in 'assignment.k.7'; expected { gender = "),
    wrong("a case whose number is a share elsewhere", ("1 = [{", "2 = [{ positive = 0.7 }, {"),
          ("positive = 0.8", "positive = 8"),
          said="mine.toml:64: k = 7 has positive = 8; expected a share from 0 to 1"),
    wrong("otherwise past 1", ("otherwise = 0.4", "otherwise = -0.1"),
          said="mine.toml:60: assignment.otherwise is -0.1; expected a share from 0 to 1"),
    wrong("an unknown group in a case", ('7 = [{ age = "young"', '7 = [{ age = "yung"'),
          said="mine.toml:64: k = 7 has age = 'yung', which the axis does not list: did you mean"),
    wrong("a case without an axis", ('7 = [{ age = "young", ', "7 = [{ "),
          said="mine.toml:64: k = 7 has {'place': 'town', 'positive': 0.8}; expected { age = "),
    wrong("a case that is no list", ('7 = [{ age = "young", place = "town", positive = 0.8 }]',
                                     "7 = 0.8"),
          said="mine.toml:64: assignment.k.7 is 0.8; expected a list of shares, as in [{ gender"),
    wrong("a case of no number", ("7 = [", "first = ["),
          said="mine.toml:64: k = first is not a whole number"),
    wrong("a case twice", ("7 = [", "01 = ["),
          said="mine.toml:64: k = 01 is 1 again; keep one"),
    wrong("a class twice", ('{ age = "NA", place = "NA"', '{ age = "old", place = "town"'),
          said="mine.toml:63: k = 1 names 'old town' twice; keep one"),
    wrong("an unknown key of the assignment", ("otherwise = 0.4", "otherwse = 0.4"),
          said="mine.toml:60: unknown key 'otherwse' in [rating.assignment]: did you mean"),
    wrong("a template without a word", ("{mood} as ever", "as ever"),
          said="mine.toml:39: template '2' has 0 places for words; beside [rating] expected one"),
    wrong("a template with two words", ("{mood} as ever", "{mood}, not {other}"),
          ('form = "object"', 'form = "object"\nslots.other.words = "mood"'),
          said="mine.toml:39: template '2' has 2 places for words; beside [rating] expected one"),
    wrong("a group called NA", ('["town", "village"]', '["town", "village", "NA"]'),
          said="the axis 'place' has a group 'NA', which beside [rating] means people without"),
    wrong("an agreement that is no text", ('agreement = "plural"', "agreement = 5"),
          said="mine.toml:23: agreement is 5; expected text"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), MISTAKES)
def test_a_mistake_is_named_with_its_line(complaint, changes, said):
    text = MINE
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    assert said in complaint(text)


def test_every_mistake_is_told_at_once(complaint):
    text = MINE.replace('few = ["cheerful"', 'few = ["grim"').replace("0.8", "8")
    message = complaint(text.replace("upbringing -> gender", "luck -> gender"))
    assert all(part in message for part in ("'grim'", "'luck'", "positive = 8"))


@pytest.mark.parametrize(
    "needed", [('group = "moods"', "group = 2"), ("[rating.diagram]", "[rating.plan]")]
)
def test_what_is_needed_and_wrong_hides_no_other_mistake(complaint, needed):
    text = MINE.replace(*needed).replace('few = ["cheerful"', 'few = ["grim"')
    message = complaint(text.replace(', "fear"]', "]").replace('"town", positive = 0.8', '"x"'))
    parts = ("'grim'", "the emotion 'fear' is neither", "k = 7 has {'age': 'young', 'place': 'x'}")
    assert all(part in message for part in parts)


def test_a_share_with_two_mistakes_is_told_of_both(complaint):
    message = complaint(MINE.replace('"young", place = "town", positive = 0.8',
                                     '"yung", place = "town", positive = 8'))  # fmt: skip
    assert "k = 7 has age = 'yung', which the axis does not list" in message
    assert "k = 7 has positive = 8" in message


def test_an_assignment_without_cases_is_refused(complaint):
    text = MINE[: MINE.index("[rating.assignment.k]")]
    assert "mine.toml:58: [rating.assignment] needs k; expected cases like 1 = [" in complaint(text)
    without = NO_ASSIGNMENT.replace('group = "moods"', 'group = "moods"\nassignment = 5')
    assert "mine.toml:44: assignment is 5; expected a table" in complaint(without)
    assert "assignment.k is {}; expected cases like 1 = [" in complaint(text + "k = {}\n")


def test_a_set_without_a_word_in_some_template_is_refused(complaint):
    text = NO_ASSIGNMENT.replace("{mood} as ever", "{tone} as ever")
    text = text.replace(
        "[[templates]]", '[[words]]\nlist = "tone"\njoy = ["jolly"]\n[[templates]]', 1
    )
    assert "template '2' has no word of the set 'few'" in complaint(text)


def test_without_an_assignment_a_set_may_have_one_polarity(load):
    universe = load(NO_ASSIGNMENT.replace('few = ["cheerful", "cross"]', 'few = ["cross"]'))
    assert universe.rating.assignment is None
    assert draw_rows(universe, "few", seed=0).shape == (1, 10)


def test_sets_of_an_edition_need_a_rating(complaint, tiny):
    text = tiny + '[editions.corrected]\nsets = { a = ["glad"] }\n'
    assert "mine.toml:42: 'sets' is given, and the file has no [rating]" in complaint(text)


def test_sets_of_an_edition_are_checked_too(complaint):
    text = MINE + '[editions.corrected]\nsets = { few = ["grim"] }\n'
    assert "mine.toml:66: the set 'few' has 'grim', which no list of words holds" in complaint(text)
    assert "sets is 5; expected a table of words" in complaint(
        text.replace('{ few = ["grim"] }', "5")
    )


def test_an_axis_cannot_be_a_node_of_every_diagram(complaint):
    text = MINE.replace('place = ["town", "village"]', 'sentiment = ["town", "village"]')
    assert "an axis cannot be called 'sentiment' beside [rating]" in complaint(text)


def test_a_rating_that_is_no_table_is_refused(complaint, tiny):
    assert "'rating' is not a table; write [rating] above its entries" in complaint(
        "rating = 5\n" + tiny
    )


def test_a_person_without_gender_or_agreement_is_told_of_both(complaint):
    message = complaint(MINE.replace('agreement = "plural"\n', ""))
    assert (
        "agrees with 'they', who has no gender; give one to agree with, or an agreement" in message
    )


# ---------------------------------------------------------------- tables of shares


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", "race,gender,positive\nAnglo,male,0.9\nNA,,0.25\n"),
        ("s.tsv", "race\tgender\tpositive\nAnglo\tmale\t0.9\nNA\t\t0.25\n"),
        (
            "s.jsonl",
            '{"race": "Anglo", "gender": "male", "positive": 0.9}\n'
            '{"race": null, "positive": 0.25}\n',
        ),
    ],
)
def test_a_table_of_shares_is_read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    first, second = read_shares(tmp_path / name)
    assert (first.groups, first.positive) == ({"race": "Anglo", "gender": "male"}, 0.9)
    assert (second.groups, second.positive) == ({"race": None, "gender": None}, 0.25)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "gender,share\nmale,0.9\n",
            "found the columns gender, share; expected positive and an axis",
        ),
        ("positive\n0.9\n", "found the columns positive; expected positive and an axis or more"),
        ("gender,positive\nmale,90\n", "s.csv:2: found '90' for positive; expected a share from 0"),
        ("gender,positive\nmale,most\n", "s.csv:2: found 'most' for positive"),
        ("gender,positive\nmale,nan\n", "s.csv:2: found 'nan' for positive"),
        ("gender,positive\nmale,\n", "s.csv:2: found nothing for positive"),
        ("gender,positive\nNA,0.1\nmale,0\n,0.2\n", "s.csv:4: 'NA' has a row already, in line 2"),
        ("gender,positive\n", "the table of shares cannot be used"),
        ("", "the table of shares cannot be used"),
    ],
)
def test_a_table_of_shares_that_cannot_be_used_says_why(tmp_path, text, said):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_shares(tmp_path / "s.csv")
    assert said in str(caught.value)
    assert "encoding" not in str(caught.value)


def test_a_table_of_shares_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CorpusError, match=r"cannot be used:\n  .*none\.csv: No such file"):
        read_shares(tmp_path / "none.csv")
