/** What cannot be done now says when to come back, whoever refuses it. */
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, Refusal, type ErrorCode } from '../../../contract/errors.ts';
import { registerCallables } from '../../../server/http/callable.ts';
import type { Gate } from '../../../server/http/gate.ts';
import { registerErrors } from '../../../server/http/http-errors.ts';
import { silentLog } from '../../support/app.ts';

const CODES = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter(
  (code) => ERROR_STATUS[code] === 503,
);
const refuse = (code: ErrorCode): Promise<never> => Promise.reject(new Refusal(code, 'Not now'));
const gate = {
  arrive: () => undefined,
  enter: () => Promise.resolve({ uid: 'a', email: null, authTimeMs: 0 }),
} as unknown as Gate;

function refusingApp() {
  const app = Fastify();
  registerErrors(app, silentLog);
  app.get<{ Params: { code: ErrorCode } }>('/:code', ({ params }) => refuse(params.code));
  const callables = Object.fromEntries(CODES.map((code) => [code, () => refuse(code)]));
  registerCallables(app, { callables, gate, log: silentLog });
  return app;
}

describe('every 503', () => {
  it.each(CODES)('names a time to come back: %s (F38)', async (code) => {
    const app = refusingApp();
    const call = await app.inject(`/${code}`);
    const hosted = await app.inject({
      method: 'POST',
      url: `/callable/${code}`,
      payload: { data: {} },
    });
    for (const answer of [call, hosted]) {
      expect(answer.statusCode).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    await app.close();
  });
});
