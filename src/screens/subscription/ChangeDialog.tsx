/** Shows what a change of plan means for agents and money before it is confirmed. */
import { useCallback, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { ChangePreview } from '../../../contract/plan-change.ts';
import { api } from '../../api/api.ts';
import { endPlan } from '../../billing/checkout.ts';
import { PORTAL, checkoutProgress, visitPortal } from '../../billing/take-plan.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Line } from '../../components/Section.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { formatAmount } from '../../format/numbers.ts';
import { connection } from '../../stores/connection.ts';
import { subscriptionChanged, plansStore } from '../../stores/subscription-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { AgentsAfter } from './AgentsAfter.tsx';
import { chargeLines, comesAndGoes, endedText, whenText } from './change-text.ts';

export interface ChangeDialogProps {
  planId: string;
  /** The page to return to. */
  from: string | null;
  onLeave?: (() => void) | undefined;
  onClose: () => void;
}

interface Read {
  preview: ChangePreview | null;
  error: string | null;
  again: () => void;
}

function usePreview(planId: string): Read {
  const [preview, setPreview] = useState<ChangePreview | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let gone = false;
    setError(null);
    api.call('changePreview', { query: { planId } }).then(
      (reply) => {
        if (!gone) setPreview(reply);
      },
      (failure: unknown) => {
        if (!gone) setError(errorSentence(failure));
      },
    );
    return () => {
      gone = true;
    };
  }, [planId, turn]);
  return {
    preview,
    error,
    again: useCallback(() => {
      setTurn((now) => now + 1);
    }, []),
  };
}

function Money({ preview: { charge, kind } }: { preview: ChangePreview }) {
  if (charge === null)
    return kind === 'end' ? null : (
      <p className="text-ink-2">The billing portal shows today's cost before you confirm.</p>
    );
  return (
    <section aria-label="Cost">
      <dl>
        {chargeLines(charge).map(({ term, amount }) => (
          <Line key={term} term={term}>
            <strong>{amount}</strong>
          </Line>
        ))}
      </dl>
      {charge.lines.length > 1 && (
        <details className="mt-1 text-ink-2">
          <summary className="reach min-h-8 cursor-pointer text-accent">
            How this is calculated
          </summary>
          <dl>
            {charge.lines.map(({ text, amount }, index) => (
              <Line key={index} term={text}>
                {formatAmount(amount, { signed: true })} {charge.currency}
              </Line>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

function ComesAndGoes({ preview }: { preview: ChangePreview }) {
  const { gets, givesUp } = comesAndGoes(preview);
  const list = (title: string, names: string[]) =>
    names.length === 0 ? null : (
      <p className="text-ink-2">
        <span className="font-medium text-ink">{title}:</span> {names.join('; ')}.
      </p>
    );
  return (
    <>
      {list('You get', gets)}
      {list('You lose', givesUp)}
    </>
  );
}

/** Cancels the plan here, or opens the portal for a change. */
function useConfirm({ planId, from, onLeave, onClose }: ChangeDialogProps, planName: string) {
  const [ending, setEnding] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    setFailure(null);
    if (planId !== 'free') {
      onLeave?.();
      await visitPortal({ planId, planName, from });
      return;
    }
    setEnding(true);
    try {
      const left = await endPlan();
      await subscriptionChanged();
      pageToast('success', endedText(left));
      onClose();
    } catch (caught) {
      setFailure(errorSentence(caught));
    }
    setEnding(false);
  };
  return { ending, failure, confirm };
}

function Meaning({ preview }: { preview: ChangePreview }) {
  return (
    <>
      <Money preview={preview} />
      <ComesAndGoes preview={preview} />
      <section aria-label="Your agents after the change">
        <AgentsAfter consequences={preview} />
      </section>
    </>
  );
}

export default function ChangeDialog(props: ChangeDialogProps) {
  const { planId, onClose } = props;
  const { preview, error, again } = usePreview(planId);
  const plan = useSnapshot(plansStore).data?.plans.find((one) => one.id === planId);
  const { busy, problem } = useSnapshot(checkoutProgress);
  const { online } = useSnapshot(connection);
  const end = planId === 'free';
  const name = plan?.name ?? planId;
  const { ending, failure, confirm } = useConfirm(props, name);
  const word = preview?.kind === 'upgrade' ? 'Upgrade' : 'Change';
  const wrong = failure ?? (problem?.of === PORTAL ? problem.text : null);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={end ? 'Cancel plan' : `${word} to ${name}`}
      description={preview === null ? 'Nothing changes until you confirm.' : whenText(preview)}
      actions={
        preview?.kind !== 'none' && (
          <>
            <Button onClick={onClose}>{end ? 'Keep my plan' : 'Cancel'}</Button>
            <Button
              tone={end ? 'danger' : 'primary'}
              busy={ending || busy === PORTAL}
              disabled={preview === null || online === 'offline'}
              onClick={() => {
                void confirm();
              }}
            >
              {end ? 'Cancel plan' : 'Confirm in the billing portal'}
            </Button>
          </>
        )
      }
    >
      <div className="flex min-h-44 flex-col gap-4">
        {error !== null && <ReadError message={error} onRetry={again} />}
        {preview === null && error === null && <SkeletonRows rows={4} label="Details" />}
        {preview !== null && preview.kind !== 'none' && <Meaning preview={preview} />}
        {online === 'offline' && (
          <p role="status" className="text-amber">
            You're offline. You need a connection to change plans. Nothing was changed.
          </p>
        )}
        {wrong !== null && online !== 'offline' && (
          <p role="alert" className="text-danger">
            {wrong}
          </p>
        )}
      </div>
    </Dialog>
  );
}
