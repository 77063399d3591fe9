// @vitest-environment happy-dom
/** Exchange accounts in the page: heard, kept on the device, and told apart from paper. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import {
  CONNECTION_ID,
  IN_LIVE_ACCOUNT,
  liveAccount,
  liveConnection,
  liveOrder,
} from '../../support/live/live-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { resetSession, session } = await import('../../../src/identity/session.ts');
const { deleteUserDatabase, openUserDatabase } =
  await import('../../../src/offline/user-database.ts');
const { readSnapshot } = await import('../../../src/offline/snapshots.ts');
const { accountChoice, chooseAccount, clearAccountChoice, loadAccountChoice, noteLiveAccounts } =
  await import('../../../src/stores/account-choice.ts');
const { moneyOf } = await import('../../../src/stores/agent-money.ts');
const { clearLive, liveSlots } = await import('../../../src/stores/live-slots.ts');
const { applyLiveEvent, loadLive, loadLiveAccount, restoreLive, takeNewConnection } =
  await import('../../../src/stores/live-store.ts');
const { accountOfPath, connectionOf } = await import('../../../src/stores/shown-account.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const paper = replies.agents!.agents[0] as Agent;
const live: Agent = {
  ...paper,
  id: 'agent-1',
  total: '7.5',
  ...IN_LIVE_ACCOUNT,
};
let account = liveAccount(NOW);

function signIn(uid: string): void {
  session.user = { uid, email: null, displayName: null, metadata: { lastSignInTime: null } };
  session.status = 'signed-in';
  openUserDatabase(uid, { mayCreate: () => true });
}
const forget = (): void => {
  clearLive();
  clearAccountChoice();
};
const kept = () => readSnapshot('ann', 'exchanges');

beforeEach(() => {
  resetSession();
  forget();
  account = liveAccount(NOW);
  call.mockReset();
  call.mockImplementation((name: string) =>
    Promise.resolve(
      structuredClone(
        name === 'liveConnections'
          ? { connections: [account.connection], sequence: account.sequence, asOf: NOW }
          : account,
      ),
    ),
  );
  signIn('ann');
});
afterEach(async () => {
  await deleteUserDatabase('ann');
  await deleteUserDatabase('bob');
});

describe('exchange accounts', () => {
  it('are read, kept on the device, and there again without a network', async () => {
    await loadLive();
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.value).toBe(account.value);
    expect(accountChoice.known).toEqual([{ id: CONNECTION_ID, exchange: 'kraken', label: 'Main' }]);
    await vi.waitFor(async () => {
      expect((await kept())?.value.accounts).toHaveLength(1);
    });
    forget();
    await restoreLive('ann', () => true);
    const slot = liveSlots.accounts[CONNECTION_ID];
    expect([slot?.data?.value, slot?.origin]).toEqual([account.value, 'snapshot']);
    expect(liveSlots.connections.data?.[0]?.label).toBe('Main');
  });

  it('are not another person’s', async () => {
    await loadLive();
    await vi.waitFor(async () => {
      expect(await kept()).not.toBeNull();
    });
    forget();
    signIn('bob');
    await restoreLive('bob', () => true);
    expect(liveSlots.connections.data).toBeNull();
  });

  it('hear of an order and of a state by the stream, and are then read again', async () => {
    await loadLive();
    const order = liveOrder(NOW);
    account = liveAccount(NOW, { orders: [order], sequence: 6, asOf: NOW + 1 });
    applyLiveEvent({ type: 'live_order', sequence: 6, connectionId: CONNECTION_ID, order });
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.orders).toEqual([order]);
    const older = { ...order, state: 'sending' as const, changedAt: order.changedAt - 1 };
    applyLiveEvent({ type: 'live_order', sequence: 7, connectionId: CONNECTION_ID, order: older });
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.orders[0]?.state).toBe('open');
    applyLiveEvent({
      type: 'live_connection',
      sequence: 8,
      connection: liveConnection(NOW, { unknownOrders: 1 }),
      raised: [{ kind: 'orphan', about: 'x', raisedAt: NOW, detail: null }],
    });
    expect(liveSlots.connections.data?.[0]?.unknownOrders).toBe(1);
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.alarms).toHaveLength(1);
    await vi.waitFor(() => {
      expect(liveSlots.accounts[CONNECTION_ID]?.data?.sequence).toBe(6);
    });
  });
});

it('an account is called compared once it was read after that, not by the news of it', async () => {
  account = liveAccount(NOW, {
    connection: liveConnection(NOW, { reconciledAt: null }),
    cash: [],
    value: '0',
  });
  await loadLive();
  account = liveAccount(NOW, { sequence: 6, asOf: NOW + 1 });
  applyLiveEvent({
    type: 'live_connection',
    sequence: 6,
    connection: liveConnection(NOW),
    raised: [],
  });
  expect(liveSlots.connections.data?.[0]?.reconciledAt).not.toBeNull();
  expect(liveSlots.accounts[CONNECTION_ID]?.data?.connection.reconciledAt).toBeNull();
  await vi.waitFor(() => {
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.connection.reconciledAt).not.toBeNull();
  });
  expect(liveSlots.accounts[CONNECTION_ID]?.data?.value).toBe('999.24633678');
});

describe('one account that is heard of before the list of all', () => {
  const other = liveConnection(NOW, { id: 'connection-b', label: 'Savings' });
  /** Replies of the list, in the order in which they are asked for. */
  let lists: ((reply: unknown) => void)[] = [];
  const listOf = (...connections: unknown[]) =>
    structuredClone({ connections, sequence: 5, asOf: NOW });

  beforeEach(async () => {
    lists = [];
    call.mockImplementation((name: string) => {
      if (name !== 'liveConnections') return Promise.resolve(structuredClone(account));
      return new Promise((resolve) => {
        lists.push(resolve);
      });
    });
    await noteLiveAccounts([account.connection, other]);
    await chooseAccount(other.id);
  });

  it('is not taken for all there are, and the other stays chosen', async () => {
    await loadLiveAccount(CONNECTION_ID);
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.value).toBe(account.value);
    expect(liveSlots.connections.data).toBeNull();
    expect(accountChoice).toMatchObject({ chosen: other.id, known: [{}, { id: other.id }] });
    clearAccountChoice();
    await loadAccountChoice('ann');
    expect(accountChoice.chosen).toBe(other.id);
    // The list is asked for, as nothing else may do so.
    lists[0]?.(listOf(account.connection, other));
    await vi.waitFor(() => {
      expect(liveSlots.connections.data).toHaveLength(2);
    });
  });

  it('changes by the stream, and the list is read', async () => {
    await loadLiveAccount(CONNECTION_ID);
    applyLiveEvent({
      type: 'live_connection',
      sequence: 8,
      connection: liveConnection(NOW, { unknownOrders: 1 }),
      raised: [],
    });
    expect(liveSlots.accounts[CONNECTION_ID]?.data?.connection.unknownOrders).toBe(1);
    expect(liveSlots.connections.data).toBeNull();
    expect(accountChoice.chosen).toBe(other.id);
    lists[0]?.(listOf(account.connection, other));
    // A list that was asked for before the event may be older than it.
    await vi.waitFor(() => {
      expect(lists).toHaveLength(2);
    });
    expect(accountChoice.chosen).toBe(other.id);
  });

  it('is chosen when it is new, though an older list without it was under way', async () => {
    const fresh = liveConnection(NOW, { id: 'connection-c', label: 'New' });
    void loadLive();
    const taken = takeNewConnection(fresh);
    lists[0]?.(listOf(account.connection, other));
    await vi.waitFor(() => {
      expect(lists).toHaveLength(2);
    });
    lists[1]?.(listOf(account.connection, other, fresh));
    await taken;
    expect(accountChoice.chosen).toBe('connection-c');
    expect(accountChoice.known).toHaveLength(3);
  });

  it('is not chosen over an account that was chosen meanwhile', async () => {
    const fresh = liveConnection(NOW, { id: 'connection-c', label: 'New' });
    const taken = takeNewConnection(fresh);
    await chooseAccount(null);
    lists[0]?.(listOf(account.connection, other, fresh));
    await vi.waitFor(() => {
      expect(lists).toHaveLength(2);
    });
    lists[1]?.(listOf(account.connection, other, fresh));
    await taken;
    expect(accountChoice.chosen).toBeNull();
  });

  it('is not chosen for another person who has logged in meanwhile', async () => {
    const taken = takeNewConnection(liveConnection(NOW, { id: 'connection-c' }));
    forget();
    signIn('bob');
    lists[0]?.(listOf(account.connection));
    await taken;
    expect(accountChoice.chosen).toBeNull();
  });
});

describe('the account that is shown', () => {
  it('is kept on the device, and paper again once the account is gone', async () => {
    await noteLiveAccounts([liveConnection(NOW)]);
    await chooseAccount(CONNECTION_ID);
    clearAccountChoice();
    await loadAccountChoice('ann');
    expect(accountChoice.chosen).toBe(CONNECTION_ID);
    expect(accountChoice.known).toHaveLength(1);
    await noteLiveAccounts([]);
    expect(accountChoice.chosen).toBeNull();
  });

  it('follows the screen: an agent’s page shows whose money it trades', () => {
    const agents = [paper, live];
    expect(accountOfPath('/dashboard', null, agents)).toBeNull();
    expect(accountOfPath('/dashboard', CONNECTION_ID, agents)).toBe(CONNECTION_ID);
    expect(accountOfPath(`/agents/${live.id}`, null, agents)).toBe(CONNECTION_ID);
    expect(accountOfPath(`/agents/${paper.id}`, CONNECTION_ID, agents)).toBeNull();
    expect(accountOfPath(`/live/${CONNECTION_ID}`, null, agents)).toBe(CONNECTION_ID);
    expect(accountOfPath('/live/connect', null, agents)).toBeNull();
    expect(accountOfPath('/performance', CONNECTION_ID, agents)).toBeNull();
    expect(accountOfPath('/market/BTC-USDT', CONNECTION_ID, agents)).toBeNull();
  });

  it('has its own agents, and never the other’s money', () => {
    expect([paper, live].map(connectionOf)).toEqual([null, CONNECTION_ID]);
    const portfolio = {
      ...(replies.portfolio as Portfolio),
      results: [],
      sequence: 99,
      servedAt: NOW + 1,
    };
    expect(moneyOf(live, { sequence: 1, asOf: NOW }, { portfolio, account: null }).total).toBe(
      '7.5',
    );
  });
});
