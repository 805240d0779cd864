/** Deals games with all kinds of options, and requests impossible ones. */

import { answer, engine, given } from "./shared.mjs";

function refusal(attempt) {
  try {
    attempt();
  } catch (error) {
    return error.message;
  }
  return null;
}

const hex = (game) => Buffer.from(game.state).toString("hex");

const states = given.options.map((options) => hex(engine.game(options)));

const game = engine.game({ seed: 1 });
const before = hex(game);
const refused = {
  players: refusal(() => engine.game({ players: 5 })),
  table: refusal(() => engine.game({ table: "ABC" })),
  leader: refusal(() => engine.game({ leader: 2 })),
  deck: refusal(() => engine.game({ deck: ["T4"] })),
  text: refusal(() => game.step("jump")),
  action: refusal(() => game.step("done")),
  none: refusal(() => game.step()),
  dice: refusal(() => game.roll()),
  player: refusal(() => engine.player("chess")),
  bytes: refusal(() => engine.gameFrom(new Uint8Array(3))),
};

const over = engine.game({ seed: 2 });
while (!over.isOver) over.step(over.draw());
refused.over = refusal(() => over.step());

const paused = engine.game({ players: 1, seed: 3, pauses: true });
while (!paused.waitsForDice) paused.step(paused.draw());
refused.asked = refusal(() => paused.step("done"));
const count = paused.copy().roll().length;
const dice = new Array(count).fill(6);
const refusedDice = [[...dice, 1], dice.map(() => 7)].map((wrong) => refusal(() => paused.roll(wrong)));
const rolled = paused.roll(dice);

answer({
  states,
  refused,
  is_unchanged: hex(game) === before,
  given: dice,
  rolled,
  refused_dice: refusedDice,
});
