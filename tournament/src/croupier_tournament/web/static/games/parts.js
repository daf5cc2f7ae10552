// What the tables of all games are made of. A Zone is a place with cards or numbers in it: `data-zone` and `data-v` say
// for programs what people see, so that a test can hold what is shown to the record.

import { html } from "../lib.js";

export function nameOf(seat, names) {
  return seat < names.length ? names[seat] : "dummy";
}

export function Who({ seat, names, children }) {
  return html`<span class="who"><span class="seat-number">${seat}</span> ${nameOf(seat, names)}${children}</span>`;
}

// A card, a chip, a ticket: anything that lies on the table and may be what is chosen.
// pick: null, or { legal, chosen, act }: whether it can be chosen, was chosen, and what chooses it.
export function Card({ v, kind, label, pick, children, marks = "" }) {
  const classes = `card ${kind || ""} ${marks} ${pick?.legal ? "legal" : ""} ${pick?.chosen ? "chosen" : ""}`;
  if (pick?.act) return html`<li data-v=${v}><button class=${classes} onClick=${pick.act} aria-label=${label}>${children}</button></li>`;
  const said = `${label}${pick?.chosen ? ", chosen" : ""}`;
  return html`<li data-v=${v}><span class=${classes} role="img" aria-label=${said} title=${label}>${children}</span></li>`;
}

export function Zone({ name, label, children, row = true }) {
  return html`<ul class=${row ? "cards" : "cards column"} data-zone=${name} aria-label=${label}>${children}</ul>`;
}

// A number that belongs to the state.
export function Num({ zone, v, children }) {
  return html`<span data-zone=${zone} data-v=${String(v)}>${children === undefined ? v : children}</span>`;
}

export function Facts({ facts }) {
  return html`<dl class="inline facts-row">${facts.filter(Boolean).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function Backs({ count, kind = "", label }) {
  return html`<span class="backs" role="img" aria-label=${label}>${Array.from({ length: Math.min(count, 12) }, (_, n) => html`<span key=${n} class="back ${kind}"></span>`)}<span class="quiet">${count}</span></span>`;
}

// Shapes that tell suits apart without colour.
const SHAPES = {
  triangle: "M8 1.5 15 14H1z",
  bolt: "M9.5 1 3 9.2h4L6 15l7-8.6H8.6z",
  octagon: "M5 1h6l4 4v6l-4 4H5l-4-4V5z",
  ring: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  square: "M2 2h12v12H2z",
  drop: "M8 1c3.6 4.4 5 6.6 5 9a5 5 0 0 1-10 0c0-2.4 1.4-4.6 5-9z",
  star: "M8 1l2.1 4.7 5.1.5-3.9 3.4 1.2 5L8 12l-4.5 2.6 1.2-5L.8 6.2l5.1-.5z",
  diamond: "M8 1l6 7-6 7-6-7z",
  tree: "M8 1l5 6h-2.5l3.5 5H9.2v3H6.8v-3H2l3.5-5H3z",
  peak: "M6 3l3 4.5L10.5 5 15.5 14H.5z",
  sun: "M8 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM7.3 0h1.4v3H7.3zm0 13h1.4v3H7.3zM0 7.3h3v1.4H0zm13 0h3v1.4h-3z",
  wave: "M0 6c2-3 4-3 6 0s4 3 6 0 3-2 4-1.5v3C14.5 6.5 14 6.8 12 9.5s-4 3-6 0-4-3-6 0zM0 11c2-3 4-3 6 0s4 3 6 0 3-2 4-1.5v3c-1.5-1-2-.7-4 2s-4 1.5-6-1-4-3-6 0z",
  club: "M8 1a3 3 0 0 1 2.6 4.5A3 3 0 1 1 9 11l.8 4H6.2L7 11a3 3 0 1 1-1.6-5.5A3 3 0 0 1 8 1z",
  heart: "M8 14.5C2 10 1 7.5 1 5.2A3.6 3.6 0 0 1 8 4a3.6 3.6 0 0 1 7 1.2c0 2.3-1 4.8-7 9.3z",
  spade: "M8 1c4.5 4 6.5 6 6.5 8.3A3 3 0 0 1 9 11l.9 4H6.1L7 11a3 3 0 0 1-5.5-1.7C1.5 7 3.5 5 8 1z",
};

export function Shape({ name }) {
  return html`<svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d=${SHAPES[name]} /></svg>`;
}

// Asks for a class of every seat, so that a table can mark whose turn it is.
export const turnClass = (acts) => (acts ? "seat acts" : "seat");

export const split = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

// A flat list with the sizes of its parts.
export function parts(list, sizes) {
  let first = 0;
  return sizes.map((size) => list.slice(first, (first += size)));
}
