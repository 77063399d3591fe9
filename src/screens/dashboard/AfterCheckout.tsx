/**
 * Tells how a checkout ended, until the server has confirmed the plan; the query alone proves
 * nothing.
 */
import { useEffect, useLayoutEffect } from 'react';
import { useSnapshot } from 'valtio';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { outcomeOf } from '../../billing/checkout-outcome.ts';
import {
  checkoutReturn,
  checkoutReturnText,
  endCheckoutReturn,
  leaveCheckoutReturn,
  returnFromCheckout,
} from '../../billing/checkout-return.ts';
import { forgetCheckout } from '../../billing/pending-checkout.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { connection } from '../../stores/connection.ts';
import { checkSubscription } from '../../stores/subscription-store.ts';

function useReturn(): void {
  const search = useSearch();
  // With the notice itself: what it says first is what it is about.
  useLayoutEffect(() => {
    const outcome = outcomeOf(search);
    // Handled once: a reload or a step back in history must not repeat it.
    if (outcome !== null) history.replaceState(history.state, '', location.pathname);
    returnFromCheckout(outcome, (path) => {
      navigate(path, { replace: true });
    });
  }, [search]);
  useEffect(() => leaveCheckoutReturn, []);
}

export default function AfterCheckout() {
  useReturn();
  const now = useSnapshot(checkoutReturn);
  const { online } = useSnapshot(connection);
  if (now.state === 'none') return null;
  return (
    <section
      aria-label="Checkout"
      role="status"
      className={classes(
        'mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-l-2 py-1 pl-3',
        now.state === 'active' ? 'border-accent' : 'border-amber text-amber',
      )}
    >
      <p className="max-w-[64ch]">{checkoutReturnText(now, online)}</p>
      <span className="flex gap-1">
        {now.state === 'late' && (
          <Button
            size="sm"
            onClick={() => {
              void checkSubscription();
            }}
          >
            Check again
          </Button>
        )}
        <Button
          size="sm"
          tone="plain"
          onClick={() => {
            forgetCheckout();
            endCheckoutReturn();
          }}
        >
          Hide
        </Button>
      </span>
    </section>
  );
}
