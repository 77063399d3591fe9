/** What a queue takes for a command: exactly what the schemas of its parts allow. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { AlertSeen, AlertTerms } from '../../../contract/alerts.ts';
import { Tested } from '../../../contract/backtest-record.ts';
import { alertSeen, alertTerms, tested } from '../../../src/offline/entry-parts.ts';
import { outboxEntry, type OutboxEntry } from '../../../src/offline/outbox-entry.ts';
import { judgedAlike } from '../../support/judged-alike.ts';
import { entryOf, setAlert, start, startAll, stop, stopAll, T0 } from './samples.ts';

const HASH = '0123456789abcdef'.repeat(4);
const TEST = {
  settings: HASH,
  data: HASH,
  engine: '',
  from: 1,
  to: 2,
  trades: 3,
  totalReturn: -0.5,
  daily: [0.1, -99],
  slippageBps: null,
};
const TERMS = { symbol: 'BTC/USDT', repeatMinutes: 15, note: 'a note', active: true };
const MOVE = { kind: 'move', direction: 'either', bps: 50, windowMinutes: 60 };

const Intent = z.enum(['start', 'stop', 'start-all', 'stop-all', 'set-alert', 'delete-alert']);
/** The form of a queued command in the language of schemas. */
const Entry = z
  .object({
    version: z.union([z.literal(1), z.literal(2)]),
    commandId: z.uuid(),
    uid: z.string().check(z.minLength(1)),
    intent: Intent,
    agentId: z.nullable(z.string()),
    agentName: z.string(),
    agents: z.array(z.object({ id: z.string(), seenGeneration: z.optional(z.int()) })),
    seenGeneration: z.nullable(z.int()),
    sequence: z.int(),
    createdAt: z.number(),
    clockOffsetMs: z.nullable(z.number()),
    clockMoved: z.boolean(),
    contractVersion: z.int(),
    attempts: z.int(),
    failures: z.int(),
    nextAttemptAt: z.nullable(z.number()),
    state: z.enum(['saved', 'sending', 'needs-you', 'failed', 'lapsed', 'cancelled', 'accepted']),
    reason: z.nullable(z.object({ code: z.string(), message: z.string(), at: z.number() })),
    confirmed: z.boolean(),
    seen: z.optional(
      z.object({
        prices: z.array(z.object({ pair: z.string(), price: z.string(), at: z.number() })),
        agents: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            status: z.string(),
            version: z.number(),
            generation: z.number(),
          }),
        ),
      }),
    ),
    tested: z.optional(Tested),
    results: z.optional(
      z.array(
        z.object({ agentId: z.string(), name: z.string(), went: z.boolean(), message: z.string() }),
      ),
    ),
    alert: z.optional(
      z.object({
        id: z.uuid(),
        terms: z.nullable(AlertTerms),
        seenVersion: z.nullable(z.int()),
        seen: z.nullable(AlertSeen),
      }),
    ),
    withdrawn: z.optional(z.array(z.unknown())),
  })
  .check(
    z.refine(({ version, alert, intent }) => {
      const isAlert = intent === 'set-alert' || intent === 'delete-alert';
      return isAlert === (alert !== undefined) && isAlert === (version === 2);
    }),
  );

const FULL: OutboxEntry[] = [
  entryOf(start('x'), {
    tested: TEST,
    seen: {
      prices: [{ pair: 'BTC/USDT', price: '1', at: T0 }],
      agents: [{ id: 'x', name: 'X', status: 'stopped', version: 1, generation: 2 }],
    },
    reason: { code: 'start_stale', message: 'late', at: T0 },
    nextAttemptAt: T0,
  }),
  entryOf(stop('x'), { withdrawn: [{ any: 'thing' }, 7], clockOffsetMs: -5 }),
  entryOf(startAll('x', 'y'), {
    state: 'failed',
    results: [{ agentId: 'x', name: 'X', went: false, message: 'no' }],
  }),
  entryOf(stopAll('x')),
  entryOf(setAlert(1, '10.5', 3)),
];

describe('the form of a command', () => {
  it.each(FULL.map((entry) => [entry.intent, entry] as const))(
    'is the same for a reader and for a schema: %s',
    (_intent, entry) => {
      expect(judgedAlike(outboxEntry, Entry, entry)).toEqual({ taken: true, unlike: [] });
    },
  );

  it('takes the terms of an alert as the contract does', () => {
    for (const condition of [{ kind: 'above', price: '1.5' }, { kind: 'below', price: '2' }, MOVE])
      expect(judgedAlike(alertTerms, AlertTerms, { ...TERMS, condition })).toEqual({
        taken: true,
        unlike: [],
      });
    expect(judgedAlike(alertSeen, AlertSeen, { price: '1.5', at: T0 })).toEqual({
      taken: true,
      unlike: [],
    });
  });

  it('takes a backtest as the contract does', () => {
    for (const engine of ['', HASH])
      expect(judgedAlike(tested, Tested, { ...TEST, engine })).toEqual({ taken: true, unlike: [] });
  });
});
