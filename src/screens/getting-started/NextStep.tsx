/** The next thing to do until the first trade, and the link to it at the end of long texts. */
import { useSnapshot } from 'valtio';
import { LinkButton } from '../../components/Button.tsx';
import { Skeleton } from '../../components/EmptyState.tsx';
import { session } from '../../identity/session.ts';
import { agentsStore, loadAgents } from '../../stores/agents-store.ts';
import { connection } from '../../stores/connection.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { hasDraft } from '../agents/create/kept-draft.ts';
import { SETUP_DRAFT, SETUP_PATH } from '../guided-setup/setup-progress.ts';
import { useFirstOffer } from '../subscription/use-known-plan.ts';
import { useSlot } from '../use-store.ts';

const SET_UP = 'Set up my first agent';
const GO_ON = 'Continue my setup';

interface Next {
  title: string;
  text: string;
  to: string;
  action: string;
}

const FIRST =
  'Answer four questions and see what the agent would do before it starts. It trades with paper money.';

/** Promises the trial only to whom it is open; undefined until the plan was asked for. */
function useFirstText(): string | undefined {
  switch (useFirstOffer()) {
    case undefined:
      return undefined;
    case 'trial':
      return `${FIRST} The setup includes the free trial. No card needed.`;
    case 'plan':
      return `${FIRST} Agents are included from the Starter plan.`;
    case 'neither':
      return FIRST;
  }
}

/**
 * The next step, by what this device knows; null once there was a trade, undefined while unknown.
 */
export function useNextStep(): Next | null | undefined {
  const uid = useSnapshot(session).user?.uid ?? '';
  const { data, error } = useSlot(agentsStore, loadAgents);
  const history = useSlot(historyStore, loadHistory);
  const offline = useSnapshot(connection).online === 'offline';
  const firstText = useFirstText();
  const agents = data?.agents;
  if (agents === undefined) return error === null && !offline ? undefined : null;
  // Only the history tells whether an agent has traded; without an agent there is no need to wait.
  if (agents.length > 0 && history.data === null && history.error === null && !offline)
    return undefined;
  if ((history.data?.fills.length ?? 0) > 0) return null;
  const [agent] = agents;
  if (agent === undefined)
    return firstText === undefined
      ? undefined
      : {
          title: 'Your first agent, in about two minutes',
          text: firstText,
          to: SETUP_PATH,
          action: hasDraft(SETUP_DRAFT, uid) ? GO_ON : SET_UP,
        };
  const to = `/agents/${encodeURIComponent(agent.id)}`;
  if (agents.every(({ startedAt }) => startedAt === null)) {
    return {
      title: `${agent.name} is ready to start`,
      text: 'You will see what it would do before it starts.',
      to,
      action: `Open ${agent.name}`,
    };
  }
  const running = agents.find(({ status }) => status === 'running') ?? agent;
  return {
    title: 'Waiting for the first trade',
    text: 'Your agent trades when its signal is strong enough. Every check is listed with its reason.',
    to: `/agents/${encodeURIComponent(running.id)}`,
    action: `Open ${running.name}`,
  };
}

export function NextStep() {
  const next = useNextStep();
  if (next === undefined) return <Skeleton className="h-40 w-full max-w-xl" />;
  if (next === null) return null;
  return (
    <section aria-label="Next step" className="max-w-xl">
      <h2 className="text-lg font-semibold text-balance">{next.title}</h2>
      <p className="mt-1 text-ink-2">{next.text}</p>
      <LinkButton to={next.to} tone="primary" className="mt-4 max-sm:w-full">
        {next.action}
      </LinkButton>
    </section>
  );
}

/** At the end of a text the user was sent to: back to what they were doing, or to the next step. */
export function NextStepLink({ from }: { from: string | null }) {
  const { status } = useSnapshot(session);
  return status === 'signed-in' ? (
    <Onward from={from} />
  ) : (
    <LinkButton to="/register" tone="primary">
      Create an account
    </LinkButton>
  );
}

/** For a logged-in user: only then is there anything to read from the server. */
function Onward({ from }: { from: string | null }) {
  const next = useNextStep();
  if (from !== null)
    return (
      <LinkButton to={from} tone="primary">
        Back to your setup
      </LinkButton>
    );
  if (next === null || next === undefined)
    return <LinkButton to="/dashboard">Dashboard</LinkButton>;
  return (
    <LinkButton to={next.to} tone="primary">
      {next.action}
    </LinkButton>
  );
}
