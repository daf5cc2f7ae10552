"""What tokens look like."""

import re

import pytest

from croupier_service.identity.roles import Role
from croupier_service.identity.tokens import TOKEN, new_token, token_hash


@pytest.mark.parametrize("role", Role)
def test_a_token_names_its_role_and_ends_in_256_random_bits(role):
    token = new_token(role)
    assert re.fullmatch(rf"croupier_{role.word}_[0-9a-f]{{64}}", token)
    assert TOKEN.fullmatch(token)


def test_no_two_tokens_are_alike():
    assert len({new_token(Role.BOT) for _ in range(100)}) == 100


def test_the_hash_is_all_that_is_kept_and_does_not_hold_the_token():
    token = new_token(Role.BOT)
    assert len(token_hash(token)) == 32
    assert token_hash(token) == token_hash(token) != token_hash(new_token(Role.BOT))
    assert token[-64:] not in token_hash(token).hex()


@pytest.mark.parametrize(
    "text",
    ["", "croupier_bot_", "croupier_king_" + "0" * 64, "croupier_bot_" + "0" * 63, "croupier_bot_" + "0" * 65,
     "croupier_bot_" + "G" * 64, " croupier_bot_" + "0" * 64, "croupier_bot_" + "0" * 64 + "\n"],
)  # fmt: skip
def test_what_is_no_token(text):
    assert not TOKEN.fullmatch(text)
