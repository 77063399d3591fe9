/** Confirmations by passkey, as the signer checks them with the real library. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StepUpStatement, StepUpToken } from '../../contract/signer.ts';
import { FIRST_WEEK } from '../../signer/limits.ts';
import { softAuthenticator } from '../support/live/soft-authenticator.ts';
import { limitsOf, openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

const ORIGIN = 'https://trade.example.com';
const site = { rpId: 'trade.example.com', origins: [ORIGIN] };
const passkey = softAuthenticator({ rpId: site.rpId, origin: ORIGIN });
const counting = softAuthenticator({ rpId: site.rpId, origin: ORIGIN, counts: true });

let world: DeskWorld;
const open = (more: Partial<Parameters<typeof openDeskWorld>[0]> = {}) =>
  openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers({}, () => clock.now()),
    stepUpKeys: [passkey.key(), counting.key('counting')],
    passkeys: site,
    ...more,
  });
beforeEach(async () => {
  world = await open();
  await world.connect();
});
afterEach(() => world.remove());

const statement = (more: Partial<StepUpStatement> = {}): StepUpStatement => ({
  purpose: 'start_agent',
  connectionId: world.connectionId,
  accountId: 'account-1',
  agentId: 'agent-1',
  limits: FIRST_WEEK,
  nonce: randomBytes(16).toString('base64url'),
  issuedAtMs: world.clock.now(),
  ...more,
});
const start = (stepUp: StepUpToken) =>
  world.desk.answer({ act: 'start_agent', connectionId: world.connectionId, stepUp });
const refusal = (code: string) => ({ kind: 'refused', by: 'signer', code, detail: 'start_agent' });

it('starts an agent by a passkey, once', async () => {
  const token = passkey.agree(statement());
  expect(await start(token)).toEqual({ kind: 'done' });
  expect(await start(token)).toEqual(refusal('step_up_used'));
  // What was signed anew with the same nonce is no other confirmation.
  expect(await start(passkey.agree(token.statement))).toEqual(refusal('step_up_used'));
});

it('takes one confirmation once, however many come at the same time', async () => {
  const token = passkey.agree(statement());
  const answers = await Promise.all(Array.from({ length: 20 }, () => start(token)));
  expect(answers.filter((answer) => (answer as { kind: string }).kind === 'done')).toHaveLength(1);
});

it('remembers what was used over a restart', async () => {
  const token = counting.agree(statement(), {}, 'counting');
  expect(await start(token)).toEqual({ kind: 'done' });
  const { folder, clock } = world;
  await world.close();
  world = await open({ folder, clock });
  expect(await start(token)).toEqual(refusal('step_up_invalid'));
  expect(await start(counting.agree(statement(), {}, 'counting'))).toEqual({ kind: 'done' });
});

describe('refused is a confirmation', () => {
  const other = softAuthenticator({ rpId: site.rpId, origin: ORIGIN });

  it.each([
    ['of another agent', { agentId: 'agent-2' }, 'start_agent'],
    ['of another account', { accountId: 'account-2' }, 'start_agent'],
    ['of another connection', { connectionId: 'connection-2' }, 'start_agent'],
    ['of other limits', { limits: limitsOf('50', '500', '25') }, 'start_agent'],
    [
      'for another purpose',
      { purpose: 'raise_limits' as const, agentId: null },
      'no agent is named',
    ],
  ])('%s', async (_what, more, detail) => {
    const wanted = statement();
    const signed = passkey.agree(statement(more));
    // As it is, and with the statement that was wanted put in its place.
    if (signed.statement.agentId !== 'agent-2')
      expect(await start(signed)).toEqual({ ...refusal('step_up_invalid'), detail });
    expect(await start({ ...signed, statement: wanted })).toEqual(refusal('step_up_invalid'));
  });

  it('that is for one agent, used for another', async () => {
    // The agent that starts is the one that was signed for, and no other.
    await start(passkey.agree(statement({ agentId: 'agent-2' })));
    const state = await world.desk.answer({ act: 'state', connectionId: world.connectionId });
    expect(state).toMatchObject({ value: { agentsStarted: ['agent-2'] } });
  });

  it.each([
    ['too old', -5 * 60_000 - 1],
    ['of the future', 31_000],
  ])('%s', async (_what, offsetMs) => {
    const token = passkey.agree(statement({ issuedAtMs: world.clock.now() + offsetMs }));
    expect(await start(token)).toEqual(refusal('step_up_expired'));
  });

  it.each([
    ['made on another origin', { origin: 'https://trade.example.com.evil.example' }],
    ['made on a neighbour of the origin', { origin: 'https://other.trade.example.com' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without a verified person', { unverified: true }],
    ['of the wrong kind', { type: 'webauthn.create' }],
    ['of another challenge', { challenge: randomBytes(32).toString('base64url') }],
  ])('%s', async (_what, manner) => {
    expect(await start(passkey.agree(statement(), manner))).toEqual(refusal('step_up_invalid'));
  });

  it('by a passkey that was not enrolled', async () => {
    expect(await start(other.agree(statement()))).toEqual(refusal('step_up_invalid'));
    expect(await start(other.agree(statement(), {}, 'passkey-2'))).toEqual(
      refusal('step_up_invalid'),
    );
  });

  it('by one enrolled key in the name of another', async () => {
    expect(await start(passkey.agree(statement(), {}, 'counting'))).toEqual(
      refusal('step_up_invalid'),
    );
  });

  it('by a copy of a passkey that counts its uses', async () => {
    const early = counting.agree(statement(), {}, 'counting');
    expect(await start(counting.agree(statement(), {}, 'counting'))).toEqual({ kind: 'done' });
    expect(await start(early)).toEqual(refusal('step_up_invalid'));
  });

  it.each([
    ['nothing', ''],
    ['no JSON', Buffer.from('passkey').toString('base64url')],
    ['no assertion', Buffer.from('{"id":"x"}').toString('base64url')],
  ])('that is %s', async (_what, signature) => {
    const token = { statement: statement(), keyId: 'passkey-1', signature };
    expect(await start(token)).toEqual(refusal('step_up_invalid'));
  });
});

it('takes no passkey where it is not told for whom they are', async () => {
  await world.remove();
  world = await open({ passkeys: { rpId: '', origins: [] } });
  await world.connect();
  expect(await start(passkey.agree(statement()))).toEqual(refusal('step_up_invalid'));
});
