/** The screen of all price alerts, active and reached. */
import { Bell } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { AlertFiring } from '../../../contract/alerts.ts';
import { ALERTS_MAX } from '../../../contract/limits.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, NotRead, SkeletonRows } from '../../components/EmptyState.tsx';
import { ScreenError } from '../../components/ScreenError.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { Tag } from '../../components/Tags.tsx';
import { firingText } from '../../format/alert-text.ts';
import { UNKNOWN } from '../../format/numbers.ts';
import { formatWhen } from '../../format/times.ts';
import { useCurrent } from '../../shell/data-age.ts';
import { DataAge } from '../../shell/DataAge.tsx';
import type { AlertView } from '../../stores/alert-view.ts';
import { alertsSeen, alertsStore, loadAlerts, noteAlertsSeen } from '../../stores/alerts-store.ts';
import { loadMarket, marketStore } from '../../stores/market-store.ts';
import { useMarketNow, useSlot } from '../use-store.ts';
import { AlertRows, useAlertViews } from './AlertRows.tsx';
import type { Editing } from './AlertForm.tsx';
import { useDeleted } from './UndoDelete.tsx';
import { useAlertForm } from './use-alert-form.tsx';

const NOT_LIVE = 'These prices are simulated or recorded, not live market prices.';

function Reached({ firing, fresh, now }: { firing: AlertFiring; fresh: boolean; now: number }) {
  return (
    <li className="rule py-2">
      <Link href={`/market/${firing.symbol.replace('/', '-')}`} className="block hover:text-accent">
        <span className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 font-medium">{firingText(firing)}</span>
          <span className="shrink-0 text-ink-2">{formatWhen(firing.at, now)}</span>
        </span>
        <span className="flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
          {fresh && <Tag tone="accent">New</Tag>}
          {firing.late && <span>Found afterwards, when the server could check</span>}
          {firing.note !== '' && <span>“{firing.note}”</span>}
        </span>
      </Link>
    </li>
  );
}

/**
 * The moment up to which firings count as seen, fixed when the screen is opened; opening it marks
 * all as seen.
 */
function useFreshUntil(known: boolean): number {
  const [until, setUntil] = useState<number | null>(null);
  useEffect(() => {
    if (!known) return;
    setUntil((before) => before ?? alertsSeen.until);
    noteAlertsSeen();
  }, [known]);
  return until ?? Infinity;
}

function Firings({ firings }: { firings: readonly AlertFiring[] }) {
  const now = useMarketNow(10_000);
  const until = useFreshUntil(true);
  const newest = firings[0]?.id;
  const current = useCurrent('alerts');
  useEffect(() => {
    noteAlertsSeen();
  }, [newest]);
  if (firings.length === 0)
    return (
      <p className="rule row flex items-center text-ink-3">
        {current ? 'None yet.' : 'None when last seen.'}
      </p>
    );
  return (
    <>
      <ul>
        {firings.map((firing) => (
          <Reached key={firing.id} firing={firing} fresh={firing.recordedAt > until} now={now} />
        ))}
      </ul>
      {firings.some(({ simulated }) => simulated) && (
        <p className="pt-2 text-xs text-ink-3">{NOT_LIVE}</p>
      )}
    </>
  );
}

/** The pairs that have a price of the server; a stable list until one comes or goes. */
function useSymbols(): readonly string[] {
  const { data, origin } = useSlot(marketStore, loadMarket);
  const names = Object.keys((origin === 'exchange' ? null : data)?.symbols ?? {})
    .sort()
    .join(' ');
  return useMemo(() => (names === '' ? [] : names.split(' ')), [names]);
}

interface WatchedProps {
  /** Null until the server's list or a queued change is here. */
  views: readonly AlertView[] | null;
  sorted: readonly AlertView[];
  /** Whether the server's list is here. */
  known: boolean;
  error: string | null;
  onEdit: (editing: Editing) => void;
}

/** Reserves its height while loading, so that nothing below moves. */
function Watched({ views, sorted, known, error, onEdit }: WatchedProps) {
  // The last one that was deleted keeps its place while that can be undone.
  const hasRows = useDeleted().length > 0 || sorted.length > 0;
  const isLoading = error === null && (views === null || (!hasRows && !known));
  const current = useCurrent('alerts');
  return (
    <Section title="Active" className="min-h-[17rem]">
      {isLoading && <SkeletonRows rows={4} label="Your alerts" rowClass="min-h-14" />}
      {!hasRows && known && (
        <EmptyState title={current ? 'No alerts yet' : 'No alerts when last seen'}>
          Set an alert for a price, or for a move within a time. The server checks every price and
          notifies you.
        </EmptyState>
      )}
      {!hasRows && !known && error !== null && <NotRead />}
      {hasRows && (views !== null || error !== null) && (
        <AlertRows views={sorted} named empty="" onEdit={onEdit} />
      )}
    </Section>
  );
}

export default function AlertsScreen() {
  const { data, error } = useSlot(alertsStore, loadAlerts);
  const views = useAlertViews();
  const { begin, edit, form } = useAlertForm(useSymbols());
  const sorted = useMemo(
    () => [...(views ?? [])].sort((a, b) => a.terms.symbol.localeCompare(b.terms.symbol)),
    [views],
  );
  const full = sorted.length >= ALERTS_MAX;
  return (
    <>
      <ScreenTitle
        title="Alerts"
        note={
          <>
            {data === null ? UNKNOWN : sorted.length} of {ALERTS_MAX} <DataAge kind="alerts" />
          </>
        }
      >
        <Button
          tone="primary"
          disabled={full}
          onClick={() => {
            begin();
          }}
        >
          <Bell className="size-4" aria-hidden />
          New alert
        </Button>
      </ScreenTitle>
      <ScreenError
        message={error}
        hasData={data !== null}
        onRetry={() => {
          void loadAlerts(true);
        }}
      />
      {full && (
        <p className="mb-4 text-amber">
          You have reached the limit of {ALERTS_MAX} alerts. Delete one to add another.
        </p>
      )}
      <div className="grid gap-8 lg:grid-cols-2">
        <Watched views={views} sorted={sorted} known={data !== null} error={error} onEdit={edit} />
        <Section title="Reached" className="min-h-[14rem]">
          {data === null && error !== null && <NotRead />}
          {data === null && error === null && (
            <SkeletonRows rows={3} label="Reached alerts" rowClass="min-h-14" />
          )}
          {data !== null && <Firings firings={data.firings} />}
        </Section>
      </div>
      {form}
    </>
  );
}
