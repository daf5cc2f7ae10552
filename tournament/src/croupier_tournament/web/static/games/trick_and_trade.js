// Trick and Trade: the trick, the rows of trade cards, what the suits are worth, who holds what.

import { fixed, html, signed } from "../lib.js";
import { Backs, Card, Facts, nameOf, Num, Shape, split, turnClass, Who, Zone } from "./parts.js";

const SUITS = ["NEV", "ZEUS", "OCTO", "RATCOIN"];
const SHAPE = ["triangle", "bolt", "octagon", "ring"];
const SHOWN = [[], [0], [1], [2], [3], [0, 0], [1, 1], [2, 2], [3, 3], [0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
const [PLAY, TAKE, OVER] = [1, 2, 3];

const suitOf = (card) => Math.floor((card - 1) / 10);
const rankOf = (card) => ((card - 1) % 10) + 1;
const cardName = (card) => `${SUITS[suitOf(card)]} ${rankOf(card)}`;
const tradeName = (kind) => SHOWN[kind].map((suit) => SUITS[suit]).join(" and ") || "taken";

// What an icon of each suit counts, by how many suits are worth more.
const counts = (values) => values.map((value) => [3, 2, 1, -1][values.filter((other) => other > value).length]);

function TrickCard({ card, pick, marks }) {
  return html`<${Card} v=${card} kind="suit-${suitOf(card)}" label=${cardName(card)} pick=${pick} marks=${marks}><b>${rankOf(card)}</b><${Shape} name=${SHAPE[suitOf(card)]} /><small>${SUITS[suitOf(card)].slice(0, 3)}</small><//>`;
}

function TradeCard({ kind, pick }) {
  if (!kind) return html`<${Card} v="0" kind="trade gone" label="taken"> <//>`;
  return html`<${Card} v=${kind} kind="trade" label="trade card ${tradeName(kind)}" pick=${pick}>${SHOWN[kind].map((suit, n) => html`<span key=${n} class="suit-${suit}"><${Shape} name=${SHAPE[suit]} /></span>`)}<//>`;
}

export default {
  inTable: () => true,

  words(action, { names }) {
    if ("play" in action) return `plays ${cardName(action.play)}`;
    if ("take_trade" in action) return `takes the trade card at place ${action.take_trade}`;
    return "takes the lead card";
  },

  Table({ table, own, names, pick }) {
    const over = table.phase === OVER;
    const worth = counts(table.values);
    const order = table.trick.map((card, n) => ({ card, seat: (table.leader + n) % table.seats }));
    const icons = split(table.icons, 4);
    const lead = pick({ take_lead: true });
    return html`
      <${Facts} facts=${[
        ["Round", html`<${Num} zone="round" v=${table.round} /> of ${table.rounds}`],
        ["Now", over ? "over" : html`${nameOf(table.turn, names)} ${table.phase === PLAY ? "plays a card" : "takes a trade card"}`],
        ["Pile", html`<${Num} zone="pile" v=${table.pile} /> trade cards`],
      ]} />
      <div class="board">
        <section><h3>Trick</h3>
          <ol class="trick" data-zone="trick">${order.map(({ card, seat }) => html`<li key=${seat}><ul class="cards"><${TrickCard} card=${card} /></ul><${Who} seat=${seat} names=${names} />${table.placing.includes(seat) ? html` <span class="place">${table.placing.indexOf(seat) + 1}.</span>` : ""}</li>`)}</ol>
          ${!order.length && html`<p class="quiet">${nameOf(table.leader, names)} leads.</p>`}
        </section>
        ${!over && html`<section><h3>To take</h3>
          <${Zone} name="front" label="Front row">${table.front_row.map((kind, place) => html`<${TradeCard} key=${place} kind=${kind} pick=${kind ? pick({ take_trade: place }) : null} />`)}<//>
          ${table.phase === TAKE && html`<ul class="cards"><${Card} v="lead" kind="lead ${table.lead_taken_by !== null ? "gone" : ""}" label="the lead card" pick=${lead}>${table.lead_taken_by === null ? "Lead card" : `Lead: ${nameOf(table.lead_taken_by, names)}`}<//></ul>`}
        </section>
        ${table.back_row.length ? html`<section><h3>Next round</h3><${Zone} name="back" label="Back row">${table.back_row.map((kind, place) => html`<${TradeCard} key=${place} kind=${kind} />`)}<//></section>` : ""}`}
      </div>
      <section><h3>Suits</h3><div class="suits">${SUITS.map((suit, n) => html`<div key=${suit} class="suit-box suit-${n}">
        <h4><${Shape} name=${SHAPE[n]} /> ${suit}</h4><p><span class="quiet">value</span> <${Num} zone="value-${n}" v=${table.values[n]} /> · <span class="quiet">an icon counts</span> <b>${signed(worth[n])}</b></p>
        <${Zone} name="won-${n}" label="Cards won of ${suit}">${table.won.filter((card) => suitOf(card) === n).map((card) => html`<${Card} key=${card} v=${card} kind="small suit-${n}" label="${cardName(card)}, worth ${10 - rankOf(card)}">${rankOf(card)}<//>`)}<//></div>`)}</div></section>
      <section><h3>Seats</h3><div class="seats">${icons.map((held, seat) => html`<div key=${seat} class=${turnClass(!over && table.turn === seat)}>
        <h4><${Who} seat=${seat} names=${names} />${table.leader === seat && !over ? html` <span class="quiet">leads</span>` : ""}</h4>
        <p>${held.map((number, n) => html`<span key=${n} class="icon-count suit-${n}" title="${SUITS[n]} icons"><${Shape} name=${SHAPE[n]} /><span class="hidden">${SUITS[n]} </span><${Num} zone="icons-${seat}-${n}" v=${number} /></span>`)}
          <span class="score">${fixed(held.reduce((sum, number, n) => sum + number * worth[n], 0))}<span class="quiet"> ${over ? "points" : "so far"}</span></span></p>
        ${own[seat]
          ? html`<${Zone} name="hand-${seat}" label="Hand of ${nameOf(seat, names)}">${own[seat].hand.map((card) => html`<${TrickCard} key=${card} card=${card} pick=${pick({ play: card }, seat)} />`)}<//>`
          : html`<${Backs} count=${table.rounds - table.round + 1 - (order.some((one) => one.seat === seat) ? 1 : 0)} label="cards in hand" />`}
      </div>`)}</div></section>`;
  },
};
