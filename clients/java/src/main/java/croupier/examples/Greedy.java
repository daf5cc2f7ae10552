package croupier.examples;

import static croupier.TrickAndTrade.icons;
import static croupier.TrickAndTrade.rank;
import static croupier.TrickAndTrade.suit;
import static croupier.TrickAndTrade.value;

import croupier.Bot;
import croupier.Choice;
import croupier.Croupier;
import croupier.Decision;
import croupier.TrickAndTrade;
import croupier.games.trick_and_trade.v1.TrickAndTrade.Action;
import croupier.games.trick_and_trade.v1.TrickAndTrade.Table;
import croupier.games.trick_and_trade.v1.TrickAndTrade.TradeCard;
import croupier.games.trick_and_trade.v1.TrickAndTrade.View;
import java.util.Arrays;
import java.util.List;

/**
 * A bot for Trick and Trade that looks one trick ahead: what will an icon pay, and what does each
 * choice bring?
 */
public final class Greedy extends Bot {
  private static final double WANDER = 4; // how far a suit's value strays in a round
  private static final double LEAD = 0.6; // points that it is worth to lead the next trick
  private static final double KEEP =
      0.3; // points to keep a card one rank higher, at the start of the game

  public static void main(String[] args) {
    Croupier.main(new Greedy(), args);
  }

  @Override
  public List<String> games() {
    return List.of(TrickAndTrade.GAME);
  }

  @Override
  public Choice choose(Decision decision) {
    View view = decision.view().getTrickAndTrade();
    Table table = view.getTable();
    List<Action> actions =
        decision.actions().stream().map(action -> action.getTrickAndTrade()).toList();
    double[] pays = payments(table, values(table));
    double[] front =
        table.getFrontRowList().stream().mapToDouble(card -> worth(card, pays)).toArray();
    if (table.getPlacingCount() == 0) {
      int[] unseen = unseen(view);
      double[] picks =
          Arrays.stream(front)
              .map(pick -> -pick)
              .sorted()
              .map(pick -> -pick)
              .toArray(); // best first
      return best(
          actions.stream()
              .mapToDouble(action -> promise(table, action.getPlayValue(), unseen, picks, pays)));
    }
    // what comes with the lead card
    double leftOver =
        Arrays.stream(front).min().orElseThrow()
            + (table.getRound() < table.getRounds() ? LEAD : 0);
    return best(
        actions.stream()
            .mapToDouble(action -> action.getTakeLead() ? leftOver : front[action.getTakeTrade()]));
  }

  /** Chooses the highest promise, of equals the first. */
  private static Choice best(java.util.stream.DoubleStream promises) {
    double[] all = promises.toArray();
    int best = 0;
    for (int index = 1; index < all.length; index++) {
      best = all[index] > all[best] ? index : best;
    }
    return Choice.index(best);
  }

  /** Returns what a trade card of the front row pays; infinity where it has been taken. */
  private static double worth(TradeCard card, double[] pays) {
    if (card == TradeCard.TRADE_CARD_UNSPECIFIED) {
      return Double.POSITIVE_INFINITY;
    }
    int[] icons = icons(card);
    double worth = 0;
    for (int suit = 0; suit < icons.length; suit++) {
      worth += icons[suit] * pays[suit];
    }
    return worth;
  }

  private static int[] values(Table table) {
    return table.getValuesList().stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Returns what an icon of each suit is likely to pay in the end if the suits' values stand like
   * this now.
   */
  private static double[] payments(Table table, int[] values) {
    double spread = WANDER * Math.sqrt(table.getRounds() - table.getRound() + 1);
    double[] pays = new double[values.length];
    for (int suit = 0; suit < values.length; suit++) {
      double higher = 0; // suits, some of them by half
      for (int other : values) {
        higher += (1 + erf((other - values[suit]) / spread)) / 2;
      }
      higher -= 0.5;
      pays[suit] = higher < 2 ? 3 - higher : 5 - 2 * higher; // x3, x2, x1, x-1, and all between
    }
    return pays;
  }

  /**
   * Returns what playing a card promises: the pick that its place gives, and what the winner does
   * to the values.
   */
  private static double promise(
      Table table, int card, int[] unseen, double[] picks, double[] pays) {
    List<Integer> trick = table.getTrickValueList();
    int led = suit(trick.isEmpty() ? card : trick.get(0));
    int toCome = table.getSeats() - trick.size() - 1;
    int winner = trick.isEmpty() ? card : trick.get(0); // so far
    int ahead = 0;
    for (int other : trick) {
      winner = strength(other, led) > strength(winner, led) ? other : winner;
      ahead += strength(other, led) > strength(card, led) ? 1 : 0;
    }
    winner = strength(card, led) > strength(winner, led) ? card : winner;
    double place = Math.min(ahead + toCome * stronger(unseen, card, led), picks.length - 1);
    double part = place % 1;
    double pick = picks[(int) place] * (1 - part) + picks[(int) Math.ceil(place)] * part;
    double later = 1 - (double) table.getRound() / table.getRounds();
    double holds = Math.pow(1 - stronger(unseen, winner, led), toCome);
    return pick + holds * swing(table, winner, pays) - KEEP * rank(card) * later;
  }

  /** Returns the trick cards that a viewer has not seen. */
  private static int[] unseen(View view) {
    Table table = view.getTable();
    return java.util.stream.IntStream.rangeClosed(1, 40)
        .filter(card -> !table.getPlayedValueList().contains(card))
        .filter(card -> !table.getTrickValueList().contains(card))
        .filter(card -> !view.getHandValueList().contains(card))
        .toArray();
  }

  /** Returns the share of the unseen cards that are as strong as a card, or stronger. */
  private static double stronger(int[] unseen, int card, int led) {
    if (unseen.length == 0) {
      return 0;
    }
    long weaker =
        Arrays.stream(unseen).filter(other -> strength(other, led) < strength(card, led)).count();
    return 1 - (double) weaker / unseen.length;
  }

  /** Orders the cards of a trick; of equals the later one is stronger. */
  private static int strength(int card, int led) {
    return rank(card) + (suit(card) == led ? 10 : 0);
  }

  /**
   * Returns what it is worth to the seat on turn that this card wins, against the average opponent.
   */
  private static double swing(Table table, int card, double[] pays) {
    int[] values = values(table);
    values[suit(card) - 1] += value(card);
    double[] after = payments(table, values);
    double swing = 0;
    for (int suit = 0; suit < values.length; suit++) {
      double own = table.getIcons(4 * table.getTurn() + suit);
      double others = -own;
      for (int at = suit; at < table.getIconsCount(); at += 4) {
        others += table.getIcons(at);
      }
      swing += (own - others / (table.getSeats() - 1)) * (after[suit] - pays[suit]);
    }
    return swing;
  }

  /**
   * The error function, which Java lacks: by a series whose terms are all of one sign, to the last
   * digit or two.
   *
   * <p>erf(x) = 2 / sqrt(pi) * exp(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / (3 * 5) + ...)
   */
  static double erf(double x) {
    if (Math.abs(x) > 6) {
      return Math.signum(x); // it differs from one by less than a double can say
    }
    double term = x;
    double sum = x;
    for (int odd = 3; Math.abs(term) > Math.abs(sum) * 1e-17; odd += 2) {
      term *= 2 * x * x / odd;
      sum += term;
    }
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }
}
