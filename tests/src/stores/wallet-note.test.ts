// @vitest-environment happy-dom
/** The note of the wallet that was last connected: whose it is, and what is no such note. */
import { afterEach, expect, it } from 'vitest';
import { openWalletNote, walletNote } from '../../../src/stores/wallet-note.ts';

const NOTE = { address: `0x${'aB'.repeat(20)}`, chain: 'Base', testCoins: false, at: 5 };
const KEY = 'tradewind.wallet';
const shown = (stored: string): typeof walletNote.note => {
  localStorage.setItem(KEY, stored);
  openWalletNote('ada')();
  return walletNote.note;
};

afterEach(() => {
  localStorage.clear();
});

it('shows the note of its own user, without what is no part of it', () => {
  expect(shown(JSON.stringify({ ...NOTE, uid: 'ada', beside: 1 }))).toEqual(NOTE);
  expect(shown(JSON.stringify({ ...NOTE, uid: 'bob' }))).toBeNull();
});

it.each([
  ['no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['an address of another length', JSON.stringify({ ...NOTE, address: '0xab', uid: 'ada' })],
  ['a chain that is a number', JSON.stringify({ ...NOTE, chain: 8453, uid: 'ada' })],
  ['no word about test coins', JSON.stringify({ ...NOTE, testCoins: undefined, uid: 'ada' })],
  ['a time that is text', JSON.stringify({ ...NOTE, at: '5', uid: 'ada' })],
])('shows nothing for %s', (_what, stored) => {
  expect(shown(stored)).toBeNull();
});
