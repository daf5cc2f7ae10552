// A tournament: how it stands, who did how against whom, what went wrong, its games and bots.

import {
  count, duration, faultsText, fixed, go, html, moment, percent, plural, signed, thought, useAsked, useEvents, useMemo, useRef, useState, useTitle, Waiting, Wrong,
} from "./lib.js";
import { History, RatingPlot } from "./plots.js";
import { Sortable } from "./table.js";
import { LiveGame, ReplayedGame } from "./viewer.js";

const enc = encodeURIComponent;

export function Tournaments() {
  const { data, problem } = useAsked("/api/tournaments");
  useTitle("Tournaments");
  if (problem) return html`<${Wrong} problem=${problem} />`;
  if (!data) return html`<${Waiting} />`;
  if (data.tournaments.length === 1) {
    go(`/t/${data.tournaments[0].id}`, { replace: true });
    return html`<${Waiting} />`;
  }
  const columns = [
    { name: "title", title: "Tournament", left: true, rowHeader: true, value: (row) => row.title, show: (row) => html`<a href="/t/${row.id}">${row.title}</a>` },
    { name: "game", title: "Game", left: true, value: (row) => row.game_title },
    { name: "entrants", title: "Entrants", value: (row) => row.entrants.length },
    { name: "games", title: "Games", value: (row) => row.final, show: (row) => `${count(row.final)} of ${count(row.planned)}` },
    { name: "state", title: "State", left: true, value: (row) => row.state },
    { name: "created", title: "Begun", left: true, value: (row) => row.created_s, show: (row) => moment(row.created_s) },
  ];
  return html`<h1>Tournaments</h1>
    ${data.tournaments.length
      ? html`<${Sortable} caption="Tournaments" columns=${columns} rows=${data.tournaments.map((one) => ({ key: one.id, ...one }))} first="created" filter=${(row) => `${row.title} ${row.game_title} ${row.state}`} />`
      : html`<p>There is none yet.</p>`}`;
}

export function Tournament({ parts: [id] }) {
  const [shown, setShown] = useState({});
  const [lost, setLost] = useState("");
  const ended = useRef(false);
  const put = (name) => (value) => setShown((now) => ({ ...now, [name]: value }));
  useEvents(`/api/tournaments/${enc(id)}/events`, {
    tournament: put("tournament"),
    progress: (value) => { ended.current = over(value.state); put("progress")(value); },
    standings: put("standings"),
    running: put("running"),
    troubles: put("troubles"),
    exports: put("exports"),
    refused: (value) => setLost(value.error),
  }, (why, close) => {
    if (why && ended.current) close(); // there is nothing more to come; what is shown may not be drawn yet
    else setLost(why);
  });
  const { tournament, progress, standings } = shown;
  useTitle(tournament?.title);
  if (!tournament) return lost ? html`<${Wrong} problem=${{ message: lost }} />` : html`<${Waiting} />`;
  return html`<div class="heading">
      <h1>${tournament.title}</h1>
      <p class="quiet">${tournament.game_title} · ${tournament.seats} seats · ${plural(tournament.entrants.length, "entrant")} · ${plural(tournament.blocks, "deal")} · ${tournament.format}</p>
    </div>
    ${lost && html`<p class="notice" role="status">${lost}</p>`}
    ${progress && html`<${Progress} progress=${progress} />`}
    <${Tabs} id=${id} here="standings" />
    ${standings
      ? html`<${Standings} id=${id} standings=${standings} />`
      : html`<p class="notice">${progress && progress.final ? "The standings are being made." : "No game is over yet: the standings come with the first deal that is played from every seat."}</p>`}
    ${shown.running?.length ? html`<section aria-labelledby="running"><h2 id="running">Being played</h2><ul class="chips">
      ${shown.running.map((game) => html`<li key=${game.game}><a href="/t/${id}/games/${game.game}"><span class="mono">${game.game}</span> ${game.entrants.join(" · ")}</a></li>`)}
    </ul></section>` : ""}
    ${shown.troubles && html`<${Troubles} troubles=${shown.troubles} standings=${standings} />`}
    ${shown.exports?.length ? html`<section aria-labelledby="files"><h2 id="files">Files</h2><ul class="files">
      ${shown.exports.map((file) => html`<li key=${file.name}><a href="/api/tournaments/${id}/files/${file.name}" download>${file.name}</a> <span class="quiet">${file.what}</span></li>`)}
    </ul></section>` : ""}
    <section aria-labelledby="proof"><h2 id="proof">Proof</h2>
      <p class="quiet">Promised before the first game, so that anybody can check that no deal was chosen.</p>
      <dl class="facts"><dt>Commitment</dt><dd class="mono break">${tournament.commitment}</dd><dt>Plan</dt><dd class="mono break">${tournament.plan_hash}</dd></dl>
    </section>`;
}

const over = (state) => state === "finished" || state === "cancelled";

function Tabs({ id, here }) {
  const tabs = [["standings", `/t/${id}`, "Standings"], ["games", `/t/${id}/games`, "Games"], ["bots", `/t/${id}/bots`, "Bots"]];
  return html`<nav class="tabs" aria-label="Tournament">${tabs.map(([name, href, title]) =>
    html`<a key=${name} href=${href} aria-current=${name === here ? "page" : undefined}>${title}</a>`)}</nav>`;
}

function Progress({ progress }) {
  const share = progress.planned ? progress.final / progress.planned : 0;
  const facts = [
    ["Games", `${count(progress.final)} of ${count(progress.planned)}`],
    progress.running ? ["Running", count(progress.running)] : null,
    progress.rate && !over(progress.state) ? ["A second", fixed(progress.rate, progress.rate < 10 ? 1 : 0)] : null,
    progress.eta_s !== null && !over(progress.state) ? ["Left", duration(progress.eta_s)] : null,
    progress.voided ? ["Voided", count(progress.voided)] : null,
  ].filter(Boolean);
  return html`<section class="progress" aria-label="Progress">
    <span class="state" data-state=${progress.state}>${progress.state}</span>
    <progress max="1" value=${share} aria-label="Games that are final">${percent(share)}</progress>
    <dl class="inline">${facts.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${progress.reason && html`<p class="quiet">${progress.reason}</p>`}
  </section>`;
}

function Standings({ id, standings }) {
  return html`<p class="summary">${standings.summary}</p>
    ${standings.tables.map((table, number) => html`<${StandingsTable} key=${number} id=${id} table=${table} standings=${standings} number=${standings.tables.length > 1 ? number + 1 : 0} />`)}
    ${standings.not_played.length ? html`<p class="quiet">Not played yet: ${standings.not_played.join(", ")}</p>` : ""}
    <${SeatEffects} seats=${standings.seat_effects} />`;
}

function StandingsTable({ id, table, standings, number }) {
  const rows = useMemo(() => table.map((row) => ({ key: row.entrant, ...row })), [table]);
  const title = number ? ` ${number}` : "";
  const columns = [
    { name: "rank", title: "Rank", least: true, value: (row) => row.rank, show: (row) => html`${row.rank}${row.rank_high ? html` <span class="quiet" title="ranks that the data do not exclude">${row.rank_low === row.rank_high ? "" : `${row.rank_low}–${row.rank_high}`}</span>` : ""}` },
    { name: "entrant", title: "Entrant", left: true, rowHeader: true, value: (row) => row.entrant, show: (row) => html`<a href="/t/${id}/bots/${enc(row.entrant)}">${row.entrant}</a>` },
    { name: "rating", title: "Rating", help: "1500 is the average of the table", value: (row) => row.rating, show: (row) => html`<strong>${fixed(row.rating)}</strong>${row.half_width === null ? "" : html` <span class="quiet">± ${fixed(row.half_width)}</span>`}${row.prior_driven ? html`<abbr title="leans on the prior: nobody, or everybody, was ever behind">*</abbr>` : ""}` },
    { name: "p_best", title: "Best", help: "the chance that nobody is stronger", value: (row) => row.p_best, show: (row) => percent(row.p_best) },
    { name: "wins", title: "Wins", help: "share of games won; a shared win is divided", value: (row) => row.win_share, show: (row) => percent(row.win_share, 1) },
    { name: "placing", title: "Placing", help: "average, 1 is best", least: true, value: (row) => row.average_placing, show: (row) => fixed(row.average_placing, 2) },
    { name: "points", title: "Points", help: "mean of a game", value: (row) => row.mean_points, show: (row) => fixed(row.mean_points, 1) },
    { name: "games", title: "Games", value: (row) => row.games, show: (row) => count(row.games) },
    { name: "faults", title: "Faults", value: (row) => total(row.faults), show: (row) => html`<span title=${faultsText(row.faults)}>${count(total(row.faults))}</span>` },
  ];
  return html`<section aria-labelledby="standings${title}"><h2 id="standings${title}">Standings${title}</h2>
      <${Sortable} caption="Standings${title}" columns=${columns} rows=${rows} first="rank" filter=${(row) => `${row.entrant} ${row.kind}`} /></section>
    <section aria-labelledby="ratings${title}"><h2 id="ratings${title}">Ratings with 95 % intervals</h2><${RatingPlot} rows=${table} /></section>
    <section aria-labelledby="cross${title}"><h2 id="cross${title}">Cross table</h2>
      <p class="quiet">How often the row finished above the column, in percent. Each cell opens the games of the two.</p>
      <${Cross} id=${id} names=${table.map((row) => row.entrant)} pairs=${standings.pairs} surprises=${standings.surprises} /></section>`;
}

const total = (faults) => Object.values(faults).reduce((sum, one) => sum + one, 0);

function Cross({ id, names, pairs, surprises }) {
  const cells = useMemo(() => {
    const found = new Map();
    for (const pair of pairs) {
      found.set(`${pair.one}\n${pair.other}`, { share: pair.share, expected: pair.expected, games: pair.games });
      found.set(`${pair.other}\n${pair.one}`, { share: 1 - pair.share, expected: 1 - pair.expected, games: pair.games });
    }
    for (const one of surprises) {
      const up = one.standard_errors > 0;
      const [better, worse] = up ? [one.one, one.other] : [one.other, one.one];
      if (found.has(`${better}\n${worse}`)) found.get(`${better}\n${worse}`).mark = "▲";
      if (found.has(`${worse}\n${better}`)) found.get(`${worse}\n${better}`).mark = "▼";
    }
    return found;
  }, [pairs, surprises]);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Cross table, in columns"><table class="data cross">
    <caption class="hidden">Cross table</caption>
    <thead><tr><td></td>${names.map((name) => html`<th key=${name} scope="col"><span>${name}</span></th>`)}</tr></thead>
    <tbody>${names.map((one) => html`<tr key=${one}><th scope="row" class="left">${one}</th>${names.map((other) => {
      const cell = cells.get(`${one}\n${other}`);
      if (one === other || !cell) return html`<td key=${other} class="none">${one === other ? "" : "·"}</td>`;
      const title = `${one} finished above ${other} in ${percent(cell.share)} of ${plural(cell.games, "game")}; expected were ${percent(cell.expected)}`;
      return html`<td key=${other} class="shade-${Math.round(10 * cell.share)}"><a href="/t/${id}/games?with=${enc(one)}&with=${enc(other)}" title=${title} aria-label=${title}>${Math.round(100 * cell.share)}${cell.mark || ""}</a></td>`;
    })}</tr>`)}</tbody></table></div>`;
}

function SeatEffects({ seats }) {
  if (!seats.length) return "";
  const widest = Math.max(1, ...seats.map((seat) => Math.abs(seat.effect) + (seat.half_width || 0)));
  return html`<section aria-labelledby="seats"><h2 id="seats">Seat effects</h2>
    <p class="quiet">How much better one does there than in seat 0, in rating points. Every deal is played from every seat, so they favour nobody.</p>
    <table class="data narrow"><caption class="hidden">Seat effects</caption><thead><tr><th scope="col">Seat</th><th scope="col">Effect</th><th scope="col" class="left"><span class="hidden">Drawn</span></th></tr></thead>
    <tbody>${seats.map((seat) => html`<tr key=${seat.seat}><th scope="row">${seat.seat}</th>
      <td>${signed(Math.round(seat.effect))}${seat.half_width === null ? "" : html` <span class="quiet">± ${fixed(seat.half_width)}</span>`}</td>
      <td class="left"><svg class="effect" viewBox="-100 0 200 14" aria-hidden="true"><line class="zero" x1="0" x2="0" y1="0" y2="14" />
        ${seat.half_width !== null && html`<line class="bar" x1=${(90 * (seat.effect - seat.half_width)) / widest} x2=${(90 * (seat.effect + seat.half_width)) / widest} y1="7" y2="7" />`}
        <circle class="dot" cx=${(90 * seat.effect) / widest} cy="7" r="4" /></svg></td></tr>`)}</tbody></table></section>`;
}

function Troubles({ troubles, standings }) {
  const rows = (standings?.tables.flat() || []).filter((row) => total(row.faults) || row.forfeits || standings.voided[row.entrant]);
  const crashed = Object.entries(troubles.entrants);
  return html`<section aria-labelledby="troubles"><h2 id="troubles">Faults</h2>
    ${!rows.length && !crashed.length && !troubles.voids.length ? html`<p class="quiet">None so far.</p>` : ""}
    ${rows.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Faults of bots"><table class="data"><caption class="hidden">Faults of bots</caption>
      <thead><tr><th scope="col" class="left">Entrant</th><th scope="col" class="left">Faults</th><th scope="col">Seats given up</th><th scope="col">Games in vain</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.entrant}><th scope="row" class="left">${row.entrant}</th><td class="left">${faultsText(row.faults)}</td><td>${row.forfeits || ""}</td><td>${standings.voided[row.entrant] || ""}</td></tr>`)}</tbody></table></div>` : ""}
    ${crashed.length ? html`<ul>${crashed.map(([name, mark]) => html`<li key=${name}><strong>${name}</strong>: ${plural(mark.crashes, "crash", "crashes")}${mark.disqualified ? `; disqualified: ${mark.disqualified}` : ""}</li>`)}</ul>` : ""}
    ${troubles.voids.length ? html`<details><summary>Deals that were repeated, the latest first</summary><ul>${troubles.voids.map((one) => html`<li key=${`${one.block} ${one.at_s}`}>${moment(one.at_s)}: block ${one.block}, ${plural(one.games, "game")}: ${one.reason}</li>`)}</ul></details>` : ""}
  </section>`;
}

// -- games ------------------------------------------------------------------------------------------------------------

export function Pair({ parts: [id], query }) {
  const names = query.getAll("with");
  const from = Number(query.get("from") || 0);
  const wanted = names.map((name) => `with=${enc(name)}`).join("&");
  const { data: tournament, problem: none } = useAsked(`/api/tournaments/${enc(id)}`);
  const { data, problem } = useAsked(`/api/tournaments/${enc(id)}/games?from=${from}&${wanted}`);
  useTitle(names.length ? `Games of ${names.join(" and ")}` : "Games");
  const wrong = problem || none;
  if (wrong) return html`<${Wrong} problem=${wrong} />`;
  if (!data || !tournament) return html`<${Waiting} />`;
  const choose = (at) => (event) => {
    const chosen = [...names];
    if (event.target.value) chosen[at] = event.target.value;
    else chosen.splice(at, 1);
    go(`/t/${id}/games?${[...new Set(chosen.filter(Boolean))].map((name) => `with=${enc(name)}`).join("&")}`);
  };
  return html`<div class="heading"><h1>${names.length ? `Games of ${names.join(" and ")}` : "Games"}</h1><p class="quiet"><a href="/t/${id}">${tournament.title}</a></p></div>
    <${Tabs} id=${id} here="games" />
    <p class="filter">${[0, 1].map((at) => html`<label key=${at}>${at ? "and " : "With "}<select value=${names[at] || ""} onChange=${choose(at)}>
      <option value="">anybody</option>${tournament.entrants.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></label>`)}</p>
    ${data.games.length ? html`<div class="scroll" tabindex="0" role="region" aria-label="Games"><table class="data games"><caption class="hidden">Games in the order of the plan</caption>
      <thead><tr><th scope="col" class="left">Game</th><th scope="col">Deal</th><th scope="col" class="left">Seats, with placings and points</th><th scope="col" class="left">State</th></tr></thead>
      <tbody>${data.games.map((game) => html`<tr key=${game.game}>
        <th scope="row" class="left mono">${game.state === "planned" ? game.game : html`<a href="/t/${id}/games/${game.game}">${game.game}</a>`}</th><td>${game.deal}</td>
        <td class="left"><ol class="seating" start="0">${game.entrants.map((name, seat) => html`<li key=${seat} class=${names.includes(name) ? "of-pair" : ""}>${name}${game.placings ? html` <b>${game.placings[seat]}.</b> <span class="quiet">${signed(game.points[seat]).replace("+", "")}</span>` : ""}</li>`)}</ol></td>
        <td class="left">${{ planned: "to come", leased: "running", reported: "over; its deal is still being played", final: "final", void: "to be repeated" }[game.state]}</td></tr>`)}</tbody></table></div>`
      : html`<p>There are none.</p>`}
    <p class="pager">${from > 0 ? html`<a href="/t/${id}/games?${wanted}">To the first</a>` : ""} ${data.next !== null ? html`<a href="/t/${id}/games?from=${data.next}&${wanted}">More</a>` : ""}</p>`;
}

export function Game({ parts: [id, key], query }) {
  const [again, setAgain] = useState(0);
  const path = `/api/tournaments/${enc(id)}/games/${enc(key)}`;
  const { data, problem } = useAsked(path, again);
  if (problem) return html`<${Wrong} problem=${problem} />`;
  if (!data) return html`<${Waiting} />`;
  const around = html`<a href="/t/${id}">Standings</a> · <a href="/t/${id}/games?${data.entrants.slice(0, 2).map((name) => `with=${enc(name)}`).join("&")}">Games</a>`;
  const title = `Game ${key}`;
  if (data.state === "final") return html`<${ReplayedGame} path="${path}/replay" title=${title} around=${around} query=${query} />`;
  if (data.state === "planned") return html`<h1>${title}</h1><p>It has not begun. ${around}</p>`;
  if (data.state === "void") return html`<h1>${title}</h1><p>Something went wrong, and it will be played again. ${around}</p>`;
  return html`<${LiveGame} path="${path}/live" title=${title} around=${around} bots=${data.entrants} query=${query} replayed=${() => setAgain(again + 1)} />`;
}

// -- bots -------------------------------------------------------------------------------------------------------------

export function TournamentBots({ parts: [id, chosen] }) {
  const { data: tournament } = useAsked(`/api/tournaments/${enc(id)}`);
  const { data, problem } = useAsked(`/api/tournaments/${enc(id)}/bots`);
  useTitle(chosen || "Bots");
  if (problem) return html`<${Wrong} problem=${problem} />`;
  if (!data || !tournament) return html`<${Waiting} />`;
  const bot = data.bots.find((one) => one.name === chosen);
  const columns = [
    { name: "name", title: "Bot", left: true, rowHeader: true, value: (row) => row.name, show: (row) => html`<a href="/t/${id}/bots/${enc(row.name)}">${row.name}</a>` },
    { name: "kind", title: "Kind", left: true, value: (row) => row.kind },
    { name: "rating", title: "Rating", value: (row) => row.history.at(-1)?.rating, show: (row) => fixed(row.history.at(-1)?.rating) },
    { name: "games", title: "Games", value: (row) => row.games, show: (row) => count(row.games) },
    { name: "mean", title: "Thinks", help: "mean time of a decision", value: (row) => row.mean_ms, show: (row) => thought(row.mean_ms) },
    { name: "slowest", title: "At worst", help: "mean of its slowest game", value: (row) => row.slowest_ms, show: (row) => thought(row.slowest_ms) },
    { name: "faults", title: "Faults", left: true, value: (row) => total(row.faults), show: (row) => faultsText(row.faults) || "0" },
    { name: "last", title: "Last seen", left: true, value: (row) => row.last_s, show: (row) => moment(row.last_s) },
  ];
  return html`<div class="heading"><h1>${chosen || "Bots"}</h1><p class="quiet"><a href="/t/${id}">${tournament.title}</a></p></div>
    <${Tabs} id=${id} here="bots" />
    ${chosen && !bot && html`<p class="notice">There is no entrant ${chosen}.</p>`}
    ${bot && html`<section aria-label=${bot.name}>
      <dl class="facts"><dt>Kind</dt><dd>${bot.kind}</dd><dt>Games</dt><dd>${count(bot.games)} (<a href="/t/${id}/games?with=${enc(bot.name)}">all of them</a>)</dd>
        <dt>Thinks</dt><dd>${thought(bot.mean_ms)} a decision on average, ${thought(bot.slowest_ms)} in its slowest game, ${count(bot.decisions)} decisions</dd>
        <dt>Faults</dt><dd>${faultsText(bot.faults) || "none"}${bot.forfeits ? `; its seat was given up ${plural(bot.forfeits, "time")}` : ""}</dd>
        <dt>Last seen</dt><dd>${moment(bot.last_s)}</dd></dl>
      <h2>How its rating has come about</h2><${History} bots=${[bot]} /></section>`}
    ${!chosen && html`<${Sortable} caption="Bots" columns=${columns} rows=${data.bots.map((one) => ({ key: one.name, ...one }))} first="name" filter=${(row) => `${row.name} ${row.kind}`} />
      <section aria-labelledby="history"><h2 id="history">Ratings over the games</h2><${History} bots=${data.bots} /></section>`}`;
}
