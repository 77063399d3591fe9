/** What each fault of the exchange, of an order or of the person does when it strikes. */
import { UNIT, formatFixed, parseFixed } from '../../../contract/money.ts';
import type { Accounts } from './accounts.ts';
import type { ExchangeClock } from './exchange-clock.ts';
import type { FaultName, PlannedFault, RequestFaultName } from './faults.ts';
import type { Journal } from './journal.ts';
import type { MatchingCore } from './matching-core.ts';
import type { Person } from './person.ts';
import type { StreamHub } from './stream-hub.ts';

/** What is wrong with the exchange at the moment; times are true times. */
export interface Condition {
  maintenanceUntilMs: number;
  /** Whoever asks before then is banned. */
  limitedUntilMs: number;
  bannedUntilMs: number;
  banMs: number;
  /** This share of the order is filled just before the next cancellation. */
  fillBeforeCancel: string | null;
  /** The answer to the next placing waits until its fills have been told. */
  ackAfterFills: boolean;
}

export interface Reach {
  clock: ExchangeClock;
  core: MatchingCore;
  accounts: Accounts;
  journal: Journal;
  hub: StreamHub;
  person: Person;
  condition: Condition;
}

/** Does it, and says for the journal what was done. */
type Act = (reach: Reach, fault: PlannedFault) => string;

const MINUTE_MS = 60_000;
/** Exchanges have been seen to deny a live order for this long. */
const LONGEST_HIDDEN_MS = 2 * MINUTE_MS;

const lasting = ({ forMs = 2 * MINUTE_MS }: PlannedFault): number => forMs;
const owner = ({ accounts }: Reach, fault: PlannedFault): string => {
  const name = fault.account ?? accounts.all[0]?.name;
  if (name === undefined) throw new RangeError('There is no account to strike');
  return name;
};
const pairOf = ({ symbol, name }: PlannedFault): string => {
  if (symbol === undefined) throw new RangeError(`${name} needs a pair`);
  return symbol;
};

const ORDER_ACTS = {
  'not-found': ({ core }, fault) => {
    core.nextHiddenMs = Math.min(lasting(fault), LONGEST_HIDDEN_MS);
    return `${core.nextHiddenMs} ms`;
  },
  'partial-then-cancel': ({ core }, { share = '0.5' }) => {
    core.nextScript = { ...core.nextScript, fillThenCancel: parseFixed(share) };
    return share;
  },
  dust: ({ core }) => {
    core.nextScript = { ...core.nextScript, leavesDust: true };
    return '';
  },
  'in-parts': ({ core }, { parts = 3 }) => {
    core.nextScript = { ...core.nextScript, parts };
    return String(parts);
  },
  'fill-while-cancelling': ({ condition }, { share = '1' }) => {
    condition.fillBeforeCancel = share;
    return share;
  },
  'fill-before-ack': ({ condition }) => {
    condition.ackAfterFills = true;
    return '';
  },
} satisfies Partial<Record<FaultName, Act>>;

const STREAM_ACTS = {
  'fills-twice': ({ hub }, fault) => {
    hub.setMode('fills-twice', lasting(fault));
    return `${lasting(fault)} ms`;
  },
  'fills-late': ({ hub }, fault) => {
    const { lateMs = 30_000 } = fault;
    hub.setMode('fills-late', lasting(fault), lateMs);
    return `${lateMs} ms late`;
  },
  'fills-out-of-order': ({ hub }, fault) => {
    hub.setMode('out-of-order', lasting(fault));
    return `${lasting(fault)} ms`;
  },
  'fills-by-rest-only': ({ hub }, fault) => {
    hub.setMode('no-fills', lasting(fault));
    return `${lasting(fault)} ms`;
  },
  'stream-silent': ({ hub }, { forMs = 10 * MINUTE_MS }) => {
    hub.setMode('silent', forMs);
    return `${forMs} ms`;
  },
  'stream-dropped': ({ hub }) => {
    hub.dropAll();
    return '';
  },
} satisfies Partial<Record<FaultName, Act>>;

const MARKET_ACTS = {
  'fee-coin': ({ core }, { feeCoin = 'third' }) => {
    core.feeCoin = feeCoin;
    return feeCoin;
  },
  'step-change': ({ core }, fault) => {
    const { value = '0.001' } = fault;
    core.changeRules(pairOf(fault), { step: parseFixed(value) });
    return `${pairOf(fault)} ${value}`;
  },
  'minimum-change': ({ core }, fault) => {
    const { value = '25' } = fault;
    core.changeRules(pairOf(fault), { minNotional: parseFixed(value) });
    return `${pairOf(fault)} ${value}`;
  },
  'clock-skew': ({ clock }, fault) => {
    clock.skewMs = fault.skewMs ?? 30_000;
    clock.after(lasting(fault), () => {
      clock.skewMs = 0;
    });
    return `${clock.skewMs} ms`;
  },
  maintenance: ({ clock, condition }, fault) => {
    condition.maintenanceUntilMs = clock.trueNow() + lasting(fault);
    return `${lasting(fault)} ms`;
  },
  'cancel-only': ({ clock, core }, fault) => {
    core.isCancelOnly = true;
    clock.after(lasting(fault), () => {
      core.isCancelOnly = false;
    });
    return `${lasting(fault)} ms`;
  },
  delist: ({ core }, fault) => {
    core.changeRules(pairOf(fault), { status: 'delisted' });
    return pairOf(fault);
  },
} satisfies Partial<Record<FaultName, Act>>;

const PERSON_ACTS = {
  'hand-trade': (reach, fault) => {
    const share = parseFixed(fault.share ?? '0.5');
    const placed = reach.person.sellShare(owner(reach, fault), pairOf(fault), share);
    return placed?.kind ?? 'nothing to sell';
  },
  'hand-cancel-stop': (reach, fault) => `${reach.person.cancelStops(owner(reach, fault))} stops`,
  withdraw: (reach, fault) => {
    const coin = fault.coin ?? pairOf(fault).split('/')[0] ?? '';
    const share = parseFixed(fault.share ?? '0.5');
    const most = share < UNIT ? share : UNIT;
    return `${formatFixed(reach.person.withdrawShare(owner(reach, fault), coin, most))} ${coin}`;
  },
  'revoke-key': (reach, fault) => {
    const name = owner(reach, fault);
    for (const { apiKey } of reach.accounts.keysOf(name)) reach.person.revokeKey(apiKey);
    return name;
  },
  'moved-key': (reach, fault) => {
    const name = owner(reach, fault);
    const other = reach.accounts.all.find((one) => one.name !== name);
    const to = fault.toAccount ?? (other ?? reach.accounts.open({ name: `beside ${name}` })).name;
    for (const { apiKey } of reach.accounts.keysOf(name)) reach.person.moveKey(apiKey, to);
    return to;
  },
} satisfies Partial<Record<FaultName, Act>>;

/** One for every fault that is not one of a request. */
export const ACTS: Record<Exclude<FaultName, RequestFaultName>, Act> = {
  ...ORDER_ACTS,
  ...STREAM_ACTS,
  ...MARKET_ACTS,
  ...PERSON_ACTS,
};
