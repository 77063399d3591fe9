/**
 * One process of the stop-loss bench: the scheduler of this checkout or of another one, told by its
 * parent when the price falls.
 */
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type * as Scheduling from '../../server/agents/scheduler.ts';
import type * as Entitlement from '../../server/billing/entitlement.ts';
import type { Database } from '../../server/db/database.ts';
import type * as Pglite from '../../server/db/pglite.ts';
import type * as Postgres from '../../server/db/postgres.ts';
import type * as Events from '../../server/db/user-events.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import type * as Tape from '../support/tape-market.ts';
import { HELD, layHolders, salesOf } from './stop-world.ts';
import { SOURCE } from './tick-world.ts';

export interface StopTask {
  /** Folder of the checkout whose server is run. */
  base: string;
  /** Null: PGlite in memory. */
  url: string | null;
  holders: number;
  running: number;
  /** Whether this process lays the world. */
  lays: boolean;
}

export type ToStopWorker = { step: 'tick' | 'crash' | 'judge' | 'end' };
export interface FromStopWorker {
  seconds: number;
  /** Of it, until every agent that was due had been run; null without a tick. */
  tickSeconds: number;
  ran: number;
  left: number;
  cpuSeconds: number;
  sales: number;
  digest: string;
  problems: string[];
}

const task = JSON.parse(process.argv[2] ?? '{}') as StopTask;
/** The same names as here, from the other checkout. */
const load = async <T>(path: string): Promise<T> =>
  (await import(pathToFileURL(join(task.base, path)).href)) as T;
const { DatabaseEntitlement } = await load<typeof Entitlement>('server/billing/entitlement.ts');
const { Scheduler } = await load<typeof Scheduling>('server/agents/scheduler.ts');
const { openPostgres } = await load<typeof Postgres>('server/db/postgres.ts');
const { openPglite } = await load<typeof Pglite>('server/db/pglite.ts');
const { EventNotifier, EventLog } = await load<typeof Events>('server/db/user-events.ts');
const { TapeMarket } = await load<typeof Tape>('tests/support/tape-market.ts');

const problems: string[] = [];
const quiet = (): void => undefined;
const log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (fields: Record<string, unknown>, message: string) => {
    problems.push(`${message} ${JSON.stringify(fields)}`);
  },
};
const clock = { now: () => Date.now() };
const database: Database =
  task.url === null ? await openPglite(null) : await openPostgres(task.url, { poolMax: 10, log });
const market = new TapeMarket({ warmUpDays: 46, candles: 20, sourceId: SOURCE });
if (task.lays) await layHolders(database, market, task.holders, task.running);
const events = new EventLog(new EventNotifier(), clock, database.pubsub);
const scheduler = new Scheduler({
  database,
  market,
  events,
  clock,
  log,
  entitlement: new DatabaseEntitlement(database, clock),
});
let opened = false;

/** One close; and with it, where `falls`, a price far under every stop. */
async function run(falls: boolean): Promise<FromStopWorker> {
  if (!opened) {
    opened = true;
    await scheduler.open();
  }
  const cpu = process.cpuUsage();
  const price = Number(market.quote(HELD)?.last ?? 0n) / 1e12;
  market.step();
  const began = performance.now();
  if (falls) market.say(HELD, price * 0.8);
  const { agents, late } = await scheduler.runOnce();
  const tickSeconds = (performance.now() - began) / 1_000;
  await scheduler.settled();
  const used = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - began) / 1_000,
    tickSeconds,
    ran: agents,
    left: late,
    cpuSeconds: (used.user + used.system) / 1e6,
    sales: 0,
    digest: '',
    problems,
  };
}

async function judge(): Promise<Partial<FromStopWorker>> {
  const sales = await salesOf(database);
  return {
    sales: sales.length,
    digest: createHash('sha256').update(sales.join('\n')).digest('hex'),
    problems: [...problems, ...(await checkLedger(database.db)).problems.map(String)],
  };
}

process.on('message', ({ step }: ToStopWorker) => {
  if (step === 'end') {
    void scheduler
      .stop()
      .then(() => database.close())
      .then(() => process.exit(0));
    return;
  }
  (step === 'judge' ? judge() : run(step === 'crash')).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      process.send?.({ problems: [String(error)] });
    },
  );
});
process.send?.('ready');
