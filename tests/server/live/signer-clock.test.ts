/** Deadlines are judged by the signer's clock: the operator hears when it is far from ours. */
import { describe, expect, it } from 'vitest';
import type { SignerPort } from '../../../server/live/live-deps.ts';
import { maySell } from '../../../server/live/send-order.ts';
import { WatchedSigner } from '../../../server/live/signer-clock.ts';

const HELLO = { act: 'hello', version: 1 } as const;

function watched() {
  const state = { nowMs: 1_000_000, apartMs: 0 as number | null, tripMs: 0, fails: false };
  const lines: [Record<string, unknown>, string][] = [];
  const port = {
    ask: () => {
      if (state.fails) return Promise.reject(new Error('gone'));
      state.nowMs += state.tripMs;
      const { apartMs } = state;
      return Promise.resolve({
        version: 1,
        ...(apartMs === null ? {} : { nowMs: state.nowMs + apartMs }),
      });
    },
  } as unknown as SignerPort;
  const signer = new WatchedSigner(
    port,
    { now: () => state.nowMs },
    { warn: (about, text) => lines.push([about, text]) },
  );
  return { signer, state, lines };
}

describe('the clock of the signer', () => {
  it.each([11_000, -11_000])(
    'that is %s ms from ours is told once, until it is right again',
    async (apartMs) => {
      const { signer, state, lines } = watched();
      await signer.ask(HELLO);
      expect([signer.secondsApart(), lines.length]).toEqual([0, 0]);
      state.apartMs = apartMs;
      await signer.ask(HELLO);
      await signer.ask(HELLO);
      expect(signer.secondsApart()).toBe(11);
      expect(lines).toHaveLength(1);
      state.apartMs = 0;
      await signer.ask(HELLO);
      expect(signer.secondsApart()).toBe(0);
      state.apartMs = apartMs;
      await signer.ask(HELLO);
      expect(lines).toHaveLength(2);
    },
  );

  it('is not blamed for an answer that took long', async () => {
    const { signer, state, lines } = watched();
    Object.assign(state, { tripMs: 4_000, apartMs: -2_000 });
    await signer.ask(HELLO);
    expect([signer.secondsApart(), lines.length]).toEqual([0, 0]);
  });

  it('is unknown before it was asked, and where the signer is older', async () => {
    const { signer, state } = watched();
    expect(signer.secondsApart()).toBeNull();
    state.apartMs = null;
    await signer.ask(HELLO);
    expect(signer.secondsApart()).toBeNull();
    state.fails = true;
    await expect(signer.ask(HELLO)).rejects.toThrow('gone');
  });
});

describe('the question before a stop makes way', () => {
  it('carries the deadline that its sale would have', async () => {
    const asked: unknown[] = [];
    const signer = {
      ask: (ask: unknown) => {
        asked.push(ask);
        return Promise.resolve({ kind: 'yes' });
      },
    } as unknown as SignerPort;
    const deps = { signer, clock: { now: () => 5_000 } } as Parameters<typeof maySell>[0];
    const order = { intent: { connectionId: 'c', clientOrderId: 'o' } } as Parameters<
      typeof maySell
    >[1];
    expect(await maySell(deps, order)).toBe('yes');
    expect(asked).toEqual([
      { act: 'may_sell', connectionId: 'c', insteadOf: 'o', deadlineMs: 35_000 },
    ]);
  });
});
