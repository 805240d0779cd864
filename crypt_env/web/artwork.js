/** The artwork of crypt_env.drawing as elements: symbols, cards and dice. art.json holds it. */

import { el, svg } from "./dom.js";

const TONES = ["main", "shade", "light"];

/** Put the symbols and the colors of both themes into the document. @param {any} art  the content of art.json */
export function hang(art) {
  const symbols = Object.entries(art.symbols).map(([name, shapes]) =>
    svg("symbol", { id: `symbol-${name}`, viewBox: `0 0 ${art.box} ${art.box}` }, shapes.map(shapeOf)),
  );
  document.body.prepend(svg("svg", { class: "symbols", "aria-hidden": "true" }, symbols));
  const rules = [`:root{${declared(art.light)}}`, `:root[data-theme="dark"]{${declared(art.dark)}}`];
  document.head.prepend(el("style", {}, rules.join("\n")));
  pips = art.pips;
}

/** Where the pips of a die are, by its result. @type {number[][][]} */
let pips = [];

/** @param {Object<string, string>} colors */
function declared(colors) {
  return Object.entries(colors)
    .map(([name, color]) => `--${name}:${color}`)
    .join(";");
}

/** @param {string} tone */
function paint(tone) {
  return tone ? `var(--${TONES.includes(tone) ? `tone-${tone}` : tone})` : "none";
}

/** @param {any} shape */
function shapeOf(shape) {
  const line = shape.stroke
    ? { "stroke-width": shape.line, "stroke-linejoin": "round", "stroke-linecap": "round" }
    : {};
  const style = `fill:${paint(shape.fill)};stroke:${paint(shape.stroke)}`;
  const common = { style, ...line };
  if (shape.shape === "circle") return svg("circle", { cx: shape.x, cy: shape.y, r: shape.radius, ...common });
  if (shape.shape === "path") return svg("path", { d: shape.data, ...common });
  return svg("rect", { x: shape.x, y: shape.y, width: shape.width, height: shape.height, rx: shape.radius, ...common });
}

/** Return the colors of a symbol. @param {string} main @param {string} shade @param {string} light */
function toned(main, shade, light) {
  return `--tone-main:var(--${main});--tone-shade:var(--${shade});--tone-light:var(--${light})`;
}

/** Return a symbol. @param {string} name @param {{tones?: string[], label?: string, class?: string}} [look] */
export function symbol(name, { tones = ["ink", "ink", "ink"], label, class: classes = "" } = {}) {
  const [main, shade, light] = tones;
  const spoken = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const attributes = {
    class: `symbol ${classes}`,
    viewBox: "0 0 100 100",
    style: toned(main, shade, light),
    ...spoken,
  };
  return svg("svg", attributes, svg("use", { href: `#symbol-${name}` }), label ? svg("title", {}, label) : null);
}

/** Return the symbol of a type of card. @param {string} kind  its name @param {string} [classes] */
export function kindSymbol(kind, classes = "") {
  const key = kind.toLowerCase();
  return symbol(key, { tones: [`${key}_main`, `${key}_shade`, `${key}_light`], class: classes });
}

/**
 * Return a card.
 * @param {string} kind  its name
 * @param {number} value  0 if it is not known
 * @param {boolean} isPublic
 */
export function card(kind, value, isPublic) {
  const key = kind.toLowerCase();
  const [ground, edge, ink] = isPublic
    ? ["face", "face_edge", "face_ink"]
    : [`${key}_back`, `${key}_back_edge`, `${key}_back_light`];
  const inner = isPublic ? "" : "back_";
  const tones = toned(`${key}_${inner}main`, `${key}_${inner}shade`, `${key}_${inner}light`);
  const strip = isPublic ? `${key}_main` : `${key}_back`;
  return svg(
    "svg",
    { class: "card", viewBox: "0 0 100 140", "aria-hidden": "true" },
    svg("rect", { x: 1.5, y: 1.5, width: 97, height: 137, rx: 9, style: fillOf(ground, edge), "stroke-width": 3 }),
    isPublic
      ? svg("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, style: fillOf("", edge), "stroke-width": 1.2 })
      : svg("path", { d: "M50 10 L92 70 L50 130 L8 70 Z", style: fillOf("", edge), "stroke-width": 1.5, opacity: 0.7 }),
    svg(
      "svg",
      { x: 20, y: 34, width: 60, height: 60, viewBox: "0 0 100 100", style: tones },
      svg("use", { href: `#symbol-${key}` }),
    ),
    svg("rect", { x: 3, y: 106, width: 94, height: 24, style: fillOf(strip, "") }),
    svg("text", { x: 50, y: 123.5, class: "card-name", style: `fill:var(--${isPublic ? "white" : ink})` }, kind),
    coin(value, isPublic, edge, ink),
  );
}

/** @param {string} fill @param {string} stroke */
function fillOf(fill, stroke) {
  return `fill:${paint(fill)};stroke:${paint(stroke)}`;
}

/** @param {number} value @param {boolean} isPublic @param {string} edge @param {string} ink */
function coin(value, isPublic, edge, ink) {
  const gold = value > 0;
  const colors = gold ? fillOf(isPublic ? "gold" : "gold_light", "gold_dark") : fillOf("", edge);
  return svg(
    "g",
    {},
    svg("circle", { cx: 23, cy: 23, r: 17, style: colors, "stroke-width": 3 }),
    svg("text", { x: 23, y: 31, class: "card-value", style: `fill:var(--${gold ? "face_ink" : ink})` }, value || "?"),
  );
}

/**
 * Return a die.
 * @param {number} owner  whose color and shape it has
 * @param {number} effort  0 shows a Servant instead of pips
 * @param {string} [classes]
 */
export function die(owner, effort, classes = "") {
  const ink = `owner${owner}_pip`;
  const spots = (pips[effort] ?? []).map(([x, y]) => svg("circle", { cx: x, cy: y, r: 8.5, style: fillOf(ink, "") }));
  const servant = svg("use", {
    href: "#symbol-servant",
    style: toned(ink, ink, ink),
    transform: "translate(17 15) scale(.66)",
  });
  return svg(
    "svg",
    {
      class: `die ${classes}`,
      viewBox: "0 0 100 100",
      style: toned(`owner${owner}`, "die_edge", "white"),
      "aria-hidden": "true",
    },
    svg("use", { href: `#symbol-die${owner}` }),
    effort ? spots : servant,
  );
}

/** Return a die that is exhausted. @param {number} owner */
export function tiredDie(owner) {
  const style = `${toned("spent", "muted", "muted")}`;
  return svg(
    "svg",
    { class: "die tired", viewBox: "0 0 100 100", style, "aria-hidden": "true" },
    svg("use", { href: `#symbol-die${owner}` }),
    svg("use", { href: "#symbol-cross", style: toned("muted", "muted", "muted") }),
  );
}

/** Return the sign of a seat: a die with a letter. @param {number} owner @param {string} letter */
export function badge(owner, letter) {
  return svg(
    "svg",
    {
      class: "die badge",
      viewBox: "0 0 100 100",
      style: toned(`owner${owner}`, "die_edge", "white"),
      "aria-hidden": "true",
    },
    svg("use", { href: `#symbol-die${owner}` }),
    svg("text", { x: 50, y: 68, class: "badge-letter", style: `fill:var(--owner${owner}_pip)` }, letter),
  );
}
