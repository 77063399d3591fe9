/** The judge of hostile requests finds what it is there to find, in a server that does it. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { samplesOf, TARGETS } from './contract-samples.ts';
import { runFuzz, type Finding, type Tally } from './fuzz.ts';

const CANARY = 'cnry0123456789abcdef';

let server: Server;
afterEach(
  () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => {
        resolve();
      });
    }),
);

const good = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
};

/** `wrong` answers one in so many requests. */
async function attacked(
  wrong: (response: ServerResponse) => void,
  oneIn = 20,
  patienceMs = 10_000,
): Promise<Tally> {
  let count = 0;
  server = createServer((request, response) => {
    request.resume();
    count += 1;
    if (count % oneIn === 0) wrong(response);
    else good(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return runFuzz({
    world: {
      port: (server.address() as AddressInfo).port,
      samples: TARGETS.slice(0, 20).map((target) => samplesOf(target, 1, 10)),
      attackers: [{ uid: 'a', token: 'a.b.c', ids: [] }],
    },
    seed: 1,
    requests: 400,
    seconds: 20,
    canary: CANARY,
    outside: ['signer_unavailable'],
    patienceMs,
  });
}

const kinds = ({ findings }: Tally): string[] => [...new Set(findings.map(({ kind }) => kind))];

describe('the judge of hostile requests', () => {
  it('finds nothing where all is well, and counts what was answered', async () => {
    const tally = await attacked(good);
    expect(tally.findings).toEqual([]);
    expect(tally.answered).toBeGreaterThanOrEqual(400);
    expect(tally.byStatus['200']).toBeGreaterThanOrEqual(300);
  });

  it.each<[Finding['kind'], (response: ServerResponse) => void]>([
    ['failure', (response) => response.writeHead(500).end('{}')],
    ['failure', (response) => response.writeHead(503, { 'retry-after': '2' }).end('{}')],
    ['no retry-after', (response) => response.writeHead(503).end('{"code":"server_busy"}')],
    ['leak', (response) => response.writeHead(200).end(`{"note":"${CANARY}"}`)],
    ['leak', (response) => response.writeHead(404, { 'x-who': CANARY }).end('{}')],
    ['injected header', (response) => response.writeHead(200, { 'x-injected': '1' }).end('{}')],
    ['hang', () => undefined],
    ['not http', (response) => response.socket?.write('<html>\r\n\r\n')],
  ])('finds a %s', async (kind, wrong) => {
    const patienceMs = kind === 'hang' || kind === 'not http' ? 700 : 10_000;
    expect(kinds(await attacked(wrong, 20, patienceMs))).toContain(kind);
  });

  it('finds a mark that comes in two pieces', async () => {
    const text = `{"note":"${CANARY}"}`;
    const tally = await attacked((response) => {
      response.writeHead(200, { 'content-length': text.length });
      response.write(text.slice(0, 15));
      setTimeout(() => response.end(text.slice(15)), 5);
    });
    expect(kinds(tally)).toContain('leak');
  });

  it('counts limits, and parties that are not there, as neither answered nor wrong', async () => {
    const limited = await attacked((response) => response.writeHead(429).end('{}'), 2);
    expect([limited.findings, limited.limited > 100]).toEqual([[], true]);
    const away = await attacked(
      (response) =>
        response.writeHead(503, { 'retry-after': '1' }).end('{"code":"signer_unavailable"}'),
      2,
    );
    expect([away.findings, away.outside > 100]).toEqual([[], true]);
  });
});
