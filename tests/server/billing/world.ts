/**
 * A small server world for billing and user tests: a real database in memory, a clock that is moved
 * by hand.
 */
import { randomUUID } from 'node:crypto';
import { CALLS, type CallBody, type CallName, type CallReply } from '../../../contract/calls.ts';
import type { WallClock } from '../../../server/clock.ts';
import type { Database } from '../../../server/db/database.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { EventNotifier, EventLog } from '../../../server/db/user-events.ts';
import { events } from '../../../server/db/schema.ts';
import type { Handler, Handlers } from '../../../server/http/handlers.ts';
import { requestHash, runOnce } from '../../../server/http/command-receipts.ts';
import type { Log } from '../../../server/log.ts';
import type { Market } from '../../../server/market/market-source.ts';
import { ensureUser } from '../../../server/users/ensure-user.ts';

export const START = Date.UTC(2026, 0, 5, 12);
export const ORIGIN = 'https://trade.example.com';
export const SOURCE = {
  id: 'simulated',
  kind: 'simulated' as const,
  label: 'Simulated prices',
  quote: 'USDT',
};

export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface World {
  database: Database;
  clock: WallClock & { at: number };
  events: EventLog;
  market: Market;
  /** Makes a person and returns their uid. */
  person(email?: string | null): Promise<string>;
  /** The types of a person's events so far, in order. */
  eventTypes(uid: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const database = await openEmptyDatabase();
  const clock = { at: START, now: () => clock.at };
  const log = new EventLog(new EventNotifier(), clock);
  // Only the source and the market's clock are read by billing and user; anything else would be a
  // fault.
  const market = { source: SOURCE, now: () => clock.at } as unknown as Market;
  return {
    database,
    clock,
    events: log,
    market,
    async person(email = 'nobody@example.com') {
      const uid = randomUUID();
      await database.transaction((tx) => ensureUser(tx, { uid, email }, clock));
      return uid;
    },
    async eventTypes(uid) {
      const rows = await database.db.select().from(events).orderBy(events.sequence);
      return rows
        .filter((row) => row.uid === uid)
        .map((row) => (row.payload as { type: string }).type);
    },
    close: () => database.close(),
  };
}

/** Calls a handler as HTTP does: body parsed by the contract, a mutation run once for its key. */
export function caller(world: World, handlers: Partial<Handlers>) {
  return async <N extends CallName>(
    uid: string,
    name: N,
    body?: CallBody<N>,
    commandId: string = randomUUID(),
    query: Record<string, string> = {},
  ): Promise<CallReply<N>> => {
    const handler = handlers[name] as Handler<N>;
    const definition = CALLS[name];
    const parsed = definition.body.parse(body ?? {}) as never;
    return handler({
      caller: { uid, email: 'nobody@example.com' },
      ip: '203.0.113.7',
      commandId: definition.method === 'GET' ? '' : commandId,
      params: {} as never,
      query: definition.query.parse(query) as never,
      body: parsed,
      once: (effect) =>
        runOnce(
          world.database,
          world.clock,
          { uid, commandId, bodyHash: requestHash(name, {}, parsed) },
          (reply) => definition.reply.parse(reply) as never,
          effect as never,
        ),
    });
  };
}
