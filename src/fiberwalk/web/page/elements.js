/** Elements of the page. Whatever comes from data is put in as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An element with attributes, listeners ("onclick") and what is in it: texts and elements. */
export function make(tag, attributes = {}, ...content) {
  return filled(document.createElement(tag), attributes, content);
}

/** The same, of a picture. */
export function draw(tag, attributes = {}, ...content) {
  return filled(document.createElementNS(SVG, tag), attributes, content);
}

function filled(element, attributes, content) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...content.flat().filter((part) => part !== null && part !== undefined));
  return element;
}

/** A button that does something. */
export const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, text);

/** One of several buttons of which one is pressed. */
export function choice(legend, options, chosen, choose) {
  const buttons = Object.entries(options).map(([value, text]) =>
    button(text, () => {
      for (const [other, one] of buttons) one.setAttribute("aria-pressed", String(other === value));
      choose(value);
    }, { "aria-pressed": String(value === chosen) }),
  ).map((one, place) => [Object.keys(options)[place], one]);
  return make("div", { class: "choice", role: "group", "aria-label": legend }, buttons.map(([, one]) => one));
}

/** A table that does not fit scrolls by itself, by keyboard, too. */
export const scrolled = (label, content, further = "") =>
  make("div", { class: `wide ${further}`, role: "region", "aria-label": label, tabindex: "0" }, content);

/** A number with thin separators, as many decimals as said. */
export function numbers(decimals = 0) {
  const format = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return (value) => format.formatToParts(value).map((part) => separated(part)).join("");
}

const separated = (part) => (part.type === "group" ? "\u202f" : part.type === "minusSign" ? "\u2212" : part.value);

export const whole = numbers(0);

/** "1 figure", "12 figures". */
export const counted = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
