/** The text that Prometheus reads: requests, gauges, and metrics that have no value now. */
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { registerMetrics } from '../../../server/http/prometheus.ts';

it('counts requests by route, and says nothing of what cannot be read', async () => {
  const app = Fastify();
  let inDoubt: number | null = 3;
  registerMetrics(app, [
    {
      name: 'tradewind_books_in_doubt',
      help: 'Accounts in doubt.',
      read: () => (inDoubt === null ? [] : [{ value: inDoubt }]),
    },
    {
      name: 'tradewind_prices_refused',
      help: 'Prices refused since start.',
      labelNames: ['reason'],
      read: async () => [
        { labels: { reason: 'stale' }, value: 2 },
        { labels: { reason: 'a "quoted" one' }, value: 1 },
      ],
    },
  ]);
  app.get('/thing/:id', async () => 'ok');
  await app.inject('/thing/7');
  const read = async () => (await app.inject('/metrics')).body;

  const first = await read();
  expect(first).toContain(
    'tradewind_requests_total{method="GET",route="/thing/:id",status="200"} 1',
  );
  expect(first).toMatch(/^tradewind_request_seconds_bucket\{le="\+Inf"\} 1$/m);
  expect(first).toMatch(/^tradewind_request_seconds_count 1$/m);
  expect(first).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(first).toMatch(/^tradewind_books_in_doubt 3$/m);
  expect(first).toContain('tradewind_prices_refused{reason="stale"} 2');
  expect(first).toContain('tradewind_prices_refused{reason="a \\"quoted\\" one"} 1');

  inDoubt = null;
  expect(await read(), '0 would say that all is well').not.toMatch(/^tradewind_books_in_doubt \d/m);
  const headers = (await app.inject('/metrics')).headers;
  expect(headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  });
  await app.close();
});

it('is there under one spelling of its path, which a proxy can keep inside', async () => {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  registerMetrics(app, []);
  const statusOf = async (url: string) => (await app.inject(url)).statusCode;
  expect(await statusOf('/metrics')).toBe(200);
  expect(await statusOf('/metrics?time=1')).toBe(200);
  for (const url of ['/metrics/', '/metrics/?x=1', '/%6Detrics', '/metrics%2F', '//metrics'])
    expect(await statusOf(url), url).toBe(404);
  await app.close();
});
