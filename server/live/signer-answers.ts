/** Whether the signer answers at all: asked before anybody waits for what is locked for it. */
import { SIGNER_VERSION } from '../../contract/signer.ts';
import type { SignerPort } from './live-deps.ts';

/**
 * A signer that hangs takes ten seconds to be found out. Meanwhile no row may be locked, nor a
 * database of one connection be held: a Stop would wait for it.
 */
export const signerAnswers = (signer: SignerPort): Promise<boolean> =>
  signer.ask({ act: 'hello', version: SIGNER_VERSION }).then(
    () => true,
    () => false,
  );
