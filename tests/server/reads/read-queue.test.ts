/** The queue of heavy reads: few at once, each person in turn, and a limit to how many wait. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/errors.ts';
import { ReadQueue } from '../../../server/reads/read-queue.ts';

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}

describe('the queue of heavy reads', () => {
  it('lets so many run at once and no more', async () => {
    const queue = new ReadQueue({ atOnce: 2, waiting: 10, waitingEach: 10 });
    const shut = gate();
    let running = 0;
    let most = 0;
    const all = Array.from({ length: 6 }, (_none, n) =>
      queue.run(`p${n}`, async () => {
        running += 1;
        most = Math.max(most, running);
        await shut.opened;
        running -= 1;
      }),
    );
    await turn();
    await turn();
    expect(running).toBe(2);
    expect(queue.waiting).toBe(4);
    shut.open();
    await Promise.all(all);
    expect(most).toBe(2);
    expect(queue.waiting).toBe(0);
  });

  it('serves people in turn: one who asks for much keeps no other waiting for all of it', async () => {
    const queue = new ReadQueue({ atOnce: 1, waiting: 50, waitingEach: 50 });
    const order: string[] = [];
    const ask = (uid: string, n: number): Promise<unknown> =>
      queue.run(uid, async () => order.push(`${uid}${n}`));
    await Promise.all([
      ...Array.from({ length: 5 }, (_none, n) => ask('greedy', n)),
      ask('calm', 0),
      ask('other', 0),
    ]);
    expect(order).toEqual([
      'greedy0',
      'greedy1',
      'calm0',
      'other0',
      'greedy2',
      'greedy3',
      'greedy4',
    ]);
  });

  it('refuses with a time to come back what finds no place, of one person and of all (F66)', async () => {
    const queue = new ReadQueue({ atOnce: 1, waiting: 3, waitingEach: 2 });
    const shut = gate();
    const asked = [queue.run('a', () => shut.opened)];
    const refusalOf = async (uid: string): Promise<Refusal> => {
      const error: unknown = await queue.run(uid, async () => undefined).catch((e: unknown) => e);
      if (!(error instanceof Refusal)) throw new Error('It was not refused');
      return error;
    };
    asked.push(
      queue.run('a', async () => undefined),
      queue.run('a', async () => undefined),
    );
    const own = await refusalOf('a');
    expect(own.code).toBe('server_busy');
    expect(own.status).toBe(503);
    expect(own.more.retryAfterMs).toBeGreaterThanOrEqual(1_000);
    asked.push(queue.run('b', async () => undefined));
    expect((await refusalOf('c')).code).toBe('server_busy');
    expect(queue.refused).toBe(2);
    shut.open();
    await Promise.all(asked);
    expect(await queue.run('c', async () => 'there is room again')).toBe('there is room again');
  });

  it('goes on after a read that failed', async () => {
    const queue = new ReadQueue({ atOnce: 1, waiting: 3, waitingEach: 3 });
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('b', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('refuses who has waited for too long, and serves the others as before', async () => {
    const queue = new ReadQueue({ atOnce: 1, waiting: 9, waitingEach: 9, waitMostMs: 30 });
    const shut = gate();
    const order: string[] = [];
    const first = queue.run('a', () => shut.opened);
    const late = [1, 2].map((n) =>
      queue.run('b', async () => order.push(`late ${n}`)).catch((error: unknown) => error),
    );
    for (const one of late) expect(await one).toMatchObject({ code: 'server_busy' });
    expect([queue.waiting, queue.refused]).toEqual([0, 2]);
    const next = queue.run('b', async () => order.push('next'));
    shut.open();
    await Promise.all([first, next]);
    await queue.run('a', async () => order.push('last'));
    expect(order).toEqual(['next', 'last']);
  });
});
