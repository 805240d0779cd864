/** Answers the tables of the rules that the page has copies of. */

import { answer, load } from "./shared.mjs";

const { EFFORTS } = await load("choices.js");
const { SHEET } = await load("panels.js");
const { PAID, PHASES, ROUNDS, SLOTS, VALUES } = await load("scene.js");
const { DICE, FORMAT } = await load("session.js");
const { KINDS, titleOf } = await load("words.js");

const titles = Array.from({ length: 100 }, (_, coins) => titleOf(coins));
const sheet = Object.keys(SHEET);

answer({ DICE, EFFORTS, FORMAT, KINDS, PAID, PHASES, ROUNDS, SLOTS, VALUES, sheet, titles });
