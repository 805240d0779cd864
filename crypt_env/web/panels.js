/**
 * The panels beside the table: the log, the score sheets, advice and help.
 *
 * @typedef {import("./words.js").Names} Names
 * @typedef {import("./log.js").Line} Line
 * @typedef {import("./story.js").Ending} Ending
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./opponents.js").Judgement} Judgement
 */

import { badge, symbol } from "./artwork.js";
import { el, openDialog } from "./dom.js";
import { GHOST } from "./scene.js";
import { KINDS, cardWords, many, outcome } from "./words.js";

// The lines are those of the rules; tests/web/test_tables.py compares them.
export const SHEET = {
  cards: "Coins on cards",
  idol: "Idol",
  jewelry: "Jewelry",
  manuscript: "Manuscript",
  pottery: "Pottery",
  remains: "Remains",
  tapestry: "Tapestry",
  dice: "Dice not exhausted",
};
const MOST_ADVICE = 6;

/**
 * Return the log up to a moment.
 * @param {Line[][]} log
 * @param {number} cursor
 * @param {(index: number) => void} jump
 * @param {(seat: number) => number} ownerOf
 */
export function logPanel(log, cursor, jump, ownerOf) {
  const lines = log.slice(0, cursor + 1).flatMap((some, index) => some.map((line) => ({ ...line, index })));
  return el(
    "ol",
    { class: "log", "aria-label": "What happened" },
    lines.map(({ words, seat, isRound, index }) =>
      el(
        "li",
        {
          class: `${isRound ? "round" : ""} ${index === cursor ? "now" : ""}`,
          style: seat === null ? "" : `--owner:var(--owner${ownerOf(seat)})`,
        },
        el("button", { type: "button", onclick: () => jump(index), title: "Look at this moment", tabindex: -1 }, words),
      ),
    ),
  );
}

/** Return the score sheets of all players. @param {Ending} ending @param {Scene} scene @param {Names} names */
export function sheetPanel(ending, scene, names) {
  const { sheets, scores, winners } = ending;
  const lines = Object.entries(SHEET).map(([key, label]) => {
    const kind = KINDS.findIndex((each) => each.toLowerCase() === key);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, label, kind < 0 ? null : el("i", { class: "side" }, scene.sides[kind])),
      sheets.map((sheet) => el("td", {}, sheet[key] || "–")),
    );
  });
  return el(
    "section",
    { class: "sheet", "aria-label": "Score sheet" },
    el("h2", {}, outcome(ending, names)),
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", {}),
          sheets.map((_, seat) =>
            el(
              "th",
              { scope: "col", class: winners.includes(seat) ? "winner" : "" },
              winners.includes(seat) && scene.players > 1
                ? symbol("crown", { tones: ["gold", "gold_dark", "gold_light"], label: "winner" })
                : null,
              badge(scene.players === 1 && seat ? GHOST : seat, names.label(seat)),
              el("span", {}, names.plain(seat)),
            ),
          ),
        ),
      ),
      el("tbody", {}, lines),
      el(
        "tfoot",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "row" }, "Total"),
          scores.map((score) => el("td", {}, score)),
        ),
      ),
    ),
  );
}

/** Return an action in words. @param {string} text @param {Scene} scene */
export function actionWords(text, scene) {
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const card = scene.slots[numbers[0]]?.card;
  const [word] = text.split(" ");
  if (word === "place") return `${many(numbers[1], "die", "dice")} of ${numbers[2]} on ${card ? cardWords(card) : "?"}`;
  if (word === "take") return `take the ${card ? cardWords(card) : "card"}`;
  const own = scene.seats.find(({ seat }) => seat === scene.mover);
  if (word === "recover") return own?.exhausted ? "recover" : "pass";
  if (word === "reroll") return `re-roll a die of effort ${numbers[0]}`;
  if (word === "flip") return `flip a ${numbers[0]}`;
  return { peek: "look at the face-down cards", revive: "revive a die", done: "done" }[word] ?? text;
}

/**
 * Return a network's evaluation of a decision.
 * @param {Judgement} judgement
 * @param {Scene} scene
 * @param {string[]} actions  texts of all actions
 * @param {{who: string, played?: number | null, press?: (action: number) => void}} more
 */
export function advicePanel({ probabilities, chance, coins }, scene, actions, { who, played = null, press }) {
  const sorted = [...probabilities].sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, MOST_ADVICE);
  const other = sorted.find(([action]) => action === played);
  if (other && !shown.includes(other)) shown.push(other);
  const value =
    chance !== null
      ? `${Math.round(chance * 100)}% to win`
      : coins !== null
        ? `about ${Math.round(coins)} coins at the end`
        : "";
  const differs = played !== null && sorted[0][0] !== played;
  return el(
    "section",
    { class: "advice-panel", "aria-label": "Hint" },
    el("h3", {}, who, value ? el("b", {}, value) : null),
    el(
      "ol",
      {},
      shown.map(([action, probability]) => {
        const words = actionWords(actions[action], scene);
        const inner = [
          el("span", { class: "bar", style: `width:${Math.round(probability * 100)}%` }),
          el("span", {}, words),
          el("b", {}, `${Math.round(probability * 100)}%`),
        ];
        const classes = action === played ? "played" : "";
        return el(
          "li",
          { class: classes },
          press
            ? el("button", { type: "button", onclick: () => press(action), title: "Do this" }, inner)
            : el("div", {}, inner),
        );
      }),
    ),
    differs
      ? el(
          "p",
          { class: "advice differs" },
          `It would have chosen differently: ${actionWords(actions[sorted[0][0]], scene)}.`,
        )
      : null,
  );
}

const HELP = [
  ["1 – 6", "choose a card, or the value to flip; then the effort"],
  ["← →", "number of dice; otherwise back and forward"],
  ["↑ ↓", "effort"],
  ["Enter", "put the dice, press a button"],
  ["Esc", "cancel"],
  ["R, D", "recover or pass; done or decline"],
  ["P, V, T", "look (Manuscript), revive (Remains), take (Pottery)"],
  ["H, U", "hint, undo"],
  ["Home, End", "to the first and the last moment"],
  ["Space", "play on or pause"],
  ["[ ]", "previous and next decision"],
  ["?", "this list"],
];

/** Show the keys. */
export function showHelp() {
  openDialog(
    "Keys",
    el(
      "dl",
      { class: "keys" },
      HELP.map(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]),
    ),
  );
}

/** Show the legend. */
export function legend() {
  return el(
    "p",
    { class: "legend" },
    el("span", {}, el("i", { class: "chip" }, "3"), " all know it"),
    el("span", {}, el("i", { class: "chip hidden sample" }, "?"), " hidden"),
    el("span", {}, symbol("eye", { tones: ["ink", "face_ink", "white"] }), " who has seen it"),
    el("span", {}, symbol("torch"), " Leader"),
    el("span", {}, symbol("lights_out"), " Lights Out"),
  );
}
