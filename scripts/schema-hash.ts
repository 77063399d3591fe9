/**
 * One hash of everything that decides what a kept record is parsed into: the contract, the other
 * schemas of what a device keeps, and the library that parses.
 */
import { sourceHash } from '../server/source-hash.ts';

const BESIDE = [
  'node_modules/zod/package.json',
  'src/offline/foreign-message.ts',
  'src/offline/kept-exchanges.ts',
  'src/offline/snapshot-schemas.ts',
];
const LETTERS = 16;

/** The same in the builds of page and worker. */
export const schemaHash = (): string => sourceHash('contract', BESIDE).slice(0, LETTERS);
