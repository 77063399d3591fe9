/** The banner of a running trial. */
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { trialBanner, UPGRADE_TO_CONTINUE } from '../billing/entitlement-view.ts';
import { LinkButton } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { useNow } from '../components/use-now.ts';
import { serverNow } from '../stores/connection.ts';
import { subscriptionStore } from '../stores/subscription-store.ts';

const HEIGHT_KEY = 'tradewind.trial-banner';
/** Height of its one line, px. */
const LEAST_HEIGHT = 45;

/** Signed out: the next user's page reserves no space for this banner. */
export function forgetTrialBanner(): void {
  localStorage.removeItem(HEIGHT_KEY);
}

/** On a dashboard `shown` is false: it only remembers whether other pages need space. */
export function TrialBanner({ shown }: { shown: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const { data } = useSnapshot(subscriptionStore);
  // Recomputed every minute at the server's time, never before the last known moment.
  useNow(60_000);
  const banner =
    data === null
      ? null
      : trialBanner(data.status, data.trial, Math.max(serverNow(), data.trial?.servedAt ?? 0));
  const known = data !== null;
  const due = banner !== null;
  useEffect(() => {
    if (!known) return;
    if (!due) {
      forgetTrialBanner();
      return;
    }
    const shownBox = box.current;
    if (shownBox === null || typeof ResizeObserver === 'undefined') {
      localStorage.setItem(HEIGHT_KEY, localStorage.getItem(HEIGHT_KEY) ?? String(LEAST_HEIGHT));
      return;
    }
    // Heard of once the page is laid out: to ask for it here would lay out the page for a press.
    const observer = new ResizeObserver(([entry]) => {
      const height = Math.round(entry?.borderBoxSize[0]?.blockSize ?? LEAST_HEIGHT);
      localStorage.setItem(HEIGHT_KEY, String(height));
    });
    observer.observe(shownBox);
    return () => {
      observer.disconnect();
    };
  }, [known, due, shown]);
  if (!shown) return null;
  if (!known) {
    // Reserves the space of the last time, so that the page does not move when the status arrives.
    const height = Number(localStorage.getItem(HEIGHT_KEY) ?? 0);
    return height > 0 ? (
      <div aria-hidden className="border-b border-line bg-sunken" style={{ height }} />
    ) : null;
  }
  if (banner === null) return null;
  return (
    <div
      ref={box}
      role="status"
      data-warning={banner.warning}
      className={classes(
        'flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-1.5 md:px-6',
        banner.warning ? 'bg-amber-wash text-amber' : 'bg-accent-wash text-ink',
      )}
    >
      <p>
        <span className="font-medium">{banner.title}</span>
        <span className="mx-2" aria-hidden>
          ·
        </span>
        {banner.text}
      </p>
      {banner.warning && (
        <LinkButton to="/subscription" size="sm">
          {UPGRADE_TO_CONTINUE}
        </LinkButton>
      )}
    </div>
  );
}
