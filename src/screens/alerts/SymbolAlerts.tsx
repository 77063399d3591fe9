/** The alerts of one pair on its page, and the button to set one. */
import { Bell } from 'lucide-react';
import { Link } from 'wouter';
import { Button } from '../../components/Button.tsx';
import { NotRead, SkeletonRows } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import { useCurrent } from '../../shell/data-age.ts';
import { alertsStore, loadAlerts } from '../../stores/alerts-store.ts';
import { useSlot } from '../use-store.ts';
import { AlertRows, useAlertViews } from './AlertRows.tsx';
import { useAlertForm } from './use-alert-form.tsx';

export function SetAlert({ symbol }: { symbol: string }) {
  const { begin, form } = useAlertForm();
  return (
    <>
      <Button
        size="sm"
        onClick={() => {
          begin(symbol);
        }}
      >
        <Bell className="size-4" aria-hidden />
        Set alert
      </Button>
      {form}
    </>
  );
}

export function SymbolAlerts({ symbol }: { symbol: string }) {
  const { data, error } = useSlot(alertsStore, loadAlerts);
  const { edit, form } = useAlertForm();
  const views = useAlertViews()?.filter(({ terms }) => terms.symbol === symbol);
  // A waiting change of another pair says nothing of this one.
  const unknown = views === undefined || (data === null && views.length === 0);
  const current = useCurrent('alerts');
  return (
    <Section
      title="Your alerts"
      aside={
        <Link href="/alerts" className="underline underline-offset-2 hover:text-ink">
          All alerts
        </Link>
      }
    >
      {unknown && error === null && <SkeletonRows rows={1} label="Your alerts" />}
      {unknown && error !== null && <NotRead />}
      {!unknown && (
        <AlertRows
          views={views}
          named={false}
          empty={current ? 'None for this pair.' : 'None for this pair when last seen.'}
          onEdit={edit}
        />
      )}
      {form}
    </Section>
  );
}
