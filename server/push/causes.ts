/** Which of a user's events are worth a notification. */
import type { LiveAlarmWire, LiveConnection, LiveOrderWire } from '../../contract/live-state.ts';
import type { LiveFact, PushFacts, PushKind, PushSettings } from '../../contract/push.ts';
import type { StreamEvent } from '../../contract/stream.ts';
import type { Fill } from '../../contract/trading.ts';

/** A stop that waited this long was pressed at another time than it worked. */
const LATE_STOP_MS = 60_000;

export interface Cause {
  kind: PushKind;
  /** Names what happened: the same cause is told once to a device. */
  cause: string;
  facts: PushFacts;
  /** The fill it is about; null where it is about none. */
  fill: Fill | null;
}

const BLANK: PushFacts = { agentId: null, agentName: null };

/** What is said of an alarm of a live account that is no order's own affair. */
interface AlarmFact {
  kind: PushKind;
  what: LiveFact;
  why?: string;
}

const ALARMS: Readonly<Record<string, AlarmFact>> = {
  unknown_for_minutes: { kind: 'liveOrder', what: 'unknown' },
  cancelled_at_exchange: { kind: 'liveStop', what: 'stop_cancelled' },
  stop_rejected: { kind: 'liveStop', what: 'stop_rejected' },
  too_small_to_sell: { kind: 'liveStop', what: 'check', why: 'too_small_to_sell' },
  sale_refused: { kind: 'liveStop', what: 'check', why: 'sale_refused' },
  unreachable: { kind: 'liveConnection', what: 'unreachable' },
  key_refused: { kind: 'liveConnection', what: 'key_refused' },
  daily_loss: { kind: 'liveLoss', what: 'daily_loss' },
  live_ended: { kind: 'liveEnded', what: 'live_ended' },
};
const CHECK: AlarmFact = { kind: 'liveConnection', what: 'check' };

function alarmCause({ id, label }: LiveConnection, alarm: LiveAlarmWire): Cause {
  const { kind, ...fact } = ALARMS[alarm.kind] ?? CHECK;
  const pair = (alarm.detail as { symbol?: unknown } | null)?.symbol;
  return {
    kind,
    cause: `live:${id}:${alarm.kind}:${alarm.about}`,
    facts: {
      ...BLANK,
      ...(typeof pair === 'string' ? { pair } : {}),
      live: { ...fact, connectionId: id, label },
    },
    fill: null,
  };
}

/** An order is told of where a doubt has ended, or a stop has done its work. */
function orderCause(connectionId: string, order: LiveOrderWire, isResolved: boolean): Cause[] {
  const of = (kind: PushKind, what: LiveFact): Cause => ({
    kind,
    cause: `live:${what}:${order.clientOrderId}`,
    facts: {
      ...BLANK,
      agentId: order.agentId,
      pair: order.symbol,
      live: { what, connectionId, label: '' },
    },
    fill: null,
  });
  const isHit = order.state === 'filled' && order.reason === 'stop_loss';
  return [
    ...(isResolved ? [of('liveOrder', 'resolved')] : []),
    ...(isHit ? [of('liveStop', 'stop_hit')] : []),
  ];
}

/** What one event is a cause of, whether or not the person wants to hear it. */
export function causesOf(event: StreamEvent): Cause[] {
  if (event.type === 'live_connection')
    return event.raised.map((alarm) => alarmCause(event.connection, alarm));
  if (event.type === 'live_order')
    return orderCause(event.connectionId, event.order, event.resolved === true);
  const cause = causeOf(event);
  return cause === null ? [] : [cause];
}

function causeOf(event: StreamEvent): Cause | null {
  if (event.type === 'fill.recorded') {
    const { fill } = event;
    const facts: PushFacts = {
      agentId: fill.agentId,
      agentName: fill.agentName,
      pair: fill.pair,
      realized: fill.realized,
      quote: fill.pair.split('/')[1] ?? '',
      count: 1,
    };
    return {
      kind: fill.reason === 'stop_loss' ? 'stopLoss' : 'fills',
      cause: `fill:${fill.id}`,
      facts,
      fill,
    };
  }
  if (event.type === 'alert.fired') {
    const { firing } = event;
    return {
      kind: 'priceAlert',
      cause: `alert:${firing.id}`,
      facts: { ...BLANK, pair: firing.symbol, firing, count: 1 },
      fill: null,
    };
  }
  if (event.type !== 'agent.changed') return null;
  const { agent, waitedMs } = event;
  const facts: PushFacts = { agentId: agent.id, agentName: agent.name, status: agent.status };
  if (agent.status === 'stopped' && waitedMs !== undefined && waitedMs >= LATE_STOP_MS) {
    return {
      kind: 'lateStop',
      cause: `stop:${agent.id}:${agent.generation}`,
      facts: { ...facts, waitedMs },
      fill: null,
    };
  }
  if (agent.status !== 'halted' && agent.status !== 'faulted') return null;
  // An edit of a halted agent is no new halt: the hold it is under is what names it.
  const hold = `${agent.hold?.code ?? ''}:${agent.hold?.until ?? ''}:${agent.startedAt ?? ''}`;
  return {
    kind: 'agentHeld',
    cause: `${agent.status}:${agent.id}:${hold}`,
    facts: { ...facts, ...(agent.hold === null ? {} : { text: agent.hold.text }) },
    fill: null,
  };
}

/** The plan as the database has it; times on the wall clock, ms. */
export interface PlanFacts {
  trialEndsAt: number | null;
  subscribed: boolean;
  status: string | null;
  periodEnd: number | null;
}

const DAY_MS = 86_400_000;

/** What the plan is a cause of at `now`. */
export function planCauses(plan: PlanFacts, now: number, warningDays: number): Cause[] {
  const found: Cause[] = [];
  if (
    plan.trialEndsAt !== null &&
    !plan.subscribed &&
    now < plan.trialEndsAt &&
    plan.trialEndsAt - now <= warningDays * DAY_MS
  ) {
    found.push({
      kind: 'trialEnding',
      cause: `trial:${plan.trialEndsAt}`,
      facts: { ...BLANK, endsAt: plan.trialEndsAt },
      fill: null,
    });
  }
  if (plan.status === 'past_due' || plan.status === 'unpaid') {
    const paidUntil = plan.periodEnd ?? 0;
    // A change that was declined within a paid period, and the renewal at its end that is: two
    // causes of one date.
    const within = now < paidUntil ? ':within' : '';
    found.push({
      kind: 'paymentFailed',
      cause: `payment:${paidUntil}${within}`,
      facts: BLANK,
      fill: null,
    });
  }
  return found;
}

export const wanted = (settings: PushSettings, causes: readonly Cause[]): Cause[] =>
  causes.filter(({ kind }) => settings.kinds[kind] ?? true);
