/** Sends notifications through the browsers' push services, until they are accepted or too old. */
import { createHash } from 'node:crypto';
import type { Agent as HttpsAgent } from 'node:https';
import { and, asc, eq, inArray, lt, lte, ne } from 'drizzle-orm';
import webPush from 'web-push';
import type { AgentList } from '../../contract/agents.ts';
import { PushKind, type PushFacts } from '../../contract/push.ts';
import { backoffCeilingMs, retryAfterHeaderMs, type Backoff } from '../../contract/retry.ts';
import type { Fill, Portfolio } from '../../contract/trading.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { pushMessages, pushSubscriptions } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { readSettingsOf } from '../users/user-settings.ts';
import { buildPayload } from './payload.ts';
import { planFromEvents, planFromPlans } from './planner.ts';
import { postPush, type PushAnswer } from './post-push.ts';
import { removeSubscriptions } from './push-devices.ts';
import { readPreferences } from './push-preferences.ts';
import { quietUntil } from './quiet-hours.ts';
import type { Vapid } from './vapid.ts';

export interface PushSenderDeps {
  database: Database;
  clock: WallClock;
  log: Log;
  vapid: Vapid;
  agent: HttpsAgent;
  readAgents(uid: string): Promise<AgentList>;
  readPortfolio(uid: string): Promise<Portfolio>;
}

const LOOK_EVERY_MS = 2_000;
const PLANS_EVERY_MS = 30_000;
const AT_ONCE = 16;
const LIMIT_MS = 10_000;
/** Longer than any send: after it a message whose sender died is sent by whoever looks next. */
const LEASE_MS = 60_000;
const BACKOFF: Backoff = { baseMs: 5_000, maxMs: 15 * 60_000 };
const ATTEMPTS_MAX = 8;
const HOUR_S = 3_600;
const KEEP_MS = 30 * 86_400_000;

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

type Row = {
  message: typeof pushMessages.$inferSelect;
  device: typeof pushSubscriptions.$inferSelect;
};

interface Attempt {
  kind: PushKind;
  /** Which attempt this is, the first one being 1. */
  attempts: number;
  at: number;
}

/** The push service answered, and has not taken the message. */
class NotAccepted extends Error {
  constructor(readonly answer: PushAnswer) {
    super('The push service did not take the message');
  }
}

/** A newer message of the same topic takes the place of one that the push service still holds. */
function topicOf(kind: PushKind, facts: PushFacts): string {
  return createHash('sha256')
    .update(`${kind}:${facts.agentId ?? facts.live?.connectionId ?? ''}:${facts.pair ?? ''}`)
    .digest('base64url')
    .slice(0, 32);
}

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

  /** `limitMs`: for all of one request to a push service. */
  constructor(
    private readonly deps: PushSenderDeps,
    private readonly limitMs = LIMIT_MS,
  ) {}

  start(): void {
    const turn = (): void => {
      this.running = this.runOnce()
        .catch((error: unknown) => {
          this.deps.log.warn({ reason: String(error) }, 'pushes could not be processed');
        })
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
    this.deps.agent.destroy();
  }

  /** Looks at what happened, and sends what is due. */
  async runOnce(): Promise<void> {
    const { database, clock } = this.deps;
    while ((await planFromEvents(database, clock)) && !this.stopped);
    const now = clock.now();
    if (now - this.plansAt >= PLANS_EVERY_MS || now < this.plansAt) {
      this.plansAt = now;
      await planFromPlans(database, clock);
      await database.db
        .delete(pushMessages)
        .where(and(ne(pushMessages.state, 'waiting'), lt(pushMessages.createdAt, now - KEEP_MS)));
    }
    while (!this.stopped) {
      const due = await this.claim();
      await Promise.all(due.map((row) => this.deliver(row)));
      if (due.length < AT_ONCE) return;
    }
  }

  /**
   * Takes due messages for a minute: another server on this database does not send them as well.
   */
  private claim(): Promise<Row[]> {
    const { database, clock } = this.deps;
    const now = clock.now();
    return database.transaction(async (tx) => {
      const rows = await tx.db
        .select({ id: pushMessages.id })
        .from(pushMessages)
        .where(and(eq(pushMessages.state, 'waiting'), lte(pushMessages.nextAttemptAt, now)))
        .orderBy(asc(pushMessages.nextAttemptAt))
        .limit(AT_ONCE)
        .for('update', { skipLocked: true });
      const ids = rows.map(({ id }) => id);
      if (ids.length === 0) return [];
      await tx.db
        .update(pushMessages)
        .set({ nextAttemptAt: now + LEASE_MS })
        .where(inArray(pushMessages.id, ids));
      return tx.db
        .select({ message: pushMessages, device: pushSubscriptions })
        .from(pushMessages)
        .innerJoin(pushSubscriptions, eq(pushSubscriptions.id, pushMessages.subscriptionId))
        .where(inArray(pushMessages.id, ids));
    });
  }

  private async set(id: string, values: Partial<typeof pushMessages.$inferInsert>): Promise<void> {
    await this.deps.database.db.update(pushMessages).set(values).where(eq(pushMessages.id, id));
  }

  private async deliver({ message, device }: Row): Promise<void> {
    const { database, clock, vapid, agent } = this.deps;
    const now = clock.now();
    const kind = PushKind.parse(message.kind);
    const { facts, fill } = message.facts as { facts: PushFacts; fill: Fill | null };
    const { ttl, urgency } = MANNER[kind];
    // What waited for the end of quiet hours is as old as that end, not as the event.
    if (now - message.createdAt > ttl * 1_000 || message.attempts >= ATTEMPTS_MAX) {
      await this.set(message.id, { state: 'dropped' });
      return;
    }
    // Switched off since it was written: what still waits is not to be told either.
    const settings = (await readSettingsOf(database.db, [device.uid])).get(device.uid);
    if (settings?.notificationsEnabled !== true) {
      await this.set(message.id, { state: 'dropped' });
      return;
    }
    const preferences = await readPreferences(database.db, device.uid);
    const quiet = quietUntil(preferences.quietHours, now);
    if (quiet !== null) {
      await this.set(message.id, { nextAttemptAt: quiet });
      return;
    }
    const attempts = message.attempts + 1;
    await this.set(message.id, { attempts });
    try {
      const payload = buildPayload(
        {
          id: message.id,
          uid: device.uid,
          kind,
          facts,
          fill,
          showDetails: preferences.showDetails,
        },
        await this.deps.readAgents(device.uid),
        await this.deps.readPortfolio(device.uid),
        now,
      );
      const details = webPush.generateRequestDetails(
        { endpoint: device.endpoint, keys: { p256dh: device.p256dh, auth: device.auth } },
        JSON.stringify(payload),
        {
          vapidDetails: vapid,
          TTL: ttl,
          urgency,
          topic: topicOf(kind, facts),
          contentEncoding: 'aes128gcm',
        },
      );
      const answer = await postPush(details, agent, this.limitMs);
      if (answer.status < 200 || answer.status > 299) throw new NotAccepted(answer);
      await this.set(message.id, { state: 'sent' });
    } catch (error) {
      await this.noteFailure({ message, device }, { kind, attempts, at: now }, error);
    }
  }

  /** Tries again later, gives the message up, or forgets an address that is gone. */
  private async noteFailure(
    { message, device }: Row,
    { kind, attempts, at }: Attempt,
    error: unknown,
  ): Promise<void> {
    const { database, log } = this.deps;
    const answer = error instanceof NotAccepted ? error.answer : null;
    const status = answer?.status ?? null;
    const refusedAddress = (error as NodeJS.ErrnoException).code === 'EPRIVATE';
    if (status === 404 || status === 410 || refusedAddress) {
      // The browser has given this address up, or it was never one.
      await database.transaction((tx) => removeSubscriptions(tx, [device.id]));
      return;
    }
    const hopeless =
      (status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429) ||
      attempts >= ATTEMPTS_MAX;
    log.warn(
      {
        status,
        kind,
        attempts,
        service: new URL(device.endpoint).host,
        reason: error instanceof Error ? error.message : String(error),
      },
      'a push was not accepted',
    );
    if (hopeless) {
      await this.set(message.id, { state: 'dropped' });
      return;
    }
    await this.set(message.id, {
      nextAttemptAt: at + retryInMs(attempts, answer?.retryAfter, at, Math.random()),
    });
  }
}
