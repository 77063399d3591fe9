/** The parts that reads go through: what is known of people, and the queue for what is not. */
import { DAY_MS } from '../../engine/execution/schedule.ts';
import type { Config } from '../config.ts';
import { PersonVersions } from '../db/person-versions.ts';
import { sharedOf } from '../db/lanes.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { KnownFacts, type Turn } from './known-facts.ts';
import { ReadQueue } from './read-queue.ts';
import type { ReadingDeps } from './reading.ts';

/** About two seconds of work: longer nobody should wait for an answer. */
const READS_WAITING = 96;
/** A page asks for eight things when it opens; some have two open. */
const READS_WAITING_EACH = 16;
/** A page gives up soon after, and asks again in a moment where it is told to. */
const READS_WAIT_MOST_MS = 8_000;

type ReadsConfig = Pick<Config, 'databasePoolMax' | 'readsAtOnce'>;

export interface Reads {
  deps: ReadingDeps;
  queue: ReadQueue;
}

/**
 * PGlite does one thing at a time; of PostgreSQL's connections some are left to everything else, of
 * those that it shares with reads too.
 */
const atOnceOf = (
  { readsAtOnce, databasePoolMax }: ReadsConfig,
  kind: 'pglite' | 'postgres',
): number =>
  kind === 'pglite'
    ? 1
    : Math.max(
        1,
        Math.min(readsAtOnce, Math.floor(databasePoolMax / 2), sharedOf(databasePoolMax) - 1),
      );

/** `forReads`: the same parts on the lane of reads; versions are read ahead of them. */
export function openReads(
  config: ReadsConfig,
  { database, market, clock }: TradingDeps,
  forReads: TradingDeps,
): Reads {
  const queue = new ReadQueue({
    atOnce: atOnceOf(config, database.kind),
    waiting: READS_WAITING,
    waitingEach: READS_WAITING_EACH,
    waitMostMs: READS_WAIT_MOST_MS,
  });
  const turn: Turn = (uid, work) => queue.run(uid, work);
  const known = new KnownFacts({
    turn,
    versions: new PersonVersions(database, market.source.id),
    clock,
    day: () => Math.floor(market.now() / DAY_MS),
  });
  return { queue, deps: { ...forReads, known, turn } };
}
