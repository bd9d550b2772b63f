/** The page: it starts, listens to the form and to the address, and shows what comes back. */

import { showRefusal, showTable, title } from "./answer.js";
import { auditing } from "./auditing.js";
import { form } from "./choosing.js";
import { byId, counted, make, whole } from "./elements.js";
import { showPerson } from "./entering.js";
import { NOTHING, address, query, read } from "./request.js";
import { Trouble, ask, token } from "./service.js";

const PAUSE = 200; // milliseconds after the last change, before the service is asked

let [me, catalogue, chosen, audited] = [null, null, null, null];
let view = "table";
let turn = 0; // of questions how large a table is
let asked = 0; // tables
let waiting = null;

async function start() {
  told(null);
  byId("auditing").hidden = true;
  byId("choosing").hidden = byId("result").hidden = true;
  audited = null;
  try {
    me = await ask("api/me");
  } catch (trouble) {
    if (trouble.status !== 401 || !token.get()) throw trouble;
    token.forget(); // it was taken back
    me = await ask("api/me");
  }
  byId("title").textContent = document.title = me.title;
  showPerson(me, start);
  if (!me.reader) return;
  catalogue = await ask("api/catalogue");
  chosen = form(catalogue, changed);
  byId("choosing").hidden = byId("result").hidden = false;
  if (me.auditor) audited = auditing(told);
  await fromAddress();
  if (location.search && matchMedia("(max-width: 60rem)").matches) reached(); // the form is long on a small screen
}

/** Show what the address asks for. */
async function fromAddress() {
  if (!location.search) {
    chosen.set(NOTHING);
    return changed(NOTHING);
  }
  const { request, unknown, view: wanted } = read(location.search, catalogue);
  view = ["table", "heat", "bars"].includes(wanted) ? wanted : "table";
  chosen.set(request);
  if (unknown.length) return told(new Trouble(`This link asks for what is not offered: ${unknown.join(", ")}.`));
  return answered(request);
}

/** Tell, a moment after the last change, how large the table would be. */
function changed(request) {
  told(null);
  clearTimeout(waiting);
  turn += 1; // what was asked before comes too late
  if (chosenAny(request)) waiting = setTimeout(() => looked(request).catch(told), PAUSE);
  else {
    byId("size").className = "";
    byId("size").replaceChildren("Nothing is chosen yet.");
  }
}

const chosenAny = (request) => request.rows.length + request.columns.length > 0;

/** Ask how large a table would be and whether the rules allow it, and tell it if nothing else was asked since. */
async function looked(request) {
  turn += 1;
  const mine = turn;
  const found = await ask(`api/check?${query(request)}`);
  if (mine === turn) say(found);
  return found;
}

function say({ cells, allowed, why_not: why, instead }) {
  const size = byId("size");
  const large = cells > catalogue.max_cells;
  size.className = allowed && !large ? "fine" : "refused";
  const sentence = large ? `At most ${whole(catalogue.max_cells)} are sent.` : allowed ? "The rules allow it." : `The rules do not allow it: ${why}.`;
  size.replaceChildren(...[
    make("p", {}, make("b", {}, `${counted(cells, "figure")}. `), sentence),
    instead.length ? make("details", {}, make("summary", {}, "What you can ask instead"), make("ul", {}, instead.map((one) => make("li", {}, make("a", { href: `?${one.query}`, class: "again" }, one.words))))) : null,
  ].filter(Boolean));
}

/** Ask for the table, and show it or why there is none. */
async function answered(request) {
  if (!chosenAny(request)) return told(new Trouble("Put a dimension into the rows or columns first."));
  const result = byId("result");
  result.setAttribute("aria-busy", "true");
  byId("told").textContent = "The table is being made.";
  asked += 1;
  const mine = asked;
  clearTimeout(waiting);
  try {
    const { cells } = await looked(request);
    if (cells > catalogue.max_cells) throw new Trouble(`The table has ${counted(cells, "figure")}; at most ${whole(catalogue.max_cells)} are sent. Take fewer dimensions or labels.`);
    const answer = await ask(`api/answer?${query(request)}`);
    if (mine !== asked) return null;
    told(null);
    const words = title(answer.shows, request);
    byId("result-title").textContent = words;
    document.title = `${words} \u2013 ${me.title}`;
    if (answer.released) showTable(answer, request, catalogue, view, told);
    else showRefusal(answer);
    byId("told").textContent = answer.released ? `The table is here: ${counted(answer.dataset.value.length, "figure")}.` : "Refused.";
    audited?.(request);
  } catch (trouble) {
    byId("told").textContent = "";
    told(trouble);
  }
  result.removeAttribute("aria-busy");
  return null;
}

/** A sentence about what went wrong, or none. */
function told(trouble) {
  const box = byId("trouble");
  const expected = trouble === null || trouble instanceof Trouble;
  box.hidden = trouble === null;
  box.textContent = trouble === null ? "" : expected ? trouble.message : "This page made a mistake. Load it again, or tell the office.";
  if (!expected) reportError(trouble); // for whoever looks into the console
  if (trouble !== null) box.scrollIntoView({ block: "nearest" });
}

const reached = () => byId("result").focus(); // the reader goes on reading there, also on a small screen

byId("choosing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const request = chosen.get();
  if (chosenAny(request)) history.pushState(null, "", address(request, view));
  await answered(request);
  if (byId("trouble").hidden) reached();
});
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a.again");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  await fromAddress();
  reached();
});
addEventListener("popstate", () => fromAddress());
start().catch(told);
