// Tables of numbers, sorted and filtered by keyboard and mouse.

import { html, useMemo, useState } from "./lib.js";

// columns: { name, title, help?, value(row), show?(row), left?, least? (small is best: sorted upwards first), rowHeader? }
export function Sortable({ caption, columns, rows, first, filter, rowClass }) {
  const [sort, setSort] = useState({ name: first, up: true });
  const [words, setWords] = useState("");
  const column = columns.find((one) => one.name === sort.name) || columns[0];
  const shown = useMemo(() => {
    const found = words.trim().toLowerCase();
    const wanted = found ? rows.filter((row) => filter(row).toLowerCase().includes(found)) : [...rows];
    const key = (row) => column.value(row) ?? -Infinity;
    wanted.sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      const order = typeof a === "string" ? a.localeCompare(b) : a - b;
      return sort.up ? order : -order;
    });
    return wanted;
  }, [rows, sort, words, column]);
  const choose = (one) => setSort((now) => ({ name: one.name, up: now.name === one.name ? !now.up : Boolean(one.least || one.left) }));
  return html`
    ${filter && html`<p class="filter"><label>Filter <input type="search" value=${words} onInput=${(e) => setWords(e.target.value)} /></label>
      <span class="quiet" role="status">${words.trim() ? `${shown.length} of ${rows.length}` : ""}</span></p>`}
    <div class="scroll" tabindex="0" role="region" aria-label="${caption}, in columns">
      <table class="data">
        <caption class="hidden">${caption}</caption>
        <thead><tr>
          ${columns.map((one) => html`<th key=${one.name} scope="col" class=${one.left ? "left" : ""}
            aria-sort=${sort.name === one.name ? (sort.up ? "ascending" : "descending") : undefined}>
            <button class="sort" title=${one.help} onClick=${() => choose(one)}>${one.title}<span class="arrow" aria-hidden="true">${sort.name === one.name ? (sort.up ? "▲" : "▼") : ""}</span></button></th>`)}
        </tr></thead>
        <tbody>${shown.map((row) => html`<tr key=${row.key} class=${rowClass ? rowClass(row) : ""} data-row=${row.key}>
          ${columns.map((one) => one.rowHeader
            ? html`<th key=${one.name} scope="row" class="left">${one.show ? one.show(row) : one.value(row)}</th>`
            : html`<td key=${one.name} class=${one.left ? "left" : ""}>${one.show ? one.show(row) : one.value(row)}</td>`)}
        </tr>`)}</tbody>
      </table>
    </div>`;
}
