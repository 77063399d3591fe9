/**
 * An agent's state with a dot: full while the server's word is current, a ring when it may be old.
 */
import { StatusBadge } from '../../components/Tags.tsx';
import { statusWord, type AgentView } from '../../stores/agent-view.ts';
import { STATUS_TONE } from './evaluation-times.ts';

interface AgentStatusProps {
  view: Pick<AgentView, 'agent' | 'statusText' | 'current'>;
  /**
   * In a list, the number of protected positions is on the line below, so that no row grows when
   * the network is lost.
   */
  brief?: boolean;
  className?: string;
}

export function AgentStatus({
  view: { agent, statusText, current },
  brief = false,
  className = '',
}: AgentStatusProps) {
  const isBrief = brief && !current && (agent.status === 'stopped' || agent.status === 'running');
  return (
    <StatusBadge tone={STATUS_TONE[agent.status]} hollow={!current} className={className}>
      {isBrief ? statusWord(agent.status, current) : statusText}
    </StatusBadge>
  );
}
