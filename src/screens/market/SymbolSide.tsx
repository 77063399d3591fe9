/** What the user has in one pair: positions, agents and trades. */
import { Link } from 'wouter';
import type { Fill, Portfolio } from '../../../contract/trading.ts';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import type { AgentView } from '../../stores/agent-view.ts';
import { loadPools, poolsStore } from '../../stores/market-store.ts';
import { pairsOf } from '../../stores/observed-state.ts';
import { Fills } from '../portfolio/Fills.tsx';
import { Positions } from '../portfolio/Positions.tsx';
import { useAgentViews, useSlot } from '../use-store.ts';

const TRADES_SHOWN = 6;
const none = (text: string) => <p className="rule row flex items-center text-ink-3">{text}</p>;

/** Agents that trade a pair, by name or by their pool's list. */
function agentsOf(views: readonly AgentView[], symbol: string): AgentView[] {
  return views.filter((view) => pairsOf(view.agent).includes(symbol));
}

export function SymbolPositions({
  portfolio,
  symbol,
}: {
  portfolio: Portfolio | null;
  symbol: string;
}) {
  const positions = portfolio?.positions.filter((position) => position.pair === symbol) ?? [];
  return (
    <Section title="Your positions">
      {portfolio === null && <SkeletonRows rows={1} label="Your positions" />}
      {portfolio !== null && positions.length === 0 && none('None in this pair.')}
      {portfolio !== null && positions.length > 0 && (
        <Positions portfolio={{ positions, quote: portfolio.quote }} />
      )}
    </Section>
  );
}

export function SymbolAgents({ symbol }: { symbol: string }) {
  const { views } = useAgentViews();
  // An agent without own pairs trades its pool's.
  useSlot(poolsStore, loadPools);
  const mine = agentsOf(views ?? [], symbol);
  return (
    <Section title="Agents trading this pair">
      {views === null && <SkeletonRows rows={1} label="Your agents" />}
      {views !== null && mine.length === 0 && none('None of your agents.')}
      {mine.length > 0 && (
        <ul>
          {mine.map(({ agent, statusText }) => (
            <li key={agent.id} className="rule">
              <Link
                href={`/agents/${encodeURIComponent(agent.id)}`}
                className="row flex items-center justify-between gap-3 py-1.5 hover:text-accent"
              >
                <span className="min-w-0 truncate font-medium">{agent.name}</span>
                <span className="min-w-0 truncate text-ink-2">{statusText}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function SymbolTrades({
  fills,
  symbol,
  quote,
}: {
  fills: readonly Fill[] | undefined;
  symbol: string;
  quote: string;
}) {
  const mine = (fills ?? []).filter((fill) => fill.pair === symbol);
  return (
    <Section
      title="Your trades"
      aside={
        mine.length > TRADES_SHOWN ? (
          <Link href="/portfolio" className="underline underline-offset-2 hover:text-ink">
            All {mine.length}
          </Link>
        ) : undefined
      }
    >
      {fills === undefined && <SkeletonRows rows={2} label="Your trades" />}
      {fills !== undefined && mine.length === 0 && none('None in this pair.')}
      {mine.length > 0 && <Fills fills={mine.slice(0, TRADES_SHOWN)} quote={quote} />}
    </Section>
  );
}
