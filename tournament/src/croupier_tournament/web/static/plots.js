// Plots as SVG: ratings with their intervals, and ratings over time. The tables beside them say the same in numbers.

import { fixed, html } from "./lib.js";

function ticksOf(lowest, highest) {
  const [low, high] = highest - lowest < 1 ? [lowest - 50, highest + 50] : [lowest, highest]; // all are equal yet
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) || power * 10;
  const begin = Math.floor(low / step) * step;
  const ticks = [];
  for (let at = begin; at < high + step; at += step) ticks.push(Math.round(at));
  return ticks;
}

export function RatingPlot({ rows }) {
  const ends = rows.flatMap((row) => [row.rating - (row.half_width || 0), row.rating + (row.half_width || 0)]);
  const ticks = ticksOf(Math.min(1500, ...ends), Math.max(1500, ...ends));
  const [low, high] = [ticks[0], ticks[ticks.length - 1]];
  const [left, width, line] = [150, 800, 30];
  const height = rows.length * line + 34;
  const x = (rating) => left + ((width - left - 30) * (rating - low)) / (high - low);
  const label = `Ratings with 95 % intervals: ${rows.map((row) => `${row.entrant} ${fixed(row.rating)}${row.half_width === null ? "" : ` ± ${fixed(row.half_width)}`}`).join(", ")}`;
  return html`<div class="scroll plot"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}>
    ${ticks.map((tick) => html`<g key=${tick}><line class=${tick === 1500 ? "middle" : "tick"} x1=${x(tick)} x2=${x(tick)} y1="0" y2=${height - 26} /><text class="axis" x=${x(tick)} y=${height - 8} text-anchor="middle">${tick}</text></g>`)}
    ${rows.map((row, at) => {
      const y = at * line + line / 2;
      return html`<g key=${row.entrant}><text class="name" x=${left - 12} y=${y + 5} text-anchor="end">${row.entrant.length > 16 ? `${row.entrant.slice(0, 15)}…` : row.entrant}</text>
        ${row.half_width !== null && html`<path class="bar" d="M${x(row.rating - row.half_width)} ${y - 5}v10m0 -5H${x(row.rating + row.half_width)}m0 -5v10" />`}
        <circle class="dot" cx=${x(row.rating)} cy=${y} r="5" /></g>`;
    })}</svg></div>`;
}

const DASHES = ["", "6 3", "2 3", "10 4", "8 3 2 3", "1 4"];

export function History({ bots }) {
  const drawn = bots.filter((bot) => bot.history.length);
  if (!drawn.length) return html`<p class="quiet">There are too few games for that.</p>`;
  const points = drawn.flatMap((bot) => bot.history);
  const width_of = (point) => (drawn.length === 1 ? point.half_width || 0 : 0);
  const ticks = ticksOf(Math.min(1500, ...points.map((p) => p.rating - width_of(p))), Math.max(1500, ...points.map((p) => p.rating + width_of(p))));
  const [low, high] = [ticks[0], ticks[ticks.length - 1]];
  const most = Math.max(...points.map((point) => point.games));
  const [left, right, width, height] = [56, drawn.length > 1 ? 130 : 20, 800, 300];
  const x = (games) => left + ((width - left - right) * games) / most;
  const y = (rating) => 10 + ((height - 44) * (high - rating)) / (high - low);
  const label = drawn.map((bot) => `${bot.name}: ${bot.history.map((point) => `${fixed(point.rating)} after ${point.games} games`).join(", ")}`).join("; ");
  // Names at the ends of their lines, moved apart.
  const ends = drawn.map((bot, at) => ({ bot, at, y: y(bot.history.at(-1).rating) + 4 })).sort((one, other) => one.y - other.y);
  ends.forEach((end, at) => { if (at && end.y < ends[at - 1].y + 15) end.y = ends[at - 1].y + 15; });
  return html`<div class="scroll plot"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}>
    ${ticks.map((tick) => html`<g key=${tick}><line class=${tick === 1500 ? "middle" : "tick"} x1=${left} x2=${width - right} y1=${y(tick)} y2=${y(tick)} /><text class="axis" x=${left - 8} y=${y(tick) + 4} text-anchor="end">${tick}</text></g>`)}
    <text class="axis" x=${left} y=${height - 8}>0 games</text><text class="axis" x=${width - right} y=${height - 8} text-anchor="end">${most} games</text>
    ${drawn.map((bot, at) => html`<g key=${bot.name} class="series series-${at % 6}">
      ${drawn.length === 1 && bot.history.map((point) => point.half_width !== null && html`<path key=${point.games} class="bar" d="M${x(point.games) - 4} ${y(point.rating - point.half_width)}h8m-4 0V${y(point.rating + point.half_width)}m-4 0h8" />`)}
      <polyline class="line" stroke-dasharray=${DASHES[at % 6]} points=${bot.history.map((point) => `${x(point.games)},${y(point.rating)}`).join(" ")} />
      ${bot.history.map((point) => html`<circle key=${point.games} class="dot" cx=${x(point.games)} cy=${y(point.rating)} r="3.5" />`)}</g>`)}
    ${drawn.length > 1 && ends.map(({ bot, y: at }) => html`<text key=${bot.name} class="name" x=${width - right + 8} y=${at}>${bot.name.length > 15 ? `${bot.name.slice(0, 14)}…` : bot.name}</text>`)}
  </svg></div>`;
}
