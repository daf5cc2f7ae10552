package croupier;

import croupier.v1.Game.Event;
import croupier.v1.Play.ActResult;
import java.util.List;

/**
 * A player. Write {@link #choose}; the hooks below it are there for those who want them.
 *
 * <p>One Bot plays all of its sessions, any number of them side by side; what belongs to one of
 * them goes into {@link Session#data}. Its methods are called one at a time, unless {@link
 * #concurrent} allows several choices at once. Where one of them throws, that is logged, no answer
 * is sent, and that session's clock decides; the other sessions go on.
 */
public abstract class Bot {
  /**
   * Decides. May throw anything: then no answer is sent, and the session's clock decides.
   *
   * <p>A concurrent choice runs in a thread that is interrupted when its answer is no longer
   * wanted: when the decision is asked anew or another one is, when its time has run out, when the
   * session is over.
   */
  public abstract Choice choose(Decision decision) throws Exception;

  /** The games that it plays, by name; none: any. */
  public List<String> games() {
    return List.of();
  }

  /** How many sessions it plays at once, at most; 0: any number. */
  public int maxSessions() {
    return 0;
  }

  /**
   * Whether {@link #onEvents} is to be called. A bot that decides from the view alone is served
   * faster without.
   */
  public boolean wantsEvents() {
    return false;
  }

  /**
   * Whether each choice gets a thread of its own, and may take its time while the other sessions go
   * on. Without, a choice that computes for long holds up all of the bot's sessions, whose clocks
   * run.
   */
  public boolean concurrent() {
    return false;
  }

  /** Sits down in a session: the place to set up {@link Session#data}. */
  public void onStart(Session session) {}

  /**
   * Sees what has happened, in order and without gaps; only called if the bot {@link #wantsEvents}.
   */
  public void onEvents(Session session, List<Event> events) {}

  /**
   * Forgets the events after {@link Session#seq}: the server lost them in a crash, and the game
   * goes on from there.
   */
  public void onRewind(Session session) {}

  /** Hears that an answer was illegal, late, stale or otherwise not taken. */
  public void onResult(Session session, ActResult result) {}

  /** Leaves a session that is over. */
  public void onEnd(Session session, End end) {}
}
