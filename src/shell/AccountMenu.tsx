/** The signed-in user, their plan, and links to their settings. */
import { CircleUserRound } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { Popover } from '../components/Popover.tsx';
import { session } from '../identity/session.ts';
import { useAuth } from '../stores/use-security.ts';

export const PLAN_LABEL: Record<ReturnType<typeof useAuth>['subscriptionTier'], string> = {
  free: 'Free',
  trial: 'Free trial',
  starter: 'Starter',
  standard: 'Standard',
  pro: 'Pro',
  'pro-max': 'Pro Max',
};
const LINK = 'flex min-h-11 items-center rounded-md px-3 hover:bg-sunken pointer-fine:min-h-9';

export function AccountMenu() {
  const { user } = useSnapshot(session);
  const { subscriptionTier } = useAuth();
  const name = user?.displayName ?? user?.email ?? 'Account';
  return (
    <Popover
      buttonLabel={`Account ${name}`}
      buttonClass="flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-left text-ink-2 hover:bg-sunken hover:text-ink pointer-fine:min-h-9"
      button={
        <>
          <CircleUserRound className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />
          <span className="truncate">{name}</span>
        </>
      }
    >
      {(close) => (
        <>
          <p className="px-3 py-1.5">
            <span className="block truncate font-medium">{user?.email ?? name}</span>
            <span className="text-xs text-ink-3">{PLAN_LABEL[subscriptionTier]}</span>
          </p>
          <Link href="/settings" onClick={close} className={LINK}>
            Settings
          </Link>
          <Link href="/trading" onClick={close} className={LINK}>
            Trading settings
          </Link>
          <Link href="/subscription" onClick={close} className={LINK}>
            Subscription
          </Link>
          {/* Logging out may ask about unsent commands, so it has its own screen. */}
          <Link href="/security" onClick={close} className={LINK}>
            Security and log out
          </Link>
        </>
      )}
    </Popover>
  );
}
