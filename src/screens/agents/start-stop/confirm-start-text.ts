/** What changed between the press of a start and its confirmation, as rows and sentences. */
import type { Agent } from '../../../../contract/agents.ts';
import type { SymbolQuote } from '../../../../contract/market.ts';
import { add, formatFixed, parseFixed, ZERO } from '../../../../contract/money.ts';
import type { RiskProfileBody } from '../../../../contract/user.ts';
import { formatWhen } from '../../../format/times.ts';
import type { Slot } from '../../../stores/slot.ts';
import type { OutboxEntryView } from '../../outbox-view.ts';
import { RISK_UNREAD, riskOf, worstLoss } from '../agent-risk.ts';

export interface PriceRow {
  pair: string;
  /** Decimal text; null where this device had no price at the press. */
  then: string | null;
  now: string | null;
  /** Age of the current price, ms; null without one. */
  nowAgeMs: number | null;
  /** Percent between the two; null where one is missing. */
  change: number | null;
  /** Why a price is missing; null where both are there. */
  why: string | null;
}

interface Board {
  readonly now: number;
  readonly source: { readonly label: string };
  readonly symbols: Readonly<Record<string, Readonly<SymbolQuote>>>;
}

type LoadedBoard = Readonly<Pick<Slot<Board>, 'data' | 'origin' | 'savedAt'>>;

function whyMissing(
  then: string | null,
  quote: Readonly<SymbolQuote> | undefined,
  { data: board, origin }: LoadedBoard,
): string | null {
  // The exchange's own is shown in Markets all the same.
  if (origin === 'exchange') return 'No price from the server';
  if (board === null) return 'No price on this device';
  if (quote === undefined) return `No price at ${board.source.label}`;
  return then === null ? 'No price saved when you pressed Start' : null;
}

/**
 * One row per pair, the largest move first. What was seen at the press was the server's: an
 * exchange's own price is no change of it. `now` is the device's clock, ms.
 */
export function priceRows(
  entry: Pick<OutboxEntryView, 'seen'>,
  pairs: readonly string[],
  market: LoadedBoard,
  now: number,
): PriceRow[] {
  const board = market.origin === 'exchange' ? null : market.data;
  const seen = new Map(entry.seen?.prices.map((price) => [price.pair, price.price]));
  const rows = [...new Set([...seen.keys(), ...pairs])].map((pair): PriceRow => {
    const then = seen.get(pair) ?? null;
    const quote = board?.symbols[pair];
    const nowAgeMs =
      quote === undefined || board === null
        ? null
        : Math.max(0, board.now - quote.timestamp) + Math.max(0, now - (market.savedAt ?? now));
    const change =
      then === null || quote === undefined || Number(then) === 0
        ? null
        : (Number(quote.price) / Number(then) - 1) * 100;
    const why = whyMissing(then, quote, market);
    return { pair, then, now: quote?.price ?? null, nowAgeMs, change, why };
  });
  return rows.sort(
    (a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0) || a.pair.localeCompare(b.pair),
  );
}

const STATUS: Record<
  Agent['status'],
  (agent: Pick<Agent, 'startedAt' | 'stoppedAt' | 'hold'>, now: number) => string
> = {
  running: (agent, now) =>
    `It was started${agent.startedAt === null ? '' : ` at ${formatWhen(agent.startedAt, now)}`} by another command.`,
  stopped: (agent, now) =>
    `It was stopped${agent.stoppedAt === null ? '' : ` at ${formatWhen(agent.stoppedAt, now)}`}, on another device or screen.`,
  halted: (agent) => `A guard halted it${agent.hold === null ? '.' : `: ${agent.hold.text}`}`,
  faulted: (agent) =>
    `It stopped with a fault${agent.hold === null ? '.' : `: ${agent.hold.text}`}`,
};

/**
 * What changed about the agent since the press, as far as this device knows. `now` is the device's
 * clock, ms.
 */
export function changedMeanwhile(
  entry: Pick<OutboxEntryView, 'seen' | 'seenGeneration' | 'agentId' | 'agents'>,
  agentId: string,
  agent: Agent | undefined,
  now: number,
): string {
  if (agent === undefined) return 'This agent no longer exists.';
  const seen = entry.seen?.agents.find((one) => one.id === agentId);
  const generation =
    entry.agentId === null
      ? entry.agents.find((one) => one.id === agentId)?.seenGeneration
      : entry.seenGeneration;
  const parts: string[] = [];
  if (seen !== undefined && seen.status !== agent.status)
    parts.push(STATUS[agent.status](agent, now));
  if (seen !== undefined && seen.version !== agent.version) parts.push('Its settings were edited.');
  if (parts.length > 0) return parts.join(' ');
  if (generation === undefined || generation === null) return 'Changes since then are unknown.';
  return generation === agent.generation
    ? 'No changes since then, as far as this device knows.'
    : 'It was started or stopped since then, on another device or screen.';
}

/** Why `worstOf` knows nothing. */
export const whyUnknown = (own: readonly unknown[] | null): string =>
  own === null ? RISK_UNREAD : 'Equity not loaded on this device';

/**
 * Maximum loss per pair of each agent, and of all together; null while equity or the user's own risk
 * values are unknown. Decimal text.
 */
export function worstOf(
  agents: readonly Pick<Agent, 'id' | 'risk_profile' | 'max_position_size'>[],
  equity: string | null,
  own: readonly Readonly<RiskProfileBody>[] | null,
  feeBps = 0,
): { each: Map<string, string>; together: string } | null {
  if (equity === null || own === null) return null;
  const each = new Map(
    agents.map((agent) => [
      agent.id,
      worstLoss(agent.max_position_size, equity, riskOf(agent.risk_profile, own), feeBps).loss,
    ]),
  );
  return {
    each,
    together: formatFixed(
      [...each.values()].reduce((sum, loss) => add(sum, parseFixed(loss)), ZERO),
    ),
  };
}
