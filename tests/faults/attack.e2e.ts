/**
 * A few thousand hostile requests of many users against the real server; `npm run test:attack` sends
 * as many as it is asked for.
 */
import { expect, it } from 'vitest';
import { attack, saidOf } from '../support/attack/attack.ts';

const REQUESTS = 2_500;
const SEED = Number(process.env.ATTACK_SEED ?? 11);

it('hostile requests find no failure, no leak, no stolen plan and no wrong ledger (F54, F50)', async () => {
  const verdict = await attack({ requests: REQUESTS, seconds: 300, seed: SEED });
  expect(verdict.wrong, saidOf(verdict)).toEqual([]);
  expect(verdict.tally.answered).toBeGreaterThanOrEqual(REQUESTS);
  // What is refused at the gate alone would prove little.
  expect(verdict.tally.reached.size).toBeGreaterThan(40);
});
