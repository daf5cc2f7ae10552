// Trades: the seats with their deck trades and partners, the trades under way, what a seat holds and where it saw cards.

import { html, useState } from "../lib.js";
import { Backs, Card, Facts, nameOf, Num, Shape, turnClass, Who, Zone } from "./parts.js";

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const SHAPE = ["club", "diamond", "heart", "spade"];
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const WORDS = { A: "ace", J: "jack", Q: "queen", K: "king" };
const [TRADING, FINISHING, LAST, OVER] = [1, 2, 3, 4];
const LAID = 2;
const BEGUN = 3;
const STATUS = ["", "is choosing cards", "cards are laid", "under way: the partner gives cards"];
const WHY = ["", "they had just traded with each other", "time was over"];

const suitOf = (card) => Math.floor(((card - 1) % 52) / 13);
const valueOf = (card) => ((card - 1) % 13) + 1;
const rankOf = (card) => RANKS[valueOf(card) - 1];
const cardName = (card) => (card ? `${WORDS[rankOf(card)] || rankOf(card)} of ${SUITS[suitOf(card)]}${card > 52 ? " (second pack)" : ""}` : "a card face down");

function Playing({ card, pick, marks = "", note = "", small = false }) {
  const name = `${cardName(card)}${note ? `, ${note}` : ""}`;
  return html`<${Card} v=${card} kind="${small ? "small " : ""}french-${suitOf(card)}" label=${name} pick=${pick} marks=${marks}><b>${rankOf(card)}</b><${Shape} name=${SHAPE[suitOf(card)]} />${card > 52 ? html`<small>2</small>` : ""}<//>`;
}

const cardsOf = (action) => action.offer?.cards || action.give?.cards || null;

// Sets of cards are chosen card by card: what can be completed to a legal set can be added.
function Sets({ seat, hand, legal, act, note }) {
  const [chosen, setChosen] = useState([]);
  const held = chosen.filter((card) => hand.includes(card));
  const fits = (cards) => legal.find((one) => cardsOf(one.action).length === cards.length && cardsOf(one.action).every((card) => cards.includes(card)));
  const possible = (card) => legal.some((one) => [...held, card].every((other) => cardsOf(one.action).includes(other)));
  const toggle = (card) => setChosen(held.includes(card) ? held.filter((other) => other !== card) : [...held, card]);
  const found = fits(held);
  const verb = legal[0].action.give ? "Give" : "Lay";
  return html`<${Zone} name="hand-${seat}" label="Your hand: choose cards">${hand.map((card) => {
      const on = held.includes(card);
      const can = on || possible(card);
      return html`<li key=${card} data-v=${card}><button class="card french-${suitOf(card)} ${can ? "legal" : ""} ${on ? "chosen" : ""}" aria-pressed=${on} disabled=${!can} aria-label="${cardName(card)}${note(card) ? `, ${note(card)}` : ""}" onClick=${() => toggle(card)}><b>${rankOf(card)}</b><${Shape} name=${SHAPE[suitOf(card)]} /></button></li>`;
    })}<//>
    <p><button class="primary" disabled=${!found} onClick=${() => { setChosen([]); act(found.index); }}>${verb} ${held.length ? `these ${held.length}` : "cards"}</button></p>`;
}

export default {
  words(action, { names }) {
    const [kind] = Object.keys(action);
    const cards = cardsOf(action);
    const listed = cards && (cards.some(Boolean) ? cards.map(cardName).join(", ") : `${cards.length} ${cards.length === 1 ? "card" : "cards"} face down`);
    switch (kind) {
      case "declare": return `wants to trade with ${nameOf(action.declare, names)}`;
      case "offer": return `lays ${listed}`;
      case "give": return `gives ${listed}`;
      case "deck_trade": case "last_deck_trade": return `trades ${cardName(action[kind])} with the deck`;
      case "pass_turn": return "passes";
      default: return "keeps its cards";
    }
  },

  composed: (action) => Boolean(cardsOf(action)),
  inTable: (action) => !("pass_turn" in action || "decline" in action),

  Table({ table, own, names, pick, sets }) {
    const over = table.phase === OVER;
    const now = over ? "over" : table.phase === LAST ? "last trades with the deck, in secret" : table.phase === FINISHING ? "trades that had begun are finished" : table.turn === null ? "anybody may trade" : `${nameOf(table.turn, names)}'s turn`;
    // A trade that waits for somebody comes before whose turn it is.
    const busy = table.trades.filter((trade) => trade.status !== LAID).map((trade) => (trade.status === BEGUN ? trade.target : trade.declarer));
    const acts = (seat) => !over && (busy.length ? busy.includes(seat) : table.turn === seat);
    return html`
      <${Facts} facts=${[
        ["Now", now],
        table.turns_left !== null ? ["Turns left", html`<${Num} zone="turns-left" v=${table.turns_left} />`] : null,
        table.time_limit_ms !== null ? ["Time", html`<${Num} zone="now-ms" v=${table.now_ms}>${table.now_ms / 1000}<//> of ${table.time_limit_ms / 1000} s`] : null,
        ["Deck", html`<${Num} zone="deck" v=${table.deck} /> cards`],
        ["Trades declared", html`<${Num} zone="declared" v=${table.declared} />`],
      ]} />
      ${table.trades.length ? html`<section><h3>Under way</h3><ol class="trades" data-zone="trades">${table.trades.map((trade) => html`<li key=${trade.number} data-v=${trade.number}>#${trade.number} <${Who} seat=${trade.declarer} names=${names} /> → <${Who} seat=${trade.target} names=${names} /> <span class="quiet">${trade.cards ? `${trade.cards} cards` : ""} ${STATUS[trade.status]}</span></li>`)}</ol></section>` : ""}
      <section><h3>Seats</h3><div class="seats">${names.slice(0, table.seats).map((_, seat) => {
        const mine = own[seat];
        const declare = pick({ declare: seat });
        const partner = table.partners[seat];
        const legal = mine && sets ? sets(seat).filter((one) => cardsOf(one.action)) : [];
        const note = (card) => [mine.laid.includes(card) && "laid for a trade", mine.drawn.includes(card) && "drawn for a trade", mine.received.includes(card) && "received in the last trade"].filter(Boolean).join(", ");
        return html`<div key=${seat} class=${turnClass(acts(seat))}>
          <h4><${Who} seat=${seat} names=${names} /> ${mine ? html`<span class="score">${mine.hand.reduce((sum, card) => sum + valueOf(card), 0)}<span class="quiet"> in hand</span></span>` : ""}</h4>
          <p><span class="quiet">deck trades left</span> <${Num} zone="deck-trades-${seat}" v=${table.deck_trades_left[seat]} />${partner ? html` · <span class="quiet">last traded with</span> <${Num} zone="partner-${seat}" v=${partner}>${nameOf(partner - 1, names)}<//>` : ""}</p>
          ${table.void_trades[seat] ? html`<p class="quiet">its trade #${table.void_trades[seat]} came to nothing: ${WHY[table.void_reasons[seat]]}</p>` : ""}
          ${declare ? html`<ul class="cards"><${Card} v="declare" kind="wide" label="trade with ${nameOf(seat, names)}" pick=${declare}>trade with ${nameOf(seat, names)}<//></ul>` : ""}
          ${mine
            ? legal.length && legal[0].act
              ? html`<${Sets} key=${legal[0].decision} seat=${seat} hand=${mine.hand} legal=${legal} act=${legal[0].act} note=${note} />`
              : html`<${Zone} name="hand-${seat}" label="Hand of ${nameOf(seat, names)}">${mine.hand.map((card) => html`<${Playing} key=${card} card=${card} note=${note(card)} marks="${mine.laid.includes(card) ? "laid" : ""} ${mine.received.includes(card) ? "received" : ""}" pick=${pick({ deck_trade: card }, seat) || pick({ last_deck_trade: card }, seat)} />`)}<//>`
            : html`<${Backs} count=${7} label="seven cards in hand" />`}
          ${mine && html`<${Seen} mine=${mine} seat=${seat} seats=${table.seats} names=${names} />`}
        </div>`;
      })}</div></section>`;
  },
};

// Where a seat last saw the cards that it does not hold.
function Seen({ mine, seat, seats, names }) {
  const places = Array.from({ length: seats + 2 }, () => []);
  mine.last_seen.forEach((place, n) => { if (place && place !== seat + 1) places[place].push(n + 1); });
  if (!places.some((cards) => cards.length)) return "";
  return html`<details class="seen"><summary>Where it has seen cards</summary>${places.map((cards, place) => (cards.length ? html`<div key=${place}><span class="quiet">${place > seats ? "deck" : nameOf(place - 1, names)}</span><ul class="cards" aria-label="Seen">${cards.map((card) => {
    const since = mine.left_since[card - 1];
    return html`<${Playing} key=${card} card=${card} small=${true} marks=${since ? "doubtful" : ""} note=${since ? `${since} cards have left since` : "it is there"} />`;
  })}</ul></div>` : ""))}</details>`;
}
