/** Stripe's checkout inside the app; refuses to load Stripe's script before a person has chosen a plan. */
import { useEffect, useRef, useState } from 'react';
import { loadStripe } from '@stripe/stripe-js/pure';
import { environment } from '../environment.ts';

export default function EmbeddedCheckout({ clientSecret }: { clientSecret: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    let close = (): void => undefined;
    const open = async (): Promise<void> => {
      const stripe = await loadStripe(environment.stripePublishableKey);
      if (stripe === null || gone) return;
      const checkout = await stripe.initEmbeddedCheckout({ clientSecret });
      if (gone || place.current === null) { checkout.destroy(); return; }
      checkout.mount(place.current);
      close = () => { checkout.destroy(); };
    };
    open().catch(() => { setFailed(true); });
    return () => { gone = true; close(); };
  }, [clientSecret]);
  return (
    <>
      {failed && <p role="alert" className="text-danger">The checkout could not be loaded. Nothing was charged. Check the connection and choose the plan again.</p>}
      <div ref={place} className="min-h-40" />
    </>
  );
}
