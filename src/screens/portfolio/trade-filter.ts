/** Filters the trade history. */
import type { Fill } from '../../../contract/trading.ts';

export interface TradeFilter {
  agentId: string;
  pair: string;
  side: '' | 'buy' | 'sell';
  outcome: '' | 'gain' | 'loss';
  /** Local dates, `YYYY-MM-DD`, both included; empty for no bound. */
  from: string;
  to: string;
}

export const EVERY_TRADE: TradeFilter = {
  agentId: '',
  pair: '',
  side: '',
  outcome: '',
  from: '',
  to: '',
};

/** Midnight of a local date, ms; null for an invalid date. */
function dayStart(text: string, addDays = 0): number | null {
  const [year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number) ?? [];
  return year === undefined || month === undefined || day === undefined
    ? null
    : new Date(year, month - 1, day + addDays).getTime();
}

export function filterFills(
  fills: readonly Fill[],
  { agentId, pair, side, outcome, from, to }: TradeFilter,
): Fill[] {
  const after = dayStart(from);
  const before = dayStart(to, 1);
  return fills.filter(
    (fill) =>
      (agentId === '' || fill.agentId === agentId) &&
      (pair === '' || fill.pair === pair) &&
      (side === '' || fill.side === side) &&
      (outcome === '' ||
        (fill.realized !== null &&
          (outcome === 'gain' ? Number(fill.realized) > 0 : Number(fill.realized) < 0))) &&
      (after === null || fill.filledAt >= after) &&
      (before === null || fill.filledAt < before),
  );
}

/** The filter options among these trades, by name. */
export function choicesOf(fills: readonly Fill[]): {
  agents: { value: string; label: string }[];
  pairs: { value: string; label: string }[];
} {
  const byLabel = (a: { label: string }, b: { label: string }): number =>
    a.label.localeCompare(b.label);
  return {
    agents: [...new Map(fills.map((fill) => [fill.agentId, fill.agentName]))]
      .map(([value, label]) => ({ value, label }))
      .sort(byLabel),
    pairs: [...new Set(fills.map((fill) => fill.pair))]
      .map((pair) => ({ value: pair, label: pair }))
      .sort(byLabel),
  };
}
