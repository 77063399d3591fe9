/** One agent in a list: state, queued command, result and button. */
import { useSnapshot } from 'valtio';
import { Amount } from '../../../components/Figures.tsx';
import { Sparkline } from '../../../components/Sparkline.tsx';
import type { AgentView } from '../../../stores/agent-view.ts';
import { insightStore } from '../../../stores/analytics-store.ts';
import { Explain } from '../../explain/Explain.tsx';
import { AgentActions } from './AgentActions.tsx';
import { AgentName } from './AgentName.tsx';

/** The agent's result over time. Its place is reserved while it loads. */
export function AgentLine({
  agent: { id, name, total },
}: {
  agent: Pick<AgentView['agent'], 'id' | 'name' | 'total'>;
}) {
  const points =
    useSnapshot(insightStore).data?.series.find((one) => one.agentId === id)?.points ?? [];
  // From zero to the figure beside it, however old the points in between.
  const values = [0, ...points.map(([, value]) => value), Number(total)];
  return (
    <span className="block h-5 w-16 sm:h-7 sm:w-24">
      {points.length > 1 && (
        <Sparkline
          values={values}
          label={`Result of ${name} since its start`}
          className="h-full! w-full!"
        />
      )}
    </span>
  );
}

export function AgentRow({ view }: { view: AgentView }) {
  const { agent } = view;
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-2 sm:grid-cols-[minmax(0,1fr)_auto_minmax(7rem,auto)_auto] sm:gap-x-5">
      <AgentName view={view} />
      <span className="hidden sm:block">
        <AgentLine agent={agent} />
      </span>
      <span className="flex flex-col items-end text-right">
        <Explain
          ask={{ of: 'agent', id: agent.id, name: agent.name, shown: agent.total }}
          name={`the result of ${agent.name}`}
          plain
        >
          <Amount value={agent.total} change />
        </Explain>
        <span className="mt-1 sm:hidden">
          <AgentLine agent={agent} />
        </span>
      </span>
      <AgentActions view={view} />
    </li>
  );
}
