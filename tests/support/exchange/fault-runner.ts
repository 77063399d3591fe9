/**
 * Carries out a plan of faults: counts requests, strikes when it is time, and says what becomes of
 * a request.
 */
import { parseFixed } from '../../../contract/money.ts';
import type { CallName } from './calls.ts';
import { ACTS, type Condition, type Reach } from './fault-acts.ts';
import { isRequestFault, type PlannedFault, type RequestFaultName } from './faults.ts';

/** What the plan makes of one request. */
export interface Fate {
  fault: RequestFaultName;
  settings: PlannedFault;
}

export class FaultRunner {
  private readonly condition: Condition = {
    maintenanceUntilMs: 0,
    limitedUntilMs: 0,
    bannedUntilMs: 0,
    banMs: 0,
    fillBeforeCancel: null,
    ackAfterFills: false,
  };
  private readonly reach: Reach;
  private readonly pending: PlannedFault[] = [];
  private readonly waiting: Fate[] = [];
  /** Planned for a time that has not come. */
  private scheduled = 0;
  private requests = 0;
  private readonly calls = new Map<CallName, number>();

  constructor(reach: Omit<Reach, 'condition'>, plan: readonly PlannedFault[]) {
    this.reach = { ...reach, condition: this.condition };
    for (const fault of plan) this.add(fault);
  }

  /** Counts of requests go on from the start of the exchange; `afterMs` is from now. */
  add(fault: PlannedFault): void {
    if (!('afterMs' in fault.when)) {
      this.pending.push(fault);
      return;
    }
    this.scheduled += 1;
    this.reach.clock.after(fault.when.afterMs, () => {
      this.scheduled -= 1;
      this.strike(fault);
    });
  }

  /** At once: the next request with a key, or the state of things. */
  strike(fault: Omit<PlannedFault, 'when'>): void {
    const { name } = fault;
    const settings = { when: { afterMs: 0 }, ...fault };
    if (isRequestFault(name)) {
      this.waiting.push({ fault: name, settings });
      return;
    }
    const detail = ACTS[name](this.reach, settings);
    this.reach.journal.write({ kind: 'fault', name, detail });
  }

  /** What was planned for a request that has not come: now, so that it is over some time. */
  strikeRest(): void {
    for (const fault of this.pending.splice(0)) this.strike(fault);
  }

  /** Whether everything that was planned has struck. */
  get isSpent(): boolean {
    return this.pending.length + this.waiting.length + this.scheduled === 0;
  }

  get isUnderMaintenance(): boolean {
    return this.condition.maintenanceUntilMs > this.reach.clock.trueNow();
  }

  /** Seconds a client still has to stay away; 0 when it need not. */
  get bannedS(): number {
    const leftMs = this.condition.bannedUntilMs - this.reach.clock.trueNow();
    return Math.ceil(Math.max(0, leftMs) / 1_000);
  }

  /** Counts a request with a key, strikes what is due, and says what becomes of it. */
  onRequest(call: CallName): Fate | null {
    this.requests += 1;
    const nth = (this.calls.get(call) ?? 0) + 1;
    this.calls.set(call, nth);
    for (const fault of this.pending.filter(({ when }) => isDue(when, this.requests, call, nth))) {
      this.pending.splice(this.pending.indexOf(fault), 1);
      this.strike(fault);
    }
    const { condition } = this;
    if (condition.limitedUntilMs > this.reach.clock.trueNow()) {
      condition.bannedUntilMs = this.reach.clock.trueNow() + condition.banMs;
      condition.limitedUntilMs = 0;
    }
    // Who is turned away at the door has nothing that could be spoilt.
    if (this.bannedS > 0 || this.isUnderMaintenance) return null;
    return this.waiting.shift() ?? null;
  }

  /** Whether the placing that was just carried out is to be told on the stream first. */
  takeAckAfterFills(): boolean {
    const is = this.condition.ackAfterFills;
    this.condition.ackAfterFills = false;
    return is;
  }

  /** Fills a share of the order the client is about to cancel, if that was planned. */
  beforeCancel(account: string, orderId: string): void {
    const share = this.condition.fillBeforeCancel;
    const order = this.reach.core.orders.get(orderId);
    if (share === null || order?.account !== account || order.state !== 'open') return;
    this.condition.fillBeforeCancel = null;
    this.reach.core.fillShare(order, parseFixed(share));
  }

  /** Begins a wait: whoever comes back before it is over is banned. */
  limit({ retryAfterS = 10, banS = 120 }: Pick<PlannedFault, 'retryAfterS' | 'banS'>): number {
    this.condition.limitedUntilMs = this.reach.clock.trueNow() + retryAfterS * 1_000;
    this.condition.banMs = banS * 1_000;
    return retryAfterS;
  }
}

function isDue(when: PlannedFault['when'], request: number, call: CallName, nth: number): boolean {
  if ('request' in when) return when.request <= request;
  return 'call' in when && when.call === call && when.nth <= nth;
}
