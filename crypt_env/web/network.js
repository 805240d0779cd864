/**
 * The trained networks of crypt_env, in plain JavaScript.
 *
 *     const network = Network.read(bytes, engine.facts);          // the bytes of a .safetensors file
 *     network.probabilities(game.observation(), game.mask());     // of each action
 *     engine.player("net", network).choose(game);
 *
 * The format is described in crypt_env/agents/network_file.py: layers with ReLU over some columns of the observation,
 * or over whether they are above limits, then one layer for the policy and one for the value.
 *
 * @typedef {import("./engine.js").Facts} Facts
 * @typedef {import("./players.js").Evaluate} Evaluate
 * @typedef {{weights: Float32Array, bias: Float32Array}} Layer  weights of one input after the other
 */

const HEADER = 8;

export class Network {
  #columns;
  #above;
  /** @type {Layer[]} */
  #hidden = [];
  #policy;
  #value;

  /**
   * @param {Map<string, {shape: number[], numbers: Float32Array}>} tensors
   * @param {any} facts  what the file says about the network
   */
  constructor(tensors, facts) {
    this.facts = facts;
    this.#columns = Int32Array.from(facts.columns);
    this.#above = facts.above ? Int8Array.from(facts.above) : null;
    while (tensors.has(`hidden.${this.#hidden.length}.weight`)) {
      this.#hidden.push(layerOf(tensors, `hidden.${this.#hidden.length}`));
    }
    this.#policy = layerOf(tensors, "policy");
    this.#value = layerOf(tensors, "value");
  }

  /**
   * Return the network in a file.
   * @param {ArrayBuffer | Uint8Array} file
   * @param {Facts} facts  of the engine
   */
  static read(file, facts) {
    const { key, format } = facts.network;
    // A Buffer of Node.js is a Uint8Array whose slices share their memory, so a plain one is made of it.
    const isView = ArrayBuffer.isView(file);
    const bytes = isView ? new Uint8Array(file.buffer, file.byteOffset, file.byteLength) : new Uint8Array(file);
    const { tensors, metadata } = readTensors(bytes);
    if (!(key in metadata)) throw new Error(`this file has no entry ${key}, so it is not that of a network`);
    const told = JSON.parse(metadata[key]);
    const { ACTIONS, LAYOUT_VERSION } = facts.numbers;
    if (told.format !== format || told.layout_version !== LAYOUT_VERSION || told.actions !== ACTIONS) {
      throw new Error(`this network is not for layout ${LAYOUT_VERSION} and ${ACTIONS} actions`);
    }
    return new Network(tensors, told);
  }

  /** Return the logits of all actions, and the value for the seat that is asked. @param {Int8Array} observation */
  evaluate(observation) {
    let numbers = Float32Array.from(this.#columns, (column, place) =>
      this.#above ? Number(observation[column] > this.#above[place]) : observation[column],
    );
    for (const layer of this.#hidden) numbers = passed(layer, numbers).map((number) => Math.max(0, number));
    return { logits: passed(this.#policy, numbers), value: passed(this.#value, numbers)[0] };
  }

  /**
   * Return the probability of each action, 0 for those that are not legal.
   * @param {Int8Array} observation
   * @param {Uint8Array} mask
   */
  probabilities(observation, mask) {
    return softmax(this.evaluate(observation).logits, mask);
  }

  /**
   * Return the evaluation for a search: the policy, and the value as the expected payoff of the game.
   * @returns {Evaluate}
   */
  evaluator() {
    const { dense = false, kind = null, scale = 1 } = this.facts.reward ?? {};
    const isSolo = this.facts.players.every((/** @type {number} */ players) => players === 1);
    if (dense && kind !== "win" && !isSolo) {
      throw new Error("the value of this network is what is still to be paid; a search cannot tell who is ahead");
    }
    return (observation, mask, earned) => {
      const { logits, value } = this.evaluate(observation);
      const isAlone = observation[0] === 1;
      return { priors: softmax(logits, mask), value: value / scale + (dense && isAlone ? earned() : 0) };
    };
  }
}

// -- numbers -----------------------------------------------------------------------------------------------------------

/** Return what a layer makes of its inputs. @param {Layer} layer @param {Float32Array} inputs */
function passed({ weights, bias }, inputs) {
  const sums = Float64Array.from(bias);
  const size = sums.length;
  inputs.forEach((input, place) => {
    if (input === 0) return; // most are: thermometers, and what ReLU cut off
    const start = place * size;
    for (let output = 0; output < size; output++) sums[output] += input * weights[start + output];
  });
  return Float32Array.from(sums);
}

/** Return probabilities. @param {Float32Array} logits @param {Uint8Array} mask */
function softmax(logits, mask) {
  const highest = logits.reduce((most, logit, action) => (mask[action] ? Math.max(most, logit) : most), -Infinity);
  const weights = Float64Array.from(logits, (logit, action) => (mask[action] ? Math.exp(logit - highest) : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Float32Array.from(weights, (weight) => weight / total);
}

// -- files -------------------------------------------------------------------------------------------------------------

/** Return the tensors and the metadata of a safetensors file. @param {Uint8Array} bytes */
function readTensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = HEADER + Number(view.getBigUint64(0, true));
  const { __metadata__: metadata = {}, ...described } = JSON.parse(
    new TextDecoder().decode(bytes.subarray(HEADER, start)),
  );
  const tensors = new Map();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(described)) {
    const [from, to] = data_offsets.map((/** @type {number} */ offset) => start + offset);
    tensors.set(name, { shape, numbers: numbersOf(bytes.slice(from, to), dtype) });
  }
  return { tensors, metadata };
}

/** @param {Uint8Array} bytes @param {string} dtype */
function numbersOf(bytes, dtype) {
  if (dtype === "F32") return new Float32Array(bytes.buffer);
  if (dtype === "F16") return Float32Array.from(new Uint16Array(bytes.buffer), fromHalf);
  throw new Error(`numbers of type ${dtype} are in no network`);
}

/** Return the number that 16 bits stand for. @param {number} half */
function fromHalf(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? NaN : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/**
 * Return a layer; files have the weights of one output after the other.
 * @param {Map<string, {shape: number[], numbers: Float32Array}>} tensors
 * @param {string} name
 * @returns {Layer}
 */
function layerOf(tensors, name) {
  const weight = tensors.get(`${name}.weight`);
  const bias = tensors.get(`${name}.bias`);
  if (!weight || !bias) throw new Error(`this network lacks the layer ${name}`);
  const [outputs, inputs] = weight.shape;
  if (weight.numbers.length !== inputs * outputs || bias.numbers.length !== outputs) {
    throw new Error(`the layer ${name} is damaged`);
  }
  const weights = new Float32Array(inputs * outputs);
  for (let output = 0; output < outputs; output++) {
    for (let input = 0; input < inputs; input++) {
      weights[input * outputs + output] = weight.numbers[output * inputs + input];
    }
  }
  return { weights, bias: bias.numbers };
}
