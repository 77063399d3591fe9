/**
 * A file of JSON lines that only grows. Every line is on disk before `append` returns: what is
 * written down may then be done.
 */
import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { DISK, writeAll, type Disk } from './disk.ts';

export class LineFile {
  /** Half a line stands at the end: whatever were written now would be joined to it. */
  private isTorn = false;

  private constructor(
    private readonly handle: number,
    private readonly disk: Disk,
    /** Of the whole lines, in bytes. */
    private length: number,
    /** Each line as it was when the file was opened. */
    readonly lines: readonly unknown[],
  ) {}

  /** @throws Error when a line in the middle cannot be read: then the file was changed by someone. */
  static open(path: string, disk: Disk = DISK): LineFile {
    const handle = openSync(path, 'a+', 0o600);
    const bytes = readFileSync(path);
    // A crash can leave the beginning of the last line, which nobody has acted on.
    const whole = bytes.lastIndexOf(0x0a) + 1;
    if (whole < bytes.byteLength) {
      ftruncateSync(handle, whole);
      fdatasyncSync(handle);
    }
    const lines = bytes
      .subarray(0, whole)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
    return new LineFile(handle, disk, whole, lines);
  }

  /** @throws Error when the line is not on disk. Nothing is left of it then. */
  append(value: unknown): void {
    if (this.isTorn) throw new Error('the file ends in half a line');
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    try {
      writeAll(this.handle, bytes, this.disk);
      this.disk.sync(this.handle);
    } catch (error) {
      this.takeBack();
      throw error;
    }
    this.length += bytes.byteLength;
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
