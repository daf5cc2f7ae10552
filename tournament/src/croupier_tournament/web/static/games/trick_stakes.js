// Trick Stakes: the course with its stacked horses and odds, the trick, what each seat has bet and holds.

import { html } from "../lib.js";
import { Card, Facts, nameOf, Num, Shape, split, turnClass, Who, Zone } from "./parts.js";

const COLORS = ["", "red", "blue", "yellow", "green"];
const SHAPE = ["", "square", "drop", "star", "diamond"];
const HORSES = ["", "Vanilla Beans", "Forêt Noire", "Silver Arrasan", "Gâteau Opéra"];
const TICKETS = [...HORSES, "Win"];
const SHORT = ["", "VB", "FN", "SA", "GO"];
const [DISCARD, UP, DOWN, PLAY, OVER] = [1, 2, 3, 4, 5];
const NOW = { [DISCARD]: "to discard in secret", [UP]: "to lay a ticket face up", [DOWN]: "to lay a ticket face down", [PLAY]: "to play a card" };
const FINISH = 7;

const colorOf = (card) => Math.floor((card - 1) / 12) + 1;
const numberOf = (card) => ((card - 1) % 12) + 1;
const cardName = (card) => `${COLORS[colorOf(card)]} ${numberOf(card)}`;
const marksOf = (card) => 4 - Math.floor((numberOf(card) - 1) / 3);

function RaceCard({ card, pick, marks, horse }) {
  const label = `${cardName(card)}${horse ? `, of ${HORSES[horse]}` : ""}, moves ${marksOf(card)}`;
  return html`<${Card} v=${card} kind="color-${colorOf(card)}" label=${label} pick=${pick} marks=${marks}><b>${numberOf(card)}</b><${Shape} name=${SHAPE[colorOf(card)]} /><small>${"•".repeat(marksOf(card))}</small><//>`;
}

function Horse({ horse, v }) {
  return html`<li data-v=${v ?? horse}><span class="horse horse-${horse}" role="img" aria-label=${HORSES[horse]} title=${HORSES[horse]}>${SHORT[horse]}</span></li>`;
}

function playingOrder(table) {
  const at = table.circle.indexOf(table.leader);
  const clockwise = [...table.circle.slice(at), ...table.circle.slice(0, at)];
  if (table.leader >= table.seats) return clockwise;
  return [...clockwise.filter((place) => place < table.seats), ...clockwise.filter((place) => place >= table.seats)];
}

export default {
  inTable: () => true,

  words(action) {
    if ("discard" in action) return `discards ${cardName(action.discard)}`;
    if ("ticket_up" in action) return `lays the ticket ${TICKETS[action.ticket_up]} face up`;
    if ("ticket_down" in action) return `lays the ticket ${TICKETS[action.ticket_down]} face down`;
    return `plays ${cardName(action.play.card)}${action.play.whip ? " with the whip" : ""}`;
  },

  Table({ table, own, names, pick }) {
    const over = table.phase === OVER;
    const order = playingOrder(table);
    const top = table.top_cards.at(-1);
    const backs = split(table.hand_colors, 4);
    const rider = (horse) => table.horses.indexOf(horse);
    const now = over ? "over" : `${table.to_act.map((seat) => nameOf(seat, names)).join(", ")} ${NOW[table.phase] || ""}`;
    return html`
      <${Facts} facts=${[
        ["Race", html`<${Num} zone="race" v=${table.race} /> of ${table.races}`],
        ["Now", now],
        top ? ["Discard number", html`${numberOf(top)} <span class="quiet">(${cardName(top)})</span>`] : null,
      ]} />
      <section><h3>Course</h3><div class="scroll" tabindex="0" role="region" aria-label="Course"><ol class="course">${Array.from({ length: FINISH + 1 }, (_, space) => html`<li key=${space} class=${space === FINISH ? "finish" : ""}>
        <ul class="pile" data-zone="space-${space}" aria-label=${space === 0 ? "At the gate" : space === FINISH ? "At the finish" : `Space ${space}`}>${table.standing.filter((horse) => table.spaces[horse - 1] === space).map((horse) => html`<${Horse} key=${horse} horse=${horse} />`)}</ul>
        <span class="quiet">${space === 0 ? "gate" : space === FINISH ? "finish" : space}</span></li>`)}</ol></div>
        <div class="scroll" tabindex="0" role="region" aria-label="Horses"><table class="data narrow"><caption class="hidden">Horses, the best first</caption><thead><tr><th scope="col" class="left">Horse</th><th scope="col">Odds</th><th scope="col" class="left">Rider</th></tr></thead>
        <tbody data-zone="standing">${table.standing.map((horse) => html`<tr key=${horse} data-v=${horse}><th scope="row" class="left"><span class="horse horse-${horse}" aria-hidden="true">${SHORT[horse]}</span> ${HORSES[horse]}</th><td data-odds=${table.odds[horse - 1]}>${table.odds[horse - 1]}</td><td class="left">${nameOf(rider(horse), names)}</td></tr>`)}</tbody></table></div></section>
      <div class="board">
        <section><h3>Trick</h3><ol class="trick" data-zone="trick">${table.trick.map((card, n) => html`<li key=${n}><ul class="cards"><${RaceCard} card=${card} /></ul><${Who} seat=${order[n]} names=${names} />${table.whip_at === n + 1 ? html` <span class="whip">whip</span>` : ""}</li>`)}</ol>
          ${!table.trick.length && html`<p class="quiet">${over ? "The races are over." : `${nameOf(table.leader, names)} leads.`}</p>`}</section>
        <section><h3>Turned up</h3><${Zone} name="turned-up" label="Turned up, out of this race">${table.turned_up.slice(-4).map((card, n) => html`<${RaceCard} key=${n} card=${card} />`)}<//></section>
        ${table.dummy.length ? html`<section><h3>Dummy's pile</h3><${Zone} name="dummy" label="The dummy's cards, the top one first">${table.dummy.map((card) => html`<${RaceCard} key=${card} card=${card} />`)}<//></section>` : ""}
      </div>
      <section><h3>Seats</h3><div class="seats">${table.horses.map((horse, place) => {
        const seat = place < table.seats;
        const mine = seat ? own[place] : null;
        const up = seat ? table.tickets_up.slice(-table.seats)[place] : 0;
        const down = seat ? table.tickets_down.slice(-table.seats)[place] || mine?.ticket_down || 0 : 0;
        const laid = table.phase === PLAY || over || (table.phase === DOWN && !table.to_act.includes(place));
        return html`<div key=${place} class=${turnClass(!over && table.to_act.includes(place))}>
          <h4><${Who} seat=${place} names=${names} /> ${seat ? html`<span class="score"><${Num} zone="points-${place}" v=${table.points[place]} /><span class="quiet"> points</span></span>` : ""}</h4>
          <p><span class="horse horse-${horse}" aria-hidden="true">${SHORT[horse]}</span> rides ${HORSES[horse]} · <span class="quiet">whips</span> <${Num} zone="whips-${place}" v=${table.whips[place]} /></p>
          ${seat && html`<p><span class="quiet">Tickets</span> ${up ? html`<span class="ticket" data-zone="ticket-up-${place}" data-v=${up}>${TICKETS[up]}</span>` : ""} ${down ? html`<span class="ticket down" data-zone="ticket-down-${place}" data-v=${down}>${TICKETS[down]}</span>` : laid && seat ? html`<span class="ticket down">face down</span>` : ""}</p>`}
          <p class="backs-by-color">${backs[place].map((count, n) => (count ? html`<span key=${n} class="icon-count color-${n + 1}" title="cards in hand by their backs: ${count} ${COLORS[n + 1]}"><${Shape} name=${SHAPE[n + 1]} /><span class="hidden">${COLORS[n + 1]} cards in hand </span><${Num} zone="backs-${place}-${n + 1}" v=${count} /></span>` : ""))}</p>
          ${mine && html`<${Zone} name="hand-${place}" label="Hand of ${nameOf(place, names)}">${mine.hand.map((card) => html`<${RaceCard} key=${card} card=${card} horse=${mine.known[card - 1]}
            pick=${pick({ discard: card }, place) || pick({ play: { card, whip: false } }, place)} />`)}<//>
            ${mine.hand.some((card) => pick({ play: { card, whip: true } }, place)?.act) ? html`<p class="quiet">with the whip:</p><ul class="cards">${mine.hand.map((card) => { const chosen = pick({ play: { card, whip: true } }, place); return chosen ? html`<${RaceCard} key=${card} card=${card} pick=${chosen} marks="whipped" />` : ""; })}</ul>` : ""}
            ${(table.phase === UP || table.phase === DOWN) && !over ? html`<ul class="cards">${TICKETS.map((name, ticket) => { const chosen = ticket ? pick({ ticket_up: ticket }, place) || pick({ ticket_down: ticket }, place) : null; return chosen ? html`<${Card} key=${name} v=${ticket} kind="ticket" label="ticket ${name}" pick=${chosen}>${name}<//>` : ""; })}</ul>` : ""}`}
        </div>`;
      })}</div></section>
      ${table.finishes.length ? html`<section><h3>Finished races</h3><ol class="finishes">${split(table.finishes, 4).map((finish, race) => html`<li key=${race}>${finish.map((horse) => HORSES[horse]).join(", ")}</li>`)}</ol></section>` : ""}`;
  },
};
