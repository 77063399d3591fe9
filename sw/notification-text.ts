/** Turns a push message into a notification: its text, its buttons and where it leads. */
import type { AlertFiring } from '../contract/alerts.ts';
import type { PushPayload } from '../contract/push.ts';
import { localDecimal } from '../src/format/number-marks.ts';
import type { Pushed } from '../src/offline/pushed-state.ts';

/** Carried by the notification; all that a press on it has to go by. */
export interface PushTarget {
  uid: string;
  path: string;
  tag: string;
  /** The agent that Stop stops; null where there is no such button. */
  stop: { id: string; name: string; generation: number } | null;
}

export interface Shown {
  title: string;
  body: string;
  tag: string;
  renotify: boolean;
  silent: boolean;
  /** Stays until it is dealt with: a browser takes others away by itself after some seconds. */
  requireInteraction: boolean;
  actions: { action: 'open' | 'stop'; title: string }[];
  target: PushTarget;
}

const BEHIND = 'More has happened than this device has seen: what it shows offline may be behind.';
const MINUTE_MS = 60_000;

function span(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60
    ? `${Math.round(minutes / 60)} h`
    : `${Math.round(minutes / 1_440)} days`;
}

/** Two decimals, towards zero; the app shows the exact amount. */
function amount(text: string): string {
  const [whole = '0', part = ''] = text.split('.');
  return `${whole.startsWith('-') ? '\u2212' : '+'}${localDecimal(`${whole.replace('-', '')}.${part.padEnd(2, '0').slice(0, 2)}`)}`;
}

const trades = (count: number): string => `${count} new ${count === 1 ? 'trade' : 'trades'}`;

/**
 * Grouped as the reader is used to; as many decimals as the price has, at least two where it is
 * above one.
 */
function price(text: string): string {
  const decimals = text.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(undefined, {
    minimumFractionDigits: Math.min(2, decimals),
    maximumFractionDigits: 12,
  }).format(text as `${number}`);
}

const percent = (bps: number): string =>
  `${bps < 0 ? '\u2212' : '+'}${localDecimal((Math.abs(bps) / 100).toFixed(1))} %`;
const within = (minutes: number): string => (minutes < 60 ? `${minutes} min` : `${minutes / 60} h`);
const clock = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });

function reached({ condition, movedBps, symbol }: AlertFiring): string {
  if (condition.kind === 'move')
    return `${symbol} ${percent(movedBps ?? 0)} within ${within(condition.windowMinutes)}`;
  return `${symbol} ${condition.kind} ${price(condition.price)}`;
}

/**
 * A price is no secret of the person's: it is shown whatever is said of details; the note is
 * theirs.
 */
function alertText({ facts }: PushPayload): { title: string; plain: string; detailed: string } {
  const { firing, count = 1, pairs = [] } = facts;
  if (firing === undefined)
    return {
      title: 'A price alert was reached',
      plain: 'Open the app to see it.',
      detailed: 'Open the app to see it.',
    };
  const label = firing.simulated ? ' Simulated prices.' : '';
  const late = firing.late ? ', found afterwards' : '';
  const last = `${price(firing.price)} at ${clock(firing.at)}${late}.`;
  if (count > 1) {
    const plain = `${pairs.join(', ')}. The last: ${reached(firing)}, ${last}${label}`;
    return { title: `${count} price alerts were reached`, plain, detailed: plain };
  }
  return {
    title: reached(firing),
    plain: `${last}${label}`,
    detailed: `${last}${firing.note === '' ? '' : ` ${firing.note}.`}${label}`,
  };
}

/** Title and sentence: `[without names, with names]`. */
function textOf(payload: PushPayload): { title: string; plain: string; detailed: string } {
  const { kind, facts, sentAt, state } = payload;
  const name = facts.agentName ?? 'An agent';
  const positions = state.agents.find(({ id }) => id === facts.agentId)?.openPositions ?? 0;
  switch (kind) {
    case 'lateStop': {
      const kept = positions === 0 ? '' : ' Its positions stay open, protected by their stops.';
      return {
        title: 'A saved stop was delivered',
        plain: `It had waited ${span(facts.waitedMs ?? 0)} on a device.`,
        detailed: `${name} is stopped. The stop had waited ${span(facts.waitedMs ?? 0)} on a device.${kept}`,
      };
    }
    case 'agentHeld':
      return facts.status === 'faulted'
        ? {
            title: 'An agent has failed',
            plain: 'It does nothing until it is started again.',
            detailed: `${name}: ${facts.text ?? 'its strategy failed'}`,
          }
        : {
            title: 'An agent was halted by a guard',
            plain: 'It opens nothing; its stops go on.',
            detailed: `${name}: ${facts.text ?? 'a guard holds it'}`,
          };
    case 'stopLoss':
      return {
        title: 'A stop loss was hit',
        plain: 'A position was closed.',
        detailed:
          `${name} closed ${facts.pair ?? 'a position'}${facts.realized == null ? '' : `: ${amount(facts.realized)} ${facts.quote ?? ''}`}. On paper.`.replace(
            ' .',
            '.',
          ),
      };
    case 'fills':
      return {
        title: trades(facts.count ?? 1),
        plain: 'Your agents have traded, on paper.',
        detailed: `The last by ${name} in ${facts.pair ?? 'a pair'}, on paper.`,
      };
    case 'trialEnding': {
      const left =
        facts.endsAt === undefined ? 'soon' : `in ${span(Math.max(0, facts.endsAt - sentAt))}`;
      return {
        title: `Your trial ends ${left}`,
        plain: 'Agents and history stay; starting one then needs a plan.',
        detailed: 'Agents and history stay; starting one then needs a plan.',
      };
    }
    case 'priceAlert':
      return alertText(payload);
    case 'paymentFailed':
      return {
        title: 'A payment failed',
        plain: 'Check your card, so that your plan goes on.',
        detailed: 'Check your card, so that your plan goes on.',
      };
  }
}

function pathOf({ kind, facts }: PushPayload): string {
  switch (kind) {
    case 'lateStop':
    case 'agentHeld':
      return facts.agentId === null ? '/agents' : `/agents/${encodeURIComponent(facts.agentId)}`;
    case 'stopLoss':
    case 'fills':
      return '/portfolio';
    case 'trialEnding':
    case 'paymentFailed':
      return '/subscription';
    // One leads to its pair, where the chart is; several to the list.
    case 'priceAlert':
      return (facts.pairs?.length ?? 0) > 1 || facts.pair === undefined
        ? '/alerts'
        : `/market/${encodeURIComponent(facts.pair.replace('/', '-'))}`;
  }
}

/** What is shown for a message whose state was kept as `kept` says. */
export function notificationOf(payload: PushPayload, kept: Pushed): Shown {
  const { title, plain, detailed } = textOf(payload);
  const agent = payload.state.agents.find(({ id }) => id === payload.facts.agentId);
  const stop =
    agent === undefined || agent.status === 'stopped'
      ? null
      : { id: agent.id, name: payload.showDetails ? agent.name : '', generation: agent.generation };
  // One place a kind and agent: the newer takes it, and makes itself heard unless it was here
  // before.
  const tag = `${payload.kind}:${payload.facts.agentId ?? payload.facts.firing?.alertId ?? ''}`;
  const again = kept === 'again';
  return {
    title,
    body: `${payload.showDetails ? detailed : plain}${kept === 'behind' ? ` ${BEHIND}` : ''}`,
    tag,
    renotify: !again,
    silent: again,
    requireInteraction: payload.kind === 'agentHeld',
    actions: [
      { action: 'open', title: 'Open' },
      ...(stop === null ? [] : [{ action: 'stop' as const, title: 'Stop' }]),
    ],
    target: { uid: payload.uid, path: pathOf(payload), tag, stop },
  };
}
