/** One reading of a long list at a time, and nothing of it lost or taken for newer than it is. */
import { expect, it } from 'vitest';
import { LongLists } from '../../signer/long-lists.ts';

const MINUTE_MS = 60_000;
const START_MS = 100 * MINUTE_MS;

/** An exchange whose list grows, and takes so long over it. */
function exchange() {
  const clock = { at: START_MS };
  const trades: { id: string; atMs: number }[] = [];
  const asked: number[] = [];
  const waiting: (() => void)[] = [];
  const lists = new LongLists<{ id: string; atMs: number }>(
    () => clock.at,
    ({ id }) => id,
  );
  const read = async (sinceMs: number) => {
    asked.push(sinceMs);
    // Newest first: what comes while it is read is missed.
    const shown = trades.filter(({ atMs }) => atMs >= sinceMs);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return shown;
  };
  return {
    asked,
    add: (...ids: string[]) => {
      for (const id of ids) trades.push({ id, atMs: clock.at });
    },
    ask: async (sinceMs: number, symbols: readonly string[] = []) =>
      (await lists.read('account', sinceMs, symbols, read)).map(({ id }) => id),
    pass: (minutes: number) => {
      clock.at += minutes * MINUTE_MS;
    },
    /** The oldest reading that is out is done. */
    answer: async () => {
      waiting.shift()?.();
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    },
  };
}

it('reads what came while it was read, for who asked meanwhile', async () => {
  const one = exchange();
  one.add('early');
  one.pass(30);
  one.add('before');
  const first = one.ask(START_MS);
  one.pass(10);
  one.add('meanwhile');
  one.pass(10);
  const second = one.ask(START_MS);
  await one.answer();
  expect(await first).toEqual(['early', 'before']);
  await one.answer();
  expect(await second).toEqual(['early', 'before', 'meanwhile']);
  expect(one.asked).toEqual([START_MS, START_MS + 24 * MINUTE_MS]);
});

it('keeps a long one for a while, and lets it go once nobody asks so far back', async () => {
  const one = exchange();
  one.add('early');
  one.pass(60);
  const first = one.ask(START_MS);
  one.pass(20);
  await one.answer();
  await first;
  const since = START_MS + 54 * MINUTE_MS;
  const next = one.ask(since);
  await one.answer();
  expect(await next).toEqual([]);
  const anew = one.ask(START_MS);
  await one.answer();
  expect(await anew).toEqual(['early']);
  expect(one.asked).toEqual([START_MS, since, START_MS]);
});

it('reads apart what goes further back, or is of other pairs', async () => {
  const one = exchange();
  one.add('early');
  one.pass(60);
  const asks = [
    one.ask(START_MS + MINUTE_MS, ['A']),
    one.ask(START_MS, ['A']),
    one.ask(START_MS + MINUTE_MS, ['A', 'B']),
  ];
  for (let readings = 0; readings < 3; readings += 1) await one.answer();
  expect(await Promise.all(asks)).toEqual([[], ['early'], []]);
  expect(one.asked).toHaveLength(3);
});
