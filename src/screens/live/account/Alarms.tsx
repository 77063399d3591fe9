/** What needs the person in this account: coins that are missing, alarms, orders of unknown outcome. */
import type { LiveAccount } from '../../../../contract/live.ts';
import { formatWhen } from '../../../format/times.ts';
import { alarmText } from '../live-text.ts';
import { MissingCoins, missingOf } from './MissingCoins.tsx';
import { OrderRow } from './Orders.tsx';

/** An alarm of the last days; older ones are listed and no longer call. */
const RECENT_MS = 3 * 24 * 60 * 60_000;

/** What is missing now is shown as such; an alarm of it is of the past. */
const saysMissing = ({ missing }: LiveAccount): boolean => missing !== undefined;

export function Alarms({ account }: { account: LiveAccount }) {
  const unknown = account.orders.filter(({ doubt }) => doubt !== null);
  const recent = account.alarms.filter(
    ({ kind, raisedAt }) =>
      account.asOf - raisedAt < RECENT_MS && !(kind === 'coins_missing' && saysMissing(account)),
  );
  const isMissing = missingOf(account).length > 0;
  if (unknown.length === 0 && recent.length === 0 && !isMissing) return null;
  return (
    <section aria-label="Needs you" className="mb-7 border-l-2 border-amber pl-4">
      <h2 className="text-sm font-semibold text-amber">Needs you</h2>
      <MissingCoins account={account} />
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
