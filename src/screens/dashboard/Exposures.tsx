/** Open positions by pool and by asset, as shares of equity: a part of Pro. */
import type { Agent } from '../../../contract/agents.ts';
import {
  add,
  formatFixed,
  parseFixed,
  toNumber,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import type { Portfolio, Position } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { Section } from '../../components/Section.tsx';
import { formatShare } from '../../format/numbers.ts';
import { POOL_NAME } from '../agents/agent-text.ts';
import { Explain } from '../explain/Explain.tsx';
import { ShareMeter } from './ShareMeter.tsx';

/** `ids`: of its positions; null for cash. */
export interface Exposure {
  name: string;
  value: string;
  share: number;
  ids: readonly string[] | null;
}

/**
 * Value of positions by a key, largest first, as a share of equity. Without a price a position
 * counts at cost.
 */
function exposureBy(
  positions: readonly Position[],
  equity: string,
  key: (position: Position) => string,
): Exposure[] {
  const sums = new Map<string, { value: Fixed; ids: string[] }>();
  for (const position of positions) {
    const known = sums.get(key(position)) ?? { value: ZERO, ids: [] };
    sums.set(key(position), {
      value: add(known.value, parseFixed(position.value ?? position.cost)),
      ids: [...known.ids, position.id],
    });
  }
  const whole = toNumber(parseFixed(equity));
  return [...sums]
    .map(([name, { value, ids }]) => ({
      name,
      value: formatFixed(value),
      share: whole === 0 ? 0 : toNumber(value) / whole,
      ids,
    }))
    .sort((a, b) => b.share - a.share);
}

const unsigned = (share: number): string => formatShare(share, { signed: false, decimals: 1 });

function ExposureList({ rows }: { rows: readonly Exposure[] }) {
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.name} className="rule py-2">
          <span className="grid grid-cols-[minmax(0,1fr)_auto_4.5rem] gap-x-4">
            <span className="truncate">{row.name}</span>
            {row.ids === null ? (
              <Amount value={row.value} />
            ) : (
              <Explain
                ask={{ of: 'held', title: row.name, ids: row.ids }}
                name={`the value of ${row.name}`}
              >
                <Amount value={row.value} />
              </Explain>
            )}
            <span className="text-right text-ink-2">{unsigned(row.share)}</span>
          </span>
          <ShareMeter share={row.share} />
        </li>
      ))}
    </ul>
  );
}

export default function Exposures({
  agents,
  portfolio,
}: {
  agents: readonly Agent[];
  portfolio: Portfolio;
}) {
  const pools = new Map(agents.map((agent) => [agent.id, POOL_NAME[agent.pool]]));
  const equity = toNumber(parseFixed(portfolio.equity));
  const share = equity === 0 ? 0 : toNumber(parseFixed(portfolio.cash)) / equity;
  const cash: Exposure = { name: 'Cash', value: portfolio.cash, ids: null, share };
  const by = (key: (position: Position) => string): Exposure[] => [
    ...exposureBy(portfolio.positions, portfolio.equity, key),
    cash,
  ];
  return (
    <div className="mt-9 grid gap-x-10 gap-y-8 lg:grid-cols-2">
      <Section title="Exposure by pool">
        <ExposureList rows={by((position) => pools.get(position.agentId) ?? 'Deleted agent')} />
      </Section>
      <Section title="Exposure by asset">
        <ExposureList rows={by((position) => position.pair.split('/')[0] ?? position.pair)} />
      </Section>
    </div>
  );
}
