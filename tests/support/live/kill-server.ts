/**
 * A server process for kill tests: the database on disk, the real signer behind its socket and all
 * of live trading, driven step by step by whoever started it.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { and, eq, isNull, notInArray } from 'drizzle-orm';
import type { LiveExchange } from '../../../contract/signer.ts';
import { DatabaseEntitlement } from '../../../server/billing/entitlement.ts';
import { systemClock } from '../../../server/clock.ts';
import { openPglite } from '../../../server/db/pglite.ts';
import { positions } from '../../../server/db/schema.ts';
import { liveConnections, liveOrders } from '../../../server/db/schema-live.ts';
import { EventLog, EventNotifier } from '../../../server/db/user-events.ts';
import { closeLivePosition } from '../../../server/live/by-hand.ts';
import { connectExchange } from '../../../server/live/connect.ts';
import { openConnections, type ConnectionRow } from '../../../server/live/live-accounts.ts';
import type { LiveDeps } from '../../../server/live/live-deps.ts';
import { LiveDesk } from '../../../server/live/live-desk.ts';
import { SignerClient } from '../../../server/live/signer-client.ts';
import { ensureUser } from '../../../server/users/ensure-user.ts';
import { Journal, type JournalEntry } from '../exchange/journal.ts';
import { spokenMarket, type TapeMarket } from '../tape-market.ts';
import { decideTrade, heldBy } from './agent-decision.ts';
import { addLiveAgents } from './live-agents.ts';
import { isSettled, judge, type Case } from './live-judge.ts';

export type Told =
  | { act: 'connect'; key: { apiKey: string; secret: string }; agentIds: string[] }
  | { act: 'look' }
  | { act: 'price'; symbol: string; price: number }
  | { act: 'decide'; agentId: string; symbol: string; budget: number; tickId: string }
  | { act: 'close'; agentId: string; symbol: string }
  | { act: 'settled' | 'judge'; account: string; entries: readonly JournalEntry[] };

const PERSON = 'person';

interface Parts {
  deps: LiveDeps;
  market: TapeMarket;
  desk: LiveDesk;
  exchange: LiveExchange;
}

async function open(env: NodeJS.ProcessEnv): Promise<Parts> {
  const { DATA_DIR = '', SIGNER_DIR = '', EXCHANGE = 'kraken', SYMBOLS = '' } = env;
  const symbols = SYMBOLS.split(',');
  const market = spokenMarket(symbols, symbols[0]?.split('/')[1] ?? '');
  const database = await openPglite(DATA_DIR);
  const quiet = (): void => undefined;
  const deps: LiveDeps = {
    database,
    market,
    clock: systemClock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    events: new EventLog(new EventNotifier(), systemClock, null),
    signer: new SignerClient({ kind: 'unix', path: join(SIGNER_DIR, 'signer.sock') }),
  };
  return { deps, market, desk: new LiveDesk(deps), exchange: EXCHANGE as LiveExchange };
}

async function connect(
  { deps, exchange, market }: Parts,
  { key, agentIds }: Extract<Told, { act: 'connect' }>,
): Promise<void> {
  await deps.database.transaction((tx) => ensureUser(tx, { uid: PERSON, email: null }, deps.clock));
  const { connection } = await connectExchange(deps, PERSON, randomUUID(), {
    exchange,
    label: 'Mine',
    key,
    limits: null,
    stepUpKeys: [],
  });
  if (connection === null) throw new Error('The key was not taken');
  // Rounds of a test come faster than a person would let orders out.
  await deps.database.db.update(liveConnections).set({ maxOrdersPerHour: 1_000 });
  const pairs = market.pairs().map(({ pair }) => pair);
  await addLiveAgents(deps.database.db, connection, { source: market.source, pairs }, agentIds);
}

async function connectionOf({ deps }: Parts): Promise<ConnectionRow> {
  const [connection] = await openConnections(deps.database.db);
  if (connection === undefined) throw new Error('There is no connection');
  return connection;
}

const liveOf = ({ desk }: Parts) => ({
  rules: (exchange: LiveExchange, symbol: string) => desk.rules(exchange, symbol),
  entriesOff: (id: string) => desk.entriesOff(id),
  isCompared: (id: string) => desk.isCompared(id),
  poke: (id: string) => {
    desk.poke(id);
  },
  ended: (id: string, agentId: string) => {
    desk.ended(id, agentId);
  },
});

/**
 * What was decided is decided once, unless it came to nothing; true when there is an order of it
 * that may have taken effect.
 */
async function decide(
  parts: Parts,
  { agentId, symbol, budget, tickId }: Extract<Told, { act: 'decide' }>,
): Promise<boolean> {
  const { db } = parts.deps.database;
  const made = and(
    eq(liveOrders.tickId, tickId),
    notInArray(liveOrders.state, ['rejected', 'expired']),
  );
  if ((await db.$count(liveOrders, made)) > 0) return true;
  if ((await heldBy(db, agentId, symbol)) !== null) return false;
  const { id: connectionId } = await connectionOf(parts);
  const decision = { connectionId, agentId, symbol, budget, tickId };
  await decideTrade(parts.deps, liveOf(parts), decision);
  return (await db.$count(liveOrders, made)) > 0;
}

async function close(
  parts: Parts,
  { agentId, symbol }: Extract<Told, { act: 'close' }>,
): Promise<void> {
  const { deps } = parts;
  const { database, clock } = deps;
  const [held] = await database.db
    .select()
    .from(positions)
    .where(
      and(
        eq(positions.agentId, agentId),
        eq(positions.pair, symbol),
        isNull(positions.closedMarketMs),
      ),
    );
  if (held === undefined) return;
  const entitlement = new DatabaseEntitlement(database, clock);
  await database.transaction((tx) =>
    closeLivePosition(tx, { ...deps, entitlement, live: liveOf(parts) }, PERSON, held.id),
  );
}

async function caseOf(
  parts: Parts,
  { account, entries }: Extract<Told, { act: 'settled' | 'judge' }>,
): Promise<Case> {
  const journal = new Journal(() => 0);
  for (const entry of entries) journal.write(entry);
  const decisions = new Map<string, string[]>();
  for (const { clientOrderId, tickId, side } of await parts.deps.database.db
    .select()
    .from(liveOrders))
    if (side === 'buy') decisions.set(tickId, [...(decisions.get(tickId) ?? []), clientOrderId]);
  const connection = await connectionOf(parts);
  return { db: parts.deps.database.db, journal, account, connection, decisions };
}

async function carryOut(parts: Parts, told: Told): Promise<unknown> {
  const { desk, market } = parts;
  switch (told.act) {
    case 'connect':
      return connect(parts, told);
    case 'look':
      await desk.runAll();
      return desk.settled();
    case 'price': {
      const quote = market.say(told.symbol, told.price);
      return desk.run((await connectionOf(parts)).id)?.onQuote(quote);
    }
    case 'decide':
      return decide(parts, told);
    case 'close':
      return close(parts, told);
    case 'settled':
      return isSettled(await caseOf(parts, told));
    case 'judge': {
      const one = await caseOf(parts, told);
      const rows = await one.db.select().from(liveOrders);
      return { findings: await judge(one), rows };
    }
  }
}

const parts = await open(process.env);
process.on('message', (told: Told) => {
  carryOut(parts, told).then(
    (value) => process.send?.({ value }),
    (error: unknown) =>
      process.send?.({ fault: error instanceof Error ? error.stack : String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
