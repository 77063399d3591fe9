/** What the user has in one pair: positions and trades of the paper account, and agents. */
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { History, Portfolio } from '../../../contract/trading.ts';
import { LiveTag } from '../../components/LiveTag.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { Section } from '../../components/Section.tsx';
import { PaperTag } from '../../components/Tags.tsx';
import { Unread } from '../../components/Unread.tsx';
import { exchangeName } from '../../format/exchange-names.ts';
import { formatNumber } from '../../format/numbers.ts';
import { useCurrent } from '../../shell/data-age.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import { agentsStore, loadAgents } from '../../stores/agents-store.ts';
import { accountChoice } from '../../stores/account-choice.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import type { DataKind } from '../../stores/data-kinds.ts';
import { loadHistory } from '../../stores/fills-store.ts';
import { loadPools, poolsStore } from '../../stores/market-store.ts';
import { knownPairsOf } from '../../stores/observed-state.ts';
import { loadPortfolio } from '../../stores/portfolio-store.ts';
import type { Slot } from '../../stores/slot.ts';
import { connectionOf } from '../../stores/shown-account.ts';
import { Fills } from '../portfolio/Fills.tsx';
import { Positions } from '../portfolio/Positions.tsx';
import { useAgentViews, useSlot } from '../use-store.ts';

const TRADES_SHOWN = 6;
/** How many trades are known, where there are older ones; null where all are. */
function olderThanKnown(history: History | null): string | null {
  const known = history?.fills.length ?? 0;
  return (history?.total ?? 0) > known ? formatNumber(known) : null;
}

const none = (text: string) => <p className="rule row flex items-center text-ink-3">{text}</p>;

/** What was empty when it was last known need not be empty now. */
function None({ kind, children }: { kind: DataKind; children: string }) {
  return none(useCurrent(kind) ? `${children}.` : `${children} when last seen.`);
}

/** Agents that trade a pair, by name or by their pool's list; and those of which it is unknown. */
function agentsOf(views: readonly AgentView[], symbol: string) {
  const known = views.map((view) => ({ view, pairs: knownPairsOf(view.agent) }));
  return {
    mine: known.flatMap(({ view, pairs }) => (pairs?.includes(symbol) === true ? [view] : [])),
    unknown: known.filter(({ pairs }) => pairs === null).length,
  };
}

/** The age of paper's data, and its mark: whoever has real money too must not take paper for it. */
function PaperAside({ kind, children }: { kind: DataKind; children?: ReactNode }) {
  const isBesideLive = useSnapshot(accountChoice).known.length > 0;
  return (
    <span className="flex items-center gap-3">
      <DataAge kind={kind} />
      {isBesideLive && <PaperTag />}
      {children}
    </span>
  );
}

/** Where the positions at exchanges are, of somebody who may have some. */
function RealElsewhere() {
  const { known } = useSnapshot(accountChoice);
  if (known.length === 0) return null;
  return (
    <p className="py-2 text-xs text-ink-3">
      Real positions are on the page of their account:{' '}
      {known.map(({ id, exchange }) => (
        <Link
          key={id}
          href={`/live/${encodeURIComponent(id)}`}
          className="reach mr-3 inline-block underline underline-offset-2 hover:text-ink"
        >
          {exchangeName(exchange)}
        </Link>
      ))}
    </p>
  );
}

/** The first read of what is the user's own that failed, and the way to try again. */
export function OwnError({
  portfolio,
  history,
}: {
  portfolio: Slot<Portfolio>;
  history: Slot<History>;
}) {
  const agents = useSnapshot(agentsStore);
  const failed = [portfolio, agents, history].find(
    ({ data, error }) => data === null && error !== null,
  );
  return (
    <ScreenError
      message={failed?.error ?? null}
      onRetry={() => {
        if (portfolio.error !== null) void loadPortfolio(true);
        if (agents.error !== null) void loadAgents(true);
        if (history.error !== null) void loadHistory(true);
      }}
    />
  );
}

export function SymbolPositions({
  portfolio: { data: portfolio, error },
  symbol,
}: {
  portfolio: Slot<Portfolio>;
  symbol: string;
}) {
  const positions = portfolio?.positions.filter((position) => position.pair === symbol) ?? [];
  return (
    <Section title="Your positions" aside={<PaperAside kind="portfolio" />}>
      {portfolio === null && <Unread error={error} rows={1} label="Your positions" />}
      {portfolio !== null && positions.length === 0 && (
        <None kind="portfolio">None in this pair</None>
      )}
      {portfolio !== null && positions.length > 0 && (
        <Positions portfolio={{ positions, quote: portfolio.quote }} />
      )}
      <RealElsewhere />
    </Section>
  );
}

export function SymbolAgents({ symbol }: { symbol: string }) {
  const { views, slot } = useAgentViews();
  // An agent without own pairs trades its pool's.
  const { origin, error } = useSlot(poolsStore, loadPools);
  const { mine, unknown } = agentsOf(views ?? [], symbol);
  const isOnItsWay = views === null || (unknown > 0 && error === null && origin !== 'exchange');
  return (
    <Section title="Agents trading this pair">
      {isOnItsWay && mine.length === 0 && (
        <Unread error={views === null ? slot.error : null} rows={1} label="Your agents" />
      )}
      {!isOnItsWay && mine.length === 0 && unknown === 0 && (
        <None kind="agents">None of your agents</None>
      )}
      {mine.length > 0 && (
        <ul>
          {mine.map(({ agent, statusText }) => (
            <li key={agent.id} className="rule">
              <Link
                href={`/agents/${encodeURIComponent(agent.id)}`}
                className="row flex items-center justify-between gap-3 py-1.5 hover:text-accent"
              >
                <span className="min-w-0 truncate font-medium">
                  {agent.name}
                  {connectionOf(agent) !== null && <LiveTag className="ml-1.5" />}
                </span>
                <span className="min-w-0 truncate text-ink-2">{statusText}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {!isOnItsWay &&
        unknown > 0 &&
        none(
          `— The pairs of ${unknown === 1 ? 'one agent' : `${formatNumber(unknown)} agents`} are unknown now.`,
        )}
    </Section>
  );
}

export function SymbolTrades({
  history: { data: history, error },
  symbol,
  quote,
}: {
  history: Slot<History>;
  symbol: string;
  quote: string;
}) {
  const mine = history?.fills.filter((fill) => fill.pair === symbol) ?? [];
  const older = olderThanKnown(history);
  return (
    <Section
      title="Your trades"
      aside={
        <PaperAside kind="history">
          {mine.length > TRADES_SHOWN && (
            <Link href="/portfolio" className="underline underline-offset-2 hover:text-ink">
              {older === null ? `All ${mine.length}` : 'All'}
            </Link>
          )}
        </PaperAside>
      }
    >
      {history === null && <Unread error={error} rows={2} label="Your trades" />}
      {history !== null &&
        mine.length === 0 &&
        (older === null ? (
          <None kind="history">None in this pair</None>
        ) : (
          none(`None among your newest ${older} trades.`)
        ))}
      {mine.length > 0 && <Fills fills={mine.slice(0, TRADES_SHOWN)} quote={quote} />}
    </Section>
  );
}

/** What B and S on the chart mark, as far as it is known. */
export function MarksNote({ history }: { history: History | null }) {
  const isBesideLive = useSnapshot(accountChoice).known.length > 0;
  const older = olderThanKnown(history);
  return (
    <>
      B and S mark where your {isBesideLive ? 'paper agents' : 'agents'} bought and sold
      {older === null ? '' : `, of your newest ${older} trades`}.
    </>
  );
}
