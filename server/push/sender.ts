/** Sends notifications through the browsers' push services, until they are accepted or too old. */
import { createHash } from 'node:crypto';
import type { Agent as HttpsAgent } from 'node:https';
import { and, eq, lt, ne } from 'drizzle-orm';
import webPush from 'web-push';
import type { AgentList } from '../../contract/agents.ts';
import {
  placeOf,
  PushKind,
  tellsWhatHappened,
  type PushFacts,
  type PushSettings,
} from '../../contract/push.ts';
import { backoffCeilingMs, retryAfterHeaderMs, type Backoff } from '../../contract/retry.ts';
import type { Fill, Portfolio } from '../../contract/trading.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { pushMessages } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { readSettingsOf } from '../users/user-settings.ts';
import { DeviceLogins, type ReadValidSince } from './device-logins.ts';
import { serviceOf, takeDue, type DueMessage } from './due-messages.ts';
import { buildPayload } from './payload.ts';
import { stillHolds } from './plan-causes.ts';
import { planFromEvents, planFromPlans } from './planner.ts';
import { postPush, type PushAnswer } from './post-push.ts';
import { removeEnded, removeSubscriptions } from './push-devices.ts';
import { readPreferences } from './push-preferences.ts';
import { quietUntil } from './quiet-hours.ts';
import { putOff, SilentDevices } from './silent-devices.ts';
import type { Vapid } from './vapid.ts';

export interface PushSenderDeps {
  database: Database;
  clock: WallClock;
  log: Log;
  vapid: Vapid;
  agent: HttpsAgent;
  readAgents(uid: string): Promise<AgentList>;
  readPortfolio(uid: string): Promise<Portfolio>;
  readValidSince: ReadValidSince;
}

const LOOK_EVERY_MS = 2_000;
const PLANS_EVERY_MS = 30_000;
const LIMIT_MS = 10_000;
const BACKOFF: Backoff = { baseMs: 5_000, maxMs: 15 * 60_000 };
const HOUR_S = 3_600;
const KEEP_MS = 30 * 86_400_000;
/** A device that was silent that long ago begins anew. */
const FORGET_AFTER_MS = 3_600_000;

/**
 * How long the push service keeps it for a device that is off (seconds), and whether it may wake
 * one that saves power.
 */
const MANNER: Record<PushKind, { ttl: number; urgency: 'low' | 'normal' | 'high' }> = {
  lateStop: { ttl: 24 * HOUR_S, urgency: 'high' },
  agentHeld: { ttl: 24 * HOUR_S, urgency: 'high' },
  stopLoss: { ttl: 24 * HOUR_S, urgency: 'high' },
  fills: { ttl: 12 * HOUR_S, urgency: 'low' },
  trialEnding: { ttl: 24 * HOUR_S, urgency: 'normal' },
  paymentFailed: { ttl: 72 * HOUR_S, urgency: 'normal' },
  priceAlert: { ttl: 12 * HOUR_S, urgency: 'high' },
  liveOrder: { ttl: 24 * HOUR_S, urgency: 'high' },
  liveStop: { ttl: 24 * HOUR_S, urgency: 'high' },
  liveConnection: { ttl: 24 * HOUR_S, urgency: 'high' },
  liveLoss: { ttl: 24 * HOUR_S, urgency: 'high' },
  liveEnded: { ttl: 72 * HOUR_S, urgency: 'high' },
};

/** The push service answered, and has not taken the message. */
class NotAccepted extends Error {
  constructor(readonly answer: PushAnswer) {
    super('The push service did not take the message');
  }
}

/** The push service gave no answer in time, or could not be reached. */
class Unanswered extends Error {
  readonly code: string | undefined;
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

/**
 * A device on which the password was changed says so within this, ms. Meanwhile it is told nothing,
 * and nothing of it is lost.
 */
const RENEWS_WITHIN_MS = 2 * 60_000;

/**
 * A newer message of the same topic takes the place of one that the push service still holds. It
 * may be 32 characters long, and the push service is to read nothing in it.
 */
const topicOf = (message: Parameters<typeof placeOf>[0]): string =>
  createHash('sha256').update(placeOf(message)).digest('base64url').slice(0, 32);

/**
 * Full jitter: a push service that was down is not met by everybody at once. `attempts` counts the
 * one that failed; the service may ask for more time.
 */
export function retryInMs(
  attempts: number,
  retryAfter: string | undefined,
  now: number,
  random: number,
): number {
  const own = BACKOFF.baseMs + backoffCeilingMs(BACKOFF, Math.max(0, attempts - 1)) * random;
  const asked = retryAfterHeaderMs(retryAfter, now) ?? 0;
  return Math.round(Math.min(BACKOFF.maxMs, Math.max(asked, own)));
}

export class PushSender {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running: Promise<void> | null = null;
  private stopped = false;
  private plansAt = 0;
  private readonly underWay = new Map<string, { row: DueMessage; sent: Promise<void> }>();
  private sending: Promise<void> | null = null;
  private lookAgain = false;
  private readonly silent = new SilentDevices();
  private readonly logins: DeviceLogins;

  /** `limitMs`: for all of one request to a push service. */
  constructor(
    private readonly deps: PushSenderDeps,
    private readonly limitMs = LIMIT_MS,
  ) {
    this.logins = new DeviceLogins(deps.readValidSince, deps.clock, deps.log);
  }

  start(): void {
    const turn = (): void => {
      this.running = this.look()
        .catch(this.logFailure)
        .finally(() => {
          this.running = null;
          if (!this.stopped) this.timer = setTimeout(turn, LOOK_EVERY_MS);
        });
    };
    turn();
  }

  /** Finishes what is on its way. What still waits is in the database, for the next start. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
    await this.allSent();
    this.deps.agent.destroy();
  }

  /** Looks at what happened, and sends what is due until nothing is on its way. */
  async runOnce(): Promise<void> {
    await this.look();
    await this.allSent();
  }

  /** Plans what happened and lets what is due go. What is on its way holds up neither. */
  private async look(): Promise<void> {
    const { database, clock } = this.deps;
    let more: boolean;
    do {
      more = await planFromEvents(database, clock);
      await this.send();
    } while (more && !this.stopped);
    const now = clock.now();
    if (now - this.plansAt >= PLANS_EVERY_MS || now < this.plansAt) {
      this.plansAt = now;
      await planFromPlans(database, clock);
      await database.db
        .delete(pushMessages)
        .where(and(ne(pushMessages.state, 'waiting'), lt(pushMessages.createdAt, now - KEEP_MS)));
      this.silent.forgetBefore(now - FORGET_AFTER_MS);
      this.logins.forgetOld();
      await this.send();
    }
  }

  /** Gives the free places to what is due. Whoever asks meanwhile has it looked at once more. */
  private send(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    this.lookAgain = true;
    this.sending ??= this.fillPlaces();
    return this.sending;
  }

  private async fillPlaces(): Promise<void> {
    const { database, clock } = this.deps;
    try {
      while (this.lookAgain && !this.stopped) {
        this.lookAgain = false;
        const underWay = [...this.underWay.values()].map(({ row }) => row);
        const due = await takeDue(database, clock, underWay);
        for (const row of due) this.begin(row);
        // The next ones are of somebody else, now that these have had their places.
        if (due.length > 0) this.lookAgain = true;
      }
    } finally {
      // In the same breath as the last look, so that whoever asks from here on has a new one.
      this.sending = null;
    }
  }

  private begin(row: DueMessage): void {
    const sent = this.deliver(row)
      .catch(this.logFailure)
      .finally(() => {
        this.underWay.delete(row.message.id);
        this.send().catch(this.logFailure);
      });
    this.underWay.set(row.message.id, { row, sent });
  }

  private async allSent(): Promise<void> {
    while (this.sending !== null || this.underWay.size > 0) {
      await this.sending?.catch(this.logFailure);
      await Promise.all([...this.underWay.values()].map(({ sent }) => sent));
    }
  }

  private async set(id: string, values: Partial<typeof pushMessages.$inferInsert>): Promise<void> {
    await this.deps.database.db.update(pushMessages).set(values).where(eq(pushMessages.id, id));
  }

  private readonly logFailure = (error: unknown): void => {
    this.deps.log.warn({ reason: String(error) }, 'pushes could not be processed');
  };

  /** It was not tried after all, and waits until then. */
  private postpone({ id, attempts }: DueMessage['message'], until: number): Promise<void> {
    return this.set(id, { nextAttemptAt: until, attempts: attempts - 1 });
  }

  private async forget({ id }: DueMessage['device']): Promise<void> {
    this.silent.delete(id);
    await this.deps.database.transaction((tx) => removeSubscriptions(tx, [id]));
  }

  private async deliver({ message, device }: DueMessage): Promise<void> {
    const { database, clock, log } = this.deps;
    const now = clock.now();
    const kind = PushKind.parse(message.kind);
    const { endsAt = Infinity } = (message.facts as { facts: PushFacts }).facts;
    // What waited for the end of quiet hours is as old as that end, not as the event.
    const worthUntil = message.createdAt + MANNER[kind].ttl * 1_000;
    const leftMs = Math.min(worthUntil, endsAt) - now;
    if (leftMs < 0) {
      await this.set(message.id, { state: 'dropped' });
      return;
    }
    // Switched off since it was written: what still waits is not to be told either.
    const settings = (await readSettingsOf(database.db, [device.uid])).get(device.uid);
    if (settings?.notificationsEnabled !== true) {
      await this.set(message.id, { state: 'dropped' });
      return;
    }
    // Paid, or subscribed to, since. Without its row the same cause is told once it is true again.
    if (!(await stillHolds(database.db, device.uid, { kind, cause: message.cause }, now))) {
      await database.db.delete(pushMessages).where(eq(pushMessages.id, message.id));
      return;
    }
    const preferences = await readPreferences(database.db, device.uid);
    const quiet = quietUntil(preferences.quietHours, now);
    const rest = quiet ?? this.silent.restOf(device.id, now);
    if (rest !== null) {
      await this.postpone(message, rest);
      return;
    }
    const endedAt = await this.logins.endedAt(device);
    if (endedAt !== null && now < endedAt + RENEWS_WITHIN_MS) {
      await this.postpone(message, endedAt + RENEWS_WITHIN_MS);
      return;
    }
    if (endedAt !== null) {
      log.info({ kind }, 'a device whose login has ended was unsubscribed from notifications');
      await database.transaction((tx) => removeEnded(tx, device));
      return;
    }
    try {
      const details = await this.requestFor({ message, device }, kind, leftMs, preferences);
      const answer = await this.ask(details);
      if (answer.status < 200 || answer.status > 299) throw new NotAccepted(answer);
      this.silent.delete(device.id);
      await this.set(message.id, { state: 'sent' });
    } catch (error) {
      await this.noteFailure({ message, device }, kind, error);
    }
  }

  /** `leftMs`: how long it is still worth delivering, and the push service may keep it. */
  private async requestFor(
    { message, device }: DueMessage,
    kind: PushKind,
    leftMs: number,
    { showDetails }: PushSettings,
  ): Promise<Parameters<typeof postPush>[0]> {
    const { clock, vapid } = this.deps;
    const { id } = message;
    const { facts, fill } = message.facts as { facts: PushFacts; fill: Fill | null };
    const payload = buildPayload(
      { id, uid: device.uid, kind, facts, fill, showDetails },
      await this.deps.readAgents(device.uid),
      await this.deps.readPortfolio(device.uid),
      clock.now(),
    );
    return webPush.generateRequestDetails(
      { endpoint: device.endpoint, keys: { p256dh: device.p256dh, auth: device.auth } },
      JSON.stringify(payload),
      {
        vapidDetails: vapid,
        TTL: Math.ceil(leftMs / 1_000),
        urgency: MANNER[kind].urgency,
        ...(tellsWhatHappened(kind) ? {} : { topic: topicOf({ id, kind, facts }) }),
        contentEncoding: 'aes128gcm',
      },
    );
  }

  private ask(details: Parameters<typeof postPush>[0]): Promise<PushAnswer> {
    return postPush(details, this.deps.agent, this.limitMs).catch((error: unknown) => {
      throw new Unanswered(error);
    });
  }

  /** Tries again later, gives the message up, or forgets an address that is gone. */
  private async noteFailure(
    { message, device }: DueMessage,
    kind: PushKind,
    error: unknown,
  ): Promise<void> {
    const { database, clock, log } = this.deps;
    const { attempts } = message;
    const at = clock.now();
    const answer = error instanceof NotAccepted ? error.answer : null;
    const status = answer?.status ?? null;
    const refusedAddress = error instanceof Unanswered && error.code === 'EPRIVATE';
    if (status === 404 || status === 410 || refusedAddress) {
      // The browser has given this address up, or it was never one.
      await this.forget(device);
      return;
    }
    log.warn(
      {
        status,
        kind,
        attempts,
        service: serviceOf(device),
        reason: error instanceof Error ? error.message : String(error),
      },
      'a push was not accepted',
    );
    if (status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429) {
      // It answers, and will never take this one.
      this.silent.delete(device.id);
      await this.set(message.id, { state: 'dropped' });
      return;
    }
    const random = Math.random();
    const after = (failures: number): number =>
      at + retryInMs(failures, answer?.retryAfter, at, random);
    if (answer === null && !(error instanceof Unanswered)) {
      // Our own failure says nothing of the device.
      await this.set(message.id, { nextAttemptAt: after(attempts) });
      return;
    }
    // The device is left alone by how often it failed in a row; a message that is rejected again and
    // again lets the others of its device go before it.
    const silences = this.silent.note(device.id, at);
    const until = after(silences);
    await this.set(message.id, { nextAttemptAt: after(Math.max(attempts, silences)) });
    this.silent.rest(device.id, until);
    await putOff(database, device.id, until);
  }
}
