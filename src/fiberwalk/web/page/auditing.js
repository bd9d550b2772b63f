/** For auditors: risk and utility of the table on screen, its true figures, the log and its ranking. */

import { button, byId, counted, make, numbers, scrolled, whole } from "./elements.js";
import { decimalsOf, gridOf } from "./figures.js";
import { query } from "./request.js";
import { ask } from "./service.js";
import { mapOf } from "./map.js";
import { tableOf } from "./table.js";

const TABS = { risk: "Risk and utility", methods: "Methods", changes: "True figures", log: "Log", ranking: "Ranking" };
const share = numbers(4);
const ROWS = 100;
const NAMELESS = "without a name";

/** The tabs. Returned is what tells them of a new table on screen. */
export function auditing(told) {
  let request = null;
  let tab = "risk";
  const panel = make("div", { role: "tabpanel", id: "panel", tabindex: "0" });
  const buttons = Object.entries(TABS).map(([name, words]) => button(words, () => choose(name), { role: "tab", id: `tab-${name}`, "aria-controls": "panel" }));
  const list = make("div", { role: "tablist", "aria-label": "For auditors", onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const names = Object.keys(TABS);
    choose(names[(names.indexOf(tab) + step + names.length) % names.length]);
    byId(`tab-${tab}`).focus();
  } }, buttons);
  byId("tabs").replaceChildren(list, panel);
  byId("auditing").hidden = false;

  let turn = 0;
  const fill = async () => {
    turn += 1;
    const mine = turn;
    panel.setAttribute("aria-busy", "true");
    try {
      const content = await PANELS[tab](request, fill, told);
      if (mine === turn) panel.replaceChildren(...content);
    } catch (trouble) {
      if (mine === turn) panel.replaceChildren();
      told(trouble);
    }
    panel.removeAttribute("aria-busy");
  };
  const choose = (name) => {
    tab = name;
    buttons.forEach((one) => {
      const mine = one.id === `tab-${name}`;
      one.setAttribute("aria-selected", String(mine));
      one.tabIndex = mine ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    fill();
  };
  choose(tab);
  return (wanted) => {
    request = wanted;
    fill();
  };
}

const NONE = [make("p", { class: "quiet" }, "Show a table first.")];
const PANELS = { risk, methods, changes, log, ranking };

async function risk(request) {
  if (!request) return NONE;
  const found = await ask(`api/auditor/answer?${query(request)}`);
  const tile = (words, value) => make("div", {}, make("dt", {}, words), make("dd", {}, value === null ? "unknown" : share(value)));
  return [
    make("p", {}, found.released ? `${found.words}.` : `${found.words}: refused, because ${found.reason || found.notice}.`),
    make("dl", { class: "glance" }, tile("risk before protection", found.risk_before), tile("risk after protection", found.risk_after), tile("utility", found.utility)),
    make("p", { class: "quiet" }, "Risk: 0 is none, 1 the most. Utility: 1 means that no figure was changed. A look here is not written into the log."),
  ];
}

async function methods(request) {
  if (!request) return NONE;
  if (request.of) return [make("p", {}, "Methods are compared on tables of counts.")];
  const found = await ask(`api/auditor/methods?${query(request)}`);
  const numbered = found.methods.map((one, place) => ({ ...one, number: place + 1 }));
  const rows = numbered.map((one) => [`${one.number} ${one.method}`, one.risk === null ? "unknown" : share(one.risk), share(one.utility), whole(100 * one.changed)]);
  return [
    make("p", {}, `${found.words}: by each method the risk that it leaves, and the utility that it keeps.`),
    mapOf(numbered.filter((one) => one.risk !== null)),
    listOf(["method", "risk", "utility", "figures changed, %"], rows, "Methods for this table"),
    make("p", {}, "Down and to the right is better: less risk, more utility. The figures of other methods are those that this service would give by them; nobody else sees them."),
  ];
}

async function changes(request) {
  if (!request) return NONE;
  const found = await ask(`api/auditor/answer?${query(request)}`);
  if (!found.published || !found.true) return [make("p", {}, "There is no table to compare.")];
  const grid = gridOf(found.dims, found.published, request.columns, Boolean(request.totals));
  grid.heading = "published";
  const decimals = decimalsOf([...found.published, ...found.true], request.mean);
  const number = numbers(decimals);
  const differences = found.published.map((value, place) => (value === null ? null : value - found.true[place]));
  const shown = differences.filter((one) => one !== null && Math.abs(one) > 1e-9);
  const largest = shown.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const cell = (row, column) => {
    const place = grid.place(row, column);
    const [value, truth, off] = [found.published[place], found.true[place], differences[place]];
    const before = truth === null ? "unknown" : number(truth);
    if (value === null) return { content: ["withheld ", make("small", {}, `true ${before}`)], mark: "withheld" };
    if (Math.abs(off) < 1e-9) return { content: number(value), mark: null };
    return { content: [number(value), " ", make("small", {}, `true ${before}`)], mark: off > 0 ? "more" : "less" };
  };
  return [
    make("p", {}, `${whole(shown.length)} of ${counted(found.published.length, "figure")} changed, by up to ${number(largest)}.`),
    make("div", { class: "legend" }, make("ul", {},
      make("li", {}, make("i", { class: "more", "aria-hidden": "true" }), "published is more than true"),
      make("li", {}, make("i", { class: "less", "aria-hidden": "true" }), "published is less than true"))),
    tableOf(grid, { caption: `Published and true figures: ${found.words}`, cell }),
  ];
}

let [logOf, logRows] = ["", ROWS];
async function log(_, again) {
  const found = await ask(`api/auditor/log?rows=${logRows}${logOf ? `&user=${encodeURIComponent(logOf)}` : ""}`);
  const rows = [...found.entries].reverse().map((one) => [
    whole(one.number), one.at.replace("T", "\u00a0").slice(0, 19).replaceAll("-", "\u2011"), one.user || NAMELESS, one.asked, one.released ? "released" : `refused: ${one.notice}`,
  ]);
  return [
    people(found.users, logOf, (user) => { logOf = user; again(); }),
    make("p", {}, found.requests > rows.length ? `The last ${whole(rows.length)} of ${counted(found.requests, "request")}.` : `${counted(found.requests, "request")}.`),
    listOf(["number", "at", "user", "asked", "answer"], rows, "Requests, the last first"),
    found.requests > rows.length && logRows < 1000 ? button("Show more", () => { logRows = Math.min(10 * logRows, 1000); again(); }) : null,
  ].filter(Boolean);
}

let rankingOf = "";
async function ranking(_, again, told) {
  const user = rankingOf ? `&user=${encodeURIComponent(rankingOf)}` : "";
  const [found, { users }] = await Promise.all([ask(`api/auditor/ranking?rows=${ROWS}${user}`), ask("api/auditor/log?rows=1")]);
  const reasons = make("div", { "aria-live": "polite" });
  const why = async (cell) => {
    try {
      const { requests } = await ask(`api/auditor/why?cell=${encodeURIComponent(cell)}${user}`);
      reasons.replaceChildren(
        listOf(["request", "user", "asked", "P from it alone", "P from all others"],
          requests.map((one) => [whole(one.request), one.user || NAMELESS, one.asked, chance(one.p_alone), chance(one.p_without)]), `Requests that tell of ${cell}`),
        make("p", { class: "quiet" }, "Where no request is enough by itself, it is their comparison that tells; empty: not told apart."));
    } catch (trouble) {
      told(trouble);
    }
  };
  const names = found.cells.length ? Object.keys(found.cells[0]) : [];
  const rows = found.cells.map((row) => [...names.map((name) => value(row[name])), button("Why?", () => why(row[names[0]]), { "aria-label": `Why? ${row[names[0]]}` })]);
  return [
    people(users, rankingOf, (one) => { rankingOf = one; again(); }),
    ...found.summary.split("\n").map((line) => make("p", {}, line)),
    found.waiting ? make("p", {}, `Still to be read: ${counted(found.waiting, "request")}. `, button("Read on", again)) : null,
    rows.length ? listOf([...names.map((name) => name.replaceAll("_", " ")), "why"], rows, "Cells of few people, those that are known best first") : make("p", {}, "No cell of few people is known well enough to be listed."),
    reasons,
  ].filter(Boolean);
}

const chance = (value) => (value === null ? "" : share(value));

const value = (one) => (one === null ? "" : typeof one === "number" ? (Number.isInteger(one) ? whole(one) : share(one)) : String(one));

function people(users, chosen, choose) {
  const select = make("select", { id: "whose", onchange: () => choose(select.value) },
    make("option", { value: "" }, "everybody"), users.filter(Boolean).map((user) => make("option", { value: user, selected: user === chosen }, user)));
  return make("p", {}, make("label", { for: "whose" }, "Answers of "), select);
}

const RIGHT = /^-?[\d\u202f.]+$/;

function listOf(names, rows, caption) {
  return scrolled(caption, make("table", { class: "list" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.map((one, place) =>
      make(place === 0 ? "th" : "td", { scope: place === 0 ? "row" : null, class: typeof one === "string" && RIGHT.test(one) ? "number" : null }, one)))))), "sheet");
}
