/** The app's own worker, as it was built, on an order for a test, in Chromium. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BacktestOrder, BacktestOutcome } from '../../src/backtest/worker-messages.ts';
import { DIST } from '../../scripts/build-stamp.ts';
import { readBuilds } from '../../scripts/keep-assets.ts';
import { openBrowser } from '../support/browser.ts';

const ASSETS = `${DIST}/assets`;

function builtWorker(): string {
  // The build keeps the parts of those before it: only its own are asked.
  const found = (): string | undefined =>
    readBuilds(DIST)[0]?.find((file) => /^worker-[\w-]+\.js$/.test(file));
  if (found() === undefined)
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { stdio: 'ignore' });
  const file = found();
  if (file === undefined) throw new Error('The build has no worker for tests on past candles');
  return file;
}

/** As text: what runs a bench adds names to functions that a page does not know. */
const IN_PAGE = `async (path, runs) => {
  const order = await (await fetch('/order')).json();
  const once = () => new Promise((resolve, reject) => {
    const began = performance.now();
    const worker = new Worker(path, { type: 'module' });
    worker.onerror = (event) => { reject(new Error(event.message)); };
    worker.onmessage = ({ data }) => {
      if (data.kind === 'failed') reject(new Error(data.message));
      if (data.kind !== 'done') return;
      worker.terminate();
      resolve({ seconds: (performance.now() - began) / 1000, outcome: data.outcome });
    };
    worker.postMessage(order);
  });
  const all = [];
  for (let run = 0; run < runs; run += 1) all.push(await once());
  return { seconds: all.map(({ seconds }) => seconds), outcome: all[0].outcome };
}`;

/** A page of nothing, the built files, and the order. */
async function serve(order: BacktestOrder): Promise<{ server: Server; url: string }> {
  const server = createServer(({ url = '/' }, reply) => {
    const asset = /^\/assets\/([\w-]+\.js)$/.exec(url)?.[1];
    if (url === '/order')
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(order));
    else if (asset !== undefined && existsSync(`${ASSETS}/${asset}`))
      reply.setHeader('content-type', 'text/javascript').end(readFileSync(`${ASSETS}/${asset}`));
    else reply.setHeader('content-type', 'text/html').end('<!doctype html><title>Bench</title>');
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/**
 * Seconds from the page's word to the worker's answer, a new worker each time as in the app, and
 * what it found.
 */
export async function inBrowser(
  order: BacktestOrder,
  runs: number,
): Promise<{ seconds: number[]; outcome: BacktestOutcome }> {
  const worker = builtWorker();
  const { server, url } = await serve(order);
  const browser = await openBrowser();
  try {
    const page = await browser.page();
    await page.goto(url);
    return await page.evaluate(`(${IN_PAGE})(${JSON.stringify(`/assets/${worker}`)}, ${runs})`);
  } finally {
    await browser.close();
    server.close();
  }
}
