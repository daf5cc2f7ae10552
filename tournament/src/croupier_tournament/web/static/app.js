// The page: what is shown at which address.

import { html, render, useAsked, useEffect, useLocation, useRef, Waiting, Wrong } from "./lib.js";
import { Login, Logout } from "./login.js";
import { Play } from "./play.js";
import { ServerBots, Session, Sessions } from "./sessions.js";
import { Game, Pair, Tournament, TournamentBots, Tournaments } from "./tournament.js";

const ROUTES = [
  [/^\/tournaments\/?$/, () => Tournaments],
  [/^\/t\/([^/]+)\/?$/, () => Tournament],
  [/^\/t\/([^/]+)\/bots(?:\/([^/]+))?$/, () => TournamentBots],
  [/^\/t\/([^/]+)\/games$/, () => Pair],
  [/^\/t\/([^/]+)\/games\/([^/]+)$/, () => Game],
  [/^\/sessions\/?$/, () => Sessions],
  [/^\/sessions\/([^/]+)$/, () => Session],
  [/^\/bots\/?$/, () => ServerBots],
  [/^\/play\/?$/, () => Play],
  [/^\/login\/?$/, () => Login],
  [/^\/$/, (page) => (page.tournaments ? Tournaments : Sessions)],
];

function App() {
  const { path, query } = useLocation();
  const { data: page, problem } = useAsked("/api/page", path === "/login" ? 1 : 0);
  const main = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus();
  }, [path]);
  if (problem) return html`<main><${Wrong} problem=${problem} /></main>`;
  if (!page) return html`<main><${Waiting} /></main>`;
  const [found, parts] = routed(path, page);
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current?.focus(); }}>To the content</a>
    <header class="top">
      <a class="brand" href="/"><img src="/static/icon.svg" alt="" width="24" height="24" />Croupier</a>
      <nav aria-label="Pages">
        ${page.tournaments && html`<${To} href="/tournaments" path=${path}>Tournaments<//>`}
        ${page.sessions && html`<${To} href="/sessions" path=${path}>Games<//>`}
        ${page.sessions && html`<${To} href="/bots" path=${path}>Bots<//>`}
        ${page.seats && html`<${To} href="/play" path=${path}>Play<//>`}
      </nav>
      <span class="grow"></span>
      ${page.logged_in ? html`<${Logout} role=${page.role} />` : html`<${To} href="/login" path=${path}>Log in<//>`}
    </header>
    <main id="main" tabindex="-1" ref=${main}>
      ${found ? html`<${found} key=${path} parts=${parts} query=${query} page=${page} />` : html`<h1>Nothing here</h1><p>There is no page at ${path}. <a href="/">Go to the start</a>.</p>`}
    </main>
    <footer class="quiet">Croupier ${page.version}</footer>`;
}

function routed(path, page) {
  for (const [pattern, chosen] of ROUTES) {
    const match = pattern.exec(path);
    if (match) return [chosen(page), match.slice(1).map((part) => part && decodeURIComponent(part))];
  }
  return [null, []];
}

function To({ href, path, children }) {
  return html`<a href=${href} aria-current=${path === href || path.startsWith(`${href}/`) ? "page" : undefined}>${children}</a>`;
}

const place = document.getElementById("app");
place.textContent = "";
render(html`<${App} />`, place);
