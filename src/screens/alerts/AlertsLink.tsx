/** The link to the alerts, with the number of new ones. */
import { Bell } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { LinkButton } from '../../components/Button.tsx';
import { alertsSeen, alertsStore, unseenFirings } from '../../stores/alerts-store.ts';

function useUnseenFirings(): number {
  const { data } = useSnapshot(alertsStore);
  const { until } = useSnapshot(alertsSeen);
  return unseenFirings(data?.firings ?? [], until);
}

export function AlertsLink() {
  const unseen = useUnseenFirings();
  return (
    <LinkButton to="/alerts" size="sm">
      <Bell className="size-4" aria-hidden />
      Alerts
      {unseen > 0 && (
        <span className="rounded-full bg-accent px-1.5 text-xs text-accent-ink">
          <span className="sr-only">, </span>
          {unseen}
          <span className="sr-only"> new</span>
        </span>
      )}
    </LinkButton>
  );
}
