"""What a diagram asks to adjust for: the four groups', known traps, and every small diagram."""

from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.corpora import load_rating_group
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.rating.groups import SENTIMENT, WORD, Diagram

S, W = SENTIMENT, WORD
EFFECT = (W, S)


def adjusted(edges, recorded, hidden=(), cause=W):
    return Diagram(tuple(edges), tuple(hidden)).adjustment(cause, recorded)


@pytest.mark.parametrize(
    ("group", "cause", "strata"),
    [
        ("rating-1", W, ()),
        ("rating-1", "gender", ()),
        ("rating-2", W, ("gender",)),
        ("rating-2", "gender", ()),
        ("rating-3", W, ()),
        ("rating-3", "race", ()),
        ("rating-3", "gender", ()),
        ("rating-4", W, ("race", "gender")),
    ],
)
def test_the_four_groups(group, cause, strata):
    corpus = load_rating_group(group)
    diagram = Diagram(tuple(corpus.rating.edges), tuple(corpus.rating.unobserved))
    found = diagram.adjustment(cause, [axis.name for axis in corpus.axes])
    assert found.identifiable
    assert found.strata == strata


def test_a_mediator_is_not_held_fixed():
    # word → intensity → sentiment is part of the word's effect; gender confounds it.
    edges = [EFFECT, (W, "intensity"), ("intensity", S), ("gender", W), ("gender", S)]
    found = adjusted(edges, ["intensity", "gender"])
    assert found.identifiable
    assert found.strata == ("gender",)


def test_an_attribute_that_acts_through_another_need_not_be_held_fixed_too():
    # age → gender → word, and age → sentiment: gender or age shuts the one backdoor path, and
    # one of them is enough.
    edges = [EFFECT, ("age", "gender"), ("gender", W), ("age", S)]
    assert len(adjusted(edges, ["gender", "age"]).strata) == 1


def test_a_third_attribute_is_held_fixed_with_the_others():
    edges = [EFFECT, *((axis, node) for axis in ("race", "gender", "age") for node in (W, S))]
    assert adjusted(edges, ["age", "race", "gender"]).strata == ("age", "race", "gender")


def test_a_third_attribute_that_does_not_choose_words_is_left_alone():
    edges = [EFFECT, ("gender", W), ("gender", S), ("age", S)]
    assert adjusted(edges, ["gender", "age"]).strata == ("gender",)


def test_an_attribute_confounded_by_another_is_told_within_it():
    # age decides who is spoken of (gender) and moves sentiment.
    edges = [EFFECT, ("gender", S), ("age", "gender"), ("age", S)]
    assert adjusted(edges, ["gender", "age"], cause="gender").strata == ("age",)


def test_a_collider_stays_as_it_is():
    # M-bias: word ← a → m ← b → sentiment is shut until m is held fixed.
    edges = [EFFECT, ("a", W), ("a", "m"), ("b", "m"), ("b", S)]
    found = adjusted(edges, ["m"], hidden=["a", "b"])
    assert found.identifiable
    assert found.strata == ()


def test_a_confounder_that_nobody_recorded_is_named_with_its_path():
    edges = [EFFECT, ("gender", W), ("gender", S), ("mood", W), ("mood", S)]
    found = adjusted(edges, ["gender"], hidden=["mood"])
    assert not found.identifiable
    assert found.strata == ()
    assert found.reason == (
        "not identifiable: mood was not recorded, and emotion word ← mood → sentiment stays open"
    )


def test_a_node_that_is_no_column_counts_as_not_recorded():
    assert (
        "mood was not recorded" in adjusted([EFFECT, ("mood", W), ("mood", S)], ["gender"]).reason
    )


def test_what_only_the_front_door_would_tell_is_not_told():
    # All of the effect goes through intensity, which is recorded: the front-door formula would
    # do. Backdoor adjustment cannot, and says why; intensity was recorded and is not blamed.
    edges = [(W, "intensity"), ("intensity", S), ("mood", W), ("mood", S)]
    found = adjusted(edges, ["intensity"], hidden=["mood"])
    assert found.reason == (
        "not identifiable: mood was not recorded, and emotion word ← mood → sentiment stays open"
    )


def test_a_recorded_effect_of_the_word_on_the_open_path_is_not_blamed():
    edges = [EFFECT, ("mood", W), ("mood", "intensity"), (W, "intensity"), ("intensity", S)]
    found = adjusted(edges, ["intensity"], hidden=["mood"])
    assert found.reason == (
        "not identifiable: mood was not recorded, and "
        "emotion word ← mood → intensity → sentiment stays open"
    )


def test_where_holding_fixed_shuts_one_path_and_opens_another_both_culprits_are_named():
    # Butterfly: z confounds, and holding z fixed opens word ← a → z ← b → sentiment.
    edges = [EFFECT, ("z", W), ("z", S), ("a", W), ("a", "z"), ("b", "z"), ("b", S)]
    assert adjusted(edges, ["z", "a"], hidden=["b"]).strata == ("z", "a")
    assert adjusted(edges, ["z"], hidden=["a", "b"]).reason == (
        "not identifiable: a, b were not recorded, and "
        "emotion word ← a → z ← b → sentiment stays open with z held fixed"
    )


def test_sentiment_that_chooses_the_word_is_said_to_be_in_the_way():
    assert adjusted([(S, W)], ["gender"]).reason == (
        "not identifiable: emotion word ← sentiment stays open"
    )


def test_a_circle_is_an_error_that_draws_it():
    with pytest.raises(TiltmeterError, match=r"runs in a circle: .*→.*leave out one"):
        adjusted([EFFECT, ("gender", W), (S, "gender")], ["gender"])


def test_a_way_of_arrows_is_found():
    diagram = Diagram((("gender", "tone"), ("tone", S), EFFECT))
    assert diagram.causes("gender", S)
    assert not diagram.causes(S, "gender")
    assert not diagram.causes("gender", W)
    assert not diagram.causes("nobody", S)


def descendants(edges, node):
    below, ends = set(), {node}
    while ends:
        ends = {effect for cause, effect in edges if cause in ends} - below
        below |= ends
    return below


def separated(edges, one, other, given_):
    """d-separation by the moralised graph of ancestors (Lauritzen et al. 1990)."""
    kept = {one, other, *given_}
    while grown := {cause for cause, effect in edges if effect in kept} - kept:
        kept |= grown
    arrows = [(cause, effect) for cause, effect in edges if effect in kept]
    married = [
        pair
        for child in kept
        for pair in combinations([cause for cause, effect in arrows if effect == child], 2)
    ]
    ties = {frozenset(pair) for pair in (*arrows, *married)}
    reached, ends = {one}, {one}
    while ends:
        ends = {
            node for node in kept - reached - set(given_)
            if any(frozenset((node, end)) in ties for end in ends)
        }  # fmt: skip
        reached |= ends
    return other not in reached


def serves(edges, given_):
    """Pearl's backdoor criterion for the word's effect on sentiment."""
    without = [edge for edge in edges if edge[0] != W]
    return not set(given_) & descendants(edges, W) and separated(without, W, S, given_)


@st.composite
def diagrams(draw):
    nodes = draw(st.permutations([W, S, "a", "b", "c", "d"]))
    pairs = list(combinations(nodes, 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    hidden = draw(st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True))
    return edges, hidden


@given(diagrams())
def test_on_small_diagrams_the_set_serves_and_where_there_is_none_nothing_would(drawn):
    edges, hidden = drawn
    recorded = [node for node in ("a", "b", "c", "d") if node not in hidden]
    found = adjusted(edges, recorded, hidden)
    if found.identifiable:
        assert set(found.strata) <= set(recorded)
        assert serves(edges, found.strata)
        # None of it is held fixed for nothing.
        for node in found.strata:
            assert not serves(edges, set(found.strata) - {node})
        return
    subsets = chain.from_iterable(combinations(recorded, n) for n in range(len(recorded) + 1))
    assert not any(serves(edges, one) for one in subsets)
    assert "stays open" in found.reason
    blamed = found.reason.partition(" not recorded")[0].removeprefix("not identifiable: ")
    if "not recorded" in found.reason:
        named = set(blamed.removesuffix(" was").removesuffix(" were").split(", "))
        assert named <= set(hidden)
    else:
        assert S in {cause for cause, effect in edges if effect == W}


@given(diagrams())
def test_the_path_that_is_named_is_open_whatever_may_be_held_fixed(drawn):
    edges, hidden = drawn
    recorded = [node for node in ("a", "b", "c", "d") if node not in hidden]
    found = adjusted(edges, recorded, hidden)
    if not found.identifiable:
        drawn_path = found.reason.partition("and ")[2] or found.reason.partition(": ")[2]
        words = drawn_path.partition(" stays open")[0]
        path = words.replace("→", "←").split(" ← ")
        assert path[0] == W
        assert path[-1] == S
        ties = {frozenset(edge) for edge in edges}
        assert all(frozenset(pair) in ties for pair in pairwise(path))
        assert (path[1], W) in edges  # into the word: a backdoor
