/** What needs the person in this account: alarms, and orders whose outcome is unknown. */
import type { LiveAccount } from '../../../../contract/live.ts';
import { formatWhen } from '../../../format/times.ts';
import { alarmText } from '../live-text.ts';
import { OrderRow } from './Orders.tsx';

/** An alarm of the last days; older ones are listed and no longer call. */
const RECENT_MS = 3 * 24 * 60 * 60_000;

export function Alarms({ account }: { account: LiveAccount }) {
  const unknown = account.orders.filter(({ doubt }) => doubt !== null);
  const recent = account.alarms.filter(({ raisedAt }) => account.asOf - raisedAt < RECENT_MS);
  if (unknown.length === 0 && recent.length === 0) return null;
  return (
    <section aria-label="Needs you" className="mb-7 border-l-2 border-amber pl-4">
      <h2 className="text-sm font-semibold text-amber">Needs you</h2>
      <ul>
        {unknown.map((order) => (
          <OrderRow key={order.clientOrderId} order={order} account={account} />
        ))}
        {recent.map((alarm) => {
          const { title, about } = alarmText(alarm);
          return (
            <li key={`${alarm.kind} ${alarm.about}`} className="py-1.5">
              <span className="font-medium">{title}</span>
              <span className="block text-xs text-ink-3">
                {about === '' ? '' : `${about} · `}
                {formatWhen(alarm.raisedAt)}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
