/**
 * Exchanges the key of an exchange account for another one of the same account. The signer judges
 * both the key and the person's word; ledger, limits and journal stay as they are.
 */
import { Refusal } from '../../contract/errors.ts';
import type { ApiKey, KeyReport, StepUpToken } from '../../contract/signer.ts';
import { seal, unreachable } from './connect.ts';
import { followKey } from './follow-key.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { LiveDeps } from './live-deps.ts';

function refusalOf(code: string): Refusal {
  if (code.startsWith('step_up_'))
    return new Refusal(
      'step_up_required',
      'Confirm the new key again: the confirmation does not count any more.',
      { details: { code } },
    );
  if (code === 'no_connection')
    return new Refusal(
      'connection_ended',
      'The signer keeps no key of this exchange account. Connect the account again.',
    );
  return unreachable();
}

/** What was found of the new key. Where it is not accepted, the old one is still kept. */
export async function replaceKey(
  deps: LiveDeps,
  connection: ConnectionRow,
  key: ApiKey,
  stepUp: StepUpToken,
): Promise<KeyReport> {
  const { id: connectionId, uid, exchange } = connection;
  if (connection.state !== 'open')
    throw new Refusal('connection_ended', 'This connection has ended.');
  const { sealed } = await seal(deps, connectionId, uid, { exchange, key });
  const answer = await deps.signer.ask({ act: 'replace_key', ...sealed, stepUp }).catch(() => null);
  if (answer?.kind === 'refused') throw refusalOf(answer.code);
  if (answer?.kind !== 'read') throw unreachable();
  if (answer.value.accepted) await noteAccepted(deps, connection, answer.value);
  return answer.value;
}

/** So that agents go on at once; the signer's own word of it is followed anyway. */
async function noteAccepted(
  deps: LiveDeps,
  connection: ConnectionRow,
  { permissions }: KeyReport,
): Promise<void> {
  const { id: connectionId } = connection;
  const state = await deps.signer.ask({ act: 'state', connectionId }).catch(() => null);
  const { faults, readAtMs } =
    state?.kind === 'read'
      ? { faults: state.value.faults, readAtMs: state.value.permissionsReadAtMs }
      : { faults: [], readAtMs: deps.clock.now() };
  await followKey(deps, connection, { faults, permissions, readAtMs, isReplaced: true });
}
