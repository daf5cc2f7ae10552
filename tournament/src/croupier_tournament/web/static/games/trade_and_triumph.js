// Trade and Triumph: the map with the traders, what each seat has, its upgrades, its cards in play, and the decks.

import { html } from "../lib.js";
import { Card, Facts, nameOf, Num, parts, Shape, split, turnClass, Who, Zone } from "./parts.js";

const DECKS = ["", "trade", "influence", "specialty"];
const REGIONS = ["", "forest", "mountain", "desert", "ocean"];
const SHAPE = ["", "tree", "peak", "sun", "wave"];
const STATIONS = ["", "the city", "post 1", "post 2"];
const TRACKS = ["", "move", "draw", "play"];
const CHOICES = ["", "", "from whom to take gold", "who is to discard", "whose trader goes to the city", "which resource to gain", "which resource to return", "from which deck to draw", "at which deck to look", "from which discard pile to take back", "which card to take back", "which card to take", "which card is to be drawn next", "which alternative", "what to discard", "what to discard at the hand limit"];
const OVER = 16;
const VERBS = { play: "plays", reveal: "reveals", sell_card: "sells", use_eternal: "uses", take_back: "takes back", take_seen: "takes", put_back: "puts back", discard: "discards" };

const routeName = (route) => (route <= 4 ? `${REGIONS[route]}, outward` : `${REGIONS[route - 4]}, homeward`);
const cardOf = (edition, number) => edition?.cards[number - 1];
const nameOfCard = (edition, number) => (number ? cardOf(edition, number)?.name || `card ${number}` : "a card face down");

function Known({ number, edition, pick, small }) {
  const card = cardOf(edition, number);
  const label = card ? `${card.name}, ${DECKS[card.deck]}, costs ${card.cost}: ${card.text}` : `card ${number}`;
  return html`<${Card} v=${number} kind="wide deck-${card?.deck || 0} ${small ? "compact" : ""}" label=${label} pick=${pick}><b>${card?.name || number}</b>${small ? "" : html`<small>${card ? `${DECKS[card.deck]} · ${card.cost} gold` : ""}</small><small class="text">${card?.text || ""}</small>`}<//>`;
}

export default {
  inTable: (action) => ["play", "discard", "reveal", "use_eternal"].some((kind) => kind in action),

  context(table) {
    return table?.edition ? `/api/editions/${encodeURIComponent(table.edition)}` : "";
  },

  words(action, { names, context: edition }) {
    const [kind] = Object.keys(action);
    const value = action[kind];
    if (VERBS[kind]) return `${VERBS[kind]} ${nameOfCard(edition, value)}`;
    switch (kind) {
      case "move": return value ? `sets out along ${routeName(value)}` : "moves on";
      case "draw": return `draws ${value === 2 ? "an" : "a"} ${DECKS[value]} card`;
      case "sell_resources": return `sells ${value.counts.map((count, n) => (count ? `${count} ${REGIONS[n + 1]}` : "")).filter(Boolean).join(", ")}`;
      case "upgrade": return `upgrades ${TRACKS[value]}`;
      case "end_turn": return "ends the turn";
      case "choose_seat": return `chooses ${nameOf(value, names)}`;
      case "choose_region": return `chooses ${REGIONS[value]}`;
      case "choose_deck": return `chooses the ${DECKS[value]} deck`;
      case "choose_option": return `chooses alternative ${value + 1}`;
      default: return kind;
    }
  },

  Table({ table, own, names, pick, context: edition }) {
    const over = table.phase === OVER;
    const resources = split(table.resources, 4);
    const upgrades = split(table.upgrades, 3);
    const hands = split(table.hand_sizes, 3);
    const eternals = parts(table.eternals, table.eternal_sizes);
    const costs = parts(table.face_down_costs, table.face_down_sizes);
    const now = over ? "over" : table.phase === 1 ? `${nameOf(table.turn, names)}'s turn` : `${nameOf(table.actor, names)} chooses ${CHOICES[table.phase] || ""}${table.card ? `, because of ${nameOfCard(edition, table.card)}` : ""}`;
    const at = (route, space) => names.map((_, seat) => seat).filter((seat) => table.routes[seat] === route && table.spaces[seat] === space);
    const standing = (station) => names.map((_, seat) => seat).filter((seat) => table.stations[seat] === station);
    const discards = [table.trade_discards, table.influence_discards, table.specialty_discards];
    return html`
      <${Facts} facts=${[
        ["Round", html`<${Num} zone="round" v=${table.round} />`],
        ["Now", now],
        over ? null : ["Left in this turn", html`moves <${Num} zone="moves" v=${table.moves} />, draws <${Num} zone="draws" v=${table.draws} />, plays <${Num} zone="plays" v=${table.plays} />`],
        table.shown_card ? ["Last shown", nameOfCard(edition, table.shown_card)] : null,
      ]} />
      <section><h3>Map</h3><div class="scroll" tabindex="0" role="region" aria-label="Map"><table class="map"><caption class="hidden">Routes; traders are shown by their seats</caption><tbody>
        ${[1, 2, 3, 4].map((region) => html`<tr key=${region} class="region-${region}">
          ${region === 1 && html`<td class="station" rowspan="4"><b>City</b><${Traders} seats=${standing(1)} names=${names} zone="station-1" /></td>`}
          <th scope="row"><${Shape} name=${SHAPE[region]} /> ${REGIONS[region]}</th>
          <td class="routes">${[region, region + 4].map((route) => html`<div key=${route} class=${route > 4 ? "route home" : "route"}><span class="way" aria-hidden="true">${route > 4 ? "←" : "→"}</span><span class="hidden">${route > 4 ? "homeward" : "outward"}</span>${Array.from({ length: edition?.spaces[region - 1] || 0 }, (_, n) => (route > 4 ? edition.spaces[region - 1] - n : n + 1)).map((space) => html`<span key=${space} class="space"><${Traders} seats=${at(route, space)} names=${names} zone="route-${route}-${space}" /></span>`)}</div>`)}</td>
          ${(region === 1 || region === 3) && html`<td class="station" rowspan="2"><b>Post ${region === 1 ? 1 : 2}</b><${Traders} seats=${standing(region === 1 ? 2 : 3)} names=${names} zone="station-${region === 1 ? 2 : 3}" /></td>`}
        </tr>`)}</tbody></table></div></section>
      <section><h3>Seats</h3><div class="seats wide">${names.slice(0, table.seats).map((_, seat) => {
        const mine = own[seat];
        return html`<div key=${seat} class=${turnClass(!over && table.actor === seat)}>
          <h4><${Who} seat=${seat} names=${names} /> <span class="score"><${Num} zone="points-${seat}" v=${table.points[seat]} /><span class="quiet"> VP${edition ? ` of ${edition.goal}` : ""}</span></span></h4>
          <p><span class="gold">● <${Num} zone="gold-${seat}" v=${table.gold[seat]} /></span><span class="hidden"> gold</span> ${resources[seat].map((count, n) => html`<span key=${n} class="icon-count region-${n + 1}" title=${REGIONS[n + 1]}><${Shape} name=${SHAPE[n + 1]} /><span class="hidden">${REGIONS[n + 1]} </span><${Num} zone="resource-${seat}-${n + 1}" v=${count} /></span>`)} <span class="quiet">at ${table.routes[seat] ? `${routeName(table.routes[seat])}, space ${table.spaces[seat]}` : STATIONS[table.stations[seat]]}</span></p>
          <div class="upgrades">${upgrades[seat].map((level, n) => html`<div key=${n}><span class="quiet">${TRACKS[n + 1]}</span> <${Num} zone="upgrade-${seat}-${n + 1}" v=${level}>${(edition?.squares[n] || []).map((square, s) => html`<span key=${s} class=${s === level ? "square here" : "square"} aria-current=${s === level ? "true" : undefined}>${square}</span>`)}<//></div>`)}</div>
          ${table.eternal_sizes[seat] ? html`<h5>In play</h5><${Zone} name="eternals-${seat}" label="In play">${eternals[seat].map((number, n) => html`<${Known} key=${n} number=${number} edition=${edition} small=${true} pick=${pick({ use_eternal: number }, seat)} />`)}<//>` : ""}
          ${table.face_down_sizes[seat] ? html`<h5>Face down <span class="quiet"><${Num} zone="face-down-size-${seat}" v=${table.face_down_sizes[seat]} />, costs ${costs[seat].join(", ")}</span></h5>${mine ? html`<${Zone} name="face-down-${seat}" label="Face down">${mine.face_down.map((number, n) => html`<${Known} key=${n} number=${number} edition=${edition} pick=${pick({ reveal: number }, seat)} />`)}<//>` : ""}` : ""}
          <h5>Hand <span class="quiet">${hands[seat].map((count, n) => html`<span key=${n}>${count ? `${n && hands[seat].slice(0, n).some(Boolean) ? ", " : ""}${count} ${DECKS[n + 1]}` : ""}</span>`)}</span></h5>
          ${mine ? html`<${Zone} name="hand-${seat}" label="Hand of ${nameOf(seat, names)}">${mine.hand.map((number, n) => html`<${Known} key=${n} number=${number} edition=${edition} pick=${pick({ play: number }, seat) || pick({ discard: number }, seat)} />`)}<//>` : ""}
        </div>`;
      })}</div></section>
      <section><h3>Decks</h3><div class="board">${[1, 2, 3].map((deck) => html`<div key=${deck}><h4>${DECKS[deck]}</h4><p><${Num} zone="deck-${deck}" v=${table.deck_sizes[deck - 1]} /> <span class="quiet">to draw</span> · <${Num} zone="discards-${deck}" v=${discards[deck - 1].length} /> <span class="quiet">discarded${discards[deck - 1].length ? `, ${nameOfCard(edition, discards[deck - 1].at(-1))} on top` : ""}</span></p></div>`)}</div></section>`;
  },
};

function Traders({ seats, names, zone }) {
  return html`<span data-zone=${zone}>${seats.map((seat) => html`<span key=${seat} data-v=${seat} class="trader trader-${seat}" role="img" aria-label="trader of ${nameOf(seat, names)}" title=${nameOf(seat, names)}>${seat}</span>`)}</span>`;
}
