/** The signer beside what ends: its log, its process, an answer that is too long. */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import { SignerClient } from '../../server/live/signer-client.ts';
import { openLog } from '../../signer/log.ts';
import { Secrets } from '../../signer/secrets.ts';
import { openSocket } from '../../signer/socket.ts';
import { openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers, ok } from '../support/signer/kraken-answers.ts';
import { waitFor } from '../support/wait-for.ts';

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'));
  toClose.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

describe('a log that takes no line', () => {
  it('ends nothing: the signer starts and answers', async () => {
    const folder = newFolder();
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--import', 'tsx', resolve('signer/main.ts')], {
      env: { ...process.env, SIGNER_DIR: folder },
      stdio: ['ignore', full, full, 'ipc'],
    });
    toClose.push(() => child.kill('SIGKILL'));
    let exitCode: number | null = null;
    child.once('exit', (code) => {
      exitCode = code ?? 1;
    });
    await new Promise((settle) => {
      child.once('message', settle);
      child.once('exit', settle);
    });
    const client = new SignerClient({ kind: 'unix', path: join(folder, 'signer.sock') });
    toClose.push(() => {
      client.close();
    });
    for (let turn = 0; turn < 3; turn += 1)
      expect(await client.ask({ act: 'hello', version: 1 })).toHaveProperty('boxKey');
    expect(exitCode).toBeNull();
  });
});

describe('an answer that is too long for the server', () => {
  it('fails alone: what others asked on the same connection is answered', async () => {
    const path = join(newFolder(), 'signer.sock');
    const amount = parseFixed('1234567890.123456');
    const balance = { asset: 'X'.repeat(20), total: amount, available: amount, finest: amount };
    const balances = Array.from({ length: 1_000 }, () => balance);
    const log = openLog(new Secrets(), () => undefined);
    const answers = {
      balances: async () => ({ kind: 'read', value: balances }),
      trades: async () => {
        await new Promise((later) => setTimeout(later, 500));
        return { kind: 'read', value: [] };
      },
    };
    const socket = await openSocket(
      { kind: 'unix', path },
      (ask) => answers[ask.act as keyof typeof answers](),
      log,
      64 * 1024,
    );
    toClose.push(socket.close);
    const client = new SignerClient({ kind: 'unix', path });
    toClose.push(() => {
      client.close();
    });
    const other = client.ask({ act: 'trades', connectionId: 'c2', symbols: [], sinceMs: 0 });
    await expect(client.ask({ act: 'balances', connectionId: 'c1' })).rejects.toThrow('too_long');
    expect(await other).toEqual({ kind: 'read', value: [] });
  });
});

describe('a signer that is about to end', () => {
  async function openWorld() {
    let answerBook = (): void => undefined;
    const bookIsRead = new Promise<void>((resolve) => {
      answerBook = resolve;
    });
    let booksAsked = 0;
    const world = await openDeskWorld({
      key: KRAKEN_KEY,
      answers: (clock) =>
        krakenAnswers({ AddOrder: () => ok({ txid: ['O1'] }) }, () => clock.now()),
      fetch: async (input, init) => {
        const isBook = (input as string).includes('/Depth');
        if (isBook) {
          booksAsked += 1;
          await bookIsRead;
        }
        return fetch(input, init);
      },
    });
    toClose.push(world.remove);
    await world.connect();
    const placed = world.desk.answer({ act: 'place', intent: world.intent() });
    await waitFor(() => {
      expect(booksAsked).toBeGreaterThan(0);
    });
    return { world, placed, answerBook };
  }

  it('refuses what waits for its book, so that the server knows that nothing left', async () => {
    const { world, placed, answerBook } = await openWorld();
    world.desk.stop();
    expect(await placed).toMatchObject({ kind: 'refused', code: 'busy' });
    answerBook();
    await world.desk.settled();
    await new Promise((later) => setTimeout(later, 200));
    expect(world.sent()).toHaveLength(0);
  });

  it('sends the same order where it goes on', async () => {
    const { world, placed, answerBook } = await openWorld();
    answerBook();
    expect(await placed).toMatchObject({ kind: 'confirmed' });
    expect(world.sent()).toHaveLength(1);
  });
});
