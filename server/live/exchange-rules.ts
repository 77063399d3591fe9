/** The rules of pairs as each exchange last told them, in its lists and of single pairs. */
import type { LiveExchange } from '../../contract/signer.ts';
import { parseFixed, ZERO } from '../../contract/money.ts';
import type { PairRules } from '../../contract/venue.ts';
import { hasPassed } from './elapsed.ts';
import type { LiveDeps } from './live-deps.ts';
import { PairChecks } from './pair-checks.ts';

const RULES_KEPT_MS = 10 * 60_000;
/** How long accounts that begin wait for the rules of their exchange: lists are asked for by them. */
const RULES_PATIENCE_MS = 10_000;
/** A list may be old when it comes: whether a pair takes orders a check knows better for so long. */
const CHECK_COUNTS_MS = 60_000;
const SMALLEST = parseFixed('0.000000000001');

type BySymbol = ReadonlyMap<string, PairRules>;

interface KnownRules {
  readAtMs: number;
  bySymbol: BySymbol;
}

interface Reading {
  sinceMs: number;
  done: Promise<void>;
}

export interface RulesListener {
  /** The exchange's rules were answered for the first time, whatever the answer. */
  begun(): void;
  changed(exchange: LiveExchange, symbols: readonly string[]): void;
}

export class ExchangeRules {
  private readonly known = new Map<LiveExchange, KnownRules>();
  /** Rules that are being read now, each beside everything else. */
  private readonly reading = new Map<LiveExchange, Reading>();
  private readonly answered = new Set<LiveExchange>();
  private readonly checks: PairChecks;
  /** How often any rules were doubted. */
  private doubts = 0;

  constructor(
    private readonly deps: Pick<LiveDeps, 'signer' | 'clock'>,
    private readonly listener: RulesListener,
  ) {
    this.checks = new PairChecks(deps, (exchange, rules) => {
      this.takeOne(exchange, rules);
    });
  }

  /** Null before they were read once. */
  of(exchange: LiveExchange, symbol: string): PairRules | null {
    const known = this.known.get(exchange);
    return known === undefined ? null : (known.bySymbol.get(symbol) ?? delisted(symbol));
  }

  /** Whether they were read once. */
  isKnown(exchange: LiveExchange): boolean {
    return this.known.has(exchange);
  }

  /** Whether the first rules of the exchange may still come soon. */
  isAwaited(exchange: LiveExchange): boolean {
    const reading = this.reading.get(exchange);
    if (reading === undefined || this.answered.has(exchange)) return false;
    return !hasPassed(reading.sinceMs, RULES_PATIENCE_MS, this.deps.clock.now());
  }

  /** The lists are read again with the next `keepCurrent`; until then those that are known count. */
  doubt(exchange: LiveExchange): void {
    this.doubts += 1;
    const known = this.known.get(exchange);
    if (known !== undefined)
      this.known.set(exchange, { ...known, readAtMs: Number.NEGATIVE_INFINITY });
  }

  /** An order on the pair was rejected: what the exchange said of it may hold no more. */
  doubtPair(exchange: LiveExchange, symbol: string): void {
    this.checks.doubt(exchange, symbol);
  }

  /** Resolves when no rules are being read any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.reading.values()].map(({ done }) => done));
  }

  /** Reads them, unless they are known well enough or are being read. */
  keepCurrent(exchange: LiveExchange): Promise<void> | null {
    const now = this.deps.clock.now();
    const known = this.known.get(exchange);
    if (known !== undefined && !hasPassed(known.readAtMs, RULES_KEPT_MS, now)) return null;
    if (this.reading.has(exchange)) return null;
    const done = this.read(exchange).finally(() => {
      this.reading.delete(exchange);
      if (!this.answered.has(exchange)) this.listener.begun();
      this.answered.add(exchange);
    });
    this.reading.set(exchange, { sinceMs: now, done });
    return done;
  }

  /** Asks whether the pair takes orders, where that is not known. Null where nothing is being asked. */
  check(exchange: LiveExchange, symbol: string): Promise<void> | null {
    return this.checks.check(exchange, symbol);
  }

  /**
   * As the exchange has just said. Where it does not answer, what is known counts in the end: an
   * exchange that cannot be asked about its pairs may sell all the same.
   */
  takesOrders(exchange: LiveExchange, symbol: string): boolean {
    const said = this.checks.said(exchange, symbol);
    if (said !== null) return said === 'trading';
    if (this.checks.closedWhenSilent(exchange, symbol) !== null) return false;
    return (
      this.checks.isSilent(exchange, symbol) && this.of(exchange, symbol)?.status === 'trading'
    );
  }

  /** Whether it last answered that the pair takes no orders, and that was not long ago. */
  isSaidClosed(exchange: LiveExchange, symbol: string): boolean {
    return this.checks.closedLast(exchange, symbol) !== null;
  }

  /** What it has answered of the pair in the last minute; null where that was nothing. */
  said(exchange: LiveExchange, symbol: string): PairRules['status'] | null {
    return this.checks.said(exchange, symbol, CHECK_COUNTS_MS);
  }

  /** Null: the exchange does not list the pair, which its list is to say. */
  private takeOne(exchange: LiveExchange, rules: PairRules | null): void {
    const known = this.known.get(exchange);
    if (known === undefined) return;
    if (rules === null) this.known.set(exchange, { ...known, readAtMs: Number.NEGATIVE_INFINITY });
    else
      this.take(exchange, {
        ...known,
        bySymbol: new Map([...known.bySymbol, [rules.symbol, rules]]),
      });
  }

  private async read(exchange: LiveExchange): Promise<void> {
    const begunAtMs = this.deps.clock.now();
    const { doubts } = this;
    // Old ones are better than none, and only than none: a server without rules sells nothing.
    const orLast = !this.known.has(exchange);
    const read = await this.deps.signer
      .ask({ act: 'pair_rules', exchange, symbols: [], ...(orLast ? { orLast } : {}) })
      .catch(() => null);
    if (read?.kind !== 'read') return;
    const isSure = doubts === this.doubts && !orLast;
    this.take(exchange, {
      // Doubted meanwhile, they may be from before the change, as the last ones may be: they are
      // read once more.
      readAtMs: isSure ? begunAtMs : Number.NEGATIVE_INFINITY,
      bySymbol: new Map(
        read.value.map((rules) => [rules.symbol, this.asCheckedLately(exchange, rules)]),
      ),
    });
  }

  private asCheckedLately(exchange: LiveExchange, listed: PairRules): PairRules {
    const { symbol } = listed;
    const said = this.said(exchange, symbol) ?? this.checks.closedWhenSilent(exchange, symbol);
    if (said === null || said === 'delisted') return listed;
    const { takesStops, ...rest } = listed;
    const checked = this.of(exchange, symbol);
    const lately = checked === null ? takesStops : checked.takesStops;
    return { ...rest, status: said, ...(lately === undefined ? {} : { takesStops: lately }) };
  }

  private take(exchange: LiveExchange, after: KnownRules): void {
    const before = this.known.get(exchange);
    this.known.set(exchange, after);
    // An account that had to begin without them has planned nothing yet.
    const changed =
      before === undefined
        ? [...after.bySymbol.keys()]
        : changedRules(before.bySymbol, after.bySymbol);
    if (changed.length > 0) this.listener.changed(exchange, changed);
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
function changedRules(before: BySymbol, after: BySymbol): string[] {
  const isSame = (a: PairRules, b: PairRules): boolean =>
    a.quantityStep === b.quantityStep &&
    a.priceTick === b.priceTick &&
    a.minQuantity === b.minQuantity &&
    a.minNotional === b.minNotional &&
    a.status === b.status &&
    a.takesStops === b.takesStops;
  return [...new Set([...before.keys(), ...after.keys()])].filter((symbol) => {
    const [was, is] = [before.get(symbol), after.get(symbol)];
    return was === undefined || is === undefined || !isSame(was, is);
  });
}
