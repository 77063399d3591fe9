/** What the calls about alerts refuse over HTTP, each with the field at fault. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../../contract/calls.ts';
import { ErrorReply } from '../../../contract/error-reply.ts';
import { buildTestApp, type TestApp } from '../../support/app.ts';

type Body = CallBody<'setAlert'>;
const GOOD: Body = {
  symbol: 'BTC/USDT',
  condition: { kind: 'above', price: '65000' },
  repeatMinutes: null,
  note: '',
  active: true,
  seenVersion: null,
  seen: null,
};
const MOVE = { kind: 'move', direction: 'up', bps: 500, windowMinutes: 60 } as const;
let test: TestApp;
let token: string;

beforeAll(async () => {
  test = await buildTestApp();
  token = await test.signToken('anna');
}, 60_000);
afterAll(() => test.close());

async function send(
  change: Record<string, unknown>,
  id = String(randomUUID()),
): Promise<{ status: number; code: string; field: string | undefined }> {
  const { status, json } = await test.call('setAlert', {
    token,
    params: { id },
    body: { ...GOOD, ...change },
  });
  const refused = ErrorReply.safeParse(json);
  return {
    status,
    code: refused.success ? refused.data.error.code : 'ok',
    field: refused.success ? refused.data.error.field : undefined,
  };
}

describe('an alert that cannot be is refused by its field', () => {
  it.each([
    ['symbol', { symbol: 'btc' }],
    ['symbol', { symbol: undefined }],
    ['condition.kind', { condition: { kind: 'beside', price: '1' } }],
    ['condition.price', { condition: { kind: 'above', price: '0' } }],
    ['condition.price', { condition: { kind: 'above', price: '-5' } }],
    ['condition.price', { condition: { kind: 'above', price: '1e5' } }],
    ['condition.price', { condition: { kind: 'below', price: '9'.repeat(400) } }],
    ['condition.price', { condition: { kind: 'below', price: '1000000000000' } }],
    ['condition.price', { condition: { kind: 'above', price: 65_000 } }],
    ['condition.bps', { condition: { ...MOVE, bps: 9 } }],
    ['condition.bps', { condition: { ...MOVE, bps: 10_001 } }],
    ['condition.bps', { condition: { ...MOVE, bps: 12.5 } }],
    ['condition.bps', { condition: { ...MOVE, bps: 1e300 } }],
    ['condition.windowMinutes', { condition: { ...MOVE, windowMinutes: 7 } }],
    ['condition.direction', { condition: { ...MOVE, direction: 'sideways' } }],
    ['repeatMinutes', { repeatMinutes: 1 }],
    ['repeatMinutes', { repeatMinutes: 'daily' }],
    ['note', { note: 'x'.repeat(141) }],
    ['active', { active: 'yes' }],
    ['seenVersion', { seenVersion: 1.5 }],
    ['seen.price', { seen: { price: 'NaN', at: 1 } }],
  ])('%s: %j', async (field, change) => {
    expect(await send(change)).toEqual({ status: 400, code: 'invalid_request', field });
  });

  it('and so are an unknown field, a pair that is not offered and an id that is no UUID', async () => {
    expect(await send({ uid: 'ben' })).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await send({ symbol: 'NOPE/USDT' })).toEqual({
      status: 400,
      code: 'unknown_symbol',
      field: 'symbol',
    });
    expect(await send({}, 'abc')).toMatchObject({ status: 404 });
    expect(await test.call('deleteAlert', { token, params: { id: '%00' } })).toMatchObject({
      status: 404,
    });
  });

  it('times and versions beyond all measure do no harm', async () => {
    for (const at of [-1e300, 1e300, -0.5, Number.MAX_SAFE_INTEGER, Date.now() - 1_000.5])
      expect((await send({ seen: { price: '1', at } })).status).toBe(200);
    expect(await send({ seenVersion: Number.MAX_SAFE_INTEGER })).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    const { json } = await test.call('alerts', { token });
    expect(json).toMatchObject({ alerts: [{ phase: 'watching' }, {}, {}, {}, {}] });
  });
});
