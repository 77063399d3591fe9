/** The facts behind the first steps, from the stores and this device. */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { keepsSnapshots } from '../../commands.ts';
import { formatAmount } from '../../format/numbers.ts';
import { session } from '../../identity/session.ts';
import { deviceState } from '../../push/device.ts';
import { install, isStandalone } from '../../platform/install.ts';
import { agentsStore, loadAgents } from '../../stores/agents-store.ts';
import { historyStore, loadHistory } from '../../stores/fills-store.ts';
import { useKeptPortfolio } from '../../stores/kept-portfolio.ts';
import { loadPortfolio, portfolioStore } from '../../stores/portfolio-store.ts';
import { useAuth } from '../../stores/use-security.ts';
import { subscriptionStore } from '../../stores/subscription-store.ts';
import { useSlot } from '../use-store.ts';
import { note, readNotes } from './step-notes.ts';
import { progressOf, stepsOf, type Progress, type Step } from './first-steps.ts';

export function useSteps(): { steps: Step[]; progress: Progress } {
  const uid = useSnapshot(session).user?.uid ?? '';
  const { isSubscribed, hasUsedTrial } = useAuth();
  const plan = useSnapshot(subscriptionStore).data?.status ?? null;
  const agents = useSlot(agentsStore, loadAgents).data?.agents;
  const portfolio = useSlot(portfolioStore, loadPortfolio).data;
  const history = useSlot(historyStore, loadHistory).data;
  const kept = useKeptPortfolio(uid);
  const { installed: now } = useSnapshot(install);
  const notes = readNotes(uid);
  const installed = now || isStandalone();
  // Noted once from the installed app, it is known in a browser window too.
  useEffect(() => {
    if (installed) note(uid, 'installed');
  }, [installed, uid]);
  const steps = stepsOf({
    deposit: portfolio === null ? null : `${formatAmount(portfolio.deposits)} ${portfolio.quote}`,
    subscribed: plan === null ? null : isSubscribed,
    hasUsedTrial,
    agents: agents?.length ?? null,
    everStarted: agents === undefined ? null : agents.some((agent) => agent.startedAt !== null),
    trades: history?.fills.length ?? null,
    keeps: keepsSnapshots(),
    kept: keepsSnapshots() ? kept : false,
    installed: installed || notes.has('installed'),
    notified: deviceState(uid),
    hasSeenSecurity: notes.has('security'),
    hasReadRisk: notes.has('risk'),
  });
  return { steps, progress: progressOf(steps) };
}
