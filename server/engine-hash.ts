/** One hash of the engine's source, the same in the page's build, the server and scripts. */
import { sourceHash } from './source-hash.ts';

/** The arithmetic of money is as much a part of it as the strategies are. */
const BESIDE = ['contract/money.ts'];
let known: string | null = null;

/** Read once a process: what runs does not change under it. */
export function engineHash(): string {
  known ??= sourceHash('engine', BESIDE);
  return known;
}
