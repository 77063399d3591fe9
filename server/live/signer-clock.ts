/**
 * The signer, with how far its clock is from ours, by which it judges each deadline that is set here,
 * and whether it is of another version.
 */
import type { SignerAsk, SignerReply } from '../../contract/signer.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { SignerPort } from './live-deps.ts';
import { SignerVersion, type OtherVersion } from './signer-version.ts';

/** An order lives for half a minute, of which it may wait a part. */
const APART_MOST_MS = 10_000;

export class WatchedSigner implements SignerPort {
  /** Null until a signer has told its time. */
  private apartMs: number | null = null;
  private isTold = false;
  private readonly version: SignerVersion;

  constructor(
    private readonly signer: SignerPort,
    private readonly clock: Pick<WallClock, 'now'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {
    this.version = new SignerVersion(log);
  }

  async ask<A extends SignerAsk['act']>(
    ask: Extract<SignerAsk, { act: A }>,
  ): Promise<SignerReply<A>> {
    const askedAtMs = this.clock.now();
    const reply = await this.signer.ask(ask);
    if (ask.act === 'hello') {
      const { nowMs = null, version } = reply as SignerReply<'hello'>;
      this.note(askedAtMs, nowMs, this.clock.now());
      this.version.note(version);
    }
    return reply;
  }

  otherVersion(): OtherVersion | null {
    return this.version.other;
  }

  secondsApart(): number | null {
    return this.apartMs === null ? null : this.apartMs / 1_000;
  }

  /** It answered at some moment between the two: only what lies outside of them is apart. */
  private note(askedAtMs: number, nowMs: number | null, answeredAtMs: number): void {
    if (nowMs === null) {
      this.apartMs = null;
      return;
    }
    this.apartMs = Math.max(0, askedAtMs - nowMs, nowMs - answeredAtMs);
    const isFar = this.apartMs > APART_MOST_MS;
    if (isFar && !this.isTold)
      this.log.warn(
        { seconds: Math.round(this.apartMs / 1_000) },
        'The clocks of server and signer are apart: beyond half a minute no order is signed',
      );
    this.isTold = isFar;
  }
}
