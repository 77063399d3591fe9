/**
 * Whether the login of a device still stands, as the identity provider has it: a lost phone whose
 * owner has reset the password elsewhere must not go on showing amounts.
 */
import type { WallClock } from '../clock.ts';
import type { pushSubscriptions } from '../db/schema.ts';
import type { Log } from '../log.ts';

/** As `validSince` of the administration has it. */
export type ReadValidSince = (uid: string) => Promise<number | null>;

const ASK_EVERY_MS = 3_600_000;
/** After a failure nobody is asked about: message after message would wait for the same outage. */
const PAUSE_MS = 5 * 60_000;

interface Asked {
  at: number;
  validSince: Promise<number>;
}

export class DeviceLogins {
  private readonly asked = new Map<string, Asked>();
  private pausedUntil = 0;

  constructor(
    private readonly read: ReadValidSince,
    private readonly clock: WallClock,
    private readonly log: Log,
  ) {}

  /**
   * When it ended (ms); null where it stands, or where the provider does not say: its outage keeps no
   * stop loss from being told.
   */
  async endedAt(device: typeof pushSubscriptions.$inferSelect): Promise<number | null> {
    const validSince = await this.validSince(device.uid);
    return (device.tokenIssuedAt ?? device.createdAt) < validSince ? validSince : null;
  }

  /** Its word is asked for anew by then. */
  forgetOld(): void {
    const now = this.clock.now();
    for (const [uid, { at }] of this.asked) if (now - at >= ASK_EVERY_MS) this.asked.delete(uid);
  }

  private validSince(uid: string): Promise<number> {
    const now = this.clock.now();
    const known = this.asked.get(uid);
    if (known !== undefined && now - known.at < ASK_EVERY_MS) return known.validSince;
    if (now < this.pausedUntil) return Promise.resolve(0);
    const validSince = this.ask(uid, now);
    this.asked.set(uid, { at: now, validSince });
    return validSince;
  }

  private async ask(uid: string, now: number): Promise<number> {
    try {
      // An account that is disabled or gone has no login; one that is enabled again has new ones.
      return (await this.read(uid)) ?? now;
    } catch (error) {
      this.pausedUntil = this.clock.now() + PAUSE_MS;
      this.log.warn({ reason: String(error) }, 'the logins of devices could not be checked');
      return 0;
    }
  }
}
