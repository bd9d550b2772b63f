/** What the page asks the service, and what went wrong, in a sentence. */

const KEPT = "fiberwalk-token"; // until the tab is closed

export const token = {
  get: () => sessionStorage.getItem(KEPT),
  set: (text) => sessionStorage.setItem(KEPT, text),
  forget: () => sessionStorage.removeItem(KEPT),
};

/** Why there is no answer, as a sentence for people. */
export class Trouble extends Error {
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

/** The JSON at an address of the service. */
export const ask = async (path) => (await fetched(path)).json();

/** A file at an address of the service, saved by the browser. */
export async function download(path, name) {
  const address = URL.createObjectURL(await (await fetched(path)).blob());
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

async function fetched(path) {
  const kept = token.get();
  let response;
  try {
    response = await fetch(path, { headers: kept ? { Authorization: `Bearer ${kept}` } : {}, cache: "no-store" });
  } catch {
    throw new Trouble("The service cannot be reached. Look whether you are connected, and try again.");
  }
  if (response.ok) return response;
  throw new Trouble(await told(response), response.status);
}

async function told(response) {
  try {
    const problem = await response.json();
    const again = response.headers.get("Retry-After");
    return problem.detail + (again ? ` Try again in ${again} seconds.` : "");
  } catch {
    return `The service could not answer (status ${response.status}). Try again later.`;
  }
}
