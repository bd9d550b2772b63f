/** The page: it starts, listens to the form and to the address, and shows what comes back. */

import { showRefusal, showTable } from "./answer.js";
import { auditing } from "./auditing.js";
import { form } from "./choosing.js";
import { byId, counted, make, whole } from "./elements.js";
import { showPerson } from "./entering.js";
import { NOTHING, address, query, read } from "./request.js";
import { ask, token } from "./service.js";

const PAUSE = 200; // milliseconds after the last change, before the service is asked

let [me, catalogue, chosen, audited] = [null, null, null, null];
let view = "table";
let turn = 0;
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
  if (unknown.length) return told(new Error(`This link asks for what is not offered: ${unknown.join(", ")}.`));
  await changed(request, 0);
  await answered(request);
}

/** Tell how large the table would be, and whether the rules allow it. */
function changed(request, pause = PAUSE) {
  told(null);
  turn += 1;
  clearTimeout(waiting);
  const mine = turn;
  const size = byId("size");
  if (!(request.rows.length + request.columns.length)) {
    size.className = "";
    size.replaceChildren("Nothing is chosen yet.");
    return null;
  }
  return new Promise((done) => {
    const look = async () => {
      try {
        const found = await ask(`api/check?${query(request)}`);
        if (mine === turn) say(found);
      } catch (trouble) {
        if (mine === turn) told(trouble);
      }
      done();
    };
    if (pause) waiting = setTimeout(look, pause);
    else look();
  });
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
  if (!(request.rows.length + request.columns.length)) return told(new Error("Put a dimension into the rows or columns first."));
  const result = byId("result");
  result.setAttribute("aria-busy", "true");
  byId("told").textContent = "The table is being made.";
  try {
    const { cells } = await ask(`api/check?${query(request)}`);
    if (cells > catalogue.max_cells) throw new Error(`The table has ${counted(cells, "figure")}; at most ${whole(catalogue.max_cells)} are sent. Take fewer dimensions or labels.`);
    const answer = await ask(`api/answer?${query(request)}`);
    told(null);
    byId("result-title").textContent = answer.words;
    document.title = `${answer.words} \u2013 ${me.title}`;
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
  box.hidden = trouble === null;
  box.textContent = trouble === null ? "" : trouble.message;
  if (trouble !== null) box.scrollIntoView({ block: "nearest" });
}

const reached = () => byId("result").focus(); // the reader goes on reading there, also on a small screen

byId("choosing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const request = chosen.get();
  if (request.rows.length + request.columns.length) history.pushState(null, "", address(request, view));
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
