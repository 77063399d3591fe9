/** Callers who send a whole request and are gone before it is looked at. */
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildTestApp, ErrorLog, type TestApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';

const CALLERS = 60;

let test: TestApp;
let token = '';
let port = 0;
const log = new ErrorLog();
beforeAll(async () => {
  test = await buildTestApp({ log });
  token = await test.signToken('Left1');
  await test.app.listen({ port: 0, host: '127.0.0.1' });
  port = (test.app.server.address() as AddressInfo).port;
}, 60_000);
afterAll(() => test.close());

/** Resolves when the bytes are on their way and the connection is reset, a moment later. */
const sendAndLeave = (text: string, afterMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text, () => {
        setTimeout(() => {
          socket.resetAndDestroy();
          resolve();
        }, afterMs);
      });
    });
    socket.on('error', reject);
  });

it('are no fault of ours (F54)', async () => {
  const request = [
    'GET /api/user/trading-settings HTTP/1.1',
    `host: localhost:${port}`,
    `authorization: Bearer ${token}`,
    '',
    '',
  ].join('\r\n');
  // Several on each connection: those behind the first are looked at when it is reset already.
  await Promise.all(
    Array.from({ length: CALLERS }, (_none, caller) =>
      sendAndLeave(request.repeat(20), caller % 6),
    ),
  );
  const { status } = await test.call('tradingSettings', { token });
  expect(status).toBe(200);
  await until(
    () =>
      new Promise<number>((resolve, reject) => {
        test.app.server.getConnections((error, open) => {
          if (error === null) resolve(open);
          else reject(error);
        });
      }),
    (open) => open === 0,
  );
  expect(log.errors.slice(0, 2)).toEqual([]);
});
