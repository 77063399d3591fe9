/**
 * Secrets of a request, kept as bytes that can be wiped. A text of JavaScript cannot: it stays in
 * memory until something else happens to be written there.
 */
import { createHash } from 'node:crypto';
import { Refusal } from '../contract/errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const [OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = [0x7b, 0x5b, 0x7d, 0x5d];
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** An escaped PEM is far shorter. */
const LONGEST = 8_192;

/** By what stands in the body for them; the same secret may be in several requests at once. */
const held = new Map<string, Buffer[]>();

/** Secrets of one request, wiped when it is over. */
export class HeldSecrets {
  private readonly own: [name: string, bytes: Buffer][] = [];

  /** What stands for a secret: the same for the same bytes, so that a repeated request is known. */
  add(bytes: Buffer): string {
    const name = createHash('sha256').update(bytes).digest('hex');
    held.set(name, [...(held.get(name) ?? []), bytes]);
    this.own.push([name, bytes]);
    return name;
  }

  wipe(): void {
    for (const [name, bytes] of this.own) {
      bytes.fill(0);
      const others = (held.get(name) ?? []).filter((one) => one !== bytes);
      if (others.length === 0) held.delete(name);
      else held.set(name, others);
    }
    this.own.length = 0;
  }
}

/** A text or what stands for a secret, as the inside of a JSON string. The caller wipes it. */
export function jsonBytes(text: string): Buffer {
  const [bytes] = held.get(text) ?? [];
  return Buffer.from(bytes ?? JSON.stringify(text).slice(1, -1));
}

/** Where the string ends that begins at `start`, its closing quote. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  throw new Refusal('invalid_request', 'The request is not valid JSON');
}

function afterSpaces(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && SPACES.has(bytes[at] ?? 0)) at += 1;
  return at;
}

/** A name may be written with escapes; what is no name at all is for the parser to refuse. */
function nameOf(written: Buffer): string {
  try {
    return String(JSON.parse(`"${written.toString('utf8')}"`));
  } catch {
    return '';
  }
}

/** Takes the texts of these fields out of an object's JSON and holds them; `bytes` is wiped in any case. */
export function withoutSecrets(
  bytes: Buffer,
  fields: readonly string[],
  secrets: HeldSecrets,
): string {
  try {
    return cutOut(bytes, fields, secrets);
  } finally {
    bytes.fill(0);
  }
}

function cutOut(bytes: Buffer, fields: readonly string[], secrets: HeldSecrets): string {
  const pieces: string[] = [];
  let written = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (byte !== QUOTE) continue;
    const end = endOfString(bytes, at + 1);
    const colon = afterSpaces(bytes, end + 1);
    const value = afterSpaces(bytes, colon + 1);
    const isSecret =
      depth === 1 &&
      bytes[colon] === COLON &&
      bytes[value] === QUOTE &&
      fields.includes(nameOf(bytes.subarray(at + 1, end)));
    at = end;
    if (!isSecret) continue;
    const last = endOfString(bytes, value + 1);
    const secret = bytes.subarray(value + 1, last);
    if (secret.length > LONGEST) throw new Refusal('invalid_request', 'The key is too long');
    pieces.push(bytes.toString('utf8', written, value + 1));
    if (secret.length > 0) pieces.push(secrets.add(Buffer.from(secret)));
    written = last;
    at = last;
  }
  pieces.push(bytes.toString('utf8', written));
  return pieces.join('');
}
