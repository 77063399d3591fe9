/** What the access guard shows in place of a screen, and the way on from there. */
import { Suspense, type ReactNode } from 'react';
import { LinkButton } from '../components/Button.tsx';
import { screenPart } from '../components/screen-part.tsx';
import { routeRule, type Access } from '../identity/security-context.ts';

const UpgradeHere = screenPart(async () => ({
  default: (await import('../screens/subscription/UpgradeHere.tsx')).UpgradeHere,
}));

/** Offers the plan that has this page, and the way back here. */
function UpgradePrompt({ path }: { path: string }) {
  const rule = routeRule(path.replace(/[?#].*$/, ''));
  if (rule?.resource === undefined || rule.action === undefined) return null;
  return (
    <div className="mt-4 min-h-24 text-sm">
      <Suspense>
        <UpgradeHere
          need={{ resource: rule.resource, action: rule.action }}
          from={path}
          withoutLink
        />
      </Suspense>
    </div>
  );
}

function Blocked({
  title,
  children,
  to,
  action,
  tone = 'primary',
}: {
  title: string;
  children: ReactNode;
  to: string;
  action: string;
  tone?: 'primary' | 'quiet';
}) {
  return (
    <div className="mx-auto flex min-h-[60dvh] max-w-md flex-col items-start justify-center gap-4">
      <h1 className="text-xl">{title}</h1>
      <div className="text-base text-ink-2">{children}</div>
      <LinkButton to={to} tone={tone}>
        {action}
      </LinkButton>
    </div>
  );
}

/** The guard's screen for a refusal; `path` is the requested address with its query. */
export function Refused({
  access,
  path,
  offline = false,
}: {
  access: Extract<Access, { allowed: false }>;
  path: string;
  offline?: boolean;
}) {
  switch (access.screen) {
    case 'authentication':
      return (
        <Blocked
          title="Authentication Required"
          to={`/login?next=${encodeURIComponent(path)}`}
          action="Go to Login"
        >
          Your session has expired or you are not logged in. Please authenticate to continue.
          {offline && (
            <p className="mt-2 text-amber">You're offline. You need a connection to log in.</p>
          )}
        </Blocked>
      );
    case 'feature':
      return (
        <Blocked title="Feature Unavailable" to="/subscription" action="View Plans" tone="quiet">
          This feature requires additional permissions. Please upgrade your subscription.
          <UpgradePrompt path={path} />
        </Blocked>
      );
    case 'upgrade':
      return (
        <Blocked title="Upgrade Required" to="/subscription" action="View Plans" tone="quiet">
          <p>{access.reason}</p>
          <p className="mt-2">
            Upgrade your plan to use it. Your agents and history stay as they are.
          </p>
          <UpgradePrompt path={path} />
        </Blocked>
      );
    case 'denied':
      return (
        <Blocked title="Access Denied" to="/dashboard" action="Go to Dashboard">
          {access.reason === '' ? 'You do not have permission to access this page.' : access.reason}
        </Blocked>
      );
  }
}

/** Offline, and the device does not know the plan. */
export function PlanUnknown() {
  return (
    <Blocked title="Plan not saved on this device" to="/dashboard" action="Go to Dashboard">
      This device does not know whether your plan includes this page. It opens when you're back
      online.
    </Blocked>
  );
}
