/**
 * A file of JSON lines that only grows. Every line is on disk before `append` returns: what is
 * written down may then be done.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { DISK, isFull, writeAll, type Disk } from './disk.ts';
import type { Reserve } from './reserve.ts';

/** Read at once. A file may be longer than any text can be. */
const PIECE_BYTES = 1024 * 1024;
const LINE_END = 0x0a;

const NO_RESERVE = { giveUp: () => false };

export interface LineFileOptions {
  disk?: Disk;
  /** Gives its room up for a line where the disk is full. */
  reserve?: Pick<Reserve, 'giveUp'>;
  pieceBytes?: number;
}

/** Tells every whole line in order, and gives their length in bytes. */
function readHandle(handle: number, onText: (text: string) => void, pieceBytes: number): number {
  const piece = Buffer.allocUnsafe(pieceBytes);
  let begun: Buffer[] = [];
  let whole = 0;
  let at = 0;
  for (;;) {
    const length = readSync(handle, piece, 0, pieceBytes, at);
    if (length === 0) return whole;
    let from = 0;
    for (;;) {
      const end = piece.subarray(0, length).indexOf(LINE_END, from);
      if (end === -1) break;
      const last = piece.subarray(from, end);
      const text = (begun.length === 0 ? last : Buffer.concat([...begun, last])).toString('utf8');
      begun = [];
      from = end + 1;
      whole = at + from;
      if (text !== '') onText(text);
    }
    // The piece is written over by the next one.
    if (from < length) begun.push(Buffer.from(piece.subarray(from, length)));
    at += length;
  }
}

/** Tells every whole line of a file in order. A beginning of a line at its end is left out. */
export function readLines(
  path: string,
  onText: (text: string) => void,
  pieceBytes = PIECE_BYTES,
): void {
  const handle = openSync(path, 'r');
  try {
    readHandle(handle, onText, pieceBytes);
  } finally {
    closeSync(handle);
  }
}

export class LineFile {
  /** Half a line stands at the end: whatever were written now would be joined to it. */
  private isTorn = false;

  private constructor(
    private readonly handle: number,
    private readonly disk: Disk,
    /** Of the whole lines, in bytes. */
    private length: number,
    private readonly reserve: Pick<Reserve, 'giveUp'>,
  ) {}

  /**
   * Tells each line that is there, and keeps none.
   * @throws Error when a line in the middle cannot be read: then the file was changed by someone.
   */
  static open(
    path: string,
    onLine: (line: unknown) => void,
    { disk = DISK, pieceBytes = PIECE_BYTES, reserve = NO_RESERVE }: LineFileOptions = {},
  ): LineFile {
    const handle = openSync(path, 'a+', 0o600);
    try {
      const tell = (text: string): void => {
        onLine(JSON.parse(text));
      };
      const whole = readHandle(handle, tell, pieceBytes);
      // A crash can leave the beginning of the last line, which nobody has acted on.
      if (whole < fstatSync(handle).size) {
        ftruncateSync(handle, whole);
        fdatasyncSync(handle);
      }
      return new LineFile(handle, disk, whole, reserve);
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }

  /**
   * `spares`: leaves the reserve to others.
   * @throws Error when the line is not on disk. Nothing is left of it then.
   */
  append(value: unknown, spares = false): void {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    for (;;)
      try {
        this.write(bytes);
        this.length += bytes.byteLength;
        return;
      } catch (error) {
        if (spares || this.isTorn || !isFull(error) || !this.reserve.giveUp()) throw error;
      }
  }

  /** Whether so many bytes could be written now. Nothing is left of the trial. */
  takes(bytes: number): boolean {
    if (this.isTorn) return false;
    if (bytes === 0) return true;
    try {
      this.write(Buffer.alloc(bytes, ' '));
    } catch {
      return false;
    }
    this.takeBack();
    return !this.isTorn;
  }

  private write(bytes: Uint8Array): void {
    if (this.isTorn) throw new Error('the file ends in half a line');
    try {
      writeAll(this.handle, bytes, this.disk);
      this.disk.sync(this.handle);
    } catch (error) {
      this.takeBack();
      throw error;
    }
  }

  /** A full disk takes a part of a line. Where that stays, the next start cuts it off. */
  private takeBack(): void {
    try {
      this.disk.truncate(this.handle, this.length);
      this.disk.sync(this.handle);
    } catch {
      this.isTorn = true;
    }
  }

  close(): void {
    closeSync(this.handle);
  }
}
