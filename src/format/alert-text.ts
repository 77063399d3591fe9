/** Price alerts in words: condition, repetition, what was reached and the present state. */
import type { Alert, AlertCondition, AlertFiring } from '../../contract/alerts.ts';
import { formatPercent, formatPrice } from './numbers.ts';
import { formatWhen } from './times.ts';

const MINUTES_A_DAY = 1_440;

/** `5 min`, `1 h`, `24 h`. */
export function formatMinutes(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`;
}

const WAY = { up: 'up', down: 'down', either: 'up or down' } as const;

/** `above 65,000.00`, `moves 5.00 % up or down within 1 h`. */
export function conditionText(condition: AlertCondition): string {
  if (condition.kind !== 'move') return `${condition.kind} ${formatPrice(condition.price)}`;
  const { bps, direction, windowMinutes } = condition;
  return `moves ${formatPercent(bps / 100, { signed: false })} ${WAY[direction]} within ${formatMinutes(windowMinutes)}`;
}

/** An alert by its condition: `BTC/USDT above 65,000.00`. */
export const alertName = ({
  symbol,
  condition,
}: {
  symbol: string;
  condition: AlertCondition;
}): string => `${symbol} ${conditionText(condition)}`;

export function repeatText(repeatMinutes: number | null): string {
  if (repeatMinutes === null) return 'Once';
  return repeatMinutes === MINUTES_A_DAY
    ? 'Each time, at most once a day'
    : `Each time, at most every ${formatMinutes(repeatMinutes)}`;
}

/** What was reached, with the price: `BTC/USDT rose to 65,012.40`. */
export function firingText({
  symbol,
  condition,
  price,
  movedBps,
}: Pick<AlertFiring, 'symbol' | 'condition' | 'price' | 'movedBps'>): string {
  if (condition.kind !== 'move') {
    return `${symbol} ${condition.kind === 'above' ? 'rose to' : 'fell to'} ${formatPrice(price)}`;
  }
  const moved = formatPercent((movedBps ?? 0) / 100);
  return `${symbol} moved ${moved} within ${formatMinutes(condition.windowMinutes)}, to ${formatPrice(price)}`;
}

/** What the prices were that a firing rests on, where no exchange traded at them. */
export function pricesMark({
  simulated,
  recorded,
}: Pick<AlertFiring, 'simulated' | 'recorded'>): string | null {
  if (!simulated) return null;
  return recorded === true ? 'recorded prices' : 'simulated prices';
}

/** The state of an alert, or its last known state while the server is away. */
export function phaseText(
  alert: Parameters<typeof alertPhaseText>[0],
  now: number,
  current: boolean,
): string {
  const words = alertPhaseText(alert, now);
  return current || alert.phase === 'fired' ? words : `${words} when last seen`;
}

function alertPhaseText(
  {
    phase,
    condition,
    restsUntil,
    lastFiredAt,
  }: Pick<Alert, 'phase' | 'condition' | 'restsUntil' | 'lastFiredAt'>,
  now: number,
): string {
  if (phase === 'watching') return 'Watching';
  if (phase === 'off') return 'Off';
  if (phase === 'fired')
    return lastFiredAt === null ? 'Reached' : `Reached ${formatWhen(lastFiredAt, now)}`;
  if (restsUntil !== null && restsUntil > now)
    return `Reached. Active again after ${formatWhen(restsUntil, now)}`;
  if (condition.kind === 'move') return 'Waiting for the current move to end';
  return `Waiting for the price to move ${condition.kind === 'above' ? 'below' : 'above'} ${formatPrice(condition.price)}`;
}
