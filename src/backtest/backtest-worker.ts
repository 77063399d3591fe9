/** Tests an agent on past candles beside the page, with the server's own engine. */
import { parseFixed } from '../../contract/money.ts';
import { backtest, type BacktestInput } from '../../engine/backtest/run-backtest.ts';
import { backtestReport } from '../../engine/backtest/backtest-report.ts';
import { testedWith } from '../../engine/backtest/backtest-hashes.ts';
import type { Candle } from '../../engine/market-types.ts';
import type { Tested } from '../../contract/backtest-record.ts';
import type { BacktestOrder, BacktestOutcome, BacktestWord } from './worker-messages.ts';

declare const __ENGINE_HASH__: string | undefined;

/** As many points as a chart can show. */
const CURVE_POINTS = 400;
const ACTED = new Set(['entered', 'increased', 'reduced', 'signal_left', 'stop_loss']);

function inputOf({ candles, terms }: BacktestOrder): BacktestInput {
  const { agent } = terms;
  const byPair = (which: (pair: string) => boolean): Map<string, Candle[]> =>
    new Map(
      Object.entries(candles)
        .filter(([pair]) => which(pair))
        .map(([pair, rows]) => [
          pair,
          rows.map(([time, open, high, low, close, volume]) => ({
            time,
            open: Number(open),
            high: Number(high),
            low: Number(low),
            close: Number(close),
            volume: Number(volume),
          })),
        ]),
    );
  return {
    agent: {
      pool: agent.pool,
      profile: agent.profile,
      risk: agent.risk,
      pairs: agent.pairs,
      maxPositionSize: parseFixed(agent.maxPositionSize),
      interval: agent.interval,
      frequency: agent.frequency,
    },
    candles: byPair((pair) => agent.pairs.includes(pair)),
    witnesses: byPair((pair) => !agent.pairs.includes(pair)),
    rules: new Map(
      terms.rules.map((rule) => [
        rule.pair,
        { ...rule, lot: parseFixed(rule.lot), minNotional: parseFixed(rule.minNotional) },
      ]),
    ),
    deposit: parseFixed(terms.deposit),
    maxTradeAmount: parseFixed(terms.maxTradeAmount),
    from: terms.from,
    to: terms.to,
  };
}

/** Of the engine's source, as the build has it; empty where nothing was built. */
const engine = typeof __ENGINE_HASH__ === 'string' ? __ENGINE_HASH__ : '';

interface Done {
  outcome: BacktestOutcome;
  tested: () => Promise<Tested>;
}

export function runOrder(order: BacktestOrder, onProgress?: (share: number) => void): Done {
  const input = inputOf(order);
  const result = backtest(input, onProgress);
  const {
    buyAndHold,
    candles,
    costs,
    equity,
    finalEquity,
    metrics,
    realized,
    reasons,
    trades,
    unrealized,
  } = backtestReport(input, result, CURVE_POINTS);
  const outcome = {
    finalEquity,
    realized,
    unrealized,
    costs,
    metrics,
    buyAndHold,
    trades,
    candles,
    reasons: Object.entries(reasons).filter(([reason]) => !ACTED.has(reason)),
    curve: equity.map(({ time, equity: worth }) => [Date.parse(time), worth] as const),
  };
  return { outcome, tested: async () => ({ ...(await testedWith(input, result)), engine }) };
}

async function answer(
  order: BacktestOrder,
  onProgress: (share: number) => void,
): Promise<BacktestWord> {
  const { outcome, tested } = runOrder(order, onProgress);
  return { kind: 'done', outcome, tested: await tested() };
}

// A test of these functions has no page to speak to.
if (
  typeof self !== 'undefined' &&
  typeof (self as { postMessage?: unknown }).postMessage === 'function' &&
  typeof document === 'undefined'
) {
  const say = (word: BacktestWord): void => {
    self.postMessage(word);
  };
  self.onmessage = ({ data }: MessageEvent<BacktestOrder>): void => {
    answer(data, (share) => {
      say({ kind: 'progress', share });
    }).then(say, (error: unknown) => {
      say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    });
  };
}
