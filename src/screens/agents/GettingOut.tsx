/**
 * The ways out of an agent that nothing takes back: stop and sell, delete; each says what it does
 * and is held.
 */
import { useSnapshot } from 'valtio';
import { useLocation } from 'wouter';
import type { Agent } from '../../../contract/agents.ts';
import { api } from '../../api/api.ts';
import { stopAgent } from '../../commands.ts';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Section } from '../../components/Section.tsx';
import { agentView } from '../../stores/agent-view.ts';
import { loadAgents } from '../../stores/agents.ts';
import { connection } from '../../stores/connection.ts';
import { loadHistory } from '../../stores/history.ts';
import { loadPortfolio } from '../../stores/portfolio.ts';
import { act, tried } from '../act.ts';
import { useEntries } from '../reading.ts';
import { stopSentence } from './AgentActs.tsx';

/** What cannot be taken back stands apart from Stop, each with what it does, and is held. */
export function GettingOut({ agent }: { agent: Agent }) {
  const view = agentView(agent, useEntries());
  const [, go] = useLocation();
  const { online } = useSnapshot(connection);
  const offline = online === 'offline';
  const holds = agent.openPositions > 0;
  const sell = async (): Promise<void> => {
    if (offline) {
      // Selling cannot wait on a device; stopping can.
      act(stopAgent(agent));
      return;
    }
    if (
      await tried(
        api.call('liquidateAgent', { params: { id: agent.id } }),
        `${agent.name} is stopped and has sold.`,
      )
    ) {
      await Promise.all([loadAgents(true), loadPortfolio(true), loadHistory(true)]);
    }
  };
  const remove = async (): Promise<void> => {
    if (
      await tried(
        api.call('deleteAgent', { params: { id: agent.id } }),
        `${agent.name} deleted. Its trades stay in the history.`,
      )
    ) {
      await loadAgents(true);
      go('/agents');
    }
  };
  const sellText = offline
    ? 'Offline: the stop is saved now. Selling needs the server.'
    : `${stopSentence(view)} Then all of them are sold at the bid, less fees.`;
  const kept = holds
    ? 'It can be deleted once it holds nothing.'
    : agent.status === 'running'
      ? 'It can be deleted once it is stopped.'
      : offline
        ? 'Deleting needs the server.'
        : null;
  return (
    <Section title="Getting out">
      {holds && (
        <div className="rule flex flex-col items-start gap-2 py-3">
          <p className="text-ink-2">{sellText}</p>
          <HoldToConfirm
            label="Stop and sell"
            sentence={sellText}
            onConfirm={() => {
              void sell();
            }}
          />
        </div>
      )}
      <div className="rule flex flex-col items-start gap-2 py-3">
        <p className="text-ink-2">
          {kept ?? `Deletes ${agent.name} for good. Its trades stay in the history.`}
        </p>
        {!holds && agent.status !== 'running' && (
          <HoldToConfirm
            label="Delete"
            tone="danger-quiet"
            sentence={`Deletes ${agent.name}. Its trades stay in the history.`}
            disabled={offline}
            onConfirm={() => {
              void remove();
            }}
          />
        )}
      </div>
    </Section>
  );
}
