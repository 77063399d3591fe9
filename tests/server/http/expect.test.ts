/** `Expect: 100-continue` on a connection where answers wait for their turn. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AnswerParser, type RawAnswer } from '../../support/attack/answer-parser.ts';
import { buildTestApp, type TestApp } from '../../support/app.ts';

const FILE = `<!doctype html><title>Tradewind</title>${'x'.repeat(5_000)}`;
const dist = mkdtempSync(join(tmpdir(), 'tradewind-dist-'));

let test: TestApp;
let port = 0;
beforeAll(async () => {
  writeFileSync(join(dist, 'index.html'), FILE);
  test = await buildTestApp({ dist });
  await test.app.listen({ port: 0, host: '127.0.0.1' });
  port = (test.app.server.address() as AddressInfo).port;
}, 60_000);
afterAll(async () => {
  await test.close();
  rmSync(dist, { recursive: true, force: true });
});

/** Everything at once, and the answers in their order, until one closes the connection. */
const ask = (requests: readonly string[]): Promise<RawAnswer[]> =>
  new Promise((resolve, reject) => {
    const answers: RawAnswer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(requests.join('')));
    const parser = new AnswerParser(
      () => false,
      (answer) => {
        answers.push(answer);
        if (answers.length < requests.length && !answer.closes) return;
        socket.destroy();
        resolve(answers);
      },
    );
    socket.on('error', reject);
    socket.on('data', (data) => {
      try {
        parser.take(data);
      } catch (error) {
        socket.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });

const request = (path: string, expectation = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n${expectation}\r\n`;
const EXPECTS = 'expect: 100-continue\r\n';

it('puts nothing between the head of an answer and its body (F54)', async () => {
  const answers = await ask([
    request('/healthz'),
    request('/dashboard'),
    request('/market', EXPECTS),
    request('/healthz'),
  ]);
  const [first, page, expecting] = answers;
  expect(first?.body).toContain('tradewind');
  for (const answer of [page, expecting]) {
    expect(answer).toMatchObject({ status: 200, bytes: FILE.length });
    expect(FILE.startsWith(answer?.body ?? 'nothing')).toBe(true);
  }
  // Whether a body comes that nobody asked for is not known: the connection ends there.
  expect(answers.map(({ closes }) => closes)).toEqual([false, false, true]);
});

it('is still answered where the body waits for it', async () => {
  const said = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `PUT /api/user/trading-settings HTTP/1.1\r\nhost: localhost:${port}\r\n${EXPECTS}content-type: application/json\r\ncontent-length: 2\r\n\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
  expect(said).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
});
