/** Who is asking: signing in by a token, which this tab keeps until it is closed. */

import { button, byId, make } from "./elements.js";
import { Trouble, ask, token } from "./service.js";

/** Show who is asking. `again` starts the page anew, as somebody else; `open` shows the field at once. */
export function showPerson(me, again) {
  const box = byId("person");
  if (me.user) {
    const leave = token.get() ? button("Sign out", () => { token.forget(); again(); }) : null;
    box.replaceChildren(make("span", {}, me.auditor ? `${me.user}, auditor` : me.user), ...[leave].filter(Boolean));
    return;
  }
  if (!me.tokens) return box.replaceChildren();
  const field = make("input", { type: "password", id: "token", autocomplete: "current-password", required: true });
  const said = make("p", { role: "alert" });
  const sign = async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    try {
      if (/[^\x20-\x7e\xa0-\xff]/.test(text)) throw new Trouble("", 401); // a browser cannot send it
      token.set(text);
      await ask("api/me");
      await again();
      byId("title").focus();
    } catch (trouble) {
      token.forget();
      if (!(trouble instanceof Trouble)) throw trouble;
      said.textContent = trouble.status === 401 ? "Nobody has this token. Look whether it is complete." : trouble.message;
    }
  };
  const form = make("form", { id: "entering", hidden: me.reader, onsubmit: sign },
    make("input", { type: "text", autocomplete: "username", value: me.title, hidden: true }), // for what keeps passwords
    make("label", { for: "token" }, me.reader ? "Token" : "This service is for people with a token. Yours:"), field, make("button", { type: "submit" }, "Sign in"), said);
  const toggle = !me.reader ? null : button("Sign in", () => {
    form.hidden = false;
    toggle.hidden = true;
    field.focus();
  });
  box.replaceChildren(...[toggle, form].filter(Boolean));
}
