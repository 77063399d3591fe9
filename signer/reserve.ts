/**
 * Room on the disk that is kept for getting out. A full disk would otherwise take a stop away and
 * then hold no line of the sale. It is given up a piece at a time, because others write there too.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { DISK, writeAll, type Disk } from './disk.ts';

const BYTES = 1024 * 1024;
/** Longer than any line; what is over is for whoever else writes there. */
const PIECE_BYTES = 16 * 1024;
/** What an exit writes, when others take all that a piece leaves over. */
const EXIT_BYTES = 16 * PIECE_BYTES;
/** How often it is tried to get the room back. */
const RETRY_MS = 30_000;

export interface ReserveOptions {
  disk?: Disk;
  /** Told when a piece is given up of a reserve that was whole. */
  onUse?: () => void;
}

export class Reserve {
  private triedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly handle: number,
    private readonly now: () => number,
    private readonly disk: Disk,
    private readonly onUse: () => void,
    private bytes: number,
  ) {}

  /** What is there of it; it need not be whole. */
  static open(
    path: string,
    now: () => number,
    { disk = DISK, onUse = () => undefined }: ReserveOptions = {},
  ): Reserve {
    const handle = openSync(path, 'a+', 0o600);
    return new Reserve(handle, now, disk, onUse, fstatSync(handle).size);
  }

  get holdsAnExit(): boolean {
    return this.bytes >= EXIT_BYTES;
  }

  /** Lets a line be written where the disk was full. False when nothing is left. */
  giveUp(): boolean {
    if (this.bytes === 0) return false;
    if (this.bytes >= BYTES) this.onUse();
    this.shrinkTo(Math.max(0, this.bytes - PIECE_BYTES));
    return true;
  }

  /** Whether it is whole; what is missing is taken from the disk again where there is room. */
  isWhole(): boolean {
    if (this.bytes >= BYTES) return true;
    const waitedMs = this.now() - this.triedAtMs;
    // Less than nothing where the clock was set back.
    if (waitedMs >= 0 && waitedMs < RETRY_MS) return false;
    this.triedAtMs = this.now();
    const before = this.bytes;
    try {
      // Bytes that no file system makes smaller.
      writeAll(this.handle, randomBytes(BYTES - before), this.disk);
      this.disk.sync(this.handle);
      this.bytes = BYTES;
      return true;
    } catch {
      this.shrinkTo(before);
      return false;
    }
  }

  /** A file that does not shrink gives no room, and is not asked again. */
  private shrinkTo(bytes: number): void {
    this.bytes = bytes;
    try {
      this.disk.truncate(this.handle, bytes);
      this.disk.sync(this.handle);
    } catch {
      this.bytes = 0;
    }
  }

  close(): void {
    closeSync(this.handle);
  }
}
