/** The Worker in which opponents think. */

import { Thinker } from "./thinker.js";

const thinker = new Thinker();

self.onmessage = async ({ data }) => {
  const { number, ...task } = data;
  try {
    self.postMessage({ number, answer: await thinker.answer(task) });
  } catch (error) {
    self.postMessage({ number, error: error instanceof Error ? error.message : String(error) });
  }
};
