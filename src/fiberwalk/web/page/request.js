/** What is asked for: between the form, the address of the page, and the service. */

export const NOTHING = { rows: [], columns: [], filters: {}, of: "", mean: false, totals: "" };

/** The part of an address that asks the service; rows come before columns. */
export function query(request) {
  const parts = new URLSearchParams({ dims: [...request.rows, ...request.columns].join(",") });
  for (const [dim, labels] of Object.entries(request.filters)) for (const label of labels) parts.append("filter", `${dim}=${label}`);
  if (request.of) parts.set(request.mean ? "mean_of" : "sum_of", request.of);
  if (request.totals) parts.set("totals", request.totals);
  return parts.toString();
}

/** The address of the page with the request: the columns besides, which the service need not know. */
export function address(request, view) {
  const parts = new URLSearchParams(query(request));
  parts.set("columns", request.columns.join(","));
  if (view !== "table") parts.set("view", view);
  return `?${parts}`;
}

/** The request of an address, and what of it is not in the catalogue. */
export function read(search, catalogue) {
  const parts = new URLSearchParams(search);
  const labels = Object.fromEntries(catalogue.dims.map((dim) => [dim.name, dim.labels]));
  const unknown = [];
  const known = (name) => name in labels || (unknown.push(name), false);
  const dims = names(parts.get("dims"), labels).filter(known);
  const filters = {};
  for (const text of parts.getAll("filter")) {
    const dim = Object.keys(labels).filter((name) => text.startsWith(`${name}=`)).sort((a, b) => b.length - a.length)[0];
    const label = text.slice((dim ?? "").length + 1);
    if (dim === undefined || !labels[dim].includes(label)) unknown.push(text);
    else (filters[dim] ??= []).push(label);
  }
  const of = parts.get("mean_of") ?? parts.get("sum_of") ?? "";
  if (of && !catalogue.summed.includes(of)) unknown.push(of);
  const totals = parts.get("totals") ?? "";
  if (totals && !catalogue.totals.includes(totals)) unknown.push(totals);
  const columns = parts.has("columns") ? names(parts.get("columns"), labels).filter((dim) => dims.includes(dim)) : usual(dims, labels);
  const request = { rows: dims.filter((dim) => !columns.includes(dim)), columns, filters, of, mean: parts.has("mean_of"), totals };
  return { request, unknown, view: parts.get("view") ?? "table" };
}

/** A name may have a comma of its own. */
const names = (text, labels) => (!text ? [] : text in labels ? [text] : text.split(",").map((name) => name.trim()));

/** The last dim of few labels goes into the columns, where people look for it. */
function usual(dims, labels) {
  const short = dims.slice(1).filter((dim) => labels[dim].length <= 12);
  return short.slice(-1);
}
