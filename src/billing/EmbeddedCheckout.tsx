/**
 * Stripe's checkout inside the app. Stripe's script is loaded only after the user has chosen a
 * plan.
 */
import { useEffect, useRef, useState } from 'react';
import { loadStripe } from '@stripe/stripe-js/pure';
import { Button } from '../components/Button.tsx';
import { SkeletonRows } from '../components/EmptyState.tsx';
import { environment } from '../environment.ts';

export default function EmbeddedCheckout({ clientSecret }: { clientSecret: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'open' | 'failed'>('loading');
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let gone = false;
    let close = (): void => undefined;
    const open = async (): Promise<void> => {
      const stripe = await loadStripe(environment.stripePublishableKey);
      if (stripe === null || gone) return;
      const checkout = await stripe.initEmbeddedCheckout({ clientSecret });
      if (gone || place.current === null) {
        checkout.destroy();
        return;
      }
      checkout.mount(place.current);
      close = () => {
        checkout.destroy();
      };
      setState('open');
    };
    setState('loading');
    open().catch(() => {
      if (!gone) setState('failed');
    });
    return () => {
      gone = true;
      close();
    };
  }, [clientSecret, turn]);
  return (
    <>
      {state === 'loading' && <SkeletonRows rows={3} label="Checkout" />}
      {state === 'failed' && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p role="alert" className="text-danger">
            Could not load the checkout. Nothing was charged.
          </p>
          <Button
            size="sm"
            onClick={() => {
              setTurn((now) => now + 1);
            }}
          >
            Try again
          </Button>
        </div>
      )}
      <div ref={place} className={state === 'open' ? 'min-h-40' : undefined} />
    </>
  );
}
