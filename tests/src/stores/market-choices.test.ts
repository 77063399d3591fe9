// @vitest-environment happy-dom
/** Stars and columns of a person on this device: kept, told apart by person, and gone with them. */
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resetSession, session } from '../../../src/identity/session.ts';
import { deleteUserDatabase, openUserDatabase } from '../../../src/offline/user-database.ts';
import { changePreference, readPreference } from '../../../src/offline/device-preferences.ts';
import {
  chooseView,
  clearChoices,
  loadChoices,
  marketChoices,
  toggleFavourite,
} from '../../../src/stores/market-choices.ts';

function signIn(uid: string): void {
  session.user = { uid, email: null, displayName: null, metadata: { lastSignInTime: null } };
  session.status = 'signed-in';
  openUserDatabase(uid, { mayCreate: () => true });
}
beforeEach(() => {
  resetSession();
  clearChoices();
});
afterEach(async () => {
  await deleteUserDatabase('ann');
  await deleteUserDatabase('bob');
});

describe('favourites', () => {
  it('are kept for the next start, in the order of their stars, and taken off again', async () => {
    signIn('ann');
    expect(await toggleFavourite('ETH/USDT')).toBe('kept');
    await toggleFavourite('BTC/USDT');
    clearChoices();
    expect([marketChoices.favourites, marketChoices.ready]).toEqual([[], false]);
    await loadChoices('ann');
    expect([marketChoices.favourites, marketChoices.ready]).toEqual([
      ['ETH/USDT', 'BTC/USDT'],
      true,
    ]);
    await toggleFavourite('ETH/USDT');
    expect(await readPreference('ann', 'favourites')).toEqual(['BTC/USDT']);
  });

  it('of another tab are not lost by a star that is set here', async () => {
    signIn('ann');
    await toggleFavourite('ETH/USDT');
    await changePreference('ann', 'favourites', (present) => [...(present ?? []), 'SOL/USDT']);
    await toggleFavourite('BTC/USDT');
    expect(marketChoices.favourites).toEqual(['ETH/USDT', 'SOL/USDT', 'BTC/USDT']);
  });

  it('go with the person: another sees none, and nothing stays on the device', async () => {
    signIn('ann');
    await toggleFavourite('ETH/USDT');
    await deleteUserDatabase('ann');
    expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain('tradewind-ann');
    clearChoices();
    signIn('bob');
    await loadChoices('bob');
    expect(marketChoices.favourites).toEqual([]);
  });

  it('say so where they cannot be kept', async () => {
    session.user = {
      uid: 'nobody',
      email: null,
      displayName: null,
      metadata: { lastSignInTime: null },
    };
    expect(await toggleFavourite('ETH/USDT')).toBe('not-kept');
    expect(marketChoices.favourites).toEqual(['ETH/USDT']);
  });

  it('read late for a person who has left are thrown away', async () => {
    signIn('ann');
    await toggleFavourite('ETH/USDT');
    clearChoices();
    await loadChoices('ann', () => false);
    expect([marketChoices.favourites, marketChoices.ready]).toEqual([[], false]);
  });
});

describe('columns', () => {
  it('are remembered in their own order, and one that is not known is left out', async () => {
    signIn('ann');
    await chooseView({ columns: ['age', 'line', 'spread'], favouritesFirst: false });
    await changePreference('ann', 'marketView', (present) => ({
      favouritesFirst: false,
      columns: [...(present?.columns ?? []), 'moon'],
    }));
    clearChoices();
    await loadChoices('ann');
    expect([marketChoices.columns, marketChoices.favouritesFirst]).toEqual([
      ['line', 'spread', 'age'],
      false,
    ]);
  });
});
