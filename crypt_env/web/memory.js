/**
 * The memory of the WebAssembly module, as typed arrays.
 *
 * @typedef {{offset: number, type: string, shape: number[]}} Field  a field of a record
 * @typedef {{size: number, fields: Object<string, Field>}} RecordType
 * @typedef {number | bigint | Array<number | bigint>} FieldValue
 */

/** Typed arrays by the names that numpy has for their numbers. @type {Object<string, any>} */
const ARRAYS = {
  bool: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** How a DataView reads and writes numbers of a type. @type {Object<string, string>} */
const VIEWS = {
  int8: "Int8",
  int16: "Int16",
  int32: "Int32",
  int64: "BigInt64",
  uint32: "Uint32",
  uint64: "BigUint64",
  float64: "Float64",
};

const PAGE = 65536;
const ALIGNMENT = 8;

/** Some rows of an array in the module's memory. */
export class Block {
  #memory;
  #Numbers;
  #width;
  /** @type {any} */
  #view = null;

  /**
   * @param {WebAssembly.Memory} memory
   * @param {any} Numbers  the class of the typed array
   * @param {number} address
   * @param {number} rows
   * @param {number} width  numbers in a row
   */
  constructor(memory, Numbers, address, rows, width) {
    this.#memory = memory;
    this.#Numbers = Numbers;
    this.#width = width;
    this.address = address;
    this.rows = rows;
  }

  /** The numbers, row by row. To be used at once: the view is of no more use when the memory grows. @returns {any} */
  get view() {
    if (this.#view?.buffer !== this.#memory.buffer) {
      this.#view = new this.#Numbers(this.#memory.buffer, this.address, this.rows * this.#width);
    }
    return this.#view;
  }

  /** The first rows of it. @param {number} rows */
  first(rows) {
    return new Block(this.#memory, this.#Numbers, this.address, rows, this.#width);
  }
}

/** Allocates memory after that of the module itself; it is never freed. */
export class Memory {
  #memory;
  #records;
  #free;

  /**
   * @param {WebAssembly.Memory} memory
   * @param {number} free  where it is free
   * @param {Object<string, RecordType>} records
   */
  constructor(memory, free, records) {
    this.#memory = memory;
    this.#records = records;
    this.#free = free;
  }

  /**
   * Return an array of zeros.
   * @param {string} type  numpy's name of the numbers, or that of a record, whose rows are bytes
   * @param {number} rows
   * @param {number[]} shape  of a row
   */
  block(type, rows, shape = []) {
    const record = this.#records[type];
    const Numbers = record ? Uint8Array : ARRAYS[type];
    const width = shape.reduce((size, axis) => size * axis, record ? record.size : 1);
    const address = Math.ceil(this.#free / ALIGNMENT) * ALIGNMENT;
    this.#free = address + rows * width * Numbers.BYTES_PER_ELEMENT;
    const missing = this.#free - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return new Block(this.#memory, Numbers, address, rows, width);
  }

  /** Pages of 64 KiB in use. */
  get pages() {
    return this.#memory.buffer.byteLength / PAGE;
  }

  /** Return the same memory as bytes. @param {Block} block @param {number} size */
  bytes(block, size) {
    return new Block(this.#memory, Uint8Array, block.address, size, 1);
  }
}

/**
 * Return a field of a record: a number, or a flat array of numbers; a bigint for 64 bits.
 * @param {Uint8Array} bytes  of the record
 * @param {Field} field
 * @returns {any}
 */
export function readField(bytes, field) {
  const view = /** @type {any} */ (new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const read = `get${VIEWS[field.type]}`;
  const size = sizeOf(field);
  if (field.shape.length === 0) return view[read](field.offset, true);
  return Array.from({ length: lengthOf(field) }, (_, place) => view[read](field.offset + place * size, true));
}

/**
 * Write a field of a record, all or the first of its numbers.
 * @param {Uint8Array} bytes  of the record
 * @param {Field} field
 * @param {FieldValue} value
 */
export function writeField(bytes, field, value) {
  const view = /** @type {any} */ (new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const write = `set${VIEWS[field.type]}`;
  const size = sizeOf(field);
  const values = Array.isArray(value) ? value : [value];
  if (values.length > lengthOf(field)) throw new RangeError(`${values.length} numbers are too many for a field`);
  values.forEach((number, place) => view[write](field.offset + place * size, number, true));
}

/** @param {Field} field */
function sizeOf(field) {
  return Number(/\d+$/.exec(field.type)?.[0]) / 8;
}

/** @param {Field} field */
function lengthOf(field) {
  return field.shape.reduce((size, axis) => size * axis, 1);
}
