/**
 * Where games are kept: in the browser, in files and in links.
 *
 * @typedef {import("./session.js").Setup} Setup
 * @typedef {{name: string, level: string | null}} Player  level null: a person at this screen
 * @typedef {{setup: Setup, players: Player[], record: string}} Saved
 */

const GAME = "crypt-game";
const PREFERENCES = "crypt-preferences";

/**
 * Keep the current game for the next time the page is opened. The tab keeps it as well: for pages opened from files,
 * browsers do not always keep data.
 * @param {Saved | null} saved
 */
export function keepGame(saved) {
  keep(GAME, saved);
  // A link in the address shows the game as it was; from now on this one is further.
  history.replaceState({ [GAME]: saved }, "", location.href.split("#")[0]);
}

/** @returns {Saved | null} */
export function keptGame() {
  return kept(GAME) ?? history.state?.[GAME] ?? null;
}

/** Keep some of the reader's preferences. @param {any} changed */
export function keepPreferences(changed) {
  keep(PREFERENCES, { ...keptPreferences(), ...changed });
}

/** @returns {any} */
export function keptPreferences() {
  return kept(PREFERENCES) ?? {};
}

/** @param {string} key @param {any} value */
function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage one can still play.
  }
}

/** @param {string} key */
function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

// -- links ------------------------------------------------------------------------------------------------------------

/**
 * Return the part after the # of a link to a game that was dealt from a seed.
 * @param {Setup} setup  with the sides and the first Leader as they were dealt
 * @param {Player[]} players
 * @param {number[]} actions
 */
export function linkOf(setup, players, actions) {
  const fields = new URLSearchParams({
    seed: String(setup.seed),
    players: String(setup.players),
    table: setup.table,
    leader: String(setup.leader),
    seats: players.map(({ level }) => level ?? "you").join("."),
    actions: actions.map((action) => action.toString(36)).join("."),
  });
  return `#${fields}`;
}

/** Return what a link asks for; null if it asks for no game. @param {string} hash */
export function linked(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const players = Number(fields.get("players"));
  const seed = fields.get("seed") ?? "";
  if (!(players >= 1 && players <= 4) || !/^\d{1,20}$/.test(seed)) return null;
  const leader = fields.get("leader") ?? "random";
  const levels = (fields.get("seats") ?? "you").split(".");
  const actions = (fields.get("actions") ?? "").split(".").filter(Boolean);
  return {
    setup: {
      players,
      seed,
      table: fields.get("table") ?? "random",
      leader: /^\d$/.test(leader) ? Number(leader) : /** @type {"random"} */ ("random"),
    },
    levels: Array.from({ length: players }, (_, seat) => levels[seat] ?? "greedy").map((level) =>
      level === "you" ? null : level,
    ),
    actions: actions.map((action) => parseInt(action, 36)),
  };
}

// -- files ------------------------------------------------------------------------------------------------------------

/** Have the browser save a file. @param {string} name @param {string} text */
export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
