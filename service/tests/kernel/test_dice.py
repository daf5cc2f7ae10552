"""The dice, held to what docs/reference/dice.md says of them."""

import re
from collections import Counter
from hashlib import sha256
from itertools import count, islice, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_games.kernel import Dice, Seed

PAGE = (Path(__file__).parents[3] / "docs/reference/dice.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------- the page again


def words_of(seed: bytes, name: str):
    """The stream, written once more from the words of the page and nothing else."""
    key = sha256(seed + name.encode()).digest()
    for block in count():
        digest = sha256(key + block.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))


def drawn_below(n: int, words) -> int:
    return next(word for word in words if word < 2**32 // n * n) % n


def rows(columns: int) -> list[list[str]]:
    """The rows of the page's table with so many columns, without its head."""
    table = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in table if len(row) == columns][2:]


SEEDS = {name: bytes.fromhex(text) for name, text in rows(2) if re.fullmatch("[0-9a-f]{64}", text)}
VECTORS = [pytest.param(SEEDS[row[0]], *row[1:], id=" ".join(row[:2])) for row in rows(6)]
VECTOR_COLUMNS = ("seed", "name", "words", "below_6", "shuffled", "below_large")


def numbers(text: str, base: int = 10) -> list[int]:
    return [int(number, base) for number in text.split()]


def test_the_page_has_its_vectors():
    assert len(SEEDS) == 4
    assert len(VECTORS) == 5
    assert SEEDS["text"] == Seed.of("croupier").raw


@pytest.mark.parametrize(VECTOR_COLUMNS, VECTORS)
def test_vectors(seed, name, words, below_6, shuffled, below_large):
    dice = Seed(seed).dice(name)
    assert [dice.word() for _ in range(8)] == numbers(words, 16)
    dice = Seed(seed).dice(name)
    assert [dice.below(6) for _ in range(10)] == numbers(below_6)
    assert Seed(seed).dice(name).shuffled(range(10)) == numbers(shuffled)
    dice = Seed(seed).dice(name)
    assert [dice.below(2147483649) for _ in range(3)] == numbers(below_large)


@pytest.mark.parametrize(VECTOR_COLUMNS, VECTORS)
def test_vectors_follow_from_the_text(seed, name, words, below_6, shuffled, below_large):
    assert list(islice(words_of(seed, name), 8)) == numbers(words, 16)
    stream = words_of(seed, name)
    assert [drawn_below(6, stream) for _ in range(10)] == numbers(below_6)
    stream = words_of(seed, name)
    assert [drawn_below(2147483649, stream) for _ in range(3)] == numbers(below_large)
    stream, items = words_of(seed, name), list(range(10))
    for i in reversed(range(1, 10)):
        j = drawn_below(i + 1, stream)
        items[i], items[j] = items[j], items[i]
    assert items == numbers(shuffled)


def test_a_pack_of_52():
    printed = re.search(r"```\n([0-9 \n]+)```", PAGE)[1]
    assert Seed(SEEDS["count"]).dice("deck").shuffled(range(52)) == numbers(printed)


def test_numbers_below_52():
    dice = Seed(SEEDS["count"]).dice("deck")
    drawn = [5, 1, 48, 8, 36, 36, 36, 24, 6, 12, 1, 11, 12, 11, 31, 45, 34, 47, 23, 1]
    assert [dice.below(52) for _ in range(20)] == drawn


# ----------------------------------------------------------------------------------------------------- a number below n


class Loaded(Dice):
    """Dice that give these words."""

    def __init__(self, *words: int) -> None:
        super().__init__(b"")
        self._words = list(reversed(words))


TOP = 2**32 - 1


@pytest.mark.parametrize(
    ("n", "words", "number"),
    [
        (1, [TOP], 0),
        (6, [4294967291], 5),  # the last word of the last whole run of six
        (6, [4294967292, 7], 1),  # the first of the four words left over
        (6, [TOP, 4294967292, 4294967293, 8], 2),
        (10, [4294967289], 9),
        (10, [4294967290, TOP, 13], 3),
        (2**31, [TOP], 2**31 - 1),  # powers of two leave nothing over
        (2**31 + 1, [2**31], 2**31),
        (2**31 + 1, [2**31 + 1, TOP, 5], 5),
        (TOP, [TOP - 1], TOP - 1),
        (TOP, [TOP, 0], 0),
        (2**32, [TOP], TOP),
    ],
)
def test_words_beyond_the_last_whole_run_are_thrown_away(n, words, number):
    dice = Loaded(*words)
    assert dice.below(n) == number
    assert dice._words == []


def test_a_shuffle_throws_away_the_same_words():
    assert Loaded(TOP, 4, 1).shuffled("abc") == Loaded(4, 1).shuffled("abc") == ["a", "c", "b"]


@given(st.integers(1, 2**32), st.integers(0, 99))
def test_below_is_in_range_and_is_what_the_page_says(n, number):
    seed = Seed.of(f"hypothesis {number}")
    drawn = seed.dice("x").below(n)
    assert 0 <= drawn < n
    assert drawn == drawn_below(n, words_of(seed.raw, "x"))


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_there_is_nothing_below_some_numbers(n):
    with pytest.raises(ValueError, match=f"takes 1 <= n <= 2\\*\\*32, got {n}"):
        Seed.of("x").dice("x").below(n)


def test_there_is_no_choice_of_nothing():
    with pytest.raises(ValueError, match="below"):
        Seed.of("x").dice("x").choice([])


# ------------------------------------------------------------------------------------------------------------- fairness


def chi_square(counts, expected):
    return sum((seen - expected) ** 2 for seen in counts) / expected


def test_numbers_are_even():
    dice, rolls = Seed.of("fair").dice("rolls"), 52_000
    seen = Counter(dice.below(52) for _ in range(rolls))
    assert chi_square([seen[n] for n in range(52)], rolls / 52) < 87.97  # 51 degrees of freedom, one in a thousand


def test_numbers_are_even_where_half_the_words_are_thrown_away():
    dice, rolls, n = Seed.of("fair").dice("large"), 8000, 2**31 + 1
    seen = Counter(dice.below(n) * 8 // n for _ in range(rolls))
    assert chi_square([seen[eighth] for eighth in range(8)], rolls / 8) < 24.32  # 7 degrees of freedom


def test_orders_are_even():
    dice, shuffles = Seed.of("fair").dice("orders"), 24_000
    seen = Counter(tuple(dice.shuffled("abcd")) for _ in range(shuffles))
    assert chi_square([seen[order] for order in permutations("abcd")], shuffles / 24) < 49.73  # 23 degrees of freedom


# ------------------------------------------------------------------------------------------------------------- the rest


@pytest.mark.parametrize("length", [0, 1, 2, 7, 8, 9, 40, 300])
def test_a_shuffle_draws_below_i_plus_1_from_the_end(length):
    one, other = Seed.of("x").dice("deck"), Seed.of("x").dice("deck")
    items, expected = list(range(length)), list(range(length))
    one.shuffle(items)
    for i in range(length - 1, 0, -1):
        j = other.below(i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert items == expected
    assert one.word() == other.word()


def test_a_shuffled_copy_leaves_the_original():
    items = [1, 2, 3, 4, 5]
    assert sorted(Seed.of("x").dice("x").shuffled(items)) == items == [1, 2, 3, 4, 5]


def test_a_choice_is_the_thing_at_a_number():
    one, other = Seed.of("x").dice("x"), Seed.of("x").dice("x")
    assert [one.choice("abcde") for _ in range(20)] == ["abcde"[other.below(5)] for _ in range(20)]


@pytest.mark.parametrize("read", [0, 1, 7, 8, 9])
def test_a_clone_goes_on_from_the_same_place_by_itself(read):
    dice = Seed.of("x").dice("x")
    for _ in range(read):
        dice.word()
    clone = dice.clone()
    ahead = [clone.word() for _ in range(20)]
    assert [dice.word() for _ in range(20)] == ahead


def test_streams_of_different_names_and_seeds_are_different():
    firsts = {Seed.of(seed).dice(name).word() for seed in "ab" for name in ("deck", "deck/1", "stack")}
    assert len(firsts) == 6


def test_a_stream_has_a_name():
    with pytest.raises(ValueError, match="named after what it decides"):
        Seed.of("x").dice("")


def test_a_fresh_seed_is_the_next_eight_words():
    words = words_of(Seed.of("x").raw, "redeal")
    dice = Seed.of("x").dice("redeal")
    for _ in range(2):
        assert dice.seed().raw == b"".join(next(words).to_bytes(4, "big") for _ in range(8))


def test_a_seed_is_32_bytes():
    with pytest.raises(ValueError, match="a seed has 32 bytes, got 31"):
        Seed(bytes(31))
    with pytest.raises(ValueError, match="a seed has 32 bytes, got 1"):
        Seed.from_hex("ab")


def test_a_seed_survives_as_hexadecimal():
    seed = Seed.of("x")
    assert Seed.from_hex(seed.hex()) == seed
    assert len({seed, Seed(seed.raw), Seed.of("y")}) == 2


def test_a_seed_does_not_show_itself():
    assert repr(Seed.of("x")) == "Seed(...)"


def test_a_commitment_is_the_hash_of_the_seed():
    assert Seed.of("x").commitment() == sha256(Seed.of("x").raw).digest()
