/**
 * Live trading in this process: every open connection at work, the exchanges' rules, and what
 * deciding transactions need of them.
 */
import type { LiveExchange } from '../../contract/signer.ts';
import { parseFixed, ZERO } from '../../contract/money.ts';
import type { PairRules } from '../../contract/venue.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { SignerAddress } from '../config.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { takeBackBroken } from './connect.ts';
import { hasPassed } from './elapsed.ts';
import { openConnections } from './live-accounts.ts';
import type { BookDeps, LiveDeps, LivePort, SignerPort } from './live-deps.ts';
import { LiveRun, NOT_COMPARED } from './live-run.ts';
import { SignerClient } from './signer-client.ts';

const TICK_MS = 1_000;
/** How soon a connection that another process made is taken up. */
const LIST_KEPT_MS = 5_000;
/** How long a process that ends waits for answers. What has none by then is looked up by the next. */
const STOP_PATIENCE_MS = 5_000;
const RULES_KEPT_MS = 10 * 60_000;
/** How long accounts that begin wait for the rules of their exchange: lists are asked for by them. */
const RULES_PATIENCE_MS = 10_000;
const SMALLEST = parseFixed('0.000000000001');

interface KnownRules {
  readAtMs: number;
  bySymbol: ReadonlyMap<string, PairRules>;
}

interface Reading {
  sinceMs: number;
  done: Promise<void>;
}

export class LiveDesk implements LivePort {
  private readonly runs = new Map<string, LiveRun>();
  private readonly known = new Map<LiveExchange, KnownRules>();
  /** Rules that are being read now, each beside everything else. */
  private readonly reading = new Map<LiveExchange, Reading>();
  /** Exchanges whose rules were answered for once, whatever the answer. */
  private readonly answered = new Set<LiveExchange>();
  /** Connectings that broke off, while they are taken back. */
  private takingBack: Promise<void> | null = null;
  private readonly task: PeriodicTask;
  private unsubscribe: (() => void) | null = null;
  private listedAtMs: number | null = null;
  private isStopping = false;
  private readonly under = new Set<Promise<void>>();

  constructor(private readonly deps: LiveDeps) {
    this.task = new PeriodicTask(
      () => this.beginAll(),
      TICK_MS,
      deps.log,
      'live accounts could not be looked after',
    );
  }

  start(): void {
    this.unsubscribe = this.deps.market.onQuote((quote) => {
      this.onQuote(quote);
    });
    this.task.start();
  }

  /** Begins nothing more, and waits a little for what is out. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.unsubscribe?.();
    const runs = [...this.runs.values()].map((run) => run.stop());
    const all = Promise.all([this.task.stop(), this.settled(), ...runs]);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_PATIENCE_MS);
    });
    await Promise.race([all, patience]).finally(() => {
      clearTimeout(timer);
    });
  }

  /** Waits for what was set off besides the regular runs. */
  async settled(): Promise<void> {
    while (this.under.size > 0) await Promise.all(this.under);
  }

  rules(exchange: LiveExchange, symbol: string): PairRules | null {
    const known = this.known.get(exchange);
    return known === undefined ? null : (known.bySymbol.get(symbol) ?? delisted(symbol));
  }

  /** Read again at the next look; until then those that are known count. */
  rulesMayHaveChanged(exchange: LiveExchange): void {
    const known = this.known.get(exchange);
    if (known === undefined) return;
    this.known.set(exchange, { ...known, readAtMs: Number.NEGATIVE_INFINITY });
    this.listedAtMs = null;
  }

  entriesOff(connectionId: string): string | null {
    const run = this.runs.get(connectionId);
    return run === undefined ? NOT_COMPARED : run.entriesOff;
  }

  ended(connectionId: string, agentId: string): void {
    this.runs.get(connectionId)?.ended.note(agentId);
  }

  poke(connectionId: string): void {
    const run = this.runs.get(connectionId);
    if (run === undefined) this.listedAtMs = null;
    else this.keep(run.run());
  }

  run(connectionId: string): LiveRun | null {
    return this.runs.get(connectionId) ?? null;
  }

  /** Every connection once, to the end: reconciles where that is due, sends, looks up. */
  async runAll(): Promise<void> {
    await this.list();
    await Promise.all([this.takingBack, ...[...this.reading.values()].map(({ done }) => done)]);
    // Those that waited for the rules of their exchange.
    await this.list();
    await Promise.all([...this.runs].map(([id, run]) => this.guarded(id, run.run())));
  }

  /** Waits for none of them: one that takes long holds up no other. */
  private async beginAll(): Promise<void> {
    await this.list();
    if (this.isStopping) return;
    for (const [id, run] of this.runs) this.keep(this.guarded(id, run.runRegularly()));
  }

  /** Asks nobody outside: what one exchange does not answer holds up no account of another. */
  private async list(): Promise<void> {
    const now = this.deps.clock.now();
    if (this.listedAtMs !== null && !hasPassed(this.listedAtMs, LIST_KEPT_MS, now)) return;
    this.listedAtMs = now;
    this.takeBack();
    const connections = await openConnections(this.deps.database.db);
    const open = new Set(connections.map(({ id }) => id));
    for (const id of this.runs.keys()) if (!open.has(id)) this.runs.delete(id);
    for (const exchange of new Set(connections.map((one) => one.exchange)))
      this.readRules(exchange);
    for (const connection of connections) {
      const known = this.runs.get(connection.id);
      known?.refresh(connection);
      if (known === undefined && !this.awaitsRules(connection.exchange))
        this.runs.set(connection.id, new LiveRun(this.deps, this, connection));
    }
  }

  private takeBack(): void {
    if (this.takingBack !== null) return;
    this.takingBack = takeBackBroken(this.deps).finally(() => {
      this.takingBack = null;
    });
    this.keep(this.takingBack);
  }

  /** Whether the first rules of the exchange may still come soon. */
  private awaitsRules(exchange: LiveExchange): boolean {
    const reading = this.reading.get(exchange);
    if (reading === undefined || this.answered.has(exchange)) return false;
    return !hasPassed(reading.sinceMs, RULES_PATIENCE_MS, this.deps.clock.now());
  }

  private onQuote(quote: Quote): void {
    for (const [id, run] of this.runs)
      if (run.watched.some(({ symbol }) => symbol === quote.pair))
        this.keep(this.guarded(id, run.onQuote(quote)));
  }

  private keep(work: Promise<void>): void {
    const kept = work
      .catch((error: unknown) => {
        this.deps.log.warn({ reason: String(error) }, 'live orders could not be run');
      })
      .finally(() => {
        this.under.delete(kept);
      });
    this.under.add(kept);
  }

  /** One that fails closes its own gate and holds up no other. */
  private async guarded(connectionId: string, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.runs.get(connectionId)?.close();
      this.deps.log.warn(
        { connection: connectionId, reason: String(error) },
        'A live account could not be run; nothing is sent until it is compared again',
      );
    }
  }

  /** Unless they are known well enough, or are being read. */
  private readRules(exchange: LiveExchange): void {
    const now = this.deps.clock.now();
    const known = this.known.get(exchange);
    if (known !== undefined && !hasPassed(known.readAtMs, RULES_KEPT_MS, now)) return;
    if (this.reading.has(exchange)) return;
    const done = this.readRulesNow(exchange).finally(() => {
      this.reading.delete(exchange);
      // Accounts that have waited for them begin at the next look.
      if (!this.answered.has(exchange)) this.listedAtMs = null;
      this.answered.add(exchange);
    });
    this.reading.set(exchange, { sinceMs: now, done });
    this.keep(done);
  }

  private async readRulesNow(exchange: LiveExchange): Promise<void> {
    const begunAtMs = this.deps.clock.now();
    const atStart = this.known.get(exchange);
    const read = await this.deps.signer
      .ask({ act: 'pair_rules', exchange, symbols: [] })
      .catch(() => null);
    if (read?.kind !== 'read') return;
    const before = this.known.get(exchange);
    const bySymbol = new Map(read.value.map((rules) => [rules.symbol, rules]));
    // Doubted meanwhile, they may be from before the change: they are read once more.
    const readAtMs = before === atStart ? begunAtMs : Number.NEGATIVE_INFINITY;
    this.known.set(exchange, { readAtMs, bySymbol });
    const changed = before === undefined ? [] : changedRules(before.bySymbol, bySymbol);
    if (changed.length === 0) return;
    for (const run of this.runs.values()) if (run.exchange === exchange) run.rulesChanged(changed);
  }
}

/** Of a pair that the exchange does not list: nothing is too small, and nothing is traded. */
const delisted = (symbol: string): PairRules => ({
  symbol,
  quantityStep: SMALLEST,
  priceTick: SMALLEST,
  minQuantity: ZERO,
  minNotional: ZERO,
  status: 'delisted',
});

/** The pairs that have other rules than before, or are new, or gone. */
function changedRules(before: KnownRules['bySymbol'], after: KnownRules['bySymbol']): string[] {
  const isSame = (a: PairRules, b: PairRules): boolean =>
    a.quantityStep === b.quantityStep &&
    a.priceTick === b.priceTick &&
    a.minQuantity === b.minQuantity &&
    a.minNotional === b.minNotional &&
    a.status === b.status;
  return [...new Set([...before.keys(), ...after.keys()])].filter((symbol) => {
    const [was, is] = [before.get(symbol), after.get(symbol)];
    return was === undefined || is === undefined || !isSame(was, is);
  });
}

export interface OpenLiveDesk {
  desk: LiveDesk;
  signer: SignerPort;
  stop(): Promise<void>;
}

/** Null where live trading is turned off. The signer is asked only once there is a connection. */
export function openLiveDesk(address: SignerAddress | null, deps: BookDeps): OpenLiveDesk | null {
  if (address === null) return null;
  const signer = new SignerClient(address);
  const desk = new LiveDesk({ ...deps, signer });
  return {
    desk,
    signer,
    stop: async () => {
      await desk.stop();
      signer.close();
    },
  };
}
