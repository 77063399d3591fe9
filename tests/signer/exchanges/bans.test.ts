/** A ban holds back those whom it is for: what one person's key did holds up nobody else. */
import { describe, expect, it } from 'vitest';
import type { LiveExchange } from '../../../contract/signer.ts';
import { checkKey } from '../../../signer/check-key.ts';
import { ALLOWANCES } from '../../../signer/exchanges/allowances.ts';
import { Budget } from '../../../signer/exchanges/budget.ts';
import { Door } from '../../../signer/exchanges/door.ts';
import {
  BINANCE_ENDPOINTS,
  COINBASE_ENDPOINTS,
  KRAKEN_ENDPOINTS,
} from '../../../signer/exchanges/endpoints.ts';
import { KrakenAdapter } from '../../../signer/exchanges/kraken/adapter.ts';
import { keyOf } from '../../support/signer/adapter-world.ts';
import { handClock } from '../../support/signer/desk-world.ts';
import { noneUnread } from '../../../signer/exchanges/rows.ts';

const json = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), init);

/** Two persons' keys and the public door of one address. */
async function openDoors(
  exchange: LiveExchange,
  fine: unknown = {},
  { isTrial = false }: { isTrial?: boolean } = {},
) {
  const clock = handClock();
  const world = { answer: (): Response => json(fine), asked: 0 };
  const byAddress = new Budget(ALLOWANCES[exchange].byAddress, clock);
  const open = (withKey: boolean): Promise<Door> =>
    Door.open({
      exchange,
      key: withKey ? keyOf(exchange) : null,
      origin: null,
      byAddress,
      byKey: withKey ? new Budget(ALLOWANCES[exchange].byKey, clock) : null,
      isTrial: withKey && isTrial,
      clock,
      fetch: () => {
        world.asked += 1;
        return Promise.resolve(world.answer());
      },
    });
  return {
    world,
    clock,
    own: await open(true),
    other: await open(true),
    everyone: await open(false),
    /** The next answers, until they are fine again. */
    during: async (answer: () => Response, work: () => Promise<unknown>): Promise<void> => {
      world.answer = answer;
      await work();
      world.answer = () => json(fine);
    },
  };
}
const BANNED = { code: 'exchange_ban' };

describe('a ban', () => {
  it('for what a key of Coinbase asked too often is that key’s alone (F73)', async () => {
    const { own, other, everyone, during, clock } = await openDoors('coinbase');
    const tooMany = (): Response => json({}, { status: 429, headers: { 'retry-after': '30' } });
    await during(tooMany, () => own.ask(COINBASE_ENDPOINTS.accounts));
    await expect(own.ask(COINBASE_ENDPOINTS.place)).rejects.toMatchObject(BANNED);
    await expect(other.ask(COINBASE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
    await expect(everyone.ask(COINBASE_ENDPOINTS.book)).resolves.toMatchObject({ status: 200 });
    clock.at += 30_000;
    await expect(own.ask(COINBASE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
  });

  it('for public questions at Coinbase holds back those alone, and no order', async () => {
    const { own, everyone, during } = await openDoors('coinbase');
    await during(
      () => json({}, { status: 429 }),
      () => everyone.ask(COINBASE_ENDPOINTS.book),
    );
    await expect(everyone.ask(COINBASE_ENDPOINTS.time)).rejects.toMatchObject(BANNED);
    await expect(own.ask(COINBASE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
  });

  it('of Binance’s firewall is the address’s for five minutes, though it names no time', async () => {
    const { own, other, everyone, during, clock, world } = await openDoors('binance');
    const wall = (): Response => new Response('<html>403 Forbidden</html>', { status: 403 });
    await during(wall, () => own.ask(BINANCE_ENDPOINTS.account));
    await expect(other.ask(BINANCE_ENDPOINTS.place)).rejects.toMatchObject(BANNED);
    await expect(everyone.ask(BINANCE_ENDPOINTS.book)).rejects.toMatchObject(BANNED);
    expect(world.asked).toBe(1);
    clock.at += 5 * 60_000;
    await expect(other.ask(BINANCE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
  });

  it('of Binance’s firewall for what somebody pasted stops nobody else', async () => {
    const { own, other, during } = await openDoors('binance', {}, { isTrial: true });
    const wall = (): Response => new Response('<html>403 Forbidden</html>', { status: 403 });
    await during(wall, () => own.ask(BINANCE_ENDPOINTS.account));
    await expect(own.ask(BINANCE_ENDPOINTS.account)).rejects.toMatchObject(BANNED);
    await expect(other.ask(BINANCE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
  });

  it('is none where Binance refuses one key with a code', async () => {
    const { own, other, during } = await openDoors('binance');
    const denied = (): Response => json({ code: -2015, msg: 'Invalid API-key.' }, { status: 403 });
    await during(denied, () => own.ask(BINANCE_ENDPOINTS.account));
    await expect(other.ask(BINANCE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
  });

  it.each([429, 400])(
    'for too many orders at Binance, said with %i, is that account’s alone (F73)',
    async (status) => {
      const { own, other, everyone, during, world } = await openDoors('binance');
      const tooMany = (): Response =>
        json({ code: -1015, msg: 'Too many new orders; current limit is 50.' }, { status });
      await during(tooMany, () => own.ask(BINANCE_ENDPOINTS.place));
      await expect(own.ask(BINANCE_ENDPOINTS.place)).rejects.toMatchObject(BANNED);
      expect(world.asked).toBe(1);
      await expect(other.ask(BINANCE_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
      await expect(everyone.ask(BINANCE_ENDPOINTS.book)).resolves.toMatchObject({ status: 200 });
    },
  );

  it('for too much weight at Binance is the address’s, whoever asked', async () => {
    const { own, other, everyone, during } = await openDoors('binance');
    const tooMany = (): Response =>
      json({ code: -1003, msg: 'Too much request weight used.' }, { status: 429 });
    await during(tooMany, () => own.ask(BINANCE_ENDPOINTS.account));
    await expect(other.ask(BINANCE_ENDPOINTS.place)).rejects.toMatchObject(BANNED);
    await expect(everyone.ask(BINANCE_ENDPOINTS.book)).rejects.toMatchObject(BANNED);
  });

  it('of a key is refused before it uses anything of the address’s limit (F73)', async () => {
    const { own, other, during, clock } = await openDoors('binance');
    const tooMany = (): Response => json({ code: -1015, msg: 'Too many new orders.' });
    await during(tooMany, () => own.ask(BINANCE_ENDPOINTS.place));
    for (let turn = 0; turn < 500; turn += 1)
      await expect(own.ask(BINANCE_ENDPOINTS.account)).rejects.toMatchObject(BANNED);
    const before = clock.now();
    await other.ask(BINANCE_ENDPOINTS.place);
    expect(clock.now()).toBe(before);
  });

  it('for a lockout of Kraken is the account’s, also while a key is only checked (F73)', async () => {
    const { own, other, everyone, during, clock } = await openDoors('kraken', {
      error: [],
      result: {},
    });
    const lockedOut = (): Response => json({ error: ['EGeneral:Temporary lockout'] });
    const adapter = new KrakenAdapter(
      own,
      () => Promise.reject(new Error('not asked')),
      noneUnread,
    );
    await during(lockedOut, () => checkKey('kraken', adapter, null).catch(() => null));
    await expect(own.ask(KRAKEN_ENDPOINTS.place)).rejects.toMatchObject(BANNED);
    await expect(other.ask(KRAKEN_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
    await expect(everyone.ask(KRAKEN_ENDPOINTS.book)).resolves.toMatchObject({ status: 200 });
    clock.at += 15 * 60_000;
    await expect(own.ask(KRAKEN_ENDPOINTS.place)).resolves.toMatchObject({ status: 200 });
  });
});
