"""A tournament's pages from its ledger: what is final is shown, what is not is kept."""

import json

import grpc
import pytest
from asking import ask
from spring import FINAL_BLOCKS, played

from croupier_tournament.plan import GameKey
from croupier_tournament.rpc.errors import CallError
from croupier_tournament.run.hosting import publish_all
from croupier_tournament.run.ledger import FINISHED
from croupier_tournament.web.app import Shown, page
from croupier_tournament.web.bots import Biographies
from croupier_tournament.web.gallery import Fits, InFolder, OfService
from croupier_tournament.web.showcase import Showcase


@pytest.fixture
async def app(hosted):
    gallery = InFolder(hosted, hosted._ledger, hosted.place)
    async with page(Shown(gallery=gallery)) as made:
        yield made


@pytest.fixture
def at(hosted):
    return f"/api/tournaments/{hosted.tournament.id}"


async def test_all_tournaments_are_listed_with_where_they_stand(app, hosted):
    listed = (await ask(app, "/api/tournaments")).json["tournaments"]
    assert [(one["id"], one["title"], one["state"], one["final"], one["planned"]) for one in listed] == [
        (hosted.tournament.id, "Spring <Cup>", "interrupted", 12, 18)
    ]
    assert (await ask(app, "/api/tournaments/nothing")).status == 404


class Door:
    """Lets in whose token is good."""

    async def check(self, token, *, steering=False):
        if token != "good":
            raise CallError(grpc.StatusCode.UNAUTHENTICATED, "UNKNOWN_TOKEN", "nobody has this token")


async def test_where_tokens_are_asked_for_nothing_of_a_tournament_is_shown_without(hosted, at):
    gallery = OfService(None, hosted._ledger, Door())
    async with page(Shown(gallery=gallery)) as app:
        paths = (
            "",
            "/events",
            "/games",
            "/games/b000000-r0",
            "/games/b000000-r0/replay",
            "/bots",
            "/files/games.jsonl",
        )
        for path in ("/api/tournaments", *(at + path for path in paths)):
            assert (await ask(app, path)).status == 401
            refused = await ask(app, path, headers={"authorization": "Bearer bad"})
            assert (refused.status, refused.json["error"]) == (401, "nobody has this token")
        login = await ask(app, "/api/login", method="POST", body={"token": "bad"})
        assert (login.status, "set-cookie" in login.headers) == (401, False)
        login = await ask(app, "/api/login", method="POST", body={"token": "good"})
        assert login.status == 200
        cookie = login.headers["set-cookie"]
        for word in ("HttpOnly", "SameSite=strict"):
            assert word in cookie
        assert "good" not in cookie


async def test_games_of_a_pair_are_those_in_which_both_sit(app, at, hosted):
    answer = (await ask(app, f"{at}/games?with=ann&with=bob&limit=200")).json
    assert answer["games"]
    assert all({"ann", "bob"} <= set(game["entrants"]) for game in answer["games"])
    everything = (await ask(app, f"{at}/games?limit=10")).json
    assert (len(everything["games"]), everything["next"]) == (10, 10)
    rest = (await ask(app, f"{at}/games?limit=200&from=10")).json
    assert (len(rest["games"]), rest["next"]) == (8, None)
    for query, field in (("with=eve", "with"), ("from=x", "from"), ("limit=0", "limit"), ("limit=9999", "limit")):
        refused = await ask(app, f"{at}/games?{query}")
        assert refused.status == 400
        assert field in refused.json["fields"]


async def test_points_of_a_game_are_told_once_its_block_is_final(app, at):
    final = (await ask(app, f"{at}/games/b000000-r0")).json
    assert (final["state"], len(final["points"])) == ("final", 3)
    for key, state in (("b000004-r0", "reported"), ("b000004-r1", "leased"), ("b000005-r0", "planned")):
        shown = (await ask(app, f"{at}/games/{key}")).json
        assert shown["state"] == state
        assert not {"points", "placings", "session"} & shown.keys()


@pytest.mark.parametrize("key", ["b000004-r0", "b000004-r1", "b000005-r0"])
async def test_no_game_is_replayed_while_its_deal_may_still_be_played(app, at, key, hosted):
    for viewer in ("public", "open", "1"):
        refused = await ask(app, f"{at}/games/{key}/replay?viewer={viewer}")
        assert (refused.status, refused.json["error"]) == (
            *(409, "the game can be replayed once all games of its deal are over"),
        )


async def test_a_final_game_is_replayed_from_its_record(app, at, hosted):
    shown = (await ask(app, f"{at}/games/b000001-r2/replay?viewer=open")).json
    assert shown["bots"] == list(hosted.tournament.seating(GameKey(1, 2)))
    charged = [move["charged_ms"] for frame in shown["frames"] for move in frame["moves"] if "charged_ms" in move]
    assert charged == list(range(len(charged)))  # as it was kept, input by input
    assert len(charged) > 30
    assert shown["result"]["points"] == (await ask(app, f"{at}/games/b000001-r2")).json["points"]
    assert len(shown["frames"]) > 30
    again = await ask(app, f"{at}/games/b000001-r2/replay?viewer=open")
    assert again.json == shown
    wrong = await ask(app, f"{at}/games/b000001-r2/replay?viewer=9")
    assert (wrong.status, list(wrong.json["fields"])) == (400, ["viewer"])


@pytest.mark.parametrize("key", ["x", "b0-r0", "b000099-r0", "b000000-r3", "b-00001-r0"])
async def test_a_game_that_is_not_in_the_plan_is_not_found(app, at, key):
    for path in ("", "/replay", "/live"):
        assert (await ask(app, f"{at}/games/{key}{path}")).status == 404


async def test_a_running_game_whose_server_is_gone_says_so(app, at):
    refused = await ask(app, f"{at}/games/b000004-r1/live")
    assert (refused.status, refused.json["error"]) == (503, "the server on which it is played is not there now")
    refused = await ask(app, f"{at}/games/b000005-r0/live")
    assert (refused.status, refused.json["error"]) == (409, "the game has not begun")


async def test_private_files_are_nobodys_business(app, at, hosted):
    for name in ("ledger.sqlite", "runner.json", "spec.toml", "..%2Frunner.json", "logs", "server.db", "nothing"):
        refused = await ask(app, f"{at}/files/{name}")
        assert refused.status == 404, name
    secret = hosted.tournament.entry.secret.hex()
    for path in ("", "/games?limit=200", "/bots", "/files/standings.json", "/files/standings.csv"):
        answer = await ask(app, at + path)
        assert answer.status == 200, path
        assert secret.encode() not in answer.body
        for block in (4, 5):
            seed = hosted.tournament.deal_seed(hosted.tournament.plan.blocks[block].deal).hex().encode()
            assert seed not in answer.body


async def test_standings_can_be_had_while_it_runs_and_files_when_it_is_over(app, at, hosted):
    live = await ask(app, f"{at}/files/standings.csv")
    assert live.headers["Content-Disposition"] == 'attachment; filename="standings.csv"'
    assert live.body.startswith(b"table,rank")
    assert (await ask(app, f"{at}/files/games.jsonl")).status == 404
    over = {"state": FINISHED, "counted": FINAL_BLOCKS, "ended": 3000.0}
    await publish_all(hosted.tournament, hosted._ledger, hosted.place, over)
    await hosted._ledger.set_state(hosted.tournament.id, **over)
    games = await ask(app, f"{at}/files/games.jsonl")
    assert len(games.body.splitlines()) == 12
    report = await ask(app, f"{at}/files/report.html")
    assert report.headers["Content-Disposition"].startswith("attachment")  # its styles are not the page's
    document = await ask(app, f"{at}/files/standings.json")
    assert json.loads(document.body)["title"] == "Spring <Cup>"


async def test_bots_are_shown_with_what_they_have_done(app, at, hosted):
    bots = {bot["name"]: bot for bot in (await ask(app, f"{at}/bots")).json["bots"]}
    assert sorted(bots) == ["ann", "bob", "cat", "dan"]
    games = sum(bot["games"] for bot in bots.values())
    assert games == 12 * 3
    assert sum(bot["faults"].get("late", 0) for bot in bots.values()) == 12
    assert max(bot["last_s"] for bot in bots.values()) == 2003.0
    shown = bots["ann"]
    assert shown["history"][-1]["games"] == 12
    assert 0 < shown["mean_ms"] <= shown["slowest_ms"] <= 25


async def test_histories_are_computed_anew_only_now_and_then(hosted):
    now = [0.0]
    biographies = Biographies(hosted._ledger, lambda: now[0])
    first = await biographies.of(hosted)
    rows = [played(hosted.tournament, GameKey(4, replay)) for replay in range(3)]
    await hosted._ledger.write(hosted.tournament.id, [row for row, _ in rows], {row.key: text for row, text in rows})
    assert await biographies.of(hosted) is first
    now[0] += 60
    assert sum(bot["games"] for bot in await biographies.of(hosted)) == 15 * 3


async def test_standings_are_fitted_when_games_have_become_final_and_not_too_often(hosted):
    now, fitted = [100.0], []

    async def fit(tournament, ledger, counted):
        fitted.append(counted)
        now[0] += 1.0  # it takes a second
        return len(fitted)

    fits = Fits(hosted._ledger, fit, lambda: now[0])
    assert [await fits.standing(hosted) for _ in range(3)] == [1, 1, 1]
    rows = [played(hosted.tournament, GameKey(4, replay)) for replay in range(3)]
    await hosted._ledger.write(hosted.tournament.id, [row for row, _ in rows])
    assert await fits.standing(hosted) == 1  # too soon: refits cost a twentieth of the time at most
    now[0] += 20.5
    assert await fits.standing(hosted) == 2


async def test_a_showcase_shows_everything_at_once_and_ends_with_the_tournament(hosted):
    gallery = InFolder(hosted, hosted._ledger, hosted.place)
    await hosted._ledger.set_state(hosted.tournament.id, FINISHED, reason="every planned game is final", ended=3000.0)
    showcase = Showcase(gallery, hosted)
    seen = b"".join([chunk async for chunk in showcase.follow()])
    for part in ("tournament", "progress", "standings", "running", "troubles", "exports"):
        assert f"event: {part}\n".encode() in seen
    assert b'"state":"finished","reason":"every planned game is final"' in seen
    assert b"Spring <Cup>" in seen  # JSON: what it means in HTML is the browser's to escape
    await showcase.close()
