/** Starts an agent with real money: only once the signer has accepted the person's confirmation. */
import { Refusal } from '../../contract/errors.ts';
import type { StepUpToken } from '../../contract/signer.ts';
import type { AgentRow } from '../agents/read-agents.ts';
import type { Tx } from '../db/database.ts';
import { refuseMadePrices } from './connect.ts';
import { readConnection } from './live-accounts.ts';
import type { LiveDeps } from './live-deps.ts';

export const startNotConfirmed = (): Refusal =>
  new Refusal('signer_unavailable', 'The start could not be confirmed. Try again soon.');

/**
 * Within the transaction that starts it, and under the agent's lock: so no late word of an earlier
 * stop reaches the signer after it. A signer that has let an agent start which then was not started
 * lets nothing trade: the server decides for running agents only.
 * @throws Refusal where the confirmation is another agent's, too old, used or not the person's.
 */
export async function confirmStart(
  { db }: Pick<Tx, 'db'>,
  { signer, market }: Pick<LiveDeps, 'signer' | 'market'>,
  row: Pick<AgentRow, 'id' | 'uid' | 'connectionId' | 'status'>,
  stepUp: StepUpToken,
): Promise<void> {
  const { connectionId } = row;
  refuseMadePrices(market);
  if (connectionId === null)
    throw new Refusal('invalid_request', 'This agent trades on paper.', { field: 'id' });
  const connection = await readConnection(db, connectionId);
  if (connection?.uid !== row.uid || connection.state !== 'open')
    throw new Refusal('connection_ended', 'Live trading has ended for this exchange account.');
  const { statement } = stepUp;
  const isMeant =
    statement.agentId === row.id &&
    statement.connectionId === connectionId &&
    statement.accountId === connection.accountId;
  if (!isMeant)
    throw new Refusal('step_up_required', 'The confirmation is of another agent or account.');
  const answer = await signer.ask({ act: 'start_agent', connectionId, stepUp }).catch(() => null);
  if (answer === null) throw startNotConfirmed();
  if (answer.kind === 'refused')
    throw new Refusal(
      'step_up_required',
      'Confirm this start again: the confirmation does not count any more.',
      { details: { code: answer.code } },
    );
}
