/** The form: dims in rows and columns, filters, figures. It tells whoever listens that the request changed. */

import { button, byId, counted, make } from "./elements.js";

const MANY = 12; // labels: from here on they can be searched
const TOTALS = { "": "none", consistent: "protected like every figure", added: "sums of the figures shown" };

/** The form of a catalogue; `changed` is called with every new request. */
export function form(catalogue, changed) {
  let request;
  const families = catalogue.dims.filter((dim) => !dim.level_of);
  const cards = new Map();
  const tell = () => {
    show();
    changed(request);
  };

  const put = (dim, side) => {
    const there = request[side].includes(dim.name);
    const without = (names) => names.filter((name) => name !== dim.name);
    request = { ...request, rows: without(request.rows), columns: without(request.columns) };
    if (!there) request = { ...request, [side]: [...request[side], dim.name] };
    tell();
  };

  const filter = (dim, label, chosen) => {
    const labels = new Set(request.filters[dim.name] ?? []);
    if (chosen) labels.add(label);
    else labels.delete(label);
    const filters = { ...request.filters };
    delete filters[dim.name];
    if (labels.size) filters[dim.name] = dim.labels.filter((one) => labels.has(one));
    request = { ...request, filters };
    tell();
  };

  const card = (dim) => {
    const sides = ["rows", "columns"].map((side) => {
      const word = side === "rows" ? "Rows" : "Columns";
      return [side, button(word, () => put(dim, side), { "aria-label": `${word}: ${dim.name}` })];
    });
    const summary = make("summary", {}, "Filter");
    const boxes = [];
    const list = make("ul", { class: "labels" });
    const details = make("details", {}, summary, ...searchable(dim, list), list);
    const fill = () => {
      if (boxes.length) return; // long lists are made when they are looked at
      for (const label of dim.labels) {
        const box = make("input", { type: "checkbox", onchange: () => filter(dim, label, box.checked) });
        boxes.push([label, box]);
        list.append(make("li", {}, make("label", {}, box, label)));
      }
      sync();
    };
    details.addEventListener("toggle", fill);
    const sync = () => {
      const chosen = request.filters[dim.name] ?? [];
      for (const [side, one] of sides) one.setAttribute("aria-pressed", String(request[side].includes(dim.name)));
      for (const [label, box] of boxes) box.checked = chosen.includes(label);
      const said = chosen.length ? (chosen.length === 1 ? chosen[0] : `${chosen.length} of ${dim.labels.length}`) : "";
      summary.replaceChildren("Filter", make("span", { class: "unseen" }, ` of ${dim.name}`), said ? make("b", {}, `: ${said}`) : "");
    };
    cards.set(dim.name, sync);
    return make("li", { class: dim.level_of ? "level" : "dim" },
      make("div", { class: "card" },
        make("span", { class: "name" }, dim.name, make("small", { class: "quiet" },
          dim.level_of ? ` ${counted(dim.labels.length, "group")} of ${dim.level_of}` : ` ${counted(dim.labels.length, "label")}`)),
        make("span", { class: "choice" }, sides.map(([, one]) => one))),
      details);
  };

  byId("dims").replaceChildren(...families.flatMap((dim) => [dim, ...catalogue.dims.filter((one) => one.level_of === dim.name)].map(card)));

  const shown = byId("shown");
  const options = [["", false, "people"], ...catalogue.summed.flatMap((name) => [[name, false, `sum of ${name}`], [name, true, `mean of ${name}`]])];
  shown.replaceChildren(...options.map(([, , words], place) => make("option", { value: place }, words)));
  shown.addEventListener("change", () => {
    const [of, mean] = options[shown.value];
    request = { ...request, of, mean, totals: mean && request.totals === "added" ? "consistent" : request.totals };
    tell();
  });
  const totals = byId("totals");
  totals.addEventListener("change", () => {
    request = { ...request, totals: totals.value };
    tell();
  });

  const show = () => {
    for (const sync of cards.values()) sync();
    shown.value = options.findIndex(([of, mean]) => of === request.of && mean === request.mean);
    const ways = ["", ...catalogue.totals].filter((way) => !(request.mean && way === "added")); // means do not add up
    totals.replaceChildren(...ways.map((way) => make("option", { value: way }, TOTALS[way] ?? way)));
    totals.value = request.totals;
    order();
  };

  /** Where several dims are nested, which is outside. */
  const order = () => {
    const focused = document.activeElement?.dataset?.key;
    const move = (side, place) => {
      const names = [...request[side]];
      names.splice(place - 1, 0, ...names.splice(place, 1));
      request = { ...request, [side]: names };
      tell();
    };
    const listed = (side, word) => !request[side].length ? null : make("p", {}, `${word}: `, request[side].map((name, place) => [
      place ? button("\u21c4", () => move(side, place), {
        class: "move", "aria-label": `Move ${name} before ${request[side][place - 1]}`, title: `Move ${name} before ${request[side][place - 1]}`, "data-key": `${side} ${place}`,
      }) : null,
      make("b", {}, name), " ",
    ]).flat());
    const turn = () => {
      request = { ...request, rows: request.columns, columns: request.rows };
      tell();
    };
    const some = request.rows.length + request.columns.length;
    byId("order").replaceChildren(...[
      listed("rows", "Rows"), listed("columns", "Columns"),
      some ? button("Swap rows and columns", turn, { class: "small", "data-key": "turn" }) : null,
    ].filter(Boolean));
    if (focused) [...byId("order").querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus();
  };

  return {
    /** Show a request in the form. */
    set(wanted) {
      request = wanted;
      show();
    },
    get: () => request,
  };
}

/** A field that leaves the labels with some letters. */
function searchable(dim, list) {
  if (dim.labels.length <= MANY) return [];
  const find = (event) => {
    const text = event.target.value.trim().toLowerCase();
    for (const item of list.children) item.hidden = !item.textContent.toLowerCase().includes(text);
  };
  return [make("input", { type: "search", placeholder: "Find a label", "aria-label": `Find a label of ${dim.name}`, oninput: find })];
}
