/** The screen of all agents, with start and stop of one or all. */
import { CircleStop, Play, Plus } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { placesTaken } from '../../../../contract/agent-account.ts';
import { agentCap, tierPermits } from '../../../../contract/tiers.ts';
import { keepsSnapshots } from '../../../commands.ts';
import { Button, LinkButton } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { EmptyState, SkeletonRows } from '../../../components/EmptyState.tsx';
import { ScreenError } from '../../../components/ScreenError.tsx';
import { ScreenTitle } from '../../../components/Section.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import { accountChoice } from '../../../stores/account-choice.ts';
import { runningText, type AgentView } from '../../../stores/agent-view.ts';
import { loadAgents } from '../../../stores/agents-store.ts';
import { useAuth } from '../../../stores/use-security.ts';
import {
  useAgentViews,
  useCurrency,
  useEntries,
  useInsight,
  useShownViews,
} from '../../use-store.ts';
import { stopAllSentence, unprotectedOfAll } from '../../stop-all/StopAllScreen.tsx';
import { UpgradeHere } from '../../subscription/UpgradeHere.tsx';
import type { GivenDraft } from '../create/agent-draft.ts';
import { AgentList } from './AgentList.tsx';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import { NEW_AGENT_PATH, WIZARD_DRAFT } from '../create/kept-draft.ts';
import { carryDraft, isUnanswered } from '../create/kept-request.ts';
import { StopAllButton } from '../start-stop/StopAllButton.tsx';

const CreateWizard = screenPart(() => import('../create/CreateWizard.tsx'));
const AccountAge = screenPart(() => import('../../live/AccountAge.tsx'));
const StartAllDialog = screenPart(() => import('../start-stop/StartAllDialog.tsx'));

interface CreateDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  count: number;
  /** What it begins with; the user's unfinished new agent by default. */
  given?: GivenDraft;
  title?: string;
  /** The exchange account it will trade; null for paper. */
  connectionId?: string | null;
}

/** Whether the plan allows another agent, and what to say if not. */
export function CreateDialog({
  open,
  onOpenChange,
  count,
  given,
  title = 'New agent',
  connectionId = null,
}: CreateDialogProps) {
  const { subscriptionTier } = useAuth();
  const quote = useCurrency();
  const cap = agentCap(subscriptionTier);
  const isPermitted = tierPermits(subscriptionTier, 'agents', 'create');
  // An agent whose creation was not answered may have taken the last place itself.
  const hasPlace = count < cap || (open && isUnanswered(given?.keptAs ?? WIZARD_DRAFT));
  // A form that is open stays, whatever becomes of the plan meanwhile: the server has the last word.
  const [isBegun, setBegun] = useState(false);
  const isForm = open && (isBegun || (isPermitted && hasPlace));
  if (isForm !== isBegun) setBegun(isForm);
  const mayCreate = isPermitted || isForm;
  const placesLeft = hasPlace || isForm;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      wide={mayCreate && placesLeft}
      description={createDescription(mayCreate, placesLeft, cap)}
    >
      {(!mayCreate || !placesLeft) && (
        <UpgradeHere
          need={{ resource: 'agents', action: 'create', agents: count + 1 }}
          from={NEW_AGENT_PATH}
          {...(given === undefined
            ? {}
            : {
                typed: true,
                onLeave: () => {
                  carryDraft(given.keptAs, WIZARD_DRAFT, { draft: given.draft, step: 'terms' });
                },
              })}
        />
      )}
      {mayCreate && placesLeft && (
        <Suspense
          fallback={
            <div className="max-md:min-h-dvh">
              <SkeletonRows rows={5} />
            </div>
          }
        >
          <CreateWizard
            quote={quote}
            given={given}
            connectionId={connectionId}
            onCreated={(agent) => {
              onOpenChange(false);
              navigate(`/agents/${encodeURIComponent(agent.id)}`);
            }}
          />
        </Suspense>
      )}
    </Dialog>
  );
}

function createDescription(mayCreate: boolean, hasPlace: boolean, cap: number): string {
  if (!mayCreate) return 'You need a plan or the free trial to create agents.';
  return hasPlace
    ? `Nothing is created until the last step.${keepsSnapshots() ? ' Your entries are saved.' : ''}`
    : `You have reached your plan's limit of ${cap} agents. Delete one or upgrade.`;
}

/** The agents that a command for all did not reach, until it is retried or dismissed. */
function NotDone({ views }: { views: readonly AgentView[] }) {
  const entry = useEntries()
    .filter((one) => one.intent === 'start-all' || one.intent === 'stop-all')
    .findLast((one) => one.results?.some((result) => !result.went) === true);
  if (entry === undefined) return null;
  const names = new Map(views.map((view) => [view.agent.id, view.agent.name]));
  const failed = entry.results?.filter((result) => !result.went) ?? [];
  const word = entry.intent === 'start-all' ? 'started' : 'stopped';
  return (
    <section aria-label={`Not ${word}`} role="status" className="mb-5 border-l-2 border-amber pl-4">
      <h2 className="text-sm font-semibold text-amber">
        {failed.length} of {entry.results?.length} not {word}
      </h2>
      <ul>
        {failed.map((result) => (
          <li key={result.agentId} className="py-1">
            <Link
              href={`/agents/${encodeURIComponent(result.agentId)}`}
              className="font-medium hover:text-accent"
            >
              {names.get(result.agentId) ?? result.name}
            </Link>{' '}
            <span className="text-ink-2">
              {result.message === '' ? 'No reason given.' : result.message}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AllAgentsButtonsProps {
  views: readonly AgentView[];
  /** With real money each start is confirmed by itself. */
  isLive: boolean;
  onStartAll: () => void;
  onStopAll: () => void;
}

/** Start all and Stop all, each only if it would do something. */
function AllAgentsButtons({ views, isLive, onStartAll, onStopAll }: AllAgentsButtonsProps) {
  return (
    <>
      {!isLive && startableOf(views).length > 1 && (
        <Button size="sm" onClick={onStartAll}>
          <Play className="size-4" aria-hidden />
          Start all
        </Button>
      )}
      {views.some((view) => view.canStop) && (
        <Button size="sm" tone="danger-quiet" onClick={onStopAll}>
          <CircleStop className="size-4" aria-hidden />
          Stop all
        </Button>
      )}
    </>
  );
}

const startableOf = (views: readonly AgentView[]): AgentView[] =>
  views.filter((view) => view.canStart && !view.canStop);

function FirstAgent() {
  return (
    <EmptyState
      title="No agents yet"
      action={
        <LinkButton to="/guided-setup" tone="primary">
          Set up my first agent
        </LinkButton>
      }
    >
      Agents watch the market and trade with paper money when their signal is strong enough. Every
      decision is listed with its reason.
    </EmptyState>
  );
}

function FirstLiveAgent() {
  return (
    <EmptyState title="No agents in this account yet">
      Create one here. It trades with real money, and only after you have started and confirmed it.
    </EmptyState>
  );
}

interface StopAllDialogProps {
  open: boolean;
  views: readonly AgentView[];
  current: boolean;
  onClose: () => void;
}

function StopAllDialog({ open, views, current, onClose }: StopAllDialogProps) {
  const stoppable = views.filter((view) => view.agent.status !== 'stopped');
  const positions = views.reduce((count, view) => count + view.agent.openPositions, 0);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title="Stop all"
      description={stopAllSentence(
        stoppable.map((view) => view.agent.name),
        positions,
        current,
        unprotectedOfAll(views),
      )}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <StopAllButton onPress={onClose} />
        </>
      }
    />
  );
}

/** The list, or what is shown in its place. */
function AllAgents({
  views,
  error,
  isLive,
}: {
  views: readonly AgentView[] | null;
  error: string | null;
  isLive: boolean;
}) {
  return (
    <>
      <ScreenError
        message={error}
        hasData={views !== null}
        onRetry={() => {
          void loadAgents(true);
        }}
      />
      {views === null && error === null && (
        <SkeletonRows rows={5} rowClass="min-h-[89px]" label="Agents" />
      )}
      {views !== null && views.length === 0 && (isLive ? <FirstLiveAgent /> : <FirstAgent />)}
      {views !== null && views.length > 0 && (
        <div className={isLive ? 'live-frame' : undefined}>
          <AgentList views={views} />
        </div>
      )}
    </>
  );
}

/** As wide as its longest words: the buttons beside it must not change their line. */
function Running({ views, current }: { views: readonly AgentView[] | null; current: boolean }) {
  const agents = views?.map(({ agent }) => agent);
  return (
    <span className="inline-block min-w-60">
      {agents === undefined ? '\u00a0' : runningText(agents, current)}
    </span>
  );
}

export default function AgentsScreen() {
  const { views, current, slot } = useShownViews();
  const every = useAgentViews().views ?? [];
  const { chosen } = useSnapshot(accountChoice);
  // `?new`: returned from choosing a plan while this was open.
  const [creating, setCreating] = useState(() => new URLSearchParams(location.search).has('new'));
  useEffect(() => {
    if (location.search !== '') history.replaceState(history.state, '', location.pathname);
  }, []);
  const [asking, setAsking] = useState<'start' | 'stop' | null>(null);
  const close = (): void => {
    setAsking(null);
  };
  useInsight();
  const all = views ?? [];
  return (
    <>
      <ScreenTitle title="Agents" note={<Running views={views} current={current} />}>
        <AllAgentsButtons
          views={all}
          isLive={chosen !== null}
          onStartAll={() => {
            setAsking('start');
          }}
          onStopAll={() => {
            setAsking('stop');
          }}
        />
        <Button
          tone="primary"
          size="sm"
          onClick={() => {
            setCreating(true);
          }}
        >
          <Plus className="size-4" aria-hidden />
          New agent
        </Button>
      </ScreenTitle>
      <EntriesOffNotice />
      <NotDone views={all} />
      {chosen !== null && (
        <div className="min-h-6 text-right">
          <Suspense>
            <AccountAge id={chosen} />
          </Suspense>
        </div>
      )}
      <AllAgents views={views} error={slot.error} isLive={chosen !== null} />
      {asking === 'start' && (
        <Suspense>
          <StartAllDialog agents={startableOf(all).map((view) => view.agent)} onClose={close} />
        </Suspense>
      )}
      {/* It reaches every agent, of every account. */}
      <StopAllDialog open={asking === 'stop'} views={every} current={current} onClose={close} />
      <CreateDialog
        open={creating}
        onOpenChange={setCreating}
        count={placesTaken(every.map(({ agent }) => agent))}
        connectionId={chosen}
      />
    </>
  );
}
