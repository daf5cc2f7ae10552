// A seat for a person. The page is told what a bot would be told, and answers as a bot would: with one of the legal actions.

import { apart, ask, html, useAsked, useEffect, useEvents, useMemo, useRef, useState, useTitle, Waiting, Wrong } from "./lib.js";
import { GameTable, Options, ResultTable, statesOf, useContextOf, wordsOf } from "./viewer.js";

const CHAIR = "croupier-chair";
const enc = encodeURIComponent;

export function Play() {
  const [chair, setChair] = useState(() => JSON.parse(sessionStorage.getItem(CHAIR) || "null"));
  useTitle("Play");
  const sit = (taken) => {
    if (taken) sessionStorage.setItem(CHAIR, JSON.stringify(taken));
    else sessionStorage.removeItem(CHAIR);
    setChair(taken);
  };
  return chair ? html`<${Seated} key=${chair.chair} chair=${chair} stand=${() => sit(null)} />` : html`<${SitDown} sit=${sit} />`;
}

function SitDown({ sit }) {
  const [name, setName] = useState(() => `guest-${Math.random().toString(36).slice(2, 6)}`);
  const [problem, setProblem] = useState(null);
  const send = async (event) => {
    event.preventDefault();
    try {
      sit(await ask("/api/chairs", { method: "POST", body: { name } }));
    } catch (error) {
      setProblem(error);
    }
  };
  return html`<h1>Play</h1><p>You play as bots do: under a name, through the same contract, against the same clock.</p>
    <form class="form" onSubmit=${send}><label for="name">Your name</label><input id="name" value=${name} required pattern="[a-z0-9._\\-]{1,64}" title="1 to 64 characters a-z 0-9 - _ ." onInput=${(e) => setName(e.target.value)} />
      <p class="quiet">Where the server asks for tokens, it is the name that your token belongs to.</p>
      ${problem && html`<${Wrong} problem=${problem} />`}<button class="primary" type="submit">Sit down</button></form>`;
}

function Seated({ chair, stand }) {
  const [games, setGames] = useState({});
  const [gone, setGone] = useState("");
  const [lost, setLost] = useState("");
  const path = `/api/chairs/${enc(chair.chair)}`;
  const put = (key, change) => setGames((now) => (now[key] ? { ...now, [key]: { ...now[key], ...change(now[key]) } } : now));
  const timed = (decision) => decision && { ...decision, at: performance.now() };
  const game = (one) => ({ ...one, decision: timed(one.decision), results: [] });
  useEvents(`${path}/events`, {
    begin: (said) => { setGone(said.gone); setGames(Object.fromEntries(said.games.map((one) => [one.key, game(one)]))); },
    start: (one) => setGames((now) => ({ ...now, [one.key]: game(one) })),
    decision: (said) => put(said.key, () => ({ decision: timed(said.decision) })),
    answered: (said) => put(said.key, (one) => (one.decision?.id === said.id ? { decision: { ...one.decision, actions: [], answered: true } } : {})),
    moves: (said) => put(said.key, (one) => ({ moves: [...one.moves, ...said.moves] })),
    result: (said) => put(said.key, (one) => ({ results: [...one.results, said].slice(-3) })),
    end: (said) => put(said.key, () => ({ end: said.end, decision: null })),
    gone: (said, close) => { setGone(said.why); close(); },
    refused: (said) => setLost(said.error),
  }, setLost, true);
  const leave = async () => {
    await ask(path, { method: "DELETE" }).catch(() => {});
    stand();
  };
  const shown = Object.values(games);
  if (gone || lost.startsWith("there is no such chair")) return html`<h1>Play</h1><p class="notice" role="alert">You sit there no more: ${gone || lost}</p><p><button class="primary" onClick=${stand}>Sit down again</button></p>`;
  return html`<div class="heading"><h1>Play</h1><p class="quiet">You are <b>${chair.name}</b>. <button class="link" onClick=${leave}>Stand up</button></p></div>
    ${lost && html`<p class="notice" role="status">${lost}</p>`}
    ${shown.map((one) => html`<${Seat} key=${one.key} game=${one} path=${path} />`)}
    ${shown.every((one) => one.end) && html`<${NewGame} name=${chair.name} />`}`;
}

const THINK_S = [["", "one minute a decision"], [15, "15 s a decision"], [300, "5 minutes a decision"]];

function NewGame({ name }) {
  const { data, problem } = useAsked("/api/games");
  const [chosen, setChosen] = useState("");
  const [seats, setSeats] = useState(null);
  const [think, setThink] = useState("");
  const [wrong, setWrong] = useState(null);
  const [begun, setBegun] = useState(false);
  if (problem) return html`<${Wrong} problem=${problem} />`;
  if (!data) return html`<${Waiting} />`;
  const game = data.games.find((one) => one.name === chosen) || data.games.find((one) => one.name === "trick-and-trade") || data.games[0];
  const fill = (number) => Array.from({ length: number }, (_, n) => (n ? game.house_bots[n % game.house_bots.length] || "" : name));
  const sitting = seats || fill(Math.min(Math.max(game.min_seats, 3), game.max_seats));
  const begin = async (event) => {
    event.preventDefault();
    setBegun(true);
    setWrong(null);
    try {
      const body = { game: game.name, bots: sitting };
      if (think) body.think_time_ms = think * 1000;
      await ask("/api/sessions", { method: "POST", body });
    } catch (error) {
      setWrong(error);
    }
    setBegun(false);
  };
  return html`<section aria-labelledby="new"><h2 id="new">A new game</h2><form class="form" onSubmit=${begin}>
    <label for="game">Game</label><select id="game" value=${game.name} onChange=${(e) => { setChosen(e.target.value); setSeats(null); }}>${data.games.map((one) => html`<option key=${one.name} value=${one.name}>${one.title}</option>`)}</select>
    <label for="number">Seats</label><select id="number" value=${sitting.length} onChange=${(e) => setSeats(fill(Number(e.target.value)))}>${Array.from({ length: game.max_seats - game.min_seats + 1 }, (_, n) => html`<option key=${n} value=${game.min_seats + n}>${game.min_seats + n}</option>`)}</select>
    <fieldset><legend>Who sits where</legend>${sitting.map((bot, seat) => html`<label key=${seat} class="seat-choice">Seat ${seat} <input list="bots" value=${bot} required onInput=${(e) => setSeats(sitting.map((other, n) => (n === seat ? e.target.value : other)))} /></label>`)}
      <datalist id="bots"><option value=${name} />${game.house_bots.map((bot) => html`<option key=${bot} value=${bot} />`)}</datalist><p class="quiet">Your own name, house bots, or bots that are connected to the server.</p></fieldset>
    <label for="think">Clock</label><select id="think" value=${think} onChange=${(e) => setThink(e.target.value)}>${THINK_S.map(([value, title]) => html`<option key=${value} value=${value}>${title}</option>`)}</select>
    ${wrong && html`<${Wrong} problem=${wrong} />`}<button class="primary" type="submit" disabled=${begun}>Begin</button></form>
    <p class="quiet">Or wait here: a game that somebody else begins with ${name} in it opens by itself.</p></section>`;
}

function Seat({ game, path }) {
  const [problem, setProblem] = useState(null);
  const { data: session } = useAsked(`/api/sessions/${enc(game.session)}`);
  const names = session ? apart(session.seats.map((seat, n) => (n === game.seat ? `${seat.bot} (you)` : seat.bot))) : Array.from({ length: game.seats }, (_, n) => `seat ${n}`);
  const table = useTable(game);
  const context = useContextOf(game.game, table?.table);
  const decision = game.decision && !game.decision.answered ? game.decision : null;
  const asked = useMemo(() => (decision ? { seat: game.seat, actions: decision.actions, chosen: null, id: decision.id } : null), [decision]);
  const act = async (index) => {
    setProblem(null);
    try {
      await ask(`${path}/acts`, { method: "POST", body: { key: game.key, decision: decision.id, index } });
    } catch (error) {
      setProblem(error);
    }
  };
  const words = { names, context };
  const log = useRef(null);
  useEffect(() => { if (log.current) log.current.scrollTop = log.current.scrollHeight; }, [game.moves.length]);
  return html`<section class="seat-of-yours" aria-label="Your seat" data-session=${game.session} data-decision=${decision ? decision.id : ""} data-over=${game.end ? "yes" : ""}>
    <div class="turn-bar" role="status">${game.end ? html`<b>The game is over.</b> <a href="/sessions/${game.session}">See it step by step</a>` : decision ? html`<b>${decision.standing ? "You may act." : "Your turn."}</b> <${Clock} decision=${decision} />` : html`<span>The others are thinking…</span>`}</div>
    ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
    ${game.results.map((one, n) => html`<p key=${n} class="notice" role="status">${one.outcome}${one.message ? `: ${one.message}` : ""}${one.fault ? ` (fault ${one.faults} of ${one.max_faults})` : ""}</p>`)}
    ${game.end?.result && html`<${ResultTable} result=${game.end.result} names=${names} />`}
    ${game.end?.aborted && html`<p class="notice">It was ended without a result.</p>`}
    <div class="player"><div class="stage">
      ${table ? html`<${GameTable} game=${game.game} state=${table} names=${names} asked=${asked} act=${asked ? act : null} context=${context} />` : html`<${Waiting} what="Waiting for the deal" />`}
      <${Options} game=${game.game} asked=${asked} names=${names} act=${act} context=${context} title="What you can do" />
    </div>
    <section class="log" aria-label="What has happened"><h3>What has happened</h3><ol tabindex="0" ref=${log} aria-label="Moves">${game.moves.map((move) => html`<li key=${move.seq}>${move.fault ? html`<b>${names[move.seat]}</b> fault: ${move.fault}` : move.vacated ? html`<b>${names[move.seat]}</b> the seat is given up` : html`<b>${names[move.seat] ?? "dummy"}</b> ${wordsOf(game.game, move, words)}`}</li>`)}</ol></section></div></section>`;
}

// The newest that this seat may know: its own cards as it was last asked, the table as spectators see it if that is newer.
function useTable(game) {
  const [frames, setFrames] = useState([]);
  const seen = useRef(0);
  useEvents(`/api/sessions/${enc(game.session)}/live`, {
    frame: (frame) => { seen.current += frame.moves.length + frame.notes.length; setFrames((now) => [...now, frame]); },
    end: (_, close) => close(),
    failed: (_, close) => close(),
    lost: () => {},
    refused: () => {},
  }, (why) => { if (!why) { seen.current = 0; setFrames([]); } });
  const latest = useRef(null);
  const view = game.end?.view || game.decision?.view;
  if (view) {
    const { table, ...own } = view;
    latest.current = { seq: game.end ? Infinity : game.decision.seq, table, own };
  }
  const known = latest.current;
  const shown = useMemo(() => statesOf(frames).at(-1), [frames]);
  if (!known) return shown ? { table: shown.table, own: {} } : null;
  const newer = !game.decision || game.decision.answered ? shown && seen.current > known.seq && !game.end : false;
  const own = newer ? { ...known.own, hand: played(known.own.hand, game, known.seq) } : known.own;
  return { table: newer ? shown.table : known.table, own: { [game.seat]: own } };
}

// The hand without what the seat has played since it was asked.
function played(hand, game, seq) {
  const left = [...hand];
  for (const move of game.moves) {
    if (move.seq <= seq || move.seat !== game.seat || !move.action) continue;
    const gone = move.action.play?.card ?? move.action.play ?? move.action.discard ?? move.action.sell_card;
    const at = left.indexOf(gone);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function Clock({ decision }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, []);
  if (decision.think_time_ms === null) return "";
  const used = Math.max(0, now - decision.at);
  const left = decision.think_time_ms - used;
  const bank = left < 0 ? Math.max(0, decision.bank_ms + left) : decision.bank_ms;
  const seconds = (ms) => Math.ceil(ms / 1000);
  return html`<span class=${left < 5000 ? "clock hurry" : "clock"}><span aria-hidden="true">${left >= 0 ? `${seconds(left)} s` : "time is up, the bank runs"} <span class="quiet">bank ${seconds(bank)} s</span></span></span>`;
}
