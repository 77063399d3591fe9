/** Reads a JSON Web Token without checking it: only the server verifies a signature. */
import { base64urlBytes } from './base64url.ts';

export interface Jwt {
  header: unknown;
  claims: unknown;
  /** Empty in the unsigned tokens of the identity emulator. */
  signature: string;
}

function jsonIn(part: string): unknown {
  if (!/^[\w-]+$/.test(part)) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(base64urlBytes(part)));
  } catch {
    return undefined;
  }
}

/**
 * The parts of a token; null where there are not three, or one of the first two is empty. A header
 * or claims that do not read as JSON are undefined.
 */
export function readJwt(token: string): Jwt | null {
  const parts = token.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3 || header === '' || claims === '') return null;
  return { header: jsonIn(header), claims: jsonIn(claims), signature };
}
