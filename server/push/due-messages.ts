/**
 * Takes messages that are due, a few for each push service, person and device at a time, so that
 * none of them holds up the others.
 */
import { and, asc, eq, inArray, lte, notInArray, sql } from 'drizzle-orm';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { pushMessages, pushSubscriptions } from '../db/schema.ts';

export interface DueMessage {
  message: typeof pushMessages.$inferSelect;
  device: typeof pushSubscriptions.$inferSelect;
}

/** Of all messages on their way at one server: a service that hangs keeps half of the places. */
const AT_ONCE = 16;
const AT_ONCE_BY_SERVICE = 8;
const AT_ONCE_BY_PERSON = 2;
const AT_ONCE_BY_DEVICE = 1;
/** Longer than any send: after it a message whose sender died is sent by whoever looks next. */
const LEASE_MS = 60_000;
/** Messages that are looked through for such as may go. */
const LOOKED_THROUGH = 64;

export const serviceOf = ({ endpoint }: DueMessage['device']): string => new URL(endpoint).host;
const SERVICE = sql<string>`substring(${pushSubscriptions.endpoint} from '^https://([^/]+)')`;

/** How many are on their way, by whatever only a few may have. */
class Shares {
  private readonly taken = new Map<string, number>();
  constructor(private readonly most: number) {}

  take(name: string): void {
    this.taken.set(name, (this.taken.get(name) ?? 0) + 1);
  }
  isFull(name: string): boolean {
    return (this.taken.get(name) ?? 0) >= this.most;
  }
  full(): string[] {
    return [...this.taken.keys()].filter((name) => this.isFull(name));
  }
}

class Places {
  readonly services = new Shares(AT_ONCE_BY_SERVICE);
  readonly people = new Shares(AT_ONCE_BY_PERSON);
  readonly devices = new Shares(AT_ONCE_BY_DEVICE);
  private all = 0;

  constructor(underWay: Iterable<DueMessage>) {
    for (const { device } of underWay) this.take(device);
  }

  get isFull(): boolean {
    return this.all >= AT_ONCE;
  }

  take(device: DueMessage['device']): void {
    this.all += 1;
    this.services.take(serviceOf(device));
    this.people.take(device.uid);
    this.devices.take(device.id);
  }

  has(device: DueMessage['device']): boolean {
    return !(
      this.isFull ||
      this.services.isFull(serviceOf(device)) ||
      this.people.isFull(device.uid) ||
      this.devices.isFull(device.id)
    );
  }
}

/**
 * Due messages that find a place beside those under way, the oldest first; no more than there are
 * places. They are taken for a minute, so that another server on this database does not send them
 * as well, and the attempt is counted, so that the planner adds nothing to them.
 */
export function takeDue(
  database: Database,
  clock: WallClock,
  underWay: readonly DueMessage[],
): Promise<DueMessage[]> {
  const now = clock.now();
  const places = new Places(underWay);
  if (places.isFull) return Promise.resolve([]);
  return database.transaction(async (tx) => {
    const rows = await tx.db
      .select({ message: pushMessages, device: pushSubscriptions })
      .from(pushMessages)
      .innerJoin(pushSubscriptions, eq(pushSubscriptions.id, pushMessages.subscriptionId))
      .where(
        and(
          eq(pushMessages.state, 'waiting'),
          lte(pushMessages.nextAttemptAt, now),
          notInArray(pushSubscriptions.id, places.devices.full()),
          notInArray(pushSubscriptions.uid, places.people.full()),
          notInArray(SERVICE, places.services.full()),
        ),
      )
      // What was put off together takes turns.
      .orderBy(asc(pushMessages.nextAttemptAt), asc(pushMessages.attempts))
      .limit(LOOKED_THROUGH)
      .for('update', { of: pushMessages, skipLocked: true });
    const taken = rows.filter(({ device }) => {
      const hasPlace = places.has(device);
      if (hasPlace) places.take(device);
      return hasPlace;
    });
    if (taken.length > 0)
      await tx.db
        .update(pushMessages)
        .set({ nextAttemptAt: now + LEASE_MS, attempts: sql`${pushMessages.attempts} + 1` })
        .where(
          inArray(
            pushMessages.id,
            taken.map(({ message }) => message.id),
          ),
        );
    return taken.map(({ message, device }) => ({
      message: { ...message, attempts: message.attempts + 1 },
      device,
    }));
  });
}
