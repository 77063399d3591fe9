/** The running trial under the header; refuses to show where there is none. */
import { useSnapshot } from 'valtio';
import { trialBanner, UPGRADE_TO_CONTINUE } from '../billing/entitlement-view.ts';
import { LinkButton } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { useNow } from '../components/use-now.ts';
import { serverNow } from '../stores/connection.ts';
import { subscriptionStore } from '../stores/subscription.ts';

export function TrialBanner() {
  const { data } = useSnapshot(subscriptionStore);
  // Looked at again every minute, at the server's time: never before the moment it named last.
  useNow(60_000);
  const banner = data === null ? null : trialBanner(data.status, data.trial, Math.max(serverNow(), data.trial?.servedAt ?? 0));
  if (banner === null) return null;
  return (
    <div role="status" data-warning={banner.warning} className={classes('flex min-h-11 flex-wrap items-center justify-between gap-x-4 border-b border-line px-4 py-1 md:px-6', banner.warning ? 'bg-amber-wash text-amber' : 'bg-accent-wash text-ink')}>
      <p><span className="font-medium">{banner.title}</span><span className="mx-2" aria-hidden>·</span>{banner.text}</p>
      {banner.warning && <LinkButton to="/subscription" size="sm">{UPGRADE_TO_CONTINUE}</LinkButton>}
    </div>
  );
}
