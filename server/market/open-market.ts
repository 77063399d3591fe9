/** Opens the market that this installation is configured for. */
import type { ExchangeId } from '../../contract/exchanges.ts';
import { LONGEST_WARM_UP_MS } from '../../engine/signals/compute-signals.ts';
import { systemClock, type WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { ExchangeFeed } from './exchange-feed.ts';
import { EXCHANGE_VENUES } from './exchange-venues.ts';
import type { MarketFeed } from './feed.ts';
import {
  nameOf,
  parseSource,
  rememberedSource,
  rememberSource,
  type SourceChoice,
} from './market-choice.ts';
import { ReplayFeed, type ClockStore } from './replay-feed.ts';
import { readTape, type Tape } from './replay-tape.ts';
import { FeedMarket, type RunningMarket } from './running-market.ts';
import { SimulatedFeed } from './simulated-feed.ts';

export type { RunningMarket } from './running-market.ts';
export type { ClockStore } from './replay-feed.ts';

export interface OpenMarketOptions {
  /** `MARKET_SOURCE`, null when unset. */
  source: string | null;
  /** Where the choice is kept. */
  dataDir: string;
  /**
   * For a process beside the server: it takes the named or the kept source, makes no choice and
   * keeps none.
   */
  follows?: boolean;
  /** Market seconds a real second, for a replay. */
  replaySpeed: number;
  /**
   * `REPLAY_START`: a UTC date, or null for the first candle plus the longest warm-up. A stored
   * clock wins over it.
   */
  replayStart: string | null;
  clockStore: ClockStore;
  log: Log;
  /** Seed of the simulated market. */
  seed?: number;
  /** Stands in for the exchange's own address. */
  exchangeBaseUrl?: string;
  clock?: WallClock;
}

const DEFAULT_SEED = 20_240_101;
/** The first start waits no longer than this to learn whether the exchange answers. */
const PROBE_MS = 3_500;

/** The market, not yet started. The first choice is kept in `dataDir` and changes only by name. */
export async function openMarket(options: OpenMarketOptions): Promise<RunningMarket> {
  const choice = await choose(options);
  const feed = await feedOf(choice, options);
  options.log.info({ source: feed.id, label: feed.label }, 'Prices');
  return new FeedMarket(feed, options.log);
}

async function choose(options: OpenMarketOptions): Promise<SourceChoice> {
  const { dataDir, log } = options;
  if (options.follows === true) return follow(options);
  if (options.source !== null && options.source.trim() !== '') {
    const named = parseSource(options.source);
    // A name that is wrong must not hide behind a broken memory of an older one, nor the other way
    // round.
    const kept = await rememberedSource(dataDir).catch(() => null);
    if (kept === null || nameOf(kept) !== nameOf(named)) {
      if (kept !== null)
        log.info(
          { from: nameOf(kept), to: nameOf(named) },
          'The price source was changed by MARKET_SOURCE',
        );
      await rememberSource(dataDir, named);
    }
    return named;
  }
  const kept = await rememberedSource(dataDir);
  if (kept !== null) return kept;
  const first: ExchangeId = 'coinbaseexchange';
  const reached = await answers(
    (options.exchangeBaseUrl ?? EXCHANGE_VENUES[first].priceOrigin) +
      EXCHANGE_VENUES[first].probePath,
  );
  const choice: SourceChoice = reached ? { kind: 'exchange', id: first } : { kind: 'simulated' };
  await rememberSource(dataDir, choice);
  log.info(
    { source: nameOf(choice) },
    reached
      ? `${EXCHANGE_VENUES[first].label} responds: using its prices from now on`
      : `${EXCHANGE_VENUES[first].label} does not respond: using simulated prices from now on; choose another source with MARKET_SOURCE`,
  );
  return choice;
}

/**
 * @throws Error where neither a name nor a server's choice in the folder says which source it is.
 */
async function follow({ source, dataDir }: OpenMarketOptions): Promise<SourceChoice> {
  if (source !== null && source.trim() !== '') return parseSource(source);
  const kept = await rememberedSource(dataDir);
  if (kept === null)
    throw new Error(
      `Set MARKET_SOURCE to the source of the server, or DATA_DIR to its folder (nothing is kept in ${dataDir})`,
    );
  return kept;
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, {
      signal: AbortSignal.timeout(PROBE_MS),
      headers: { 'user-agent': 'tradewind' },
    });
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}

async function feedOf(choice: SourceChoice, options: OpenMarketOptions): Promise<MarketFeed> {
  const { log, clockStore } = options;
  const clock = options.clock ?? systemClock;
  if (choice.kind === 'simulated') return new SimulatedFeed(options.seed ?? DEFAULT_SEED, clock);
  if (choice.kind === 'exchange')
    return new ExchangeFeed({
      venue: EXCHANGE_VENUES[choice.id],
      baseUrl: options.exchangeBaseUrl ?? null,
      clock,
      log,
    });
  if (!(options.replaySpeed > 0)) throw new Error('REPLAY_SPEED must be more than 0');
  const tape = await readTape(choice.folder);
  if (tape.skipped > 0)
    log.warn(
      { folder: choice.folder, rows: tape.skipped },
      'Rows of the recording that are not valid candles were skipped',
    );
  return new ReplayFeed({
    folder: choice.folder,
    tape,
    speed: options.replaySpeed,
    startAt: replayStart(options.replayStart, tape),
    clockStore,
    log,
  });
}

/**
 * Where a tape begins: at the named date, else after the longest warm-up a strategy needs. A tape
 * too short for that begins in its middle, half history and half to come.
 * @throws Error when the date is no date or outside the tape.
 */
export function replayStart(named: string | null, tape: Pick<Tape, 'first' | 'end'>): number {
  if (named === null || named.trim() === '') {
    const warm = tape.first + LONGEST_WARM_UP_MS;
    return warm < tape.end ? warm : alignedMiddle(tape);
  }
  const at = Date.parse(
    /^\d{4}-\d{2}-\d{2}$/.test(named.trim()) ? `${named.trim()}T00:00:00Z` : named.trim(),
  );
  if (Number.isNaN(at))
    throw new Error(`REPLAY_START "${named.slice(0, 40)}" is not a UTC date such as 2022-03-01`);
  if (at < tape.first || at >= tape.end) {
    throw new Error(
      `REPLAY_START ${new Date(at).toISOString()} is outside the recording (${new Date(tape.first).toISOString()} to ${new Date(tape.end).toISOString()})`,
    );
  }
  return at;
}

const HOUR = 3_600_000;
const alignedMiddle = (tape: Pick<Tape, 'first' | 'end'>): number =>
  Math.max(tape.first, Math.floor((tape.first + tape.end) / 2 / HOUR) * HOUR);
