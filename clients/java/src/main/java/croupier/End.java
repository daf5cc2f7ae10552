package croupier;

import croupier.v1.Game.GameView;
import croupier.v1.Game.Result;
import croupier.v1.Play.SessionEnd;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a session ended, as the bot's seat sees it.
 *
 * @param session the session that is over
 * @param message the end as it came
 */
public record End(Session session, SessionEnd message) {
  /** Points and placings of all seats; none where the session was stopped before its end. */
  public Optional<Result> result() {
    return message.hasResult() ? Optional.of(message.getResult()) : Optional.empty();
  }

  /** The bot's own points; none without a result. */
  public OptionalInt points() {
    Result result = message.getResult();
    return session.seat() < result.getPointsCount()
        ? OptionalInt.of(result.getPoints(session.seat()))
        : OptionalInt.empty();
  }

  /** The bot's own placing, 1 is best; none without a result. */
  public OptionalInt placing() {
    Result result = message.getResult();
    return session.seat() < result.getPlacingsCount()
        ? OptionalInt.of(result.getPlacings(session.seat()))
        : OptionalInt.empty();
  }

  /** The final view of the bot's seat; none without a result. */
  public Optional<GameView> view() {
    return message.hasView() ? Optional.of(message.getView()) : Optional.empty();
  }

  /**
   * The session's seed, 32 bytes, whose SHA-256 is session.seedCommitment(); empty where there was
   * none.
   */
  public byte[] seed() {
    return message.getSeed().toByteArray();
  }
}
