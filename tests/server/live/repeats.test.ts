/** An exchange that says no at once, or nothing: what is asked again is asked at a pace. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SignerPort } from '../../../server/live/live-deps.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

type Dialect = 'kraken' | 'coinbase';

async function holding(dialect: Dialect): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  await settle(one, 20, 1);
  expect((await account(one)).positions).toHaveLength(1);
  return one;
}

async function closePosition(one: LiveWorld): Promise<void> {
  const [position] = (await account(one)).positions;
  await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
}

/** Answers this act at once, in a moment of its own; how often it was asked. */
function answerAtOnce(one: LiveWorld, act: 'place' | 'cancel', answer: object) {
  const { signer } = one.deps;
  const asked = {
    count: 0,
    stop: () => {
      one.deps.signer = signer;
    },
  };
  const port: SignerPort = {
    ask: async (ask) => {
      if ((ask as { act: string }).act !== act) return signer.ask(ask);
      asked.count += 1;
      one.floor.clock.at += 1;
      return answer as Awaited<ReturnType<typeof signer.ask<typeof ask.act>>>;
    },
  };
  one.deps.signer = port;
  return asked;
}

const UNKNOWN = { kind: 'unknown', cause: 'connection' } as const;
const NO = { kind: 'refused', by: 'signer', code: 'exchange_ban', detail: '' } as const;

describe('an exchange that answers at once, and not as we need it', () => {
  it.each([
    ['a cancellation that it turns down', 'kraken', 'cancel', NO],
    ['a cancellation of which it says nothing', 'kraken', 'cancel', UNKNOWN],
    ['an order of which it says nothing', 'coinbase', 'place', UNKNOWN],
  ] as const)(
    'is asked again at a pace: %s',
    async (_what, dialect, act, answer) => {
      const one = await holding(dialect);
      const asked = answerAtOnce(one, act, answer);
      await closePosition(one);
      await one.look();
      // The first waits for nothing.
      expect(asked.count).toBeGreaterThan(0);
      await settle(one, 10, 1);
      expect(asked.count).toBeGreaterThan(2);
      expect(asked.count).toBeLessThan(10);
      asked.stop();
      await settle(one, 260, 1);
      expect((await account(one)).positions).toEqual([]);
      expect(await one.problems()).toEqual([]);
      for (const [coin, [ledger, exchange]] of Object.entries(await one.books()))
        expect([coin, ledger]).toEqual([coin, exchange]);
    },
    120_000,
  );
});
