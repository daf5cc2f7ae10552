/** A bot for Trick and Trade that looks one trick ahead: what will an icon pay, and what does each choice bring? */

import { fileURLToPath } from "node:url";

import { Bot, main } from "../src/index.js";
import * as game from "../src/trick-and-trade.js";
import { type Card, icons, rank, suit, value } from "../src/trick-and-trade.js";
import { erf } from "./erf.js";

const WANDER = 4; // how far a suit's value strays in a round
const LEAD = 0.6; // points that it is worth to lead the next trick
const KEEP = 0.3; // points that it is worth to keep a card one rank higher, at the start of the game

/** Makes the choice that promises most points, for itself and against the average opponent. */
export class Greedy extends Bot<game.View, game.Action> {
  override readonly games = [game.GAME];

  choose(decision: game.Decision): number {
    const { view, actions } = decision;
    const { table } = view;
    if (!table) throw new Error("a view without a table");
    const pays = payments(table, table.values);
    const front = table.frontRow.map((card) => (card ? dot(icons(card), pays) : Infinity));
    if (table.placing.length === 0) {
      const cards = actions.flatMap(({ action }) => (action?.$case === "play" ? [action.value] : []));
      const picks = front.toSorted((one, other) => other - one);
      const rest = unseen(view, table);
      return best(cards.map((card) => playPromise(table, card, rest, picks, pays)));
    }
    const leftOver = Math.min(...front) + (table.round < table.rounds ? LEAD : 0); // what comes with the lead card
    return best(actions.map(({ action }) => (action?.$case === "takeTrade" ? at(front, action.value) : leftOver)));
  }
}

/** Returns the place of the highest promise, of equals the first. */
function best(promises: readonly number[]): number {
  return promises.indexOf(Math.max(...promises));
}

/** Returns what an icon of each suit is likely to pay in the end if the suits' values stand like this now. */
function payments(table: game.Table, values: readonly number[]): number[] {
  const spread = WANDER * Math.sqrt(table.rounds - table.round + 1);
  return values.map((own) => {
    const higher = sum(values.map((other) => (1 + erf((other - own) / spread)) / 2)) - 0.5; // suits, some by half
    return higher < 2 ? 3 - higher : 5 - 2 * higher; // x3, x2, x1, x-1, and all between
  });
}

/**
 * Returns what playing a card promises: the pick that its place gives, and what the winner does to the values. The picks
 * are sorted, best first.
 */
function playPromise(table: game.Table, card: Card, rest: Card[], picks: number[], pays: number[]): number {
  const { trick } = table;
  const led = suit(trick[0] ?? card);
  const strengths = rest.map((other) => strength(other, led));
  const stronger = (than: Card) =>
    strengths.length === 0 ? 0 : 1 - strengths.filter((other) => other < strength(than, led)).length / strengths.length;
  const toCome = table.seats - trick.length - 1;
  const winner = [...trick, card].reduce((first, other) =>
    strength(other, led) > strength(first, led) ? other : first,
  );
  const ahead = trick.filter((other) => strength(other, led) > strength(card, led)).length;
  const place = Math.min(ahead + toCome * stronger(card), picks.length - 1);
  const part = place % 1;
  const pick = at(picks, Math.floor(place)) * (1 - part) + at(picks, Math.ceil(place)) * part;
  const later = 1 - table.round / table.rounds;
  return pick + (1 - stronger(winner)) ** toCome * swing(table, winner, pays) - KEEP * rank(card) * later;
}

/** Returns the trick cards that a viewer has not seen. */
function unseen(view: game.View, table: game.Table): Card[] {
  const seen = new Set([...table.played, ...table.trick, ...view.hand]);
  return game.CARDS.filter((card) => !seen.has(card));
}

/** Orders the cards of a trick; of equals the later one is stronger. */
function strength(card: Card, led: game.Suit): number {
  return rank(card) + (suit(card) === led ? 10 : 0);
}

/** Returns what it is worth to the seat on turn that this card wins, against the average opponent. */
function swing(table: game.Table, card: Card, pays: number[]): number {
  const values = table.values.map((before, index) => before + (index === suit(card) - 1 ? value(card) : 0));
  const change = payments(table, values).map((after, index) => after - at(pays, index));
  return sum(
    change.map((by, index) => {
      const own = at(table.icons, 4 * table.turn + index);
      const all = sum(table.icons.filter((_, place) => place % 4 === index));
      return (own - (all - own) / (table.seats - 1)) * by;
    }),
  );
}

function dot(some: readonly number[], others: readonly number[]): number {
  return sum(some.map((one, index) => one * at(others, index)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function at(numbers: readonly number[], index: number): number {
  const found = numbers[index];
  if (found === undefined) throw new RangeError(`no number ${index} among ${numbers.length}`);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(new Greedy());
