/**
 * Faults of live trading as others had them, planted between the parts in a test: no part has a
 * switch for them.
 */
import { ZERO } from '../../../contract/money.ts';
import type { OrderIntent, SignerAsk } from '../../../contract/signer.ts';
import type { VenueFill } from '../../../contract/venue.ts';
import type { SignerPort } from '../../../server/live/live-deps.ts';
import type { Around } from './server-life.ts';

export const PLANTED = [
  'sent before it is committed',
  'unknown is rejected',
  'absence believed at once',
  'fills not told apart',
] as const;
export type Planted = (typeof PLANTED)[number];

/** The claim of a sending is worked out and handed on, and never committed. */
const uncommitted: Around = async (work) => {
  const value = await work();
  const claimed = value as { state?: unknown; intent?: unknown } | null | undefined;
  return { value, keeps: !(claimed?.state === 'sending' && claimed.intent !== undefined) };
};

export const aroundOf = (planted: Planted | null): Around | undefined =>
  planted === 'sent before it is committed' ? uncommitted : undefined;

/** An order that was not found, as if the exchange had shown it ended with nothing filled. */
function endedUnfilled(intent: OrderIntent, atMs: number): unknown {
  const { clientOrderId, symbol, side, type, quantity, limitPrice, stopPrice } = intent;
  const terms = { symbol, side, type, quantity, limitPrice, stopPrice };
  const end = { filled: ZERO, status: 'cancelled', updatedAtMs: atMs } as const;
  const order = { exchangeOrderId: `none-${clientOrderId}`, clientOrderId, ...terms, ...end };
  return { kind: 'found', order, fills: [] };
}

/** The signer with the fault between it and the server. */
export function planted(port: SignerPort, fault: Planted | null, now: () => number): SignerPort {
  const sent = new Map<string, OrderIntent>();
  let reads = 0;
  const renamed = (fills: readonly VenueFill[]): VenueFill[] => {
    reads += 1;
    return fills.map((fill) => ({ ...fill, tradeId: `${fill.tradeId}-${reads}` }));
  };
  const bend = (ask: SignerAsk, reply: unknown): unknown => {
    const answer = reply as { kind?: string; fills?: VenueFill[]; value?: VenueFill[] };
    if (fault === 'unknown is rejected' && ask.act === 'place' && answer.kind === 'unknown')
      return { kind: 'rejected', code: 'no_answer', message: 'no answer' };
    if (fault === 'absence believed at once' && ask.act === 'look_up') {
      const intent = sent.get(ask.order.clientOrderId ?? '');
      if (answer.kind === 'not_found' && intent !== undefined) return endedUnfilled(intent, now());
    }
    if (fault === 'fills not told apart') {
      if (ask.act === 'look_up' && answer.kind === 'found')
        return { ...answer, fills: renamed(answer.fills ?? []) };
      if (ask.act === 'trades' && answer.kind === 'read')
        return { ...answer, value: renamed(answer.value ?? []) };
    }
    return reply;
  };
  return {
    ask: async (ask) => {
      const asked: SignerAsk = ask;
      if (asked.act === 'place') sent.set(asked.intent.clientOrderId, asked.intent);
      return bend(ask, await port.ask(ask)) as never;
    },
  };
}
