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
/** px, of its one line. */
const LEAST_HEIGHT = 45;

/** Nobody is signed in: the next person's page keeps no room for this one's banner. */
export function forgetTrialBanner(): void {
  localStorage.removeItem(HEIGHT_KEY);
}

/**
 * `shown` is false on a dashboard: then it only remembers whether the other pages need room for it.
 */
export function TrialBanner({ shown }: { shown: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const { data } = useSnapshot(subscriptionStore);
  // Looked at again every minute, at the server's time: never before the moment it named last.
  useNow(60_000);
  const banner =
    data === null
      ? null
      : trialBanner(data.status, data.trial, Math.max(serverNow(), data.trial?.servedAt ?? 0));
  const known = data !== null;
  const due = banner !== null;
  useEffect(() => {
    if (!known) return;
    if (due)
      localStorage.setItem(
        HEIGHT_KEY,
        String(box.current?.offsetHeight ?? localStorage.getItem(HEIGHT_KEY) ?? LEAST_HEIGHT),
      );
    else forgetTrialBanner();
  }, [known, due, shown]);
  if (!shown) return null;
  if (!known) {
    // Room for it, as it was last time, so that the page does not move when the word comes.
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
