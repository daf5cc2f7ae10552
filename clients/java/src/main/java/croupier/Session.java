package croupier;

import croupier.v1.Game.ClockSettings;
import croupier.v1.Game.FaultSettings;
import croupier.v1.Game.GameOptions;
import croupier.v1.Play.SessionStart;

/**
 * The bot's place in a game. It stays the same object from onStart to onEnd, across reconnects.
 *
 * <p>A bot may sit in several seats of one game; each of them is a Session of its own, with the
 * same id.
 */
public final class Session {
  /** Whatever the bot wants to keep for this session; null until it does. */
  public Object data;

  private final SessionStart start;
  private volatile long seq;

  Session(SessionStart start) {
    this.start = start;
    this.seq = start.getSeq();
  }

  /** Its name on the server. Opaque. */
  public String id() {
    return start.getSessionId();
  }

  /** The game's name: "trick-and-trade". */
  public String game() {
    return start.getGame();
  }

  /** The version of the game's rules. */
  public int rulesVersion() {
    return start.getRulesVersion();
  }

  /** The bot's own seat, 0-based. */
  public int seat() {
    return start.getSeat();
  }

  /** Number of seats. */
  public int seats() {
    return start.getSeats();
  }

  /** The game's own options: options().getTrickAndTrade() and so on. */
  public GameOptions options() {
    return start.getOptions();
  }

  /** The clock of every seat. */
  public ClockSettings clock() {
    return start.getClock();
  }

  /** How failing bots are treated. */
  public FaultSettings faults() {
    return start.getFaults();
  }

  /** Whether the server had told the bot of this session before, perhaps an earlier run of it. */
  public boolean resumed() {
    return start.getResumed();
  }

  /** SHA-256 of the session's seed, 32 bytes; empty where the organiser gave the seed. */
  public byte[] seedCommitment() {
    return start.getSeedCommitment().toByteArray();
  }

  /** How many events the bot knows to have happened. */
  public long seq() {
    return seq;
  }

  void seq(long seq) {
    this.seq = seq;
  }

  @Override
  public String toString() {
    return "session %s (%s, seat %d)".formatted(id(), game(), seat());
  }
}
