/** The signer's state on disk: a record is durable, then it counts. */
import * as z from 'zod/mini';
import { Ledger } from './ledger.ts';
import { LineFile, type LineFileOptions } from './line-file.ts';
import { SignerRecord } from './records.ts';

/**
 * What getting out writes. All else leaves the reserve of the disk to it. A key that is taken away is no
 * less urgent, and cannot be taken away again and again: to connect one needs room.
 */
const IS_EXIT: ReadonlySet<SignerRecord['kind']> = new Set([
  'sending',
  'outcome',
  'seen',
  'fill',
  'absent',
  'disconnected',
]);

export class Journal {
  readonly ledger = new Ledger();
  private readonly file: LineFile;

  /** @throws Error when a record cannot be read: limits must not be judged by half a state. */
  constructor(path: string, options: LineFileOptions = {}) {
    this.file = LineFile.open(
      path,
      (line) => {
        this.ledger.apply(z.decode(SignerRecord, line as z.input<typeof SignerRecord>));
      },
      options,
    );
  }

  write(record: SignerRecord): void {
    this.file.append(z.encode(SignerRecord, record), !IS_EXIT.has(record.kind));
    this.ledger.apply(record);
  }

  /** Whether so many bytes could be written now. */
  takes(bytes: number): boolean {
    return this.file.takes(bytes);
  }

  close(): void {
    this.file.close();
  }
}
