// A game as it is watched: the table at one step, what led to it, what could have been done, and controls to move about.

import { apart, go, html, plural, signed, thought, useAsked, useEffect, useEvents, useMemo, useRef, useState, useTitle, Waiting, Wrong } from "./lib.js";
import tradeAndTriumph from "./games/trade_and_triumph.js";
import trades from "./games/trades.js";
import trickAndTrade from "./games/trick_and_trade.js";
import trickStakes from "./games/trick_stakes.js";

export const GAMES = { "trick-and-trade": trickAndTrade, "trick-stakes": trickStakes, trades, "trade-and-triumph": tradeAndTriumph };

// A game that nobody has drawn here is shown as its numbers.
const PLAIN = {
  words: (action) => Object.entries(action).map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", "),
  Table: ({ table }) => html`<dl class="facts">${Object.entries(table).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd class="mono break">${JSON.stringify(value)}</dd>`)}</dl>`,
};
export const drawn = (game) => GAMES[game] || PLAIN;

const CAUSES = { forced: "there is no choice", substituted: "drawn for it", vacated: "drawn, the seat was given up" };
const SPEEDS = [0.5, 1, 2, 4, 8];

// What each frame changes, put together: the whole state after each frame.
export function statesOf(frames, before = []) {
  const states = before.slice(0, frames.length);
  for (let at = states.length; at < frames.length; at++) {
    const last = states[at - 1] || { table: {}, own: {} };
    const own = { ...last.own };
    for (const [seat, changed] of Object.entries(frames[at].own || {})) own[seat] = { ...own[seat], ...changed };
    states.push({ table: { ...last.table, ...frames[at].table }, own });
  }
  return states;
}

export function wordsOf(game, move, context) {
  const words = move.action ? drawn(game).words(move.action, context) : "chooses in secret";
  return CAUSES[move.cause] ? `${words} (${CAUSES[move.cause]})` : words;
}

function noteWords(note) {
  if (note.fault) return `fault: ${note.fault}`;
  if (note.vacated) return "the seat is given up and played on without the bot";
  return `${note.time_ms / 1000} s have passed`;
}

// The table, in the game's own way.
export function GameTable({ game, state, names, asked, act, context }) {
  const { Table } = drawn(game);
  const options = useMemo(() => (asked ? new Map(asked.actions.map((action, index) => [JSON.stringify(action), index])) : new Map()), [asked]);
  const chosen = asked?.chosen ?? null;
  const option = (index) => ({ legal: true, chosen: index === chosen, act: act ? () => act(index) : null });
  const pick = (action, seat) => {
    if (!asked || (seat !== undefined && seat !== asked.seat)) return null;
    const index = options.get(JSON.stringify(action));
    return index === undefined ? null : option(index);
  };
  const sets = (seat) => (asked && seat === asked.seat ? asked.actions.map((action, index) => ({ action, index, decision: asked.id, act })) : []);
  return html`<h2 class="hidden">The table</h2><div class="table game-${game}"><${Table} table=${state.table} own=${state.own} names=${names} pick=${pick} sets=${sets} context=${context} /></div>`;
}

// The edition, or whatever else a game's table is drawn with.
export function useContextOf(game, table) {
  const wanted = drawn(game).context?.(table);
  const { data } = useAsked(wanted || null);
  return wanted ? data : null;
}

export function Options({ game, asked, names, act, context, title }) {
  if (!asked || !asked.actions.length) return "";
  const { inTable, composed, words } = drawn(game);
  const item = ({ action, index }) => {
    const text = words(action, { names, context });
    if (act) return html`<li key=${index}><button data-option=${JSON.stringify(action)} onClick=${() => act(index)}>${text}</button></li>`;
    return html`<li key=${index} class=${index === asked.chosen ? "chosen" : ""} data-option=${JSON.stringify(action)}>${text}${index === asked.chosen ? html` <b>chosen</b>` : ""}</li>`;
  };
  const all = asked.actions.map((action, index) => ({ action, index })).filter(({ action }) => !(act && composed?.(action)));
  if (!act) return html`<section class="options" aria-label=${title}><h3>${title}</h3>${asked.chosen === null ? html`<p class="quiet">It did not decide in time.</p>` : ""}<ul>${all.map(item)}</ul></section>`;
  // What can be clicked on the table is listed for those who would rather read.
  const others = all.filter(({ action }) => !inTable?.(action));
  const rest = all.filter(({ action }) => inTable?.(action));
  return html`<section class="options" aria-label=${title}><h3>${title}</h3>${all.length < asked.actions.length ? html`<p>Choose cards of your hand.</p>` : ""}${others.length ? html`<ul>${others.map(item)}</ul>` : ""}
    ${rest.length ? html`<details><summary>${others.length ? "and" : ""} what is marked on the table, as a list</summary><ul>${rest.map(item)}</ul></details>` : ""}</section>`;
}

export function ResultTable({ result, names }) {
  const seats = result.placings.map((_, seat) => seat).sort((one, other) => result.placings[one] - result.placings[other] || one - other);
  return html`<section class="result" aria-label="Result"><h2>Result</h2><div class="scroll" tabindex="0" role="region" aria-label="Result, in columns"><table class="data narrow"><caption class="hidden">Result, best first</caption>
    <thead><tr><th scope="col">Place</th><th scope="col" class="left">Seat</th><th scope="col">Points</th>${result.tie_breaks.map((tie) => html`<th key=${tie.name} scope="col">${tie.name}</th>`)}<th scope="col" class="left">Decided by</th></tr></thead>
    <tbody>${seats.map((seat) => html`<tr key=${seat}><td>${result.placings[seat]}.</td><th scope="row" class="left">${seat} ${names[seat]}${result.forfeited[seat] ? html` <span class="quiet">(given up)</span>` : ""}</th><td>${signed(result.points[seat]).replace("+", "")}</td>
      ${result.tie_breaks.map((tie) => html`<td key=${tie.name}>${tie.values[seat]}</td>`)}<td class="left">${result.decided_by[seat] || ""}</td></tr>`)}</tbody></table></div>
    <p class="quiet">${result.fewest_wins ? "Fewest points win. " : ""}${result.tie_breaks.length ? `Among equals ${result.tie_breaks.map((tie) => tie.name).join(", then ")} decides. ` : ""}${result.note}</p></section>`;
}

// What has happened, step by step; each step can be gone to.
function Log({ game, frames, names, context, at, jump }) {
  const here = useRef(null);
  useEffect(() => {
    const item = here.current;
    if (item) item.parentElement.scrollTop = item.offsetTop - item.parentElement.clientHeight / 2;
  }, [at]);
  const words = { names, context };
  return html`<section class="log" aria-label="What has happened"><h3>What has happened</h3><ol tabindex="0" aria-label="Steps">${frames.map((frame, n) => html`<li key=${n} ref=${n === at ? here : undefined} class=${n === at ? "here" : n > at ? "later" : ""}>
    <button onClick=${() => jump(n)} aria-current=${n === at ? "step" : undefined}><span class="step-number">${n}</span>
      <span>${n === 0 && !frame.moves.length ? "the deal" : ""}
      ${frame.notes.map((note, i) => html`<span key=${`n${i}`} class="line note">${note.seat !== undefined ? html`<b>${names[note.seat]}</b> ` : ""}${noteWords(note)}</span>`)}
      ${frame.moves.map((move, i) => html`<span key=${i} class="line"><b>${names[move.seat] ?? "dummy"}</b> ${wordsOf(game, move, words)}${move.charged_ms ? html` <span class="quiet">${charged(move.charged_ms)}</span>` : ""}</span>`)}</span></button></li>`)}</ol></section>`;
}

// Moves about in frames. `at` is the step; null: the latest, whatever comes.
function Player({ game, frames, names, at, move, live, viewer, above, below }) {
  const cache = useRef({ first: null, states: [] });
  if (cache.current.first !== frames[0]) cache.current = { first: frames[0], states: [] };
  const states = statesOf(frames, cache.current.states);
  cache.current.states = states;
  const last = frames.length - 1;
  const step = at === null ? last : Math.min(Math.max(at, 0), last);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(2);
  const context = useContextOf(game, states[0]?.table);
  const jump = (to) => { setPlaying(false); move(to >= last && live ? null : Math.min(Math.max(to, 0), last)); };
  useEffect(() => {
    if (!playing) return undefined;
    if (step >= last) { setPlaying(false); return undefined; }
    const timer = setTimeout(() => move(step + 1), 1000 / speed);
    return () => clearTimeout(timer);
  }, [playing, step, last, speed]);
  const toDecision = (by) => {
    for (let n = step + by; n >= 0 && n <= last; n += by) if (frames[n].asked || (live && frames[n].moves.length)) return jump(n);
    return undefined;
  };
  const keys = useRef(null);
  keys.current = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const done = { ArrowLeft: () => jump(step - 1), ArrowRight: () => jump(step + 1), Home: () => jump(0), End: () => jump(last), n: () => toDecision(1), p: () => toDecision(-1) };
    if (event.key === " " && !event.target.closest("button, a, summary")) done[" "] = () => setPlaying(!playing);
    if (done[event.key]) { event.preventDefault(); done[event.key](); }
  };
  useEffect(() => {
    const hear = (event) => keys.current(event);
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
  const state = states[step];
  const frame = frames[step];
  if (!state) return html`<${Waiting} what="Waiting for the deal" />`;
  const asked = frame.asked ? { ...frame.asked, id: step } : null;
  return html`<div class="player">
    <div class="stage">
      <div class="controls" role="group" aria-label="Steps">
        <button onClick=${() => jump(0)} disabled=${step === 0} aria-label="To the beginning" title="To the beginning (Home)"><${Icon} d="M2 2h2v12H2zM14 2v12L5 8z" /></button>
        <button onClick=${() => jump(step - 1)} disabled=${step === 0} aria-label="A step back" title="A step back (←)"><${Icon} d="M12 2v12L3 8z" /></button>
        <button class="primary" onClick=${() => { if (step >= last) move(0); setPlaying(!playing); }} title="Play or pause (space)">${playing ? "Pause" : "Play"}</button>
        <button onClick=${() => jump(step + 1)} disabled=${step >= last} aria-label="A step forward" title="A step forward (→)"><${Icon} d="M4 2v12l9-6z" /></button>
        <button onClick=${() => jump(last)} disabled=${step >= last && at === null} aria-label=${live ? "To what happens now" : "To the end"} title="To the end (End)"><${Icon} d="M12 2h2v12h-2zM2 2v12l9-6z" /></button>
        ${viewer !== "public" && html`<button onClick=${() => toDecision(1)} title="To the next decision that can be seen (n)">Next decision</button>`}
        <label>Speed <select value=${speed} onChange=${(e) => setSpeed(Number(e.target.value))}>${SPEEDS.map((one) => html`<option key=${one} value=${one}>${one} a second</option>`)}</select></label>
        <input type="range" min="0" max=${last} value=${step} aria-label="Step" onInput=${(e) => jump(Number(e.target.value))} />
        <output data-step=${step} data-last=${last}>Step ${step} of ${last}${live && at === null ? ", live" : ""}</output>
      </div>
      ${above}
      <${GameTable} game=${game} state=${state} names=${names} asked=${asked} context=${context} />
      <${Options} game=${game} asked=${asked} names=${names} context=${context} title=${asked ? `What ${names[asked.seat]} could do` : ""} />
      <${Clocks} frames=${frames} names=${names} at=${step} />
      ${below}
    </div>
    <${Log} game=${game} frames=${frames} names=${names} context=${context} at=${step} jump=${jump} />
  </div>`;
}

// Clocks are charged in whole milliseconds.
const charged = (ms) => (ms < 1 ? "under 1 ms" : ms < 1000 ? `${ms} ms` : thought(ms));

// What each seat's clock was charged up to a step: what this step took, and all before it.
function Clocks({ frames, names, at }) {
  const clocks = useMemo(() => {
    const sums = names.map(() => ({ ms: 0, decisions: 0 }));
    return frames.map((frame) => {
      for (const move of frame.moves) {
        if (move.charged_ms === undefined || !sums[move.seat]) continue;
        sums[move.seat] = { ms: sums[move.seat].ms + move.charged_ms, decisions: sums[move.seat].decisions + 1 };
      }
      return [...sums];
    });
  }, [frames, names.join()]);
  if (!clocks.at(-1).some((clock) => clock.decisions)) return "";
  const now = frames[at].moves.filter((move) => move.charged_ms !== undefined).at(-1);
  return html`<section class="clocks" aria-label="Clocks"><h3>Clock used</h3><dl>${names.map((name, seat) => html`<div key=${seat} class=${now?.seat === seat ? "now" : ""} data-clock=${seat}><dt>${name}</dt>
    <dd><b data-ms=${clocks[at][seat].ms}>${charged(clocks[at][seat].ms)}</b> <span class="quiet">${plural(clocks[at][seat].decisions, "decision")}${now?.seat === seat ? `, this one ${charged(now.charged_ms)}` : ""}</span></dd></div>`)}</dl></section>`;
}

function Icon({ d }) {
  return html`<svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d=${d} /></svg>`;
}

function useStep(query) {
  const given = query.get("step");
  const at = given !== null && /^\d+$/.test(given) ? Number(given) : null;
  const put = (changes) => {
    const now = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) now.delete(name);
      else now.set(name, value);
    }
    const search = now.toString();
    go(location.pathname + (search ? `?${search}` : ""), { replace: true });
  };
  return [at, put];
}

// A finished game, from any seat or with all cards open.
export function ReplayedGame({ path, title, around, query }) {
  const viewer = query.get("seat") ?? "open";
  const { data, problem } = useAsked(`${path}?viewer=${encodeURIComponent(viewer)}`);
  const [at, put] = useStep(query);
  const [kept, setKept] = useState(null);
  useEffect(() => { if (data) setKept(data); }, [data]);
  const shown = data || kept;
  useTitle(title);
  if (problem) return html`<h1>${title}</h1><${Wrong} problem=${problem} /><p>${around}</p>`;
  if (!shown) return html`<${Waiting} />`;
  const names = apart(shown.bots);
  return html`<div class="heading"><h1>${title}</h1><p class="quiet">${shown.title} · ${names.join(", ")} · ${around}</p></div>
    <p class="filter"><label>Seen from <select value=${viewer} data-shown=${shown.viewer} onChange=${(e) => put({ seat: e.target.value })}>
      <option value="open">all cards open</option><option value="public">a spectator</option>${names.map((name, seat) => html`<option key=${seat} value=${String(seat)}>${seat}: ${shown.bots[seat]}</option>`)}</select></label>
      <button onClick=${(event) => copied(event.currentTarget)}>Copy link to this step</button></p>
    <${Player} game=${shown.game} frames=${shown.frames} names=${names} at=${at ?? 0} viewer=${shown.viewer} move=${(step) => put({ step: step ?? shown.frames.length - 1 })}
      below=${shown.result && html`<${ResultTable} result=${shown.result} names=${names} />`} />`;
}

function copied(button) {
  navigator.clipboard?.writeText(location.href).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "The address bar has it"; });
}

// A running game, as a spectator sees it.
export function LiveGame({ path, title, around, bots, query, game: given, replayed, delay_ms: delay }) {
  const [frames, setFrames] = useState([]);
  const [end, setEnd] = useState(null);
  const [lost, setLost] = useState("");
  const waiting = useRef([]);
  const [at, put] = useStep(query);
  useTitle(title);
  const names = apart(bots);
  useEvents(path, {
    frame: (frame) => {
      // Many come at once when one begins to watch: they are drawn together.
      if (!waiting.current.length) setTimeout(() => { const come = waiting.current; waiting.current = []; setFrames((now) => [...now, ...come]); }, 30);
      waiting.current.push(frame);
    },
    end: (said, close) => { setEnd(said); close(); setLost(""); },
    lost: (said) => setLost(`The game server is away (${said.error}); trying again…`),
    failed: (said, close) => { setLost(said.error); close(); },
    refused: (said) => setLost(said.error),
  }, (why) => {
    setLost(why);
    if (!why) { waiting.current = []; setFrames([]); } // it begins anew with the first frame
  });
  const game = given || (frames.length ? guessed(frames[0].table) : null);
  return html`<div class="heading"><h1>${title}</h1><p class="quiet"><span class="state" data-state=${end ? "finished" : "running"}>${end ? (end.aborted ? "aborted" : "over") : "live"}</span> ${bots.join(", ")} · ${around}${delay ? ` · ${delay / 1000} s behind` : ""}</p></div>
    ${lost && html`<p class="notice" role="status">${lost}</p>`}
    ${frames.length ? html`<${Player} game=${game} frames=${frames} names=${names} at=${at} viewer="public" live=${!end} move=${(step) => put({ step })}
      below=${end?.result ? html`<${ResultTable} result=${end.result} names=${names} /><p><button onClick=${replayed}>See it with all cards open</button></p>` : end?.aborted ? html`<p class="notice">It was ended without a result.</p>` : ""} />` : lost ? "" : html`<${Waiting} what="Waiting for the deal" />`}`;
}

// Which game a table is of.
const guessed = (table) => ("front_row" in table ? "trick-and-trade" : "horses" in table ? "trick-stakes" : "declared" in table ? "trades" : "edition" in table ? "trade-and-triumph" : "");
