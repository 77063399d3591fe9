/**
 * Dust that the server left to the person stops counting as held, and its cost as money in the
 * market. The coins are there, so no balance proves it: a stolen server could call parts of a
 * position dust, and frees no more by it in a day than may be lost in one.
 */
import { add, floorToStep, multiply, subtract, ZERO, type Fixed } from '../contract/money.ts';
import type { PairRules } from '../contract/venue.ts';
import type { AuditLog } from './audit-log.ts';
import { lossToday } from './day-loss.ts';
import type { Journal } from './journal.ts';
import { costOf, dayOf, dustLeftOn, sellable, type Connection } from './ledger.ts';
import { limitsInForce, type Refused } from './limits.ts';
import type { MarketView } from './market-view.ts';
import type { WriteOff } from './write-off.ts';

interface LeavingDust {
  journal: Journal;
  audit: AuditLog;
  now: () => number;
  market: MarketView;
}

/** Up to twice the least worth: the price may have risen since the server judged by its own. */
function isDust(quantity: Fixed, mark: Fixed, rules: PairRules): boolean {
  const lots = floorToStep(quantity, rules.quantityStep);
  if (lots === ZERO || lots < rules.minQuantity) return true;
  return multiply(lots, mark, 'down') < rules.minNotional * 2n;
}

/** `ReadFailed` and `NotSent` pass through: without a price nothing is dust. */
export async function leaveDust(
  parts: LeavingDust,
  connection: Connection,
  { writeOffId, symbol, quantity, isAsked }: WriteOff,
): Promise<Refused | null> {
  if (connection.writeOffsSeen.has(writeOffId)) return null;
  const { journal, audit, now, market } = parts;
  // The day begins, or what it began without joins it: its loss stays what it is.
  await lossToday(parts, connection, market);
  const { marks, rules } = await market.marksOf([symbol]);
  // From here to the end nothing else runs.
  if (connection.writeOffsSeen.has(writeOffId)) return null;
  const mark = marks.get(symbol);
  const ofPair = rules.get(symbol);
  if (mark === undefined || ofPair === undefined)
    return { code: 'no_market_data', detail: 'the pair has no price' };
  if (!isDust(quantity, mark, ofPair))
    return { code: 'not_dust', detail: 'an order may sell as much' };
  if (quantity > sellable(connection, symbol))
    return { code: 'busy', detail: 'an order may still sell these coins' };
  const cost = costOf(connection.positions.get(symbol) ?? { quantity: ZERO, cost: ZERO }, quantity);
  const { maxDailyLoss } = limitsInForce(connection.limits, connection.connectedAtMs, now());
  if (add(dustLeftOn(connection, dayOf(now())), cost) > maxDailyLoss)
    return { code: 'dust_limit', detail: 'as much dust was left today as may be lost in a day' };
  if (isAsked) return null;
  const unrealised = subtract(multiply(quantity, mark, 'down'), cost);
  const { connectionId } = connection;
  const record = { connectionId, writeOffId, symbol, quantity, unrealised, isDust: true };
  journal.write({ kind: 'written_off', atMs: now(), ...record });
  audit.write('server', 'dust left to the person', { connectionId, writeOffId, symbol }, true);
  return null;
}
