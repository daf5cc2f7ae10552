"""Creating, rotating, deleting and recognising identities."""

import pytest

from croupier_service.identity.registry import MAX_LIFETIME_S, TRUST_S, Identities
from croupier_service.identity.roles import Role
from croupier_service.identity.tokens import new_token, token_hash
from croupier_service.sessions.errors import BadRequest, Conflict, NotFound, Unauthenticated

DAY = 86_400


async def refused(identities, token):
    with pytest.raises(Unauthenticated) as error:
        await identities.authenticate(token)
    assert token not in str(error.value) or not token
    return error.value.reason


# Creating.


async def test_a_token_says_who_it_is_that_shows_it(identities):
    ann, token = await identities.create("ann", Role.BOT)
    _, other = await identities.create("olga", Role.ORGANISER)
    assert (await identities.authenticate(token)).name == "ann"
    assert (await identities.authenticate(other)).role is Role.ORGANISER
    assert (ann.token_hash, ann.expires_at, ann.last_seen_at) == (token_hash(token), None, None)


async def test_a_name_is_given_once(identities):
    await identities.create("ann", Role.BOT)
    with pytest.raises(Conflict, match="'ann' is there already") as error:
        await identities.create("ann", Role.OPERATOR)
    assert (error.value.reason, error.value.field) == ("NAME_TAKEN", "name")


async def test_a_request_sent_again_does_not_show_the_token_again(identities):
    _, token = await identities.create("ann", Role.BOT, request_id="one")
    for name in ("ann", "bob"):
        with pytest.raises(Conflict) as error:
            await identities.create(name, Role.BOT, request_id="one")
        assert (error.value.reason, error.value.field) == ("REQUEST_ID_REUSED", "request_id")
        assert token not in str(error.value)


@pytest.mark.parametrize("name", ["", "Ann", "house:random", "a b", "x" * 65, "ann\n"])
async def test_a_name_that_cannot_be(identities, name):
    for call in (identities.create(name, Role.BOT), identities.rotate(name), identities.delete(name)):
        with pytest.raises(BadRequest) as error:
            await call
        assert (error.value.reason, error.value.field) == ("BAD_BOT_NAME", "name")


@pytest.mark.parametrize("expires_in_s", [-1, MAX_LIFETIME_S + 1, 2**64 - 1])
async def test_a_lifetime_that_cannot_be(identities, expires_in_s):
    await identities.create("there", Role.BOT)
    for call in (
        identities.create("ann", Role.BOT, expires_in_s=expires_in_s),
        identities.rotate("there", expires_in_s=expires_in_s),
    ):
        with pytest.raises(BadRequest) as error:
            await call
        assert error.value.field == "expires_in_s"


# Recognising.


@pytest.mark.parametrize("text", ["", "secret", "croupier_bot_abc", "ann"])
async def test_what_is_no_token_is_told_from_a_token_that_is_not_known(identities, text):
    assert await refused(identities, text) == "BAD_TOKEN"


async def test_a_token_of_nobody_is_refused(identities):
    await identities.create("ann", Role.BOT)
    assert await refused(identities, new_token(Role.BOT)) == "UNKNOWN_TOKEN"


async def test_the_role_in_a_token_proves_nothing(identities):
    _, token = await identities.create("ann", Role.BOT)
    assert await refused(identities, token.replace("_bot_", "_operator_")) == "UNKNOWN_TOKEN"


async def test_a_token_expires(identities, clock):
    _, token = await identities.create("ann", Role.BOT, expires_in_s=30 * DAY)
    clock.advance(30 * DAY - 1)
    await identities.authenticate(token)
    clock.advance(1)
    assert await refused(identities, token) == "EXPIRED_TOKEN"


async def test_a_token_that_expires_while_it_is_trusted_is_refused_all_the_same(identities, clock):
    _, token = await identities.create("ann", Role.BOT, expires_in_s=1)
    await identities.authenticate(token)
    clock.advance(TRUST_S)
    assert await refused(identities, token) == "EXPIRED_TOKEN"


# Rotating and deleting.


async def test_a_rotated_token_is_refused_at_once_and_the_new_one_is_good(identities):
    _, old = await identities.create("ann", Role.BOT)
    await identities.authenticate(old)
    _, new = await identities.rotate("ann")
    assert await refused(identities, old) == "UNKNOWN_TOKEN"
    assert (await identities.authenticate(new)).name == "ann"


async def test_a_deleted_identity_is_refused_at_once_and_its_name_is_free(identities):
    _, token = await identities.create("ann", Role.BOT)
    await identities.authenticate(token)
    await identities.delete("ann")
    assert await refused(identities, token) == "UNKNOWN_TOKEN"
    _, other = await identities.create("ann", Role.ORGANISER)
    assert (await identities.authenticate(other)).role is Role.ORGANISER
    assert await refused(identities, token) == "UNKNOWN_TOKEN"


async def test_who_is_not_there_cannot_be_rotated_or_deleted(identities):
    for call in (identities.rotate("ann"), identities.delete("ann")):
        with pytest.raises(NotFound, match="there is no 'ann'") as error:
            await call
        assert error.value.field == "name"


@pytest.mark.parametrize(("asked", "lives"), [(None, 10 * DAY), (0, None), (DAY, DAY)])
async def test_a_new_token_lives_as_long_as_the_old_one_was_made_for_unless_told_otherwise(
    identities, clock, asked, lives
):
    await identities.create("ann", Role.BOT, expires_in_s=10 * DAY)
    clock.advance(9 * DAY)
    ann, _ = await identities.rotate("ann", expires_in_s=asked)
    assert ann.expires_at == (None if lives is None else clock.now + lives)


async def test_a_token_that_never_expired_is_replaced_by_one_that_does_not_either(identities):
    await identities.create("ann", Role.BOT)
    ann, _ = await identities.rotate("ann")
    assert ann.expires_at is None


async def test_a_token_rotated_while_the_store_was_being_asked_about_it_is_not_trusted(store, clock):
    """The store's answer was true when it was given, and is not when it arrives."""
    identities = Identities(store, wall_clock=clock, clock=clock)
    _, old = await identities.create("ann", Role.BOT)
    by_token = store.by_token

    async def slow(digest):
        found = await by_token(digest)
        store.by_token = by_token
        await identities.rotate("ann")
        return found

    store.by_token = slow
    assert await refused(identities, old) == "UNKNOWN_TOKEN"
    assert await refused(identities, old) == "UNKNOWN_TOKEN"


# Another process at work on the same store.


async def test_what_another_process_does_is_noticed_after_a_second(identities, store, clock):
    other = Identities(store, wall_clock=clock, clock=clock)
    _, ann = await identities.create("ann", Role.BOT)
    _, bob = await identities.create("bob", Role.BOT)
    await identities.authenticate(ann)
    await identities.authenticate(bob)
    await other.rotate("ann")
    await other.delete("bob")
    _, cat = await other.create("cat", Role.BOT)
    assert (await identities.authenticate(cat)).name == "cat"
    clock.advance(TRUST_S)
    assert await refused(identities, ann) == "UNKNOWN_TOKEN"
    assert await refused(identities, bob) == "UNKNOWN_TOKEN"


async def test_open_calls_whose_token_is_good_no_more_are_found_with_the_reason(identities, clock):
    lifetimes = {"ann": 0, "bob": 0, "cat": DAY, "dan": 2 * DAY}
    live = {name: (await identities.create(name, Role.BOT, expires_in_s=s))[0] for name, s in lifetimes.items()}
    assert await identities.revoked(live.values()) == []
    new, _ = await identities.rotate("ann")
    await identities.delete("bob")
    clock.advance(DAY)
    found = {name: (why, good) for name, why, good in await identities.revoked(live.values())}
    assert found == {
        "ann": ("the token of 'ann' was rotated", new.token_hash),
        "bob": ("'bob' was deleted", b""),
        "cat": (identities.expired(live["cat"]), b""),
    }
    assert found["cat"][0].startswith("the token of 'cat' expired at 20")


# Last seen, and pages.


async def test_who_has_been_here_is_remembered(identities, clock):
    _, token = await identities.create("ann", Role.BOT)
    await identities.create("bob", Role.BOT)
    await identities.authenticate(token)
    clock.advance(5)
    identities.seen("ann")
    identities.seen("a ghost")
    assert [(one.name, one.last_seen_at) for one in await identities.page("", 10)] == [
        ("ann", clock.now),
        ("bob", None),
    ]


async def test_pages_go_by_name(identities):
    for name in ("cat", "ann", "dan", "bob"):
        await identities.create(name, Role.BOT)
    first = [one.name for one in await identities.page("", 3)]
    assert first == ["ann", "bob", "cat"]
    assert [one.name for one in await identities.page("cat", 3)] == ["dan"]
