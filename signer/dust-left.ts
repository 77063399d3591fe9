/**
 * Dust that the server left to the person stops counting as held, and its cost as money in the
 * market. The coins are there, so no balance proves it: a stolen server could call parts of a
 * position dust, and frees no more by it in a day than may be lost in one.
 */
import { add, floorToStep, multiply, subtract, UNIT, ZERO, type Fixed } from '../contract/money.ts';
import type { PairRules } from '../contract/venue.ts';
import type { AuditLog } from './audit-log.ts';
import { lossToday } from './day-loss.ts';
import type { Journal } from './journal.ts';
import { costOf, dayOf, dustLeftOn, sellable, type Connection } from './ledger.ts';
import { limitsInForce, type Refused } from './limits.ts';
import type { MarketView } from './market-view.ts';
import type { WriteOff } from './write-off.ts';

/** Each is a record for good: more than all agents of an account sell in a day. */
const TIMES_A_DAY = 1_000;

interface LeavingDust {
  journal: Journal;
  audit: AuditLog;
  now: () => number;
  market: MarketView;
}

/**
 * Up to twice the least worth: the price may have risen since the server judged by its own. Nothing
 * sells what the exchange does not list.
 */
function isDust(quantity: Fixed, price: Fixed, rules: PairRules | undefined): boolean {
  if (rules === undefined) return true;
  const lots = floorToStep(quantity, rules.quantityStep);
  if (lots === ZERO || lots < rules.minQuantity) return true;
  return multiply(lots, price, 'down') < rules.minNotional * 2n;
}

/** `ReadFailed` and `NotSent` pass through. Where the pair has no book, what was paid is its price. */
export async function leaveDust(
  parts: LeavingDust,
  connection: Connection,
  { writeOffId, symbol, quantity, isAsked }: WriteOff,
): Promise<Refused | null> {
  if (connection.writeOffsSeen.has(writeOffId)) return null;
  if (quantity <= ZERO) return { code: 'not_held', detail: 'nothing is to be left' };
  const { journal, audit, now, market } = parts;
  // The day begins, or what it began without joins it: its loss stays what it is.
  await lossToday(parts, connection, market);
  const { marks, rules } = await market.marksOf([symbol]);
  // From here to the end nothing else runs.
  if (connection.writeOffsSeen.has(writeOffId)) return null;
  const position = connection.positions.get(symbol) ?? { quantity: ZERO, cost: ZERO };
  const mark = marks.get(symbol);
  if (!isDust(quantity, mark ?? costOf(position, UNIT), rules.get(symbol)))
    return { code: 'not_dust', detail: 'an order may sell as much' };
  if (quantity > sellable(connection, symbol))
    return { code: 'busy', detail: 'an order may still sell these coins' };
  const cost = costOf(position, quantity);
  const { maxDailyLoss } = limitsInForce(connection.limits, connection.connectedAtMs, now());
  const today = dustLeftOn(connection, dayOf(now()));
  if (add(today.cost, cost) > maxDailyLoss || today.times >= TIMES_A_DAY)
    return { code: 'dust_limit', detail: 'as much dust was left today as may be lost in a day' };
  if (isAsked) return null;
  const worth = mark === undefined ? ZERO : multiply(quantity, mark, 'down');
  const unrealised = subtract(worth, cost);
  const { connectionId } = connection;
  const record = { connectionId, writeOffId, symbol, quantity, unrealised, isDust: true };
  journal.write({ kind: 'written_off', atMs: now(), ...record });
  audit.write('server', 'dust left to the person', { connectionId, writeOffId, symbol }, true);
  return null;
}
