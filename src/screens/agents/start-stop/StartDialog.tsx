/**
 * Confirms the start of an agent: what it will do and what it can lose. An Aggressive one needs a
 * hold.
 */
import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../../contract/agents.ts';
import { startAgent } from '../../../commands.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Skeleton } from '../../../components/EmptyState.tsx';
import { Amount } from '../../../components/Figures.tsx';
import { HoldToConfirm } from '../../../components/HoldToConfirm.tsx';
import { Line } from '../../../components/Section.tsx';
import { screenPart } from '../../../components/screen-part.tsx';
import { formatNumber, formatRatio, UNKNOWN } from '../../../format/numbers.ts';
import { may } from '../../../identity/security-context.ts';
import { loadMarket, marketStore } from '../../../stores/market-store.ts';
import { portfolioStore } from '../../../stores/portfolio-store.ts';
import { connectionOf } from '../../../stores/shown-account.ts';
import { useSecurity } from '../../../stores/use-security.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { showResult } from '../../show-result.ts';
import { useSlot } from '../../use-store.ts';
import { UpgradeHere } from '../../subscription/UpgradeHere.tsx';
import { planText } from '../agent-text.ts';
import { EntriesOffNotice } from '../EntriesOffNotice.tsx';
import { RISK_UNREAD, riskOf, worstLoss } from '../agent-risk.ts';

const PreviewPanel = screenPart(() => import('../preview/PreviewPanel.tsx'));
const StartLiveDialog = screenPart(() => import('../../live/start/StartLiveDialog.tsx'));
const BacktestPanel = screenPart(() => import('../backtest/BacktestPanel.tsx'));

function Preview({ agent }: { agent: Agent }) {
  const settings = useSlot(settingsStore, loadSettings).data;
  const equity = useSnapshot(portfolioStore).data?.equity ?? null;
  const feeBps = useSlot(marketStore, loadMarket).data?.source.feeBps;
  const risk = riskOf(agent.risk_profile, settings?.riskProfiles ?? []);
  const known = settings !== null;
  const worst =
    equity === null || !known ? null : worstLoss(agent.max_position_size, equity, risk, feeBps);
  const why = known ? 'Equity not loaded yet' : RISK_UNREAD;
  return (
    <>
      <EntriesOffNotice agentId={agent.id} className="mb-3" />
      <dl>
        <Line term="Risk values">
          {agent.risk_profile},{' '}
          {!known ? 'your values not loaded yet' : risk.isOwn ? 'your own values' : 'preset'}
        </Line>
        <Line term="Signal needed to enter">
          {known ? `${formatRatio(risk.threshold)} or more` : UNKNOWN}
        </Line>
        <Line
          term={
            known
              ? `Largest position, at most ${formatNumber(risk.position)} % of equity`
              : 'Largest position'
          }
        >
          <Amount value={worst?.position} quote={agent.quote} why={why} />
        </Line>
        <Line term="Stop loss">{known ? `${formatNumber(risk.stop)} % below entry` : UNKNOWN}</Line>
        <Line term={<strong className="text-ink">Maximum loss per pair at the stop</strong>}>
          <strong>
            <Amount value={worst?.loss} change why={why} />
          </strong>
        </Line>
      </dl>
      <p className="mt-3 mb-4 text-ink-2">
        {feeBps === undefined ? '' : 'Fees included. '}If the price gaps, you can lose more.{' '}
        {known &&
          `After a loss of ${formatNumber(risk.dayLoss)} % of equity in a day, or ${formatNumber(risk.drawdown)} % from the peak, the agent opens no new positions. `}
        Paper money.
      </p>
      <Suspense fallback={<Skeleton className="h-60 w-full" />}>
        <PreviewPanel ask={{ agentId: agent.id }} rows={agent.trading_pairs.length} />
      </Suspense>
      <Suspense fallback={<Skeleton className="mt-4 h-20 w-full" />}>
        <div className="mt-4">
          <BacktestPanel ask={{ agentId: agent.id }} version={agent.version} />
        </div>
      </Suspense>
    </>
  );
}

interface StartDialogProps {
  agent: Agent;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Real money is started in a dialog of its own, with a confirmation. */
export function StartDialog(props: StartDialogProps) {
  if (connectionOf(props.agent) === null) return <StartOnPaper {...props} />;
  if (!props.open) return null;
  return (
    <Suspense>
      <StartLiveDialog {...props} />
    </Suspense>
  );
}

function StartOnPaper({ agent, open, onOpenChange }: StartDialogProps) {
  const allowed = may(useSecurity(), 'trading', 'basic');
  const start = (): void => {
    onOpenChange(false);
    showResult(startAgent(agent));
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Start ${agent.name}`}
      description={planText(agent)}
      actions={
        allowed && (
          <>
            <Button
              onClick={() => {
                onOpenChange(false);
              }}
            >
              Cancel
            </Button>
            {agent.risk_profile === 'Aggressive' ? (
              <HoldToConfirm
                label="Hold to start"
                sentence={planText(agent)}
                tone="primary"
                onConfirm={start}
              />
            ) : (
              <Button tone="primary" onClick={start}>
                Start
              </Button>
            )}
          </>
        )
      }
    >
      {allowed ? (
        <Preview agent={agent} />
      ) : (
        <>
          <p className="mb-4 text-ink-2">
            You need a plan or the free trial to start agents. Your agents are kept, and Stop always
            works.
          </p>
          <UpgradeHere
            need={{ resource: 'trading', action: 'basic', agents: 1 }}
            from={`/agents/${encodeURIComponent(agent.id)}`}
          />
        </>
      )}
    </Dialog>
  );
}
