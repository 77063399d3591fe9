/** What is signed is what the person reads, whatever a server hands out. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { stepUpBytes, StepUpStatement } from '../../../contract/signer.ts';

const { call, confirmWithPasskey } = vi.hoisted(() => ({
  call: vi.fn(),
  confirmWithPasskey: vi.fn((reply: unknown) => Promise.resolve(reply)),
}));
vi.mock('../../../src/api/api.ts', () => ({ api: { call } }));
vi.mock('../../../src/live/passkey.ts', () => ({ confirmWithPasskey }));
vi.mock('../../../src/identity/own-sign-in.ts', () => ({ provePassword: () => Promise.resolve() }));

const { confirmByPasskey, confirmByPassword, OtherStatement } =
  await import('../../../src/live/confirm-act.ts');
const { session } = await import('../../../src/identity/session.ts');

const LIMITS = { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' };
const START = {
  connectionId: 'c-1',
  purpose: 'start_agent' as const,
  agentId: 'a-1',
  limits: null,
  shown: LIMITS,
};
const RAISE = {
  ...START,
  purpose: 'raise_limits' as const,
  agentId: null,
  limits: { ...LIMITS, maxOrder: '200' },
};
const statement = {
  purpose: 'start_agent',
  connectionId: 'c-1',
  accountId: 'book-1',
  agentId: 'a-1' as string | null,
  limits: LIMITS,
  nonce: 'n'.repeat(32),
  issuedAtMs: 1_700_000_000_000,
};
const handsOut = (more: object): void => {
  call.mockResolvedValue({
    statement: { ...statement, ...more },
    challenge: 'the-server-s-own',
    rpId: 'localhost',
    keys: [{ id: 'k', kind: 'passkey', credentialId: 'x' }],
  });
};

beforeEach(() => {
  vi.clearAllMocks();
  session.user = { uid: 'u', email: 'a@example.com' } as typeof session.user;
});

describe('a confirmation', () => {
  it('signs a challenge made of the statement, not the one it was handed', async () => {
    handsOut({});
    await confirmByPasskey(START);
    const bytes = stepUpBytes(z.decode(StepUpStatement, statement as never));
    expect(confirmWithPasskey.mock.calls[0]?.[0]).toMatchObject({
      challenge: createHash('sha256').update(bytes).digest('base64url'),
    });
  });

  it('takes lower limits at a start, as in the first week, and exactly the higher ones of a raise', async () => {
    handsOut({ limits: { ...LIMITS, maxExposure: '400' } });
    await confirmByPasskey(START);
    handsOut({ purpose: 'raise_limits', agentId: null, limits: RAISE.limits });
    await confirmByPasskey(RAISE);
    expect(confirmWithPasskey).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['another purpose', START, { purpose: 'raise_limits', agentId: null }],
    ['another agent', START, { agentId: 'a-2' }],
    ['another exchange account', START, { connectionId: 'c-2' }],
    ['a higher limit than is shown', START, { limits: { ...LIMITS, maxDailyLoss: '26' } }],
    [
      'a higher limit than was chosen',
      RAISE,
      { purpose: 'raise_limits', agentId: null, limits: { ...LIMITS, maxOrder: '201' } },
    ],
  ])('is not given to %s, by passkey or password', async (_what, act, handed) => {
    handsOut(handed);
    await expect(confirmByPasskey(act)).rejects.toBeInstanceOf(OtherStatement);
    await expect(confirmByPassword(act, 'secret')).rejects.toBeInstanceOf(OtherStatement);
    expect(confirmWithPasskey).not.toHaveBeenCalled();
  });
});
