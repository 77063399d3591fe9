/**
 * Whether Kraken's pairs take orders now. A limit of one public call a second is shared by all of
 * them: what is asked of one pair answers for the others too.
 */
import type { PairRules } from '../../../contract/venue.ts';
import { ReadFailed, RULES_NOW_KEEP_MS } from '../adapter.ts';
import type { Door } from '../door.ts';
import { KRAKEN_ENDPOINTS as AT } from '../endpoints.ts';
import { Kept } from '../kept.ts';
import { mapped, read } from '../verdict.ts';
import { krakenJudge } from './adapter.ts';
import { PairsReply, StatusReply, modeOf, withMode, type KrakenNames, type Mode } from './pairs.ts';

/** How long a pair is asked for together with others: the server repeats what is closed sooner. */
const WANTED_MS = 30_000;
/** Kraken answers nothing of a list with one pair that is gone. */
const GONE = /asset pair$/;

interface Names {
  names(): Promise<KrakenNames>;
  rules(): Promise<ReadonlyMap<string, PairRules>>;
  forgetRules(): void;
}

interface Answer {
  atMs: number;
  rules: PairRules | null;
}

/** One answer for all pairs that were wanted when it was asked for. */
interface Reading {
  symbols: Set<string>;
  done: Promise<void>;
}

export class KrakenNow {
  private readonly ofAll: Kept<Mode>;
  private readonly answers = new Map<string, Answer>();
  private readonly wantedAtMs = new Map<string, number>();
  private reading: Reading | null = null;

  constructor(
    private readonly door: Door,
    private readonly names: Names,
  ) {
    this.ofAll = new Kept(
      () => this.readStatus(),
      RULES_NOW_KEEP_MS,
      () => door.now(),
    );
  }

  /** Null where the pair is not listed. */
  async of(symbol: string): Promise<PairRules | null> {
    this.wantedAtMs.set(symbol, this.door.now());
    const names = await this.names.names();
    const known = names.rules.get(symbol);
    if (known === undefined) return null;
    // Where all of Kraken takes no orders, its pairs may say that they do.
    const ofAll = await this.ofAll.get();
    const rules = ofAll.status === 'trading' ? await this.ofPair(names, symbol) : known;
    return rules === null ? null : withMode(rules, ofAll);
  }

  forget(symbol: string): void {
    this.ofAll.forget();
    this.answers.delete(symbol);
    // It may answer from before; whoever asks now waits for the next.
    this.reading?.symbols.delete(symbol);
  }

  private async ofPair(names: KrakenNames, symbol: string): Promise<PairRules | null> {
    for (;;) {
      const answer = this.answers.get(symbol);
      if (answer !== undefined && this.isWithin(answer.atMs, RULES_NOW_KEEP_MS))
        return answer.rules;
      const { reading } = this;
      if (reading === null) this.begin(names, symbol);
      else if (reading.symbols.has(symbol)) await reading.done;
      else await reading.done.catch(() => undefined);
    }
  }

  private begin(names: KrakenNames, symbol: string): void {
    for (const [one, atMs] of this.wantedAtMs)
      if (!this.isWithin(atMs, WANTED_MS)) this.wantedAtMs.delete(one);
    const symbols = new Set([symbol, ...this.wantedAtMs.keys()]);
    const done = this.readPairs(names, [...symbols])
      .then((rules) => {
        const atMs = this.door.now();
        for (const one of symbols) this.answers.set(one, { atMs, rules: rules.get(one) ?? null });
      })
      .finally(() => {
        this.reading = null;
      });
    this.reading = { symbols, done };
  }

  private async readPairs(
    names: KrakenNames,
    symbols: readonly string[],
  ): Promise<ReadonlyMap<string, PairRules>> {
    const pair = symbols.flatMap((symbol) => names.pairOf(symbol) ?? []).join(',');
    try {
      const { result } = await read(this.door, krakenJudge(this.door), PairsReply, AT.pairs, {
        pair,
      });
      return mapped(() => names.rulesOf(result));
    } catch (error) {
      if (!(error instanceof ReadFailed) || !GONE.test(error.cause)) throw error;
      this.names.forgetRules();
      return this.names.rules();
    }
  }

  private async readStatus(): Promise<Mode> {
    const { result } = await read(this.door, krakenJudge(this.door), StatusReply, AT.status);
    return modeOf(result.status);
  }

  /** Not where it was noted later than now: the clock was set back since. */
  private isWithin(atMs: number, ms: number): boolean {
    const ageMs = this.door.now() - atMs;
    return ageMs >= 0 && ageMs < ms;
  }
}
