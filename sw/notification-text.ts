/** Turns a push message into a notification: its text, its buttons and where it leads. */
import type { AgentStatus } from '../contract/agents.ts';
import type { AlertFiring } from '../contract/alerts.ts';
import { placeOf, type LiveFact, type PushPayload } from '../contract/push.ts';
import { localDecimal } from '../src/format/number-marks.ts';
import type { Pushed } from '../src/offline/pushed-state.ts';
import type { PushTarget } from '../src/offline/notification.ts';

export interface Shown {
  title: string;
  body: string;
  tag: string;
  renotify: boolean;
  silent: boolean;
  /** Stays until the user reacts; browsers remove other notifications after some seconds. */
  requireInteraction: boolean;
  actions: { action: 'open' | 'stop'; title: string }[];
  target: PushTarget;
}

const BEHIND = 'Updates pending: offline data on this device may be out of date.';
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

/** In the reader's format, with all decimals of the price and at least two if it has any. */
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

function dayAndTime(at: number): string {
  const day = new Date(at).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return `on ${day} at ${clock(at)}`;
}

/** With its day where that is not today's: push services hold a message for up to three days. */
const when = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? `at ${clock(at)}` : dayAndTime(at);

function reached({ condition, movedBps, symbol }: AlertFiring): string {
  if (condition.kind === 'move')
    return `${symbol} ${percent(movedBps ?? 0)} within ${within(condition.windowMinutes)}`;
  return `${symbol} ${condition.kind} ${price(condition.price)}`;
}

/** An older server says only that the prices are not live, and not which kind they are. */
function labelOf({ simulated, recorded }: AlertFiring): string {
  if (!simulated) return '';
  if (recorded === undefined) return ' Not live prices.';
  return recorded ? ' Recorded prices.' : ' Simulated prices.';
}

/** Prices are public, so they are shown even where details are hidden; the note is private. */
function alertText({ facts }: PushPayload, now: number): Words {
  const { firing, count = 1, pairs = [], morePairs = 0 } = facts;
  if (firing === undefined)
    return {
      title: 'A price alert was reached',
      plain: 'Open the app for details.',
      detailed: 'Open the app for details.',
    };
  const label = labelOf(firing);
  const late = firing.late ? ', detected later' : '';
  const last = `${price(firing.price)} ${when(firing.at, now)}${late}.`;
  if (count > 1) {
    const more = morePairs === 0 ? '' : ` and ${morePairs} more`;
    const plain = `${pairs.join(', ')}${more}. Latest: ${reached(firing)}, ${last}${label}`;
    return { title: `${count} price alerts were reached`, plain, detailed: plain };
  }
  return {
    title: reached(firing),
    plain: `${last}${label}`,
    detailed: `${last}${firing.note === '' ? '' : ` ${firing.note}.`}${label}`,
  };
}

interface Words {
  title: string;
  plain: string;
  detailed: string;
}

/** By what happened: a title, and what follows from it. Each says that the money is real. */
const LIVE_WORDS: Readonly<Record<LiveFact, readonly [title: string, sentence: string]>> = {
  unknown: [
    'Real money: an order is unknown',
    'Its outcome has been unknown for five minutes. Its funds stay reserved.',
  ],
  resolved: [
    'Real money: an order is known again',
    'The exchange has said what became of an order that was unknown.',
  ],
  check: [
    'Real money: your account needs a look',
    'Something at the exchange does not fit what Tradewind knows.',
  ],
  stop_hit: ['Real money: a stop loss was hit', 'A position was sold at the exchange.'],
  stop_cancelled: [
    'Real money: a stop loss was cancelled',
    'An order was cancelled outside Tradewind. Until it is placed again, the server watches the price.',
  ],
  stop_rejected: [
    'Real money: a stop loss was refused',
    'The exchange did not take it. The server watches the price.',
  ],
  unreachable: [
    'Real money: an exchange cannot be reached',
    'No order is sent until it responds. Stop losses at the exchange stay there.',
  ],
  key_refused: [
    'Real money: a key is refused',
    'The exchange no longer takes the key, or it has a right it must not have. Nothing is bought.',
  ],
  daily_loss: [
    'Real money: daily loss limit reached',
    'Nothing more is bought today. Sales and stop losses go on.',
  ],
  live_ended: [
    'Real money: live trading was ended',
    'Agents of the account are stopped, and Tradewind\u2019s orders are cancelled, stop losses too.',
  ],
};

/** Of `check`, where the server says what it is. */
const CHECK_WORDS: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  too_small_to_sell: [
    'Real money: too little to sell at a stop loss',
    'The price has reached it, and what is held is worth too little for an order. It is sold when the price allows.',
  ],
  sale_refused: [
    'Real money: a sale was refused',
    'No stop loss guards what it was to sell. Tradewind keeps trying.',
  ],
};

function liveText({ facts }: PushPayload): Words {
  const [title, sentence] =
    CHECK_WORDS[facts.live?.why ?? ''] ?? LIVE_WORDS[facts.live?.what ?? 'check'];
  const label = facts.live?.label ?? '';
  const about = [label, facts.pair ?? ''].filter((part) => part !== '').join(', ');
  return { title, plain: sentence, detailed: about === '' ? sentence : `${about}: ${sentence}` };
}

const SINCE: Readonly<Record<AgentStatus, string>> = {
  running: 'runs again.',
  stopped: 'has been stopped since.',
  halted: 'has been halted since.',
  faulted: 'has failed since.',
};

/**
 * What became of the agent after the event, where the state at sending says so; null where the event
 * still holds. Quiet hours and a push service may keep a message for hours.
 */
function sinceThen({ kind, facts, state }: PushPayload): string | null {
  if (kind !== 'lateStop' && kind !== 'agentHeld') return null;
  const status = state.agents.find(({ id }) => id === facts.agentId)?.status;
  if (status === undefined) return state.wholeAgents ? 'has been deleted since.' : null;
  const isHeld = status === 'halted' || status === 'faulted';
  const holds = kind === 'agentHeld' ? isHeld : status === 'stopped';
  return holds ? null : SINCE[status];
}

function lateStopText(payload: PushPayload): Words {
  const { facts, state } = payload;
  const name = facts.agentName ?? 'An agent';
  const waited = `${span(facts.waitedMs ?? 0)} on a device.`;
  const title = 'A saved stop was delivered';
  const since = sinceThen(payload);
  if (since !== null)
    return {
      title,
      plain: `It waited ${waited} The agent ${since}`,
      detailed: `${name} was stopped. The stop waited ${waited} The agent ${since}`,
    };
  const positions = state.agents.find(({ id }) => id === facts.agentId)?.openPositions ?? 0;
  const kept = positions === 0 ? '' : ' Its positions stay open, protected by their stop losses.';
  return {
    title,
    plain: `It waited ${waited}`,
    detailed: `${name} is stopped. The stop waited ${waited}${kept}`,
  };
}

function heldText(payload: PushPayload): Words {
  const { facts } = payload;
  const name = facts.agentName ?? 'An agent';
  const isFaulted = facts.status === 'faulted';
  const title = isFaulted ? 'An agent failed' : 'An agent was halted';
  const since = sinceThen(payload);
  if (since !== null) {
    // A guard's sentence ends with what is not traded and until when, which no longer holds.
    const [reason = ''] = facts.text?.split(': no new trade') ?? [];
    const halted = reason === '' ? 'was halted.' : `was halted: ${reason}.`;
    return {
      title,
      plain: `It ${since}`,
      detailed: `${name} ${isFaulted ? 'failed.' : halted} It ${since}`,
    };
  }
  return isFaulted
    ? {
        title,
        plain: 'No new trades until you start it again. Stop losses stay active.',
        detailed: `${name}: ${facts.text ?? 'its strategy failed.'}`,
      }
    : {
        title,
        plain: 'No new trades. Stop losses stay active.',
        detailed: `${name}: ${facts.text ?? 'a risk limit was reached.'}`,
      };
}

/** Title and sentence: `[without names, with names]`. */
function textOf(payload: PushPayload, now: number): Words {
  const { kind, facts } = payload;
  const name = facts.agentName ?? 'An agent';
  switch (kind) {
    case 'lateStop':
      return lateStopText(payload);
    case 'agentHeld':
      return heldText(payload);
    case 'stopLoss': {
      const result =
        facts.realized == null ? '' : `: ${amount(facts.realized)} ${facts.quote ?? ''}`.trimEnd();
      return {
        title: 'A stop loss was hit',
        plain: 'A position was closed (paper money).',
        detailed: `${name} closed ${facts.pair ?? 'a position'}${result} (paper money).`,
      };
    }
    case 'fills':
      return {
        title: trades(facts.count ?? 1),
        plain: 'Your agents have traded paper money.',
        detailed: `Latest: ${name}, ${facts.pair ?? 'a pair'} (paper money).`,
      };
    case 'trialEnding': {
      // It may be read hours later, so it counts no hours, and calls no day today.
      const end = facts.endsAt === undefined ? 'soon' : dayAndTime(facts.endsAt);
      return {
        title: `Your trial ends ${end}`,
        plain: 'You keep your agents and history. To run agents after that, you need a plan.',
        detailed: 'You keep your agents and history. To run agents after that, you need a plan.',
      };
    }
    case 'priceAlert':
      return alertText(payload, now);
    case 'liveOrder':
    case 'liveStop':
    case 'liveConnection':
    case 'liveLoss':
    case 'liveEnded':
      return liveText(payload);
    case 'paymentFailed':
      return {
        title: 'A payment failed',
        plain: 'Update your card to keep your plan.',
        detailed: 'Update your card to keep your plan.',
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
    case 'liveOrder':
    case 'liveStop':
    case 'liveConnection':
    case 'liveLoss':
    case 'liveEnded':
      return facts.live === undefined
        ? '/portfolio'
        : `/live/${encodeURIComponent(facts.live.connectionId)}`;
    // A single alert leads to its pair's chart, several to the list.
    case 'priceAlert':
      return (facts.pairs?.length ?? 0) > 1 || facts.pair === undefined
        ? '/alerts'
        : `/market/${encodeURIComponent(facts.pair.replace('/', '-'))}`;
  }
}

/** On the screen an alert that is reached again replaces itself too, unless it told of several. */
function tagOf(payload: PushPayload): string {
  const { firing, count = 1 } = payload.facts;
  return firing === undefined || count > 1 ? placeOf(payload) : `${payload.kind}:${firing.alertId}`;
}

/** What is shown for a message whose state was kept as `kept` says. */
export function notificationOf(payload: PushPayload, kept: Pushed, now = Date.now()): Shown {
  const { title, plain, detailed } = textOf(payload, now);
  const agent = payload.state.agents.find(({ id }) => id === payload.facts.agentId);
  const stop =
    agent === undefined || agent.status === 'stopped'
      ? null
      : { id: agent.id, name: payload.showDetails ? agent.name : '', generation: agent.generation };
  // A newer one replaces it and sounds, unless it is a repeat.
  const tag = tagOf(payload);
  const again = kept === 'again';
  return {
    title,
    body: `${payload.showDetails ? detailed : plain}${kept === 'behind' ? ` ${BEHIND}` : ''}`,
    tag,
    renotify: !again,
    silent: again,
    requireInteraction: payload.kind === 'agentHeld' && sinceThen(payload) === null,
    actions: [
      { action: 'open', title: 'Open' },
      ...(stop === null ? [] : [{ action: 'stop' as const, title: 'Stop' }]),
    ],
    target: { uid: payload.uid, path: pathOf(payload), tag, stop },
  };
}
