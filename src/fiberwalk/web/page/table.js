/** A grid as a table: headings nested, labels that stay in view, sorted by a column; plain or as a heat map. */

import { button, counted, make, scrolled, whole } from "./elements.js";
import { sorted } from "./figures.js";

const ROWS = 300; // are shown at first
const COLUMNS = 200; // are shown at most
const CLASSES = 7;

/** The table; `cell` makes what is in one: {content, mark}. Its state of sorting is told to `onsort`. */
export function tableOf(grid, { caption, cell, sort = null, onsort = null }) {
  const columns = grid.columns.slice(0, COLUMNS);
  const body = make("tbody");
  const head = make("thead");
  const table = make("table", { class: "grid" }, make("caption", { class: "unseen" }, caption), head, body);
  const more = make("p", { class: "quiet" });
  let rows = [];
  let upTo = ROWS;

  const fill = () => {
    rows = sorted(grid, sort);
    head.replaceChildren(...headings(grid, columns, sort, reorder));
    let before = null;
    body.replaceChildren(...rows.slice(0, upTo).map((row) => {
      const again = row.labels.map((_, place) => before !== null && row.labels.slice(0, place + 1).every((label, k) => label === before[k]));
      before = row.labels;
      return make("tr", { class: row.total ? "total" : null },
        row.labels.map((label, place) => make("th", { scope: "row", class: again[place] && place < row.labels.length - 1 ? "again" : null }, make("span", {}, label))),
        row.labels.length ? [] : make("th", { scope: "row" }, "all"),
        columns.map((column) => {
          const { content, mark } = cell(row, column);
          return make("td", { class: [mark, column.total && "total"].filter(Boolean).join(" ") || null }, content);
        }));
    }));
    more.replaceChildren();
    const hidden = rows.length - upTo;
    if (hidden > 0) {
      more.append(`${whole(upTo)} of ${counted(rows.length, "row")} are shown. `, button(`Show ${Math.min(hidden, ROWS)} more`, () => {
        upTo += ROWS;
        fill();
        pin(table);
      }));
    }
    if (grid.columns.length > columns.length) more.append(` The first ${columns.length} of ${counted(grid.columns.length, "column")}: move a dimension to the rows, or download the table.`);
  };
  const reorder = (column) => {
    sort = sort === null || sort.column !== column ? { column, down: column !== -1 } : sort.down === (column !== -1) ? { column, down: !sort.down } : null;
    fill();
    pin(table);
    head.querySelector(`[data-column="${column}"]`).focus();
    onsort?.(sort, rows);
  };
  fill();
  new ResizeObserver(() => pin(table)).observe(table);
  return make("div", {}, scrolled(caption, table, "sheet"), more);
}

function headings(grid, columns, sort, reorder) {
  const lead = Math.max(grid.rowDims.length, 1);
  const found = [];
  const corner = () => make("td", { colspan: lead, class: "corner" });
  if (grid.columnDims.length) {
    found.push(make("tr", {}, corner(), make("th", { colspan: columns.length, scope: "colgroup", class: "names" }, make("span", {}, grid.columnDims.join(" \u203a ")))));
  }
  for (let level = 0; level < grid.columnDims.length - 1; level += 1) {
    const groups = [];
    for (const column of columns) {
      const key = JSON.stringify(column.labels.slice(0, level + 1));
      if (groups.at(-1)?.key === key) groups.at(-1).width += 1;
      else groups.push({ key, width: 1, label: column.labels[level] });
    }
    found.push(make("tr", {}, corner(), groups.map(({ width, label }) => make("th", { colspan: width, scope: "colgroup", class: "group" }, make("span", {}, label)))));
  }
  const sortable = (column, text, attributes) => {
    const mine = sort !== null && sort.column === column;
    const arrow = mine ? (sort.down ? "\u25bc" : "\u25b2") : "";
    return make("th", { scope: "col", "aria-sort": mine ? (sort.down ? "descending" : "ascending") : null, ...attributes },
      make("span", { "aria-hidden": "true", class: "arrow" }, arrow), button(text, () => reorder(column), { class: "sort", "data-column": column, title: "Sort" }));
  };
  const labels = grid.rowDims.length
    ? grid.rowDims.map((name, place) => place === 0 ? sortable(-1, name, { class: "dim" }) : make("th", { scope: "col", class: "dim" }, name))
    : [make("td", { class: "corner" })];
  found.push(make("tr", {}, labels, columns.map((column, place) =>
    sortable(place, column.labels.at(-1) ?? grid.heading, { class: column.total ? "total" : null }))));
  return found;
}

/** Keep the labels of rows in view: all where there is room, else the last. */
function pin(table) {
  const wide = table.parentElement?.clientWidth ?? 0;
  const first = table.tBodies[0].rows[0];
  if (!first || !wide) return;
  const widths = [...first.querySelectorAll("th")].map((one) => one.offsetWidth);
  const all = widths.reduce((sum, one) => sum + one, 0);
  const room = all < wide / 2;
  table.style.setProperty("--pinned", `${room ? all : widths.at(-1)}px`);
  for (const row of table.rows) {
    let left = 0;
    [...row.children].slice(0, widths.length).forEach((one, place) => {
      const heading = one.tagName === "TH" && (one.scope === "row" || one.classList.contains("dim"));
      if (!heading && !one.classList.contains("corner")) return;
      const stays = one.classList.contains("corner") ? room : room || place === widths.length - 1;
      one.classList.toggle("pinned", stays);
      one.style.left = stays ? `${room ? left : 0}px` : "";
      left += widths[place];
    });
  }
}

/** Figures in classes of about as many each, from light to dark: the class of a figure, and the legend. */
export function heat(grid) {
  const plain = grid.rows.filter((row) => !row.total).flatMap((row) => grid.columns.filter((column) => !column.total).map((column) => grid.value(row, column)));
  const found = plain.filter((value) => value !== null).sort((a, b) => a - b);
  const edges = [...new Set(Array.from({ length: CLASSES }, (_, k) => found[Math.floor((k * found.length) / CLASSES)]))].filter((edge) => edge !== undefined);
  const at = (value) => edges.findLastIndex((edge) => edge <= value);
  const shade = (number) => (edges.length < 2 ? 0 : Math.round((number * (CLASSES - 1)) / (edges.length - 1)));
  const classes = edges.map((_, number) => {
    const inside = found.filter((value) => at(value) === number);
    return { shade: shade(number), least: inside[0], most: inside.at(-1) };
  });
  return { of: (value) => `heat heat-${shade(Math.max(at(value), 0))}`, classes };
}

export function legend(classes, number) {
  return make("div", { class: "legend" }, make("span", {}, "Colours, from low to high:"), make("ul", {}, classes.map(({ shade, least, most }) =>
    make("li", {}, make("i", { class: `heat heat-${shade}`, "aria-hidden": "true" }), least === most ? number(least) : `${number(least)} to ${number(most)}`))));
}
