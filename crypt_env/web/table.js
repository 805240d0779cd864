/**
 * The table: the Crypt with its torches, the Collectors and the seats, drawn from a scene.
 *
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").Card} Card
 * @typedef {import("./scene.js").Seat} Seat
 * @typedef {import("./story.js").Moment} Moment
 * @typedef {import("./words.js").Names} Names
 *
 * @typedef {object} Look  how a table is drawn
 * @property {Names} names
 * @property {string[][]} collectors  what each does, by type and side
 * @property {Set<number>} open  slots on which the viewer may place dice
 * @property {Element | null} sheet  the score sheet, at the end
 * @property {number | null} chosen  the slot that the viewer is placing dice on
 * @property {(slot: number) => void} press
 * @property {Scene | null} before  what was drawn before
 */

import { badge, card, die, kindSymbol, symbol, tiredDie } from "./artwork.js";
import { el, svg } from "./dom.js";
import { GHOST } from "./scene.js";
import { KINDS, cardWords, listed, many, slotWords } from "./words.js";

/** Return the table as elements. @param {Moment} moment @param {Look} look */
export function tableOf(moment, look) {
  return [wall(moment, look), board(moment.scene, look)];
}

// -- the Crypt --------------------------------------------------------------------------------------------------------

/** @param {Moment} moment @param {Look} look */
function wall(moment, look) {
  const { scene } = moment;
  const slots = scene.slots.map((_, slot) => niche(moment, slot, look));
  return el(
    "section",
    { class: `wall ${look.sheet ? "over" : ""}`, "aria-label": "The Crypt" },
    stones(),
    el("div", { class: "torch left", "aria-hidden": "true" }, symbol("torch", { tones: ["wood", "wood", "wood"] })),
    look.sheet ? null : deckOf(scene),
    look.sheet ?? el("div", { class: `niches of-${slots.length}` }, slots),
    el("div", { class: "torch right", "aria-hidden": "true" }, symbol("torch", { tones: ["wood", "wood", "wood"] })),
    tray(moment, look),
  );
}

/** Return the masonry behind the Crypt. */
function stones() {
  const rows = [
    [0, 0, 46, "wall"],
    [48, 0, 30, "wall_high"],
    [80, 0, 38, "wall"],
    [-20, 22, 40, "wall_high"],
    [22, 22, 44, "wall"],
    [68, 22, 30, "wall"],
    [100, 22, 40, "wall_high"],
  ];
  const bricks = rows.map(([x, y, width, tone]) =>
    svg("rect", { x, y, width, height: 20, rx: 3, style: `fill:var(--${tone})` }),
  );
  return svg(
    "svg",
    { class: "stones", "aria-hidden": "true" },
    svg(
      "defs",
      {},
      svg(
        "pattern",
        { id: "stones", width: 120, height: 44, patternUnits: "userSpaceOnUse" },
        svg("rect", { width: 120, height: 44, style: "fill:var(--mortar)" }),
        bricks,
      ),
    ),
    svg("rect", { width: "100%", height: "100%", fill: "url(#stones)" }),
  );
}

/** @param {Scene} scene */
function deckOf(scene) {
  const left = scene.deck.reduce((sum, count) => sum + count, 0);
  const words = left ? `Deck: ${many(left, "card")}, ${KINDS[Number(scene.top)]} on top` : "The deck is empty";
  return el(
    "div",
    { class: "deck", role: "img", "aria-label": words, title: words },
    left && scene.top !== null ? el("div", { class: left > 1 ? "pile" : "" }, card(KINDS[scene.top], 0, false)) : null,
    el("span", { class: "plate" }, left ? `${left} left` : "empty"),
  );
}

/** @param {Moment} moment @param {number} slot @param {Look} look */
function niche({ scene, events, look: kind }, slot, { names, open, chosen, press, before }) {
  const { card: held, dice, holder, isClosed } = scene.slots[slot];
  const roll = kind === "rolling" ? events.find(([type, , place]) => type === "roll" && place === slot) : null;
  const isNew = before?.round !== scene.round;
  const isLaid = dice && !(before?.round === scene.round && `${before.slots[slot].dice?.seat}` === `${dice.seat}`);
  const state = [
    isNew ? "new" : "",
    isLaid ? "fresh" : "",
    held ? "" : "gap",
    open.has(slot) ? "open" : "",
    chosen === slot ? "chosen" : "",
    isClosed ? "passed" : "",
  ];
  const attributes = {
    type: "button",
    class: `niche ${state.join(" ")}`,
    "data-slot": slot,
    "aria-label": slotWords(scene, slot, names),
    "aria-pressed": chosen === slot,
    onclick: () => press(slot),
  };
  return el(
    "button",
    attributes,
    el("span", { class: "arch" }, el("span", { class: "plate key" }, slot + 1), held ? faceOf(held, names) : null),
    el(
      "span",
      { class: "ledge" },
      roll
        ? rolledDice(scene, roll)
        : dice
          ? laidDice(scene, dice)
          : held && holder !== null
            ? badge(ownerOf(scene, holder), names.label(holder))
            : null,
    ),
  );
}

/** @param {Card} held @param {Names} names */
function faceOf(held, names) {
  const eyes = held.seenBy.length
    ? el(
        "span",
        { class: "eyes", title: `seen by ${listed(held.seenBy.map((seat) => names.of(seat)))}` },
        symbol("eye", { tones: ["ink", "face_ink", "white"] }),
        held.seenBy.map((seat) => el("b", {}, names.label(seat))),
      )
    : null;
  return el(
    "span",
    { class: `card-box ${held.isPublic ? "" : "down"}` },
    card(KINDS[held.kind], held.value, held.isPublic),
    eyes,
  );
}

/** @param {Scene} scene @param {number} seat */
function ownerOf(scene, seat) {
  return scene.players === 1 && seat === 1 ? GHOST : seat;
}

/** @param {Scene} scene @param {import("./scene.js").Dice} dice */
function laidDice(scene, { seat, count, effort }) {
  const shown = Array.from({ length: count }, () => die(ownerOf(scene, seat), effort, "laid"));
  return [el("span", { class: "dice" }, shown), el("span", { class: "total" }, count * effort)];
}

/** @param {Scene} scene @param {any[]} roll */
function rolledDice(scene, [, seat, , effort, results]) {
  return [
    el(
      "span",
      { class: "dice" },
      results.map((/** @type {number} */ result) => resultDie(ownerOf(scene, seat), result, effort)),
    ),
    el("span", { class: "total" }, `needs ${effort}${effort < 6 ? "+" : ""}`),
  ];
}

/** @param {number} owner @param {number} result @param {number} effort */
function resultDie(owner, result, effort) {
  return die(owner, result, `rolled ${effort === 0 ? "" : result < effort ? "failed" : "passed"}`);
}

/** Return the dice that are rolled beside the cards. @param {Moment} moment @param {Look} look */
function tray({ scene, events, look: kind }, { names }) {
  const roll = kind === "rolling" ? events.find(([type]) => ["ghost", "reroll", "tiebreak"].includes(type)) : null;
  if (!roll) return null;
  /** @type {[number, number[], number, string][]} */
  let rows;
  if (roll[0] === "ghost") rows = [[1, roll[1], 0, "The Ghost rolls"]];
  else if (roll[0] === "reroll")
    rows = [[roll[1], [roll[3]], roll[2], `${names.does(roll[1], "rolls")} again, needs ${roll[2]}`]];
  else rows = roll[1].map((/** @type {[number, number[]]} */ [seat, results]) => [seat, results, 0, names.plain(seat)]);
  return el(
    "div",
    { class: "tray" },
    rows.map(([seat, results, effort, words]) =>
      el(
        "p",
        {},
        el("span", {}, words),
        el(
          "span",
          { class: "dice" },
          results.map((result) => resultDie(ownerOf(scene, seat), result, effort)),
        ),
      ),
    ),
  );
}

// -- the seats --------------------------------------------------------------------------------------------------------

/** @param {Scene} scene @param {Look} look */
function board(scene, look) {
  return el(
    "section",
    { class: "board", "aria-label": "Collectors and players" },
    el(
      "div",
      { class: "row collectors" },
      el("div", { class: "corner" }, el("span", {}, `Round ${scene.round} of ${scene.rounds}`), rounds(scene)),
      KINDS.map((kind, number) => collector(scene, kind, number, look)),
    ),
    scene.seats.map((seat) => seatRow(scene, seat, look)),
    left(scene),
  );
}

/** @param {Scene} scene */
function rounds(scene) {
  return el(
    "span",
    { class: "rounds", "aria-hidden": "true" },
    Array.from({ length: scene.rounds }, (_, round) => el("i", { class: round < scene.round ? "gone" : "" })),
  );
}

/** @param {Scene} scene @param {string} kind @param {number} number @param {Look} look */
function collector(scene, kind, number, { collectors }) {
  const side = scene.sides[number];
  const does = collectors[number]["AB".indexOf(side)];
  return el(
    "div",
    { class: "collector", style: `--kind:var(--${kind.toLowerCase()}_back)`, title: `${kind} ${side}: ${does}` },
    el("h3", {}, kindSymbol(kind), el("span", {}, kind), el("b", {}, side)),
    el("p", {}, does),
  );
}

/** @param {Scene} scene @param {Seat} seat @param {Look} look */
function seatRow(scene, seat, look) {
  const { names } = look;
  const isAsked = scene.mover === seat.seat;
  const ghost = seat.owner === GHOST;
  return el(
    "section",
    {
      class: `row seat ${isAsked ? "asked" : ""}`,
      "aria-label": seatWords(scene, seat, names),
      style: `--owner:var(--owner${seat.owner})`,
    },
    el(
      "div",
      { class: "who" },
      badge(seat.owner, names.label(seat.seat)),
      el("div", {}, el("h3", {}, names.plain(seat.seat)), diceOf(seat)),
      torches(scene, seat.seat),
    ),
    ghost
      ? el("p", { class: "ghostly" }, "Collects nothing: its cards are lost at the end of a round.")
      : seat.collection.map((cards, kind) => pile(cards, seat.flipped[kind], kind, names)),
  );
}

/** @param {Scene} scene @param {Seat} seat @param {Names} names */
function seatWords(scene, seat, names) {
  const cards = seat.collection.flat().map(cardWords);
  const torch = scene.leader === seat.seat ? ", Leader" : "";
  const dice = `${seat.ready} ${seat.ready === 1 ? "die" : "dice"} ready, ${seat.exhausted} exhausted`;
  return `${names.plain(seat.seat)}${torch}: ${dice}; ${cards.length ? listed(cards) : "no cards"}`;
}

/** @param {Seat} seat */
function diceOf(seat) {
  return el(
    "span",
    { class: "dice", title: `${seat.ready} ready, ${seat.exhausted} exhausted` },
    Array.from({ length: seat.ready }, () => die(seat.owner, 0)),
    Array.from({ length: seat.exhausted }, () => tiredDie(seat.owner)),
  );
}

/** @param {Scene} scene @param {number} seat */
function torches(scene, seat) {
  return el(
    "span",
    { class: "torches" },
    scene.leader === seat ? symbol("torch", { label: "Leader" }) : null,
    scene.lightsOut === seat ? symbol("lights_out", { label: "Lights Out" }) : null,
  );
}

/** @param {Card[]} cards @param {number} flipped @param {number} kind @param {Names} names */
function pile(cards, flipped, kind, names) {
  const key = KINDS[kind].toLowerCase();
  return el(
    "div",
    {
      class: `pile-of ${cards.length ? "" : "none"}`,
      style: `--kind:var(--${key}_back);--kind-edge:var(--${key}_main);--kind-ink:var(--${key}_back_light)`,
    },
    cards.length ? el("span", { class: "small-kind", "aria-hidden": "true" }, kindSymbol(KINDS[kind])) : null,
    el(
      "span",
      { class: "chips" },
      cards.map((each) => chip(each, names)),
    ),
    flipped
      ? el("small", {}, symbol("flipped", { tones: ["muted", "muted", "muted"] }), flipped, el("span", {}, " flipped"))
      : null,
  );
}

/** @param {Card} each @param {Names} names */
function chip(each, names) {
  const seen = each.seenBy.length ? `, seen by ${listed(each.seenBy.map((seat) => names.of(seat)))}` : "";
  const words = cardWords(each) + seen;
  return el("span", { class: `chip ${each.isPublic ? "" : "hidden"}`, title: words }, each.value || "?");
}

/** Return what is left in the deck, and which values the viewer has not seen. @param {Scene} scene */
function left(scene) {
  const unseen = KINDS.map((_, kind) =>
    [1, 2, 3, 4].flatMap((value) => Array.from({ length: scene.unseen[kind * 4 + value - 1] }, () => value)),
  );
  return el(
    "div",
    { class: "row left" },
    el("div", { class: "corner" }, el("span", {}, "Unseen values"), el("span", {}, "In the deck")),
    KINDS.map((kind, number) =>
      el(
        "div",
        { title: `${kind}: ${scene.deck[number]} in the deck; values not seen: ${unseen[number].join(" ") || "none"}` },
        el("span", {}, unseen[number].join(" ") || "–"),
        el("b", {}, scene.deck[number]),
      ),
    ),
  );
}
