"""Proves results: fetches the records of games and plays them again by the rules alone."""

from croupier import admin
from croupier.v1.session_pb2 import GetRecordRequest
from croupier_games.kernel import Record, RecordError, find_game, verify
from croupier_tournament.plan.round_robin import deal_seed
from croupier_tournament.run.games import PlayedGame


class Unproven(Exception):
    """A result does not follow from its record, or the record is not that of the game. The message says why."""


async def prove(server: admin.Server, game: PlayedGame, secret: str) -> None:
    """Fetch the record of a game and hold it to the rules, to the deal that was planned and to the result told.

    Raises:
        Unproven: they do not agree.
        RequestError: the server does not give the record.
    """
    reply = await server.sessions.GetRecord(GetRecordRequest(session_id=game.session_id))
    check(game, reply.text, tuple(reply.record.bots), secret)


def check(game: PlayedGame, text: str, bots: tuple[str, ...], secret: str) -> None:
    """Hold a record to the rules, to the deal that was planned and to the result told.

    Args:
        game: the game as it was planned and told.
        text: its record.
        bots: who sat where, by the record.
        secret: what all deals follow from.

    Raises:
        Unproven: they do not agree.
    """
    where = f"game {game.planned.number} (session {game.session_id})"
    try:
        record = Record.from_text(text, find_game)
        result = verify(record, find_game(record.game))
    except RecordError as error:
        raise Unproven(f"{where}: {error}") from error
    if record.seed.raw != deal_seed(secret, game.planned.deal):
        raise Unproven(f"{where}: the cards are not those of deal {game.planned.deal}")
    if bots != game.planned.bots:
        raise Unproven(f"{where}: the record seats {', '.join(bots)}; planned were {', '.join(game.planned.bots)}")
    if (result.points, result.placings) != (game.points, game.placings):
        raise Unproven(
            f"{where}: the server told points {game.points} and placings {game.placings}, "
            f"the rules give {result.points} and {result.placings}"
        )
