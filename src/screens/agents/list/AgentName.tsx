/** An agent's name with its state and its next check or queued command; leads to its page. */
import { Link } from 'wouter';
import { classes } from '../../../components/class-names.ts';
import { CommandState } from '../../../components/CommandState.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { protectingText, type AgentView } from '../../../stores/agent-view.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { useMarketNow, useMarketSpeed, useMarketState } from '../../use-store.ts';
import { runText, useLate } from '../evaluation-times.ts';
import { AgentStatus } from '../AgentStatus.tsx';
import { useEntriesOff } from '../EntriesOffNotice.tsx';

/** Shortened for a phone, so that the next check is not cut off. */
const narrow = (evaluations: string): string =>
  evaluations.replace(/last( known)? check/, 'checked').replace(/ \(market time\)|\bin /g, '');

/** The positions it protected when last seen. */
const protectedThen = ({ current, agent, unprotected }: AgentView): string =>
  current || agent.status !== 'stopped' ? '' : protectingText(agent, unprotected).slice(2);

export function AgentName({ view }: { view: AgentView }) {
  const { agent, entry, commandText } = view;
  const now = useMarketNow(1_000);
  const known = useMarketState();
  const market = view.current ? known : 'unknown';
  const late = useLate(agent, now, market);
  const speed = useMarketSpeed();
  const off = useEntriesOff(agent.id);
  const checks = runText(agent, now, market, late, speed);
  const then = protectedThen(view);
  return (
    <Link
      href={`/agents/${encodeURIComponent(agent.id)}`}
      className="min-w-0 py-1 hover:text-accent"
    >
      <span className="block truncate font-medium">
        {agent.name}
        {connectionOf(agent) !== null && <LiveTag className="ml-1.5" />}
      </span>
      <AgentStatus view={view} brief className="text-xs" />
      {off?.scope === 'agent' && (
        <span className="block truncate text-xs text-amber">Trading paused by the operator</span>
      )}
      {entry !== null && commandText !== null ? (
        <span className="block">
          <CommandState phase={entry.state} className="text-xs">
            {commandText}
          </CommandState>
        </span>
      ) : (
        <span className={classes('block truncate text-xs', late > 0 ? 'text-amber' : 'text-ink-3')}>
          <span className="max-sm:hidden">
            {then !== '' && `${then} · `}
            {checks}
          </span>
          {/* A phone has no room for both, and half a date says nothing. */}
          <span className="sm:hidden">{then || narrow(checks)}</span>
        </span>
      )}
    </Link>
  );
}
