/**
 * Live trading in this process: every open connection at work, the exchanges' rules, and what
 * deciding transactions need of them.
 */
import type { LiveExchange } from '../../contract/signer.ts';
import type { PairRules } from '../../contract/venue.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { SignerAddress } from '../config.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { takeBackBroken } from './connect.ts';
import { hasPassed } from './elapsed.ts';
import { ExchangeRules } from './exchange-rules.ts';
import { openConnections } from './live-accounts.ts';
import type { BookDeps, LiveDeps, LivePort } from './live-deps.ts';
import { LiveRun, NOT_COMPARED } from './live-run.ts';
import { signerAnswers } from './signer-answers.ts';
import { SignerClient } from './signer-client.ts';
import { WatchedSigner } from './signer-clock.ts';

const TICK_MS = 1_000;
/** How soon a connection that another process made is taken up. */
const LIST_KEPT_MS = 5_000;
/** How often the signer is asked of what version it is, besides with each order. */
const GREET_MS = 60_000;
/** How long a process that ends waits for answers. What has none by then is looked up by the next. */
const STOP_PATIENCE_MS = 5_000;

export class LiveDesk implements LivePort {
  private readonly runs = new Map<string, LiveRun>();
  private readonly exchangeRules: ExchangeRules;
  /** Connectings that broke off, while they are taken back. */
  private takingBack: Promise<void> | null = null;
  private readonly task: PeriodicTask;
  private unsubscribe: (() => void) | null = null;
  private listedAtMs: number | null = null;
  private greetedAtMs: number | null = null;
  private isStopping = false;
  private readonly under = new Set<Promise<void>>();

  constructor(private readonly deps: LiveDeps) {
    this.task = new PeriodicTask(
      () => this.beginAll(),
      TICK_MS,
      deps.log,
      'live accounts could not be looked after',
    );
    this.exchangeRules = new ExchangeRules(deps, {
      // Accounts that have waited for them begin at the next look.
      begun: () => {
        this.listedAtMs = null;
      },
      changed: (exchange, symbols) => {
        for (const run of this.runs.values())
          if (run.exchange === exchange) run.rulesChanged(symbols);
      },
    });
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
    return this.exchangeRules.of(exchange, symbol);
  }

  knowsRules(exchange: LiveExchange): boolean {
    return this.exchangeRules.isKnown(exchange);
  }

  rulesMayHaveChanged(exchange: LiveExchange): void {
    this.exchangeRules.doubt(exchange);
    this.listedAtMs = null;
  }

  pairMayHaveChanged(exchange: LiveExchange, symbol: string): void {
    this.exchangeRules.doubtPair(exchange, symbol);
  }

  checkPair(exchange: LiveExchange, symbol: string): Promise<void> | null {
    return this.exchangeRules.check(exchange, symbol);
  }

  pairSaid(exchange: LiveExchange, symbol: string): PairRules['status'] | null {
    return this.exchangeRules.said(exchange, symbol);
  }

  isSaidClosed(exchange: LiveExchange, symbol: string): boolean {
    return this.exchangeRules.isSaidClosed(exchange, symbol);
  }

  takesOrders(exchange: LiveExchange, symbol: string): boolean {
    return this.exchangeRules.takesOrders(exchange, symbol);
  }

  entriesOff(connectionId: string): string | null {
    const run = this.runs.get(connectionId);
    return run === undefined ? NOT_COMPARED : run.entriesOff;
  }

  isCompared(connectionId: string): boolean {
    return this.runs.get(connectionId)?.gate.kind === 'open';
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
    await Promise.all([this.takingBack, this.exchangeRules.settled()]);
    // Those that waited for the rules of their exchange.
    await this.list();
    await Promise.all([...this.runs].map(([id, run]) => this.guarded(id, run.run())));
  }

  /** Waits for none of them: one that takes long holds up no other. */
  private async beginAll(): Promise<void> {
    await this.list();
    if (this.isStopping) return;
    this.greet();
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
    for (const exchange of new Set(connections.map((one) => one.exchange))) {
      const reading = this.exchangeRules.keepCurrent(exchange);
      if (reading !== null) this.keep(reading);
    }
    for (const connection of connections) {
      const known = this.runs.get(connection.id);
      known?.refresh(connection);
      if (known === undefined && !this.exchangeRules.isAwaited(connection.exchange))
        this.runs.set(connection.id, new LiveRun(this.deps, this, connection));
    }
  }

  /** Its version, or its clock, may be another one since an order was last sent. Nobody waits for it. */
  private greet(): void {
    const now = this.deps.clock.now();
    if (this.runs.size === 0) return;
    if (this.greetedAtMs !== null && !hasPassed(this.greetedAtMs, GREET_MS, now)) return;
    this.greetedAtMs = now;
    void signerAnswers(this.deps.signer);
  }

  private takeBack(): void {
    if (this.takingBack !== null) return;
    this.takingBack = takeBackBroken(this.deps).finally(() => {
      this.takingBack = null;
    });
    this.keep(this.takingBack);
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
}

export interface OpenLiveDesk {
  desk: LiveDesk;
  signer: WatchedSigner;
  stop(): Promise<void>;
}

/** Null where live trading is turned off. The signer is asked only once there is a connection. */
export function openLiveDesk(address: SignerAddress | null, deps: BookDeps): OpenLiveDesk | null {
  if (address === null) return null;
  const client = new SignerClient(address);
  const signer = new WatchedSigner(client, deps.clock, deps.log);
  const desk = new LiveDesk({ ...deps, signer });
  return {
    desk,
    signer,
    stop: async () => {
      await desk.stop();
      client.close();
    },
  };
}
