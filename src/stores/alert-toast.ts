/** Tells of price alerts that were reached, in a toast: those of one moment in one. */
import type { AlertFiring } from '../../contract/alerts.ts';
import { ALERT_PAIRS_NAMED } from '../../contract/limits.ts';
import { firingText, pricesMark } from '../format/alert-text.ts';
import { formatWhen } from '../format/times.ts';
import { serverNow } from './connection.ts';
import { pageToast, toastStore } from './toast-store.ts';

/** What comes within this of the one before, ms, is of one moment, or missed in one outage. */
const MOMENT_MS = 1_000;
/** A firing that the server knew of that long ago, ms, is told with its time. */
const NEWS_MS = 60_000;
const AFTERWARDS = 'found afterwards';

interface Moment {
  id: string;
  firings: Map<string, AlertFiring>;
  toldAt: number;
}
let moment: Moment | null = null;

const isOld = ({ recordedAt }: AlertFiring): boolean => serverNow() - recordedAt > NEWS_MS;

/** `BTC/USDT rose to 65,012.40 (14:32, found afterwards, simulated prices)`. */
function inWords(firing: AlertFiring): string {
  const { at, late } = firing;
  const prices = pricesMark(firing);
  const marks = [
    ...(late || isOld(firing) ? [formatWhen(at)] : []),
    ...(late ? [AFTERWARDS] : []),
    ...(prices === null ? [] : [prices]),
  ];
  return `${firingText(firing)}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`;
}

/** Several: which pairs, and the one that happened last. Missed stretches come pair by pair. */
function together(firings: AlertFiring[]): string {
  const latest = firings.reduce((last, one) => (one.at < last.at ? last : one));
  const others = firings.filter((one) => one !== latest);
  const pairs = [...new Set(firings.map(({ symbol }) => symbol))];
  const more = pairs.length - ALERT_PAIRS_NAMED;
  let some = '';
  if (others.some(({ late }) => late)) some = `, some ${AFTERWARDS}`;
  else if (others.some(isOld)) some = ', some earlier';
  return `${firings.length} price alerts reached${some}: ${pairs.slice(0, ALERT_PAIRS_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}. Latest: ${inWords(latest)}`;
}

/** The moment that goes on, while its toast is there; otherwise a new one. */
function momentOf(firing: AlertFiring, now: number): Moment {
  const goesOn =
    moment !== null &&
    now - moment.toldAt <= MOMENT_MS &&
    toastStore.toasts.some(({ id }) => id === moment?.id);
  return goesOn && moment !== null
    ? moment
    : { id: `alert-${firing.id}`, firings: new Map(), toldAt: now };
}

export function tellFiring(firing: AlertFiring): void {
  const now = Date.now();
  moment = momentOf(firing, now);
  moment.toldAt = now;
  moment.firings.set(firing.id, firing);
  const { id, firings } = moment;
  const words = firings.size === 1 ? inWords(firing) : together([...firings.values()]);
  pageToast('blank', words, { id });
}
