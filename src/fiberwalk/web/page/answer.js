/** What came back: a table in three views with what protection did and the ways to take it along, or a refusal. */

import { barsOf } from "./bars.js";
import { button, byId, choice, make, numbers, whole } from "./elements.js";
import { decimalsOf, dimsOf, gridOf, largestGap } from "./figures.js";
import { address } from "./request.js";
import { Trouble, download } from "./service.js";
import { heat, legend, tableOf } from "./table.js";

const VIEWS = { table: "Table", heat: "Heat map", bars: "Bars" };
const FORMATS = { "json-stat2": "JSON-stat", csv: "CSV", xlsx: "Excel", parquet: "Parquet" };
const BY = "; protected by ";
const ENDINGS = { "json-stat2": "json" };

/** Show a table that was released. `told` is given sentences about what went wrong. */
export function showTable(answer, request, catalogue, view, told) {
  const { dataset } = answer;
  const dims = dimsOf(dataset);
  const grid = gridOf(dims, dataset.value, request.columns, Boolean(request.totals));
  grid.heading = answer.shows === "count" ? "people" : answer.shows;
  const number = numbers(decimalsOf(dataset.value, request.mean));
  const caption = title(answer.shows, request);
  let sort = null;
  const box = make("div", { class: "view" });
  const cell = (colour) => (row, column) => {
    const value = grid.value(row, column);
    if (value === null) return { content: [make("span", { "aria-hidden": "true" }, "\u2014"), make("span", { class: "unseen" }, "withheld")], mark: "withheld" };
    return { content: number(value), mark: colour && !row.total && !column.total ? colour.of(value) : null };
  };
  const draw = () => {
    const onsort = (by) => { sort = by; };
    const colour = view === "heat" ? heat(grid) : null;
    box.replaceChildren(...(view === "bars"
      ? [barsOf(grid, { caption, number, sort, width: Math.max(box.clientWidth, 280) })]
      : [colour ? legend(colour.classes, number) : "", tableOf(grid, { caption, cell: cell(colour), sort, onsort })]));
  };
  const choose = (wanted) => {
    view = wanted;
    history.replaceState(null, "", address(request, view));
    link.href = address(request, view);
    draw();
  };
  const link = make("a", { href: address(request, view) }, "Link to this table");
  byId("answer").replaceChildren(
    choice("Shown as", VIEWS, view, choose),
    box,
    make("div", { class: "notes" }, sentences(answer, request, dims).map((sentence) => make("p", {}, sentence))),
    make("p", { class: "take" }, "Download: ", catalogue.formats.map((format) => [file(format, answer, told), " "]).flat(), make("span", { class: "links" }, link, copier(link, told))),
  );
  draw();
  let seen = box.clientWidth;
  new ResizeObserver(() => {
    if (view === "bars" && Math.abs(box.clientWidth - seen) > 1) draw();
    seen = box.clientWidth;
  }).observe(box);
}

/** What a table shows, as people say it: People by age and sex, where region is 1. */
export function title(shows, { rows, columns, filters }) {
  const figures = shows === "count" ? "People" : `${shows[0].toUpperCase()}${shows.slice(1)}`;
  const dims = [...rows, ...columns];
  const listed = dims.length > 1 ? `${dims.slice(0, -1).join(", ")} and ${dims.at(-1)}` : dims[0];
  const where = Object.entries(filters).map(([dim, labels]) => `${dim} is ${labels.join(" or ")}`).join(" and ");
  return `${figures} by ${listed}${where ? `, where ${where}` : ""}`;
}

function sentences(answer, request, dims) {
  const { value, note } = answer.dataset;
  const found = note.map((one, place) => (place === 0 ? first(one) : `Left out: ${one}`));
  if (request.totals && request.mean) found.push("Totals are means of everybody in their row or column.");
  else if (request.totals) {
    const gap = largestGap(dims, value);
    found.push(gap
      ? `Totals are protected like every figure, and need not add up: here they are off by up to ${gap < 1 ? gap.toPrecision(2) : whole(gap)}.`
      : "Totals add up.");
  }
  const withheld = value.filter((one) => one === null).length;
  if (withheld) found.push(`\u2014 is a figure that is withheld: ${whole(withheld)} of ${whole(value.length)}.`);
  return found;
}

/** The note "sex x age; protected by random-round base=3." as a sentence. */
function first(note) {
  const place = note.lastIndexOf(BY);
  if (place < 0) return note;
  const by = note.slice(place + BY.length);
  return by.startsWith("nothing") ? "Not protected: these are the true counts." : `Protected by ${by.replace(/\.$/, "")}: figures can differ from the true ones.`;
}

function file(format, answer, told) {
  const path = `api/table?${answer.query}&format=${format}`;
  const name = `${answer.dataset.id.join("-")}.${ENDINGS[format] ?? format}`;
  return make("a", { href: path, download: name, onclick: (event) => {
    event.preventDefault(); // a link cannot send a token, nor tell what went wrong
    download(path, name).catch(told);
  } }, FORMATS[format] ?? format);
}

function copier(link, told) {
  if (!navigator.clipboard) return null;
  const copy = button("Copy the link", async () => {
    try {
      await navigator.clipboard.writeText(link.href);
      copy.textContent = "Copied";
    } catch {
      told(new Trouble("The browser does not let this page copy: copy the link by its menu."));
    }
  }, { class: "small" });
  return copy;
}

/** Show why there is no table, and what can be asked instead. */
export function showRefusal({ notice, instead }) {
  const sentence = notice ? `${notice[0].toUpperCase()}${notice.slice(1).replace(/\.$/, "")}.` : "";
  byId("answer").replaceChildren(make("div", { class: "doubt refusal" },
    make("p", {}, make("strong", {}, "Refused"), sentence),
    instead.length
      ? [make("p", {}, "You can ask for one of these instead:"), make("ul", {}, instead.map(({ words, query }) => make("li", {}, make("a", { href: `?${query}`, class: "again" }, words))))]
      : make("p", {}, "Try fewer dimensions, or larger groups.")));
}
