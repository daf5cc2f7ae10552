package croupier;

import croupier.v1.Game.GameAction;

/** What a bot answers to a decision. */
public sealed interface Choice {
  /** For standing decisions only: nothing now; it is asked anew after every change. */
  Choice WAIT = new Wait();

  /** Chooses the action at this place of the decision's actions, 0-based. */
  static Choice index(int index) {
    return new Index(index);
  }

  /** Chooses an action itself: one of the decision's, or one that the bot has made. */
  static Choice action(GameAction action) {
    return new Action(action);
  }

  /** See {@link #WAIT}. */
  record Wait() implements Choice {}

  /** See {@link #index}. */
  record Index(int index) implements Choice {}

  /** See {@link #action}. */
  record Action(GameAction action) implements Choice {}
}
