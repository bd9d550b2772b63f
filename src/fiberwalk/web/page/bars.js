/** A grid as bars, one group a row and one bar a column. */

import { counted, draw, make, scrolled } from "./elements.js";
import { sorted } from "./figures.js";

const SERIES = 6; // colours that the colour-blind can tell apart
const BARS = 150;
const [THICK, GAP, SPACE] = [16, 2, 10];

/** The picture, its legend, and a sentence where not all is in it. */
export function barsOf(grid, { caption, number, sort, width }) {
  const rows = sorted(grid, sort).filter((row) => !row.total);
  const columns = grid.columns.filter((column) => !column.total);
  const coloured = columns.length > 1 && columns.length <= SERIES;
  const name = (labels) => labels.join(", ");
  const groups = coloured || columns.length === 1
    ? rows.map((row) => ({ label: name(row.labels) || "all", bars: columns.map((column, series) => ({ series, value: grid.value(row, column), label: name([...row.labels, ...column.labels]) })) }))
    : rows.flatMap((row) => columns.map((column) => {
      const label = name([...row.labels, ...column.labels]);
      return { label, bars: [{ series: 0, value: grid.value(row, column), label }] };
    }));
  const per = coloured ? columns.length : 1;
  const shown = groups.slice(0, Math.max(1, Math.floor(BARS / per)));
  const parts = [];
  if (coloured) {
    parts.push(make("div", { class: "legend" }, make("span", {}, `${grid.columnDims.join(" \u203a ")}:`), make("ul", {}, columns.map((column, series) =>
      make("li", {}, make("i", { class: `series-${series}`, "aria-hidden": "true" }), name(column.labels))))));
  }
  parts.push(scrolled(caption, picture(shown, per, { caption, number, width }), shown.length * per > 60 ? "sheet" : ""));
  if (shown.length < groups.length) parts.push(make("p", { class: "quiet" }, `${counted(shown.length * per, "bar")} of ${counted(groups.length * per, "bar")}; the table has all. Sort the table by a column to see the largest here.`));
  if (grid.rows.length > rows.length || grid.columns.length > columns.length) parts.push(make("p", { class: "quiet" }, "Totals are not drawn."));
  return make("div", {}, parts);
}

function picture(groups, per, { caption, number, width }) {
  const values = groups.flatMap((group) => group.bars.map((bar) => bar.value ?? 0));
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const wide = pen();
  const text = Math.min(Math.max(...groups.map((group) => wide(group.label))) + 12, Math.max(90, width * 0.38));
  const figure = Math.max(...groups.flatMap((group) => group.bars.map((bar) => wide(said(bar, number))))) + 10;
  const room = Math.max(width - text - figure - 4, 80);
  const x = (value) => text + (room * (value - least)) / (most - least || 1);
  const tall = per * (THICK + GAP) + SPACE;
  const height = groups.length * tall + SPACE;
  const inside = groups.flatMap((group, place) => {
    const top = SPACE / 2 + place * tall;
    const label = fitting(group.label, text - 12, wide);
    return [
      draw("text", { x: text - 8, y: top + (per * (THICK + GAP)) / 2 + 5, "text-anchor": "end", class: "label" }, draw("title", {}, group.label), label),
      ...group.bars.flatMap((bar, series) => {
        const y = top + series * (THICK + GAP);
        const [left, right] = bar.value === null ? [x(0), x(0)] : [Math.min(x(0), x(bar.value)), Math.max(x(0), x(bar.value))];
        return [
          draw("rect", { x: left, y, width: Math.max(right - left, 0), height: THICK, class: `series-${bar.series}` }, draw("title", {}, `${bar.label}: ${said(bar, number)}`)),
          draw("text", { x: right + 5, y: y + THICK - 3.5, class: bar.value === null ? "withheld" : "figure" }, said(bar, number)),
        ];
      }),
    ];
  });
  return draw("svg", { role: "img", "aria-label": `${caption}, as bars; the table has the same figures`, width: Math.ceil(text + room + figure + 4), height, class: "bars" },
    draw("line", { x1: x(0), x2: x(0), y1: 0, y2: height, class: "axis" }), inside);
}

const said = (bar, number) => (bar.value === null ? "withheld" : number(bar.value));

/** How wide a text is drawn. */
function pen() {
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const context = document.createElement("canvas").getContext("2d");
  context.font = `${0.86 * Number.parseFloat(fontSize)}px ${fontFamily}`;
  return (text) => context.measureText(text).width;
}

function fitting(text, room, wide) {
  if (wide(text) <= room + 1) return text;
  let letters = text.length;
  while (letters > 1 && wide(`${text.slice(0, letters)}\u2026`) > room) letters -= 1;
  return `${text.slice(0, letters)}\u2026`;
}
