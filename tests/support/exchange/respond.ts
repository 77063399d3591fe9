/** Answers one request: carries it out, spoils the answer where the plan says so, and writes down both. */
import { setTimeout as realPause } from 'node:timers/promises';
import type { Accounts } from './accounts.ts';
import { isPrivate, type Answer, type Asked, type CallName } from './calls.ts';
import type { Dialect, Turn } from './dialect.ts';
import type { ExchangeClock } from './exchange-clock.ts';
import type { Fate, FaultRunner } from './fault-runner.ts';
import type { FaultName, PlannedFault } from './faults.ts';
import type { Journal } from './journal.ts';
import type { RateMeter } from './rate-meter.ts';
import type { StreamHub } from './stream-hub.ts';

export interface Desk {
  dialect: Dialect;
  journal: Journal;
  clock: ExchangeClock;
  hub: StreamHub;
  accounts: Accounts;
  faults: FaultRunner;
  meter: RateMeter;
  /** Whether more than the real exchange allows is answered with 429. */
  enforcesLimits: boolean;
  /** Told when an answer begins to be held on the virtual clock. */
  onHold: () => void;
}

/** The way back to whoever asked. */
export interface Return {
  /** They have given up and hung up: they cannot read an answer. */
  readonly isGone: boolean;
  send(status: number, headers: Record<string, string>, body: string): void;
  /** Ends the connection without an answer. */
  cut(): void;
  /** Once the answer has left, or cannot any more. */
  whenOver(then: () => void): void;
}

export interface Delivery {
  asked: Asked;
  way: Return;
}

/** Long enough for what was just sent on a stream to be read before the answer. */
const STREAM_FIRST_MS = 40;
const SLOW_MS = 60_000;
/** How long whoever asked too much is told to stay away. */
const LIMIT_WAIT_S = 30;
const GATEWAY: Answer = {
  status: 504,
  body: '<html><head><title>504 Gateway Time-out</title></head></html>',
  headers: { 'content-type': 'text/html' },
};
const GARBAGE: Answer = {
  status: 200,
  body: '<!doctype html><title>Just a moment...</title>',
  headers: { 'content-type': 'text/html' },
};

export async function respond(desk: Desk, { asked, way }: Delivery): Promise<void> {
  const { dialect, faults, clock } = desk;
  const call = dialect.callOf(asked);
  const isKeyed = call !== null && isPrivate(call);
  const fate = isKeyed ? faults.onRequest(call) : null;
  const bannedS = faults.bannedS;
  note(desk, asked, call, bannedS > 0);
  const isWide = !asked.query.has('symbol');
  const usedWeight = call === null ? 0 : desk.meter.spend(call, clock.trueNow(), isWide);
  const turn: Turn | null =
    call === null ? null : { asked, call, arrivedMs: clock.now(), usedWeight };
  const deliver = (answer: Answer, fault: FaultName | null): void => {
    send(desk, asked, way, answer, fault);
  };
  if (turn === null) return deliver(dialect.noSuchAddress(), null);
  if (bannedS > 0) return deliver(dialect.banned(bannedS), 'rate-limited');
  if (faults.isUnderMaintenance && call !== 'time')
    return deliver(dialect.maintenance(turn.call), 'maintenance');
  if (desk.enforcesLimits && desk.meter.isExceeded)
    return deliver(
      dialect.rateLimited(faults.limit({ retryAfterS: LIMIT_WAIT_S })),
      'rate-limited',
    );
  if (fate !== null) return spoil(desk, turn, fate, way);
  const { result: answer, release } = desk.hub.holdBack(() => carryOut(desk, turn));
  if (turn.call === 'place' && faults.takeAckAfterFills()) {
    release();
    await realPause(STREAM_FIRST_MS);
    return deliver(answer, 'fill-before-ack');
  }
  deliver(answer, null);
  way.whenOver(release);
}

/** Checks the key and does what was asked. */
function carryOut({ dialect }: Desk, turn: Turn): Answer {
  if (!isPrivate(turn.call)) return dialect.answer(turn, null);
  const who = dialect.authenticate(turn);
  return 'refused' in who ? who.refused : dialect.answer(turn, who.key);
}

async function spoil(
  desk: Desk,
  turn: Turn,
  { fault, settings }: Fate,
  way: Return,
): Promise<void> {
  const { asked } = turn;
  desk.journal.write({
    kind: 'fault',
    name: fault,
    detail: `request ${asked.number}, effect ${settings.effect ?? 'now'}`,
  });
  if (fault === 'rate-limited') {
    const seconds = desk.faults.limit(settings);
    send(desk, asked, way, desk.dialect.rateLimited(seconds), fault);
    return;
  }
  if (fault === 'slow-answer') return answerLate(desk, turn, settings, way);
  if (settings.effect !== 'none') carryOut(desk, turn);
  if (fault === 'drop-response') {
    cut(desk, asked, way, fault);
    return;
  }
  const spoilt = { 'gateway-timeout': GATEWAY, garbage: GARBAGE, 'status-unknown': null }[fault];
  send(desk, asked, way, spoilt ?? desk.dialect.statusUnknown(), fault);
}

async function answerLate(
  desk: Desk,
  turn: Turn,
  settings: PlannedFault,
  way: Return,
): Promise<void> {
  const { effect = 'now' } = settings;
  const early = effect === 'now' ? carryOut(desk, turn) : null;
  if (settings.realHoldMs === undefined)
    await new Promise<void>((resolve) => {
      desk.clock.after(settings.holdMs ?? SLOW_MS, resolve);
      desk.onHold();
    });
  else await realPause(settings.realHoldMs);
  const answer =
    early ?? (effect === 'later' ? carryOut(desk, turn) : desk.dialect.statusUnknown());
  send(desk, turn.asked, way, answer, 'slow-answer');
}

function note(
  { dialect, journal, accounts }: Desk,
  asked: Asked,
  call: CallName | null,
  duringBan: boolean,
): void {
  const claimed = dialect.claimedKey(asked);
  const account = claimed === null ? null : (accounts.key(claimed)?.account ?? null);
  const { number: request, method, path } = asked;
  journal.write({ kind: 'request', request, call, method, path, account, duringBan });
}

function send(
  { journal }: Desk,
  { number: request }: Asked,
  way: Return,
  { status, headers, body: said }: Answer,
  fault: FaultName | null,
): void {
  const body = typeof said === 'string' ? said : JSON.stringify(said);
  journal.write({ kind: 'answer', request, status, body, delivered: !way.isGone, fault });
  way.send(status, { 'content-type': 'application/json', ...headers }, body);
}

function cut({ journal }: Desk, { number: request }: Asked, way: Return, fault: FaultName): void {
  journal.write({ kind: 'answer', request, status: 0, body: '', delivered: false, fault });
  way.cut();
}
