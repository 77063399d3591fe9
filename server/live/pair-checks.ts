/** Whether single pairs take orders now: when the exchange is asked, and what it has answered. */
import type { LiveExchange } from '../../contract/signer.ts';
import type { PairRules } from '../../contract/venue.ts';
import { hasPassed } from './elapsed.ts';
import type { LiveDeps } from './live-deps.ts';
import { isClosed } from './pair-facts.ts';

/** How long an answer counts; how soon a pair that takes no orders is asked for again. */
const KEPT_MS = 15_000;
/** After an answer that did not come: twice as long each time, up to that. */
const RETRY_FIRST_MS = 1_000;
/**
 * How long a sale waits for an answer while its stop rests. Where the exchange is in trouble its
 * pairs may be closed, and the stop would go for nothing; a limit of ours that is used up, or an
 * answer that is lost, does not last so long. Whoever wants to sell is not held up for more.
 */
const SILENCE_MS = 30_000;
/**
 * A pair that took no orders when it was last answered is taken to take none for so long, though
 * nothing more is answered. Lists say less: all of Kraken may take none while they say `online`, and
 * they may be older. Whoever wants to sell is not held for good.
 */
const CLOSED_MS = 15 * 60_000;

type Status = PairRules['status'];

interface Question {
  /** When it was last answered, by what is known; null once that is doubted. */
  answeredAtMs: number | null;
  /** As it was last answered, and when, doubted or not. */
  status: Status | null;
  statusAtMs: number;
  /** Since when somebody has waited for an answer; null where it was answered. */
  openSinceMs: number | null;
  wantedAtMs: number;
  askedAtMs: number;
  pending: Promise<void> | null;
  /** How often in a row no answer came. */
  failures: number;
  doubts: number;
}

export class PairChecks {
  private readonly questions = new Map<LiveExchange, Map<string, Question>>();

  constructor(
    private readonly deps: Pick<LiveDeps, 'signer' | 'clock'>,
    /** Null where the exchange does not list the pair. */
    private readonly onAnswer: (exchange: LiveExchange, rules: PairRules | null) => void,
  ) {}

  /** Asks, unless it was answered, or not, a moment ago. Null where nothing is being asked. */
  check(exchange: LiveExchange, symbol: string): Promise<void> | null {
    const now = this.deps.clock.now();
    const one = this.questionOf(exchange, symbol);
    if (this.said(exchange, symbol) !== null) return null;
    if (one.openSinceMs === null || hasPassed(one.wantedAtMs, KEPT_MS, now)) one.openSinceMs = now;
    one.wantedAtMs = now;
    const pauseMs =
      one.failures === 0 ? 0 : Math.min(KEPT_MS, RETRY_FIRST_MS * 2 ** (one.failures - 1));
    if (one.pending === null && hasPassed(one.askedAtMs, pauseMs, now)) {
      one.askedAtMs = now;
      one.pending = this.ask(exchange, symbol, one).finally(() => {
        one.pending = null;
      });
    }
    return one.pending;
  }

  /** What the exchange last answered; null where it did not lately, or that is doubted. */
  said(exchange: LiveExchange, symbol: string, withinMs = KEPT_MS): Status | null {
    const one = this.questions.get(exchange)?.get(symbol);
    if (one === undefined || one.answeredAtMs === null) return null;
    return hasPassed(one.answeredAtMs, withinMs, this.deps.clock.now()) ? null : one.status;
  }

  /** Whether it was asked again and again, and nothing came for so long that nobody waits longer. */
  isSilent(exchange: LiveExchange, symbol: string): boolean {
    const since = this.questions.get(exchange)?.get(symbol)?.openSinceMs ?? null;
    return since !== null && this.deps.clock.now() - since >= SILENCE_MS;
  }

  /** What it last answered, where that was that it takes no orders and nothing has come since. */
  closedWhenSilent(exchange: LiveExchange, symbol: string): Status | null {
    const one = this.questions.get(exchange)?.get(symbol);
    return one?.openSinceMs == null ? null : this.closedLast(exchange, symbol);
  }

  /** What it last answered, doubted or not, where that was that it takes no orders. */
  closedLast(exchange: LiveExchange, symbol: string): Status | null {
    const one = this.questions.get(exchange)?.get(symbol);
    if (one === undefined || !isClosed(one.status)) return null;
    return hasPassed(one.statusAtMs, CLOSED_MS, this.deps.clock.now()) ? null : one.status;
  }

  /** What was answered may hold no more, and neither what is being answered. */
  doubt(exchange: LiveExchange, symbol: string): void {
    const one = this.questionOf(exchange, symbol);
    one.answeredAtMs = null;
    one.doubts += 1;
  }

  private questionOf(exchange: LiveExchange, symbol: string): Question {
    const ofExchange = this.questions.get(exchange) ?? new Map<string, Question>();
    this.questions.set(exchange, ofExchange);
    const one = ofExchange.get(symbol) ?? {
      answeredAtMs: null,
      status: null,
      statusAtMs: 0,
      openSinceMs: null,
      wantedAtMs: 0,
      askedAtMs: 0,
      pending: null,
      failures: 0,
      doubts: 0,
    };
    ofExchange.set(symbol, one);
    return one;
  }

  private async ask(exchange: LiveExchange, symbol: string, one: Question): Promise<void> {
    const { doubts } = one;
    const read = await this.deps.signer
      .ask({ act: 'pair_rules', exchange, symbols: [symbol], isNow: true })
      .catch(() => null);
    if (read?.kind !== 'read') {
      one.failures += 1;
      return;
    }
    one.failures = 0;
    // It may be from before whatever made it doubtful.
    if (doubts !== one.doubts) {
      await this.ask(exchange, symbol, one);
      return;
    }
    const rules = read.value.find((answered) => answered.symbol === symbol) ?? null;
    one.answeredAtMs = this.deps.clock.now();
    one.statusAtMs = one.answeredAtMs;
    one.status = rules?.status ?? 'delisted';
    one.openSinceMs = null;
    this.onAnswer(exchange, rules);
  }
}
