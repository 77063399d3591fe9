/**
 * What an agent would do if it were evaluated now, decided as the live tick would. Writes nothing.
 */
import { Refusal } from '../../contract/errors.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { fixedFromNumber, formatFixed, sum, ZERO, type Fixed } from '../../contract/money.ts';
import type {
  AgentPreview,
  AgentPreviewBody,
  PairPreview,
  PreviewTerms,
} from '../../contract/preview.ts';
import { tierPermitsCall } from '../../contract/calls.ts';
import { memoryOnStart } from '../../engine/execution/agent-memory.ts';
import { NO_VOLUME } from '../../engine/signals/candle-series.ts';
import { exitTrade } from '../../engine/execution/stops.ts';
import type { OpenPosition, TickInput, TradeDraft } from '../../engine/execution/agent-types.ts';
import { quotesOf } from '../portfolio/marks.ts';
import { readSettings } from '../users/user-settings.ts';
import { BatchState } from './batch-state.ts';
import { checkedTerms } from './create.ts';
import { decideAgent } from './decide-agent.ts';
import { pairsHeldBy } from './held-pairs.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';
import { ownAgent, pairsOf, type AgentTerms } from './read-agents.ts';
import { TickInputs, type ComputedSignals } from './tick-inputs.ts';
import { nextEvaluation } from './transitions.ts';

/** Universes kept of one tick; beyond that all are computed anew. */
const COMPUTED_MAX = 200;

type Answer = Omit<AgentPreview, 'commandId'>;

export class Previews {
  /** Signals of the present tick, shared by everybody who asks within it. */
  private computed = new Map<string, ComputedSignals>();
  private tick = -1;

  constructor(private readonly deps: TradingDeps) {}

  async preview(uid: string, body: AgentPreviewBody): Promise<Answer> {
    const { market, database } = this.deps;
    const terms = await termsOf(this.deps, uid, body);
    const held = await pairsHeldBy(database.db, terms.id);
    const inputs = this.inputsFor(terms, held);
    // Candles are read before the transaction: an exchange may take its time over them.
    await inputs.load([terms], held);
    const given = inputs.of(terms);
    if (given === null)
      throw new Refusal('market_unavailable', 'Unable to read the candles that it decides on');
    return database.transaction(async (tx) => {
      const state = await BatchState.readUnlocked(tx, this.deps, uid, terms.id);
      const { equity, freeCash } = state.input(terms, inputs.quotes);
      const { input, outcome } = decideAgent(state, inputs, given, market, terms);
      const trades = new Map(outcome.trades.map((trade) => [trade.fill.pair, trade]));
      const held = state.held(terms);
      const stops = new Map(held.map((position) => [position.pair, position.stopPrice]));
      const results = new Map(
        held.map((position) => [position.pair, resultAtStop(position, input)]),
      );
      return {
        asOf: market.now(),
        close: input.close,
        nextLookAt: nextEvaluation(market, terms.executionInterval, market.now()),
        quote: market.source.quote,
        equity: formatFixed(equity),
        freeCash: formatFixed(freeCash),
        pairs: outcome.decisions.map((decision): PairPreview => ({
          ...decision,
          order: orderOf(trades.get(decision.pair)),
          stopPrice: textOf(stops.get(decision.pair)),
          atStop: textOf(results.get(decision.pair)),
        })),
        atStop: formatFixed(sum([...results.values()].map((result) => result ?? ZERO))),
        hold: outcome.hold,
      };
    });
  }

  /**
   * What a tick at this moment would be given: the newest close, and of each pair the price now if
   * it came after that close.
   */
  private inputsFor(terms: AgentTerms, held: readonly string[]): TickInputs {
    const { market } = this.deps;
    const step = INTERVAL_MS[market.baseInterval];
    const tick = Math.floor(market.now() / step) * step;
    if (tick !== this.tick || this.computed.size > COMPUTED_MAX) {
      this.tick = tick;
      this.computed = new Map();
    }
    const quotes = quotesOf(
      market,
      [...new Set([...pairsOf(market, terms), ...held])].filter((pair) => !market.isStale(pair)),
    );
    for (const [pair, quote] of quotes) if (quote.at < tick) quotes.delete(pair);
    return new TickInputs(market, tick, quotes, this.computed);
  }
}

/**
 * The agent as it would be decided for: one of the person's own as if started now, or one that is
 * not made yet, held to what creating it is held to.
 */
export async function termsOf(
  deps: TradingDeps,
  uid: string,
  { agentId, terms }: AgentPreviewBody,
): Promise<AgentTerms> {
  const {
    market,
    database: { db },
  } = deps;
  if (agentId !== undefined) {
    const row = await ownAgent(db, uid, market.source.id, agentId);
    return {
      ...row,
      // A look at what it would decide is taken on paper.
      connectionId: null,
      ...(terms === undefined ? {} : settingsOf(terms)),
      memory: EVALUATED_STATUSES.includes(row.status) ? row.memory : memoryOnStart(row.memory),
    };
  }
  if (terms === undefined)
    throw new Refusal('invalid_request', 'Name either settings or an agent.', { field: 'terms' });
  const { tier } = await deps.entitlement.tierOf(uid);
  if (!tierPermitsCall(tier, 'previewAgent'))
    throw new Refusal(
      'insufficient_permissions',
      'Insufficient permissions: you need a plan or the free trial for agents.',
    );
  const { settings } = await readSettings(db, uid);
  return {
    id: '',
    uid,
    memory: {},
    tradingFrequency: terms.trading_frequency ?? settings.tradingFrequency,
    ...checkedTerms(deps, tier, terms),
    ...settingsOf(terms),
  };
}

function settingsOf(
  terms: PreviewTerms,
): Pick<AgentTerms, 'riskProfile' | 'maxPositionSize' | 'executionInterval'> {
  return {
    riskProfile: terms.risk_profile,
    maxPositionSize: formatFixed(fixedFromNumber(terms.max_position_size)),
    executionInterval: terms.execution_interval,
  };
}

function orderOf(trade: TradeDraft | undefined): PairPreview['order'] {
  if (trade === undefined) return null;
  const { side, quantity, price, notional, fee } = trade.fill;
  return {
    side,
    quantity: formatFixed(quantity),
    price: formatFixed(price),
    notional: formatFixed(notional),
    fee: formatFixed(fee),
  };
}

/**
 * What selling all of it at its stop would come to, as the stop itself would be sold; null where it
 * has none.
 */
function resultAtStop(position: OpenPosition, input: TickInput): Fixed | null {
  const { pair, stopPrice } = position;
  const rules = input.rules.get(pair);
  if (stopPrice === null || rules === undefined) return null;
  const depth = {
    ...(input.volumes.get(pair) ?? NO_VOLUME),
    dailyVolatility: input.signals.get(pair)?.dailyVolatility ?? null,
  };
  return exitTrade(
    position,
    { pair, at: input.close, last: stopPrice, bid: stopPrice, ask: stopPrice },
    rules,
    depth,
    'stop_loss',
  ).fill.realized;
}

const textOf = (value: Fixed | null | undefined): string | null =>
  value === null || value === undefined ? null : formatFixed(value);
