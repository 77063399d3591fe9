/** What the server knows of a person's wallet without a chain. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WalletStatus } from '../../../contract/wallet.ts';
import { readConfig } from '../../../server/config.ts';
import { accounts, balances } from '../../../server/db/schema.ts';
import { linkedAddresses } from '../../../server/db/schema-wallet.ts';
import { walletHandlers } from '../../../server/wallet/wallet-handlers.ts';
import {
  caller,
  openWorld,
  ORIGIN,
  quietLog,
  SOURCE,
  START,
  type World,
} from '../billing/world.ts';

let world: World;
let call: ReturnType<typeof caller>;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

beforeAll(async () => {
  world = await openWorld();
  call = caller(
    world,
    walletHandlers({
      ...world,
      log: quietLog,
      publicOrigin: ORIGIN,
      wallet: readConfig({}).wallet,
    }),
  );
});
afterAll(() => world.close());

describe('wallet status', () => {
  it('says paper, the venue, the cash of the open book and what its positions hold, and nothing of an old book (R7-23)', async () => {
    const uid = await world.person();
    const open = { uid, source: SOURCE.id, quote: 'USDT', openedAt: START, openedMarketMs: START };
    const [old, present] = [randomUUID(), randomUUID()];
    await world.database.db.insert(accounts).values([
      { ...open, id: old, book: 1, closedAt: START },
      { ...open, id: present, book: 2 },
    ]);
    await world.database.db.insert(balances).values([
      { accountId: old, bucket: 'cash', asset: 'USDT', amount: '77' },
      { accountId: present, bucket: 'cash', asset: 'USDT', amount: '9876.5' },
      { accountId: present, bucket: 'fees', asset: 'USDT', amount: '1.25' },
      { accountId: present, bucket: 'holding:a:ETH/USDT', asset: 'ETH', amount: '0.4' },
      { accountId: present, bucket: 'holding:b:ETH/USDT', asset: 'ETH', amount: '0.15' },
      { accountId: present, bucket: 'holding:b:BTC/USDT', asset: 'BTC', amount: '0' },
    ]);
    expect(await call(uid, 'walletStatus')).toEqual({
      mode: 'paper',
      venue: 'Paper account on Simulated prices',
      quote: 'USDT',
      balances: [
        { asset: 'USDT', available: '9876.5', reserved: '0' },
        { asset: 'ETH', available: '0', reserved: '0.55' },
      ],
      linkedAddresses: [],
      links: [],
      onramp: 'direct',
      servedAt: START,
    });
  });

  it('lists an address once, however many chains it is linked on, and the links in the order of their making (R7-23)', async () => {
    const uid = await world.person();
    const row = { uid, address: ADDRESS, label: 'Wallet', proof: 'key' };
    await world.database.db.insert(linkedAddresses).values([
      { ...row, id: randomUUID(), chainId: 84_532, linkedAt: START + 2 },
      { ...row, id: randomUUID(), chainId: 8_453, linkedAt: START + 1 },
    ]);
    const { links, linkedAddresses: addresses } = await call(uid, 'walletStatus');
    expect(addresses).toEqual([ADDRESS]);
    expect(links.map(({ chainId }) => chainId)).toEqual([8_453, 84_532]);
  });

  it('is understood by an app that knows only addresses, and from a server that knows no more', () => {
    const before = {
      mode: 'paper',
      venue: 'v',
      quote: 'USDT',
      balances: [{ asset: 'USDT', available: '1' }],
      linkedAddresses: [ADDRESS],
    };
    expect(WalletStatus.parse(before)).toEqual({ ...before, links: [], onramp: 'direct' });
  });
});
