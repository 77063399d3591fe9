/** What a plan change means for each agent. */
import type { AgentConsequence, Consequences } from '../../../contract/plan-change.ts';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';

const positions = (count: number): string =>
  count === 0
    ? ''
    : ` ${count} ${count === 1 ? 'position keeps its stop loss and exits' : 'positions keep their stop losses and exits'}.`;

/** What happens to one agent, in a sentence. */
function fate({ effect, reason, openPositions, mayStart }: AgentConsequence): string {
  switch (effect) {
    case 'opens':
      return 'No change.';
    case 'exits_only':
      return `No new positions: ${reason === 'over_cap' ? 'over the limit of the plan' : 'agents need a plan'}.${positions(openPositions)}`;
    case 'stopped':
      return `Stays stopped.${positions(openPositions)}${mayStart ? '' : ' You can’t start it.'}`;
  }
}

/** The summary: how many open no new positions. */
function agentsSentence(agents: readonly AgentConsequence[]): string {
  const held = agents.filter(({ effect }) => effect === 'exits_only').length;
  if (agents.length === 0) return 'You have no agents.';
  if (held === 0) return 'No change for your agents. Stop always works.';
  if (agents.length === 1)
    return 'Your agent opens no new positions. It is kept, and Stop always works.';
  const affected = held === agents.length ? 'All' : `${held} of`;
  return (
    `${affected} ${agents.length} agents ${held === 1 ? 'opens' : 'open'} no new positions. ` +
    'All are kept, and Stop always works.'
  );
}

const TONE: Record<AgentConsequence['effect'], BadgeTone> = {
  exits_only: 'attention',
  opens: 'good',
  stopped: 'neutral',
};

export function AgentsAfter({
  consequences: { agents },
}: {
  consequences: Pick<Consequences, 'agents'>;
}) {
  const order = { exits_only: 0, stopped: 1, opens: 2 } as const;
  const list = [...agents].sort((a, b) => order[a.effect] - order[b.effect]);
  return (
    <>
      <p className="max-w-[64ch] text-ink-2">{agentsSentence(agents)}</p>
      {list.length > 0 && (
        <ul aria-label="Effect on your agents" className="mt-2">
          {list.map((agent) => (
            <li
              key={agent.id}
              className="rule py-2 sm:flex sm:items-baseline sm:justify-between sm:gap-4"
            >
              <span className="block min-w-0 font-medium break-words">{agent.name}</span>
              <StatusBadge tone={TONE[agent.effect]}>{fate(agent)}</StatusBadge>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
