/** One seeded life of orders on the small exchange, judged by what really happened there. */
import { add, subtract, sum, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { hasEnded } from '../../../engine/orders/live-order.ts';
import { sizeOrder, withinOwned } from '../../../engine/orders/order-size.ts';
import { heldChange } from '../../../engine/orders/venue-ledger.ts';
import { random } from '../../support/tape.ts';
import { AGENTS, OrderDriver, type Mutant } from './order-driver.ts';
import { FEE_BPS, TruthExchange, type Dialect } from './truth-exchange.ts';

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
  /** Agents whose coins no stop covers to the step, in the calm; and how many are covered. */
  unprotected: string[];
  covered: number;
  problems: string[];
  counts: ReadonlyMap<string, number>;
}

export const isWrong = (verdict: Verdict): boolean =>
  verdict.doubled.length +
    verdict.lost.length +
    verdict.oversold.length +
    verdict.differences.length +
    verdict.reservations.length +
    verdict.unprotected.length +
    verdict.problems.length >
  0;

const STEPS = 60;
/** Twenty minutes in which no price moves and nobody lies, once with stops kept, once winding down. */
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
    driver.step();
    driver.reconcile();
    findOversold(truth, driver, oversold);
  }
  const unprotected = findUnprotected(truth, driver);
  for (let step = 0; step < QUIET_STEPS; step += 1) {
    truth.advance(QUIET_STEP_MS);
    driver.windDown();
  }
  return { ...judge(seed, truth, driver, oversold), ...unprotected };
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

/** In the calm, the stops of each agent cover what it holds, down to the step. */
function findUnprotected(
  truth: TruthExchange,
  driver: OrderDriver,
): Pick<Verdict, 'unprotected' | 'covered'> {
  const unprotected: string[] = [];
  let covered = 0;
  for (const agent of AGENTS) {
    const feeBps = truth.dialect.saleFeeInBase ? FEE_BPS : ZERO;
    const owned = withinOwned(driver.held(agent), feeBps);
    const size = sizeOrder(owned, driver.stopPrice(agent.symbol), driver.rules(agent.symbol));
    if (size.kind === 'dust') continue;
    const resting = sum(
      truth.orders
        .filter(({ type, status }) => type === 'stop' && status === 'open')
        .filter(
          (one) => driver.orders.get(one.clientOrderId ?? '')?.intent.agentId === agent.agentId,
        )
        .map((one) => subtract(one.quantity, one.filled)),
    );
    if (resting === size.quantity) covered += 1;
    else unprotected.push(`${agent.agentId} holds ${size.quantity}, stops for ${resting}`);
  }
  return { unprotected, covered };
}

function judge(
  seed: number,
  truth: TruthExchange,
  driver: OrderDriver,
  oversold: ReadonlySet<string>,
): Omit<Verdict, 'unprotected' | 'covered'> {
  const verdict: Omit<Verdict, 'unprotected' | 'covered'> = {
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
