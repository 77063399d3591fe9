/**
 * A file of JSON lines that only grows. Every line is on disk before `append` returns: what is
 * written down may then be done.
 */
import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';

export class LineFile {
  private constructor(
    private readonly handle: number,
    /** Each line as it was when the file was opened. */
    readonly lines: readonly unknown[],
  ) {}

  /** @throws Error when a line in the middle cannot be read: then the file was changed by someone. */
  static open(path: string): LineFile {
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
    return new LineFile(handle, lines);
  }

  append(value: unknown): void {
    writeSync(this.handle, `${JSON.stringify(value)}\n`);
    fdatasyncSync(this.handle);
  }

  close(): void {
    closeSync(this.handle);
  }
}
