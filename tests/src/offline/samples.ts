/** Requests, entries and server replies for the offline tests. */
import type { SubscriptionStatusReply } from '../../../contract/subscription.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import type { OutboxEntry, CommandRequest } from '../../../src/offline/outbox-entry.ts';
import { coalesce, type Stamp } from '../../../src/offline/queue-rules.ts';

export const T0 = 1_790_000_000_000;
let ids = 0;
export const newId = (): string => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;

export const start = (agentId: string, seenGeneration = 1): CommandRequest => ({
  intent: 'start',
  agentId,
  agentName: agentId,
  agents: [],
  seenGeneration,
  confirmed: false,
});
export const stop = (agentId: string, seenGeneration = 1): CommandRequest => ({
  ...start(agentId, seenGeneration),
  intent: 'stop',
});
export const startAll = (...agents: string[]): CommandRequest => ({
  intent: 'start-all',
  agentId: null,
  agentName: '',
  agents: agents.map((id) => ({ id, seenGeneration: 1 })),
  seenGeneration: null,
  confirmed: false,
});
export const stopAll = (...agents: string[]): CommandRequest => ({
  ...startAll(...agents),
  intent: 'stop-all',
});

export const stamp = (now = T0): Stamp => ({
  uid: 'ada',
  commandId: newId(),
  now,
  clockOffsetMs: null,
  clockMoved: false,
});

/** Presses one after the other. */
export function press(entries: OutboxEntry[], ...requests: CommandRequest[]): OutboxEntry[] {
  return requests.reduce(
    (queue, request) => coalesce(queue, request, stamp(), newId).entries,
    entries,
  );
}
export const said = (entries: readonly OutboxEntry[]): string[] =>
  entries.map((entry) =>
    `${entry.intent} ${entry.agentId ?? entry.agents.map((agent) => agent.id).join('+')}`.trim(),
  );

export function entryOf(request: CommandRequest, change: Partial<OutboxEntry> = {}): OutboxEntry {
  const { entry } = coalesce([], request, stamp(), newId);
  if (entry === null) throw new Error('an empty queue takes anything');
  return { ...entry, ...change };
}

export const portfolio = (servedAt: number, cash = '10000'): Portfolio => ({
  accountId: 'a',
  book: 1,
  paper: true,
  sourceId: 'simulated',
  quote: 'USD',
  sequence: 1,
  asOf: T0,
  servedAt,
  cash,
  positionsValue: '0',
  equity: cash,
  deposits: '10000',
  realized: '0',
  unrealized: '0',
  fees: '0',
  dayChange: null,
  dayChangePercent: null,
  unpriced: [],
  positions: [],
  equityCurve: [[T0, cash]],
});
export const subscription: SubscriptionStatusReply = {
  subscription: null,
  entitledTier: 'free',
  servedAt: T0,
};

const ALERT_TERMS = { symbol: 'BTC/USDT', repeatMinutes: null, note: '', active: true } as const;
export const alertId = (place: number): string =>
  `00000000-0000-4000-9000-${String(place).padStart(12, '0')}`;
/** Alert number `place` above a price. */
export const setAlert = (
  place: number,
  price: string,
  seenVersion: number | null = null,
): CommandRequest => ({
  intent: 'set-alert',
  agentId: null,
  agentName: `Alert ${place}`,
  agents: [],
  seenGeneration: null,
  confirmed: false,
  alert: {
    id: alertId(place),
    terms: { ...ALERT_TERMS, condition: { kind: 'above', price } },
    seenVersion,
    seen: null,
  },
});
export const deleteAlert = (place: number, seenVersion: number | null = null): CommandRequest => ({
  ...setAlert(place, '1'),
  intent: 'delete-alert',
  alert: { id: alertId(place), terms: null, seenVersion, seen: null },
});
