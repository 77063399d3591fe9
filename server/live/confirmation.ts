/**
 * What a person is asked to sign before an agent starts with real money, a limit is raised, or a key
 * is replaced.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { ConfirmationBody, ConfirmationReply } from '../../contract/live.ts';
import type { ConfirmingKey, LiveLimits } from '../../contract/live-state.ts';
import {
  SpendingLimits,
  stepUpBytes,
  type StepUpKey,
  StepUpStatement,
} from '../../contract/signer.ts';
import { ownAgent } from '../agents/read-agents.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { LiveDeps } from './live-deps.ts';
import type { PasskeySite } from './passkeys.ts';

/** Enough for a browser to ask for the key; nothing that would let it be made anew. */
export const confirmingKeys = ({
  stepUpKeys,
}: Pick<ConnectionRow, 'stepUpKeys'>): ConfirmingKey[] =>
  (stepUpKeys as StepUpKey[]).map((key) =>
    key.kind === 'passkey'
      ? {
          id: key.id,
          kind: key.kind,
          credentialId: key.credentialId,
          transports: key.transports,
        }
      : { id: key.id, kind: key.kind },
  );

/** The limits that the signer holds a start to: its own, which no copy here stands for. */
async function limitsInForce({ signer }: LiveDeps, connectionId: string): Promise<LiveLimits> {
  const state = await signer.ask({ act: 'state', connectionId }).catch(() => null);
  if (state?.kind !== 'read')
    throw new Refusal(
      'signer_unavailable',
      'The exchange cannot be reached now. Try again in a minute.',
    );
  return z.encode(SpendingLimits, state.value.limitsInForce);
}

/**
 * A statement with a fresh nonce. Nothing is kept of it: the signer takes each nonce once, and none
 * that is older than five minutes.
 */
export async function makeConfirmation(
  deps: LiveDeps,
  { rpId }: PasskeySite,
  connection: ConnectionRow,
  { purpose, agentId, limits, keyDigest }: z.infer<typeof ConfirmationBody>,
): Promise<Omit<ConfirmationReply, 'commandId'>> {
  const { id: connectionId, accountId, uid } = connection;
  if (connection.state !== 'open')
    throw new Refusal('connection_ended', 'Live trading has ended for this exchange account.');
  if (purpose === 'start_agent') {
    const source = deps.market.source.id;
    const agent = await ownAgent(deps.database.db, uid, source, agentId ?? '');
    if (agent.connectionId !== connectionId)
      throw new Refusal('invalid_request', 'This agent does not trade this exchange account.', {
        field: 'agentId',
      });
  } else if (purpose === 'replace_key') {
    if (agentId !== null || limits !== null || keyDigest === undefined)
      throw new Refusal('invalid_request', 'Name the new key alone.', { field: 'keyDigest' });
  } else if (agentId !== null || limits === null)
    throw new Refusal('invalid_request', 'Name the limits, and no agent.', { field: 'limits' });
  const statement = {
    purpose,
    connectionId,
    accountId,
    agentId,
    limits: limits ?? (await limitsInForce(deps, connectionId)),
    nonce: randomBytes(24).toString('base64url'),
    issuedAtMs: deps.clock.now(),
    ...(purpose === 'replace_key' ? { keyDigest } : {}),
  };
  const signed = stepUpBytes(z.decode(StepUpStatement, statement));
  return {
    statement,
    challenge: createHash('sha256').update(signed).digest('base64url'),
    rpId,
    keys: confirmingKeys(connection),
  };
}
