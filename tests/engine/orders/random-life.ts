/** One seeded life of orders on the small exchange, judged by what really happened there. */
import { add, subtract, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { hasEnded } from '../../../engine/orders/live-order.ts';
import { heldChange } from '../../../engine/orders/venue-ledger.ts';
import { random } from '../../support/tape.ts';
import { AGENTS, OrderDriver, type Mutant } from './order-driver.ts';
import { TruthExchange, type Dialect } from './truth-exchange.ts';

const LAG_MAX_MS = 120_000;
const DIALECTS: readonly Dialect[] = [
  { name: 'searchable ids', replaysIds: false, saleFeeInBase: false, lagMaxMs: LAG_MAX_MS },
  { name: 'replayed ids', replaysIds: true, saleFeeInBase: false, lagMaxMs: LAG_MAX_MS },
  { name: 'fees in the coin sold', replaysIds: false, saleFeeInBase: true, lagMaxMs: LAG_MAX_MS },
];

export interface Verdict {
  seed: number;
  faults: number;
  orders: number;
  fills: number;
  doubled: string[];
  lost: string[];
  oversold: string[];
  differences: string[];
  reservations: string[];
  problems: string[];
  counts: ReadonlyMap<string, number>;
}

export const isWrong = (verdict: Verdict): boolean =>
  verdict.doubled.length +
    verdict.lost.length +
    verdict.oversold.length +
    verdict.differences.length +
    verdict.reservations.length +
    verdict.problems.length >
  0;

const STEPS = 60;
/** Twenty minutes in which nothing new happens. */
const QUIET_STEPS = 40;
const QUIET_STEP_MS = 30_000;

/** `lagMaxMs`: lists that lag longer than the policy allows for, or the usual. */
export function live(seed: number, mutant: Mutant = 'none', lagMaxMs = LAG_MAX_MS): Verdict {
  const draw = random(seed);
  const dialect = DIALECTS[seed % DIALECTS.length] ?? DIALECTS[0];
  if (dialect === undefined) throw new Error('No dialect');
  const truth = new TruthExchange({ ...dialect, lagMaxMs }, draw);
  const driver = new OrderDriver(truth, mutant);
  const oversold = new Set<string>();
  driver.reconcile();
  for (let step = 0; step < STEPS; step += 1) {
    truth.advance(1_000 + Math.floor(draw() * 40_000));
    if (draw() < 0.25) driver.decide();
    if (draw() < 0.08) truth.byHand();
    if (draw() < 0.03) driver.restart();
    if (draw() < 0.3) driver.reconcile();
    driver.step();
    findOversold(truth, driver, oversold);
  }
  truth.quiet = true;
  for (let step = 0; step < QUIET_STEPS; step += 1) {
    truth.advance(QUIET_STEP_MS);
    driver.windDown();
  }
  return judge(seed, truth, driver, oversold);
}

/** What agents own by the exchange's own trades, and what their open orders there might still sell. */
function findOversold(truth: TruthExchange, driver: OrderDriver, oversold: Set<string>): void {
  for (const { agentId } of AGENTS) {
    let owned = ZERO;
    let exposed = ZERO;
    const isOfAgent = (id: string | null): boolean =>
      driver.orders.get(id ?? '')?.intent.agentId === agentId;
    const ours = truth.orders.filter((order) => isOfAgent(order.clientOrderId));
    const ids = new Set(ours.map((order) => order.exchangeOrderId));
    for (const trade of truth.trades)
      if (ids.has(trade.exchangeOrderId)) owned = add(owned, heldChange(trade));
    for (const order of ours)
      if (order.side === 'sell' && order.status === 'open')
        exposed = add(exposed, subtract(order.quantity, order.filled));
    if (owned < 0n || exposed > owned) oversold.add(agentId);
  }
}

function judge(
  seed: number,
  truth: TruthExchange,
  driver: OrderDriver,
  oversold: ReadonlySet<string>,
): Verdict {
  const verdict: Verdict = {
    seed,
    faults: truth.faults,
    orders: driver.orders.size,
    fills: truth.trades.length,
    doubled: doubledIn(truth, driver),
    lost: lostIn(truth, driver),
    oversold: [...oversold],
    differences: [],
    reservations: [],
    problems: driver.problems,
    counts: driver.counts,
  };
  const owned = driver.owned();
  for (const asset of new Set([...owned.keys(), ...truth.balances.keys()])) {
    const ours: Fixed = owned.get(asset) ?? ZERO;
    const theirs: Fixed = truth.balances.get(asset) ?? ZERO;
    if (ours !== theirs) verdict.differences.push(`${asset}: ${ours} and ${theirs}`);
  }
  for (const order of driver.orders.values()) {
    const { clientOrderId } = order.intent;
    if (!hasEnded(order)) verdict.problems.push(`${clientOrderId} is still ${order.state}`);
    if (order.reserved !== 0n) verdict.reservations.push(clientOrderId);
  }
  return verdict;
}

/** Decisions of which more than one order took effect, and ids with more than one order. */
function doubledIn(truth: TruthExchange, driver: OrderDriver): string[] {
  const effective = truth.orders.filter((order) => order.filled > 0n);
  const count = (ids: readonly string[]): number =>
    effective.filter((order) => ids.includes(order.clientOrderId ?? '')).length;
  const decisions = driver.decisions.filter(({ orders }) => count(orders) > 1);
  const ids = [...driver.orders.keys()].filter((id) => count([id]) > 1);
  return [...decisions.map(({ id }) => `decision ${id}`), ...ids];
}

/** Trades of our orders that are not booked to them, once. */
function lostIn(truth: TruthExchange, driver: OrderDriver): string[] {
  const lost: string[] = [];
  const owners = new Map(truth.orders.map((one) => [one.exchangeOrderId, one.clientOrderId ?? '']));
  for (const trade of truth.trades) {
    const owner = driver.orders.get(owners.get(trade.exchangeOrderId) ?? '');
    const bookedTo = driver.booked.get(trade.tradeId);
    const isHand = driver.handTrades.has(trade.tradeId);
    const isRight =
      owner === undefined
        ? isHand && bookedTo === undefined
        : bookedTo === owner.intent.clientOrderId && !isHand && owner.fills.has(trade.tradeId);
    if (!isRight) lost.push(trade.tradeId);
  }
  return lost;
}
