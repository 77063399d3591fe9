/** A plan of faults drawn whole from a seed, so that a run can be repeated. */
import { random } from '../tape.ts';
import type { CallName } from './calls.ts';
import {
  FAULT_NAMES,
  isRequestFault,
  type FaultName,
  type PlannedFault,
  type When,
} from './faults.ts';
import type { DialectName } from './instruments.ts';
import { CONVENTIONS } from './market-conventions.ts';

export interface DrawOptions {
  seed: number;
  dialect: DialectName;
  /** At least five. */
  count?: number;
  /** Faults are spread over about so many requests with a key… */
  requests?: number;
  /** …and so much virtual time. */
  spanMs?: number;
  symbols: readonly string[];
  /** Faults after which the account cannot go on: revoked and moved keys, a delisted pair. */
  includeFinal?: boolean;
  /** Draw only from these. */
  from?: readonly FaultName[];
}

const FINAL: readonly FaultName[] = ['revoke-key', 'moved-key', 'delist'];
/** A fault of an order strikes best just before one is placed, of a request just where it hurts. */
const AT_PLACE: readonly FaultName[] = [
  'not-found',
  'partial-then-cancel',
  'dust',
  'in-parts',
  'fill-before-ack',
];
const HURTS: readonly CallName[] = ['place', 'place', 'place', 'cancel', 'order', 'trades'];

/** At least five faults, the same for the same seed; the first is always one that spoils a placing. */
export function drawFaults(options: DrawOptions): PlannedFault[] {
  const roll = random(options.seed * 15_485_863 + 41);
  const count = Math.max(5, options.count ?? 5 + Math.floor(roll() * 4));
  const names = (options.from ?? FAULT_NAMES).filter(
    (name) => options.includeFinal === true || !FINAL.includes(name),
  );
  const requests = names.filter(isRequestFault);
  return Array.from({ length: count }, (_, index) => {
    const from = index === 0 && requests.length > 0 ? requests : names;
    const name = pick(from, roll);
    return { name, when: whenOf(name, index, options, roll), ...settingsOf(name, options, roll) };
  });
}

function pick<T>(list: readonly T[], roll: () => number): T {
  const chosen = list[Math.floor(roll() * list.length)];
  if (chosen === undefined) throw new RangeError('Nothing to draw from');
  return chosen;
}

function whenOf(name: FaultName, index: number, options: DrawOptions, roll: () => number): When {
  if (index === 0) return { call: 'place', nth: 1 + Math.floor(roll() * 2) };
  if (name === 'fill-while-cancelling') return { call: 'cancel', nth: 1 + Math.floor(roll() * 2) };
  if (AT_PLACE.includes(name)) return { call: 'place', nth: 1 + Math.floor(roll() * 4) };
  if (isRequestFault(name) && roll() < 0.7)
    return { call: pick(HURTS, roll), nth: 1 + Math.floor(roll() * 4) };
  if (isRequestFault(name) || roll() < 0.5)
    return { request: 1 + Math.floor(roll() * (options.requests ?? 30)) };
  return { afterMs: Math.floor(roll() * (options.spanMs ?? 600_000)) };
}

function settingsOf(
  name: FaultName,
  { dialect, symbols }: DrawOptions,
  roll: () => number,
): Partial<PlannedFault> {
  const share = (0.1 + roll() * 0.8).toFixed(2);
  switch (name) {
    case 'drop-response':
    case 'gateway-timeout':
    case 'status-unknown':
    case 'garbage':
      return { effect: roll() < 0.6 ? 'now' : 'none' };
    case 'slow-answer':
      return { effect: pick(['now', 'now', 'later', 'none'] as const, roll), holdMs: 60_000 };
    case 'rate-limited':
      return { retryAfterS: 1 + Math.floor(roll() * 30), banS: 120 };
    case 'not-found':
      return { forMs: 5_000 + Math.floor(roll() * 115_000) };
    case 'partial-then-cancel':
    case 'fill-while-cancelling':
    case 'hand-trade':
    case 'withdraw':
      return { share, symbol: pick(symbols, roll) };
    case 'in-parts':
      return { parts: 2 + Math.floor(roll() * 3) };
    case 'fills-late':
      return { lateMs: 1_000 + Math.floor(roll() * 60_000), forMs: 120_000 };
    case 'fills-twice':
    case 'fills-out-of-order':
    case 'fills-by-rest-only':
      return { forMs: 120_000 };
    case 'stream-silent':
      return { forMs: 600_000 };
    case 'fee-coin':
      return { feeCoin: pick(CONVENTIONS[dialect].feeCoins, roll) };
    case 'step-change':
      return { symbol: pick(symbols, roll), value: pick(['0.001', '0.01', '0.0001'], roll) };
    case 'minimum-change':
      return { symbol: pick(symbols, roll), value: pick(['10', '25', '50'], roll) };
    case 'clock-skew':
      return { skewMs: roll() < 0.5 ? 30_000 : -30_000, forMs: 120_000 };
    case 'maintenance':
    case 'cancel-only':
      return { forMs: 30_000 + Math.floor(roll() * 90_000) };
    case 'delist':
      return { symbol: pick(symbols, roll) };
    case 'dust':
    case 'fill-before-ack':
    case 'stream-dropped':
    case 'hand-cancel-stop':
    case 'revoke-key':
    case 'moved-key':
      return {};
    default:
      return name satisfies never;
  }
}
