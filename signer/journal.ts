/** The signer's state on disk: a record is durable, then it counts. */
import * as z from 'zod/mini';
import { Ledger } from './ledger.ts';
import { LineFile, type LineFileOptions } from './line-file.ts';
import { SignerRecord } from './records.ts';

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
    this.file.append(z.encode(SignerRecord, record));
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
