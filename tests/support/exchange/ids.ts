/** Ids in each exchange's shape, the same ones for the same seed. */
import { random } from '../tape.ts';
import type { DialectName } from './instruments.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface Ids {
  order(number: number): string;
  fill(number: number): string;
  uuid(): string;
}

export function makeIds(dialect: DialectName, seed: number): Ids {
  const roll = random(seed * 104_729 + 3);
  const letters = (count: number): string =>
    Array.from({ length: count }, () => LETTERS[Math.floor(roll() * LETTERS.length)]).join('');
  const hex = (count: number): string =>
    Array.from({ length: count }, () => Math.floor(roll() * 16).toString(16)).join('');
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const kraken = (first: string) => (): string =>
    `${first}${letters(5)}-${letters(5)}-${letters(6)}`;
  if (dialect === 'kraken') return { order: kraken('O'), fill: kraken('T'), uuid };
  if (dialect === 'coinbase') return { order: uuid, fill: uuid, uuid };
  return {
    order: (number) => String(9_780_000_000 + number * 7),
    fill: (number) => String(410_000_000 + number),
    uuid,
  };
}
