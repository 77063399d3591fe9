/** The agents that trade this account. */
import { Link } from 'wouter';
import type { LiveAccount } from '../../../../contract/live.ts';
import { SkeletonRows } from '../../../components/EmptyState.tsx';
import { LiveAmount } from '../../../components/LiveMark.tsx';
import { Section } from '../../../components/Section.tsx';
import { noPriceText } from '../../../format/no-price.ts';
import { chooseAccount } from '../../../stores/account-choice.ts';
import type { AgentView } from '../../../stores/agent-view.ts';
import { NEW_AGENT_PATH } from '../../agents/create/kept-draft.ts';
import { AgentActions } from '../../agents/list/AgentActions.tsx';
import { AgentName } from '../../agents/list/AgentName.tsx';
import { useViewsOf } from '../../use-store.ts';

function Row({ view }: { view: AgentView }) {
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 py-2">
      <AgentName view={view} />
      <LiveAmount
        value={view.money.total}
        quote={view.agent.quote}
        change
        why={noPriceText(view.money.unpriced)}
      />
      <AgentActions view={view} />
    </li>
  );
}

export function AccountAgents({ account: { connection } }: { account: LiveAccount }) {
  const { views } = useViewsOf(connection.id);
  return (
    <Section
      title="Agents"
      aside={
        connection.state === 'open' ? (
          <Link
            href={NEW_AGENT_PATH}
            className="reach inline-block hover:text-ink"
            onClick={() => {
              // The list and the form are those of the chosen account.
              void chooseAccount(connection.id);
            }}
          >
            New agent
          </Link>
        ) : undefined
      }
    >
      {views === null && <SkeletonRows rows={1} label="Your agents" />}
      {views?.length === 0 && (
        <p className="rule row flex items-center py-2 text-ink-3">
          {connection.state === 'ended'
            ? 'None.'
            : 'None yet. Nothing trades here until you start an agent and confirm it.'}
        </p>
      )}
      {views !== null && views.length > 0 && (
        <ul>
          {views.map((view) => (
            <Row key={view.agent.id} view={view} />
          ))}
        </ul>
      )}
    </Section>
  );
}
