/** One limit for several servers: what is told, what is not worth a word, and what a word does. */
import { describe, expect, it } from 'vitest';
import { EventNotifier } from '../../../server/db/user-events.ts';
import { RateLimits } from '../../../server/http/rate-limit.ts';
import { SharedSpending } from '../../../server/http/shared-spending.ts';
import { until } from '../../support/until.ts';

class Clock {
  at = 1_000_000;
  now(): number {
    return this.at;
  }
}

interface Server {
  limits: RateLimits;
  spending: SharedSpending;
}

/** Servers that hear every word of each other, and of themselves, at once. */
function fleet(count: number, perSecond: number) {
  const clock = new Clock();
  const said: string[] = [];
  const servers: Server[] = [];
  const tell = async (texts: readonly string[]): Promise<void> => {
    said.push(...texts);
    for (const { spending } of servers) for (const text of texts) spending.hear(text);
  };
  for (let n = 0; n < count; n += 1) {
    const limits = new RateLimits({ userPerSecond: perSecond, ipPerSecond: perSecond }, clock);
    servers.push({ limits, spending: new SharedSpending(limits, clock, tell) });
  }
  const at = (n: number): Server => {
    const server = servers[n];
    if (server === undefined) throw new Error('No such server');
    return server;
  };
  return { clock, said, at };
}

const takes = (take: () => void, most = 1_000): number => {
  for (let taken = 0; taken < most; taken += 1) {
    try {
      take();
    } catch {
      return taken;
    }
  }
  return most;
};
const count = (said: readonly string[]): number =>
  said.reduce((all, text) => all + Number(text.split(' ').at(-1)), 0);

describe('what is spent at one server', () => {
  it('is gone at the others, and once only where it was spent', async () => {
    const { clock, said, at } = fleet(3, 10);
    expect(takes(() => at(0).limits.takeUser('anna', false), 100)).toBe(100);
    await until(
      async () => count(said),
      (told) => told === 100,
    );
    for (const n of [0, 1, 2])
      expect(takes(() => at(n).limits.takeUser('anna', false), 50)).toBe(50);
    // All of them at the same moment: more than the bucket holds, which is owed for.
    await until(
      async () => count(said),
      (told) => told === 250,
    );
    for (const n of [0, 1, 2]) expect(takes(() => at(n).limits.takeUser('anna', false))).toBe(0);
    clock.at += 9_900;
    for (const n of [0, 1, 2]) expect(takes(() => at(n).limits.takeUser('anna', false))).toBe(0);
    clock.at += 300;
    expect(takes(() => at(0).limits.takeUser('anna', false))).toBeGreaterThan(0);
  });

  it('leaves Stop, other people and other addresses alone', async () => {
    const { said, at } = fleet(2, 10);
    takes(() => at(0).limits.takeUser('anna', false));
    takes(() => at(0).limits.takeAddress('192.0.2.7', false));
    await until(
      async () => count(said),
      (told) => told === 300,
    );
    expect(takes(() => at(1).limits.takeUser('anna', false))).toBe(0);
    expect(takes(() => at(1).limits.takeUser('anna', true))).toBe(150);
    expect(takes(() => at(1).limits.takeUser('bert', false))).toBe(150);
    expect(takes(() => at(1).limits.takeAddress('192.0.2.7', false))).toBe(0);
    expect(takes(() => at(1).limits.takeAddress('192.0.2.8', false))).toBe(150);
  });

  it('is told without the address it was spent from, and not where it is next to nothing', async () => {
    const { said, at } = fleet(2, 10);
    for (let n = 0; n < 7; n += 1) at(0).limits.takeUser('quiet', false);
    takes(() => at(0).limits.takeAddress('192.0.2.7', false));
    await until(
      async () => count(said),
      (told) => told === 150,
    );
    expect(said.join('\n')).not.toContain('192.0.2.7');
    expect(said.join('\n')).not.toContain('quiet');
  });
});

it('a word of another build, or of nobody, changes nothing', () => {
  const { at } = fleet(1, 10);
  for (const text of ['', 'x', 'x user', 'x purse anna 5', 'x user anna -5', 'x user anna many'])
    at(0).spending.hear(text);
  expect(takes(() => at(0).limits.takeUser('anna', false))).toBe(150);
});

it('a word from another process reaches those it is for', () => {
  const notifier = new EventNotifier();
  const heard: string[] = [];
  notifier.listen('anna', () => {
    heard.push('events of anna');
  });
  notifier.listenWord('ended', (uid) => {
    heard.push(`ended ${uid}`);
  });
  notifier.listenClosed(([id]) => {
    heard.push(`closed ${id ?? ''}`);
  });
  for (const word of ['anna', 'bert', 'ended bert', 'closed 7', 'spent a b c 1', null])
    notifier.receive(word);
  expect(heard).toEqual(['events of anna', 'ended bert', 'closed 7', 'events of anna']);
});
