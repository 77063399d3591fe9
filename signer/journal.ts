/** The signer's state on disk: a record is durable, then it counts. */
import * as z from 'zod/mini';
import { DISK, type Disk } from './disk.ts';
import { Ledger } from './ledger.ts';
import { LineFile } from './line-file.ts';
import { SignerRecord } from './records.ts';

export class Journal {
  readonly ledger = new Ledger();
  private readonly file: LineFile;

  /** @throws Error when a record cannot be read: limits must not be judged by half a state. */
  constructor(path: string, disk: Disk = DISK) {
    this.file = LineFile.open(
      path,
      (line) => {
        this.ledger.apply(z.decode(SignerRecord, line as z.input<typeof SignerRecord>));
      },
      { disk },
    );
  }

  write(record: SignerRecord): void {
    this.file.append(z.encode(SignerRecord, record));
    this.ledger.apply(record);
  }

  close(): void {
    this.file.close();
  }
}
