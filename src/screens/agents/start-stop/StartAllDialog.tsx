/**
 * Confirms the start of all agents: their settings, the maximum loss together and a preview of
 * each.
 */
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { startAll } from '../../../commands.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Amount } from '../../../components/Figures.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { formatAmount } from '../../../format/numbers.ts';
import { loadMarket, marketStore } from '../../../stores/market-store.ts';
import { portfolioStore } from '../../../stores/portfolio-store.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { showResult } from '../../show-result.ts';
import { useSlot } from '../../use-store.ts';
import { PreviewButton } from '../preview/PreviewButton.tsx';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import { namesText, planText } from '../agent-text.ts';
import { whyUnknown, worstOf } from './confirm-start-text.ts';

/**
 * Which agents are started, how much they may hold together, and the maximum loss at the stops.
 * `worst` is decimal text, null while unknown.
 */
function startAllSentence(agents: readonly Agent[], quote: string, worst: string | null): string {
  const most = agents.reduce((sum, agent) => sum + agent.max_position_size, 0);
  const aggressive = agents.filter((agent) => agent.risk_profile === 'Aggressive').length;
  const loss =
    worst === null
      ? ''
      : ` Maximum loss at the stops, with one position each: ${formatAmount(worst.replace('-', ''))} ${quote}.`;
  return (
    `Starts ${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}: ${namesText(agents.map((agent) => agent.name))}. ` +
    `With one position each, they hold at most ${formatAmount(String(most))} ${quote}.` +
    `${aggressive > 0 ? ` Aggressive: ${aggressive}.` : ''}${loss} Paper money.`
  );
}

export default function StartAllDialog({
  agents,
  onClose,
}: {
  agents: readonly Agent[];
  onClose: () => void;
}) {
  const own = useSlot(settingsStore, loadSettings).data?.riskProfiles ?? null;
  const feeBps = useSlot(marketStore, loadMarket).data?.source.feeBps;
  const equity = useSnapshot(portfolioStore).data?.equity ?? null;
  const worst = worstOf(agents, equity, own, feeBps);
  const sentence = startAllSentence(agents, agents[0]?.quote ?? '', worst?.together ?? null);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Start all"
      description={sentence}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <HoldToConfirm
            label={`Hold to start ${agents.length}`}
            sentence={sentence}
            tone="primary"
            onConfirm={() => {
              onClose();
              showResult(startAll([...agents]));
            }}
          />
        </>
      }
    >
      <EntriesOffNotice className="mb-3" />
      <ul>
        {agents.map((agent) => (
          <li key={agent.id} className="rule py-2">
            <div className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{agent.name}</span>
              <Amount value={worst?.each.get(agent.id)} change why={whyUnknown(own)} />
            </div>
            <p className="text-xs text-ink-2">{planText(agent)}</p>
            <PreviewButton agentId={agent.id} name={agent.name} rows={agent.trading_pairs.length} />
          </li>
        ))}
      </ul>
      <p className="rule flex items-baseline justify-between gap-3 py-2">
        <strong className="font-semibold">Maximum loss at the stops, one position each</strong>
        <strong className="shrink-0 font-semibold">
          <Amount
            value={worst?.together}
            change
            quote={agents[0]?.quote ?? ''}
            why={whyUnknown(own)}
          />
        </strong>
      </p>
      <p className="text-xs text-ink-3">
        {feeBps === undefined ? '' : 'Fees included. '}If the price gaps, you can lose more. Each
        agent may open more than one position. Paper money.
      </p>
    </Dialog>
  );
}
