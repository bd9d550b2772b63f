/** The R-U map: risk upwards, utility to the right, a mark with a number for each method. */

import { draw, numbers, scrolled } from "./elements.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, ABOVE, RIGHT] = [480, 320, 74, 46, 14, 22];
const [STEPS, NEAR] = [4, 14];
const OWN = "this server";

/** A picture; the list of the same figures stands beside it for who cannot see it. */
export function mapOf(methods) {
  const picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "map", role: "img", "aria-label": `Risk and utility of ${methods.length} methods; the list below has the same figures` });
  if (!methods.length) return picture;
  const across = scale(methods.map((one) => one.utility), LEFT, WIDTH - RIGHT);
  const up = scale(methods.map((one) => one.risk), HEIGHT - BOTTOM, ABOVE);
  for (const tick of across.ticks) picture.append(draw("line", { x1: across.at(tick), x2: across.at(tick), y1: ABOVE, y2: HEIGHT - BOTTOM, class: "grid" }), written(across.words(tick), across.at(tick), HEIGHT - BOTTOM + 18, "middle"));
  for (const tick of up.ticks) picture.append(draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up.at(tick), y2: up.at(tick), class: "grid" }), written(up.words(tick), LEFT - 8, up.at(tick) + 4, "end"));
  picture.append(written("utility kept", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle"));
  picture.append(written("risk left", 16, (ABOVE + HEIGHT - BOTTOM) / 2, "middle", { transform: `rotate(-90 16 ${(ABOVE + HEIGHT - BOTTOM) / 2})` }));
  const marks = methods.map((one) => ({ ...one, x: across.at(one.utility), y: up.at(one.risk) }));
  for (const one of [...marks].sort((a, b) => (a.method === OWN) - (b.method === OWN))) {
    const [x, y] = [one.x, one.y];
    picture.append(one.method === OWN ? draw("rect", { x: x - 6, y: y - 6, width: 12, height: 12, class: "own" }) : draw("circle", { cx: x, cy: y, r: 5, class: "other" }));
  }
  const near = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) < NEAR;
  const named = new Set();
  for (const one of marks) {
    const together = marks.filter((other) => !named.has(other) && near(one, other));
    if (named.has(one)) continue;
    together.forEach((other) => named.add(other));
    const covered = marks.some((other) => near({ x: one.x + 16, y: one.y - 12 }, other));
    const [x, y, anchor] = covered ? [one.x - 9, one.y + 17, "end"] : [one.x + 11, one.y - 7, "start"];
    picture.append(written(together.map((other) => other.number).join(", "), x, y, anchor, { class: "name" }));
  }
  return scrolled("Risk and utility of methods", picture);
}

/** Where values stand between two ends, with some space around them, and round values to name. */
function scale(values, from, to) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const space = (most - least || Math.abs(most) || 1) * 0.12;
  const [low, high] = [least - space, most + space];
  const rough = (high - low) / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((times) => times * power >= rough) * power;
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) ticks.push(k * step);
  return { ticks, at: (value) => from + ((value - low) / (high - low)) * (to - from), words: numbers(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))) };
}

function written(words, x, y, anchor, further = {}) {
  return draw("text", { x, y, "text-anchor": anchor, ...further }, words);
}
