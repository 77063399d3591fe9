/** Whether the signer is of the version that this server was built for, as it last said. */
import { SIGNER_VERSION } from '../../contract/signer.ts';
import type { Log } from '../log.ts';

export type OtherVersion = 'older' | 'newer';

/** Why nothing is bought, as a sentence goes on. */
export const OTHER_SIGNER =
  'the server and its signer are of different versions, as for a moment during an update.';

export function otherVersionOf(version: number): OtherVersion | null {
  if (version === SIGNER_VERSION) return null;
  return version < SIGNER_VERSION ? 'older' : 'newer';
}

export class SignerVersion {
  /** Null where it is ours, and until a signer has told its own. */
  other: OtherVersion | null = null;

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  note(version: number): void {
    const other = otherVersionOf(version);
    if (other !== null && other !== this.other)
      this.log.warn(
        { signer: version, builtFor: SIGNER_VERSION },
        `The signer is ${other} than this server: nothing is bought until both are of one version; sales and stops go on`,
      );
    this.other = other;
  }
}
