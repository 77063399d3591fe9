/** The whole way: a sealed key, the signer's own process socket, its limits, Kraken, and back. */
import { statSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import { frameOf } from '../../contract/signer-frames.ts';
import { sealKey } from '../../server/live/seal-key.ts';
import { SignerClient } from '../../server/live/signer-client.ts';
import { openSigner, type RunningSigner } from '../../signer/open-signer.ts';
import { startAnswerServer, type AnswerServer } from '../support/signer/answer-server.ts';
import { newOrderId } from '../support/signer/desk-world.ts';
import {
  KRAKEN_KEY,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../support/signer/kraken-answers.ts';

const own = { connectionId: 'c1', ownerId: 'person-1', exchange: 'kraken' } as const;
let folder: string;
let exchange: AnswerServer;
let signer: RunningSigner;
let client: SignerClient;
let placedId = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
  exchange = await startAnswerServer(
    krakenAnswers({
      ClosedOrders: ({ params }) =>
        ok({
          closed:
            params.cl_ord_id === placedId
              ? { 'OQCLML-BW3P3-BUCMWZ': krakenOrderAnswer(placedId) }
              : {},
          count: params.cl_ord_id === placedId ? 1 : 0,
        }),
      TradesHistory: () => ok({ trades: { 'TCWJEG-FL4SZ-3FKGH6': krakenTradeAnswer() }, count: 1 }),
    }),
  );
  signer = await openSigner(
    {
      folder,
      listen: { kind: 'unix', path: join(folder, 'signer.sock') },
      origins: { kraken: exchange.origin },
      passkeys: { rpId: '', origins: [] },
    },
    () => undefined,
  );
  client = new SignerClient({ kind: 'unix', path: join(folder, 'signer.sock') });
});

afterAll(async () => {
  client.close();
  await signer.close();
  await exchange.close();
  rmSync(folder, { recursive: true, force: true });
});

const intent = (clientOrderId: string, quantity: string) => ({
  clientOrderId,
  connectionId: own.connectionId,
  agentId: 'agent-1',
  symbol: 'BTC/USD',
  side: 'buy' as const,
  type: 'limit' as const,
  quantity: parseFixed(quantity),
  limitPrice: parseFixed('60100'),
  stopPrice: null,
  deadlineMs: Date.now() + 30_000,
});

describe('the signer', () => {
  it('takes a sealed key, places an order once and finds it again', async () => {
    const { boxKey } = await client.ask({ act: 'hello', version: 1 });
    const report = await client.ask({
      act: 'connect',
      ...own,
      accountId: 'a1',
      sealedKey: await sealKey(KRAKEN_KEY, own, boxKey),
      limits: null,
      stepUpKeys: [],
    });
    expect(report).toMatchObject({ kind: 'read', value: { accepted: true, faults: [] } });
    if (report.kind !== 'read') return;
    expect(report.value.balances).toContainEqual({
      asset: 'USD',
      total: parseFixed('1200.5'),
      available: parseFixed('1000.5'),
      finest: parseFixed('0.0001'),
    });

    placedId = newOrderId();
    const order = intent(placedId, '0.001');
    const outcome = { kind: 'confirmed', exchangeOrderId: 'OQCLML-BW3P3-BUCMWZ' };
    expect(await client.ask({ act: 'place', intent: order })).toEqual({
      ...outcome,
      replay: false,
    });
    expect(await client.ask({ act: 'place', intent: order })).toEqual({ ...outcome, replay: true });
    const sent = exchange.asked.filter(({ path }) => path.endsWith('/AddOrder'));
    expect(sent).toHaveLength(1);
    expect(sent[0]?.params).toMatchObject({
      cl_ord_id: placedId,
      pair: 'XBTUSD',
      type: 'buy',
      ordertype: 'limit',
      volume: '0.001',
      price: '60100',
      oflags: 'fciq',
    });

    const found = await client.ask({
      act: 'look_up',
      connectionId: own.connectionId,
      order: {
        clientOrderId: placedId,
        exchangeOrderId: null,
        symbol: 'BTC/USD',
        sinceMs: Date.now() - 60_000,
      },
    });
    expect(found).toMatchObject({
      kind: 'found',
      order: { clientOrderId: placedId, status: 'closed', filled: parseFixed('0.001') },
      fills: [
        {
          tradeId: 'TCWJEG-FL4SZ-3FKGH6',
          quoteAmount: parseFixed('60.05'),
          fees: [{ asset: 'USD', amount: parseFixed('0.2402') }],
        },
      ],
    });
  });

  it('refuses by itself what is larger than an order may be, and sends nothing', async () => {
    const before = exchange.asked.length;
    const large = intent(newOrderId(), '0.01');
    expect(await client.ask({ act: 'place', intent: large })).toMatchObject({
      kind: 'refused',
      by: 'signer',
      code: 'order_limit',
    });
    const after = exchange.asked.slice(before).map(({ path }) => path);
    expect(after.filter((path) => path.endsWith('/AddOrder'))).toEqual([]);
  });

  it('is reached by nobody but its own user', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'signer.sock')).mode & 0o777).toBe(0o600);
  });

  it('closes on a message that is too long or no JSON, and goes on for others', async () => {
    const closedBy = (bytes: Uint8Array): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(join(folder, 'signer.sock'), () => socket.write(bytes));
        socket.once('close', () => {
          resolve();
        });
      });
    await closedBy(new Uint8Array([0x7f, 0xff, 0xff, 0xff]));
    await closedBy(new Uint8Array([0, 0, 0, 2, 0x7b, 0x7b]));
    await expect(client.ask({ act: 'hello', version: 1 })).resolves.toMatchObject({ version: 1 });
    const socket = connect(join(folder, 'signer.sock'));
    const answer = await new Promise<string>((resolve) => {
      socket.once('data', (data) => {
        resolve(data.subarray(4).toString('utf8'));
      });
      socket.write(frameOf({ id: 7, ask: { act: 'withdraw', amount: '1' } }));
    });
    socket.destroy();
    expect(JSON.parse(answer)).toEqual({ id: 7, fault: 'not a request' });
  });
});
