/** Shows what a change of plan means for agents and money before it is confirmed. */
import { useCallback, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { ChangePreview } from '../../../contract/plan-change.ts';
import { api } from '../../api/api.ts';
import { PORTAL, checkoutProgress, visitPortal } from '../../billing/take-plan.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Line } from '../../components/Section.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { formatAmount } from '../../format/numbers.ts';
import { connection } from '../../stores/connection.ts';
import { plansStore } from '../../stores/subscription-store.ts';
import { AgentsAfter } from './AgentsAfter.tsx';
import { cancelPlan, MAYBE_CANCELLED } from './cancel-progress.ts';
import { chargeLines, comesAndGoes, whenText } from './change-text.ts';
import { useCancelPlan, type CancelPlan } from './use-cancel-plan.ts';

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

/** Nothing is kept for certain once a cancellation was sent. */
function keepText(end: boolean, isSent: boolean): string {
  if (isSent) return 'Close';
  return end ? 'Keep my plan' : 'Cancel';
}

/** Without a network: "nothing" is said only where nothing was sent. */
function offlineText({ isSending, isOpen }: CancelPlan): string {
  if (isSending) return "You're offline. This was already sent and may take effect.";
  const needed = "You're offline. You need a connection to change plans.";
  return isOpen ? needed : `${needed} Nothing was changed.`;
}

function Outcome({ cancelling }: { cancelling: CancelPlan }) {
  const { problem } = useSnapshot(checkoutProgress);
  const { online } = useSnapshot(connection);
  const offline = online === 'offline';
  const { failure, isOpen } = cancelling;
  const wrong = failure ?? (problem?.of === PORTAL && !offline ? problem.text : null);
  return (
    <>
      {offline && (
        <p role="status" className="text-amber">
          {offlineText(cancelling)}
        </p>
      )}
      {(wrong !== null || isOpen) && (
        <div role="alert" className="text-danger">
          {wrong !== null && <p>{wrong}</p>}
          {isOpen && <p>{MAYBE_CANCELLED}</p>}
        </div>
      )}
    </>
  );
}

export default function ChangeDialog({ planId, from, onLeave, onClose }: ChangeDialogProps) {
  const { preview, error, again } = usePreview(planId);
  const plan = useSnapshot(plansStore).data?.plans.find((one) => one.id === planId);
  const { busy } = useSnapshot(checkoutProgress);
  const { online } = useSnapshot(connection);
  const end = planId === 'free';
  const name = plan?.name ?? planId;
  const cancelling = useCancelPlan(end, onClose);
  const { isSending, isOpen } = cancelling;
  const word = preview?.kind === 'upgrade' ? 'Upgrade' : 'Change';
  const confirm = (): void => {
    if (end) {
      void cancelPlan();
      return;
    }
    onLeave?.();
    void visitPortal({ planId, planName: name, from });
  };
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
            <Button onClick={onClose}>{keepText(end, isSending || isOpen)}</Button>
            <Button
              tone={end ? 'danger' : 'primary'}
              busy={isSending || busy === PORTAL}
              disabled={preview === null || online === 'offline'}
              onClick={confirm}
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
        <Outcome cancelling={cancelling} />
      </div>
    </Dialog>
  );
}
