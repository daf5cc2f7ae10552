// What all parts of the page share: Preact, asking the server, following it, finding one's way, writing numbers.

import { html, render, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } from "./vendor/preact-htm.js";

export { html, render, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback };

// -- asking -----------------------------------------------------------------------------------------------------------

export class Problem extends Error {
  constructor(message, status, fields) {
    super(message);
    this.status = status;
    this.fields = fields || {};
  }
}

export async function ask(path, { method = "GET", body } = {}) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Problem("The page's server does not answer. Is it still running?", 0);
  }
  const said = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Problem(said.error, answer.status, said.fields);
  return said;
}

// What a path answers: { data, problem }. Asked again when the path changes, or `again` does.
export function useAsked(path, again) {
  const [state, setState] = useState({});
  useEffect(() => {
    if (!path) return undefined;
    let wanted = true;
    ask(path).then(
      (data) => wanted && setState({ path, data }),
      (problem) => wanted && setState({ path, problem }),
    );
    return () => {
      wanted = false;
    };
  }, [path, again]);
  return state.path === path ? state : {};
}

// Follows server-sent events: handlers by name. Comes back by itself; `lost` is told when it is gone, and when it is back.
// A window that nobody sees lets go of its stream, since browsers open only a few at a time, unless it is to `keep` it.
export function useEvents(path, handlers, lost, keep = false) {
  const latest = useRef(handlers);
  latest.current = handlers;
  const told = useRef(lost);
  told.current = lost;
  useEffect(() => {
    if (!path) return undefined;
    let source = null;
    let over = false;
    const close = () => {
      over = true;
      source?.close();
    };
    const open = () => {
      source?.close();
      source = new EventSource(path);
      for (const name of Object.keys(handlers)) {
        source.addEventListener(name, (event) => latest.current[name](JSON.parse(event.data), close));
      }
      source.onopen = () => told.current?.("", close);
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) told.current?.("The connection is lost; trying again…", close);
        else // refused: the same without a stream says why
          ask(path.replace(/\/(live|events)$/, "")).then(
            () => told.current?.("The connection is closed. Load the page again to go on.", close),
            (problem) => told.current?.(problem.message, close),
          );
      };
    };
    const look = () => {
      if (over || keep) return;
      if (document.hidden) source?.close();
      else if (source?.readyState === EventSource.CLOSED) open();
    };
    open();
    document.addEventListener("visibilitychange", look);
    return () => {
      close();
      document.removeEventListener("visibilitychange", look);
    };
  }, [path]);
}

// -- finding one's way ------------------------------------------------------------------------------------------------

const moved = new Set();

export function go(path, { replace = false } = {}) {
  if (path === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", path);
  if (!replace) scrollTo(0, 0);
  for (const tell of moved) tell();
}

export function useLocation() {
  const [, again] = useState(0);
  useEffect(() => {
    const tell = () => again((n) => n + 1);
    moved.add(tell);
    addEventListener("popstate", tell);
    return () => {
      moved.delete(tell);
      removeEventListener("popstate", tell);
    };
  }, []);
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

// Links within the page need no reload.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.hasAttribute("download") || link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search);
});

export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · Croupier` : "Croupier";
  }, [title]);
}

// -- writing ----------------------------------------------------------------------------------------------------------

const whole = new Intl.NumberFormat("en-GB");
export const count = (number) => whole.format(number);
export const fixed = (number, digits = 0) => (number === null || number === undefined ? "–" : number.toFixed(digits).replace("-", "−"));
export const percent = (share, digits = 0) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`);
export const signed = (number) => (number > 0 ? `+${number}` : String(number).replace("-", "−"));
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const parts = [];
  let left = Math.round(seconds);
  for (const [name, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (left >= size || (name === "s" && !parts.length)) {
      parts.push(`${Math.floor(left / size)} ${name}`);
      left %= size;
    } else if (parts.length) break;
  }
  return parts.slice(0, 2).join(" ");
}

export function thought(ms) {
  if (ms === null || ms === undefined) return "–";
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export const moment = (seconds) => (seconds ? new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" }) : "–");

// Names that tell seats apart, where one bot sits in several.
export const apart = (names) => names.map((name, seat) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${seat})`));

export const faultsText = (faults) => Object.entries(faults || {}).map(([kind, number]) => `${number} ${kind}`).join(", ");

export function Wrong({ problem }) {
  return html`<div class="problem" role="alert">
    <p>${problem.message}</p>
    ${problem.status === 401 && html`<p><a href="/login">Log in</a> with your token.</p>`}
  </div>`;
}

export function Waiting({ what = "Loading" }) {
  return html`<p class="quiet" aria-live="polite">${what}…</p>`;
}
