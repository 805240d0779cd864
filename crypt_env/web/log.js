/**
 * The log of a game in words: each line follows from two moments of one viewer, and the events between them.
 *
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").Card} Card
 * @typedef {import("./story.js").Moment} Moment
 * @typedef {import("./words.js").Names} Names
 * @typedef {{words: string, seat: number | null, isRound: boolean}} Line
 */

import { placementOf } from "./story.js";
import { KINDS, cardWords, listed, many, outcome } from "./words.js";

/** Return what happened at each moment. @param {Moment[]} story @param {Names} names @returns {Line[][]} */
export function logOf(story, names) {
  return story.map((moment, index) => linesOf(index ? story[index - 1] : null, moment, names));
}

/** @param {Moment | null} before @param {Moment} now @param {Names} names @returns {Line[]} */
function linesOf(before, now, names) {
  if (!before) return [roundLine(now.scene, names)];
  const isRolling = now.look === "rolling";
  const told = now.events.map((event) =>
    line(eventWords(event, isRolling ? now.scene : before.scene, names), seatOf(event)),
  );
  const changed = now.look === "placed" ? [] : changes(before.scene, now, names);
  // Rolled dice refer to the table after the change; the changes of an action are logged after it.
  const acts = now.events.filter(([kind]) => kind === "act").length;
  const lines = isRolling ? [...told.slice(0, acts), ...changed, ...told.slice(acts)] : [...told, ...changed];
  return lines.filter(({ words }) => words);
}

/** @param {any[]} event */
function seatOf([kind, seat]) {
  if (kind === "ghost") return 1;
  return kind === "tiebreak" ? null : seat;
}

/** @param {string} words @param {number | null} [seat] @returns {Line} */
function line(words, seat = null) {
  return { words, seat, isRound: false };
}

/** @param {Scene} scene @param {Names} names */
function roundLine(scene, names) {
  const leads =
    scene.players === 1 && scene.leader === 1
      ? "the Ghost leads"
      : names.does(scene.leader, "leads").replace("You", "you");
  return { words: `Round ${scene.round}: ${leads}`, seat: null, isRound: true };
}

/** @param {any[]} event @param {Scene} scene  before it @param {Names} names */
function eventWords(event, scene, names) {
  const [kind, seat] = event;
  if (kind === "act") return actWords(event, scene, names);
  if (kind === "roll") return rollWords(event, scene, names);
  if (kind === "reroll") {
    const [, , effort, result] = event;
    const result_ = result < effort ? "it stays exhausted" : "the die comes back";
    return `${names.does(seat, "rolls")} ${result} against effort ${effort}: ${result_}.`;
  }
  if (kind === "ghost") return `The Ghost rolls ${event[1].join(" ")}.`;
  const rolls = event[1].map(
    (/** @type {[number, number[]]} */ [each, results]) =>
      `${names.of(each)} ${results.length ? results.join(" ") : "without dice"}`,
  );
  return `Tie-break: ${rolls.join("; ")}.`;
}

/** @param {any[]} event @param {Scene} scene @param {Names} names */
function actWords(event, scene, names) {
  const [, seat, text] = event;
  if (text.startsWith("place")) {
    const { slot, count, effort } = placementOf(event);
    const { card, dice } = scene.slots[slot];
    const pushed = dice ? `, pushing ${names.isYou(dice.seat) ? "you" : names.of(dice.seat)} off` : "";
    const what = card ? cardWords(card) : "a card";
    return `${names.does(seat, "puts")} ${many(count, "die", "dice")} of effort ${effort} on ${what}${pushed}.`;
  }
  const tired = scene.seats.find((each) => each.seat === seat)?.exhausted ?? 0;
  const [word, number] = text.split(" ");
  const taken = word === "take" ? scene.slots[Number(number)].card : null;
  switch (word) {
    case "recover":
      return tired
        ? `${names.does(seat, "recovers")} ${many(tired, "die", "dice")}.`
        : `${names.does(seat, "passes", "pass")}.`;
    case "done":
      return scene.phase === "claim"
        ? `${names.does(seat, "ends", "end")} the claim.`
        : `${names.does(seat, "declines")}.`;
    case "peek":
      return `${names.does(seat, "looks")} at the face-down cards.`;
    case "revive":
      return `${names.does(seat, "revives")} a die.`;
    case "take":
      return `${names.does(seat, "takes")} the ${taken ? cardWords(taken) : "card"}.`;
    case "reroll":
      return `${names.does(seat, "re-rolls")} a failed die of effort ${number}.`;
    default:
      return "";
  }
}

/** @param {any[]} event @param {Scene} scene @param {Names} names */
function rollWords([, seat, slot, effort, results], scene, names) {
  const failed = results.filter((/** @type {number} */ result) => result < effort).length;
  const card = scene.slots[slot].card;
  const back = results.length === 1 ? "it comes back" : "all come back";
  const end = failed ? `${many(failed, "die is", "dice are")} exhausted` : back;
  const what = card ? ` for the ${cardWords(card)}` : "";
  return `${names.does(seat, "rolls")} ${results.join(" ")}${what}, effort ${effort}: ${end}.`;
}

// -- what changed -----------------------------------------------------------------------------------------------------

/** @param {Scene} before @param {Moment} now @param {Names} names */
function changes(before, now, names) {
  const { scene, events, ending } = now;
  const told = new Set(events.filter(([kind]) => kind === "act").map(([, seat]) => seat));
  const lines = [...ghostMoves(before, scene)];
  for (const seat of scene.seats) {
    const old = before.seats.find((each) => each.seat === seat.seat);
    if (!old) continue;
    const words = [...flips(old, seat, names), ...gains(old, seat, names)];
    if (seat.bonus > old.bonus)
      words.push(`${names.does(seat.seat, "gets")} ${seat.bonus - old.bonus} coins for Idols.`);
    if (old.exhausted && !seat.exhausted && !told.has(seat.seat))
      words.push(`${names.does(seat.seat, "recovers")} all dice.`);
    lines.push(...words.map((each) => line(each, seat.seat)));
  }
  if (scene.round > before.round) lines.push(roundLine(scene, names));
  if (ending && before.round === scene.round && scene.phase === "" && scene.deck.every((count) => !count)) {
    lines.push({ words: outcome(ending, names), seat: null, isRound: true });
  }
  return lines;
}

/** @param {import("./scene.js").Seat} old @param {import("./scene.js").Seat} now @param {Names} names */
function flips(old, now, names) {
  return now.flipped.flatMap((count, kind) => {
    const more = count - old.flipped[kind];
    return more > 0 ? [`${names.does(now.seat, "flips")} ${more} ${KINDS[kind]}.`] : [];
  });
}

/** @param {import("./scene.js").Seat} old @param {import("./scene.js").Seat} now @param {Names} names */
function gains(old, now, names) {
  const fresh = now.collection.flatMap((cards, kind) => newOnes(old.collection[kind], cards));
  if (!fresh.length) return [];
  return [`${names.does(now.seat, "collects")} ${listed(fresh.map(cardWords))}.`];
}

/** Return the cards that came to a collection of one type. @param {Card[]} old @param {Card[]} now */
function newOnes(old, now) {
  if (now.length <= old.length) return [];
  const left = old.map(keyOf);
  const fresh = now.filter((card) => {
    const place = left.indexOf(keyOf(card));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  return fresh.slice(0, now.length - old.length);
}

/** @param {Card} card */
function keyOf({ value, isPublic }) {
  return `${value}${isPublic}`;
}

/** @param {Scene} before @param {Scene} now */
function ghostMoves(before, now) {
  if (now.players > 1 || now.round > before.round) return [];
  return now.slots.flatMap(({ card, dice }, slot) => {
    const old = before.slots[slot].dice;
    const isNew = card && dice && dice.seat === 1 && !(old && old.seat === 1);
    return isNew
      ? [line(`The Ghost puts ${many(dice.count, "die", "dice")} of ${dice.effort} on ${cardWords(card)}.`, 1)]
      : [];
  });
}
