/** The files of the page: fetched from its folder, or packed into the page itself. */

/** Whether a file is packed into the page. @param {string} name */
export function isPacked(name) {
  return document.getElementById(`file:${name}`) !== null;
}

/** Return a file. @param {string} name @returns {Promise<Uint8Array>} */
export async function bytesOf(name) {
  const packed = document.getElementById(`file:${name}`);
  if (packed) return unzipped(fromBase64(packed.textContent ?? ""));
  const answer = await fetch(new URL(name, document.baseURI));
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Return a file of text. @param {string} name */
export async function textOf(name) {
  return new TextDecoder().decode(await bytesOf(name));
}

/** Return a file of JSON. @param {string} name */
export async function jsonOf(name) {
  return JSON.parse(await textOf(name));
}

/** @param {string} text */
export function fromBase64(text) {
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}

/** @param {Uint8Array} bytes */
async function unzipped(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
