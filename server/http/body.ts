/** Parses JSON bodies safely: limits depth, and rejects NUL, broken text and prototype keys. */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../contract/errors.ts';

export const BODY_LIMIT_BYTES = 64 * 1024;
const DEPTH_MAX = 16;
const POISON = new Set(['__proto__', 'constructor', 'prototype']);
/** A lone surrogate: JSON can spell it, no database can store it. */
const BROKEN_TEXT = /\p{Surrogate}|\0/u;

/**
 * The schemas compare the length of whatever has one, also where they want a text: an object there
 * cannot be compared and would be thrown at us.
 */
const isNoLength = (key: string, value: unknown): boolean =>
  key === 'length' && typeof value === 'object' && value !== null;

const refuse = (message: string) => new Refusal('invalid_request', message);

/**
 * How deep the brackets go, counted on the text, so that nothing recursive ever sees a deep value.
 */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (quoted) {
      if (character === '\\') i += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

function check(value: unknown): void {
  if (typeof value === 'string') {
    if (BROKEN_TEXT.test(value))
      throw refuse('The request contains characters that cannot be stored');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refuse('The request contains a number that is too large');
  } else if (Array.isArray(value)) {
    value.forEach(check);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (POISON.has(key) || BROKEN_TEXT.test(key) || isNoLength(key, inner))
        throw refuse('The request contains a field that is not allowed');
      check(inner);
    }
  }
}

/** Parses the text of a body; an empty one is an empty object. */
export function parseBody(text: string): unknown {
  if (text.trim() === '') return {};
  if (depthOf(text) > DEPTH_MAX) throw refuse('The request is too deeply nested');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('The request is not valid JSON');
  }
  check(value);
  return value;
}

export function registerBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (_request, text, done) => {
      try {
        done(null, parseBody(text as string));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}
