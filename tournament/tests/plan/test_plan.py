from collections import Counter
from hashlib import sha256
from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_tournament.plan import Format, GameKey, PlanError, PlanSpec, balance, make_plan, tenths


def names(count):
    return tuple(f"bot{number:02}" for number in range(count))


def spec(form="balanced", entrants=8, seats=4, deals=1, **more):
    if form == "balanced":
        more.setdefault("blocks", 30)
    if form == "gauntlet":
        more.setdefault("champion", "bot00")
    if form == "head-to-head" and entrants > 2:
        more.setdefault("pair", ("bot01", "bot00"))
    return PlanSpec(form, names(entrants), seats, deals, "options", more.pop("seed", "seed"), **more)


@st.composite
def plans(draw):
    """Plans of all formats; balanced ones of up to 64 entrants."""
    form, seats = draw(st.sampled_from([*Format])), draw(st.integers(2, 7))
    entrants = max(seats, 3) + draw(st.integers(0, 3))
    if form is Format.BALANCED:
        entrants = draw(st.integers(max(seats, 3), 64))
    if form is Format.DESIGN:
        entrants = {2: 6, 3: 7, 4: 13, 5: 11, 6: 11, 7: 14}[seats]
    return make_plan(spec(form, entrants, seats, draw(st.integers(1, 3)), blocks=draw(st.integers(1, 60))))


@given(plans())
@settings(max_examples=60, deadline=None)
def test_what_every_plan_promises(plan):
    """Blocks are squares of one table, deals are the block's own, and every game is played once."""
    for number, block in enumerate(plan.blocks):
        assert (block.number, block.deal) == (number, number)
        assert list(block.table) == sorted(set(block.table))
        assert len(block.replays) == len(block.table) == plan.spec.seats
        for seat in range(plan.spec.seats):
            assert sorted(seating[seat] for seating in block.replays) == list(block.table)
        assert all(sorted(seating) == list(block.table) for seating in block.replays)
    games = [GameKey(block, replay) for block in range(len(plan.blocks)) for replay in range(plan.spec.seats)]
    assert sorted(plan.order) == games
    assert len(plan) == len(games)


@given(plans())
@settings(max_examples=60, deadline=None)
def test_nobody_meets_a_deal_twice_in_a_row(plan):
    """But for those who have one deal in all: nobody can help that."""
    deals = Counter(entrant for block in plan.blocks for entrant in block.table)
    last = {}
    for key in plan.order:
        for entrant in plan.blocks[key.block].table:
            assert last.get(entrant) != key.block or deals[entrant] == 1
            last[entrant] = key.block


def test_replays_of_a_deal_are_spread_but_not_without_end():
    """Seeds are shown after a deal's last replay, and stopping looks at whole blocks: no block stays open for long."""
    plan = make_plan(spec(entrants=64, blocks=1000))
    first, last = {}, {}
    for at, key in enumerate(plan.order):
        first.setdefault(key.block, at)
        last[key.block] = at
    assert min(last[block] - first[block] for block in first) >= 3 * 8
    assert max(last[block] - first[block] for block in first) <= 4 * 70


def test_which_replay_comes_first_is_shuffled():
    plan = make_plan(spec(blocks=200))
    firsts = {}
    for key in plan.order:
        firsts.setdefault(key.block, key.replay)
    counts = Counter(firsts.values())
    assert all(30 <= counts[replay] <= 70 for replay in range(4))


def test_full_is_every_table_so_many_times():
    plan = make_plan(spec("full", entrants=6, seats=3, deals=2))
    assert Counter(block.table for block in plan.blocks) == dict.fromkeys(combinations(range(6), 3), 2)
    assert {block.table for block in plan.blocks[:20]} == set(combinations(range(6), 3))


def test_after_all_squares_neighbours_of_a_full_plan_are_balanced():
    for seats, deals in ((3, 2), (4, 3), (5, 4)):
        done = balance(make_plan(spec("full", entrants=6, seats=seats, deals=deals)))
        assert done.neighbour_spread.spread == 0
        assert done.seat_spread.spread == 0


def test_a_table_takes_all_its_squares_before_one_comes_again():
    plan = make_plan(spec("full", entrants=5, seats=4, deals=3))
    rows = {}
    for block in plan.blocks:
        rows.setdefault(block.table, set()).add(frozenset(block.replays))
    assert all(len(squares) == 3 for squares in rows.values())


def test_a_design_balances_pairs_in_few_tables():
    plan = make_plan(spec("design", entrants=13, deals=2))
    assert len(plan.blocks) == 26
    assert balance(plan).pair_spread.most == balance(plan).pair_spread.fewest == 2


def test_the_champion_sits_at_every_table_of_a_gauntlet():
    plan = make_plan(spec("gauntlet", entrants=6, seats=3, champion="bot02"))
    assert len(plan.blocks) == comb(5, 2)
    assert all(2 in block.table for block in plan.blocks)
    assert set(balance(plan).played.tolist()) == {4, 10}


def test_a_gauntlet_of_so_many_blocks_chooses_opponents_evenly():
    plan = make_plan(spec("gauntlet", entrants=12, seats=4, champion="bot05", blocks=100))
    played = balance(plan).played.tolist()
    assert played.pop(5) == 100
    assert max(played) - min(played) <= 1


def test_the_pair_of_a_head_to_head_sits_at_every_table():
    plan = make_plan(spec("head-to-head", entrants=5, seats=4, pair=("bot03", "bot01"), deals=2))
    assert plan.spec.pair == ("bot03", "bot01")
    assert Counter(block.table for block in plan.blocks) == {(0, 1, 2, 3): 2, (0, 1, 3, 4): 2, (1, 2, 3, 4): 2}


def test_two_entrants_are_a_pair_and_the_champion_is_named_first():
    assert make_plan(spec("head-to-head", 2, 2, deals=3)).spec.pair == ("bot00", "bot01")
    assert make_plan(spec("head-to-head", 2, 2, deals=3, champion="bot01")).spec.pair == ("bot01", "bot00")


def test_a_plan_is_a_function_of_its_specification():
    one = make_plan(spec())
    assert one.hash == make_plan(spec()).hash
    assert list(one.order) == list(make_plan(spec()).order)
    assert one.blocks[:] == make_plan(spec()).blocks[:]


def test_the_order_in_which_entrants_are_named_is_of_no_importance():
    turned = PlanSpec("balanced", names(8)[::-1], 4, 0, "options", "seed", blocks=30)
    assert make_plan(turned).hash == make_plan(spec(deals=0)).hash
    assert make_plan(turned).entrants == names(8)


@pytest.mark.parametrize(
    "other",
    [
        spec(seed="other"),
        spec(blocks=31),
        spec(entrants=9),
        PlanSpec("balanced", names(8), 4, 0, "other options", "seed", blocks=30),
        PlanSpec("balanced", (*names(7), "zoe"), 4, 0, "options", "seed", blocks=30),
    ],
)
def test_another_specification_has_another_hash(other):
    assert make_plan(other).hash != make_plan(spec()).hash


def test_what_does_not_count_does_not_change_the_plan():
    assert make_plan(spec(deals=7)).hash == make_plan(spec(deals=1)).hash
    assert make_plan(spec("full", blocks=7, champion="bot01")).hash == make_plan(spec("full")).hash


def test_the_plan_version_must_be_raised_when_this_changes():
    """A ledger is keyed by the plan. Whoever changes how plans come about raises VERSION and rewrites these lines."""
    plan = make_plan(spec(entrants=6, blocks=4))
    assert plan.version == 1
    assert [block.replays[0] for block in plan.blocks] == PLAN_ROWS
    assert [str(key) for key in plan.order] == PLAN_ORDER
    assert plan.hash == PLAN_HASH


def test_the_hash_is_what_the_documentation_says():
    plan = make_plan(PlanSpec("gauntlet", ("zoë", "ann", "bob", "eve"), 4, 9, "o", "s", blocks=3, champion="zoë"))
    text = (
        '{"blocks":3,"champion":"zo\\u00eb","deals":0,"entrants":["ann","bob","eve","zo\\u00eb"],"format":"gauntlet",'
        '"options_digest":"o","pair":null,"seats":4,"seed":"s","version":1}'
    )
    whole = sha256(sha256(text.encode()).digest())
    for block in plan.blocks:
        for entrant in block.replays[0]:
            whole.update(entrant.to_bytes(2, "big"))
        for replay, seating in enumerate(block.replays):
            assert seating == tuple(block.replays[0][seat ^ replay] for seat in range(4))
    for key in plan.order:
        whole.update((4 * key.block + key.replay).to_bytes(4, "big"))
    assert plan.hash == whole.hexdigest()


def test_a_game_has_a_name():
    plan = make_plan(spec())
    assert str(plan.order[0]) == f"b{plan.order[0].block:06}-r{plan.order[0].replay}"
    assert all(GameKey.parse(str(key)) == key for key in plan.order)
    assert plan.seating(GameKey(3, 1)) == tuple(plan.entrants[index] for index in plan.blocks[3].replays[1])


@pytest.mark.parametrize("text", ["", "b1-r0", "b000001", "b000001-r", "x000001-r1", "b-00001-r1", "b000001-r1 "])
def test_what_is_no_game_is_told(text):
    with pytest.raises(ValueError, match="games are named like b000123-r2"):
        GameKey.parse(text)


def test_blocks_and_order_are_sequences():
    plan = make_plan(spec())
    assert plan.blocks[-1] == plan.blocks[29]
    assert [block.number for block in plan.blocks[3:9:2]] == [3, 5, 7]
    assert plan.order[2:5] == [plan.order[2], plan.order[3], plan.order[4]]
    with pytest.raises(IndexError):
        plan.blocks[30]
    with pytest.raises(IndexError):
        plan.order[120]


@pytest.mark.parametrize(
    ("wrong", "field", "message"),
    [
        (lambda: spec("swiss"), "format", "'swiss' is none of full, design, balanced, gauntlet, head-to-head"),
        (lambda: spec(seats=1), "seats", "a table has at least 2, not 1"),
        (lambda: spec(entrants=3), "entrants", "3 cannot fill a table of 4"),
        (lambda: PlanSpec("full", ("a", "b", "a"), 2, 1, "", ""), "entrants", "a named twice"),
        (lambda: spec("full", deals=0), "deals", "at least 1 for each table, not 0"),
        (lambda: spec(blocks=0), "blocks", "at least 1, not 0"),
        (lambda: spec(blocks=None), "blocks", "a balanced plan needs to know how many"),
        (lambda: spec("full", entrants=64, seats=7), "deals", "the format balanced takes any number of blocks"),
        (lambda: spec(blocks=10**9), "blocks", "4,000,000,000 games; a plan has at most 5,000,000"),
        (lambda: spec("design", entrants=38), "format", "37 and 40 entrants"),
        (lambda: spec("design", entrants=13, deals=10**6), "deals", "52,000,000 games; a plan has at most 5,000,000"),
        (lambda: spec("gauntlet", champion=None), "champion", "needs to know which entrant"),
        (lambda: spec("gauntlet", champion="nobody"), "champion", "'nobody' is no entrant"),
        (lambda: spec("head-to-head", pair=("bot00", "nobody")), "pair", "'nobody' is no entrant"),
        (lambda: spec("head-to-head", pair=("bot00", "bot00")), "pair", "cannot play against itself"),
        (lambda: spec("head-to-head", pair=None), "pair", "name the two of the 8 entrants"),
        (lambda: spec("head-to-head", 2, 2, champion="nobody"), "champion", "'nobody' is no entrant"),
    ],
)
def test_what_cannot_be_planned_is_told_with_the_field(wrong, field, message):
    with pytest.raises(PlanError) as caught:
        make_plan(wrong())
    assert caught.value.field == field
    assert message in caught.value.message


def test_balance_is_counted_at_every_tenth():
    plan = make_plan(spec(blocks=95))
    assert [done.blocks for done in tenths(plan)] == [10, 19, 29, 38, 48, 57, 67, 76, 86, 95]
    assert [done.blocks for done in tenths(make_plan(spec(blocks=3)))] == [1, 2, 3]


def test_balance_counts_what_is_in_the_blocks():
    plan = make_plan(spec(entrants=6, seats=3, blocks=17))
    done = balance(plan, 11)
    pairs, seats, beside = Counter(), Counter(), Counter()
    for block in plan.blocks[:11]:
        pairs.update(combinations(block.table, 2))
        for seating in block.replays:
            seats.update((entrant, seat) for seat, entrant in enumerate(seating))
            beside.update(pairwise((*seating, seating[0])))
    assert (done.blocks, done.games) == (11, 33)
    assert done.played.tolist() == [sum(entrant in block.table for block in plan.blocks[:11]) for entrant in range(6)]
    for one in range(6):
        assert done.seats[one].tolist() == [seats[one, seat] for seat in range(3)]
        for other in range(6):
            assert done.pairs[one, other] == pairs[min(one, other), max(one, other)]
            assert done.neighbours[one, other] == beside[one, other]
    assert done.pair_spread.spread == done.pair_spread.most - done.pair_spread.fewest <= 3


@pytest.mark.parametrize("upto", [-1, 31])
def test_there_is_no_balance_of_more_than_the_plan(upto):
    with pytest.raises(ValueError, match="the plan has 30 blocks"):
        balance(make_plan(spec()), upto)


PLAN_ROWS = [(1, 5, 3, 4), (0, 1, 2, 4), (0, 5, 2, 3), (0, 4, 5, 2)]
PLAN_ORDER = [
    "b000000-r1",
    "b000001-r1",
    "b000003-r0",
    "b000002-r2",
    "b000000-r3",
    "b000001-r3",
    "b000003-r1",
    "b000002-r0",
    "b000000-r0",
    "b000001-r2",
    "b000003-r3",
    "b000002-r3",
    "b000000-r2",
    "b000001-r0",
    "b000003-r2",
    "b000002-r1",
]
PLAN_HASH = "b51f034ecc399869ced05701fbbab2253a75875dbb6e14ef68b8f51b9023339c"
