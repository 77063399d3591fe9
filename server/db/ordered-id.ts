/**
 * Ids that grow with time (UUID version 7), so that large tables insert at one end of their key.
 * They are not secret.
 */
import { randomBytes } from 'node:crypto';

const AT_ONCE = 256;
const RANDOM_BYTES = 10;
let pool = Buffer.alloc(0);
let used = 0;

/** Milliseconds of the wall clock, then 74 bits by chance. */
export function orderedId(now = Date.now()): string {
  if (used >= pool.length) {
    pool = randomBytes(AT_ONCE * RANDOM_BYTES);
    used = 0;
  }
  const chance = pool.toString('hex', used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  const time = now.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(chance.charAt(3), 16) & 3) | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.slice(0, 3)}-${variant}${chance.slice(4, 7)}-${chance.slice(8)}`;
}
