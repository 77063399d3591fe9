/**
 * One worker of the bench, told by its parent when a candle closes: the real scheduler on the real
 * database.
 */
import { DatabaseEntitlement } from '../../server/billing/entitlement.ts';
import { Scheduler } from '../../server/agents/scheduler.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { EventNotifier, EventLog } from '../../server/db/user-events.ts';
import { ReplayFeed } from '../../server/market/replay-feed.ts';
import { FeedMarket } from '../../server/market/running-market.ts';
import { FIRST_TICK, madeTape, STEP_MS } from './tick-world.ts';

export type ToWorker = { tick: number } | { end: true };
export interface FromWorker {
  agents: number;
  trades: number;
  faults: number;
  cpuSeconds: number;
  errors: string[];
}

const [url = '', ticks = '4', batch = '250'] = process.argv.slice(2);
const errors: string[] = [];
const quiet = (): void => undefined;
const log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (fields: Record<string, unknown>, message: string) => {
    errors.push(`${message} ${JSON.stringify(fields)}`);
  },
};
const clock = { now: () => Date.now() };
const database = await openPostgres(url, { poolMax: 4, log });
const feed = new ReplayFeed({
  folder: 'bench',
  tape: madeTape(Number(ticks)),
  speed: 1,
  startAt: FIRST_TICK - STEP_MS,
  log,
  // Each worker is moved by the parent, none by another.
  clockStore: { load: async () => null, save: async (_id, ms) => ms },
});
const market = new FeedMarket(feed, log);
await feed.open((tick) => {
  market.offer(tick);
});
const events = new EventLog(new EventNotifier(), clock, database.pubsub);
const scheduler = new Scheduler(
  { database, market, events, clock, log, entitlement: new DatabaseEntitlement(database, clock) },
  Number(batch),
);
await scheduler.open();

async function run(tick: number): Promise<FromWorker> {
  // The hour's candles are taken up before the close, as a market that lives does.
  await feed.advance(FIRST_TICK + tick * STEP_MS + 2 - feed.now());
  const before = process.cpuUsage();
  const { agents, trades, faults } = await scheduler.runOnce();
  const used = process.cpuUsage(before);
  return { agents, trades, faults, cpuSeconds: (used.user + used.system) / 1e6, errors };
}

process.on('message', (message: ToWorker) => {
  if ('end' in message) {
    void scheduler
      .stop()
      .then(() => database.close())
      .then(() => {
        process.exit(0);
      });
    return;
  }
  run(message.tick).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      process.send?.({ agents: 0, trades: 0, faults: 0, cpuSeconds: 0, errors: [String(error)] });
    },
  );
});
process.send?.('ready');
