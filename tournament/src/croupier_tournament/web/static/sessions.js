// One game server: its sessions, each of them live or finished, and the bots that have played there.

import { count, faultsText, html, moment, percent, plural, thought, useAsked, useEffect, useState, useTitle, Waiting, Wrong } from "./lib.js";
import { Sortable } from "./table.js";
import { LiveGame, ReplayedGame } from "./viewer.js";

const enc = encodeURIComponent;
const AGAIN_MS = 3000;

export function Sessions({ page }) {
  const [again, setAgain] = useState(0);
  const [state, setState] = useState("");
  const { data, problem } = useAsked(`/api/sessions?state=${state}`, again);
  const [kept, setKept] = useState(null);
  useTitle("Games");
  useEffect(() => { if (data) setKept(data); }, [data]);
  useEffect(() => {
    const timer = setInterval(() => setAgain((n) => n + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const shown = data || kept;
  if (problem) return html`<h1>Games</h1><${Wrong} problem=${problem} />`;
  if (!shown) return html`<${Waiting} />`;
  const columns = [
    { name: "id", title: "Session", left: true, rowHeader: true, value: (row) => row.id, show: (row) => html`<a class="mono" href="/sessions/${row.id}">${row.id}</a>` },
    { name: "game", title: "Game", left: true, value: (row) => row.game },
    { name: "state", title: "State", left: true, value: (row) => row.state, show: (row) => html`<span class="state" data-state=${row.state}>${row.state}</span>` },
    { name: "seats", title: "Seats", left: true, value: (row) => row.seats.map((seat) => seat.bot).join(" "), show: (row) => html`<ol class="seating" start="0">${row.seats.map((seat, n) => html`<li key=${n}>${seat.bot}${row.result ? html` <b>${row.result.placings[n]}.</b>` : ""}</li>`)}</ol>` },
    { name: "events", title: "Events", value: (row) => row.events, show: (row) => count(row.events) },
    { name: "created", title: "Begun", left: true, value: (row) => row.created, show: (row) => moment(Date.parse(row.created) / 1000) },
  ];
  return html`<h1>Games</h1>
    <p class="filter"><label>State <select value=${state} onChange=${(e) => setState(e.target.value)}><option value="">any</option><option>running</option><option>finished</option><option>aborted</option></select></label></p>
    ${shown.sessions.length
      ? html`<${Sortable} caption="Sessions" columns=${columns} rows=${shown.sessions.map((one) => ({ key: one.id, ...one }))} first="created" filter=${(row) => `${row.id} ${row.game} ${row.state} ${row.seats.map((seat) => seat.bot).join(" ")}`} />`
      : html`<p class="notice">There are none yet. ${page.seats ? html`<a href="/play">Play one</a>, or let` : "Let"} <code>croupier session create</code> begin one.</p>`}`;
}

export function Session({ parts: [id], query }) {
  const [again, setAgain] = useState(0);
  const path = `/api/sessions/${enc(id)}`;
  const { data, problem } = useAsked(path, again);
  const title = `Session ${id}`;
  useTitle(title);
  if (problem) return html`<h1>${title}</h1><${Wrong} problem=${problem} />`;
  if (!data) return html`<${Waiting} />`;
  const around = html`<a href="/sessions">all games</a>`;
  if (data.state === "finished" && query.get("as") !== "live") return html`<${ReplayedGame} path="${path}/replay" title=${title} around=${around} query=${query} />`;
  return html`<${LiveGame} path="${path}/live" title=${title} around=${around} bots=${data.seats.map((seat) => seat.bot)} game=${data.game} query=${query} delay_ms=${data.delay_ms} replayed=${() => setAgain(again + 1)} />`;
}

export function ServerBots() {
  const { data, problem } = useAsked("/api/bots");
  useTitle("Bots");
  if (problem) return html`<h1>Bots</h1><${Wrong} problem=${problem} />`;
  if (!data) return html`<${Waiting} />`;
  const columns = [
    { name: "name", title: "Name", left: true, rowHeader: true, value: (row) => row.name },
    { name: "role", title: "Role", left: true, value: (row) => row.role || (row.name.startsWith("house:") ? "house bot" : "") },
    { name: "online", title: "Connected", left: true, value: (row) => (row.online === null ? "" : row.online ? "yes" : "no") },
    { name: "running", title: "Running", value: (row) => row.running, show: (row) => count(row.running) },
    { name: "games", title: "Games", value: (row) => row.games, show: (row) => count(row.games) },
    { name: "wins", title: "Wins", value: (row) => row.win_share, show: (row) => percent(row.win_share, 1) },
    { name: "mean", title: "Thinks", help: "mean time of a decision", value: (row) => row.mean_ms, show: (row) => thought(row.mean_ms) },
    { name: "faults", title: "Faults", left: true, value: (row) => Object.values(row.faults).reduce((sum, one) => sum + one, 0), show: (row) => faultsText(row.faults) || "0" },
    { name: "last", title: "Last seen", left: true, value: (row) => row.last_s, show: (row) => moment(row.last_s) },
  ];
  return html`<h1>Bots</h1><p class="quiet">From the newest ${plural(1000, "session")} at most.</p>
    ${data.bots.length ? html`<${Sortable} caption="Bots" columns=${columns} rows=${data.bots.map((one) => ({ key: one.name, ...one }))} first="name" filter=${(row) => `${row.name} ${row.role}`} />` : html`<p class="notice">Nobody has played here yet.</p>`}`;
}
