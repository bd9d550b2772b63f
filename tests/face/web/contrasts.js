/* How far each text stands out from what is behind it, as WCAG 2 reckons. */
() => {
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (one) => { for (let at = one; at; at = at.parentElement) {
    const colour = parts(getComputedStyle(at).backgroundColor); if (colour.length < 4 || colour[3] > 0) return colour; } return [255, 255, 255]; };
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility() || one.closest(".unseen, .skip, title")) continue;
    const style = getComputedStyle(one);
    const [a, b] = [light(parts(one.closest("svg") ? style.fill : style.color)), light(behind(one))];
    found.push({ text: one.textContent.slice(0, 30), contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) });
  }
  return found;
}
