"""What is said about a corpus file that cannot be used: all of it, with the line."""

import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import CorpusError, TiltmeterError

FEELS = 'text = "{person} feels {state}."'
SEES = 'text = "I saw {person} by {self}."'
SELF = '{ agrees = "person", female = "herself", male = "himself" }'
SHE = '{ subject = "she", object = "her", gender = "female", match = "she/he" },'
HE = '{ subject = "he", object = "him", gender = "male", match = "she/he" },'
GLAD = '{ lemma = "glad", f = "glada", m = "glado" }'


def spoil(text: str, *changes: tuple[str, str]) -> str:
    """The text with each first part replaced by its second; the part must be there."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def mistake(name: str, *changes: tuple[str, str], said: list[str]):
    return pytest.param(changes, said, id=name)


# Each case: what is changed in the tiny corpus of conftest.py, and what the message must hold.
SLOTS = [
    mistake(
        "unknown slot",
        ("{state}", "{stat}"),
        said=["mine.toml:34: unknown slot {stat} in template '1': did you mean 'state'?"],
    ),
    mistake(
        "unknown slot, nothing near",
        ("{state}", "{zzz}"),
        said=["mine.toml:34: unknown slot {zzz} in template '1': known are person, a/an, state"],
    ),
    mistake(
        "settings for a slot that is not there",
        (FEELS, FEELS + '\nslots.persn.form = "object"'),
        said=["mine.toml:35: slot 'persn' does not stand in the text: did you mean 'person'?"],
    ),
    mistake(
        "unclosed brace",
        ("{state}", "{state"),
        said=["mine.toml:34: a brace in '{person} feels {state.' is not closed; slots look like"],
    ),
    mistake("stray brace", ("feels", "feels}"), said=["mine.toml:34: a brace in", "not closed"]),
    mistake(
        "empty slot", ("{state}", "{}"), said=["mine.toml:34: unknown slot {} in template '1'"]
    ),
    mistake(
        "no person in a template",
        ("{person} feels", "Someone feels"),
        said=["mine.toml:32: template '1' has no person; expected a slot like {person}"],
    ),
    mistake("no text", (FEELS, ""), said=["mine.toml:32: [[templates]] needs text, for instance"]),
    mistake(
        "text is a number", (FEELS, "text = 5"), said=["mine.toml:34: text is 5; expected text"]
    ),
    mistake(
        "unknown list of people",
        (FEELS, FEELS + '\nslots.person.people = "womn"'),
        said=["mine.toml:34: there is no list of people 'womn': did you mean 'women'?"],
    ),
    mistake(
        "people is a number",
        (FEELS, FEELS + "\nslots.person.people = 5"),
        said=["mine.toml:35: slots.person.people is 5; expected lists of people"],
    ),
    mistake(
        "people is empty",
        (FEELS, FEELS + "\nslots.person.people = []"),
        said=["mine.toml:34: slots.person.people is []; expected lists of people"],
    ),
    mistake(
        "people holds a list",
        (FEELS, FEELS + "\nslots.person.people = [[1]]"),
        said=["mine.toml:35: slots.person.people is [[1]]; expected lists of people"],
    ),
    mistake(
        "the same list of people twice",
        (FEELS, FEELS + '\nslots.person.people = ["women", "men", "men"]'),
        said=["mine.toml:34: slots.person.people has 'men' twice; keep one"],
    ),
    mistake(
        "unknown list of words",
        (FEELS, FEELS + '\nslots.state.words = "stat"'),
        said=["mine.toml:34: there is no list of words 'stat': did you mean 'state'?"],
    ),
    mistake(
        "words is a list",
        (FEELS, FEELS + '\nslots.state.words = ["state"]'),
        said=["mine.toml:35: slots.state.words is ['state']; expected text"],
    ),
    mistake(
        "unknown key of a person slot",
        (FEELS, FEELS + '\nslots.person.forn = "object"'),
        said=["mine.toml:35: unknown key 'forn' in [templates.slots.person]: did you mean 'form'?"],
    ),
    mistake(
        "unknown key of a word slot",
        (FEELS, FEELS + '\nslots.state.agree = "person"'),
        said=[
            "mine.toml:35: unknown key 'agree' in [templates.slots.state]: did you mean 'agrees'?"
        ],
    ),
    mistake(
        "form is a list",
        (FEELS, FEELS + "\nslots.person.form = []"),
        said=["mine.toml:35: slots.person.form is []; expected text"],
    ),
    mistake(
        "slots is not a table",
        (FEELS, FEELS + "\nslots = 5"),
        said=["mine.toml:35: slots is 5; expected lines like slots.person.form"],
    ),
    mistake(
        "a slot is not a table",
        (FEELS, FEELS + "\nslots.state = 5"),
        said=["slots.state is 5; expected a table"],
    ),
    mistake(
        "otherwise without a place for the person",
        (FEELS, FEELS + '\nslots.person = { form = "x", otherwise = "someone" }'),
        said=["mine.toml:34: slots.person.otherwise is 'someone'; expected {} where the person"],
    ),
    mistake(
        "repeats nobody",
        (SEES, 'text = "{person} saw {own} {self}."\nslots.own.repeats = "persn"'),
        said=["mine.toml:38: slot 'own' repeats 'persn': did you mean 'person'?"],
    ),
    mistake(
        "repeats itself",
        (SEES, 'text = "{person} saw {own} {self}."\nslots.own.repeats = "own"'),
        said=["mine.toml:38: slot 'own' repeats 'own': expected person"],
    ),
    mistake(
        "focus on no person slot",
        (FEELS, FEELS + '\nfocus = "state"'),
        said=["mine.toml:35: focus 'state' is not a person slot: expected person"],
    ),
    mistake(
        "two person slots share a list",
        (FEELS, 'text = "{person} met {friend}."\nslots.friend.people = "men"'),
        said=["mine.toml:34: slots 'person' and 'friend' of template '1' share the list 'men'"],
    ),
    mistake(
        "capitalise is not yes or no",
        (FEELS, FEELS + '\ncapitalise = "no"'),
        said=["mine.toml:35: capitalise is 'no'; expected true or false"],
    ),
    mistake(
        "fewer words than word slots",
        (FEELS, 'text = "{person} is {state}, {two}."\nslots.two.words = "state"'),
        ('joy = ["glad", "happy"]\n', "\n"),
        said=["mine.toml:34: template '1' needs 2 different words; its lists have fewer"],
    ),
]

FORMS = [
    mistake(
        "missing person form",
        ('object = "him"', 'seen = "him"'),
        said=[
            "mine.toml:38: template '2' needs the object form of 'he', which has only subject, seen"
        ],
    ),
    mistake(
        "missing word form, of the noun",
        ('"glad"', GLAD),
        (FEELS, FEELS + '\nslots.state = { agrees = "noun", noun = "day", form = "n" }'),
        said=["mine.toml:34: template '1' needs the n form of 'glad', which has only f, m"],
    ),
    mistake(
        "missing word form, of the person",
        ('"glad"', GLAD),
        (FEELS, FEELS + '\nslots.state.agrees = "person"'),
        said=[
            "mine.toml:34: the word 'glad' has no form 'female', which 'she' asks for",
            "mine.toml:34: the word 'glad' has no form 'male', which 'he' asks for",
        ],
    ),
    mistake(
        "missing agreeing form",
        (', male = "himself"', ""),
        said=["mine.toml:38: slot 'self' has no form 'male', which 'he' asks for"],
    ),
    mistake(
        "no gender to agree with",
        ('gender = ["female", "male"]', 'gender = ["female", "male"]\nage = ["old", "young"]'),
        ('"Bob", "Tom"]', '"Bob", "Tom", { subject = "Sam", age = "old" }]'),
        ('gender = "male"\nmatch', "match"),
        said=["slot 'self' agrees with 'Bob', who has no gender; give one to agree with"],
    ),
    mistake(
        "forms but nothing to agree with",
        ('"glad"', GLAD),
        said=["mine.toml:34: 'glad' has several forms: say which slot 'state' takes, or what it"],
    ),
    mistake(
        "a noun without its name and form",
        (FEELS, FEELS + '\nslots.state.agrees = "noun"'),
        said=["mine.toml:34: slot 'state' agrees with a noun: say which (noun) and in what form"],
    ),
    mistake(
        "the speaker without a form",
        ('"glad"', GLAD),
        (FEELS, FEELS + '\nslots.state.agrees = "speaker"'),
        said=["mine.toml:34: slot 'state' agrees with the speaker; add [speaker] with its form"],
    ),
    mistake(
        "agreement with a stranger",
        ('agrees = "person"', 'agrees = "persn"'),
        said=["mine.toml:38: slot 'self' agrees with 'persn': did you mean 'person'?"],
    ),
    mistake(
        "agreement with a slot that only repeats",
        (SEES, 'text = "{person} saw {own} {self}."\nslots.own.repeats = "person"'),
        ('agrees = "person"', 'agrees = "own"'),
        said=["mine.toml:38: slot 'self' agrees with 'own': expected person, nothing, noun"],
    ),
    mistake(
        "an agreeing slot that never changes",
        ('agrees = "person"', 'agrees = "speaker"'),
        said=["slot 'self' agrees with 'speaker', so it never changes: write it as text"],
    ),
    mistake(
        "an agreeing slot without forms",
        (SELF, '{ agrees = "person" }'),
        said=["mine.toml:38: slot 'self' needs its forms, each a text"],
    ),
    mistake(
        "an agreeing form that is a number",
        ('"himself"', "5"),
        said=["mine.toml:38: slot 'self' needs its forms, each a text"],
    ),
]

PEOPLE = [
    mistake(
        "unbalanced pair",
        (
            SHE,
            SHE + '\n  { subject = "they", object = "them", gender = "female", match = "she/he" },',
        ),
        said=[
            "mine.toml:11: unbalanced match 'she/he' on gender: 2 female, 1 male; expected one of"
        ],
    ),
    mistake(
        "nobody on the other side of a pair",
        (HE, ""),
        said=["mine.toml:11: unbalanced match 'she/he': she has nobody of another group to stand"],
    ),
    mistake(
        "nobody on the other side of a pool",
        ('"Bob", "Tom"', '{ subject = "Bob", match = "x" }, { subject = "Tom", match = "x" }'),
        said=[
            "mine.toml:19: unbalanced match 'names': Ann, Eve has nobody of another group",
            "mine.toml:25: unbalanced match 'x': Bob, Tom has nobody of another group",
        ],
    ),
    mistake(
        "no match",
        ('gender = "male"\nmatch = "names"', 'gender = "male"'),
        said=["mine.toml:24: Bob, Tom: no match; say whom they stand against"],
    ),
    mistake(
        "a person on both sides of an axis",
        ('"Tom"', '"Ann"'),
        said=[
            "mine.toml:25: 'Ann' stands on both sides of an axis: gender female and male; keep one"
        ],
    ),
    mistake(
        "a person on both sides, in other letters",
        ('"Tom"', '"ANN"'),
        said=["mine.toml:25: 'ANN' stands on both sides of an axis"],
    ),
    mistake(
        "a person twice",
        ('"Eve"]', '"Ann"]'),
        said=["mine.toml:19: 'Ann' stands twice, in 'women' as well; keep one"],
    ),
    mistake(
        "a group the axis does not list",
        ('gender = "male"\nmatch', 'gender = "mail"\nmatch'),
        said=["mine.toml:23: 'Bob' has gender 'mail', which the axis does not list: did you mean"],
    ),
    mistake(
        "no members",
        ('members = ["Bob", "Tom"]', "members = []"),
        said=["mine.toml:25: members is []; expected people, as in members = [...]"],
    ),
    mistake(
        "members is a text",
        ('members = ["Bob", "Tom"]', 'members = "Bob"'),
        said=["mine.toml:25: members is 'Bob'; expected people, as in members = [...]"],
    ),
    mistake(
        "a person is a number",
        ('"Tom"', "7"),
        said=["mine.toml:25: 7 is not a person; expected text or a table of forms"],
    ),
    mistake(
        "a person without a name",
        ('"Tom"', '""'),
        said=["mine.toml:25: the subject form of '' is ''; expected text"],
    ),
    mistake(
        "a person without a form",
        ('"Tom"', '{ gender = "male" }'),
        said=["mine.toml:25: {'gender': 'male'} has no form; expected one such as subject"],
    ),
    mistake(
        "a form that is a number",
        ('object = "her"', "object = 5"),
        said=["mine.toml:11: the object form of 'she' is 5; expected text"],
    ),
    mistake(
        "a match that is a number",
        ('gender = "male"\nmatch = "names"', 'gender = "male"\nmatch = 5'),
        said=["mine.toml:24: match is 5; expected text"],
    ),
    mistake(
        "unknown key of a list of people",
        ('list = "men"', 'list = "men"\nzone = "x"'),
        said=["mine.toml:23: unknown key 'zone' in [[people]]: expected list, edition, members"],
    ),
]

WORDS = [
    mistake(
        "a word twice within an emotion",
        ('"glad", "happy"', '"glad", "glad"'),
        said=["mine.toml:29: 'glad' stands 2 times under joy in list 'state'; keep one"],
    ),
    mistake(
        "no words",
        ('joy = ["glad", "happy"]\nfear = ["scared"]', ""),
        said=["mine.toml:27: the list 'state' has no words; expected lines like joy ="],
    ),
    mistake(
        "a word is a number",
        ('"glad"', "5"),
        said=["mine.toml:29: 5 is not a word; expected text or a table of forms, none empty"],
    ),
    mistake(
        "an empty word",
        ('"glad"', '" "'),
        said=["mine.toml:29: ' ' is not a word; expected text or a table of forms, none empty"],
    ),
    mistake(
        "a word without a lemma",
        ('"glad"', '{ f = "glada" }'),
        said=["mine.toml:29: the joy word {'f': 'glada'} has no lemma, the form it is known by"],
    ),
    mistake(
        "an emotion that is no list",
        ('["scared"]', '"scared"'),
        said=["mine.toml:30", "'fear'"],
    ),
    mistake(
        "a source that is a list is no emotion",
        ('list = "state"', 'list = "state"\nsource = ["a book"]'),
        said=["mine.toml:29: source is ['a book']; expected text"],
    ),
]

WHOLE = [
    mistake(
        "no name",
        ('name = "tiny"\n', "\n"),
        said=['mine.toml:1: [corpus] needs name, for instance name = "my-corpus"'],
    ),
    mistake(
        "no language",
        ('language = "en"\n', "\n"),
        said=['mine.toml:1: [corpus] needs language, for instance language = "en"'],
    ),
    mistake("a name that is a number", ('"tiny"', "5"), said=["mine.toml:2: name is 5; expected"]),
    mistake(
        "no axes",
        ('[axes]\ngender = ["female", "male"]\n', ""),
        said=["mine.toml:1: no [axes]; say what is compared, for instance gender ="],
    ),
    mistake(
        "an axis with one group",
        ('["female", "male"]', '["female"]'),
        said=["mine.toml:6: gender is ['female']; expected two or more different"],
    ),
    mistake(
        "an axis with the same group twice",
        ('["female", "male"]', '["female", "male", "male"]'),
        said=["mine.toml:6: gender is ['female', 'male', 'male']; expected two or more"],
    ),
    mistake(
        "an axis that is no list",
        ('["female", "male"]', "5"),
        said=["mine.toml:6: gender is 5; expected two or more different group names"],
    ),
    mistake(
        "a group with a phrase that is no text",
        ('["female", "male"]', '[{ group = "female", phrase = 3 }, "male"]'),
        said=["mine.toml:6: gender.phrase is 3; expected text"],
    ),
    mistake(
        "a group with an unknown key",
        ('["female", "male"]', '[{ group = "female", words = "about her" }, "male"]'),
        said=["mine.toml:6: unknown key 'words' in [axes.gender]: expected group, phrase"],
    ),
    mistake(
        "an axis called like a column",
        ("[axes]", '[axes]\nperson = ["a", "b"]'),
        said=["mine.toml:6: an axis cannot be called 'person': that word has another meaning here"],
    ),
    mistake(
        "an axis called like a formula",
        ("[axes]", '[axes]\n"a:b" = ["a", "b"]'),
        said=["mine.toml:6: an axis cannot be called 'a:b'; expected a name that begins with a"],
    ),
    mistake(
        "a duplicate template",
        ('id = "2"', 'id = "1"'),
        said=["mine.toml:36: templates entry '1' stands twice; names must differ"],
    ),
    mistake(
        "a duplicate template but for a leading zero",
        ('id = "2"', 'id = "01"'),
        said=["mine.toml:36: templates entry '01' stands twice; names must differ"],
    ),
    mistake(
        "a duplicate list",
        ('list = "men"', 'list = "women"'),
        said=["mine.toml:21: people entry 'women' stands twice; names must differ"],
    ),
    mistake(
        "an undeclared edition",
        ('id = "2"', 'id = "2"\nedition = "publishd"'),
        said=["mine.toml:38: edition 'publishd' is not declared; known are corrected"],
    ),
    mistake(
        "an edition that is a list",
        ('id = "2"', 'id = "2"\nedition = ["published"]'),
        said=["mine.toml:38: 'edition' is ['published']; expected a name"],
    ),
    mistake(
        "an edition that is no table",
        ("[axes]", '[editions]\ncorrected = "x"\n[axes]'),
        said=["mine.toml:6: write [editions.corrected] as a table"],
    ),
    mistake(
        "an edition whose capitals are neither on nor off",
        ("[axes]", '[editions.corrected]\ncapitalise = "no"\n[axes]'),
        said=["mine.toml:6: capitalise is 'no'; expected true or false"],
    ),
    mistake(
        "unknown key",
        ('name = "tiny"', 'name = "tiny"\ntitel = "x"'),
        said=["mine.toml:3: unknown key 'titel' in [corpus]: did you mean 'title'"],
    ),
    mistake(
        "unknown key of a template",
        (FEELS, FEELS + '\ntxt = "x"'),
        said=["mine.toml:35: unknown key 'txt' in [[templates]]: did you mean 'text'?"],
    ),
    mistake(
        "unknown section",
        ("[[words]]", "[[wrods]]"),
        said=["mine.toml:27: unknown section 'wrods'; expected [corpus], [axes]"],
    ),
    mistake(
        "a section that is no table",
        ("[corpus]", "axes = 5\n[corpus]"),
        ('[axes]\ngender = ["female", "male"]\n', ""),
        said=["mine.toml:1: 'axes' is not a table; write [axes] above its entries"],
    ),
    mistake(
        "a list of words under single brackets",
        ("[[words]]", "[words]"),
        said=["mine.toml:27: write each entry under its own [[words]]"],
    ),
    mistake(
        "an entry without a name",
        ('id = "2"\n', ""),
        said=["mine.toml:36: this entry has no 'id'; give it a name"],
    ),
    mistake(
        "an entry whose name is a list",
        ('list = "men"', 'list = ["men"]'),
        said=["mine.toml:22: 'list' is ['men']; expected a name"],
    ),
    mistake(
        "an unheard-of review",
        ('language = "en"', 'language = "en"\nreview = "perfect"'),
        said=["mine.toml:4: review is 'perfect'; expected it to begin with unreviewed, reviewed"],
    ),
    mistake(
        "a source that is a number",
        ('language = "en"', 'language = "en"\nsource = 5'),
        said=["mine.toml:4: source is 5; expected text"],
    ),
    mistake(
        "a speaker whose form is a list",
        ("[axes]", "[speaker]\nform = []\n[axes]"),
        said=["mine.toml:6: form is []; expected text"],
    ),
    mistake(
        "an unknown key of the speaker",
        ("[axes]", '[speaker]\nfrom = "m"\n[axes]'),
        said=["mine.toml:6: unknown key 'from' in [speaker]: did you mean 'form'"],
    ),
    mistake(
        "an agreement with a number",
        ("[axes]", "[agreement]\nfemale = 1\n[axes]"),
        said=["mine.toml:6: female is 1; expected text"],
    ),
]


@pytest.mark.parametrize(("changes", "said"), [*SLOTS, *FORMS, *PEOPLE, *WORDS, *WHOLE])
def test_a_mistake_is_named_with_its_file_and_line(complaint, tiny, changes, said):
    message = complaint(spoil(tiny, *changes))
    assert message.startswith("the corpus")
    for fragment in said:
        assert fragment in message


def test_the_corpus_these_mistakes_are_made_in_is_sound(load, tiny):
    assert load(tiny).size == 6 * 3 + 6


@pytest.mark.parametrize("section", ["people", "templates"])
def test_a_corpus_without_people_or_templates_says_so(complaint, tiny, section):
    blocks = tiny.split("\n\n")
    kept = "\n\n".join(block for block in blocks if not block.startswith(f"[[{section}]]"))
    assert f"mine.toml: no [[{section}]] entry" in complaint(kept)


def test_several_mistakes_are_all_reported_at_once(corpus_file, tiny):
    path = corpus_file(
        spoil(
            tiny,
            ('language = "en"', "lang = 5"),
            ('"Tom"', '"Ann"'),
            ('"glad", "happy"', '"glad", "glad"'),
            ("{state}", "{stat}"),
            (', male = "himself"', ""),
            ('object = "him"', 'seen = "him"'),
        )
    )
    with pytest.raises(CorpusError) as caught:
        load_corpus(path)
    lines = [int(problem.where.rpartition(":")[2]) for problem in caught.value.problems]
    # No language (1), lang for language (3), Ann among the men (25), glad twice (29), an unknown
    # slot (34), and in the last template him and himself missing (38).
    assert sorted(lines) == [1, 3, 25, 29, 34, 38, 38]


def test_the_same_mistake_is_reported_once(corpus_file, tiny):
    # Two templates use the pair; its lack of balance is one problem, not two.
    with pytest.raises(CorpusError) as caught:
        load_corpus(corpus_file(spoil(tiny, (HE, ""))))
    assert len(caught.value.problems) == 1


def test_an_edition_nobody_declared_cannot_be_asked_for(corpus_file, tiny):
    with pytest.raises(TiltmeterError, match=r"no edition of 'mine' called 'publishd'"):
        load_corpus(corpus_file(tiny), "publishd")


def test_a_published_edition_is_offered_when_its_name_is_misspelt():
    with pytest.raises(TiltmeterError, match="did you mean 'published'"):
        load_corpus("eec", "publishd")


def test_provenance_is_inherited_from_the_corpus_and_overruled_by_the_entry(load, tiny):
    text = spoil(
        tiny,
        ('language = "en"', 'language = "en"\nsource = "a book"\nreview = "reviewed by Ada"'),
        ('id = "2"', 'id = "2"\nsource = "a letter"\nnote = "shortened"'),
    )
    design = load(text).design
    first, second = (template.provenance for template in design.templates)
    assert (first.source, first.review, first.note) == ("a book", "reviewed by Ada", "")
    assert (second.source, second.review, second.note) == (
        "a letter",
        "reviewed by Ada",
        "shortened",
    )
    assert design.lists["men"].source == "a book"


def test_what_nobody_has_reviewed_is_unreviewed(load, tiny):
    assert load(tiny).design.provenance.review == "unreviewed"


def test_uneven_pools_are_allowed_where_even_pairs_are_asked_for(load, tiny):
    # 3 women's names against 2 men's: averages still compare; only pairs need one of each.
    assert load(spoil(tiny, ('"Eve"]', '"Eve", "Zoe"]'))).size == 7 * 3 + 7


def test_a_corpus_says_how_findings_speak_of_its_groups():
    race = load_corpus("eec-latino").axes[1]
    assert [race.phrase(one) for one in race.groups] == ["with Latino names", "with Anglo names"]


def test_an_exported_corpus_is_spoken_of_as_the_original(tmp_path):
    load_corpus("eec").sentences().write_csv(tmp_path / "copy.csv")
    race = load_corpus(tmp_path / "copy.csv").axes[1]
    assert race.phrase("African American") == "with African American names"
