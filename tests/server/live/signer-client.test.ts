/** A connection to the signer that dies without a word is given up, and another one made. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SignerAsk } from '../../../contract/signer.ts';
import { SignerClient, SignerUnreachable } from '../../../server/live/signer-client.ts';
import { FIRST_WEEK } from '../../../signer/limits.ts';
import { openLog } from '../../../signer/log.ts';
import { Secrets } from '../../../signer/secrets.ts';
import { openSocket } from '../../../signer/socket.ts';
import { testCertificate } from '../../support/certificate.ts';
import { startSwallowingProxy } from '../../support/signer/swallowing-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const HELLO = {
  version: 1,
  boxKey: { id: 'box', publicKey: 'key' },
  firstWeek: FIRST_WEEK,
  exchanges: [],
};
const hello = { act: 'hello', version: 1 } as const;
const endAgent = { act: 'end_agent', connectionId: 'c', agentId: 'a' } as const;
/** The signer never answers it here. */
const cancel: SignerAsk = {
  act: 'cancel',
  connectionId: 'c',
  order: { clientOrderId: '0'.repeat(32), exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 },
};

/** Timers that run when the test says how much time has passed. */
function handTimers() {
  let running: { leftMs: number; act: () => void }[] = [];
  return {
    after: (ms: number, act: () => void): (() => void) => {
      const timer = { leftMs: ms, act };
      running.push(timer);
      return () => {
        running = running.filter((one) => one !== timer);
      };
    },
    pass(ms: number): void {
      for (const timer of running) timer.leftMs -= ms;
      const due = running.filter(({ leftMs }) => leftMs <= 0);
      running = running.filter(({ leftMs }) => leftMs > 0);
      for (const { act } of due) act();
    },
    count: () => running.length,
  };
}

async function openPath() {
  const folder = mkdtempSync(join(tmpdir(), 'signer-client-'));
  const { cert, key } = testCertificate();
  const files = { cert: join(folder, 'cert'), key: join(folder, 'key'), ca: join(folder, 'cert') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  const host = '127.0.0.1';
  const log = openLog(new Secrets(), () => undefined);
  const signer = await openSocket(
    { kind: 'tls', host, port: 0, ...files },
    async (ask) => {
      if (ask.act === 'cancel') return new Promise(() => undefined);
      return ask.act === 'hello' ? HELLO : { kind: 'done' };
    },
    log,
  );
  const proxy = await startSwallowingProxy(signer.port ?? 0);
  const timers = handTimers();
  const client = new SignerClient({ kind: 'tls', host, port: proxy.port, ...files }, timers.after);
  closers.push(
    () => {
      rmSync(folder, { recursive: true });
    },
    signer.close,
    () => proxy.close(),
    () => {
      client.close();
    },
  );
  /** Asked, and gone as far as the timer of its answer, which does not come. */
  const askInVain = async (ask: SignerAsk): Promise<{ failing: Promise<unknown> }> => {
    const before = timers.count();
    const failing = client.ask(ask).then(
      () => 'answered',
      (error: unknown) => error,
    );
    await waitFor(() => {
      expect(timers.count()).toBe(before + 1);
    });
    return { failing };
  };
  return { askInVain, client, proxy, timers };
}

describe('a connection that dies without a word', () => {
  it('is given up when a greeting is not answered, and the next question makes another', async () => {
    const { askInVain, client, proxy, timers } = await openPath();
    expect(await client.ask(hello)).toMatchObject({ version: 1 });
    proxy.swallow();
    const { failing } = await askInVain(hello);
    timers.pass(5_000);
    expect(await failing).toBeInstanceOf(SignerUnreachable);
    const again = client.ask(hello).catch(() => null);
    await waitFor(() => {
      expect(proxy.made()).toBe(2);
    });
    expect(await again).toMatchObject({ version: 1 });
  });

  it('leaves what is in flight without an answer, and takes nothing of the next one', async () => {
    const { askInVain, client, proxy, timers } = await openPath();
    await client.ask(hello);
    const { failing: order } = await askInVain(cancel);
    proxy.swallow();
    const { failing } = await askInVain(hello);
    timers.pass(5_000);
    const next = client.ask(hello);
    expect(await failing).toBeInstanceOf(SignerUnreachable);
    expect(await order).toBeInstanceOf(SignerUnreachable);
    expect(await next).toMatchObject({ version: 1 });
    const { failing: other } = await askInVain(cancel);
    expect(await client.ask(hello)).toMatchObject({ version: 1 });
    expect(proxy.made()).toBe(2);
    timers.pass(60_000);
    expect(await other).toBeInstanceOf(SignerUnreachable);
  });

  it('is given up after two questions in a row, and not where one was answered between', async () => {
    const { askInVain, client, proxy, timers } = await openPath();
    await client.ask(hello);
    for (let turn = 0; turn < 3; turn += 1) {
      const { failing } = await askInVain(cancel);
      timers.pass(60_000);
      await failing;
      await client.ask(endAgent);
    }
    expect(proxy.made()).toBe(1);
    proxy.swallow();
    for (let turn = 0; turn < 2; turn += 1) {
      const { failing } = await askInVain(endAgent);
      timers.pass(5_000);
      await failing;
    }
    const again = client.ask(endAgent).catch(() => null);
    await waitFor(() => {
      expect(proxy.made()).toBe(2);
    });
    expect(await again).toEqual({ kind: 'done' });
  });

  it('before it was made is not waited for longer than an answer', async () => {
    const { askInVain, client, proxy, timers } = await openPath();
    proxy.swallowAll();
    const { failing } = await askInVain(hello);
    timers.pass(5_000);
    expect(await failing).toBeInstanceOf(SignerUnreachable);
    const second = await askInVain(hello);
    client.close();
    expect(await second.failing).toBeInstanceOf(SignerUnreachable);
  });

  it('is looked for by the system while nothing is asked', async () => {
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    closers.push(() => {
      keepAlive.mockRestore();
    });
    const { client } = await openPath();
    await client.ask(hello);
    expect(keepAlive).toHaveBeenCalledWith(true, 10_000);
  });
});
