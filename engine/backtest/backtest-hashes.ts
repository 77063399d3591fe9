/** Hashes of a backtest's settings and data, the same in Node and in a browser's worker. */
import { formatFixed } from '../../contract/money.ts';
import type { Tested } from '../../contract/backtest-record.ts';
import type { BacktestInput, BacktestResult } from './run-backtest.ts';

/** The part of a backtest that comes from the agent's terms and its owner's limits. */
export type TestedSettings = Pick<BacktestInput, 'agent' | 'maxTradeAmount'>;

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Keys in alphabetical order, money as its shortest decimal text, numbers as JavaScript writes
 * them.
 */
export function settingsText({ agent, maxTradeAmount }: TestedSettings): string {
  const { risk } = agent;
  return JSON.stringify({
    frequency: agent.frequency,
    interval: agent.interval,
    maxPositionSize: formatFixed(agent.maxPositionSize),
    maxTradeAmount: formatFixed(maxTradeAmount),
    pairs: [...agent.pairs].sort(),
    pool: agent.pool,
    profile: agent.profile,
    risk: {
      dayLossHalt: risk.dayLossHalt,
      drawdownHalt: risk.drawdownHalt,
      maxPosition: risk.maxPosition,
      riskPerTrade: risk.riskPerTrade,
      stopLoss: risk.stopLoss,
      threshold: risk.threshold,
      volatilityTarget: risk.volatilityTarget,
    },
  });
}

export const settingsHash = (settings: TestedSettings): Promise<string> =>
  sha256(settingsText(settings));

/** Hash of the period, the starting money, the venue's rules and every candle, history too. */
export function dataHash({
  candles,
  deposit,
  from,
  rules,
  to,
  witnesses = new Map(),
}: Pick<
  BacktestInput,
  'candles' | 'deposit' | 'from' | 'rules' | 'to' | 'witnesses'
>): Promise<string> {
  const lines = [JSON.stringify({ deposit: formatFixed(deposit), from, to })];
  for (const [pair, rule] of [...rules].sort(([a], [b]) => (a < b ? -1 : 1))) {
    lines.push(
      JSON.stringify({
        base: rule.base,
        feeBps: rule.feeBps,
        halfSpreadBps: rule.halfSpreadBps,
        lot: formatFixed(rule.lot),
        minNotional: formatFixed(rule.minNotional),
        pair,
        quote: rule.quote,
      }),
    );
  }
  for (const [kind, byPair] of [
    ['', candles],
    ['witness ', witnesses],
  ] as const) {
    for (const [pair, list] of [...byPair].sort(([a], [b]) => (a < b ? -1 : 1))) {
      lines.push(`${kind}${pair}`);
      for (const { time, open, high, low, close, volume } of list)
        lines.push(`${time},${open},${high},${low},${close},${volume}`);
    }
  }
  return sha256(lines.join('\n'));
}

const DAY_MS = 86_400_000;

/** Log returns of equity over each whole day since `from`, rounded to six decimals. */
export function dailyLogReturns(
  equity: readonly (readonly [number, number])[],
  from: number,
  to: number,
): number[] {
  const ends = new Map<number, number>();
  for (const [at, worth] of equity) if (at > from) ends.set(Math.ceil((at - from) / DAY_MS), worth);
  let before = equity[0]?.[1] ?? 0;
  return Array.from({ length: Math.max(0, Math.floor((to - from) / DAY_MS)) }, (_, day) => {
    const after = ends.get(day + 1) ?? before;
    const change = before > 0 && after > 0 ? Math.log(after / before) : 0;
    before = after;
    return Number(change.toFixed(6)) + 0;
  });
}

/** Everything that is kept of a backtest except who ran it: see `Tested` in the contract. */
export async function testedWith(
  input: BacktestInput,
  { curve, metrics, trades }: Pick<BacktestResult, 'curve' | 'metrics' | 'trades'>,
): Promise<Omit<Tested, 'engine'>> {
  const equity = Array.from(
    { length: curve.length },
    (_, point) => [curve.timeAt(point), Number(curve.worthAt(point)) / 1e12] as const,
  );
  let [cost, traded] = [0, 0];
  for (const fill of trades) {
    cost += (Number(fill.slippageBps) / 1e12) * (Number(fill.notional) / 1e12);
    traded += Number(fill.notional) / 1e12;
  }
  return {
    settings: await settingsHash(input),
    data: await dataHash(input),
    from: input.from,
    to: input.to,
    trades: trades.length,
    totalReturn: metrics.totalReturn,
    daily: dailyLogReturns(equity, input.from, input.to),
    slippageBps: traded === 0 ? null : Number((cost / traded).toFixed(4)),
  };
}
