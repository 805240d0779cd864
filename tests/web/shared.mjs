/** What the scripts have in common: they are given JSON on standard input, and answer JSON. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];

/** Import a module of the engine. */
export function load(name) {
  return import(pathToFileURL(join(folder, name)).href);
}

const { Engine } = await load("engine.js");
const facts = JSON.parse(readFileSync(join(folder, "engine.json"), "utf8"));

export const engine = await Engine.load(readFileSync(join(folder, "engine.wasm")), facts);

async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** What the test has given. */
export const given = JSON.parse(await readInput());

export function answer(value) {
  process.stdout.write(JSON.stringify(value));
}

export function fromHex(text) {
  return new Uint8Array(Buffer.from(text, "hex"));
}
