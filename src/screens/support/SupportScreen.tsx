/** Help: topics, a new request and earlier requests. */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { SupportDiagnostics } from '../../../contract/support.ts';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { connection } from '../../stores/connection.ts';
import { marketStore } from '../../stores/market-store.ts';
import { useAuth } from '../../stores/use-security.ts';
import { useCallable } from '../use-callable.ts';
import { Compose } from './Compose.tsx';
import { diagnosticsNow } from './diagnostics.ts';
import { Requests } from './Requests.tsx';

const ANSWERS = [
  ['/faq', 'Frequently asked questions'],
  ['/how-it-works', 'How it works'],
  ['/library', 'Strategies'],
  ['/settings', 'Settings and your data'],
  ['/security', 'Session and this device'],
  ['/stop-all', 'Stop all agents'],
] as const;

export default function SupportScreen() {
  const { online } = useSnapshot(connection);
  const { subscriptionTier } = useAuth();
  const { data, error, put, again } = useCallable('supportRequests');
  const facts = (): SupportDiagnostics =>
    diagnosticsNow({
      online: connection.online,
      stream: connection.stream,
      prices: marketStore.data?.source.label ?? 'not received yet',
      plan: subscriptionTier,
    });
  return (
    <>
      <ScreenTitle title="Support" />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-8">
          <Compose facts={facts} priority={data?.priority ?? false} onSent={put} />
          <Section title="Help topics">
            <ul>
              {ANSWERS.map(([to, label]) => (
                <li key={to} className="rule">
                  <Link href={to} className="row flex items-center hover:text-accent">
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </Section>
        </div>
        <Section
          title="Your requests"
          aside={
            data === null || data.requests.length === 0 ? undefined : `${data.requests.length}`
          }
        >
          {error !== null && online !== 'offline' && (
            <ReadError message={error} hasData={data !== null} onRetry={again} />
          )}
          {data !== null && <Requests requests={data.requests} onChanged={put} />}
          {data === null && online === 'offline' && (
            <EmptyState title="Not saved on this device">
              Your requests and replies appear when you're back online.
            </EmptyState>
          )}
          {data === null && online !== 'offline' && error === null && (
            <SkeletonRows rows={3} label="Your requests" rowClass="min-h-14" />
          )}
        </Section>
      </div>
    </>
  );
}
