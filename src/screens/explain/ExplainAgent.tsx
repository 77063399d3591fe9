/** An agent's result, which opens into its sum on paper. */
import type { ReactNode } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { connectionOf } from '../../stores/shown-account.ts';
import { Explain } from './Explain.tsx';

/** `what` says which figure it is, for screen readers. */
export function ExplainAgent({
  agent,
  of,
  shown,
  what,
  children,
}: {
  agent: Pick<Agent, 'id' | 'name' | 'account' | 'connectionId'>;
  of: 'agent' | 'agent-realized' | 'agent-unrealized';
  /** Null where it is not known, of which nothing opens. */
  shown: string | null;
  what: string;
  children: ReactNode;
}) {
  // The sums are those of the paper account; an exchange account shows its trades as charged.
  if (connectionOf(agent) !== null || shown === null) return children;
  return (
    <Explain ask={{ of, id: agent.id, name: agent.name, shown }} name={what} plain>
      {children}
    </Explain>
  );
}
