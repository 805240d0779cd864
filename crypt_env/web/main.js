/** The page: loads the engine, and opens what is asked for: the start screen, a game, or a replay. */

import { hang } from "./artwork.js";
import { el } from "./dom.js";
import { Engine } from "./engine.js";
import { LEVELS, Opponents } from "./opponents.js";
import { PlayPage } from "./play.js";
import { ReplayPage } from "./replay.js";
import { bytesOf, isPacked, jsonOf, textOf } from "./resources.js";
import { Session } from "./session.js";
import { openSource, sealedSource } from "./source.js";
import { StartPage, drawnSeed, namedPlayers } from "./start.js";
import { keepGame, keptGame, linked } from "./storage.js";
import { setTheme } from "./theme.js";

/**
 * @typedef {import("./storage.js").Player} Player
 * @typedef {import("./session.js").Setup} Setup
 * @typedef {{close: () => void, show: (root: Element) => void}} Shown
 */

const REPLAY = "game.json";
/** In replays seats have the numbers of the record. */
const LABELS = ["0", "1", "2", "3"];

class App {
  /** @param {any} shared */
  constructor(shared) {
    this.shared = shared;
    this.root = /** @type {Element} */ (document.getElementById("app"));
    /** @type {Shown | null} */
    this.page = null;
  }

  /** @param {Shown} page */
  #open(page) {
    this.page?.close();
    this.page = page;
    page.show(this.root);
    window.scrollTo(0, 0);
  }

  /** Open what the address and the browser's memory ask for. */
  begin() {
    const asked = linked(location.hash);
    const kept = keptGame();
    if (asked) return this.#linked(asked);
    if (kept && !this.#isOver(kept)) return this.#goOn(kept);
    return this.start();
  }

  /** @param {import("./storage.js").Saved} kept */
  #isOver(kept) {
    return !/"scores":null/.test(kept.record);
  }

  start() {
    const kept = keptGame();
    const goOn = kept
      ? {
          label: this.#isOver(kept) ? "View the last game" : "Continue the last game",
          open: () => this.#goOn(kept),
        }
      : null;
    const doors = {
      play: (/** @type {Setup} */ setup, /** @type {Player[]} */ players) => this.play(setup, players),
      load: (/** @type {string} */ text) => this.#load(text),
      goOn,
    };
    history.replaceState(history.state, "", location.href.split("#")[0]);
    this.#open(new StartPage(this.shared.collectors, doors));
  }

  /** @param {Setup} setup @param {Player[]} players */
  play(setup, players) {
    const page = this.#playPage(new Session(this.shared.engine, setup), players);
    page.run();
  }

  /** @param {Session} session @param {Player[]} players */
  #playPage(session, players) {
    const { setup } = session;
    const again = () =>
      this.play({ ...setup, deck: null, leader: setup.players === 1 ? 0 : "random", seed: drawnSeed() }, players);
    const page = new PlayPage(this.shared, session, players, { leave: () => this.start(), again });
    this.#open(page);
    return page;
  }

  /** Continue a game that was kept. @param {import("./storage.js").Saved} kept */
  #goOn(kept) {
    try {
      const session = Session.ofRecord(this.shared.engine, kept.record, kept.setup);
      this.#resume(session, kept.players);
    } catch {
      // Kept by another version of the page.
      keepGame(null);
      this.start();
    }
  }

  /** @param {Session} session @param {Player[]} players */
  #resume(session, players) {
    this.#playPage(session, players).goOn();
  }

  /** @param {NonNullable<ReturnType<typeof linked>>} asked */
  #linked({ setup, levels, actions }) {
    const known = levels.map((level) =>
      level === null || LEVELS.some(({ name }) => name === level) ? level : "greedy",
    );
    try {
      const session = new Session(this.shared.engine, setup);
      for (const action of actions) session.act(action);
      this.#resume(session, namedPlayers(known));
    } catch (error) {
      this.start();
      this.#explain(`This link cannot be opened: ${messageOf(error)}`);
    }
  }

  /** Show the first game of a file of records. @param {string} text */
  #load(text) {
    try {
      const [line] = text.split("\n").filter((each) => each.trim());
      const session = Session.ofRecord(this.shared.engine, line ?? "");
      this.replay(session);
    } catch (error) {
      this.#explain(`This file cannot be opened: ${messageOf(error)}`);
    }
  }

  /** @param {string} reason */
  #explain(reason) {
    if (this.page instanceof StartPage) this.page.explain(reason);
  }

  /** @param {Session} session */
  replay(session) {
    const names = seatNames(session.setup.players);
    const seats = names.slice(0, session.setup.players).map((_, seat) => (seat ? "greedy" : null));
    const playOn = session.game.isOver ? undefined : () => this.#resume(session, namedPlayers(seats));
    this.#open(
      new ReplayPage(
        { ...this.shared, source: openSource(session), names, labels: LABELS },
        { leave: () => this.start(), playOn },
      ),
    );
    /** @type {ReplayPage} */ (this.page).draw();
  }

  /** Show the game that is packed into the page. @param {any} packed */
  packed(packed) {
    const { engine, facts } = this.shared;
    const source = packed.sealed
      ? sealedSource(facts, packed.sealed, packed.advice)
      : openSource(Session.ofRecord(engine, packed.record), packed.advice);
    const names = seatNames(packed.players);
    const page = new ReplayPage({ ...this.shared, source, names, labels: LABELS, agent: packed.agent });
    this.#open(page);
    page.draw();
  }
}

/** @param {number} players */
function seatNames(players) {
  return players === 1 ? ["Seat 0", "the Ghost"] : Array.from({ length: players }, (_, seat) => `Seat ${seat}`);
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

async function boot() {
  setTheme();
  const [wasm, facts, art, rules] = await Promise.all([
    bytesOf("engine.wasm"),
    jsonOf("engine.json"),
    jsonOf("art.json"),
    textOf("rules.html"),
  ]);
  hang(art);
  const engine = await Engine.load(/** @type {BufferSource} */ (wasm), facts);
  const app = new App({ engine, facts, rules, collectors: art.collectors, opponents: new Opponents(engine, wasm) });
  if (isPacked(REPLAY)) app.packed(await jsonOf(REPLAY));
  else {
    window.addEventListener("hashchange", () => linked(location.hash) && app.begin());
    app.begin();
  }
}

boot().catch((error) => {
  document
    .getElementById("app")
    ?.replaceChildren(el("p", { class: "reason", role: "alert" }, `The page cannot start: ${messageOf(error)}`));
});
