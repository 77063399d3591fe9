/** What a crash leaves behind: at every byte that the signer writes, and at the send itself. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { OrderIntent } from '../../contract/signer.ts';
import { sealKey } from '../../server/live/seal-key.ts';
import { SignerClient, SignerUnreachable } from '../../server/live/signer-client.ts';
import { Journal } from '../../signer/journal.ts';
import { LineFile } from '../../signer/line-file.ts';
import { startAnswerServer } from '../support/signer/answer-server.ts';
import { handClock, newOrderId, openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers, ok } from '../support/signer/kraken-answers.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('a crash at any byte of the journal', () => {
  it('leaves a state that opens, and sends no order again that may have left', async () => {
    const clock = handClock();
    const world = await openDeskWorld({
      key: KRAKEN_KEY,
      answers: () => krakenAnswers({}, () => clock.now()),
      clock,
    });
    await world.connect();
    const intents = [world.intent(), world.intent(), world.intent()];
    for (const intent of intents) await world.desk.answer({ act: 'place', intent });
    await world.close();
    const bytes = readFileSync(join(world.folder, 'journal.jsonl'));
    const firstOrder = bytes.indexOf('"sending"');
    let cuts = 0;
    // Around each end of a record every byte, and every 40th within.
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at);
    const isCut = (at: number): boolean =>
      at % 40 === 0 || ends.some((end) => Math.abs(at - end) <= 2);
    for (let cut = firstOrder; cut <= bytes.byteLength; cut += 1) {
      if (!isCut(cut)) continue;
      const path = join(newFolder(), 'journal.jsonl');
      writeFileSync(path, bytes.subarray(0, cut));
      const journal = new Journal(path);
      const whole = bytes.subarray(0, bytes.subarray(0, cut).lastIndexOf(0x0a) + 1).toString();
      for (const { clientOrderId } of intents) {
        const isWritten = whole.includes(`"sending"`) && whole.includes(clientOrderId);
        expect(journal.ledger.order(clientOrderId) !== null, `${cut}`).toBe(isWritten);
      }
      // What comes next is written behind whole lines.
      journal.write({ kind: 'step_up', atMs: 1, nonce: 'n' });
      journal.close();
      const lines: unknown[] = [];
      LineFile.open(path, (line) => lines.push(line)).close();
      expect(lines).toHaveLength(whole.split('\n').length);
      rmSync(path);
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(50);
    // At each end of a record the whole signer is started again and asked for every order.
    for (
      let cut = bytes.indexOf(0x0a, firstOrder);
      cut !== -1;
      cut = bytes.indexOf(0x0a, cut + 1)
    ) {
      const folder = newFolder();
      cpSync(world.folder, folder, { recursive: true });
      writeFileSync(join(folder, 'journal.jsonl'), bytes.subarray(0, cut + 1));
      const kept = bytes.subarray(0, cut + 1).toString();
      const again = await openDeskWorld({
        key: KRAKEN_KEY,
        answers: () => krakenAnswers({}, () => clock.now()),
        clock,
        folder,
      });
      for (const intent of intents) await again.desk.answer({ act: 'place', intent });
      const sent = again.sent().map(({ params }) => params.cl_ord_id);
      const unwritten = intents
        .map(({ clientOrderId }) => clientOrderId)
        .filter((id) => !kept.includes(id));
      expect(sent).toEqual(unwritten);
      await again.close();
    }
    await world.remove().catch(() => undefined);
  });

  it('does not open when a line in the middle was changed', () => {
    const path = join(newFolder(), 'journal.jsonl');
    writeFileSync(path, '{"kind":"step_up","atMs":1,"nonce":"a"}\n{"kind":"ste\n{}\n');
    expect(() => new Journal(path)).toThrow();
  });
});

function startProcess(folder: string, origin: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', resolve('signer/main.ts')], {
    env: { ...process.env, SIGNER_DIR: folder, SIGNER_ORIGIN_KRAKEN: origin },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      resolve(child);
    });
    child.once('exit', (code) => {
      reject(new Error(`the signer ended with ${code}`));
    });
  });
}

describe('kill −9', () => {
  it('while an order is out: it is never sent again, and stays unknown', async () => {
    const folder = newFolder();
    let signer: ChildProcess | null = null;
    const exchange = await startAnswerServer(
      krakenAnswers({
        AddOrder: () => {
          signer?.kill('SIGKILL');
          return ok({ txid: ['O1'] });
        },
      }),
    );
    const own = { connectionId: 'c1', ownerId: 'p1', exchange: 'kraken' } as const;
    const address = { kind: 'unix', path: join(folder, 'signer.sock') } as const;
    signer = await startProcess(folder, exchange.origin);
    const first = new SignerClient(address);
    const { boxKey } = await first.ask({ act: 'hello', version: 1 });
    const report = await first.ask({
      act: 'connect',
      ...own,
      accountId: 'a1',
      sealedKey: await sealKey(KRAKEN_KEY, own, boxKey),
      limits: null,
      stepUpKeys: [],
    });
    expect(report).toMatchObject({ kind: 'read', value: { accepted: true } });
    const intent: OrderIntent = {
      clientOrderId: newOrderId(),
      connectionId: 'c1',
      agentId: 'g1',
      symbol: 'BTC/USD',
      side: 'buy',
      type: 'limit',
      quantity: parseFixed('0.001'),
      limitPrice: parseFixed('60000'),
      stopPrice: null,
      deadlineMs: Date.now() + 50_000,
    };
    const ended = new Promise((resolve) => signer?.once('exit', resolve));
    await expect(first.ask({ act: 'place', intent })).rejects.toThrow(SignerUnreachable);
    await ended;
    signer = await startProcess(folder, exchange.origin);
    const second = new SignerClient(address);
    expect(await second.ask({ act: 'place', intent })).toEqual({
      kind: 'unknown',
      cause: 'connection',
    });
    expect(exchange.asked.filter(({ path }) => path.endsWith('/AddOrder'))).toHaveLength(1);
    second.close();
    const over = new Promise((resolve) => signer?.once('exit', resolve));
    // As when the server that started it is gone.
    signer.disconnect();
    await over;
    await exchange.close();
  });
});
