/** What a plan means for each agent: which go on opening, which only keep their exits. */
import type { AgentConsequence, Consequences } from '../../../contract/plan-change.ts';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';

const positions = (count: number): string =>
  count === 0
    ? ''
    : ` ${count} ${count === 1 ? 'position keeps its stop and its exits' : 'positions keep their stops and exits'}.`;

/** One agent's lot, in a sentence. */
function fate({ effect, reason, openPositions, mayStart }: AgentConsequence): string {
  switch (effect) {
    case 'opens':
      return 'Goes on as it is.';
    case 'exits_only':
      return `Opens nothing new: ${reason === 'over_cap' ? 'the plan has no place for it' : 'agents need a plan'}.${positions(openPositions)}`;
    case 'stopped':
      return `Stopped, and stays so.${positions(openPositions)}${mayStart ? '' : ' It cannot be started.'}`;
  }
}

/** The sum of it: how many open nothing more, and what is safe. */
function agentsSentence(agents: readonly AgentConsequence[]): string {
  const held = agents.filter(({ effect }) => effect === 'exits_only').length;
  if (agents.length === 0) return 'You have no agents that it would concern.';
  if (held === 0) return 'Every agent goes on as it is. Nothing is deleted, and Stop always works.';
  if (agents.length === 1)
    return 'Your one agent opens nothing new. It is not deleted, and Stop always works.';
  return `${held === agents.length ? 'All' : `${held} of`} ${agents.length} agents ${held === 1 ? 'opens' : 'open'} nothing new. Nothing is deleted, and Stop always works.`;
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
        <ul aria-label="What becomes of your agents" className="mt-2">
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
