/** What bots for Trick and Trade need: the game's messages, and what can be read off its cards. */

import type { Decision as AnyDecision } from "./bot.js";
import {
  type Action,
  Card,
  type Suit,
  TradeCard,
  type View,
} from "./gen/croupier/games/trick_and_trade/v1/trick_and_trade.js";

export * from "./gen/croupier/games/trick_and_trade/v1/trick_and_trade.js";

/** The game's name. */
export const GAME = "trick-and-trade";

/** The suits' names, in the order in which every list of four runs. */
export const SUITS = ["Nev", "Zeus", "Octo", "Ratcoin"] as const;

/** The 40 trick cards, suit by suit. */
export const CARDS = membersOf(Card);

/** A decision of this game. */
export type Decision<Data = unknown> = AnyDecision<View, Action, Data>;

/** What there is of each suit. */
export type OfSuits<T = number> = readonly [T, T, T, T];

/** Return a trick card's suit, 1 to 4; its place in lists of four is one less. */
export function suit(card: Card): Suit {
  return Math.floor((card - 1) / 10) + 1;
}

/** Return a trick card's rank, 1 to 10. */
export function rank(card: Card): number {
  return ((card - 1) % 10) + 1;
}

/** Return what a trick card adds to its suit when it wins the trick: 10 less its rank. */
export function value(card: Card): number {
  return 10 - rank(card);
}

/** Return a trick card's name for people: "Zeus 9". */
export function name(card: Card): string {
  const suitName = SUITS[suit(card) - 1];
  return suitName === undefined ? `card ${card}` : `${suitName} ${rank(card)}`;
}

/** Return how many icons of each suit a trade card shows; none where it is unspecified or unknown. */
export function icons(card: TradeCard): OfSuits {
  return ICONS.get(card) ?? [0, 0, 0, 0];
}

/** Return what an icon of each suit pays at these value totals: 3, 2, 1 or -1 by how many suits stand higher. */
export function multipliers(values: readonly number[]): number[] {
  return values.map((mine) => [3, 2, 1, -1][values.filter((other) => other > mine).length] ?? -1);
}

/** The contract names each trade card by its icons: NEV_OCTO. */
const ICONS = new Map<TradeCard, OfSuits>(
  membersOf(TradeCard).map((card) => {
    const shown = TradeCard[card].split("_");
    const count = (suitName: string) => shown.filter((icon) => icon === suitName.toUpperCase()).length;
    return [card, [count("Nev"), count("Zeus"), count("Octo"), count("Ratcoin")]];
  }),
);

/** Return what an enum of the contract has members for: not "unspecified", nor what this SDK does not know. */
function membersOf<Member extends number>(members: Record<string, Member | string>): Member[] {
  return Object.values(members).filter((member): member is Member => typeof member === "number" && member > 0);
}
