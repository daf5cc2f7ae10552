package croupier;

import croupier.games.trick_and_trade.v1.TrickAndTrade.Action;
import croupier.games.trick_and_trade.v1.TrickAndTrade.Card;
import croupier.games.trick_and_trade.v1.TrickAndTrade.TradeCard;
import croupier.v1.Game.GameAction;
import java.util.List;
import java.util.Locale;

/**
 * What bots for Trick and Trade need beside the game's messages: its name, and what can be read off
 * its cards.
 */
public final class TrickAndTrade {
  /** The game's name. */
  public static final String GAME = "trick-and-trade";

  /** The suits' names, in the order in which every list of four runs. */
  public static final List<String> SUITS = List.of("Nev", "Zeus", "Octo", "Ratcoin");

  private static final int[][] ICONS = new int[TradeCard.values().length][];

  static {
    for (TradeCard card :
        TradeCard.values()) { // the contract names each by its icons: TRADE_CARD_NEV_OCTO
      int[] icons = new int[SUITS.size()];
      for (String icon :
          card.name()
              .substring("TRADE_CARD_".length() * (card == TradeCard.UNRECOGNIZED ? 0 : 1))
              .split("_")) {
        for (int suit = 0; suit < icons.length; suit++) {
          icons[suit] += icon.equals(SUITS.get(suit).toUpperCase(Locale.ROOT)) ? 1 : 0;
        }
      }
      ICONS[card.ordinal()] = icons;
    }
  }

  private TrickAndTrade() {}

  /** Returns a trick card's suit, 1 to 4; its place in lists of four is one less. */
  public static int suit(int card) {
    return (card - 1) / 10 + 1;
  }

  /** Returns a trick card's rank, 1 to 10. */
  public static int rank(int card) {
    return (card - 1) % 10 + 1;
  }

  /** Returns what a trick card adds to its suit when it wins the trick: 10 less its rank. */
  public static int value(int card) {
    return 10 - rank(card);
  }

  /** Returns a trick card's name for people: "Zeus 9". */
  public static String name(int card) {
    return card < 1 || card > 40 ? "card " + card : SUITS.get(suit(card) - 1) + " " + rank(card);
  }

  /**
   * Returns how many icons of each suit a trade card shows; none where it is unspecified or
   * unknown.
   */
  public static int[] icons(TradeCard card) {
    return ICONS[card.ordinal()].clone();
  }

  /** Makes the action that plays a card of the hand. */
  public static GameAction play(Card card) {
    return GameAction.newBuilder().setTrickAndTrade(Action.newBuilder().setPlay(card)).build();
  }
}
