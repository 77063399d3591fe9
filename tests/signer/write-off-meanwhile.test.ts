/** Coins are written off only where every order is told of, and none was sent since the balance. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import { exposureOf } from '../../signer/ledger.ts';
import type { SignerRecord } from '../../signer/records.ts';
import type { Answer } from '../support/signer/answer-server.ts';
import { newOrderId, openDeskWorld } from '../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../support/signer/kraken-answers.ts';

const MINUTE_MS = 60_000;
const HALF = parseFixed('0.0005');

/** A thousandth of a bitcoin was bought here minutes ago, and the account has half of it. */
async function halfGone() {
  const id = newOrderId();
  const said: Parameters<typeof krakenAnswers>[0] = {
    ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
    TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
    AddOrder: ({ params }) => ok({ txid: [params.type === 'buy' ? 'O1' : 'O2'] }),
    BalanceEx: () => ok({ XXBT: { balance: '0.0005000000', hold_trade: '0.0000000000' } }),
  };
  const world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers(said, () => clock.now()),
  });
  onTestFinished(() => world.remove());
  await world.connect();
  const { connectionId, desk } = world;
  await desk.answer({ act: 'place', intent: world.intent({ clientOrderId: id }) });
  await desk.answer({
    act: 'look_up',
    connectionId,
    order: { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 },
  });
  world.clock.at += 5 * MINUTE_MS;
  const exposure = () => {
    const connection = world.store.journal.ledger.connections.get(connectionId);
    return connection === undefined ? null : exposureOf(connection);
  };
  const writeOff = (quantity = HALF) =>
    desk.answer({ act: 'write_off', connectionId, writeOffId: 'one', symbol: 'BTC/USD', quantity });
  return { world, said, exposure, writeOff };
}

describe('a write-off', () => {
  it.each([
    ['cannot be looked up', () => failed('EGeneral:Internal error')],
    ['the exchange does not find', () => failed('EOrder:Unknown order')],
  ] as [string, () => Answer][])(
    'is refused while a stop %s: it may have sold what is missing',
    async (_why, QueryOrders) => {
      const { world, said, exposure, writeOff } = await halfGone();
      const stop = world.intent({
        side: 'sell',
        type: 'stop',
        limitPrice: null,
        stopPrice: parseFixed('55000'),
        quantity: HALF,
      });
      expect(await world.desk.answer({ act: 'place', intent: stop })).toMatchObject({
        kind: 'confirmed',
      });
      said.QueryOrders = QueryOrders;
      const before = exposure();
      expect(await writeOff()).toMatchObject({ kind: 'refused', code: 'busy' });
      expect(exposure()).toBe(before);
    },
  );

  it.each([
    ['is out', false, HALF],
    // By an exchange whose clock is behind.
    ['has filled, as the exchange says long ago', true, parseFixed('0.001')],
  ])(
    'is refused where a purchase that left since the balance was asked for %s',
    async (_how, isFilled, quantity) => {
      const { world, said, exposure, writeOff } = await halfGone();
      const intent = world.intent({ quantity: HALF });
      const { clientOrderId, symbol } = intent;
      const atMs = world.clock.now();
      const buys: SignerRecord[] = [
        { kind: 'sending', atMs, intent, worstPrice: parseFixed('60100') },
      ];
      if (isFilled)
        buys.push(
          {
            kind: 'seen',
            atMs,
            clientOrderId,
            exchangeOrderId: 'O9',
            status: 'closed',
            filled: HALF,
          },
          {
            kind: 'fill',
            atMs,
            connectionId: world.connectionId,
            clientOrderId,
            fill: {
              tradeId: 'T9',
              clientOrderId,
              exchangeOrderId: 'O9',
              symbol,
              side: 'buy',
              price: parseFixed('60000'),
              quantity: HALF,
              quoteAmount: parseFixed('30'),
              fees: [],
              atMs: atMs - 60 * MINUTE_MS,
            },
          },
        );
      let bought: ReturnType<typeof exposure> = null;
      said.Ticker = () => {
        if (bought === null) for (const record of buys) world.store.journal.write(record);
        bought = exposure();
        return ok({ XXBTZUSD: { a: ['60010.0', '1', '1'], b: ['59990.0', '1', '1'] } });
      };
      expect(await writeOff(quantity)).toMatchObject({ kind: 'refused', code: 'busy' });
      expect(bought).not.toBeNull();
      expect(exposure()).toBe(bought);
    },
  );
});
