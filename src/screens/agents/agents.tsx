/** All agents: states, results, start and stop, one at a time or all; refuses to hide Stop. */
import { CircleStop, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { agentCap, tierPermits } from '../../../contract/tiers.ts';
import { startAll, stopAll } from '../../commands.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { loadAgents } from '../../stores/agents.ts';
import { loadMarket, marketStore } from '../../stores/market.ts';
import { useAuth } from '../../stores/security.ts';
import { act } from '../act.ts';
import { useAgentViews, useSlot } from '../reading.ts';
import { CreateAgentForm } from './AgentForm.tsx';
import { AgentRow } from './AgentRow.tsx';

/** Whether there is room for one more, and what to say where there is not. */
function CreateDialog({ open, onOpenChange, count }: { open: boolean; onOpenChange: (open: boolean) => void; count: number }) {
  const [, go] = useLocation();
  const { subscriptionTier } = useAuth();
  const quote = useSlot(marketStore, loadMarket).data?.source.quote ?? '';
  const cap = agentCap(subscriptionTier);
  const mayCreate = tierPermits(subscriptionTier, 'agents', 'create');
  const room = count < cap;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="New agent"
      description={mayCreate && room ? 'It is created stopped. You start it when you have seen what it will do.' : mayCreate ? `Your plan has ${cap} agents, and all are in use. Delete one, or take a larger plan.` : 'Creating agents is part of Starter (2), Standard (5), Pro (10), Pro-max (25), and of the free trial (5).'}
      {...(mayCreate && room ? {} : { actions: <LinkButton to="/subscription" tone="primary">View Plans</LinkButton> })}>
      {mayCreate && room && <CreateAgentForm quote={quote} onCreated={(agent) => { onOpenChange(false); go(`/agents/${encodeURIComponent(agent.id)}`); }} />}
    </Dialog>
  );
}

export default function AgentsScreen() {
  const { views, slot } = useAgentViews();
  const [creating, setCreating] = useState(false);
  const all = views ?? [];
  const startable = all.filter((view) => view.canStart && !view.canStop);
  const running = all.filter((view) => view.agent.status === 'running').length;
  const positions = all.reduce((count, view) => count + view.agent.openPositions, 0);
  return (
    <>
      <ScreenTitle title="Agents" note={views === null ? undefined : `${running} of ${all.length} running`}>
        {startable.length > 1 && <HoldToConfirm label="Start all" size="sm" tone="quiet" icon={<Play className="size-4" aria-hidden />} sentence={`Starts ${startable.length} agents: ${startable.map((view) => view.agent.name).join(', ')}.`} onConfirm={() => { act(startAll(startable.map((view) => view.agent))); }} />}
        {all.some((view) => view.canStop) && <HoldToConfirm label="Stop all" size="sm" icon={<CircleStop className="size-4" aria-hidden />} sentence={`Stops every agent. ${positions} open ${positions === 1 ? 'position stays' : 'positions stay'} protected by stops.`} onConfirm={() => { act(stopAll()); }} />}
        <Button tone="primary" size="sm" onClick={() => { setCreating(true); }}><Plus className="size-4" aria-hidden />New agent</Button>
      </ScreenTitle>
      <ReadError message={slot.error} hasData={views !== null} onRetry={() => { void loadAgents(true); }} />
      {views === null && slot.error === null && <SkeletonRows rows={5} rowClass="min-h-[77px]" label="Agents" />}
      {views !== null && views.length === 0 && (
        <EmptyState title="No agents yet" action={<div className="flex flex-wrap gap-2"><Button tone="primary" onClick={() => { setCreating(true); }}>New agent</Button><LinkButton to="/guided-setup">Guided setup</LinkButton></div>}>
          Agents watch pairs, decide on closed candles and trade on paper. Every decision is kept with its reason.
        </EmptyState>
      )}
      {views !== null && views.length > 0 && <ul>{views.map((view) => <AgentRow key={view.agent.id} view={view} />)}</ul>}
      <CreateDialog open={creating} onOpenChange={setCreating} count={all.length} />
    </>
  );
}
