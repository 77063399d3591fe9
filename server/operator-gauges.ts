/**
 * What `/metrics` says besides requests: prices, ticks, ledgers, heavy reads, live trading and how
 * busy this process is. Alert rules over it are in `deploy/prometheus/`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { and, count, eq, isNull, min, sql } from 'drizzle-orm';
import { lastTick } from './agents/tick-run.ts';
import type { WallClock } from './clock.ts';
import type { Database } from './db/database.ts';
import { liveConnections, liveMarks, liveOrders } from './db/schema-live.ts';
import type { Gauge } from './http/prometheus.ts';
import type { WatchedSigner } from './live/signer-clock.ts';
import type { RunningMarket } from './market/running-market.ts';
import { readLedgerHealth, type LedgerHealth } from './portfolio/ledger-check.ts';
import type { Reads } from './reads/open-reads.ts';

function marketGauges(market: RunningMarket): Gauge[] {
  return [
    {
      name: 'tradewind_prices_refused',
      help: 'Prices rejected since start.',
      labelNames: ['reason'],
      read: () =>
        Object.entries(market.refused()).map(([reason, value]) => ({
          labels: { reason },
          value,
        })),
    },
    {
      name: 'tradewind_market_time_seconds',
      help: 'The market clock.',
      read: () => [{ value: market.now() / 1_000 }],
    },
  ];
}

/**
 * Reads the database, because any server may have run the check. Without the database the other
 * gauges still answer.
 */
function ledgerGauges({ db }: Database): Gauge[] {
  const figure = (read: (health: LedgerHealth) => number | null) => async () => {
    const known = await readLedgerHealth(db).catch(() => null);
    const value = known === null ? null : read(known);
    return value === null ? [] : [{ value }];
  };
  return [
    {
      name: 'tradewind_books_in_doubt',
      help: 'Accounts whose ledger does not add up. Anything but 0 needs an operator.',
      read: figure(({ inDoubt }) => inDoubt),
    },
    {
      name: 'tradewind_books_checked_time_seconds',
      help: 'When the last check of all ledgers ended.',
      read: figure(({ finishedAt }) => (finishedAt === null ? null : finishedAt / 1_000)),
    },
  ];
}

function readGauges({ queue, deps }: Reads): Gauge[] {
  return [
    {
      name: 'tradewind_reads_waiting',
      help: 'Heavy reads that wait for their turn.',
      read: () => [{ value: queue.waiting }],
    },
    {
      name: 'tradewind_reads_refused',
      help: 'Heavy reads that found no place since start.',
      read: () => [{ value: queue.refused }],
    },
    {
      name: 'tradewind_known_facts_bytes',
      help: 'What is kept of people so as not to be read twice.',
      read: () => [{ value: deps.known.bytes }],
    },
  ];
}

/** Where the newest tick that has ended stands; far behind the market clock, nothing is traded. */
function tickGauges(database: Database, market: RunningMarket): Gauge[] {
  return [
    {
      name: 'tradewind_tick_time_seconds',
      help: 'Close of the newest tick that has ended, on the market clock.',
      async read() {
        const close = await lastTick(database, market).catch(() => null);
        return close === null ? [] : [{ value: close / 1_000 }];
      },
    },
  ];
}

interface LiveFigures {
  connections: number;
  held: number;
  /** Null where an open account was never compared with its exchange, or where there is none. */
  reconciledTo: number | null;
  unknown: number;
  unknownSince: number | null;
}

async function readLiveFigures({ db }: Database): Promise<LiveFigures> {
  const [accounts] = await db
    .select({
      connections: count(),
      held: sql<number>`(count(*) filter (where cardinality(coalesce(${liveMarks.gateReasons}, array['not_reconciled'])) > 0))::int`,
      reconciledTo: min(liveMarks.reconciledToMs),
    })
    .from(liveConnections)
    .leftJoin(liveMarks, eq(liveMarks.connectionId, liveConnections.id))
    .where(and(eq(liveConnections.state, 'open'), isNull(liveConnections.endedAt)));
  const [orders] = await db
    .select({
      unknown: count(),
      unknownSince: sql<number | null>`(min((${liveOrders.doubt} ->> 'sinceMs')::bigint))::float8`,
    })
    .from(liveOrders)
    .where(eq(liveOrders.state, 'unknown'));
  return {
    connections: accounts?.connections ?? 0,
    held: accounts?.held ?? 0,
    reconciledTo: accounts?.reconciledTo ?? null,
    unknown: orders?.unknown ?? 0,
    unknownSince: orders?.unknownSince ?? null,
  };
}

/** One reading for all figures of one scrape; any server may be asked, so it is the database's. */
function liveGauges(database: Database, clock: WallClock): Gauge[] {
  let reading: { at: number; figures: Promise<LiveFigures | null> } | null = null;
  const figures = (): Promise<LiveFigures | null> => {
    if (reading === null || clock.now() - reading.at > 1_000)
      reading = { at: clock.now(), figures: readLiveFigures(database).catch(() => null) };
    return reading.figures;
  };
  const gauge = (name: string, help: string, of: (known: LiveFigures) => number | null): Gauge => ({
    name,
    help,
    async read() {
      const known = await figures();
      const value = known === null ? null : of(known);
      return value === null ? [] : [{ value }];
    },
  });
  return [
    gauge(
      'tradewind_live_accounts',
      'Exchange accounts that are connected.',
      (known) => known.connections,
    ),
    gauge(
      'tradewind_live_accounts_held',
      'Connected accounts whose orders wait, because they do not agree with the exchange or cannot be read.',
      (known) => known.held,
    ),
    gauge(
      'tradewind_live_reconciled_time_seconds',
      'Up to when the account that is furthest behind agrees with its exchange.',
      ({ reconciledTo }) => (reconciledTo === null ? null : reconciledTo / 1_000),
    ),
    gauge(
      'tradewind_live_orders_unknown',
      'Orders at an exchange whose outcome is not known.',
      (known) => known.unknown,
    ),
    gauge(
      'tradewind_live_unknown_since_seconds',
      'Since when the oldest of them is unknown.',
      ({ unknownSince }) => (unknownSince === null ? null : unknownSince / 1_000),
    ),
  ];
}

type SignerFigures = Pick<WatchedSigner, 'secondsApart' | 'otherVersion'>;

/** As of the last time that this process asked the signer who it is: before an order, and each minute. */
function signerGauges(signer: SignerFigures | null): Gauge[] {
  return [
    {
      name: 'tradewind_signer_clock_apart_seconds',
      help: 'How far the clocks of server and signer are apart at least. Beyond 30 no order is signed.',
      read() {
        const value = signer?.secondsApart() ?? null;
        return value === null ? [] : [{ value }];
      },
    },
    {
      name: 'tradewind_signer_other_version',
      help: 'Whether the signer is of another version than this server. Then nothing is bought.',
      read: () => (signer === null ? [] : [{ value: signer.otherVersion() === null ? 0 : 1 }]),
    },
  ];
}

const LOOP_STEP_MS = 10;

/** How long work waited for this process's one thread, at worst since the last reading. */
function loopGauges(): Gauge[] {
  const delay = monitorEventLoopDelay({ resolution: LOOP_STEP_MS });
  delay.enable();
  return [
    {
      name: 'tradewind_event_loop_delay_seconds',
      help: 'The longest that anything waited for the event loop since the last reading.',
      read() {
        // Node records the time between two looks, of which one step is meant.
        const worst = delay.count === 0 ? 0 : Math.max(0, delay.max / 1e9 - LOOP_STEP_MS / 1e3);
        delay.reset();
        return [{ value: worst }];
      },
    },
  ];
}

export function operatorGauges(
  database: Database,
  market: RunningMarket,
  reads: Reads,
  clock: WallClock,
  signer: SignerFigures | null,
): Gauge[] {
  return [
    ...marketGauges(market),
    ...tickGauges(database, market),
    ...ledgerGauges(database),
    ...readGauges(reads),
    ...liveGauges(database, clock),
    ...signerGauges(signer),
    ...loopGauges(),
  ];
}
